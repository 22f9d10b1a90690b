#include "relate/lost_events.h"
#include "cli/errors.h"
#include "base/memory.h"

/* Threads with NCCL ranges that made no CUDA call, though launching is what NCCL does. */
static void silent_threads(const trace *t, void (*say)(void *, const trace_proc *, const char *), void *ctx)
{
	for (size_t i = 0; i < t->nthreads; i++)
		if (t->threads[i].nccl_ranges && !t->threads[i].calls)
			say(ctx, &t->procs[t->threads[i].proc],
			    mem_printf("thread %lld has %zu NCCL ranges but no CUDA call",
				       (long long)t->threads[i].tid, t->threads[i].nccl_ranges));
}

/* Kernel launches that outnumber the kernels by half and by a hundred. */
static void missing_kernels(const trace *t, void (*say)(void *, const trace_proc *, const char *), void *ctx)
{
	size_t *kernels = mem_new(size_t, t->nprocs);

	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
			kernels[t->lanes[l].proc] += t->work.kind[i] <= WORK_GRAPH;
	for (size_t i = 0; i < t->nprocs; i++) {
		size_t launches = t->procs[i].launches;
		if (launches > kernels[i] + kernels[i] / 2 && launches >= kernels[i] + 100)
			say(ctx, &t->procs[i], mem_printf("%zu launches but only %zu kernels", launches, kernels[i]));
	}
	free(kernels);
}

void lost_find(const trace *t, void (*say)(void *ctx, const trace_proc *p, const char *text), void *ctx)
{
	silent_threads(t, say, ctx);
	missing_kernels(t, say, ctx);
}

static void warn(void *ctx, const trace_proc *p, const char *text)
{
	const trace *t = ctx;

	note("events of process %lld in '%s' were lost: %s; its numbers are too low, capture again "
	     "(nsys profile --cuda-flush-interval=100)", (long long)p->pid, t->path, text);
}

void lost_warn(const trace *t)
{
	lost_find(t, warn, (void *)t);
}
