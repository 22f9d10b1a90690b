/*
 * slice_windows - does a slice (a part of a trace, written by nsq-slice) hold everything in a window?  It does for the
 * windows that it was made for.
 *
 *     slice_windows_say(t, all, true, say);      // warns if a window is not all there
 *     if (!slice_windows_hold(t, NONE, &all->v[0].gpu, &all->v[0].cpu))
 *         puts("not all of it was kept");
 *
 * A trace that is no slice holds every window.
 */
#pragma once

#include "timeline/window.h"

bool slice_windows_is_slice(trace *t);

/* Did the slice keep everything of the process in these times?  proc NONE: of every process.  True if the trace is no
 * slice. */
bool slice_windows_hold(trace *t, uint32_t proc, const ival_set *gpu, const ival_set *cpu);

/* Does nothing if the trace is no slice.  chosen (the user chose the windows): warn of the first window that the slice
 * does not hold entirely.  Otherwise, remark that the trace is a slice. */
void slice_windows_say(trace *t, const windows *all, bool chosen, notes *say);
