/*
 * exposure - how much of a kernel runs beside compute of the same process and GPU, and at which stage it is.
 *
 *     exposure *x = exposure_build(t, r, AROUND_WORK);   // r NULL: stages are not asked for
 *     exposure_parts all = { 0 };
 *     exposure_in(t, w, &all);
 *     for (size_t i = 0; i < all.n; i++)
 *         printf("%lld ns hidden\n", (long long)all.v[i].hidden);
 *     vec_free(&all);
 *     exposure_free(x);
 */
#pragma once

#include "base/memory.h"
#include "launch/labels.h"
#include "timeline/window.h"

typedef struct exposure exposure;

/* Stages need TRACE_LAUNCH, TRACE_RANGES and what the ranges around work need beyond them: what is
 * AROUND_WORK or more.  rules must outlive the exposure. */
exposure *exposure_build(trace *t, const rules *r, unsigned what);
void exposure_free(exposure *x);

typedef struct {                /* work that communicates, in a window */
	size_t work, lane;
	size_t comm;            /* its number in comm_work */
	int64_t dur;            /* how long it runs in the GPU side, */
	int64_t hidden;         /* and how much of that compute of its lane covers */
} exposure_part;

typedef vec(exposure_part) exposure_parts;

/* What communicates in a window, in the order of comm_work_next, instead of what the list holds. */
void exposure_in(trace *t, const window *w, exposure_parts *to);

/* The same without the times, which are 0. */
void exposure_list(trace *t, const window *w, exposure_parts *to);

/* The stage of work, a string of the trace's names: the label of its ranges under the rules, or the folded name of the
 * innermost range outside NCCL's domain; serial:LABEL for a communication kernel on a compute stream, which it runs in
 * line with. */
uint32_t exposure_stage(exposure *x, size_t work);
