/*
 * steady - which steps of a run are its steady state, and which of these is the typical one.
 *
 *     int64_t period[] = { 90, 40, 41, 39, STEADY_NONE }, length[] = { 80, 35, 35, 35, 35 };
 *     steady s;
 *     steady_find(&(steady_list){ period, length, NULL, 5 }, 1, &s, true);
 *     printf("%zu to %zu, typically %zu\n", s.first, s.end, s.typical);          // 1 to 4, typically 1
 *
 * Left out are a warm-up and a last step that has no period.  Where the work changes from step to step, which is a
 * trend, none is warm-up.  share/conventions/window.md, "Steady steps", has the rules.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STEADY_NONE INT64_MIN           /* a step without a period, or whose busy time nobody looked at */

typedef struct {                        /* the steps of a process, in order of start */
	int64_t *period, *length;
	int64_t *busy;                  /* how long compute and copies run in each; NULL: nobody looked */
	size_t n;
} steady_list;

void steady_list_free(steady_list *l);

typedef struct {
	size_t first, end;              /* the steady ones; all of them if none has a period */
	size_t typical;                 /* that of the lower median period, or length if none has a period; or n (0) */
	bool trend;                     /* periods and busy times grow, or shrink, */
	int64_t from, to;               /* and these are the mean periods of the first fifth and of the last */
} steady;

/* For each of some processes.  If all have equally many steps, one answer for all of them, from their summed periods.
 * With steadily false nothing is left out, and only the typical step is looked for. */
void steady_find(const steady_list *lists, size_t n, steady *out, bool steadily);

/* Do the periods leave open what only busy times tell: whether there is a trend, or a long warm-up? */
bool steady_needs_busy(const steady_list *lists, size_t n);
