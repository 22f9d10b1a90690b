/*
 * measured - what Nsight Compute measured for each kernel of a trace.
 *
 *     measured *m = measured_build(t, projection_on(t, -1), around_of(t, AROUND_WORK), csv);
 *     const ncu_value *v = measured_of(m, 0);    // of work 0; NULL: it was not measured
 *     printf("%lld FLOPs\n", v ? (long long)v->flops : -1);
 *     measured_free(m);
 *
 * The key of a launch is its short name, grid and block; if ncu printed only the function's name, that stands for the
 * short name.  Launches of different sizes may share a key, so launches are matched in order.  The sequence of keys of
 * each measured process is searched for in each process of the trace, where launches whose key was never measured are
 * skipped.  Wherever the whole sequence occurs, the i-th launch gets the values of the i-th measured launch, which is
 * its counterpart.  A launch without a counterpart gets a mean: that of the measured launches of its key in ranges with
 * the same folded name (str_fold) or, if there are none, that of all measured launches of its key.
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

/* The values of a piece of work; NULL: neither it nor its key was measured.  Some of the values may be missing. */
const ncu_value *measured_of(const measured *m, size_t work);

/* Do the values of the work come from its counterpart, and not from a mean? */
bool measured_has_counterpart(const measured *m, size_t work);

/* Do the measurements of the work's key differ in FLOPs or bytes by more than 5 %? */
bool measured_ambiguous(const measured *m, size_t work);
