#include "timeline/clock_offset.h"
#include "base/memory.h"
#include "base/number.h"
#include "trace/load_work.h"

#include <stdio.h>
#include <string.h>

/* APART_NS: if work starts before its call, or a copy ends after its call, by no more than this, the clocks are not
 * wrong.  ONE_IN: work that starts too early is reported only if it is at least one in ONE_IN pieces, because the
 * correlation ids of fewer pieces may be wrong. */
enum { APART_NS = 100000, ONE_IN = 100 };

typedef struct {                /* counts of a process */
	size_t launched;        /* pieces of work whose call is in the trace */
	size_t early;           /* pieces of work that start more than APART_NS before their call */
	size_t copies;          /* copies to pageable memory whose call is in the trace */
	size_t late;            /* copies to pageable memory that end more than APART_NS after their call */
	int64_t most_early;     /* the longest time by which work starts before its call, ns; 0: none does */
	int64_t most_late;      /* the longest time by which such a copy ends after its call, ns; 0: none does */
} clock_counts;

static bool clock_offset_call_waits_for(const trace *t, size_t work)
{
	bool is_copy = t->work.kind[work] == WORK_COPY;
	const char *dst = is_copy ? work_mem_kind(t->work.dst_kind[work]) : NULL;

	return dst && strcmp(dst, "pageable") == 0;
}

/* Add a piece of work and its call to the counts of their process.  Returns whether the work starts too early. */
static bool clock_offset_count_work(const trace *t, size_t work, uint32_t call, clock_counts *counts)
{
	int64_t early = t->calls.start[call] - t->work.start[work], late;

	counts->launched++;
	counts->early += early > APART_NS;
	counts->most_early = ns_max(early, counts->most_early);
	if (!clock_offset_call_waits_for(t, work))
		return early > APART_NS;
	late = t->work.end[work] - t->calls.end[call];
	counts->copies++;
	counts->late += late > APART_NS;
	counts->most_late = ns_max(late, counts->most_late);
	return early > APART_NS;
}

/* Returns an array with an element for each process: its counts.  A lane is the work of one process on one GPU. */
static void *clock_offset_build(trace *t, int64_t unused UNNEEDED)
{
	clock_counts *counts = mem_new(clock_counts, t->nprocs + 1);
	size_t lanes = t->work.launch && t->calls.start ? t->nlanes : 0;

	for (const trace_lane *lane = t->lanes; lane < t->lanes + lanes; lane++) {
		uint32_t timely = NONE; /* the call of the piece counted last, or NONE if that piece starts too early;
					 * work of the same call that comes later in the lane starts no earlier */
		for (size_t i = lane->first; i < lane->first + lane->n; i++) {
			uint32_t call = t->work.launch[i];
			if (call == NONE)
				continue;
			if (call == timely && t->work.kind[i] != WORK_COPY)
				counts[lane->proc].launched++;
			else
				timely = clock_offset_count_work(t, i, call, &counts[lane->proc]) ? NONE : call;
		}
	}
	return counts;
}

void clock_offset_find(trace *t, void (*report)(void *ctx, const trace_proc *p, const char *text), void *ctx)
{
	const clock_counts *all = trace_keep(t, clock_offset_build, 0, free);
	char text[160], ms[NUMBER_MS_SIZE];

	for (size_t i = 0; i < t->nprocs; i++) {
		const clock_counts *c = &all[i];
		bool early = c->early && c->early * ONE_IN >= c->launched, late = c->late && 2 * c->late >= c->copies;
		if (early)
			snprintf(text, sizeof text, "%zu of %zu pieces of work start before the call that launches "
				 "them, by up to %s ms", c->early, c->launched, number_ms((double)c->most_early, ms));
		else if (late)
			snprintf(text, sizeof text, "%zu of %zu copies to pageable memory end after the call that "
				 "waits for them, by up to %s ms", c->late, c->copies,
				 number_ms((double)c->most_late, ms));
		if (early || late)
			report(ctx, &t->procs[i], text);
	}
}

typedef struct {
	const trace *t;
	int64_t pid, sub;
	notes *say;
} clock_offset_warn_ctx;

static void clock_offset_warn_of_process(void *ctx, const trace_proc *p, const char *text)
{
	const clock_offset_warn_ctx *w = ctx;

	if (w->pid < 0 || trace_is_process(w->t, (uint32_t)(p - w->t->procs), w->pid, w->sub))
		notes_warn(w->say, "CPU and GPU clocks disagree in process %s of '%s': %s", p->shown, w->t->path,
			   text);
}

void clock_offset_warn(trace *t, int64_t pid, int64_t sub, notes *say)
{
	clock_offset_find(t, clock_offset_warn_of_process, &(clock_offset_warn_ctx){ t, pid, sub, say });
}
