#include "relate/lost_events.h"
#include "base/memory.h"

#include <stdio.h>

enum { SIGN_MAX = 120 };        /* bytes in the text of a sign: a few words and two numbers */

typedef void found(void *ctx, const trace_proc *p, const char *text);

/* Threads with NCCL ranges that made no CUDA call, although NCCL launches kernels in those ranges. */
static void silent_threads(const trace *t, found *say, void *ctx)
{
	char text[SIGN_MAX];

	for (size_t i = 0; i < t->nthreads; i++) {
		const trace_thread *th = &t->threads[i];
		if (!th->nccl_ranges || th->calls)
			continue;
		snprintf(text, sizeof text, "thread %lld has %zu NCCL ranges but no CUDA call", (long long)th->tid,
			 th->nccl_ranges);
		say(ctx, &t->procs[th->proc], text);
	}
}

/* Processes with at least 100 more launches than kernels and graphs, and more than one and a half times
 * as many. */
static void missing_kernels(const trace *t, found *say, void *ctx)
{
	size_t *kernels = mem_new(size_t, t->nprocs);
	char text[SIGN_MAX];

	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
			kernels[t->lanes[l].proc] += t->work.kind[i] <= WORK_GRAPH;
	for (size_t i = 0; i < t->nprocs; i++) {
		size_t launches = t->procs[i].launches;
		if (launches <= kernels[i] + kernels[i] / 2 || launches < kernels[i] + 100)
			continue;
		snprintf(text, sizeof text, "%zu launches but only %zu kernels", launches, kernels[i]);
		say(ctx, &t->procs[i], text);
	}
	free(kernels);
}

void lost_events_find(const trace *t, void (*say)(void *ctx, const trace_proc *p, const char *text), void *ctx)
{
	silent_threads(t, say, ctx);
	missing_kernels(t, say, ctx);
}

typedef struct {
	const trace *t;
	notes *say;
} warning;

static void warn(void *ctx, const trace_proc *p, const char *text)
{
	const warning *w = ctx;

	notes_remark(w->say, "events of process %s in '%s' were lost: %s; its numbers are too low, capture again "
		     "(nsys profile --cuda-flush-interval=100)", p->shown, w->t->path, text);
}

void lost_events_warn(const trace *t, notes *say)
{
	lost_events_find(t, warn, &(warning){ t, say });
}
