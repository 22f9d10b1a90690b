#include "answer/answers.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "launch/absence.h"
#include "launch/exposure.h"

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "length of the stretch in the window") \
	X(ABSENT_NS, "absent_ns", 'i', "ns", "time during which nothing computes; with --by, the part that " \
	  "belongs to this row") \
	X(ABSENT_PCT, "absent_pct", 'd', "%", "absent_ns as a share of the window") \
	X(STARVED_NS, "starved_ns", 'i', "ns", "part in which the next compute had not been issued yet") \
	X(SYNC_WAIT_NS, "sync_wait_ns", 'i', "ns", "part of starved_ns until the work had ended that the " \
	  "launching thread was waiting for") \
	X(BLOCKED_NS, "blocked_ns", 'i', "ns", "part in which it had been issued and work ran that it " \
	  "had to wait for") \
	X(BLOCKED_COMM_NS, "blocked_comm_ns", 'i', "ns", "part of blocked_ns in which that was communication") \
	X(BLOCKED_COPY_NS, "blocked_copy_ns", 'i', "ns", "part of blocked_ns in which that was a copy or set") \
	X(STALLED_NS, "stalled_ns", 'i', "ns", "part in which it had been issued and nothing ran that it is " \
	  "known to wait for") \
	X(UNRESOLVED_NS, "unresolved_ns", 'i', "ns", "the same if what it waited for is not all in the trace") \
	X(RESOLVED_PCT, "resolved_pct", 'd', "%", "share of the waits of streams for events, in the whole trace, " \
	  "whose record is in the trace") \
	X(CAUSE, "cause", 't', NULL, "starved, blocked_comm, blocked_copy, blocked_compute (of another GPU), stalled " \
	  "or unresolved") \
	X(PRODUCER, "producer", 't', NULL, "work that blocked; of several in a stretch, the one that did so longest") \
	X(STAGE, "stage", 't', NULL, "stage of the producer: label from the rules, else the folded name of the " \
	  "range; serial:LABEL for communication on a compute stream") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around next") \
	X(NEXT, "next", 't', NULL, "compute that ends the stretch")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void columns(const void *params, table *out)
{
	const stalls_params *p = params;

	if (p->mode == STALLS_EACH) {
		table_columns(out, all_columns, DUR_NS, STARVED_NS, BLOCKED_NS, STALLED_NS, UNRESOLVED_NS, PRODUCER,
			      STAGE, NVTX, NEXT);
		table_sort(out, DUR_NS, true);
		return;
	}
	table_columns(out, all_columns, ABSENT_NS, ABSENT_PCT, STARVED_NS, SYNC_WAIT_NS, BLOCKED_NS, BLOCKED_COMM_NS,
		      BLOCKED_COPY_NS, STALLED_NS, UNRESOLVED_NS, RESOLVED_PCT, p->keys & STALLS_BY_CAUSE ? CAUSE : 0,
		      p->keys & STALLS_BY_PRODUCER ? PRODUCER : 0, p->keys & STALLS_BY_STAGE ? STAGE : 0,
		      p->keys & STALLS_BY_NVTX ? NVTX : 0);
	table_sort(out, COL_GPU, false);
	table_sort(out, ABSENT_NS, true);
}

bool stalls_stages(const stalls_params *p)
{
	return p->mode == STALLS_EACH || p->keys & STALLS_BY_STAGE;
}

bool stalls_ranges(const stalls_params *p)
{
	return stalls_stages(p) || p->keys & STALLS_BY_NVTX;
}

static question ask(const void *params)
{
	const stalls_params *p = params;
	bool ranges = stalls_ranges(p);

	return (question){
		.need = TRACE_WORK | TRACE_SYNCS | (ranges ? TRACE_RANGES | TRACE_CAPTURES : 0),
		.must = MUST_CUDA,
		.scope = WINDOW_GPU_WORK,
		.comm = p->comm,
		.warn_lost = true,
		.warn_clocks = true,
		.warn_shared = true,
		.mention_graphs = true,
		.replayed = ranges ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = p->mode == STALLS_EACH ? "compute fills the windows" :
			"the processes asked about have no work on the GPUs asked about",
	};
}

enum { AT_A_TIME = 512 };       /* windows that are judged side by side; their rows come in order */
enum { MANY_GAPS = 1 << 12 };   /* with more gaps than this, they are cut in stretches */
enum { KEY_CAUSE, KEY_PRODUCER, KEY_STAGE, KEY_NVTX, KEYS };

typedef struct {
	int64_t part[ABSENCE_PARTS], sync_wait;
} sum;

typedef struct {                /* the answer for a trace */
	asking *a;
	const stalls_params *p;
	const absence *absence;
	exposure *exposure;     /* NULL: stages are not asked for */
	const around *around;   /* NULL: ranges are not asked for */
} answering;

/* A stretch of a lane's gaps in a window, which one thread judges. */
typedef struct {
	answering *x;
	const window *w;
	size_t lane, from, to;  /* those that end with work from and later, before `to` */
	absence_judgement j;
	sums by;                /* KEY_... */
} stretch;

typedef vec(stretch) stretches;

static int64_t total(const int64_t part[ABSENCE_PARTS])
{
	int64_t ns = 0;

	for (int k = 0; k < ABSENCE_PARTS; k++)
		ns = ns_add(ns, part[k]);
	return ns;
}

/* The parts that rows of all modes have. */
static void put_parts(table *out, const int64_t part[ABSENCE_PARTS])
{
	table_int(out, STARVED_NS, part[ABSENCE_STARVED]);
	table_int(out, BLOCKED_NS, ns_add(ns_add(part[ABSENCE_COMM], part[ABSENCE_COPY]), part[ABSENCE_COMPUTE]));
	table_int(out, STALLED_NS, part[ABSENCE_STALLED]);
	table_int(out, UNRESOLVED_NS, part[ABSENCE_UNRESOLVED]);
}

static void each_row(answering *x, const quiet_gap *gap, const absence_judgement *j)
{
	const trace *t = x->a->t;
	const trace_lane *lane = &t->lanes[gap->lane];
	table *out = x->a->out;
	ival part = window_clip(&x->a->w->gpu, gap->a, gap->b);
	const absence_producer *most = NULL;

	for (size_t i = 0; i < j->producers.n; i++)
		if (!most || j->producers.v[i].ns > most->ns)
			most = &j->producers.v[i];
	asking_row_at(x->a, lane->proc, part.a, part.b);
	table_int(out, COL_GPU, lane->gpu);
	table_int(out, DUR_NS, total(j->part));
	put_parts(out, j->part);
	table_name(out, PRODUCER, most ? work_name(&t->work, most->work) : STR_NONE);
	table_name(out, STAGE, most ? exposure_stage(x->exposure, most->work) : STR_NONE);
	table_name(out, NVTX, gap->next == NONE ? STR_NONE : around_name(x->around, gap->next));
	table_name(out, NEXT, gap->next == NONE ? STR_NONE : work_name(&t->work, gap->next));
}

/* One row for each group. */
static void sum_rows(answering *x, size_t lane, const sums *by)
{
	table *out = x->a->out;
	int64_t waits, found;

	wait_counts_of(depends_counts(depends_of(x->a->t)), lane, &waits, &found);
	for (size_t i = 0; i < by->g.n; i++) {
		const int64_t *key = sums_key(by, i);
		const sum *s = sums_at(sum, by, i);
		asking_row(x->a);
		table_int(out, COL_GPU, x->a->t->lanes[lane].gpu);
		table_int(out, ABSENT_NS, total(s->part));
		table_pct(out, ABSENT_PCT, total(s->part), ival_length(&x->a->w->gpu));
		put_parts(out, s->part);
		table_int(out, SYNC_WAIT_NS, s->sync_wait);
		table_int(out, BLOCKED_COMM_NS, s->part[ABSENCE_COMM]);
		table_int(out, BLOCKED_COPY_NS, s->part[ABSENCE_COPY]);
		table_pct(out, RESOLVED_PCT, found, waits);
		table_word(out, CAUSE, absence_part_name((enum absence_part)key[KEY_CAUSE]));
		table_name(out, PRODUCER, (uint32_t)key[KEY_PRODUCER]);
		table_name(out, STAGE, (uint32_t)key[KEY_STAGE]);
		table_name(out, NVTX, (uint32_t)key[KEY_NVTX]);
	}
}

/* Add what a part of a gap took, under the keys that are asked for; producer is NONE if it was not blocked. */
static void add_part(stretch *to, enum absence_part part, uint32_t producer,
		     uint32_t nvtx, int64_t ns, int64_t sync_wait)
{
	const answering *x = to->x;
	unsigned keys = x->p->keys;
	sum *s;

	if (!ns)
		return;
	s = sums_of(&to->by, (int64_t[]){
		[KEY_CAUSE] = keys & STALLS_BY_CAUSE ? part : 0,
		[KEY_PRODUCER] = keys & STALLS_BY_PRODUCER && producer != NONE ? work_name(&x->a->t->work, producer) :
			STR_NONE,
		[KEY_STAGE] = keys & STALLS_BY_STAGE && producer != NONE ? exposure_stage(x->exposure, producer) :
			STR_NONE,
		[KEY_NVTX] = nvtx });
	s->part[part] = ns_add(s->part[part], ns);
	s->sync_wait = ns_add(s->sync_wait, sync_wait);
}

static void add_gap(stretch *to, const quiet_gap *gap)
{
	const answering *x = to->x;
	const absence_judgement *j = &to->j;
	uint32_t nvtx = x->p->keys & STALLS_BY_NVTX && gap->next != NONE ? around_name(x->around, gap->next) : STR_NONE;

	for (size_t i = 0; i < j->producers.n; i++)
		add_part(to, j->producers.v[i].part, j->producers.v[i].work, nvtx, j->producers.v[i].ns, 0);
	add_part(to, ABSENCE_STARVED, NONE, nvtx, j->part[ABSENCE_STARVED], j->sync_wait);
	add_part(to, ABSENCE_STALLED, NONE, nvtx, j->part[ABSENCE_STALLED], 0);
	add_part(to, ABSENCE_UNRESOLVED, NONE, nvtx, j->part[ABSENCE_UNRESOLVED], 0);
}

/* Every stretch without compute that the window touches. */
static void judge(void *ctx, size_t which)
{
	stretch *to = &((stretch *)ctx)[which];
	answering *x = to->x;
	const ival_set *side = &to->w->gpu;
	const quiet *gaps = absence_gaps(x->absence);
	quiet_gap gap;

	for (bool more = quiet_first(gaps, to->lane, to->from, &gap); more; more = quiet_next(gaps, &gap)) {
		if (gap.at >= to->to || gap.a >= window_hull(side).b)
			break;
		if (!ival_within(side, gap.a, gap.b))
			continue;
		absence_judge(x->absence, &gap, side, &to->j);
		if (x->p->mode == STALLS_EACH)
			each_row(x, &gap, &to->j);
		else
			add_gap(to, &gap);
	}
	absence_judgement_free(&to->j);
}

/* Without keys all gaps are one group. */
static void judge_as_one(void *ctx, size_t which)
{
	stretch *to = &((stretch *)ctx)[which];
	sum *s = sums_of(&to->by, (int64_t[]){ 0, STR_NONE, STR_NONE, STR_NONE });

	absence_sum(to->x->absence, to->lane, to->from, to->to, &to->w->gpu, &to->j);
	memcpy(s->part, to->j.part, sizeof s->part);
	s->sync_wait = to->j.sync_wait;
	absence_judgement_free(&to->j);
}

/* Add up what the threads found, with ranges folded. */
static void collect(answering *x, sums *all, stretch *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t m = 0; m < v[i].by.g.n; m++) {
			int64_t *key = &v[i].by.g.key[m * KEYS];
			const sum *from = sums_at(sum, &v[i].by, m);
			sum *to;
			key[KEY_NVTX] = str_fold(&x->a->t->names, (uint32_t)key[KEY_NVTX]);
			to = sums_of(all, key);
			for (int k = 0; k < ABSENCE_PARTS; k++)
				to->part[k] = ns_add(to->part[k], from->part[k]);
			to->sync_wait = ns_add(to->sync_wait, from->sync_wait);
		}
		sums_free(&v[i].by);
	}
}

static void add_stretches(answering *x, const window *w, size_t lane, stretches *to)
{
	size_t lo, hi, n;

	window_starts(x->a->t, &x->a->t->lanes[lane], &w->gpu, &lo, &hi);
	n = (hi - lo) / MANY_GAPS + 1;
	for (size_t i = 0; i < n; i++)
		vec_push(to, (stretch){ .x = x, .w = w, .lane = lane, .from = lo + (hi - lo) * i / n,
			.to = i + 1 < n ? lo + (hi - lo) * (i + 1) / n : SIZE_MAX, .by = sums_by(KEYS, sizeof(sum)) });
}

/* Stages may be asked for by one thread at a time. */
static void judge_windows(answering *x, size_t from, size_t n, stretches *to)
{
	const trace *t = x->a->t;
	const windows *all = x->a->all;

	to->n = 0;
	for (size_t i = from; i < all->n && i < from + n; i++)
		for (size_t end, l = trace_lanes(t, all->v[i].proc, &end); l < end; l++)
			if (window_lane(&all->v[i], &t->lanes[l]))
				add_stretches(x, &all->v[i], l, to);
	par_do(stalls_stages(x->p) ? PAR_ALONE : t->workers, to->n,
	       x->p->mode == STALLS_SUMS && !x->p->keys ? judge_as_one : judge, to->v);
}

/* One process on one GPU. */
static void lane_rows(answering *x, size_t lane, stretch *v, size_t n)
{
	sums all = sums_by(KEYS, sizeof(sum));

	if (!x->p->keys)                /* one row, even if compute fills the window */
		sums_of(&all, (int64_t[]){ 0, STR_NONE, STR_NONE, STR_NONE });
	collect(x, &all, v, n);
	if (x->p->mode == STALLS_SUMS)
		sum_rows(x, lane, &all);
	sums_free(&all);
}

/* Rows about gaps are made as these are judged, so that happens window by window. */
static void window_rows(answering *x)
{
	size_t next = 0, at_a_time = x->p->mode == STALLS_EACH ? 1 : AT_A_TIME;
	stretches all = { 0 };

	for (size_t i = 0; asking_window(x->a); i++) {
		if (i % at_a_time == 0) {
			judge_windows(x, i, at_a_time, &all);
			next = 0;
		}
		for (size_t n; next < all.n && all.v[next].w == x->a->w; next += n) {
			for (n = 1; next + n < all.n && all.v[next + n].w == x->a->w &&
			     all.v[next + n].lane == all.v[next].lane;)
				n++;
			lane_rows(x, all.v[next].lane, &all.v[next], n);
		}
	}
	vec_free(&all);
}

static bool rows(asking *a, const void *params)
{
	const stalls_params *p = params;
	trace *t = a->t;
	answering x = { .a = a, .p = p, .absence = absence_of(t) };
	unsigned what = around_what(p->adopt, p->captured);

	if (stalls_stages(p))
		x.exposure = exposure_build(t, p->rules, what);
	if (stalls_ranges(p))
		x.around = around_of(t, what);
	wait_counts_warn(depends_counts(depends_of(t)), a->say);
	window_rows(&x);
	if (x.exposure)
		exposure_free(x.exposure);
	return true;
}

const answer stalls_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows };
