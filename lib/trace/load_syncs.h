/*
 * load_syncs - reads the records of CUDA events and the synchronizations into trace.syncs.
 *
 *     if (load_syncs(t, 0, corr))                // once calls are in order, with their correlation ids
 *         printf("%zu rows\n", t->syncs.n);
 *
 * A row has no time of its own that could be relied upon: its place in the program
 * is that of the call with its correlation id, as for work (launches.h).
 */
#pragma once

#include "trace/trace.h"

/* Read both tables.  Rows without a globalPid are the adopter's (order_work.h).  Rows without a call are left out, and
 * those of calls that only ask whether something is done, which can be most.  False after a problem. */
bool load_syncs(trace *t, int64_t adopter, const int64_t *corr);
