/*
 * report_steps - the steps that a report looks at: the typical one of each process, and the steady ones.
 *
 *     report_steps steps = { 0 };
 *     if (report_steps_find(&steps, r, t, say))
 *         printf("%zu windows\n", steps.each.n);
 *     report_steps_free(&steps);
 *
 * The typical step is chosen over all traces together, when each has been looked at and
 * freed.  So what is said of it is asked of every step, and the rows of the others are
 * dropped at the end.
 */
#ifndef REPORT_STEPS_H
#define REPORT_STEPS_H

#include "picture/report_parts.h"

typedef struct {
	window_asks each;       /* every step that may be the typical one */
	window_asks steady;     /* the steady ones of each process, up to the next one */
} report_steps;

/* The steps of a trace; also adds them to those that the typical one is chosen from.  False after a problem. */
bool report_steps_find(report_steps *s, report *r, trace *t, notes *say);

void report_steps_free(report_steps *s);

/* After all traces: choose the typical steps, and keep what was said of these. */
void report_steps_finish(report *r, notes *say);

/* Why there are none, not even processes as a whole. */
const char *report_no_steps(report *r);

#endif
