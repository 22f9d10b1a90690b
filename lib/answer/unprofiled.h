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
 * assumed to be the cost of recording the launches, the same for each launch.
 */
#pragma once

#include "trace/manifest.h"

/* Find the time that each process of the trace lost because its launches were recorded; *ns gets it. manifest_name:
 * MANIFEST_OWN, or the name of a manifest or of its folder.  False after a problem: the manifest lacks the time without
 * a profiler; the trace holds only a part of the run; the lost time is so short that any two runs may differ by it; or
 * it is more than launches can cost. */
bool unprofiled_find_excess(trace *t, const char *manifest_name, int64_t *ns, notes *say);

/* How much longer a step with `launches` launches takes, ns, if its process lost `excess` ns in `all` launches; at most
 * 18 us for each launch. */
int64_t unprofiled_step_excess(int64_t excess, double launches, int64_t all);
