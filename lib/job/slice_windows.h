/*
 * slice_windows - what a slice holds of windows: those that it was made of, and of others nothing can be said.
 *
 *     slice_windows_say(t, all, true, say);      // if some window is not all there
 *     if (!slice_windows_hold(t, NONE, &all->v[0].gpu, &all->v[0].cpu))
 *         puts("not all of it was kept");
 *
 * Every window is in a trace that is no slice.
 */
#pragma once

#include "timeline/window.h"

bool slice_windows_any(trace *t);       /* is it a slice? */

/* Was all of it kept?  proc NONE: of every process. */
bool slice_windows_hold(trace *t, uint32_t proc, const ival_set *gpu, const ival_set *cpu);

/* Remark on what was not kept; asked: the windows are the user's. */
void slice_windows_say(trace *t, const windows *all, bool wanted, notes *say);
