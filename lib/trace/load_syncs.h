/*
 * load_syncs - reads the records of CUDA events and the synchronizations into trace.syncs.
 *
 *     syncs_raw syncs = { 0 };
 *     if (load_syncs(t, 0, &syncs))
 *         printf("%zu rows\n", t->syncs.n);
 *     load_syncs_free(&syncs);
 *
 * A row has no time of its own that could be relied upon: its place in the program
 * is that of the call with its correlation id, as for work (launches.h).
 */
#pragma once

#include "base/group.h"
#include "trace/trace.h"

typedef struct {
	group places;           /* process, context, stream */
	int64_t *id;            /* by row: the correlation id */
	uint32_t *by_process;   /* the rows by process */
} syncs_raw;

/* Read both tables; rows without a globalPid are the adopter's (order_work.h).  They stay in the tables' order until
 * load_syncs_order.  False after a problem. */
bool load_syncs(trace *t, int64_t adopter, syncs_raw *raw);

/* Once syncs.call holds the call of each row, or NONE: leave out the rows without one and those of calls that only ask
 * whether something is done, which can be most, and put the others in the order of calls. */
void load_syncs_order(trace *t);
void load_syncs_free(syncs_raw *raw);
