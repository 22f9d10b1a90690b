#include "answer/answers.h"
#include "base/sums.h"
#include "launch/call_sources.h"
#include "step/idle_owners.h"
#include "answer/step_windows.h"

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "length of the gap in the window") \
	X(BUSY_NS, "busy_ns", 'i', "ns", "time during which some work runs, each moment counted once") \
	X(IDLE_NS, "idle_ns", 'i', "ns", "time during which no work runs; with --by, the part that belongs to this " \
	  "row") \
	X(IDLE_PCT, "idle_pct", 'd', "%", "idle_ns as a share of the window") \
	X(GAPS, "gaps", 'i', NULL, "idle stretches that contribute to idle_ns") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest contribution of one stretch") \
	X(SYNCED_NS, "synced_ns", 'i', "ns", "part of idle_ns in gaps that began while the CPU waited for the GPU") \
	X(CAUSE, "cause", 't', NULL, "why the GPU was idle: {owner launch..edge} (nsq help words cause). --each " \
	  "names the cause of a gap's largest part, --by cause sums the parts") \
	X(SYNCED, "synced", 'i', NULL, "1 if the gap began while the CPU waited for the GPU, else 0") \
	X(API, "api", 't', NULL, "call with the most time in the part of the gap that cause names") \
	X(NVTX, "nvtx", 't', NULL, "innermost range of the launching thread that covers most of the gap") \
	X(SOURCE, "source", 't', NULL, "function of the program that launched the next work, by the call chain") \
	X(PREV, "prev", 't', NULL, "work that ended where the gap begins") \
	X(NEXT, "next", 't', NULL, "work that ends the gap")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void gaps_list_columns(const void *params, table *out)
{
	const gaps_params *p = params;

	if (p->mode == GAPS_EACH) {
		table_columns(out, all_columns, DUR_NS, CAUSE, SYNCED, API, NVTX, PREV, NEXT);
		table_sort(out, DUR_NS, true);
		return;
	}
	table_columns(out, all_columns, BUSY_NS, IDLE_NS, IDLE_PCT, GAPS, MAX_NS, SYNCED_NS,
		      p->keys & GAPS_BY_CAUSE ? CAUSE : 0, p->keys & GAPS_BY_NVTX ? NVTX : 0,
		      p->keys & GAPS_BY_SOURCE ? SOURCE : 0);
	table_sort(out, COL_GPU, false);
	table_sort(out, IDLE_NS, true);
}

static bool gaps_wants_causes(const gaps_params *p)
{
	return p->mode == GAPS_EACH || p->keys & GAPS_BY_CAUSE;
}

static question gaps_make_question(const void *params)
{
	const gaps_params *p = params;
	bool each = p->mode == GAPS_EACH, ranges = each || p->keys & GAPS_BY_NVTX;
	bool judged = gaps_wants_causes(p), by_source = !each && p->keys & GAPS_BY_SOURCE;

	return (question){
		.need = TRACE_WORK | TRACE_LAUNCH | TRACE_CALLS | (judged ? OWNERS_NEED | step_windows_need() : 0) |
			(by_source ? TRACE_CALL_CHAINS : 0) | (ranges ? TRACE_RANGES | TRACE_CAPTURES : 0),
		.must = MUST_CUDA | (by_source ? MUST_CHAINS : 0),
		.scope = p->keys & GAPS_BY_GPU ? WINDOW_ALL_GPU_WORK : WINDOW_GPU_WORK,
		.warn_lost = true,
		.warn_shared = true,
		.warn_clocks = true,
		.replayed = ranges ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.match = p->choice.match,
		.empty = each ? "no GPU work, or no idle time around it as long as --min" :
			"no GPU work, or no idle time around it",
	};
}

typedef struct {
	int64_t idle;           /* idle time, ns */
	int64_t gaps;           /* the number of gaps that contribute to `idle` */
	int64_t max;            /* the largest contribution of one gap, ns */
	int64_t synced;         /* the part of `idle` in gaps that began while the CPU waited for the GPU, ns */
} sum;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const gaps_params *p;
	const idle_causes *idle;        /* for a gap: had the CPU waited when it began, and which range covers it */
	const lane_gaps *gaps;          /* the gaps themselves */
	idle_owners *owners;            /* the owners of gaps, which are their causes; NULL: the answer has no causes */
	const call_sources *sources;    /* NULL: the answer has no sources */
	call_sources_times sourced;     /* the idle time of all rows, and how much of it has no source */
} gaps_ctx;

static void gaps_add_time(sum *to, int64_t ns, bool synced)
{
	if (!ns)
		return;
	to->idle = ns_add(to->idle, ns);
	to->gaps++;
	to->max = ns > to->max ? ns : to->max;
	to->synced = ns_add(to->synced, synced ? ns : 0);
}

static void gaps_add_gap_row(gaps_ctx *x, const trace_lane *lane, idle_gap *gap, const idle_judged *judged, int64_t dur)
{
	const trace_work *w = &x->a->t->work;
	table *out = x->a->out;
	ival part = window_clip(&x->a->w->gpu, gap->in.a, gap->in.b);
	uint32_t prev = lane_gaps_work_before(x->gaps, &gap->in);

	answer_add_row_at(x->a, lane->proc, part.a, part.b);
	table_int(out, COL_GPU, lane->gpu);
	table_int(out, DUR_NS, dur);
	table_word(out, CAUSE, owner_name(judged->owner));
	table_int(out, SYNCED, judged->synced);
	table_set_name(out, API, judged->api);
	table_set_name(out, NVTX, idle_range(x->idle, gap));
	table_set_name(out, PREV, prev == NONE ? STR_NONE : work_name(w, prev));
	table_set_name(out, NEXT, gap->in.next == NONE ? STR_NONE : work_name(w, gap->in.next));
}

enum { KEY_CAUSE, KEY_NVTX, KEY_SOURCE, KEYS };

/* Add a row for each combination of cause, range and source in `totals`. */
static void gaps_add_sum_rows(gaps_ctx *x, uint32_t proc, int64_t gpu, int64_t busy, const sums *totals)
{
	table *out = x->a->out;

	for (size_t i = 0; i < totals->g.n; i++) {
		const sum *s = sums_at(sum, totals, i);
		call_sources_add(&x->sourced, (uint32_t)sums_key(totals, i)[KEY_SOURCE], s->idle);
		answer_add_row_of(x->a, proc);
		table_int(out, COL_GPU, gpu);
		table_int(out, BUSY_NS, busy);
		table_int(out, IDLE_NS, s->idle);
		table_pct(out, IDLE_PCT, s->idle, ival_length(&x->a->w->gpu));
		table_int(out, GAPS, s->gaps);
		table_int(out, MAX_NS, s->max);
		table_int(out, SYNCED_NS, s->synced);
		table_word(out, CAUSE, owner_name((enum owner)sums_key(totals, i)[KEY_CAUSE]));
		table_set_name(out, NVTX, (uint32_t)sums_key(totals, i)[KEY_NVTX]);
		table_set_name(out, SOURCE, (uint32_t)sums_key(totals, i)[KEY_SOURCE]);
	}
}

static void gaps_sum_gap(const gaps_ctx *x, sums *totals, idle_gap *gap, int64_t dur)
{
	uint32_t range = x->p->keys & GAPS_BY_NVTX ? str_fold(&x->a->t->names, idle_range(x->idle, gap)) : STR_NONE;
	uint32_t source = x->sources && gap->in.next != NONE ?
		call_sources_name(x->sources, x->a->t->work.launch[gap->in.next]) : STR_NONE;
	bool synced = idle_synced(x->idle, gap);
	idle_judged judged;

	if (!x->owners) {
		gaps_add_time(sums_of(totals, (int64_t[]){ 0, range, source }), dur, synced);
		return;
	}
	judged = idle_owners_judge(x->owners, gap, &x->a->w->gpu);
	for (int o = OWNER_TURNAROUND; o < OWNERS; o++)
		if (judged.part[o])
			gaps_add_time(sums_of(totals, (int64_t[]){ o, range, source }), judged.part[o], synced);
}

/* Add the gaps of a lane (a process's work on one GPU) that are at least partly in the window: as rows with GAPS_EACH,
 * otherwise as sums. */
static void gaps_add_lane(gaps_ctx *x, size_t lane)
{
	const trace_lane *ln = &x->a->t->lanes[lane];
	const ival_set *side = &x->a->w->gpu;
	sums totals = sums_by(KEYS, sizeof(sum));
	int64_t idle = 0;
	idle_gap gap = { 0 };

	if (x->p->mode == GAPS_SUMS && !x->p->keys)     /* even a lane without any gap has one row */
		sums_of(&totals, (int64_t[]){ 0, STR_NONE, STR_NONE });
	for (bool more = lane_gaps_from(x->gaps, lane, window_hull(side).a, &gap.in);
	     more && gap.in.a < window_hull(side).b; more = lane_gaps_next(x->gaps, &gap.in)) {
		int64_t dur = ival_within(side, gap.in.a, gap.in.b);
		if (!dur)
			continue;
		idle = ns_add(idle, dur);
		if (x->p->mode == GAPS_SUMS) {
			gaps_sum_gap(x, &totals, &gap, dur);
		} else if (dur >= x->p->min_ns && !table_would_drop(x->a->out, DUR_NS, dur)) {
			idle_judged judged = idle_owners_judge(x->owners, &gap, side);
			gaps_add_gap_row(x, ln, &gap, &judged, dur);
		}
	}
	if (x->p->mode == GAPS_SUMS)
		gaps_add_sum_rows(x, ln->proc, ln->gpu, ival_length(side) - idle, &totals);
	sums_free(&totals);
}

/* The times at which any process of the window works on the GPU of a lane.  done: has an element for each lane of the
 * trace; it is set for all lanes of the window on this GPU. */
static ival_set gaps_find_gpu_busy(const gaps_ctx *x, size_t lane, bool *done)
{
	const trace *t = x->a->t;
	ival_set busy = { 0 };

	for (size_t k = lane; k < t->nlanes; k++)
		if (t->lanes[k].gpu == t->lanes[lane].gpu && window_has_lane(x->a->w, &t->lanes[k])) {
			ival_set own = lane_gaps_busy(x->gaps, k), both = ival_or(&busy, &own);
			ival_free(&busy);
			ival_free(&own);
			busy = both;
			done[k] = true;
		}
	return busy;
}

/* The work that starts on a GPU at a moment, and in *lane its lane; if several processes start work then, the work that
 * was launched first.  NONE: no work starts then. */
static uint32_t gaps_find_work_at(const gaps_ctx *x, int64_t gpu, int64_t moment, size_t *lane)
{
	const trace *t = x->a->t;
	uint32_t next = NONE;

	for (size_t k = 0; k < t->nlanes; k++)
		if (t->lanes[k].gpu == gpu && window_has_lane(x->a->w, &t->lanes[k])) {
			uint32_t i = lane_gaps_work_at(x->gaps, k, moment);
			if (i != NONE && (next == NONE || t->work.launch[i] < t->work.launch[next])) {
				next = i;
				*lane = k;
			}
		}
	return next;
}

/* Add the idle time of a GPU in the window to a sum: before, between and after its busy stretches. */
static void gaps_add_gpu_gaps(const gaps_ctx *x, int64_t gpu, const ival_set *busy, sum *to)
{
	const ival_set *side = &x->a->w->gpu;
	ival hull = window_hull(side);
	idle_gap gap = { 0 };

	for (size_t i = ival_after(busy, hull.a); i <= busy->n; i++) {
		int64_t ns;
		gap.in.a = i ? busy->v[i - 1].b : INT64_MIN;
		gap.in.b = i < busy->n ? busy->v[i].a : INT64_MAX;
		if (gap.in.a >= hull.b)
			break;
		ns = ival_within(side, gap.in.a, gap.in.b);
		gap.in.next = ns && i < busy->n ? gaps_find_work_at(x, gpu, gap.in.b, &gap.in.lane) : NONE;
		gaps_add_time(to, ns, idle_synced(x->idle, &gap));
	}
}

/* Add a row for each GPU, about the work of all processes in the window together. */
static void gaps_add_gpus(gaps_ctx *x)
{
	const trace *t = x->a->t;
	bool *done = mem_new(bool, t->nlanes);

	for (size_t l = 0; l < t->nlanes; l++) {
		sums totals = sums_by(KEYS, sizeof(sum));
		ival_set busy, in;
		if (done[l] || !window_has_lane(x->a->w, &t->lanes[l]))
			continue;
		busy = gaps_find_gpu_busy(x, l, done);
		in = ival_and(&busy, &x->a->w->gpu);
		gaps_add_gpu_gaps(x, t->lanes[l].gpu, &busy, sums_of(&totals, (int64_t[]){ 0, STR_NONE, STR_NONE }));
		gaps_add_sum_rows(x, x->a->w->proc, t->lanes[l].gpu, ival_length(&in), &totals);
		sums_free(&totals);
		ival_free(&busy);
		ival_free(&in);
	}
	free(done);
}

static bool gaps_add_rows(answer_ctx *a, const void *params)
{
	const gaps_params *p = params;
	owners_params how = { .choice = p->choice, .adopt = p->adopt, .kernels = p->kernels, .owners_alone = true };
	gaps_ctx x = { .a = a, .p = p, .idle = idle_of(a->t, (p->kernels ? IDLE_KERNELS : 0) |
		(p->captured ? IDLE_CAPTURED : 0) | (gaps_wants_causes(p) ? IDLE_PARTS : 0)) };

	x.gaps = idle_gaps(x.idle);
	x.owners = gaps_wants_causes(p) ? idle_owners_build(a->t, &how) : NULL;
	if (p->mode == GAPS_SUMS && p->keys & GAPS_BY_SOURCE)
		x.sources = call_sources_of(a->t);
	while (answer_next_window(a)) {
		if (p->keys & GAPS_BY_GPU)
			gaps_add_gpus(&x);
		for (size_t end, l = trace_find_lanes(a->t, a->w->proc, &end); !(p->keys & GAPS_BY_GPU) && l < end; l++)
			if (window_has_lane(a->w, &a->t->lanes[l]))
				gaps_add_lane(&x, l);
	}
	if (x.owners)
		idle_owners_free(x.owners);
	if (x.sources)
		call_sources_mention(x.sources, &x.sourced, true, a->say);
	return true;
}

const answer gaps_answer = {
	.all = all_columns, .columns = gaps_list_columns, .question = gaps_make_question, .rows = gaps_add_rows
};
