/*
 * timeline_counters - the counters of a timeline: memory that is allocated, and metrics of GPUs.
 *
 *     if (timeline_counters(tl, all))
 *         printf("%zu counters\n", tl->counters.n);
 */
#ifndef TIMELINE_COUNTERS_H
#define TIMELINE_COUNTERS_H

#include "picture/timeline.h"

/* Add them.  False after a problem. */
bool timeline_counters(timeline *tl, const windows *all);

#endif
