/*
 * slice_windows - what a slice holds of windows: those that it was made of, and of others nothing can be said.
 *
 *     slice_windows_say(t, all, true, say);      // if some window is not all there
 *     if (!slice_windows_hold(t, &all->v[0]))
 *         puts("not all of it was kept");
 *
 * Every window is in a trace that is no slice.
 */
#ifndef SLICE_WINDOWS_H
#define SLICE_WINDOWS_H

#include "relate/window.h"

/* Was all of it kept? */
bool slice_windows_hold(trace *t, const window *w);

/* Remark on what was not kept; asked: the windows are the user's. */
void slice_windows_say(trace *t, const windows *all, bool asked, notes *say);

/* Leave only those of which all was kept; true: some are left, or the trace is no slice. */
bool slice_windows_only(trace *t, windows *all);

#endif
