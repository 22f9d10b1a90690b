#include "launch/compute_stalls.h"
#include "base/memory.h"
#include "launch/cpu_waits.h"
#include "timeline/lost_events.h"

#include <string.h>

struct compute_stalls {
	trace *t;
	const lane_gaps *gaps;
	const depends *depends;
	const launched *launched;
	const cpu_waits *waits;
	bool *doubtful;         /* by process: did the trace lose events, or may streams have waited for events that it
				 * does not show? */
};

static void *compute_stalls_build(trace *t, int64_t unused UNNEEDED)
{
	compute_stalls *a = mem_new(compute_stalls, 1);

	*a = (compute_stalls){ .t = t, .gaps = lane_gaps_of(t, LANE_GAPS_COMPUTE), .depends = depends_of(t),
		.launched = launched_of(t), .waits = cpu_waits_of(t), .doubtful = mem_new(bool, t->nprocs) };
	for (uint32_t p = 0; p < t->nprocs; p++)
		a->doubtful[p] = lost_events_of(t)[p] || wait_counts_lacks_rows(depends_counts(a->depends), p);
	return a;
}

static void compute_stalls_release(void *made)
{
	compute_stalls *a = made;

	mem_free(a->doubtful, a);
}

const compute_stalls *compute_stalls_of(trace *t)
{
	return trace_keep(t, compute_stalls_build, 0, compute_stalls_release);
}

const lane_gaps *compute_stalls_gaps(const compute_stalls *a)
{
	return a->gaps;
}

static enum stall_part compute_stalls_part_of_work(const trace *t, uint32_t work)
{
	return trace_is_comm(t, work) ? STALL_COMM : t->work.kind[work] > WORK_GRAPH ? STALL_COPY : STALL_COMPUTE;
}

static void compute_stalls_add_time(int64_t *to, int64_t ns)
{
	*to = ns_add(*to, ns);
}

/* Removes from j->open the time in which a producer ran.  (The last stretch of j->open is the earliest.)  Returns how
 * much of the removed time lies in the window.  Each producer starts no later than the previous one, so it removes
 * whole stretches, and cuts at most two.  The time for a gap is thus proportional to the number of its producers. */
static int64_t compute_stalls_remove_covered(stall_parts *j, const ival_set *window, int64_t start, int64_t end)
{
	int64_t ns = 0;

	for (size_t i = j->open.n; i-- > 0 && j->open.v[i].a < end;) {
		ival was = j->open.v[i];
		ival before = { was.a, ns_max(was.a, ns_min(was.b, start)) };
		ival after = { ns_min(was.b, ns_max(was.a, end)), was.b };
		size_t left = (size_t)(after.a < after.b) + (size_t)(before.a < before.b);
		if (start >= was.b || before.b >= after.a)
			continue;
		ns = ns_add(ns, ival_within(window, before.b, after.a));
		vec_reserve(&j->open, j->open.n + 1);
		memmove(j->open.v + i + left, j->open.v + i + 1, (j->open.n - i - 1) * sizeof *j->open.v);
		j->open.n += left - 1;
		if (after.a < after.b)
			j->open.v[i] = after;
		if (before.a < before.b)
			j->open.v[i + left - 1] = before;
	}
	return ns;
}

/* Follows the producers of `next` back to `from`, and adds their times to j.  *rest gets the time in the window that
 * no producer covers.  False: the trace does not say all that `next` or one of the producers waited for
 * (depends_found.unresolved), or lacks the launch of one of them.  The usual case comes first: the producer of `next`
 * had ended by `from`. */
static bool compute_stalls_follow_producers(const compute_stalls *a, const lane_gap *gap, int64_t from,
					    const ival_set *window, stall_parts *j, int64_t *rest)
{
	const trace_work *w = &a->t->work;
	depends_found producer = depends_producer(a->depends, gap->next);
	bool resolved = true;

	*rest = 0;
	if (producer.work == NONE || w->end[producer.work] <= from) {
		*rest = ival_within(window, from, gap->b);
		return !producer.unresolved;
	}
	vec_push(&j->open, (ival){ from, gap->b });
	for (uint32_t at = gap->next;; producer = depends_producer(a->depends, at)) {
		enum stall_part part;
		int64_t ns;
		resolved &= !producer.unresolved && w->launch[at] != NONE;
		if (producer.work == NONE)
			break;
		part = compute_stalls_part_of_work(a->t, producer.work);
		ns = compute_stalls_remove_covered(j, window, w->start[producer.work], w->end[producer.work]);
		if (ns)
			vec_push(&j->producers, (stall_producer){ producer.work, part, ns });
		compute_stalls_add_time(&j->part[part], ns);
		if (w->start[producer.work] <= from || !j->open.n)
			break;
		at = producer.work;
	}
	for (size_t i = 0; i < j->open.n; i++)
		*rest = ns_add(*rest, ival_within(window, j->open.v[i].a, j->open.v[i].b));
	return resolved;
}

/* The end of the work that the launching or the main thread had last waited for before the launch of `next`
 * (cpu_waits_before); INT64_MIN: neither had waited. */
static int64_t compute_stalls_end_of_wait(const compute_stalls *a, uint32_t next)
{
	uint32_t call = a->t->work.launch[next];
	const cpu_wait *w = cpu_waits_before(a->waits, calls_thread(&a->t->calls, call), a->t->calls.start[call]);

	return w ? w->end : INT64_MIN;
}

static enum stall_part compute_stalls_part_of_rest(const compute_stalls *a, size_t lane, bool resolved)
{
	return resolved && !a->doubtful[a->t->lanes[lane].proc] ? STALL_STALLED : STALL_UNRESOLVED;
}

static void compute_stalls_add_gap(const compute_stalls *a, const lane_gap *gap, const ival_set *window, stall_parts *j)
{
	const trace_work *w = &a->t->work;
	int64_t issued = gap->a, rest = 0;
	bool resolved = true;

	j->producers.n = j->open.n = 0;
	if (gap->next == NONE) {
		compute_stalls_add_time(&j->part[STALL_STARVED], ival_within(window, gap->a, gap->b));
		return;
	}
	if (w->launch[gap->next] == NONE) {
		compute_stalls_add_time(&j->part[STALL_UNRESOLVED], ival_within(window, gap->a, gap->b));
		return;
	}
	if (a->t->calls.end[w->launch[gap->next]] > gap->a)
		issued = ns_max(issued, launched_issued(a->launched, gap->next));
	j->issued = issued;
	if (issued > gap->a) {
		compute_stalls_add_time(&j->part[STALL_STARVED], ival_within(window, gap->a, issued));
		j->waited = (ival){ gap->a, ns_min(issued, compute_stalls_end_of_wait(a, gap->next)) };
		compute_stalls_add_time(&j->sync_wait, ival_within(window, j->waited.a, j->waited.b));
	}
	if (issued < gap->b)
		resolved = compute_stalls_follow_producers(a, gap, issued, window, j, &rest);
	compute_stalls_add_time(&j->part[compute_stalls_part_of_rest(a, gap->lane, resolved)], rest);
}

void compute_stalls_divide_gap(const compute_stalls *a, const lane_gap *gap, const ival_set *window, stall_parts *j)
{
	memset(j->part, 0, sizeof j->part);
	j->sync_wait = 0;
	j->issued = INT64_MIN;
	j->waited = (ival){ INT64_MIN, INT64_MIN };
	compute_stalls_add_gap(a, gap, window, j);
}

void compute_stalls_sum(const compute_stalls *a, size_t lane, const ival_set *window, stall_parts *j)
{
	ival hull = window->n ? (ival){ window->v[0].a, window->v[window->n - 1].b } : (ival){ 0, 0 };
	lane_gap gap;

	memset(j->part, 0, sizeof j->part);
	j->sync_wait = 0;
	for (bool more = lane_gaps_from(a->gaps, lane, hull.a, &gap); more && gap.a < hull.b;
	     more = lane_gaps_next(a->gaps, &gap))
		compute_stalls_add_gap(a, &gap, window, j);
}

void stall_parts_free(stall_parts *j)
{
	mem_free(j->producers.v, j->open.v);
}

const char *stall_part_name(enum stall_part p)
{
	static const char *const names[] = {
		[STALL_STARVED] = "starved", [STALL_COMM] = "blocked_comm", [STALL_COPY] = "blocked_copy",
		[STALL_COMPUTE] = "blocked_compute", [STALL_STALLED] = "stalled",
		[STALL_UNRESOLVED] = "unresolved",
	};

	return names[p];
}
