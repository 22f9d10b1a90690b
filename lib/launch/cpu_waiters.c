#include "launch/cpu_waiters.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "launch/cpu_waits.h"
#include "launch/depends.h"
#include "trace/load_work.h"
#include "trace/sync_calls.h"

#include <string.h>

typedef struct {                /* a call that waited; those with the same subject (enum subject) form a group */
	uint32_t call;
	uint32_t last;          /* it waited for this work and for all earlier work of the stream; NONE: it waited for a
				 * whole stream, or for the device */
	uint32_t before;        /* of the work that its group is about, it waited for what was launched by calls with an
				 * index below this */
	uint32_t most;          /* the largest `before` from here to the end of the group */
	int64_t since;          /* the latest start among its call and the waiting calls that ended before it on its
				 * thread; it did not wait for work that had ended by then */
	int64_t least;          /* the smallest `since` from here to the end of the group */
} waiter;

struct cpu_waiters {
	const trace *t;
	const uint8_t *kind;    /* by kind of call: enum sync_call */
	group groups;           /* gives each group of waiters with the same subject (cpu_waiters_key_of_subject) a
				 * number */
	size_t *first;          /* by group: its first waiter; the last entry is the number of waiters */
	waiter *v;              /* sorted by group, then end, then thread */
};

enum subject {                  /* what a group of waiters waits for */
	DEVICE,                 /* for all work of a process */
	STREAM,                 /* for all work of a stream, which a row of syncs names by context and number */
	WORK,                   /* for some work of a stream of the trace, and for what the stream ran before it */
	SUBJECTS
};

typedef struct {
	int64_t v[4];
} key;

/* The key of a group of waiters.  For WORK, `stream` is an index into trace.streams; for STREAM, it is the number of
 * the stream in its context. */
static key cpu_waiters_key_of_subject(enum subject subject, uint32_t proc, int64_t ctx, int64_t stream)
{
	return (key){ { subject, proc, ctx, stream } };
}

static enum sync_call cpu_waiters_kind_of_call(const cpu_waiters *c, uint32_t call)
{
	return (enum sync_call)c->kind[c->t->calls.kind[call]];
}

/* Makes the waiter of a wait, except its `since`, `least` and `most`, and the key of its group.  False: the trace does
 * not say what the call waited for.  A synchronization of a stream or an event waits for what its row says, not for the
 * work that cpu_waits.h may have guessed. */
static bool cpu_waiters_fill_waiter(const cpu_waiters *c, const depends *d, const cpu_wait *w, waiter *to,
				    key *about)
{
	const trace *t = c->t;
	const trace_syncs *y = &t->syncs;
	enum sync_call kind = cpu_waiters_kind_of_call(c, w->call);
	uint32_t proc = t->threads[calls_thread(&t->calls, w->call)].proc, last = w->work;
	size_t row;

	*to = (waiter){ .call = w->call, .last = NONE, .before = w->call };
	*about = cpu_waiters_key_of_subject(DEVICE, proc, 0, 0);
	if (kind == SYNC_CALL_DEVICE)
		return true;
	if (kind == SYNC_CALL_STREAM || kind == SYNC_CALL_EVENT) {
		search_first(row, 0, y->n, y->call[row] >= w->call);
		if (row == y->n || y->call[row] != w->call)
			return false;
		*about = cpu_waiters_key_of_subject(STREAM, proc, y->places[y->place[row]].ctx,
						    y->places[y->place[row]].stream);
		if (kind == SYNC_CALL_STREAM)
			return true;
		last = depends_sync(d, row).work;
	}
	if (last == NONE)
		return false;
	to->last = last;
	to->before = t->work.launch[last] == NONE ? 0 : t->work.launch[last] + 1;
	*about = cpu_waiters_key_of_subject(WORK, proc, 0, t->work.stream[last]);
	return true;
}

static int cpu_waiters_compare_ends(uint32_t a, uint32_t b, const void *ctx)
{
	const cpu_waiters *c = ctx;
	int64_t x = c->t->calls.end[c->v[a].call], y = c->t->calls.end[c->v[b].call];

	return sort_3way(x, y);
}

/* Sorts the n waiters by group and end, and fills in `least` and `most`.  numbers[i]: the group of waiter i. */
static void cpu_waiters_sort_waiters(cpu_waiters *c, const uint32_t *numbers, size_t n)
{
	uint32_t *sorted;

	c->first = mem_new(size_t, c->groups.n + 1);
	sorted = sort_groups(numbers, n, c->groups.n, c->first);
	for (size_t g = 0; g < c->groups.n; g++)
		sort_items(sorted + c->first[g], c->first[g + 1] - c->first[g], cpu_waiters_compare_ends, c);
	sort_apply(c->v, sorted, n);
	free(sorted);
	for (size_t g = 0; g < c->groups.n; g++)
		for (size_t i = c->first[g + 1]; i-- > c->first[g];) {
			bool is_last = i + 1 == c->first[g + 1];
			waiter *w = &c->v[i];
			w->least = is_last ? w->since : ns_min(w->since, w[1].least);
			w->most = is_last || w->before > w[1].most ? w->before : w[1].most;
		}
}

static void *cpu_waiters_build(trace *t, int64_t unused UNNEEDED)
{
	cpu_waiters *c = mem_new(cpu_waiters, 1);
	const depends *d = depends_of(t);
	size_t nwaits, n = 0;
	const cpu_wait *waits = cpu_waits_all(cpu_waits_of(t), &nwaits);
	uint32_t *numbers = mem_grow(NULL, nwaits, sizeof *numbers);
	int64_t since = 0;

	*c = (cpu_waiters){ .t = t, .kind = sync_calls(t), .groups.width = 4,
		.v = mem_grow(NULL, nwaits, sizeof *c->v) };
	for (size_t i = 0; i < nwaits; i++) {
		int64_t start = t->calls.start[waits[i].call];
		key about;
		if (!i || calls_thread(&t->calls, waits[i].call) != calls_thread(&t->calls, waits[i - 1].call))
			since = start;
		since = ns_max(since, start);
		if (!cpu_waiters_fill_waiter(c, d, &waits[i], &c->v[n], &about))
			continue;
		c->v[n].since = since;
		numbers[n++] = (uint32_t)group_of(&c->groups, about.v);
	}
	cpu_waiters_sort_waiters(c, numbers, n);
	free(numbers);
	return c;
}

static void cpu_waiters_release(void *made)
{
	cpu_waiters *c = made;

	group_free(&c->groups);
	mem_free(c->first, c->v, c);
}

const cpu_waiters *cpu_waiters_of(trace *t)
{
	return trace_keep(t, cpu_waiters_build, 0, cpu_waiters_release);
}

/* Does the waiter wait for this work?  The work must be of the process or stream that the waiter's group is about. */
static bool cpu_waiters_is_waiting_for(const trace *t, const waiter *w, size_t work)
{
	if (t->work.launch[work] != NONE)
		return t->work.launch[work] < w->before;
	return w->last != NONE ? w->last == work :
		t->work.start[work] < t->calls.start[w->call] && !trace_is_migration(t, work);
}

/* Among the calls of a group that waited for the work, the one that ended first; NONE: there is none. */
static uint32_t cpu_waiters_find_first(const cpu_waiters *c, key about, size_t work)
{
	const trace *t = c->t;
	size_t g = group_find(&c->groups, about.v), i;
	uint32_t launch = t->work.launch[work];
	int64_t end = t->work.end[work];

	if (g == GROUP_NONE)
		return NONE;
	search_first(i, c->first[g], c->first[g + 1],
		     t->calls.end[c->v[i].call] >= end - CPU_WAITS_SLACK_NS);
	for (; i < c->first[g + 1] && c->v[i].least < end && (launch == NONE || launch < c->v[i].most); i++)
		if (c->v[i].since < end && cpu_waiters_is_waiting_for(t, &c->v[i], work))
			return c->v[i].call;
	return NONE;
}

static bool cpu_waiters_ended_earlier(const trace_calls *calls, uint32_t a, uint32_t b)
{
	int64_t x = calls->end[a], y = calls->end[b];

	return x != y ? x < y : calls_thread(calls, a) != calls_thread(calls, b) ?
		calls_thread(calls, a) < calls_thread(calls, b) : a < b;
}

/* Is the work a copy to or from the host by a call without Async?  Such a call counts as the waiter even if it returns
 * before a copy from pageable memory ends, because the data is staged: no later call waits for this copy. */
static bool cpu_waiters_is_own_wait(const cpu_waiters *c, size_t work)
{
	const trace_work *w = &c->t->work;
	const char *kind;

	if (w->kind[work] != WORK_COPY || w->launch[work] == NONE ||
	    cpu_waiters_kind_of_call(c, w->launch[work]) != SYNC_CALL_COPY)
		return false;
	kind = work_copy_kind(w->copy_kind[work], WORK_COPY);
	return strcmp(kind, "h2d") == 0 || strcmp(kind, "d2h") == 0 || strcmp(kind, "h2h") == 0;
}

uint32_t cpu_waiter(const cpu_waiters *c, size_t work)
{
	const trace *t = c->t;
	uint32_t stream = t->work.stream[work], first = NONE;
	const trace_stream *s = &t->streams[stream];
	key about[SUBJECTS] = {
		[DEVICE] = cpu_waiters_key_of_subject(DEVICE, s->proc, 0, 0),
		[STREAM] = cpu_waiters_key_of_subject(STREAM, s->proc, s->ctx, s->stream),
		[WORK] = cpu_waiters_key_of_subject(WORK, s->proc, 0, stream),
	};

	if (cpu_waiters_is_own_wait(c, work))
		return t->work.launch[work];
	for (size_t i = 0; i < SUBJECTS; i++) {
		uint32_t call = i == STREAM && s->stream == TRACE_UNKNOWN ? NONE :
									    cpu_waiters_find_first(c, about[i], work);
		if (call != NONE && (first == NONE || cpu_waiters_ended_earlier(&t->calls, call, first)))
			first = call;
	}
	return first;
}
