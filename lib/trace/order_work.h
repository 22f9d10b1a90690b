/*
 * lane - puts work in order: streams, lanes, and the work of each lane by time.
 *
 * In steps, as processes can be numbered only when all tables have been read:
 * lane_build sorts places into trace.streams and trace.lanes and the work by
 * them; lane_number says of which process each is.
 */
#ifndef LANE_H
#define LANE_H

#include "trace/load_work.h"

/* Which process the work without one belongs to: the first that makes API calls; without such the first of
 * all, others being the ids (>> 24) of those that NVTX names.  False after a complaint. */
bool lane_adopt(const trace *t, const dict *others, work_raw *raw);

void lane_build(trace *t, work_raw *raw);
void lane_ids(const work_raw *raw, dict *processes);      /* announce the global ids met */
void lane_number(trace *t, const work_raw *raw);

/* Class of each stream over the whole trace, once t->comm is known. */
void lane_classify(trace *t);

#endif
