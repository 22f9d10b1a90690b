/*
 * steady - which steps of a run are its steady state, and which of them is the typical one.
 *
 *     int64_t period[] = { 90, 40, 41, 39, STEADY_NONE }, length[] = { 80, 35, 35, 35, 35 };
 *     steady s;
 *     steady_find(&(steady_list){ period, length, NULL, 5 }, 1, &s, true);
 *     printf("%zu to %zu, typically %zu\n", s.first, s.end, s.typical);          // 1 to 4, typically 1
 *
 * Warm-up, and a last step that has no period, are not steady.  If the work changes from step to step (a trend), no
 * step is warm-up.  share/conventions/window.md, "Steady steps", has the rules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEADY_NONE INT64_MIN           /* no period, or busy time not measured */

typedef struct {                        /* the steps of a process, in order of start */
	int64_t *period;                /* by step: ns from its start to that of the next step, or STEADY_NONE */
	int64_t *length;                /* by step: its own length, ns */
	int64_t *busy;                  /* by step: its compute and copy time, ns; NULL: not measured */
	size_t n;
} steady_list;

void steady_list_free(steady_list *l);

typedef struct {
	size_t first, end;              /* the steady steps, [first,end); all steps if none has a period */
	size_t typical;                 /* the typical step: among the steady steps, the one whose period is the median
					 * (of two middle ones, the lower).  If no step has a period, lengths are used
					 * instead.  n: there are no steps */
	bool trend;                     /* do the periods and the busy times both grow, or both shrink? */
	int64_t from;                   /* with a trend: the mean period of the first fifth of the steps, ns */
	int64_t to;                     /* with a trend: the mean period of the last fifth of the steps, ns */
} steady;

/* Judge the steps of each of n processes.  If there are several processes, all with equally many steps, all get one
 * answer, from their summed periods.  Without `leave_out`, no step is left out, and only the typical step is found. */
void steady_find(const steady_list *lists, size_t n, steady *out, bool leave_out);

/* Are busy times needed to decide whether there is a trend or a long warm-up? */
bool steady_needs_busy(const steady_list *lists, size_t n);
