/*
 * caught - what a capture holds: what is wrong with it, and the steps that were asked for.
 *
 *     notes say = { 0 };
 *     if (caught_steps("cap/nsys/whole.sqlite", "10..12", "cap/nsys/run.sqlite", &say))
 *         caught_check("cap/nsys/run.sqlite", &params, &say);    // remarks: nsys lost events; capture ...
 *     notes_free(&say);
 */
#pragma once

#include "capture/params.h"

/* Write the steps A..B of a trace as a slice of it, in which nothing else is left out.  False after a problem. */
bool caught_steps(const char *trace, const char *steps, const char *to, notes *say);

/* Is A..B, or A, what caught_steps takes? */
bool caught_steps_fit(const char *steps);

/* Why nothing at all may have been captured; NULL: no option explains it. */
const char *caught_why_nothing(const capture_params *p, arena *to);

/* Say in one line each what is wrong with a trace, and how to capture a better one. */
void caught_check(const char *trace, const capture_params *p, notes *say);
