/*
 * shapes - the FLOPs of kernels, by the sizes in the names of the ranges around their launches.
 *
 *     shapes *s = shapes_build(t, around_of(t, AROUND_WORK));
 *     const flops_value *v = s ? shapes_of(s, 0) : NULL;        // of work 0; NULL: not known
 *     printf("%lld FLOPs\n", v ? (long long)v->flops : -1);
 *     shapes_free(s);
 *
 * share/rules/flops.tsv says what an operator computes.  A kernel belongs to the innermost range around its launch
 * whose FLOPs are known.  An operator that contains such another is not counted, as the other does its work.  The FLOPs
 * of an operator are those of the products among its kernels (share/rules/matmul.tsv), by their time; of all its
 * kernels where no name tells.
 */
#pragma once

#include "launch/ranges_around.h"

typedef struct {
	int64_t flops;
	int64_t elements;       /* read and written at least: each operand once, and each result */
} flops_value;

typedef struct shapes shapes;

/* Needs TRACE_KERNELS, TRACE_LAUNCH and TRACE_RANGES.  NULL: no range has sizes in its name.  Names may be added to the
 * trace.  a: without AROUND_ADOPT, as a range of another thread launches nothing. */
shapes *shapes_build(trace *t, const around *a);
void shapes_free(shapes *s);    /* NULL is allowed */

/* Of a piece of work; NULL: not known. */
const flops_value *shapes_of(const shapes *s, size_t work);

/* The operator of a piece of work whose FLOPs are known, with its sizes or, always, without: a string, "aten::mm [2, 3]
 * [3, 5]" or "aten::mm", or STR_NONE. */
uint32_t shapes_label(shapes *s, size_t work, bool sizes);
