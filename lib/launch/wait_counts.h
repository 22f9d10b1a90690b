/*
 * wait_counts - how many waits of streams for events there are, and for how many of them the trace has the record of
 * the event.
 *
 *     wait_counts *c = wait_counts_build(t);     // needs TRACE_WORK and TRACE_SYNCS
 *     wait_counts_add(c, 0, 1, 1, 0);            // one wait of process 0 in context 1, without a record
 *     wait_counts_sum_lanes(c);
 *     int64_t waits, found;
 *     wait_counts_of(c, 0, &waits, &found);
 *     wait_counts_warn(c, say);
 *     wait_counts_free(c);
 *
 * A call that tells a stream to wait may have no row in the table of synchronizations; if events were not traced, no
 * call has one.  While a CUDA graph is captured, nothing waits, so a call without a row is not counted then.
 */
#pragma once

#include "base/notes.h"
#include "trace/sync_calls.h"

typedef struct wait_counts wait_counts;

/* Counts, by process, the calls that tell a stream to wait, and how many of them have a row.  The caller adds the
 * waits in these rows with wait_counts_add. */
wait_counts *wait_counts_build(trace *t);
void wait_counts_free(wait_counts *c);

/* Add waits of the streams in a context.  All of them have a row, and `found` of them have a record.  After the last
 * call of this function, call wait_counts_sum_lanes, which sums them up by lane (trace_lane: a process's work on one
 * GPU). */
void wait_counts_add(wait_counts *c, uint32_t proc, int64_t ctx, int64_t waits, int64_t found);
void wait_counts_sum_lanes(wait_counts *c);

/* The number of waits in the contexts of a lane, and how many of them have a record.  The context of a call without a
 * row is unknown, so the call counts as a wait without a record on every lane of its process. */
void wait_counts_of(const wait_counts *c, size_t lane, int64_t *waits, int64_t *found);

/* Do fewer than half of the process's calls that tell a stream to wait have a row?  The work may then have waited for
 * events that the trace does not show. */
bool wait_counts_lacks_rows(const wait_counts *c, uint32_t proc);

/* Warn if waits have no record, and name the processes that lack rows (wait_counts_lacks_rows). */
void wait_counts_warn(const wait_counts *c, notes *say);
