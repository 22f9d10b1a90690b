#include "answer/answers.h"
#include "base/sort.h"
#include "launch/depends.h"
#include "job/path_ranks.h"
#include "launch/ranges_around.h"

#define COLUMNS(X) \
	X(TID, "tid", 'i', NULL, "thread that launched the work, waited in the call, or went on to the next launch") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time on the path") \
	X(PCT, "pct", 'd', "%", "dur_ns as a share of the window") \
	X(EDGES, "edges", 'i', NULL, "links of the chain, which are the rows of --each") \
	X(KIND, "kind", 't', NULL, "for a link of work, what runs: {path.kind compute..graph}; for a link before " \
	  "work, what the work waited for: {path.kind stream..unresolved} (nsq help words path.kind)") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch of the work; for sync and cpu, the one that " \
	  "covers most of the link on the thread") \
	X(NAME, "name", 't', NULL, "kernel, copy or graph; for dispatch and sync, the call")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void path_list_columns(const void *params, table *out)
{
	const path_params *p = params;

	if (p->mode == PATH_EACH) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, TID, DUR_NS, KIND, NVTX, NAME);
		out->given_order = true;        /* in order of time; start_ns has another order if the clocks of the
						 * ranks differ */
		return;
	}
	table_columns(out, all_columns, DUR_NS, PCT, EDGES, KIND, NAME);
	table_sort(out, DUR_NS, true);
}

static question path_make_question(const void *params)
{
	const path_params *p = params;
	bool each = p->mode == PATH_EACH;

	return (question){
		.need = TRACE_WORK | TRACE_SYNCS | (each ? TRACE_CAPTURES : 0) |
			(each || p->ranks ? TRACE_RANGES : 0) | (p->ranks ? TRACE_PAYLOADS : 0),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm,
		.warn_lost = true,
		.warn_clocks = true,
		.warn_shared = true,
		.replayed = each ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "no GPU work",
	};
}

/* ---- gather the windows of each trace */

typedef struct {
	path_from from;         /* where the walk back along the path begins: rank (index in path_job.traces),
				 * process and GPU; path_walk_part sets the time */
	ival_set side;          /* the GPU side of the window; each of its parts has a path of its own */
	const char *name, *each_name;
} path_window;

struct path_job {
	const path_params *p;
	job *comm;              /* the communication of all ranks; NULL: a path does not continue in other ranks */
	path_ranks *ranks;
	vec(trace *) traces;
	vec(path_window) windows;
	arena texts;
};

static path_job *path_begin_job(const path_params *p, bool ranks)
{
	path_job *j = mem_new(path_job, 1);

	j->p = p;
	j->comm = ranks ? job_new() : NULL;
	j->ranks = path_ranks_new(j->comm);
	return j;
}

path_job *path_begin(const path_params *p)
{
	return path_begin_job(p, true);
}

static void path_end(path_job *j)
{
	for (size_t i = 0; i < j->windows.n; i++)
		ival_free(&j->windows.v[i].side);
	path_ranks_free(j->ranks);
	if (j->comm)
		job_free(j->comm);
	mem_free(j->traces.v, j->windows.v);
	arena_free(&j->texts);
	free(j);
}

/* With `ranks`, a path may continue in any rank, so every trace is kept until path_finish_rows. */
static bool path_keeps_trace(const void *params, const trace *t UNNEEDED)
{
	return ((const path_params *)params)->ranks;
}

static void path_add_windows(path_job *j, const windows *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const window *w = &all->v[i];
		path_window p = { { .rank = (uint32_t)j->traces.n - 1, .proc = w->proc, .gpu = w->device },
			ival_and(&w->gpu, &w->gpu), arena_copy(&j->texts, w->name),
			arena_copy(&j->texts, w->each_name) };
		vec_push(&j->windows, p);
	}
}

static bool path_add_trace(path_job *j, trace *t, const windows *all, notes *say)
{
	if (j->comm && job_add(j->comm, t, say) == SIZE_MAX)
		return false;
	vec_push(&j->traces, t);
	path_ranks_add(j->ranks, t);
	path_add_windows(j, all);
	wait_counts_warn(depends_counts(depends_of(t)), say);
	return true;
}

/* ---- rows */

typedef struct {
	const path_params *p;
	path_job *j;
	table *out;
	int64_t ns;             /* the total length of all windows */
	int64_t too_early;      /* the part of `ns` that is unresolved because a path entered a rank before the trace of
				 * that rank begins */
} path_ctx;

static void path_begin_row(const path_ctx *x, const path_window *w, uint32_t rank, uint32_t proc, ival at)
{
	const trace_proc *p = &x->j->traces.v[rank]->procs[proc];

	table_row_of(x->out, p->pid, p->sub, p->rank, at.a, at.b);
	table_text(x->out, COL_WINDOW, x->p->mode == PATH_EACH ? w->each_name : w->name);
	table_text(x->out, COL_TRACE, x->j->traces.v[rank]->path);
}

static const char *path_find_range(const path_ctx *x, const path_link *link)
{
	trace *t = x->j->traces.v[link->rank];
	const around *a = around_of(t, around_flags(x->p->adopt, x->p->captured));
	uint32_t range = NONE, main = around_main_thread(t, link->proc), thread = path_thread(t, link);
	ival time = { link->a, link->b };

	if (link->work != NONE)
		return str_at(&t->names, around_name(a, link->work));
	if (thread != NONE)
		range = around_over_half(a, thread, time);
	if (range == NONE && x->p->adopt && thread != NONE && main != NONE)
		range = around_over_half(a, main, time);
	return range == NONE ? NULL : str_at(&t->names, t->pushpop.name[range]);
}

static void path_add_link_row(const path_ctx *x, const path_window *w, const path_link *link)
{
	trace *t = x->j->traces.v[link->rank];
	table *out = x->out;
	uint32_t thread = path_thread(t, link);

	path_begin_row(x, w, link->rank, link->proc, (ival){ link->a, link->b });
	if (link->work != NONE) {
		const trace_stream *st = &t->streams[t->work.stream[link->work]];
		table_int(out, COL_GPU, st->gpu);
		table_int(out, COL_CTX, st->ctx);
		table_int(out, COL_STREAM, st->stream);
	}
	if (thread != NONE)
		table_int(out, TID, t->threads[thread].tid);
	table_int(out, DUR_NS, link->b - link->a);
	table_word(out, KIND, path_kind_name(link->kind));
	table_text(out, NVTX, path_find_range(x, link));
	table_text(out, NAME, str_at(&t->names, link->name));
}

/* Compare totals, each of the links of one kind and name, by the time of their earliest link.  A walk adds up
 * links from the latest to the earliest, and `seen` is the number, from 1, of the last one of a total.  So the total
 * with the largest `seen` comes first. */
static int path_compare_earliest(uint32_t a, uint32_t b, const void *ctx)
{
	const path_total *v = ctx;

	return sort_3way(v[b].seen, v[a].seen);
}

static void path_add_sum_rows(const path_ctx *x, const path_window *w, const path_walk *walk)
{
	uint32_t *order = sort_order(walk->totals.n, path_compare_earliest, walk->totals.v);

	for (size_t i = 0; i < walk->totals.n; i++) {
		size_t key = order ? order[i] : i;
		const path_total *s = &walk->totals.v[key];
		const char *name;
		enum path_kind kind = path_ranks_describe_key(x->j->ranks, key, &name);
		if (!s->edges)
			continue;
		path_begin_row(x, w, w->from.rank, w->from.proc, window_hull(&w->side));
		if (w->from.gpu >= 0)
			table_int(x->out, COL_GPU, w->from.gpu);
		table_int(x->out, DUR_NS, s->ns);
		table_pct(x->out, PCT, s->ns, ival_length(&w->side));
		table_int(x->out, EDGES, (int64_t)s->edges);
		table_word(x->out, KIND, path_kind_name(kind));
		table_text(x->out, NAME, name);
	}
	free(order);
}

/* Walk the path of one part of a window, and add to the totals of `walk` or, with PATH_EACH, to its links. */
static void path_walk_part(const path_job *j, const path_window *w, size_t part, path_walk *walk)
{
	walk->all = j->ranks;
	walk->from = w->from;
	walk->from.time = w->side.v[part];
	path_walk_go(walk, j->p->mode == PATH_SUMS);
}

static void path_add_sums_of_window(path_ctx *x, const path_window *w)
{
	path_walk walk = { 0 };

	for (size_t k = w->side.n; k-- > 0;)            /* the last part first, because a walk goes back in time */
		path_walk_part(x->j, w, k, &walk);
	path_add_sum_rows(x, w, &walk);
	x->too_early = ns_add(x->too_early, walk.early);
	path_walk_free(&walk);
	table_group(x->out);
}

static void path_add_links_of_window(path_ctx *x, const path_window *w)
{
	path_walk walk = { 0 };

	for (size_t k = 0; k < w->side.n; k++) {
		walk.links.n = 0;
		path_walk_part(x->j, w, k, &walk);
		for (size_t i = walk.links.n; i-- > 0;)
			path_add_link_row(x, w, &walk.links.v[i]);
	}
	x->too_early = ns_add(x->too_early, walk.early);
	path_walk_free(&walk);
	table_group(x->out);
}

static void path_add_window_rows(path_ctx *x)
{
	for (size_t i = 0; i < x->j->windows.n; i++) {
		x->ns = ns_add(x->ns, ival_length(&x->j->windows.v[i].side));
		if (x->p->mode == PATH_EACH)
			path_add_links_of_window(x, &x->j->windows.v[i]);
		else
			path_add_sums_of_window(x, &x->j->windows.v[i]);
	}
}

static void path_compute_ahead(trace *t, const void *params)
{
	const path_params *p = params;

	path_facts_of(t, p->ranks);
}

static bool path_add_rows(answer_ctx *a, const void *params)
{
	const path_params *p = params;
	path_ctx x = { .p = p, .out = a->out };
	bool ok;

	if (p->job)
		return path_add_trace(p->job, a->t, a->all, a->say);
	x.j = path_begin_job(p, false);
	ok = path_add_trace(x.j, a->t, a->all, a->say);
	if (ok)
		path_add_window_rows(&x);
	path_end(x.j);
	return ok;
}

static bool path_finish_rows(const void *params, table *out, notes *say)
{
	const path_params *p = params;
	path_ctx x = { .p = p, .j = p->job, .out = out };

	if (!p->job)
		return true;
	job_match(p->job->comm, JOB_CLOCK_BEST, say);
	path_add_window_rows(&x);
	if (x.too_early)
		notes_warn(say, "%.3f of %.3f ms of all paths are unresolved: they enter a rank before its trace "
			   "begins", (double)x.too_early / 1e6, (double)x.ns / 1e6);
	path_end(p->job);
	return true;
}

const answer path_answer = { .all = all_columns, .columns = path_list_columns, .question = path_make_question,
	.ahead = path_compute_ahead, .rows = path_add_rows, .keeps = path_keeps_trace, .finish = path_finish_rows,
	.rows_at_end = true };
