#include "answer/answers.h"
#include "base/search.h"
#include "base/sums.h"
#include "launch/exposure.h"

#include <math.h>

#define COLUMNS(X) \
	X(KERNELS, "kernels", 'i', NULL, "communication kernels, and copies between GPUs, in the window") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time of the kernel in the window") \
	X(COMPUTE_NS, "compute_ns", 'i', "ns", "time during which compute runs, each moment counted once") \
	X(COMM_NS, "comm_ns", 'i', "ns", "time of communication: sum over its kernels; with --total, each moment " \
	  "counted once") \
	X(COPY_NS, "copy_ns", 'i', "ns", "time during which copies or sets run, each moment counted once") \
	X(HIDDEN_NS, "hidden_ns", 'i', "ns", "communication during which compute of the same process runs on the " \
	  "GPU; with --cost, time of the row's kernels during which communication runs") \
	X(EXPOSED_NS, "exposed_ns", 'i', "ns", "communication during which no compute of the same process runs on " \
	  "the GPU") \
	X(BOTH_NS, "both_ns", 'i', "ns", "time during which compute and communication run") \
	X(COMPUTE_ONLY_NS, "compute_only_ns", 'i', "ns", "time during which compute runs without communication") \
	X(COMM_ONLY_NS, "comm_only_ns", 'i', "ns", "time during which communication runs without compute") \
	X(COPY_ONLY_NS, "copy_only_ns", 'i', "ns", "time during which copies or sets run without compute and " \
	  "communication") \
	X(IDLE_NS, "idle_ns", 'i', "ns", "time during which nothing runs") \
	X(OVERLAP_PCT, "overlap_pct", 'd', "%", "hidden share of the communication") \
	X(MIN_PCT, "min_pct", 'd', "%", "hidden share of the least hidden kernel") \
	X(MAX_PCT, "max_pct", 'd', "%", "hidden share of the most hidden kernel") \
	X(STAGE, "stage", 't', NULL, "label from the rules, else the folded name of the innermost range; " \
	  "serial:LABEL if on a compute stream") \
	X(ALONE, "alone", 'i', NULL, "launches beside which neither communication nor copies run") \
	X(BESIDE_COMM, "beside_comm", 'i', NULL, "launches beside which communication runs for half of their time " \
	  "or longer") \
	X(BESIDE_COPY, "beside_copy", 'i', NULL, "launches beside which copies run for half of their time or " \
	  "longer, and no communication") \
	X(ALONE_P50_NS, "alone_p50_ns", 'i', "ns", "median time of the launches alone") \
	X(COMM_P50_NS, "comm_p50_ns", 'i', "ns", "median time of the launches beside communication") \
	X(COPY_P50_NS, "copy_p50_ns", 'i', "ns", "median time of the launches beside copies") \
	X(COMM_COST_NS, "comm_cost_ns", 'i', "ns", "comm_p50_ns - alone_p50_ns, times beside_comm; - if there are " \
	  "fewer than five launches of either") \
	X(COPY_COST_NS, "copy_cost_ns", 'i', "ns", "copy_p50_ns - alone_p50_ns, times beside_copy; - if there are " \
	  "fewer than five launches of either") \
	X(GRID, "grid", 't', NULL, "blocks in the grid, XxYxZ") \
	X(BLOCK, "block", 't', NULL, "threads in a block, XxYxZ") \
	X(NAME, "name", 't', NULL, "name of the kernel")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void overlap_list_columns(const void *params, table *out)
{
	const overlap_params *p = params;
	bool by_stream = p->keys & OVERLAP_BY_STREAM;

	if (p->mode == OVERLAP_EACH) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, DUR_NS, HIDDEN_NS, EXPOSED_NS, OVERLAP_PCT, STAGE,
			      NAME);
	} else if (p->mode == OVERLAP_TOTAL) {
		table_columns(out, all_columns, COMPUTE_NS, COMM_NS, COPY_NS, BOTH_NS, COMPUTE_ONLY_NS, COMM_ONLY_NS,
			      COPY_ONLY_NS, IDLE_NS, OVERLAP_PCT);
	} else if (p->mode == OVERLAP_COST) {
		table_columns(out, all_columns, ALONE, BESIDE_COMM, BESIDE_COPY, ALONE_P50_NS, COMM_P50_NS, COPY_P50_NS,
			      HIDDEN_NS, COMM_COST_NS, COPY_COST_NS, GRID, BLOCK, NAME);
		table_sort(out, COMM_COST_NS, true);
	} else {
		table_columns(out, all_columns, by_stream ? COL_CTX : 0, by_stream ? COL_STREAM : 0, KERNELS, COMM_NS,
			      HIDDEN_NS, EXPOSED_NS, OVERLAP_PCT, MIN_PCT, MAX_PCT,
			      p->keys & OVERLAP_BY_STAGE ? STAGE : 0, p->keys & OVERLAP_BY_NAME ? NAME : 0);
		table_sort(out, COL_GPU, false);
		table_sort(out, EXPOSED_NS, true);
	}
}

static bool overlap_needs_ranges(const overlap_params *p)
{
	return p->mode == OVERLAP_SUMS || p->mode == OVERLAP_EACH;
}

static question overlap_make_question(const void *params)
{
	const overlap_params *p = params;
	bool without_ranges = !overlap_needs_ranges(p);

	return (question){
		.need = TRACE_WORK | (p->mode == OVERLAP_COST ? TRACE_SHAPE : 0) |
			(without_ranges ? 0 : TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm,
		.warn_lost = true,
		.warn_shared = true,
		.mention_silence = true,
		.mention_graphs = true,
		.replayed = without_ranges ? 0 : REPLAYED_COMM,
		.captured = p->captured,
		.empty = p->mode == OVERLAP_COST ? "nothing runs beside a compute kernel for half of its time" :
			without_ranges ? "no GPU work" :
			"no communication kernel runs (--comm names others)",
	};
}

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const overlap_params *p;
	exposure *exposure;
	exposure_parts parts;           /* the communication in the window */
	int64_t hidden;                 /* for OVERLAP_COST: how long compute hides communication in all windows, ns */
	double costs;                   /* for OVERLAP_COST: the sum of comm_cost_ns over all rows, ns */
} overlap_ctx;

typedef struct {
	int64_t kernels, comm, hidden;  /* the columns kernels, comm_ns and hidden_ns */
	double min, max;        /* the hidden share of the least and of the most hidden kernel, percent; NAN: no kernel
				 * takes any time */
} sum;

static void overlap_add_kernel_row(overlap_ctx *x, size_t work, int64_t dur, int64_t hidden)
{
	table *out = x->a->out;

	answer_add_row_of_work(x->a, work);
	table_int(out, DUR_NS, dur);
	table_int(out, HIDDEN_NS, hidden);
	table_int(out, EXPOSED_NS, dur - hidden);
	table_pct(out, OVERLAP_PCT, hidden, dur);
	table_set_name(out, STAGE, exposure_stage(x->exposure, work));
	table_set_name(out, NAME, work_name(&x->a->t->work, work));
}

enum { KEY_GPU, KEY_STREAM, KEY_STAGE, KEY_NAME, KEYS };

static void overlap_add_sum_rows(overlap_ctx *x, const sums *by)
{
	table *out = x->a->out;

	for (size_t i = 0; i < by->g.n; i++) {
		const int64_t *key = sums_key(by, i);
		const sum *s = sums_at(sum, by, i);
		answer_add_row(x->a);
		table_int(out, COL_GPU, key[KEY_GPU]);
		if (x->p->keys & OVERLAP_BY_STREAM)
			answer_set_stream(x->a, &x->a->t->streams[key[KEY_STREAM]]);
		table_ints(out, { KERNELS, s->kernels }, { COMM_NS, s->comm }, { HIDDEN_NS, s->hidden },
			   { EXPOSED_NS, s->comm - s->hidden });
		table_pct(out, OVERLAP_PCT, s->hidden, s->comm);
		table_num(out, MIN_PCT, s->min);
		table_num(out, MAX_PCT, s->max);
		table_set_name(out, STAGE, (uint32_t)key[KEY_STAGE]);
		table_set_name(out, NAME, (uint32_t)key[KEY_NAME]);
	}
}

static void overlap_add_time(sum *to, int64_t dur, int64_t hidden)
{
	if (!to->kernels++)
		to->min = to->max = NAN;
	to->comm = ns_add(to->comm, dur);
	to->hidden = ns_add(to->hidden, hidden);
	if (dur) {
		to->min = fmin(to->min, 100.0 * (double)hidden / (double)dur);
		to->max = fmax(to->max, 100.0 * (double)hidden / (double)dur);
	}
}

/* Add the rows of OVERLAP_SUMS or OVERLAP_EACH for the window. */
static void overlap_add_comm_rows(overlap_ctx *x)
{
	const trace *t = x->a->t;
	unsigned keys = x->p->keys;
	sums by = sums_by(KEYS, sizeof(sum));

	exposure_measure(x->a->t, x->a->w, &x->parts);
	for (const exposure_part *p = x->parts.v; p < x->parts.v + x->parts.n; p++) {
		if (x->p->mode == OVERLAP_EACH) {
			overlap_add_kernel_row(x, p->work, p->dur, p->hidden);
			continue;
		}
		overlap_add_time(sums_of(&by, (int64_t[]){
			[KEY_GPU] = t->lanes[p->lane].gpu,
			[KEY_STREAM] = keys & OVERLAP_BY_STREAM ? t->work.stream[p->work] : 0,
			[KEY_STAGE] = keys & OVERLAP_BY_STAGE ? exposure_stage(x->exposure, p->work) : STR_NONE,
			[KEY_NAME] = keys & OVERLAP_BY_NAME ? work_name(&t->work, p->work) : STR_NONE }),
			p->dur, p->hidden);
	}
	overlap_add_sum_rows(x, &by);
	sums_free(&by);
}

enum { COMPUTE, COMM, COPY, EITHER, BUSY, KINDS };      /* EITHER: compute or communication; BUSY: any work */

typedef struct {                /* how long work of each kind runs; pieces of work are added in order of start */
	int64_t ns[KINDS];      /* by kind: the time in which such work runs */
	int64_t until[KINDS];   /* by kind: the latest end of such work so far */
} overlap_running;

static void overlap_add_running(overlap_running *r, int kind, int64_t start, int64_t end)
{
	start = start > r->until[kind] ? start : r->until[kind];
	if (end <= start)
		return;
	r->ns[kind] = ns_add(r->ns[kind], end - start);
	r->until[kind] = end;
}

/* Add the time in which each kind of work runs on a lane (trace_lane, trace.h), in one part of the window. */
static void overlap_measure_part(overlap_running *r, const trace *t, const trace_lane *lane, ival part)
{
	const ival_set side = { .v = &part, .n = 1 };

	for (int k = 0; k < KINDS; k++)
		r->until[k] = part.a;
	for (size_t i = 0, hi = 0; i < hi || window_next_in_lane(t, lane, &side, &i, &hi); i++) {
		int kind = trace_is_compute(t, i) ? COMPUTE : trace_is_comm(t, i) ? COMM : COPY;
		int64_t end = t->work.end[i] < part.b ? t->work.end[i] : part.b;
		overlap_add_running(r, kind, t->work.start[i], end);
		if (kind != COPY)
			overlap_add_running(r, EITHER, t->work.start[i], end);
		overlap_add_running(r, BUSY, t->work.start[i], end);
	}
}

static void overlap_add_total_row(overlap_ctx *x, const trace_lane *lane)
{
	table *out = x->a->out;
	overlap_running r = { 0 };
	int64_t both;

	for (size_t i = 0; i < x->a->w->gpu.n; i++)
		overlap_measure_part(&r, x->a->t, lane, x->a->w->gpu.v[i]);
	both = r.ns[COMPUTE] - (r.ns[EITHER] - r.ns[COMM]);
	answer_add_row(x->a);
	table_ints(out, { COL_GPU, lane->gpu }, { COMPUTE_NS, r.ns[COMPUTE] }, { COMM_NS, r.ns[COMM] },
		   { COPY_NS, r.ns[COPY] }, { BOTH_NS, both }, { COMPUTE_ONLY_NS, r.ns[COMPUTE] - both },
		   { COMM_ONLY_NS, r.ns[COMM] - both }, { COPY_ONLY_NS, r.ns[BUSY] - r.ns[EITHER] },
		   { IDLE_NS, ival_length(&x->a->w->gpu) - r.ns[BUSY] });
	table_pct(out, OVERLAP_PCT, both, r.ns[COMM]);
}

/* ---- what the overlap costs */

enum { COST_ALONE, COST_COMM, COST_COPY, COSTS };       /* what runs beside a launch; COSTS: none of these */
enum { COST_LEAST = 5 };        /* a median of fewer launches than this is not shown */

typedef struct {                /* when some work runs, in disjoint stretches */
	vec(ival) v;            /* the stretches, in order */
	vec(int64_t) before;    /* by stretch: the total length of all stretches before it, ns */
} cost_times;

typedef struct {
	int64_t hidden;         /* how long communication runs beside the launches, ns */
} cost_sum;

typedef struct {
	overlap_ctx *x;
	sums all;               /* keys: gpu, name, grid, block */
	sums by_kind[COSTS];    /* by COST_...: the times of such launches; keys as in `all` */
	cost_times comm, copy;  /* when communication and copies run, in the current part of the window */
	int64_t hidden;         /* how long compute hides communication in the window, ns */
	double costs;           /* the sum of comm_cost_ns over the rows of the window, ns */
} cost_ctx;

/* Add a piece of work.  Pieces are added in order of start. */
static void overlap_cost_add_time(cost_times *to, int64_t start, int64_t end)
{
	ival *last = to->v.n ? &to->v.v[to->v.n - 1] : NULL;
	int64_t before;

	if (last && start <= last->b) {
		last->b = end > last->b ? end : last->b;
		return;
	}
	before = last ? to->before.v[to->before.n - 1] + last->b - last->a : 0;
	vec_push(&to->before, before);
	vec_push(&to->v, (ival){ start, end });
}

/* How long the work runs before a moment, ns. */
static int64_t overlap_cost_measure_before(const cost_times *of, int64_t at)
{
	size_t i;

	search_first(i, 0, of->v.n, of->v.v[i].a >= at);
	return i ? of->before.v[i - 1] + (at < of->v.v[i - 1].b ? at : of->v.v[i - 1].b) - of->v.v[i - 1].a : 0;
}

/* Add a launch of a compute kernel to c->all and, if it is one of COST_..., to c->by_kind. */
static void overlap_cost_add_kernel(cost_ctx *c, const trace_lane *lane, size_t work)
{
	const trace_work *w = &c->x->a->t->work;
	int64_t start = w->start[work], end = w->end[work], dur = end - start;
	int64_t comm = overlap_cost_measure_before(&c->comm, end) - overlap_cost_measure_before(&c->comm, start);
	int64_t copy = overlap_cost_measure_before(&c->copy, end) - overlap_cost_measure_before(&c->copy, start);
	const int64_t key[] = { lane->gpu, work_name(w, work), work_grid(w, work), work_block(w, work) };
	cost_sum *to = sums_of(&c->all, key);
	int kind = !comm && !copy ? COST_ALONE : comm && comm >= dur - comm ? COST_COMM :
		!comm && copy >= dur - copy ? COST_COPY : COSTS;

	to->hidden = ns_add(to->hidden, comm);
	if (kind < COSTS) {
		sums_of(&c->by_kind[kind], key);
		sums_add_time(&c->by_kind[kind], dur);
	}
}

/* Add the compute kernels of a lane that lie entirely in one part of the window, and the time of communication that
 * compute hides there. */
static void overlap_cost_add_part(cost_ctx *c, const trace_lane *lane, ival part)
{
	const trace *t = c->x->a->t;
	const ival_set side = { .v = &part, .n = 1 };
	overlap_running r = { 0 };

	c->comm.v.n = c->comm.before.n = c->copy.v.n = c->copy.before.n = 0;
	for (size_t i = 0, hi = 0; i < hi || window_next_in_lane(t, lane, &side, &i, &hi); i++)
		if (!trace_is_compute(t, i))
			overlap_cost_add_time(trace_is_comm(t, i) ? &c->comm : &c->copy, t->work.start[i],
					      t->work.end[i]);
	for (size_t i = 0, hi = 0; i < hi || window_next_in_lane(t, lane, &side, &i, &hi); i++)
		if (trace_is_compute(t, i) && t->work.kind[i] == WORK_KERNEL &&
		    ival_holds(&side, t->work.start[i], t->work.end[i]))
			overlap_cost_add_kernel(c, lane, i);
	overlap_measure_part(&r, t, lane, part);
	c->hidden = ns_add(c->hidden, r.ns[COMPUTE] - (r.ns[EITHER] - r.ns[COMM]));
}

static void overlap_cost_add_row(cost_ctx *c, size_t row, stats_summary *const times[COSTS])
{
	static const int counts[] = { ALONE, BESIDE_COMM, BESIDE_COPY };
	static const int medians[] = { ALONE_P50_NS, COMM_P50_NS, COPY_P50_NS };
	static const int costs[] = { 0, COMM_COST_NS, COPY_COST_NS };
	static const stats_summary none;
	const int64_t *key = sums_key(&c->all, row);
	const stats_summary *launches[COSTS];
	table *out = c->x->a->out;

	for (int i = 0; i < COSTS; i++) {
		size_t at = group_find(&c->by_kind[i].g, key);
		launches[i] = at == GROUP_NONE ? &none : &times[i][at];
	}
	if (!launches[COST_COMM]->count && !launches[COST_COPY]->count)
		return;
	answer_add_row(c->x->a);
	table_int(out, COL_GPU, key[0]);
	table_int(out, HIDDEN_NS, sums_at(cost_sum, &c->all, row)->hidden);
	for (int i = 0; i < COSTS; i++) {
		bool enough = launches[i]->count >= COST_LEAST;
		double cost = (double)launches[i]->count * (double)(launches[i]->p50 - launches[COST_ALONE]->p50);
		table_int(out, counts[i], launches[i]->count);
		table_int(out, medians[i], enough ? launches[i]->p50 : TABLE_MISSING);
		if (i && enough && launches[COST_ALONE]->count >= COST_LEAST) {
			table_int(out, costs[i], llround(fmax(-9e18, fmin(9e18, cost))));
			c->costs += i == COST_COMM ? cost : 0;
		}
	}
	table_set_name(out, NAME, (uint32_t)key[1]);
	table_set_name(out, GRID, (uint32_t)key[2]);
	table_set_name(out, BLOCK, (uint32_t)key[3]);
}

static void overlap_cost_add_rows(overlap_ctx *x)
{
	const answer_ctx *a = x->a;
	cost_ctx c = { .x = x, .all = sums_by(4, sizeof(cost_sum)) };
	stats_summary *times[COSTS];

	for (int i = 0; i < COSTS; i++)
		c.by_kind[i] = sums_by(4, 1);
	for (size_t end, l = trace_find_lanes(a->t, a->w->proc, &end); l < end; l++)
		for (size_t i = 0; window_has_lane(a->w, &a->t->lanes[l]) && i < a->w->gpu.n; i++)
			overlap_cost_add_part(&c, &a->t->lanes[l], a->w->gpu.v[i]);
	for (int i = 0; i < COSTS; i++)
		times[i] = sums_times(&c.by_kind[i]);
	for (size_t i = 0; i < c.all.g.n; i++)
		overlap_cost_add_row(&c, i, times);
	x->hidden = ns_add(x->hidden, c.hidden);
	x->costs += c.costs;
	sums_free(&c.all);
	for (int i = 0; i < COSTS; i++) {
		free(times[i]);
		sums_free(&c.by_kind[i]);
	}
	mem_free(c.comm.v.v, c.comm.before.v, c.copy.v.v, c.copy.before.v);
}

static bool overlap_add_rows(answer_ctx *a, const void *params)
{
	const overlap_params *p = params;
	overlap_ctx x = { .a = a, .p = p };

	if (overlap_needs_ranges(p))
		x.exposure = exposure_build(a->t, p->rules, around_flags(p->adopt, p->captured));
	while (answer_next_window(a)) {
		if (overlap_needs_ranges(p))
			overlap_add_comm_rows(&x);
		else if (p->mode == OVERLAP_COST)
			overlap_cost_add_rows(&x);
		for (size_t end, l = trace_find_lanes(a->t, a->w->proc, &end); p->mode == OVERLAP_TOTAL && l < end; l++)
			if (window_has_lane(a->w, &a->t->lanes[l]))
				overlap_add_total_row(&x, &a->t->lanes[l]);
	}
	if (p->mode == OVERLAP_COST && x.hidden)
		notes_answer(a->say, "'%s': overlap hides %.3f ms of communication and costs %.3f ms of compute",
			     a->t->path, (double)x.hidden / 1e6, x.costs / 1e6);
	if (x.exposure)
		exposure_free(x.exposure);
	vec_free(&x.parts);
	return true;
}

const answer overlap_answer = {
	.all = all_columns, .columns = overlap_list_columns, .question = overlap_make_question, .rows = overlap_add_rows
};
