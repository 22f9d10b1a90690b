#include "answer/nccl_parts.h"
#include "base/sums.h"
#include "timeline/comm_work.h"
#include "launch/exposure.h"
#include "job/late_steps.h"

#include <math.h>
#include <string.h>

static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void nccl_list_columns(const void *params, table *out)
{
	const nccl_params *p = params;
	unsigned by = p->keys;

	if (p->mode == NCCL_EACH) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, COL_LAUNCH, DUR_NS, WAIT_NS, TRANSFER_NS,
			      EXPOSED_NS, BUS_GBPS, COMM, SEQ, RANKS, OP, BYTES, LAST, NAME);
		table_sort(out, COL_START, false);
	} else if (p->mode == NCCL_STRAGGLERS) {
		table_columns(out, all_columns, OPS, WAIT_NS, TRANSFER_NS, COMM_NS, EXPLAINED_NS, STEPS_PCT, CAUSE,
			      WHERE);
		table_sort(out, EXPLAINED_NS, true);
		table_sort(out, WAIT_NS, false);
	} else if (p->mode == NCCL_LAST) {
		table_columns(out, all_columns, OPS, LAST_OPS, CAUSED_NS, WAIT_NS, TRANSFER_NS, COMM_NS);
		table_sort(out, CAUSED_NS, true);
	} else {
		table_columns(out, all_columns, by & NCCL_BY_COMM ? COMM : 0, by & NCCL_BY_COMM ? RANKS : 0,
			      by & NCCL_BY_OP ? OP : 0, by & NCCL_BY_BYTES ? BYTES : 0, COUNT, TOTAL_NS, WAIT_NS,
			      TRANSFER_NS, EXPOSED_NS, P50_NS, MAX_NS, BUS_GBPS, by & NCCL_BY_STAGE ? STAGE : 0);
		table_sort(out, TOTAL_NS, true);
	}
}

static bool nccl_is_by_stage(const nccl_params *p)
{
	return p->keys & NCCL_BY_STAGE && p->mode == NCCL_SUMS;
}

static question nccl_make_question(const void *params)
{
	const nccl_params *p = params;

	return (question){
		.need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_PAYLOADS |
			(nccl_is_by_stage(p) ? TRACE_CAPTURES : 0) | (p->mode == NCCL_STRAGGLERS ? OWNERS_NEED : 0),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.match = p->choice.match, .choice = p->choice,
		.comm = p->comm,
		.warn_lost = true,
		.warn_shared = true,
		.mention_silence = true,
		.replayed = nccl_is_by_stage(p) ? REPLAYED_COMM : 0,
		.captured = p->captured,
		.empty = "no communication kernel runs (--comm names others)",
	};
}

/* ---- gather the windows and kernels of each trace */

nccl_job *nccl_begin(job *of)
{
	nccl_job *j = mem_new(nccl_job, 1);

	j->job = job_share(of);
	j->late = late_new();
	return j;
}

void nccl_end(nccl_job *j)
{
	for (size_t i = 0; i < j->windows.n; i++)
		ival_free(&j->windows.v[i].side);
	mem_free(j->windows.v, j->picks.v);
	str_free(&j->stages);
	arena_free(&j->texts);
	late_free(j->late);
	job_free(j->job);
	free(j);
}

typedef struct {
	nccl_job *all;
	answer_ctx *a;
	bool needs_exposed;     /* does the answer show exposed times?  If not, they are 0 */
	size_t trace;           /* the index of the trace in job.traces */
	exposure *exposure;     /* NULL: the answer has no stages */
} nccl_add_ctx;

static uint32_t nccl_stage_of(const nccl_add_ctx *x, size_t work)
{
	const char *stage = x->exposure ? str_at(&x->a->t->names, exposure_stage(x->exposure, work)) : NULL;

	return stage ? str_id(&x->all->stages, stage, strlen(stage)) : STR_NONE;
}

/* An array with an element for each piece of comm_work of trace `t`: its index in job.kernels, or NONE. at: the index
 * of `t` in job.traces.  The caller frees the array. */
static uint32_t *nccl_kernels_of(const job *j, size_t at, trace *t)
{
	const nccl_ops *ops = nccl_ops_of(t);
	uint32_t *kernel = mem_none(uint32_t, comm_work_of(t)->n);

	for (size_t i = 0; i < ops->kernels.n; i++)
		kernel[ops->kernels.v[i].comm] = (uint32_t)(j->traces.v[at].first + i);
	return kernel;
}

/* kernel: what nccl_kernels_of returned for the trace. */
static void nccl_add_window(const nccl_add_ctx *x, const window *w, const uint32_t *kernel)
{
	nccl_job *all = x->all;
	trace *t = x->a->t;
	exposure_parts parts = { 0 };
	nccl_window p = { .trace = (uint32_t)x->trace,
		.proc = (uint32_t)all->job->traces.v[x->trace].first_proc + w->proc,
		.side = ival_and(&w->gpu, &w->gpu), .name = arena_copy(&all->texts, w->name),
		.each_name = arena_copy(&all->texts, w->each_name), .first = all->picks.n };

	(x->needs_exposed ? exposure_measure : exposure_list_work)(t, w, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		size_t comm = parts.v[i].comm;
		if (kernel[comm] != NONE)
			vec_push(&all->picks, (nccl_pick){ kernel[comm], nccl_stage_of(x, comm_work_of(t)->work[comm]),
				 parts.v[i].dur - parts.v[i].hidden });
	}
	p.n = all->picks.n - p.first;
	vec_push(&all->windows, p);
	vec_free(&parts);
}

static void nccl_compute_ahead(trace *t, const void *params)
{
	const nccl_params *p = params;

	nccl_ops_of(t);
	if (p->mode == NCCL_STRAGGLERS)
		late_steps_of(t, &p->choice, false);
}

static bool nccl_add_trace(answer_ctx *a, const void *params)
{
	const nccl_params *p = params;
	trace *t = a->t;
	nccl_add_ctx x = { .all = p->job, .a = a, .needs_exposed = !(p->mode & (NCCL_STRAGGLERS | NCCL_LAST)),
		.trace = job_add(p->job->job, t, a->say) };
	uint32_t *kernel;

	if (x.trace == SIZE_MAX)
		return false;
	if (nccl_is_by_stage(p))
		x.exposure = exposure_build(t, p->rules, around_flags(p->adopt, p->captured));
	kernel = nccl_kernels_of(p->job->job, x.trace, t);
	for (size_t i = 0; i < a->all->n; i++)
		nccl_add_window(&x, &a->all->v[i], kernel);
	free(kernel);
	if (x.exposure)
		exposure_free(x.exposure);
	if (p->mode == NCCL_STRAGGLERS)
		late_add(p->job->late, t, late_steps_of(t, &p->choice, false),
			 p->job->job->traces.v[x.trace].first_proc);
	return true;
}

/* ---- make rows */

nccl_part nccl_part_of(const nccl_ctx *x, const nccl_window *w, const nccl_pick *from)
{
	const job_kernel *k = &x->j->kernels.v[from->kernel];
	nccl_part p = { .k = k, .op = &x->j->ops.v[k->op], .stage = from->stage,
		.dur = ival_within(&w->side, k->start, k->end), .exposed = from->exposed, .matched = k->last != NONE };

	p.wait = p.matched ? ival_within(&w->side, k->start, k->start + job_wait(k)) : 0;
	p.transfer = p.dur - p.wait;
	return p;
}

/* How many bytes go over the bus for each byte of the message; NAN: not known. */
static double nccl_find_bus_factor(const nccl_ctx *x, const job_op *op)
{
	static const char *const parts[] = { "allgather", "reducescatter", "alltoall", "gather", "scatter" };
	const char *name = str_at(&x->j->names, op->name);
	double n = op->comm == NONE ? 0 : (double)job_ranks(x->j, op->comm);

	if (!name || op->comm == NONE)
		return NAN;
	if (strcmp(name, "allreduce") == 0)
		return 2 * (n - 1) / n;
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strcmp(name, parts[i]) == 0)        /* the bytes of these operations are one rank's part */
			return n - 1;
	return 1;
}

/* The bytes that a kernel's operation moves over the bus.  NAN: the kernel is not the first of the operation, the
 * operation is not matched, or its bytes are not known. */
static double nccl_count_moved_bytes(const nccl_ctx *x, const nccl_part *p)
{
	bool known = p->matched && p->op->bytes != TRACE_UNKNOWN && p->k->leads;

	return known ? (double)p->op->bytes * nccl_find_bus_factor(x, p->op) : NAN;
}

void nccl_begin_row(const nccl_ctx *x, const nccl_window *w, ival at, const char *name)
{
	const job_proc *p = &x->j->procs.v[w->proc];

	table_row_of(x->out, p->pid, p->sub, p->rank, at.a, at.b);
	table_text(x->out, COL_WINDOW, name);
	table_text(x->out, COL_TRACE, x->j->traces.v[w->trace].path);
}

static void nccl_set_comm(const nccl_ctx *x, const job_op *op)
{
	char id[17];

	if (op->mixed)
		table_word(x->out, COMM, "mixed");
	if (op->comm == NONE)
		return;
	snprintf(id, sizeof id, "%016llx", (unsigned long long)x->j->comms.v[op->comm].id);
	table_text(x->out, COMM, id);
	table_int(x->out, RANKS, job_ranks(x->j, op->comm));
}

static void nccl_add_part_row(const nccl_ctx *x, const nccl_window *w, const nccl_part *p)
{
	table *out = x->out;
	const job_kernel *k = p->k;
	const trace_stream *stream = &x->j->streams.v[k->stream];

	nccl_begin_row(x, w, window_clip(&w->side, k->start, k->end), w->each_name);
	table_ints(out, { COL_GPU, stream->gpu }, { COL_CTX, stream->ctx }, { COL_STREAM, stream->stream },
		   { COL_LAUNCH, k->launch }, { DUR_NS, p->dur });
	if (p->matched) {
		table_int(out, WAIT_NS, p->wait);
		table_int(out, TRANSFER_NS, p->transfer);
		table_text(out, LAST, x->j->procs.v[k->last].shown);
		table_num(out, BUS_GBPS,
			  p->op->transfer ? nccl_count_moved_bytes(x, p) / (double)p->op->transfer : NAN);
	}
	table_int(out, EXPOSED_NS, p->exposed);
	nccl_set_comm(x, p->op);
	table_int(out, SEQ, p->op->seq);
	table_text(out, OP, str_at(&x->j->names, p->op->name));
	if (p->op->bytes != TRACE_UNKNOWN)
		table_int(out, BYTES, k->leads ? p->op->bytes : 0);
	table_text(out, NAME, str_at(&x->j->names, k->name));
}

static void nccl_add_part_rows(const nccl_ctx *x)
{
	for (size_t i = 0; i < x->all->windows.n; i++) {
		const nccl_window *w = &x->all->windows.v[i];
		for (size_t k = 0; k < w->n; k++) {
			nccl_part p = nccl_part_of(x, w, &x->all->picks.v[w->first + k]);
			nccl_add_part_row(x, w, &p);
		}
		table_group(x->out);
	}
}

typedef struct {
	int64_t total, wait, transfer, exposed; /* the columns total_ns, wait_ns, transfer_ns and exposed_ns */
	int64_t moved_ns;       /* the transfer times of the operations whose bytes `moved` counts, ns */
	double moved;           /* the bytes that matched operations move over the bus */
	const job_op *op;       /* one of the operations */
	uint32_t stage;
} sum;

enum { KEY_GPU, KEY_COMM, KEY_OP, KEY_BYTES, KEY_STAGE, KEYS };

/* The key of an operation's communicator: its index in job.comms; -1: not known; -2: there are several. */
static int64_t nccl_key_of_comm(const job_op *op)
{
	return op->mixed ? -2 : op->comm == NONE ? -1 : (int64_t)op->comm;
}

static void nccl_add_sum_row(const nccl_ctx *x, const nccl_window *w, int64_t gpu, const sum *s,
			     const stats_summary *times)
{
	table *out = x->out;

	nccl_begin_row(x, w, window_hull(&w->side), w->name);
	table_int(out, COL_GPU, gpu);
	nccl_set_comm(x, s->op);
	table_text(out, OP, str_at(&x->j->names, s->op->name));
	table_int(out, BYTES, s->op->bytes);
	table_text(out, STAGE, str_at(&x->all->stages, s->stage));
	table_stats(out, (table_stats_ids){ .count = COUNT, .p50 = P50_NS, .max = MAX_NS }, times);
	table_ints(out, { TOTAL_NS, s->total }, { WAIT_NS, s->wait }, { TRANSFER_NS, s->transfer },
		   { EXPOSED_NS, s->exposed });
	table_num(out, BUS_GBPS, s->moved_ns ? s->moved / (double)s->moved_ns : NAN);
}

static void nccl_add_part(const nccl_ctx *x, sum *s, const nccl_part *p)
{
	double bytes = nccl_count_moved_bytes(x, p);

	s->total = ns_add(s->total, p->dur);
	s->wait = ns_add(s->wait, p->wait);
	s->transfer = ns_add(s->transfer, p->transfer);
	s->exposed = ns_add(s->exposed, p->exposed);
	if (!isnan(bytes)) {
		s->moved += bytes;
		s->moved_ns = ns_add(s->moved_ns, p->op->transfer);
	}
}

/* Add a row for each key that the kernels of a window have.  In a row, the kernels of one operation count as one. */
static void nccl_sum_window(const nccl_ctx *x, const nccl_window *w)
{
	unsigned by = x->p->keys;
	stats_summary *times;
	sums rows = sums_by(KEYS, sizeof(sum)), ops = sums_by(2, sizeof(int64_t));

	for (size_t i = 0; i < w->n; i++) {
		nccl_part p = nccl_part_of(x, w, &x->all->picks.v[w->first + i]);
		sum *s = sums_of(&rows, (int64_t[]){
			[KEY_GPU] = x->j->streams.v[p.k->stream].gpu,
			[KEY_COMM] = by & NCCL_BY_COMM ? nccl_key_of_comm(p.op) : 0,
			[KEY_OP] = by & NCCL_BY_OP ? p.op->name : 0,
			[KEY_BYTES] = by & NCCL_BY_BYTES ? p.op->bytes : 0,
			[KEY_STAGE] = by & NCCL_BY_STAGE ? p.stage : 0 });
		int64_t *ns = sums_of(&ops, (int64_t[]){ (int64_t)sums_index_of(&rows, s), p.k->op });
		s->op = s->op ? s->op : p.op;
		s->stage = p.stage;
		*ns = ns_add(*ns, p.dur);
		nccl_add_part(x, s, &p);
	}
	for (size_t i = 0; i < ops.g.n; i++)
		stats_add(&rows.times, (size_t)sums_key(&ops, i)[0], *sums_at(int64_t, &ops, i));
	times = sums_times(&rows);
	for (size_t i = 0; i < rows.g.n; i++)
		nccl_add_sum_row(x, w, sums_key(&rows, i)[KEY_GPU], sums_at(sum, &rows, i), &times[i]);
	table_group(x->out);
	free(times);
	sums_free(&rows);
	sums_free(&ops);
}

static void nccl_sum_windows(const nccl_ctx *x)
{
	for (size_t i = 0; i < x->all->windows.n; i++)
		nccl_sum_window(x, &x->all->windows.v[i]);
}

/* How long a kernel waits for a process before the trace of that process begins, ns; 0 if the kernel is not matched. */
static int64_t nccl_measure_unrecorded_wait(const job *j, const job_kernel *k)
{
	const job_trace *own, *last;
	int64_t begins;

	if (k->last == NONE)
		return 0;
	own = &j->traces.v[j->procs.v[j->ops.v[k->op].proc].trace];
	last = &j->traces.v[j->procs.v[k->last].trace];
	begins = ns_sub(last->shift, own->shift);
	return own == last || begins <= k->start ? 0 : ns_min(begins, k->start + job_wait(k)) - k->start;
}

/* Write notes about kernels that are not matched, about kernels that are matched without some ranks, and about waits
 * before the trace of the last rank begins. */
static void nccl_say_unmatched(const nccl_ctx *x, notes *say)
{
	size_t loose = 0, partial = 0, all = x->all->picks.n;
	int64_t wait = 0, early = 0;

	for (size_t i = 0; i < all; i++) {
		const job_kernel *k = &x->j->kernels.v[x->all->picks.v[i].kernel];
		uint32_t party = x->j->ops.v[k->op].party;
		loose += k->last == NONE;
		wait = ns_add(wait, job_wait(k));
		early = ns_add(early, nccl_measure_unrecorded_wait(x->j, k));
		partial += party != NONE && x->j->parties.v[party].missing;
	}
	if (loose)
		notes_warn(say, "%zu of %zu communication kernels match none of another process; their waits count "
			   "as 0", loose, all);
	if (partial)
		notes_warn(say, "%zu kernels are matched without ranks that no trace holds; waiting for these counts "
			   "as transfer", partial);
	if (early > wait / 2)
		notes_remark(say, "%.3f of %.3f ms of waiting are before the trace of the rank that comes last begins",
			     (double)early / 1e6, (double)wait / 1e6);
}

static bool nccl_finish_rows(const void *params, table *out, notes *say)
{
	const nccl_params *p = params;
	nccl_ctx x = { .p = p, .all = p->job, .j = p->job->job, .out = out };

	if (!out->cols.n)
		nccl_list_columns(p, out);
	job_match(p->job->job, p->clock, say);
	if (p->mode == NCCL_EACH)
		nccl_add_part_rows(&x);
	else if (p->mode & (NCCL_STRAGGLERS | NCCL_LAST))
		nccl_add_straggler_rows(&x, say);
	else
		nccl_sum_windows(&x);
	nccl_say_unmatched(&x, say);
	return true;
}

const answer nccl_answer = { .all = all_columns, .columns = nccl_list_columns, .question = nccl_make_question,
	.ahead = nccl_compute_ahead, .rows = nccl_add_trace, .finish = nccl_finish_rows, .rows_at_end = true };
