/*
 * load_syncs - reads the records of CUDA events and the synchronizations into trace.syncs.
 *
 *     if (load_syncs(t, 0, corr))                // once calls are in order, with their correlation ids
 *         printf("%zu rows\n", t->syncs.n);
 *
 * The times in these rows are not reliable, so a row takes its place in the program
 * from the call with its correlation id, as work does (launches.h).
 */
#pragma once

#include "trace/trace.h"

/* Read both tables.  Rows without a globalPid belong to the process `adopter` (order_work.h).  Two kinds of rows are
 * left out: those without a call, and those of calls that only ask whether something is done, which can be most rows.
 * False after a problem. */
bool load_syncs(trace *t, int64_t adopter, const int64_t *corr);
