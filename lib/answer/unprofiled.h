/*
 * unprofiled - how much longer a run took because its launches were recorded.  The manifest of nsq-capture says how
 * long the run took without a profiler.
 *
 *     int64_t ns;
 *     if (unprofiled_find_excess(t, MANIFEST_OWN, &ns, say))
 *         printf("%lld ns for all launches of a process\n", (long long)ns);
 *
 * A profiled run also takes longer because nsys starts, sets itself up in the program and writes its report.  The time
 * outside the collection and the events of nsys itself are subtracted, because the trace shows these.  The rest is
 * taken to be the cost of the launches, the same for each.  If that is more than a launch can cost, it is a problem.
 */
#pragma once

#include "trace/manifest.h"

/* Find the time that each process of the trace lost in its launches. in: the manifest, or MANIFEST_OWN.  False after a
 * problem: the manifest does not have the time without a profiler; the trace holds only a part of the run; or the lost
 * time is less than the difference of any two runs, or more than launches can cost. */
bool unprofiled_find_excess(trace *t, const char *in, int64_t *ns, notes *say);

/* How much longer a step with `launches` launches takes, ns, if its process lost `excess` ns in `all` launches; at most
 * 18 us for each launch. */
int64_t unprofiled_step_excess(int64_t excess, double launches, int64_t all);
