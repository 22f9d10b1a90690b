/*
 * unprofiled - what recording its launches cost a run, by the time that it took without a profiler.
 *
 *     int64_t ns;
 *     if (unprofiled_excess(t, MANIFEST_OWN, &ns, say))
 *         printf("%lld ns for all launches of a process\n", (long long)ns);
 *
 * Two runs differ in more than the steps: nsys starts, writes its report, and sets itself up in the program.  What
 * the trace tells of that is taken off: the time outside the collection, and the events of nsys itself.  The rest is
 * taken to be spent on launches, on each the same; where that would be more than a launch can cost, it is not.
 */
#pragma once

#include "trace/manifest.h"

/* What each of its processes lost.  False after a problem: the manifest does not tell it. */
bool unprofiled_excess(trace *t, const char *in, int64_t *ns, notes *say);

/* The share of a step with `launches` of all launches of its process. */
int64_t unprofiled_step(int64_t excess, double launches, int64_t all);
