#include "answer/path.h"
#include "base/sums.h"
#include "relate/critical_path.h"
#include "relate/job_match.h"
#include "relate/ranges_around.h"
#include "trace/call_class.h"

#define COLUMNS(X) \
	X(TID, "tid", 'i', NULL, "thread that launched the work, waited in the call, or went on to the next launch") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time on the path") \
	X(PCT, "pct", 'd', "%", "the same as a share of the window") \
	X(EDGES, "edges", 'i', NULL, "links of the chain: the rows of --each") \
	X(KIND, "kind", 't', NULL, "compute comm copy graph: work; between it, what the next work waited for: " \
	  "stream: the work before it on its stream; event: one that its stream was told to wait for; launch: its " \
	  "launch, from the end of the call on; sync: a call that waited for work, from the end of that work on; " \
	  "cpu: other CPU time up to the end of a launch; inferred: the node before it in a replay of a CUDA graph; " \
	  "unresolved: the trace does not say") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch of the work; of sync and cpu, the one that the " \
	  "thread is in for most of the time") \
	X(NAME, "name", 't', NULL, "kernel, copy or graph; of launch and sync, the call")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void columns(const void *params, table *out)
{
	const path_params *p = params;

	if (p->mode == PATH_EACH) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, TID, DUR_NS, KIND, NVTX, NAME);
		out->given_order = true;        /* in order of time, which start_ns is not where clocks differ */
		return;
	}
	table_columns(out, all_columns, DUR_NS, PCT, EDGES, KIND, NAME);
	table_sort(out, DUR_NS, true);
}

static question ask(const void *params)
{
	const path_params *p = params;
	bool each = p->mode == PATH_EACH;

	return (question){
		.need = TRACE_WORK | TRACE_SYNCS | TRACE_BYTES | TRACE_CALL_TIMES | (each ? TRACE_CAPTURES : 0) |
			(each || p->ranks ? TRACE_RANGES : TRACE_RANGE_COUNTS) | (p->ranks ? TRACE_PAYLOADS : 0),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm,
		.warn_lost = true,
		.warn_clocks = true,
		.warn_shared = true,
		.replayed = each ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "the processes asked about have no work on the GPUs asked about",
	};
}

/* ---- gathering */

typedef struct {
	path_from from;         /* its process and GPU; the time is that of each part in turn */
	ival_set side;
	const char *name, *each_name;
} piece;

struct path_job {
	job *comm;              /* NULL: each process alone */
	path_ranks *ranks;
	vec(trace *) traces;
	vec(piece) pieces;
	str_pool names;         /* of all traces */
	arena texts;
};

static path_job *begin(bool ranks)
{
	path_job *j = mem_new(path_job, 1);

	j->comm = ranks ? job_new() : NULL;
	j->ranks = path_ranks_new(j->comm);
	return j;
}

path_job *path_begin(void)
{
	return begin(true);
}

static void path_end(path_job *j)
{
	for (size_t i = 0; i < j->pieces.n; i++)
		ival_free(&j->pieces.v[i].side);
	path_ranks_free(j->ranks);
	if (j->comm)
		job_free(j->comm);
	vec_free(&j->traces);
	vec_free(&j->pieces);
	str_free(&j->names);
	arena_free(&j->texts);
	free(j);
}

static bool add(path_job *j, trace *t, const windows *all, notes *say)
{
	uint32_t *kernel = NULL;

	if (j->comm && job_add(j->comm, t, &kernel, say) == SIZE_MAX)
		return false;
	for (size_t i = 0; i < all->n; i++) {
		const window *w = &all->v[i];
		vec_push(&j->pieces, (piece){ { .rank = (uint32_t)j->traces.n, .proc = w->proc, .gpu = w->device },
			 ival_and(&w->gpu, &w->gpu), arena_copy(&j->texts, w->name),
			 arena_copy(&j->texts, w->each_name) });
	}
	path_ranks_add(j->ranks, t, kernel);
	wait_counts_warn(depends_counts(depends_of(t)), say);
	vec_push(&j->traces, t);
	return true;
}

/* ---- rows */

typedef struct {
	const path_params *p;
	path_job *j;
	table *out;
	int64_t ns, too_early;  /* how long all windows are, and how much of that is before the trace of another rank
				 * begins */
} answering;

static void row(const answering *x, const piece *w, uint32_t rank, uint32_t proc, ival at)
{
	const trace *t = x->j->traces.v[rank];
	const trace_proc *p = &t->procs[proc];

	table_row_of(x->out, p->pid, p->sub, p->rank, at.a, at.b);
	table_text(x->out, COL_WINDOW, x->p->mode == PATH_EACH ? w->each_name : w->name);
	table_text(x->out, COL_TRACE, t->path);
}

/* A string of path_job.names. */
static uint32_t name_of(path_job *j, const path_link *link)
{
	const trace *t = j->traces.v[link->rank];
	uint32_t name = link->kind <= PATH_GRAPH ? t->work.name[link->work] :
		link->kind == PATH_LAUNCH || link->kind == PATH_SYNC ? t->calls.name[link->call] : STR_NONE;
	const char *text = str_at(&t->names, name);

	return !text ? STR_NONE : str_id(&j->names, text, link->kind <= PATH_GRAPH ? str_len(&t->names, name) :
					 call_base_length(text));
}

static const char *range_of(const answering *x, const path_link *link)
{
	trace *t = x->j->traces.v[link->rank];
	const around *a = around_of(t, around_what(x->p->adopt, x->p->captured));
	uint32_t range = NONE, main = around_main_thread(t, link->proc);
	ival time = { link->a, link->b };

	if (link->work != NONE)
		return str_at(&t->names, around_name(a, link->work));
	if (link->thread != NONE)
		range = around_most(a, link->thread, time);
	if (range == NONE && x->p->adopt && link->thread != NONE && main != NONE)
		range = around_most(a, main, time);
	return range == NONE ? NULL : str_at(&t->names, t->pushpop.name[range]);
}

static void each_row(const answering *x, const piece *w, const path_link *link)
{
	const trace *t = x->j->traces.v[link->rank];
	table *out = x->out;

	row(x, w, link->rank, link->proc, (ival){ link->a, link->b });
	if (link->work != NONE) {
		const trace_stream *st = &t->streams[t->work.stream[link->work]];
		table_int(out, COL_GPU, st->gpu);
		table_int(out, COL_CTX, st->ctx);
		table_int(out, COL_STREAM, st->stream);
	}
	if (link->thread != NONE)
		table_int(out, TID, t->threads[link->thread].tid);
	table_int(out, DUR_NS, link->b - link->a);
	table_word(out, KIND, path_kind_name(link->kind));
	table_text(out, NVTX, range_of(x, link));
	table_text(out, NAME, str_at(&x->j->names, name_of(x->j, link)));
}

typedef struct {
	int64_t dur, edges;
} sum;

enum { KEY_KIND, KEY_NAME, KEYS };

static void sum_rows(const answering *x, const piece *w, const path_chain *chain)
{
	sums by = sums_by(KEYS, sizeof(sum));

	for (size_t i = 0; i < chain->n; i++) {
		const path_link *link = &chain->v[i];
		sum *s = sums_of(&by, (int64_t[]){ [KEY_KIND] = link->kind, [KEY_NAME] = name_of(x->j, link) });
		s->dur = ns_add(s->dur, link->b - link->a);
		s->edges++;
	}
	for (size_t i = 0; i < by.g.n; i++) {
		const sum *s = sums_at(sum, &by, i);
		row(x, w, w->from.rank, w->from.proc, window_hull(&w->side));
		if (w->from.gpu >= 0)
			table_int(x->out, COL_GPU, w->from.gpu);
		table_int(x->out, DUR_NS, s->dur);
		table_pct(x->out, PCT, s->dur, ival_length(&w->side));
		table_int(x->out, EDGES, s->edges);
		table_word(x->out, KIND, path_kind_name((enum path_kind)sums_key(&by, i)[KEY_KIND]));
		table_text(x->out, NAME, str_at(&x->j->names, (uint32_t)sums_key(&by, i)[KEY_NAME]));
	}
	sums_free(&by);
}

static void count_early(answering *x, const piece *w, const path_chain *chain)
{
	x->ns = ns_add(x->ns, ival_length(&w->side));
	for (size_t i = 0; i < chain->n; i++)
		if (chain->v[i].kind == PATH_UNRESOLVED && chain->v[i].work == NONE)
			x->too_early = ns_add(x->too_early, chain->v[i].b - chain->v[i].a);
}

/* Each part of a merged window is walked alone. */
static void walk(answering *x)
{
	path_chain chain = { 0 };

	for (size_t i = 0; i < x->j->pieces.n; i++) {
		piece *w = &x->j->pieces.v[i];
		chain.n = 0;
		for (size_t k = 0; k < w->side.n; k++) {
			w->from.time = w->side.v[k];
			path_walk(x->j->ranks, &w->from, &chain);
		}
		count_early(x, w, &chain);
		for (size_t k = 0; x->p->mode == PATH_EACH && k < chain.n; k++)
			each_row(x, w, &chain.v[k]);
		if (x->p->mode == PATH_SUMS)
			sum_rows(x, w, &chain);
		table_group(x->out);
	}
	vec_free(&chain);
}

static bool rows(asking *a, const void *params)
{
	const path_params *p = params;
	answering x = { .p = p, .out = a->out };
	bool ok;

	if (p->job)
		return add(p->job, a->t, a->all, a->say);
	x.j = begin(false);
	ok = add(x.j, a->t, a->all, a->say);
	if (ok)
		walk(&x);
	path_end(x.j);
	return ok;
}

static bool keeps(const void *params)
{
	return ((const path_params *)params)->ranks;
}

static bool finish(const void *params, table *out, notes *say)
{
	const path_params *p = params;
	answering x = { .p = p, .j = p->job, .out = out };

	if (!p->job)
		return true;
	job_match(p->job->comm, JOB_CLOCK_BEST, say);
	walk(&x);
	if (x.too_early)
		notes_remark(say, "%.3f of %.3f ms of all paths are unresolved: there the path enters another rank "
			     "before that rank's trace begins; start all captures at the same moment, or ask about "
			     "later windows", (double)x.too_early / 1e6, (double)x.ns / 1e6);
	path_end(p->job);
	return true;
}

const answer path_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows, .keeps = keeps,
	.finish = finish,
	.rows_at_end = true };
