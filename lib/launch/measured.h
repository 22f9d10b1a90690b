/*
 * measured - what Nsight Compute measured for each kernel of a trace.
 *
 *     measured *m = measured_build(t, projection_on(t, -1), around_of(t, AROUND_WORK), csv);
 *     const ncu_value *v = measured_of(m, 0);    // of work 0; NULL: it was not measured
 *     printf("%lld FLOPs\n", v ? (long long)v->flops : -1);
 *     measured_free(m);
 *
 * The key of a launch is its short name (or its function's name, if ncu printed no more), grid and block.  Launches of
 * different sizes may share a key, so launches are matched in order: wherever the measured sequence of keys recurs in a
 * process's order of launch, each launch has the values of the measured launch at the same place, its counterpart.
 * Launches whose key was never measured are skipped.  A launch without a counterpart has a mean: over the measured
 * launches of its key in ranges with the same folded name; if there are none, over all measured launches of its key.
 */
#pragma once

#include "launch/projection.h"
#include "launch/ranges_around.h"
#include "trace/ncu_csv.h"

typedef struct measured measured;

/* Needs TRACE_KERNELS, TRACE_SHAPE, TRACE_LAUNCH and TRACE_RANGES.  csv must outlive the result.  May add names to
 * the trace. */
measured *measured_build(trace *t, const projection *p, const around *ranges, const ncu_csv *csv);
void measured_free(measured *m);

/* The values of a piece of work; NULL: it has none.  Some of the values may be missing. */
const ncu_value *measured_of(const measured *m, size_t work);

/* Do the values of the work come from its counterpart in the order of launches? */
bool measured_in_order(const measured *m, size_t work);

/* Do the measurements of the work's key differ in FLOPs or bytes by more than 5 %? */
bool measured_ambiguous(const measured *m, size_t work);
