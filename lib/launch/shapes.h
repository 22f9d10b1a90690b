/*
 * shapes - the FLOPs of kernels, by the sizes in the names of the ranges around their launches.
 *
 *     shapes *s = shapes_build(t, around_of(t, AROUND_WORK));
 *     const flops_value *v = s ? shapes_of(s, 0) : NULL;        // of work 0; NULL: not known
 *     printf("%lld FLOPs\n", v ? (long long)v->flops : -1);
 *     shapes_free(s);
 *
 * An operator is a range with sizes in its name (trace/shape_name.h).  share/rules/flops.tsv says what it computes.  A
 * kernel belongs to the innermost operator around its launch whose FLOPs are known.  An operator that contains another
 * one with known FLOPs is not counted, because the inner one does the work.  The kernels of an operator share its FLOPs
 * in proportion to their times: those that are matrix products or attention by their names (share/rules/matmul.tsv) or,
 * if none is, all of them.
 */
#pragma once

#include "launch/ranges_around.h"

typedef struct {
	int64_t flops;
	int64_t elements;       /* how many elements must be read and written at least: each operand and each result
				 * once */
} flops_value;

typedef struct shapes shapes;

/* Needs TRACE_KERNELS, TRACE_LAUNCH and TRACE_RANGES.  NULL if no range has sizes in its name.  May add names to the
 * trace.  a must be without AROUND_ADOPT, because a range of another thread launches nothing. */
shapes *shapes_build(trace *t, const around *a);
void shapes_free(shapes *s);    /* NULL is allowed */

/* The share of a piece of work in the FLOPs and elements of its operator; NULL: not known. */
const flops_value *shapes_of(const shapes *s, size_t work);

/* The operator of a piece of work, or STR_NONE if its FLOPs are not known: a string such as "aten::mm [2, 3] [3, 5]"
 * or, without sizes, "aten::mm".  The strings are kept, so all calls must have the same `sizes`. */
uint32_t shapes_label(shapes *s, size_t work, bool sizes);
