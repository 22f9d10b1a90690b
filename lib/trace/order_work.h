/*
 * order_work - makes streams and lanes (trace_lane: a process's work on one GPU) from the places of work (work_place),
 * and sorts the work by lane and time.
 *
 *     order_work_adopt(t, &processes, &raw);     // which process owns work without a globalPid?
 *     order_work_build(t, &raw);                 // trace.streams, trace.lanes, the order of trace.work
 *     order_work_add_ids(&raw, &processes);      // add the processes that have work
 *     order_work_number(t, &raw);                // once processes are numbered
 *     order_work_classify(t);                    // once t->comm is known
 *
 * These are several functions because processes can be numbered only when all tables have been read.
 */
#pragma once

#include "trace/load_work.h"

/* Is there work without a globalPid? */
bool order_work_has_orphans(const work_raw *raw);

/* Set the process of each place.  If there is work without a globalPid, set also raw->adopter, the process to which
 * such work belongs.  `nvtx` has the processes (as in global_id.h) with NVTX events.  False after a problem. */
bool order_work_adopt(trace *t, const dict *nvtx, work_raw *raw);

/* Make trace.streams and trace.lanes from the places, and sort the work.  From then on trace.work.stream has indices
 * into trace.streams. */
void order_work_build(trace *t, work_raw *raw);

void order_work_add_ids(const work_raw *raw, dict *processes);
void order_work_number(trace *t, const work_raw *raw);   /* set the processes of streams and lanes; widen the spans
							  * of processes; count kernels and graphs */
void order_work_classify(trace *t);                      /* set the class of each stream */
