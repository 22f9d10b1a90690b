/*
 * kernel_flaws - kernels that could take less time, as their names, their sizes and the work around them tell.
 *
 *     owners *o = owners_build(t, &(owners_params){ 0 });
 *     kernel_flaws *f = kernel_flaws_build(t, o);
 *     if (t->work.n && kernel_flaws_of(f, 0) == FLAW_FILL)
 *         printf("of each ms, %lld ns are wasted\n", (long long)kernel_flaws_waste(f, 0, 1000000));
 *     kernel_flaws_free(f);
 *     owners_free(o);
 *
 * share/conventions/advise.md defines the flaws.  A kernel has at most one, the first in the order of the enum.
 */
#pragma once

#include "step/owners.h"

enum flaw {
	FLAW_NONE,
	FLAW_ATTENTION,         /* it is a part of attention that is not one kernel: a softmax between two products */
	FLAW_FILL,              /* it has too few blocks for the GPU, and runs alone */
	FLAW_ALIGN,             /* a matrix product that reads a few bytes at a time */
	FLAW_MOVE               /* it only moves data */
};

enum { KERNEL_SHORT_NS = 10000 };       /* a kernel below this is short: launching it takes about as long */

typedef struct kernel_flaws kernel_flaws;

kernel_flaws *kernel_flaws_build(trace *t, const owners *o);
void kernel_flaws_free(kernel_flaws *f);

enum flaw kernel_flaws_of(const kernel_flaws *f, size_t work);
const char *kernel_flaws_name(enum flaw flaw);          /* NULL: FLAW_NONE */

/* What its flaw wastes of so much of a kernel's time. */
int64_t kernel_flaws_waste(const kernel_flaws *f, size_t work, int64_t ns);

/* The run of pointwise and moving kernels that it belongs to; NONE: it is in none with three that are not short, or a
 * CUDA graph replays it.  Such kernels with another flaw neither belong to a run nor end it. */
uint32_t kernel_flaws_run(const kernel_flaws *f, size_t work);
