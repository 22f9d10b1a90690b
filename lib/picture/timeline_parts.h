/*
 * timeline_parts - what the files of the timeline share: for lib/picture/timeline*.c alone.
 *
 *     timeline mine = { .t = t };
 *     timeline_track *k = timeline_begin_track(&mine, TIMELINE_MARKS, NONE, 0);
 *     vec_push(&k->events, 0);                   // in order of start
 *     timeline_end_track(&mine);                       // sets missing levels; drops a track without events
 */
#pragma once

#include "picture/timeline.h"

/* Begin a track of a lane (thread NONE) or of a thread (lane NONE).  The result is valid until the next track
 * begins.  timeline_end_track ends the last track, and drops it if it has no events. */
timeline_track *timeline_begin_track(timeline *tl, enum timeline_kind kind, uint32_t lane, uint32_t thread);
void timeline_end_track(timeline *tl);

typedef struct {                /* the levels of a track */
	int64_t until[TIMELINE_LEVELS];         /* for each level: the end of its last event */
} timeline_levels;

/* Put the next event of the track on the first free level from `least` on; if none is free, on the last level.  at:
 * the event's time, cut to the windows.  Returns the level. */
uint32_t timeline_place_event(timeline_levels *l, timeline_track *k, ival at, uint32_t least);

/* timeline_add_projected_track: add the track of a lane for the GPU side of ranges.  timeline_add_exposed_track: add
 * the track of a lane for communication that no compute hides. */
void timeline_add_projected_track(timeline *tl, uint32_t lane);
void timeline_add_exposed_track(timeline *tl, uint32_t lane);

/* Add the counters, after all tracks.  False after a problem. */
bool timeline_add_counters(timeline *tl);
