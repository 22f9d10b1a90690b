/*
 * unprofiled - how much time recording the launches cost a run, from the time that the run took without a profiler.
 *
 *     int64_t ns;
 *     if (unprofiled_excess(t, MANIFEST_OWN, &ns, say))
 *         printf("%lld ns for all launches of a process\n", (long long)ns);
 *
 * A profiled run also takes longer because nsys starts, sets itself up in the program and writes its report.  The trace
 * shows two parts of that time, which are subtracted: the time outside the collection, and the events of nsys itself.
 * The rest is taken to be the cost of launches, the same for each; more than a launch can cost is a problem.
 */
#pragma once

#include "trace/manifest.h"

/* *ns: the time that each process of the trace lost in its launches. in: the manifest, or MANIFEST_OWN.  False after a
 * problem: the manifest does not tell the time without a profiler, or the trace holds only a part of the run; or the
 * lost time is less than two runs differ by anyway, or more than launches can cost. */
bool unprofiled_excess(trace *t, const char *in, int64_t *ns, notes *say);

/* The ns by which a step with `launches` launches takes longer, if its process lost `excess` ns in `all` launches; at
 * most 18 us for each launch. */
int64_t unprofiled_step_excess(int64_t excess, double launches, int64_t all);
