/*
 * load_syncs - reads the records of CUDA events and the synchronizations into trace.syncs.
 *
 *     if (load_syncs(t, 0, corr))                // once calls are in order, with their correlation ids
 *         printf("%zu rows\n", t->syncs.n);
 *
 * The times in these rows are not reliable.  A row is therefore joined to the call with its correlation id, as work is
 * (launches.h), and counts as made when that call was made.
 */
#pragma once

#include "trace/trace.h"

/* Read the table of synchronizations and the table of records.  Rows without a globalPid belong to the process
 * `adopter` (as in global_id.h).  A row is kept if its call waits for a stream or an event, makes a stream wait, or
 * records an event.  Rows of other calls and rows without a call are left out; these are most rows if the program
 * often asks whether something is done.  `corr` has the correlation id of each call.  False after a problem. */
bool load_syncs(trace *t, int64_t adopter, const int64_t *corr);
