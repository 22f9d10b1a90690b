#include "launch/idle_causes.h"
#include "base/memory.h"
#include "base/search.h"
#include "launch/depends.h"
#include "launch/outer_calls.h"
#include "launch/ranges_around.h"
#include "launch/waiting_calls.h"
#include "trace/call_class.h"

#include <string.h>

enum { CLOCKS_NS = 20000 };      /* the most by which the clocks of CPU and GPU may differ */

struct idle_causes {
	trace *t;
	unsigned what;          /* IDLE_... */
	const lane_gaps *gaps;
	const waiting_calls *waiting;
	const outer_calls *outer;
	const depends *depends; /* NULL without IDLE_PARTS */
	const around *around;
	int64_t *first_start;   /* by call: start of the first work that it launched; NULL without IDLE_CAPTURED */
	uint32_t *main;         /* by thread: the main thread of its process, or NONE */
};

static enum idle_cause idle_causes_cause_of_class(uint8_t class)
{
	return class == CALL_SYNC ? IDLE_SYNC : IDLE_CALL;
}

/* An array with an element for each call: the start of the first work that it launched; INT64_MAX: none. */
static int64_t *idle_causes_find_first_starts(const trace *t)
{
	int64_t *first = mem_grow(NULL, t->calls.n, sizeof *first);

	for (size_t i = 0; i < t->calls.n; i++)
		first[i] = INT64_MAX;
	for (size_t i = 0; i < t->work.n; i++) {
		uint32_t call = t->work.launch[i];
		if (call != NONE && t->work.start[i] < first[call])
			first[call] = t->work.start[i];
	}
	return first;
}

static void *idle_causes_build(trace *t, int64_t what)
{
	idle_causes *idle = mem_new(idle_causes, 1);

	idle->t = t;
	idle->what = (unsigned)what;
	if (what & IDLE_CAPTURED)
		idle->first_start = idle_causes_find_first_starts(t);
	idle->main = mem_new(uint32_t, t->nthreads);
	for (size_t i = 0; i < t->nthreads; i++)
		idle->main[i] = i && t->threads[i].proc == t->threads[i - 1].proc ? idle->main[i - 1] :
			around_main_thread(t, t->threads[i].proc);
	idle->gaps = lane_gaps_of(t, what & IDLE_KERNELS ? LANE_GAPS_KERNELS : LANE_GAPS_WORK);
	idle->waiting = waiting_calls_of(t);
	idle->around = around_of(t, idle->first_start ? AROUND_CAPTURED : AROUND_RANGES);
	idle->outer = outer_calls_of(t);
	if (what & IDLE_PARTS)
		idle->depends = depends_of(t);
	return idle;
}

static void idle_causes_release(void *made)
{
	idle_causes *idle = made;

	mem_free(idle->main, idle->first_start, idle);
}

const idle_causes *idle_of(trace *t, unsigned what)
{
	return trace_keep(t, idle_causes_build, what, idle_causes_release);
}

const lane_gaps *idle_gaps(const idle_causes *idle)
{
	return idle->gaps;
}

/* Where the last searches of the thread's calls ended; SIZE_MAX if there were none. */
static struct idle_search_start *idle_causes_search_start(idle_gap *gap, uint32_t thread)
{
	struct idle_search_start *search = &gap->search_from[thread % 8];

	if (search->thread != thread)
		*search = (struct idle_search_start){ thread, SIZE_MAX, SIZE_MAX };
	return search;
}

/* The first outermost call of the thread that ends after the moment.  The search starts where the last one ended. */
static size_t idle_causes_first_call_after(const idle_causes *idle, idle_gap *gap, uint32_t thread, int64_t moment)
{
	size_t *call = &idle_causes_search_start(gap, thread)->call;

	return *call = outer_calls_after(idle->t, idle->outer, thread, moment, *call);
}

/* The call that launched the work after the gap; NONE: the trace does not say. */
static uint32_t idle_causes_launch_of_gap(const idle_causes *idle, const idle_gap *gap)
{
	return gap->in.next == NONE ? NONE : idle->t->work.launch[gap->in.next];
}

/* When the gap began, was a synchronizing call open: one of the launching thread, or one of the main thread that ended
 * before the launch? */
static bool idle_causes_began_in_wait(const idle_causes *idle, idle_gap *gap)
{
	const trace_calls *c = &idle->t->calls;
	uint32_t call = idle_causes_launch_of_gap(idle, gap), thread = calls_thread(c, call), main = idle->main[thread];

	return waiting_calls_at(idle->waiting, thread, gap->in.a, INT64_MAX,
				&idle_causes_search_start(gap, thread)->waiting) ||
		(main != NONE && main != thread &&
		 waiting_calls_at(idle->waiting, main, gap->in.a, c->start[call],
				  &idle_causes_search_start(gap, main)->waiting));
}

/* Did a synchronizing call of the launching thread end up to 20us before the gap, and was the work that ended there
 * launched before that call? */
static bool idle_causes_began_after_wait(const idle_causes *idle, idle_gap *gap)
{
	const trace_calls *c = &idle->t->calls;
	uint32_t thread = calls_thread(c, idle_causes_launch_of_gap(idle, gap)), prev, launch = NONE;

	for (size_t k = idle_causes_first_call_after(idle, gap, thread, gap->in.a); k-- > idle->outer->first[thread];) {
		uint32_t call = outer_call(idle->outer, k);
		if (c->end[call] <= gap->in.a - CLOCKS_NS)
			return false;
		if (calls_class(c, call) != CALL_SYNC)
			continue;
		if (launch == NONE) {           /* looked up only now, because such a call is rare */
			prev = lane_gaps_work_before(idle->gaps, &gap->in);
			launch = prev == NONE ? NONE : idle->t->work.launch[prev];
		}
		if (launch == NONE || c->start[launch] < c->start[call])
			return launch != NONE;
	}
	return false;
}

bool idle_synced(const idle_causes *idle, idle_gap *gap)
{
	uint32_t call = idle_causes_launch_of_gap(idle, gap);

	return gap->in.a != INT64_MIN && call != NONE && gap->in.a < idle->t->calls.start[call] &&
		(idle_causes_began_in_wait(idle, gap) || idle_causes_began_after_wait(idle, gap));
}

typedef struct {                /* the caller's function that gets the parts of a gap */
	ival time;              /* parts entirely outside this time need not be given */
	idle_take *f;
	void *ctx;
} part_taker;

static void idle_causes_give_part(const part_taker *taker, enum idle_cause c, uint32_t call, int64_t a, int64_t b)
{
	if (a < b)
		taker->f(taker->ctx, c, call, (ival){ a, b });
}

/* Gives out the time from `from` to `to`, before the launch: time in an outermost call of the thread by the class of
 * the call, and time outside of calls as IDLE_HOST. */
static void idle_causes_give_cpu_time(const idle_causes *idle, idle_gap *gap, const part_taker *taker, uint32_t thread,
				      int64_t from, int64_t to)
{
	const trace_calls *c = &idle->t->calls;
	size_t k = idle_causes_first_call_after(idle, gap, thread, ns_max(from, taker->time.a));

	if (k > idle->outer->first[thread])
		from = ns_max(from, c->end[outer_call(idle->outer, k - 1)]);
	for (; from < ns_min(to, taker->time.b); k++) {
		uint32_t call = k < idle->outer->first[thread + 1] ? outer_call(idle->outer, k) : NONE;
		int64_t start = call == NONE ? to : ns_min(to, c->start[call]), end;

		idle_causes_give_part(taker, IDLE_HOST, NONE, from, start);
		from = ns_max(from, start);
		if (call == NONE || from >= to)
			break;
		end = ns_min(to, c->end[call]);
		idle_causes_give_part(taker, idle_causes_cause_of_class(calls_class(c, call)), call, from, end);
		from = ns_max(from, end);
	}
}

/* Did the last work before this one on its stream, in order of start, end at the moment?  All work of the stream is
 * on the lane.  The search goes back only while earlier work lasts until the moment, so it stays short even with many
 * gaps. */
static bool idle_causes_previous_ended_at(const trace *t, const trace_lane *lane, size_t work, int64_t moment)
{
	uint32_t own = t->work.stream[work];
	size_t i = work - lane->first, block;

	do {
		block = i ? (i - 1) / REACH_BLOCK : 0;
		while (i > block * REACH_BLOCK)
			if (t->work.stream[lane->first + --i] == own)
				return t->work.end[lane->first + i] == moment;
	} while (block && trace_reach_latest_before(&lane->reach, block) >= moment);
	return false;
}

/* Did the work after the gap wait for nothing but its own stream?  That is so if the previous work there ended where
 * the gap begins, and the stream has not been told to wait for an event since. */
static bool idle_causes_waits_only_for_stream(const idle_causes *idle, const idle_gap *gap)
{
	return idle_causes_previous_ended_at(idle->t, &idle->t->lanes[gap->in.lane], gap->in.next, gap->in.a) &&
		depends_on_stream_only(idle->depends, gap->in.next);
}

bool idle_launched(const idle_causes *idle, const idle_gap *gap, enum idle_cause *c)
{
	uint32_t call = idle_causes_launch_of_gap(idle, gap);

	if (call == NONE || gap->in.a < idle->t->calls.end[call])
		return false;
	*c = idle_causes_waits_only_for_stream(idle, gap) ? IDLE_TURNAROUND : IDLE_QUEUED;
	return true;
}

/* Does the gap lie before the first work or after the last? */
static bool idle_causes_is_edge(const idle_gap *gap)
{
	return gap->in.a == INT64_MIN || gap->in.next == NONE;
}

void idle_give_parts(const idle_causes *idle, idle_gap *gap, ival time, idle_take *f, void *ctx)
{
	part_taker taker = { time, f, ctx };
	uint32_t call = idle_causes_launch_of_gap(idle, gap);

	if (idle_causes_is_edge(gap)) {
		idle_causes_give_part(&taker, IDLE_EDGE, NONE, gap->in.a, gap->in.b);
	} else if (call == NONE) {
		idle_causes_give_part(&taker, trace_is_migration(idle->t, gap->in.next) ? IDLE_UM : IDLE_UNKNOWN,
				      NONE, gap->in.a, gap->in.b);
	} else {
		int64_t ls = idle->t->calls.start[call], le = idle->t->calls.end[call];
		if (gap->in.a < ls)
			idle_causes_give_cpu_time(idle, gap, &taker, calls_thread(&idle->t->calls, call), gap->in.a,
						  ns_min(gap->in.b, ls));
		idle_causes_give_part(&taker, IDLE_LAUNCH, call, ns_max(gap->in.a, ls), ns_min(gap->in.b, le));
		if (gap->in.b > le)
			idle_causes_give_part(
				&taker, idle_causes_waits_only_for_stream(idle, gap) ? IDLE_TURNAROUND : IDLE_QUEUED,
				NONE, ns_max(gap->in.a, le), gap->in.b);
	}
}

/* For a gap inside a replay, the innermost range around the capture of the node that ends the gap, because it does not
 * matter what the CPU did.  A gap is inside a replay if another node of the replay started before the gap ended.  NONE:
 * the gap is not inside a replay, or there is no such range. */
static uint32_t idle_causes_captured_range(const idle_causes *idle, const idle_gap *gap, uint32_t call)
{
	around_walk w;

	if (!idle->first_start || call == NONE || idle->first_start[call] >= gap->in.b)
		return NONE;
	w = around_work(idle->around, gap->in.next);
	return w.captured ? w.range : NONE;
}

uint32_t idle_range(const idle_causes *idle, const idle_gap *gap)
{
	const trace_ranges *r = &idle->t->pushpop;
	uint32_t call = idle_causes_launch_of_gap(idle, gap),
		 thread = call == NONE ? NONE : calls_thread(&idle->t->calls, call);
	uint32_t range = idle_causes_captured_range(idle, gap, call);

	if (thread == NONE)
		return STR_NONE;
	if (range == NONE)
		range = around_over_half(idle->around, thread, (ival){ ns_max(gap->in.a, idle->t->span.a), gap->in.b });
	return range == NONE ? STR_NONE : r->name[range];
}
