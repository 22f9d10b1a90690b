#include "launch/call_marks.h"
#include "base/memory.h"
#include "launch/outer_calls.h"
#include "trace/load_work.h"
#include "trace/sync_calls.h"

#include <string.h>

enum { TINY_BYTES = 256, SMALL_BYTES = 65536 };

bool call_marks_is_small_copy(const trace *t, size_t work)
{
	int64_t bytes = t->work.bytes[work];

	return bytes >= 0 && bytes < SMALL_BYTES &&
		(work_is_copy(t, work, "memcpy h2d") || (bytes > TINY_BYTES && work_is_copy(t, work, "memcpy d2h")));
}

static bool call_marks_handles_graphs(const char *name)
{
	static const char *const words[] = { "GraphInstantiate", "GraphUpload", "GraphExecUpdate", "GraphDestroy",
		"GraphExecDestroy", "GraphClone" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static void call_marks_mark_graphs(trace *t, call_marks *m)
{
	bool *handles = mem_new(bool, t->calls.nkinds);

	for (size_t k = 0; k < t->calls.nkinds; k++)
		handles[k] = t->calls.kinds[k].name != STR_NONE &&
			call_marks_handles_graphs(str_at(&t->names, t->calls.kinds[k].name));
	for (size_t i = 0; i < t->calls.n; i++)
		m->of[i] |= handles[t->calls.kind[i]] ? CALL_GRAPHS : 0;
	free(handles);
}

/* Does the call that makes the copy wait for it?  It does if it has no Async in its name, or if a side of the copy is
 * pageable. */
static bool call_marks_waits_for_copy(const trace *t, const uint8_t *kind, size_t work)
{
	uint8_t does = kind[t->calls.kind[t->work.launch[work]]];

	return does == SYNC_CALL_COPY || (does == SYNC_CALL_COPY_ASYNC && work_is_pageable(t, work));
}

/* For each name of a kernel, finds the call that launches it first in the process, and marks this call if it is long.
 * first: an array with an element for each of the first `names` strings: the call found so far; all NONE before and
 * after. */
static void call_marks_mark_first_launches(const trace *t, uint32_t proc, uint32_t *first, size_t names, call_marks *m)
{
	size_t end, lane = trace_find_lanes(t, proc, &end);

	for (int again = 0; again < 2; again++)
		for (size_t l = lane; l < end; l++)
			for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++) {
				uint32_t name = t->work.kind[i] == WORK_KERNEL ? work_name(&t->work, i) : STR_NONE;
				uint32_t call = name < names ? first[name] : NONE;
				if (!again && name < names && t->work.launch[i] < call)
					first[name] = t->work.launch[i];
				if (!again || call == NONE)
					continue;
				if (t->calls.end[call] - t->calls.start[call] > CALL_LONG_NS)
					m->of[call] |= CALL_FIRST;
				first[name] = NONE;
			}
}

static void call_marks_mark_work(trace *t, call_marks *m)
{
	const uint8_t *kind = sync_calls(t);
	size_t names = t->names.n;              /* other threads may add names meanwhile */
	uint32_t *first = mem_none(uint32_t, names);

	for (uint32_t p = 0; p < t->nprocs; p++)
		call_marks_mark_first_launches(t, p, first, names, m);
	free(first);
	for (size_t i = 0; i < t->work.n; i++)
		if (t->work.kind[i] == WORK_COPY && t->work.launch[i] != NONE) {
			int64_t bytes = t->work.bytes[i];
			m->of[t->work.launch[i]] |= (uint8_t)((call_marks_is_small_copy(t, i) ? CALL_SMALL_COPY : 0) |
							      (bytes >= 0 && bytes <= TINY_BYTES &&
									       call_marks_waits_for_copy(t, kind, i) ?
								       CALL_WAITS_TINY_COPY :
								       0));
		}
}

/* Gives each outermost call the marks of the calls inside it. */
static void call_marks_mark_outer_calls(trace *t, call_marks *m)
{
	const outer_calls *o = outer_calls_of(t);
	size_t *from = mem_none(size_t, t->nthreads);

	for (size_t i = 0; i < t->calls.n; i++)
		if (m->of[i]) {
			uint32_t th = calls_thread(&t->calls, i);
			from[th] = outer_calls_after(t, o, th, t->calls.start[i], from[th]);
			if (from[th] < o->first[th + 1])
				m->of[outer_call(o, from[th])] |= m->of[i];
		}
	free(from);
}

static void call_marks_find_captures(trace *t, call_marks *m)
{
	const uint8_t *kind = sync_calls(t);
	int64_t *since = mem_new(int64_t, t->nthreads);

	for (size_t i = 0; i < t->nthreads; i++)
		since[i] = INT64_MIN;
	for (size_t i = 0; i < t->calls.n; i++) {
		uint32_t th = calls_thread(&t->calls, i);
		uint8_t does = kind[t->calls.kind[i]];
		if (does == SYNC_CALL_BEGIN_CAPTURE && since[th] == INT64_MIN) {
			since[th] = t->calls.start[i];
		} else if (does == SYNC_CALL_END_CAPTURE && since[th] != INT64_MIN) {
			ival_add(&m->capturing[th], since[th], t->calls.end[i]);
			since[th] = INT64_MIN;
		}
	}
	free(since);
}

static void *call_marks_build(trace *t, int64_t unused UNNEEDED)
{
	call_marks *m = mem_new(call_marks, 1);

	*m = (call_marks){ mem_new(uint8_t, t->calls.n), mem_new(ival_set, t->nthreads), t->nthreads };
	call_marks_mark_graphs(t, m);
	call_marks_mark_work(t, m);
	call_marks_mark_outer_calls(t, m);
	call_marks_find_captures(t, m);
	return m;
}

static void call_marks_release(void *made)
{
	call_marks *m = made;

	for (size_t i = 0; i < m->nthreads; i++)
		ival_free(&m->capturing[i]);
	mem_free(m->of, m->capturing, m);
}

const call_marks *call_marks_of(trace *t)
{
	return trace_keep(t, call_marks_build, 0, call_marks_release);
}

bool call_marks_is_capturing(const call_marks *m, uint32_t thread, int64_t moment)
{
	return ival_within(&m->capturing[thread], moment, moment + 1) > 0;
}
