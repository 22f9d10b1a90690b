/*
 * slice_windows - whether a slice holds all of a window, as it does for the windows that it was made of.
 *
 *     slice_windows_say(t, all, true, say);      // if some window is not all there
 *     if (!slice_windows_hold(t, NONE, &all->v[0].gpu, &all->v[0].cpu))
 *         puts("not all of it was kept");
 *
 * A trace that is no slice holds every window.
 */
#pragma once

#include "timeline/window.h"

bool slice_windows_is_slice(trace *t);       /* is the trace a slice? */

/* Was everything in this time kept?  proc NONE: of every process. */
bool slice_windows_hold(trace *t, uint32_t proc, const ival_set *gpu, const ival_set *cpu);

/* Add remarks on windows that the slice does not hold.  wanted: the user chose the windows. */
void slice_windows_say(trace *t, const windows *all, bool wanted, notes *say);
