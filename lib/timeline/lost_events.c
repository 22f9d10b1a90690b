#include "timeline/lost_events.h"
#include "base/memory.h"
#include "trace/captured_launches.h"
#include "trace/session.h"

#include <stdio.h>

enum { SIGN_MAX = 120 };        /* bytes in the text of a sign: a few words and two numbers */

typedef void report_sign(void *ctx, const trace_proc *p, const char *text);

/* Finds threads that have NCCL ranges and made no CUDA call.  NCCL launches kernels in these ranges, so calls are
 * missing. */
static void lost_events_find_silent_threads(const trace *t, report_sign *report, void *ctx)
{
	char text[SIGN_MAX];

	for (size_t i = 0; i < t->nthreads; i++) {
		const trace_thread *th = &t->threads[i];
		if (!th->nccl_ranges || th->calls)
			continue;
		snprintf(text, sizeof text, "thread %lld has %zu NCCL ranges but no CUDA call", (long long)th->tid,
			 th->nccl_ranges);
		report(ctx, &t->procs[th->proc], text);
	}
}

/* Was the trace captured under WSL2, and has it no kernel at all?  If so, nsys could not see the GPU, and a shorter
 * --cuda-flush-interval does not help. */
static bool lost_events_saw_no_gpu(const trace *t)
{
	size_t kernels = 0;

	for (size_t i = 0; i < t->nprocs; i++)
		kernels += t->procs[i].kernels;
	return !kernels && session_is_wsl(t);
}

const char *lost_events_cure(const trace *t)
{
	return lost_events_saw_no_gpu(t) ?
		"capture again with a newer Windows, driver and nsys, or outside WSL2, which gave nsys "
		"no GPU activity" :
		"capture again with nsys profile --cuda-flush-interval=100";
}

/* Are there at least `least` more launches than kernels and graphs, and more than one and a half times as many? */
static bool lost_events_has_too_many(size_t launches, size_t kernels, size_t least)
{
	return launches > kernels + kernels / 2 && launches >= kernels + least;
}

static size_t lost_events_subtract(size_t n, size_t some)
{
	return n > some ? n - some : 0;
}

/* Finds processes with too many launches for their kernels (lost_events_has_too_many): at least 100 more, or at least
 * one more if a trace of WSL2 has no kernel at all.  Launches that failed or were captured do not count, because they
 * run nothing. */
static void lost_events_find_missing_kernels(trace *t, report_sign *report, void *ctx)
{
	char text[SIGN_MAX];
	size_t least = lost_events_saw_no_gpu(t) ? 1 : 100;

	for (size_t i = 0; i < t->nprocs; i++) {
		size_t launches = lost_events_subtract(t->procs[i].launches, t->procs[i].failed.launches);
		size_t kernels = t->procs[i].kernels;
		if (lost_events_has_too_many(launches, kernels, least))
			launches = lost_events_subtract(launches, captured_launches(t)[i]);
		if (!lost_events_has_too_many(launches, kernels, least))
			continue;
		if (kernels)
			snprintf(text, sizeof text, "%zu launches but only %zu kernels", launches, kernels);
		else
			snprintf(text, sizeof text, "%zu launches but no kernels", launches);
		report(ctx, &t->procs[i], text);
	}
}

void lost_events_find(trace *t, void (*report)(void *ctx, const trace_proc *p, const char *text), void *ctx)
{
	lost_events_find_silent_threads(t, report, ctx);
	lost_events_find_missing_kernels(t, report, ctx);
}

typedef struct {                /* the signs of a process */
	size_t n;               /* how many there are */
	const char *first;      /* the text of the first one; NULL: there is none */
} signs;

typedef struct {
	const trace *t;
	signs *signs_of;        /* by process */
	arena texts;
} lost_events_count_ctx;

static void lost_events_count_sign(void *ctx, const trace_proc *p, const char *text)
{
	lost_events_count_ctx *c = ctx;
	signs *s = &c->signs_of[p - c->t->procs];

	if (!s->n++)
		s->first = arena_copy(&c->texts, text);
}

typedef struct {
	const trace *t;
	bool *lost;
} lost_events_mark_ctx;

static void lost_events_mark_process(void *ctx, const trace_proc *p, const char *text UNNEEDED)
{
	lost_events_mark_ctx *m = ctx;

	m->lost[p - m->t->procs] = true;
}

static void *lost_events_build(trace *t, int64_t unused UNNEEDED)
{
	bool *lost = mem_new(bool, t->nprocs);

	lost_events_find(t, lost_events_mark_process, &(lost_events_mark_ctx){ t, lost });
	return lost;
}

const bool *lost_events_of(trace *t)
{
	return trace_keep(t, lost_events_build, 0, free);
}

void lost_events_warn(trace *t, int64_t pid, int64_t sub, notes *say)
{
	lost_events_count_ctx c = { .t = t, .signs_of = mem_new(signs, t->nprocs) };
	bool any = false;

	lost_events_find(t, lost_events_count_sign, &c);
	for (uint32_t i = 0; i < t->nprocs; i++) {
		const signs *s = &c.signs_of[i];
		const char *more = s->n < 2 ? "" : arena_printf(&c.texts, "; nsq-setup --facts has %zu more sign%s",
								s->n - 1, s->n > 2 ? "s" : "");
		bool wanted = pid < 0 || trace_is_process(t, i, pid, sub);
		if (s->n && wanted)
			notes_warn(say, "process %s in '%s' lost events, numbers are too low: %s%s",
				   t->procs[i].shown, t->path, s->first, more);
		any |= s->n && wanted;
	}
	if (any)
		notes_remark(say, "%s", lost_events_cure(t));
	arena_free(&c.texts);
	free(c.signs_of);
}
