/*
 * exposure - how much of a kernel runs beside compute of the same process and GPU, and at which stage it is.
 *
 *     const quiet *compute = quiet_of(t, QUIET_BESIDE_COMM);
 *     exposure *x = exposure_build(t, r, AROUND_WORK);   // r NULL: stages are not asked for
 *     for (size_t i = 0; i < t->lanes[0].n; i++)
 *         if (trace_is_comm(t, i))
 *             printf("%lld ns hidden\n", (long long)exposure_hidden(compute, 0, &w->gpu, i));
 *     exposure_free(x);
 */
#pragma once

#include "relate/labels.h"
#include "relate/quiet.h"

typedef struct exposure exposure;

/* Stages need TRACE_COMM_LAUNCH, TRACE_RANGES and what the ranges around work need beyond them: what is
 * AROUND_WORK or more.  rules must outlive the exposure. */
exposure *exposure_build(trace *t, const rules *r, unsigned what);
void exposure_free(exposure *x);

/* How much of the part of a communication kernel in a side of a window compute of its lane covers. */
int64_t exposure_hidden(const quiet *compute, size_t lane, const ival_set *side, size_t work);

/* The stage of work, a string of the trace's names: the label of its ranges under the rules, or the folded name of the
 * innermost range outside NCCL's domain; serial:LABEL for a communication kernel on a compute stream, which it runs in
 * line with. */
uint32_t exposure_stage(exposure *x, size_t work);
