#include "answer/nccl.h"
#include "base/group.h"
#include "base/sort.h"
#include "relate/exposure.h"

#include <math.h>
#include <string.h>

#define COLUMNS(X) \
	X(OPS, "ops", 'i', NULL, "operations that the process takes part in") \
	X(LAST_OPS, "last_ops", 'i', NULL, "those in which nobody arrives later") \
	X(CAUSED_NS, "caused_ns", 'i', "ns", "how long others wait for this process, as the last: sum over their kernels") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time of the kernel in the window") \
	X(COMM, "comm", 't', NULL, "id of the communicator; mixed if a group has several; - if the trace does not say") \
	X(SEQ, "seq", 'i', NULL, "number of the collective on its communicator; the same in all processes") \
	X(RANKS, "ranks", 'i', NULL, "processes on the communicator: its size if its creation was captured, else those seen") \
	X(OP, "op", 't', NULL, "operation: allreduce, sendrecv ...") \
	X(BYTES, "bytes", 'i', "bytes", "size of its message; of all-gather, reduce-scatter and all-to-all " \
	  "one rank's part; of sends and receives, the larger direction") \
	X(STAGE, "stage", 't', NULL, "as in nsq-overlap: label from the rules, else the folded name of the range") \
	X(COUNT, "count", 'i', NULL, "operations in the window") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "sum of the times of its kernels") \
	X(WAIT_NS, "wait_ns", 'i', "ns", "part of it before the last process arrives") \
	X(TRANSFER_NS, "transfer_ns", 'i', "ns", "the rest; in sums, all of what could not be matched") \
	X(COMM_NS, "comm_ns", 'i', "ns", "wait_ns and transfer_ns: the time of its communication kernels") \
	X(EXPOSED_NS, "exposed_ns", 'i', "ns", "part of it that no compute of the process and GPU overlaps") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time of an operation") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest time of an operation") \
	X(BUS_GBPS, "bus_gbps", 'd', "GB/s", "bandwidth of the bus while it transfers, as NCCL's own tests compute it") \
	X(LAST, "last", 't', NULL, "rank (or pid) that arrives last before the kernel ends") \
	X(NAME, "name", 't', NULL, "kernel")

enum { TABLE_IDS(COLUMNS) };
const table_col nccl_all[] = { TABLE_COLS(COLUMNS) };

void nccl_columns(const nccl_params *p, table *out)
{
	unsigned by = p->keys;

	if (p->mode == NCCL_EACH) {
		table_columns(out, nccl_all, COL_CTX, COL_STREAM, COL_LAUNCH, DUR_NS, WAIT_NS, TRANSFER_NS, EXPOSED_NS, BUS_GBPS,
			      COMM, SEQ, RANKS, OP, BYTES, LAST, NAME);
		table_sort(out, COL_START, false);
	} else if (p->mode == NCCL_STRAGGLERS) {
		table_columns(out, nccl_all, OPS, LAST_OPS, CAUSED_NS, WAIT_NS, TRANSFER_NS, COMM_NS);
		table_sort(out, CAUSED_NS, true);
	} else {
		table_columns(out, nccl_all, by & NCCL_BY_COMM ? COMM : 0, by & NCCL_BY_COMM ? RANKS : 0, by & NCCL_BY_OP ? OP : 0,
			      by & NCCL_BY_BYTES ? BYTES : 0, COUNT, TOTAL_NS, WAIT_NS, TRANSFER_NS, EXPOSED_NS, P50_NS, MAX_NS,
			      BUS_GBPS, by & NCCL_BY_STAGE ? STAGE : 0);
		table_sort(out, TOTAL_NS, true);
	}
}

question nccl_question(const nccl_params *p)
{
	return (question){
		.need = TRACE_WORK | TRACE_COMM_LAUNCH | TRACE_RANGES,
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm,
		.warn_lost = true,
		.warn_shared = true,
		.empty = "no communication kernel runs in the windows (--comm REGEX names those that are not NCCL's)",
	};
}

/* ---- gathering */

typedef struct {                /* a kernel in a window */
	uint32_t kernel;
	int64_t exposed;
} pick;

typedef struct {
	uint32_t trace, proc;   /* of the job */
	ival_set side;
	const char *name, *each_name;
	size_t first, n;        /* its kernels: in picks */
	uint32_t step;          /* the windows of different processes that belong together */
} piece;

struct nccl_job {
	job *job;
	vec(piece) pieces;
	vec(pick) picks;
	arena texts;
};

nccl_job *nccl_begin(void)
{
	nccl_job *j = mem_new(nccl_job, 1);

	j->job = job_new();
	return j;
}

void nccl_end(nccl_job *j)
{
	for (size_t i = 0; i < j->pieces.n; i++)
		ival_free(&j->pieces.v[i].side);
	vec_free(&j->pieces);
	vec_free(&j->picks);
	arena_free(&j->texts);
	job_free(j->job);
	free(j);
}

static void add_window(nccl_job *j, const trace *t, const window *w, const exposure *x, const uint32_t *kernel)
{
	size_t at = j->job->traces.n - 1, first_proc = j->job->procs.n - t->nprocs;
	piece p = { .trace = (uint32_t)at, .proc = (uint32_t)first_proc + w->proc, .side = ival_and(&w->gpu, &w->gpu),
		.name = arena_copy(&j->texts, w->name), .each_name = arena_copy(&j->texts, w->each_name), .first = j->picks.n };
	window_walk k = { 0 };

	while (window_next(t, w, &k))
		if (kernel[k.work] != NONE)
			vec_push(&j->picks, (pick){ kernel[k.work], ival_within(&w->gpu, t->work.start[k.work], t->work.end[k.work]) -
				 exposure_hidden(x, k.lane, &w->gpu, k.work) });
	p.n = j->picks.n - p.first;
	vec_push(&j->pieces, p);
}

bool nccl_add(trace *t, const windows *all, const nccl_params *p, notes *say)
{
	nccl_job *j = p->job;
	uint32_t *kernel = NULL;
	bool stages = p->keys & NCCL_BY_STAGE && p->mode == NCCL_SUMS;
	exposure *x;

	if (job_add(j->job, t, &kernel, say) == SIZE_MAX)
		return false;
	x = exposure_build(t, stages ? p->rules : NULL, p->adopt);
	for (size_t i = 0; stages && i < t->work.n; i++)
		if (kernel[i] != NONE) {
			const char *stage = str_at(&t->names, exposure_stage(x, i));
			j->job->kernels.v[kernel[i]].stage = stage ? str_id(&j->job->names, stage, strlen(stage)) : STR_NONE;
		}
	for (size_t i = 0; i < all->n; i++)
		add_window(j, t, &all->v[i], x, kernel);
	exposure_free(x);
	free(kernel);
	return true;
}

/* ---- answering */

typedef struct {
	const nccl_params *p;
	nccl_job *all;
	const job *j;
	table *out;
} answering;

typedef struct {                /* a kernel in a window */
	const job_kernel *k;
	const job_op *op;
	int64_t dur, wait, transfer, exposed;
	bool matched;
} part;

static part part_of(const answering *x, const piece *w, const pick *from)
{
	const job_kernel *k = &x->j->kernels.v[from->kernel];
	part p = { .k = k, .op = &x->j->ops.v[k->op], .dur = ival_within(&w->side, k->start, k->end), .exposed = from->exposed,
		.matched = k->last != NONE };

	p.wait = p.matched ? ival_within(&w->side, k->start, k->start + job_wait(k)) : 0;
	p.transfer = p.dur - p.wait;
	return p;
}

/* Bytes on the bus for each byte of the message. */
static double factor(const answering *x, const job_op *op)
{
	const char *name = str_at(&x->j->names, op->name);
	double n = op->comm == NONE ? 0 : (double)job_ranks(x->j, op->comm);

	if (!name || op->comm == NONE)
		return NAN;
	if (strcmp(name, "allreduce") == 0)
		return 2 * (n - 1) / n;
	return strcmp(name, "allgather") == 0 || strcmp(name, "reducescatter") == 0 || strcmp(name, "alltoall") == 0 ? n - 1 : 1;
}

/* Bytes that an operation moves over the bus, said of its first kernel: NaN of the others, or if it is not known. */
static double moved(const answering *x, const part *p)
{
	return p->matched && p->op->bytes != TRACE_UNKNOWN && p->k->leads ? (double)p->op->bytes * factor(x, p->op) : NAN;
}

static void begin_row(const answering *x, const piece *w, ival at, const char *name)
{
	const job_proc *p = &x->j->procs.v[w->proc];

	table_row(x->out);
	table_pid(x->out, p->pid, p->sub);
	if (p->rank >= 0)
		table_int(x->out, COL_RANK, p->rank);
	table_int(x->out, COL_START, at.a);
	table_int(x->out, COL_END, at.b);
	table_text(x->out, COL_WINDOW, name);
	table_text(x->out, COL_TRACE, x->j->traces.v[w->trace].path);
}

static void set_known(table *out, int id, int64_t value)
{
	if (value != TRACE_UNKNOWN)
		table_int(out, id, value);
}

static void set_comm(const answering *x, const job_op *op)
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

static void each_row(const answering *x, const piece *w, const part *p)
{
	table *out = x->out;
	const job_kernel *k = p->k;

	begin_row(x, w, window_clip(&w->side, k->start, k->end), w->each_name);
	table_int(out, COL_GPU, k->gpu);
	set_known(out, COL_CTX, k->ctx);
	set_known(out, COL_STREAM, k->stream);
	set_known(out, COL_LAUNCH, k->launch);
	table_int(out, DUR_NS, p->dur);
	if (p->matched) {
		table_int(out, WAIT_NS, p->wait);
		table_int(out, TRANSFER_NS, p->transfer);
		table_text(out, LAST, x->j->procs.v[k->last].shown);
		table_num(out, BUS_GBPS, p->op->transfer ? moved(x, p) / (double)p->op->transfer : NAN);
	}
	table_int(out, EXPOSED_NS, p->exposed);
	set_comm(x, p->op);
	set_known(out, SEQ, p->op->seq);
	table_text(out, OP, str_at(&x->j->names, p->op->name));
	if (p->op->bytes != TRACE_UNKNOWN)
		table_int(out, BYTES, k->leads ? p->op->bytes : 0);
	table_text(out, NAME, str_at(&x->j->names, k->name));
}

static void each(const answering *x)
{
	for (size_t i = 0; i < x->all->pieces.n; i++) {
		const piece *w = &x->all->pieces.v[i];
		for (size_t k = 0; k < w->n; k++) {
			part p = part_of(x, w, &x->all->picks.v[w->first + k]);
			each_row(x, w, &p);
		}
		table_group(x->out);
	}
}

typedef struct {
	int64_t total, wait, transfer, exposed, whole;
	double moved;           /* by matched operations, whose transfer takes whole */
	const job_op *op;       /* one of them */
	uint32_t stage;
} sum;

enum { KEY_GPU, KEY_COMM, KEY_OP, KEY_BYTES, KEY_STAGE, KEYS };

/* A group of several communicators, and one of which none is known, are not on any. */
static int64_t comm_key(const job_op *op)
{
	return op->mixed ? -2 : op->comm == NONE ? -1 : (int64_t)op->comm;
}

static void sum_row(const answering *x, const piece *w, int64_t gpu, const sum *s, const stats_sum *times)
{
	table *out = x->out;

	begin_row(x, w, window_hull(&w->side), w->name);
	table_int(out, COL_GPU, gpu);
	set_comm(x, s->op);
	table_text(out, OP, str_at(&x->j->names, s->op->name));
	set_known(out, BYTES, s->op->bytes);
	table_text(out, STAGE, str_at(&x->j->names, s->stage));
	table_int(out, COUNT, times->count);
	table_int(out, TOTAL_NS, s->total);
	table_int(out, WAIT_NS, s->wait);
	table_int(out, TRANSFER_NS, s->transfer);
	table_int(out, EXPOSED_NS, s->exposed);
	table_int(out, P50_NS, times->p50);
	table_int(out, MAX_NS, times->max);
	table_num(out, BUS_GBPS, s->whole ? s->moved / (double)s->whole : NAN);
}

static void add(const answering *x, sum *s, const part *p)
{
	double bytes = moved(x, p);

	s->total = ns_add(s->total, p->dur);
	s->wait = ns_add(s->wait, p->wait);
	s->transfer = ns_add(s->transfer, p->transfer);
	s->exposed = ns_add(s->exposed, p->exposed);
	if (!isnan(bytes)) {
		s->moved += bytes;
		s->whole = ns_add(s->whole, p->op->transfer);
	}
}

/* The rows of one window.  The kernels of an operation on one GPU count as one. */
static void sum_window(const answering *x, const piece *w)
{
	unsigned by = x->p->keys;
	group rows = { .width = KEYS }, ops = { .width = 2 };
	vec(sum) sums = { 0 };
	vec(int64_t) times = { 0 };
	vec(size_t) row = { 0 };
	stats st = { 0 };

	for (size_t i = 0; i < w->n; i++) {
		part p = part_of(x, w, &x->all->picks.v[w->first + i]);
		size_t r = group_of(&rows, (int64_t[]){
			[KEY_GPU] = p.k->gpu,
			[KEY_COMM] = by & NCCL_BY_COMM ? comm_key(p.op) : 0,
			[KEY_OP] = by & NCCL_BY_OP ? p.op->name : 0,
			[KEY_BYTES] = by & NCCL_BY_BYTES ? p.op->bytes : 0,
			[KEY_STAGE] = by & NCCL_BY_STAGE ? p.k->stage : 0 });
		size_t o = group_of(&ops, (int64_t[]){ (int64_t)r, p.k->op });
		if (r == sums.n)
			vec_push(&sums, (sum){ .op = p.op, .stage = p.k->stage });
		if (o == times.n) {
			vec_push(&times, 0);
			vec_push(&row, r);
		}
		times.v[o] = ns_add(times.v[o], p.dur);
		add(x, &sums.v[r], &p);
	}
	for (size_t i = 0; i < times.n; i++)
		stats_add(&st, row.v[i], times.v[i]);
	stats_sum *by_row = stats_finish(&st, sums.n, 1);
	for (size_t i = 0; i < sums.n; i++)
		sum_row(x, w, rows.key[i * KEYS + KEY_GPU], &sums.v[i], &by_row[i]);
	table_group(x->out);
	free(by_row);
	group_free(&rows);
	group_free(&ops);
	vec_free(&sums);
	vec_free(&times);
	vec_free(&row);
}

/* ---- stragglers */

/* Which windows of different processes belong together: the first of each, the second and so on if all have
 * equally many, else those of one name. */
static void find_steps(nccl_job *all)
{
	size_t *count = mem_new(size_t, all->job->procs.n), most = 0;
	group steps = { .width = 2 }, occurrences = { .width = 2 };
	vec(int64_t) met = { 0 };
	str_pool names = { 0 };
	bool equal = true;

	for (size_t i = 0; i < all->pieces.n; i++)
		most = ++count[all->pieces.v[i].proc] > most ? count[all->pieces.v[i].proc] : most;
	for (size_t i = 0; i < all->job->procs.n; i++)
		equal &= !count[i] || count[i] == most;
	for (size_t i = 0; i < all->pieces.n; i++) {
		piece *w = &all->pieces.v[i];
		const char *name = equal || !w->each_name ? "" : w->each_name;
		int64_t id = str_id(&names, name, strlen(name));
		size_t o = group_of(&occurrences, (int64_t[]){ w->proc, id });
		if (o == met.n)
			vec_push(&met, 0);
		w->step = (uint32_t)group_of(&steps, (int64_t[]){ id, met.v[o]++ });
	}
	free(count);
	vec_free(&met);
	group_free(&steps);
	group_free(&occurrences);
	str_free(&names);
}

/* Does nobody arrive later? */
static bool is_last(const job *j, uint32_t op)
{
	const job_op *o = &j->ops.v[op];
	const job_party *p = o->party == NONE ? NULL : &j->parties.v[o->party];
	uint32_t latest;

	if (!p)
		return false;
	latest = j->partners.v[p->first + p->n - 1];
	return job_arrival(j, op) == job_arrival(j, latest);
}

static void straggler_row(const answering *x, const piece *w, int64_t caused)
{
	group ops = { .width = 1 };
	int64_t gpu = -1, last = 0, wait = 0, comm = 0;

	for (size_t i = 0; i < w->n; i++) {
		part p = part_of(x, w, &x->all->picks.v[w->first + i]);
		size_t before = ops.n;
		group_of(&ops, (int64_t[]){ p.k->op });
		last += ops.n > before && is_last(x->j, p.k->op);
		gpu = gpu == -1 || gpu == p.k->gpu ? p.k->gpu : -2;
		wait = ns_add(wait, p.wait);
		comm = ns_add(comm, p.dur);
	}
	begin_row(x, w, window_hull(&w->side), w->name);
	if (gpu >= 0)
		table_int(x->out, COL_GPU, gpu);
	table_int(x->out, OPS, (int64_t)ops.n);
	table_int(x->out, LAST_OPS, last);
	table_int(x->out, CAUSED_NS, caused);
	table_int(x->out, WAIT_NS, wait);
	table_int(x->out, TRANSFER_NS, comm - wait);
	table_int(x->out, COMM_NS, comm);
	group_free(&ops);
}

static int by_step(uint32_t a, uint32_t b, const void *ctx)
{
	const piece *v = ctx;

	return v[a].step != v[b].step ? sort_3way(v[a].step, v[b].step) : sort_3way(a, b);
}

/* The windows that belong together are ordered together; caused: by window. */
static void straggler_rows(const answering *x, const int64_t *caused)
{
	const piece *v = x->all->pieces.v;
	size_t n = x->all->pieces.n;
	uint32_t *order = sort_order(n, by_step, v);

	for (size_t i = 0; i < n; i++) {
		size_t at = order ? order[i] : i, next = i + 1 == n ? at : order ? order[i + 1] : i + 1;
		straggler_row(x, &v[at], caused[at]);
		if (i + 1 == n || v[next].step != v[at].step)
			table_group(x->out);
	}
	free(order);
}

static void stragglers(const answering *x, notes *say)
{
	nccl_job *all = x->all;
	group culprits = { .width = 2 };        /* a step and a process */
	vec(int64_t) caused = { 0 };
	int64_t unseen = 0;

	find_steps(all);
	for (size_t i = 0; i < all->pieces.n; i++) {
		group_of(&culprits, (int64_t[]){ all->pieces.v[i].step, all->pieces.v[i].proc });
		vec_push(&caused, 0);
	}
	for (size_t i = 0; i < all->pieces.n; i++) {
		const piece *w = &all->pieces.v[i];
		for (size_t k = 0; k < w->n; k++) {
			part p = part_of(x, w, &all->picks.v[w->first + k]);
			if (!p.matched || p.k->last == w->proc)
				continue;
			size_t c = group_of(&culprits, (int64_t[]){ w->step, p.k->last });
			if (c < caused.n)
				caused.v[c] = ns_add(caused.v[c], p.wait);
			else
				unseen = ns_add(unseen, p.wait);
		}
	}
	straggler_rows(x, caused.v);
	if (unseen)
		notes_remark(say, "%.3f ms of waiting are for processes that have no row, because no window of theirs was asked about",
			     (double)unseen / 1e6);
	group_free(&culprits);
	vec_free(&caused);
}

/* What could not be matched, and what only partly. */
static void report(const answering *x, notes *say)
{
	size_t loose = 0, partial = 0, all = x->all->picks.n;

	for (size_t i = 0; i < all; i++) {
		const job_kernel *k = &x->j->kernels.v[x->all->picks.v[i].kernel];
		uint32_t party = x->j->ops.v[k->op].party;
		loose += k->last == NONE;
		partial += party != NONE && x->j->parties.v[party].missing;
	}
	if (loose)
		notes_remark(say, "%zu of %zu communication kernels are not matched with those of another process, so their waits are "
			     "not known and count as 0", loose, all);
	if (partial)
		notes_remark(say, "%zu kernels are matched without some of their ranks, which are not in the traces; waiting for these "
			     "counts as transfer", partial);
}

bool nccl_answer(const nccl_params *p, table *out, notes *say)
{
	answering x = { .p = p, .all = p->job, .j = p->job->job, .out = out };

	if (!out->cols.n)
		nccl_columns(p, out);
	job_match(p->job->job, p->clock, say);
	job_warn_shared(x.j, say);
	if (p->mode == NCCL_EACH)
		each(&x);
	else if (p->mode == NCCL_STRAGGLERS)
		stragglers(&x, say);
	for (size_t i = 0; p->mode == NCCL_SUMS && i < p->job->pieces.n; i++)
		sum_window(&x, &p->job->pieces.v[i]);
	report(&x, say);
	return true;
}
