/*
 * kernel_flaws - kernels that could take less time, judged by their names, their sizes and the work around them.
 *
 *     owners *o = owners_build(t, &(owners_params){ 0 });
 *     kernel_flaws *f = kernel_flaws_build(t, o);
 *     if (t->work.n && kernel_flaws_of(f, 0) == FLAW_FILL)
 *         printf("of each ms, %lld ns are wasted\n", (long long)kernel_flaws_waste(f, 0, 1000000));
 *     kernel_flaws_free(f);
 *     owners_free(o);
 *
 * share/conventions/advise.md defines the flaws.  A kernel has at most one flaw: the first that applies, in the order
 * of the enum.  A memset, or a copy within the GPU, can have the flaw FLAW_ATTENTION.
 */
#pragma once

#include "step/owners.h"

enum flaw {
	FLAW_NONE,
	FLAW_ATTENTION,         /* with the other work of its stream between two matrix products, it computes attention:
				 * there is a softmax, and the rest is pointwise, only moves data or sets memory */
	FLAW_FILL,              /* it is not short, has blocks for at most half of the multiprocessors, and runs alone
				 * for at least half of its time */
	FLAW_ALIGN,             /* a matrix product on tensor cores whose threads read fewer than 16 bytes with one
				 * instruction */
	FLAW_MOVE               /* it only moves data, and its run of pointwise and moving kernels, if any, does not
				 * compute for more than half of the run's time */
};

enum { KERNEL_SHORT_NS = 10000 };       /* a kernel that takes less counts as short: launching it takes about as long as
					 * running it */

typedef struct kernel_flaws kernel_flaws;

kernel_flaws *kernel_flaws_build(trace *t, const owners *o);
void kernel_flaws_free(kernel_flaws *f);

enum flaw kernel_flaws_of(const kernel_flaws *f, size_t work);
const char *kernel_flaws_name(enum flaw flaw);          /* NULL: FLAW_NONE */

/* How much of `ns` nanoseconds of this kernel its flaw wastes. */
int64_t kernel_flaws_waste(const kernel_flaws *f, size_t work, int64_t ns);

/* The number of the run of pointwise and moving kernels that this kernel belongs to.  NONE: it belongs to none, a CUDA
 * graph replays it, or the run has fewer than three kernels that are not short.  A pointwise or moving kernel with a
 * flaw other than FLAW_MOVE neither belongs to a run nor ends one. */
uint32_t kernel_flaws_run_of(const kernel_flaws *f, size_t work);
