#include "answer/answers.h"
#include "base/sums.h"
#include "launch/compute_stalls.h"
#include "launch/exposure.h"
#include "answer/step_windows.h"
#include "step/idle_owners.h"

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "length of the stretch in the window") \
	X(ABSENT_NS, "absent_ns", 'i', "ns", "time during which nothing computes; with --by, the part that " \
	  "belongs to this row") \
	X(ABSENT_PCT, "absent_pct", 'd', "%", "absent_ns as a share of the window") \
	X(STARVED_NS, "starved_ns", 'i', "ns", "time without compute in which the next compute had not been issued " \
	  "yet") \
	X(SYNC_WAIT_NS, "sync_wait_ns", 'i', "ns", "part of starved_ns in which the launching thread waited for " \
	  "work that had not ended") \
	X(BLOCKED_NS, "blocked_ns", 'i', "ns", "time without compute in which the next compute had been issued, " \
	  "and work ran that it had to wait for") \
	X(BLOCKED_COMM_NS, "blocked_comm_ns", 'i', "ns", "part of blocked_ns in which that work was communication") \
	X(BLOCKED_COPY_NS, "blocked_copy_ns", 'i', "ns", "part of blocked_ns in which that work was a copy or set") \
	X(STALLED_NS, "stalled_ns", 'i', "ns", "time without compute in which the next compute had been issued, " \
	  "and nothing ran that it is known to wait for") \
	X(UNRESOLVED_NS, "unresolved_ns", 'i', "ns", "time without compute in which the next compute had been " \
	  "issued, and the trace does not say all that it waited for") \
	X(RESOLVED_PCT, "resolved_pct", 'd', "%", "share of the waits for events, in the whole trace, whose event " \
	  "record is in the trace") \
	X(PART, "part", 't', NULL, "{part} (nsq help words part)") \
	X(CAUSE, "cause", 't', NULL, "for starved, what the launching thread did, as in nsq-gaps; for blocked, " \
	  "comm, copy or compute; for stalled, turnaround or queued; else unknown") \
	X(PRODUCER, "producer", 't', NULL, "work that blocked; if there are several in a stretch, the one that " \
	  "blocked longest") \
	X(STAGE, "stage", 't', NULL, "stage of the producer: label from the rules, else the folded name of the " \
	  "range; serial:LABEL for communication on a compute stream") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch of next") \
	X(NEXT, "next", 't', NULL, "kernel or graph that ends the stretch")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void stalls_list_columns(const void *params, table *out)
{
	const stalls_params *p = params;

	if (p->mode == STALLS_EACH) {
		table_columns(out, all_columns, DUR_NS, STARVED_NS, BLOCKED_NS, STALLED_NS, UNRESOLVED_NS, PRODUCER,
			      STAGE, NVTX, NEXT);
		table_sort(out, DUR_NS, true);
		return;
	}
	table_columns(out, all_columns, ABSENT_NS, ABSENT_PCT, STARVED_NS, SYNC_WAIT_NS, BLOCKED_NS, BLOCKED_COMM_NS,
		      BLOCKED_COPY_NS, STALLED_NS, UNRESOLVED_NS, RESOLVED_PCT, p->keys & STALLS_BY_PART ? PART : 0,
		      p->keys & STALLS_BY_CAUSE ? CAUSE : 0, p->keys & STALLS_BY_PRODUCER ? PRODUCER : 0,
		      p->keys & STALLS_BY_STAGE ? STAGE : 0,
		      p->keys & STALLS_BY_NVTX ? NVTX : 0);
	table_sort(out, COL_GPU, false);
	table_sort(out, ABSENT_NS, true);
}

bool stalls_need_stages(const stalls_params *p)
{
	return p->mode == STALLS_EACH || p->keys & STALLS_BY_STAGE;
}

bool stalls_need_ranges(const stalls_params *p)
{
	return stalls_need_stages(p) || p->keys & STALLS_BY_NVTX;
}

static question stalls_make_question(const void *params)
{
	const stalls_params *p = params;
	bool ranges = stalls_need_ranges(p);

	return (question){
		.need = TRACE_WORK | TRACE_SYNCS |
			(p->keys & STALLS_BY_CAUSE ? OWNERS_NEED | step_windows_need() : 0) |
			(ranges ? TRACE_RANGES | TRACE_CAPTURES : 0),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm,
		.warn_lost = true,
		.warn_clocks = true,
		.warn_shared = true,
		.mention_graphs = true,
		.replayed = ranges ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "no compute kernel has to wait",
	};
}

enum { KEY_PART, KEY_CAUSE, KEY_PRODUCER, KEY_STAGE, KEY_NVTX, KEYS };

typedef struct {
	int64_t part[STALL_PARTS];      /* by part: ns */
	int64_t sync_wait;              /* the column sync_wait_ns */
} sum;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const stalls_params *p;
	const compute_stalls *stalls;
	exposure *exposure;     /* NULL: no column needs stages */
	const around *around;   /* NULL: no column needs ranges */
	idle_owners *owners;    /* NULL: the answer has no causes */
	stall_parts parts;      /* the parts of the current gap, a time in which the lane computes nothing */
	sums by;                /* of the current lane (the work of a process on a GPU) in the window: a `sum` for each
				 * key (KEY_...) */
} stalls_ctx;

static int64_t stalls_sum_parts(const int64_t part[STALL_PARTS])
{
	int64_t ns = 0;

	for (int k = 0; k < STALL_PARTS; k++)
		ns = ns_add(ns, part[k]);
	return ns;
}

static void stalls_put_parts(table *out, const int64_t part[STALL_PARTS])
{
	table_int(out, STARVED_NS, part[STALL_STARVED]);
	table_int(out, BLOCKED_NS, ns_add(ns_add(part[STALL_COMM], part[STALL_COPY]), part[STALL_COMPUTE]));
	table_int(out, STALLED_NS, part[STALL_STALLED]);
	table_int(out, UNRESOLVED_NS, part[STALL_UNRESOLVED]);
}

static void stalls_add_gap_row(stalls_ctx *x, const lane_gap *gap)
{
	const stall_parts *parts = &x->parts;
	const trace *t = x->a->t;
	const trace_lane *lane = &t->lanes[gap->lane];
	table *out = x->a->out;
	ival part = window_clip(&x->a->w->gpu, gap->a, gap->b);
	const stall_producer *most = NULL;

	for (size_t i = 0; i < parts->producers.n; i++)
		if (!most || parts->producers.v[i].ns > most->ns)
			most = &parts->producers.v[i];
	answer_add_row_at(x->a, lane->proc, part.a, part.b);
	table_int(out, COL_GPU, lane->gpu);
	table_int(out, DUR_NS, stalls_sum_parts(parts->part));
	stalls_put_parts(out, parts->part);
	table_set_name(out, PRODUCER, most ? work_name(&t->work, most->work) : STR_NONE);
	table_set_name(out, STAGE, most ? exposure_stage(x->exposure, most->work) : STR_NONE);
	table_set_name(out, NVTX, gap->next == NONE ? STR_NONE : around_name(x->around, gap->next));
	table_set_name(out, NEXT, gap->next == NONE ? STR_NONE : work_name(&t->work, gap->next));
}

/* Add a row for each key of x->by. */
static void stalls_add_sum_rows(stalls_ctx *x, size_t lane)
{
	const sums *by = &x->by;
	table *out = x->a->out;
	int64_t waits, found;

	wait_counts_of(depends_counts(depends_of(x->a->t)), lane, &waits, &found);
	for (size_t i = 0; i < by->g.n; i++) {
		const int64_t *key = sums_key(by, i);
		const sum *s = sums_at(sum, by, i);
		answer_add_row(x->a);
		table_int(out, COL_GPU, x->a->t->lanes[lane].gpu);
		table_int(out, ABSENT_NS, stalls_sum_parts(s->part));
		table_pct(out, ABSENT_PCT, stalls_sum_parts(s->part), ival_length(&x->a->w->gpu));
		stalls_put_parts(out, s->part);
		table_int(out, SYNC_WAIT_NS, s->sync_wait);
		table_int(out, BLOCKED_COMM_NS, s->part[STALL_COMM]);
		table_int(out, BLOCKED_COPY_NS, s->part[STALL_COPY]);
		table_pct(out, RESOLVED_PCT, found, waits);
		table_word(out, PART, stall_part_name((enum stall_part)key[KEY_PART]));
		table_word(out, CAUSE, owner_name((enum owner)key[KEY_CAUSE]));
		table_set_name(out, PRODUCER, (uint32_t)key[KEY_PRODUCER]);
		table_set_name(out, STAGE, (uint32_t)key[KEY_STAGE]);
		table_set_name(out, NVTX, (uint32_t)key[KEY_NVTX]);
	}
}

/* Add `ns` of a gap to x->by; 0 adds nothing.  producer: the work that blocked; NONE: the time is not blocked.
 * sync_wait: how much of `ns` belongs to sum.sync_wait. */
static void stalls_add_part(stalls_ctx *x, enum stall_part part, enum owner cause, uint32_t producer, uint32_t nvtx,
			    int64_t ns, int64_t sync_wait)
{
	unsigned keys = x->p->keys;
	sum *s;

	if (!ns)
		return;
	s = sums_of(&x->by, (int64_t[]){
		[KEY_PART] = keys & STALLS_BY_PART ? part : 0,
		[KEY_CAUSE] = keys & STALLS_BY_CAUSE ? (int64_t)cause : 0,
		[KEY_PRODUCER] = keys & STALLS_BY_PRODUCER && producer != NONE ? work_name(&x->a->t->work, producer) :
			STR_NONE,
		[KEY_STAGE] = keys & STALLS_BY_STAGE && producer != NONE ? exposure_stage(x->exposure, producer) :
			STR_NONE,
		[KEY_NVTX] = nvtx });
	s->part[part] = ns_add(s->part[part], ns);
	s->sync_wait = ns_add(s->sync_wait, sync_wait);
}

typedef struct {                /* state while the starved time of a gap is divided by cause */
	stalls_ctx *x;
	uint32_t nvtx;          /* the range around the launch of the next work, or STR_NONE */
	enum owner stalled;     /* the cause of the stalled time of the gap */
} stalls_divide_ctx;

static void stalls_divide_starved(void *ctx, const owner_piece *p)
{
	stalls_divide_ctx *d = ctx;
	const ival_set *side = &d->x->a->w->gpu;
	const stall_parts *parts = &d->x->parts;
	int64_t end = ns_min(p->at.b, parts->issued);

	if (p->owner == OWNER_TURNAROUND)
		d->stalled = OWNER_TURNAROUND;
	if (p->at.a < end)
		stalls_add_part(d->x, STALL_STARVED, p->owner, NONE, d->nvtx, ival_within(side, p->at.a, end),
				ival_within(side, p->at.a, ns_max(p->at.a, ns_min(end, parts->waited.b))));
}

/* Add the parts of a gap (x->parts) to x->by. */
static void stalls_add_gap(stalls_ctx *x, const lane_gap *gap)
{
	const stall_parts *parts = &x->parts;
	uint32_t nvtx = x->p->keys & STALLS_BY_NVTX && gap->next != NONE ?
		str_fold(&x->a->t->names, around_name(x->around, gap->next)) : STR_NONE;
	stalls_divide_ctx d = { x, nvtx, OWNER_QUEUED };

	for (size_t i = 0; i < parts->producers.n; i++) {
		enum stall_part part = parts->producers.v[i].part;
		enum owner cause = part == STALL_COMM ? OWNER_COMM : part == STALL_COPY ? OWNER_COPY : OWNER_COMPUTE;
		stalls_add_part(x, part, cause, parts->producers.v[i].work, nvtx, parts->producers.v[i].ns, 0);
	}
	if (!x->owners || gap->a == INT64_MIN || gap->next == NONE) {
		stalls_add_part(x, STALL_STARVED, OWNER_EDGE, NONE, nvtx, parts->part[STALL_STARVED], parts->sync_wait);
	} else {
		idle_gap all = { .in = *gap };
		idle_owners_cut(x->owners, &all, &(owner_piece){ .at = { gap->a, gap->b }, .work = gap->next },
				stalls_divide_starved, &d);
	}
	stalls_add_part(x, STALL_STALLED, d.stalled, NONE, nvtx, parts->part[STALL_STALLED], 0);
	stalls_add_part(x, STALL_UNRESOLVED, OWNER_UNKNOWN, NONE, nvtx, parts->part[STALL_UNRESOLVED], 0);
}

/* Add each gap in the compute of a lane that is at least partly in the window. */
static void stalls_add_lane(stalls_ctx *x, size_t lane)
{
	const trace *t = x->a->t;
	const ival_set *side = &x->a->w->gpu;
	const lane_gaps *gaps = compute_stalls_gaps(x->stalls);
	lane_gap gap;
	size_t lo, hi;

	x->by = sums_by(KEYS, sizeof(sum));
	if (!x->p->keys)                /* even a lane that always computes has one row */
		sums_of(&x->by, (int64_t[]){ 0, 0, STR_NONE, STR_NONE, STR_NONE });
	window_find_starting(t, &t->lanes[lane], side, &lo, &hi);
	for (bool more = lane_gaps_from_work(gaps, lane, lo, &gap); more && gap.a < window_hull(side).b;
	     more = lane_gaps_next(gaps, &gap)) {
		if (!ival_within(side, gap.a, gap.b))
			continue;
		compute_stalls_divide_gap(x->stalls, &gap, side, &x->parts);
		if (x->p->mode == STALLS_EACH)
			stalls_add_gap_row(x, &gap);
		else
			stalls_add_gap(x, &gap);
	}
	if (x->p->mode == STALLS_SUMS)
		stalls_add_sum_rows(x, lane);
	sums_free(&x->by);
}

static void stalls_add_windows(stalls_ctx *x)
{
	const trace *t = x->a->t;

	while (answer_next_window(x->a))
		for (size_t end, l = trace_find_lanes(t, x->a->w->proc, &end); l < end; l++)
			if (window_has_lane(x->a->w, &t->lanes[l]))
				stalls_add_lane(x, l);
	stall_parts_free(&x->parts);
}

static bool stalls_add_rows(answer_ctx *a, const void *params)
{
	const stalls_params *p = params;
	trace *t = a->t;
	stalls_ctx x = { .a = a, .p = p, .stalls = compute_stalls_of(t) };
	unsigned flags = around_flags(p->adopt, p->captured);
	owners_params how = { .adopt = p->adopt, .owners_alone = true };

	if (p->keys & STALLS_BY_CAUSE)
		x.owners = idle_owners_build(t, &how);
	if (stalls_need_stages(p))
		x.exposure = exposure_build(t, p->rules, flags);
	if (stalls_need_ranges(p))
		x.around = around_of(t, flags);
	wait_counts_warn(depends_counts(depends_of(t)), a->say);
	stalls_add_windows(&x);
	if (x.owners)
		idle_owners_free(x.owners);
	if (x.exposure)
		exposure_free(x.exposure);
	return true;
}

static void stalls_compute_ahead(trace *t, const void *params UNNEEDED)
{
	compute_stalls_of(t);
}

const answer stalls_answer = { .all = all_columns, .columns = stalls_list_columns, .question = stalls_make_question,
	.ahead = stalls_compute_ahead, .rows = stalls_add_rows };
