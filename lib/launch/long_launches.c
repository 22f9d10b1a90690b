#include "launch/long_launches.h"
#include "base/memory.h"
#include "launch/call_marks.h"
#include "launch/outer_calls.h"
#include "launch/projection.h"
#include "trace/call_class.h"
#include "trace/sync_calls.h"

typedef vec(int64_t) stream_ends;       /* when the work of each call on a stream ended, in order of the calls */

/* Marks in `why` the calls of a process that launch a kernel for the first time, and those that find the queue of their
 * stream full.  met: an array with an element for each string: 1 + the last process that launched a kernel with this
 * demangled name; 0: none. */
static void long_launches_mark_process(trace *t, uint32_t proc, uint32_t *met, uint8_t *why)
{
	size_t n, streams_end, first = trace_find_streams(t, proc, &streams_end);
	const uint32_t *work = projection_launched(projection_order(t), proc, &n);
	stream_ends *ends = mem_new(stream_ends, streams_end - first);
	uint32_t *last_call = mem_none(uint32_t, streams_end - first);  /* by stream */

	for (size_t i = 0; i < n; i++) {
		uint32_t call = t->work.launch[work[i]];
		size_t stream = t->work.stream[work[i]] - first;
		uint32_t name = t->work.kind[work[i]] == WORK_KERNEL ? work_full(&t->work, work[i]) : STR_NONE;
		stream_ends *ended = &ends[stream];
		if (name != STR_NONE && met[name] != proc + 1) {
			met[name] = proc + 1;
			why[call] = why[call] ? why[call] : LONG_FIRST;
		}
		if (last_call[stream] == call) {
			ended->v[ended->n - 1] = ns_max(ended->v[ended->n - 1], t->work.end[work[i]]);
			continue;
		}
		if (ended->n >= LONG_QUEUED && ended->v[ended->n - LONG_QUEUED] > t->calls.start[call])
			why[call] = LONG_QUEUE;
		last_call[stream] = call;
		vec_push(ended, t->work.end[work[i]]);
	}
	for (size_t s = 0; s < streams_end - first; s++)
		vec_free(&ends[s]);
	mem_free(ends, last_call);
}

/* Does the call's thread make a call of class module inside the call? */
static bool long_launches_loads(const trace *t, size_t call)
{
	const trace_calls *c = &t->calls;
	int64_t end = c->end[call];

	for (size_t i = call + 1; i < c->n && c->start[i] < end; i++)
		if (calls_class(c, i) == CALL_MODULE && calls_thread(c, i) == calls_thread(c, call) &&
		    c->end[i] <= end)
			return true;
	return false;
}

/* Can the call hold a lock?  Calls that wait for the GPU or copy count as holding none.  kind: from sync_calls. */
static bool long_launches_can_hold_lock(const trace *t, const uint8_t *kind, uint32_t call)
{
	uint8_t sync = kind[t->calls.kind[call]];

	return calls_class(&t->calls, call) != CALL_SYNC && sync != SYNC_CALL_COPY && sync != SYNC_CALL_COPY_ASYNC;
}

/* For at least half of the call, are other threads of the process in calls that can hold a lock? */
static bool long_launches_meets_locks(trace *t, size_t call)
{
	const uint8_t *kind = sync_calls(t);
	const outer_calls *o = outer_calls_of(t);
	int64_t start = t->calls.start[call], end = t->calls.end[call], held;
	uint32_t stop, own = calls_thread(&t->calls, call), thread = trace_find_threads(t, t->threads[own].proc, &stop);
	vec(ival) others = { 0 };
	ival_set in_calls;

	for (; thread < stop; thread++)
		for (size_t k = outer_calls_after(t, o, thread, start, SIZE_MAX); k < o->first[thread + 1]; k++) {
			uint32_t other = outer_call(o, k);
			if (thread == own || t->calls.start[other] >= end)
				break;
			if (long_launches_can_hold_lock(t, kind, other))
				vec_push(&others, (ival){ t->calls.start[other], t->calls.end[other] });
		}
	in_calls = ival_union(others.v, others.n);
	held = ival_within(&in_calls, start, end);
	ival_free(&in_calls);
	vec_free(&others);
	return held >= end - start - held;
}

static void *long_launches_build(trace *t, int64_t unused UNNEEDED)
{
	uint32_t *met = mem_new(uint32_t, t->names.n);
	uint8_t *why = mem_new(uint8_t, t->calls.n);

	for (uint32_t p = 0; p < t->nprocs; p++)
		long_launches_mark_process(t, p, met, why);
	free(met);
	for (size_t i = 0; i < t->calls.n; i++) {
		bool slow = calls_class(&t->calls, i) == CALL_LAUNCH &&
			t->calls.end[i] - t->calls.start[i] > CALL_LONG_NS;
		why[i] = !slow ? LONG_NOT : why[i] == LONG_QUEUE ? LONG_QUEUE : long_launches_loads(t, i) ? LONG_LOAD :
			why[i] ? why[i] : long_launches_meets_locks(t, i) ? LONG_LOCK : LONG_NOT;
	}
	return why;
}

const uint8_t *long_launches_of(trace *t)
{
	return trace_keep(t, long_launches_build, 0, free);
}

const char *long_launch_name(enum long_launch why)
{
	static const char *const names[] = { NULL, "queue", "load", "first", "lock" };

	return names[why];
}
