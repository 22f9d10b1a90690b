/*
 * window - which moments should we look at?
 *
 *     window_params p = { .mode = WINDOW_PICK };
 *     window_pick_named("all", &p);
 *     table answer = { 0 };
 *     answer_rows(&window_answer, t, all, &p, &answer, say);   // every step; of several traces one after the other
 *     window_finish(&p, &answer, say);           // keeps the steps that were asked for
 *     table_free(&answer);
 */
#pragma once

#include "answer/question.h"
#include "step/steps_rule.h"

enum { WINDOW_PICK = 1, WINDOW_LIST = 2, WINDOW_STATS = 4 };

enum window_pick_kind {
	WINDOW_MEDIAN, WINDOW_MIDDLE, WINDOW_FIRST, WINDOW_LAST, WINDOW_LONGEST, WINDOW_SHORTEST, WINDOW_ALL,
	WINDOW_INDEX,           /* indices from .lo to .hi */
	WINDOW_STEP             /* numbers of steps from .lo to .hi */
};

enum { WINDOW_PICKS = 32 };

enum { WINDOW_BY_DEFAULT = -1 };        /* neither skip nor steady was given: the steady steps, unless -m chooses
					 * ranges */

/* The id of a column that a caller may add to the table before window_answer: the number of the window that a step
 * lies in. */
enum { WINDOW_NUMBER = COL_IDS - 5 };

struct window_taken {
	enum steps_rule rule;
	const char *path, *what;        /* the trace, and the steps as messages call them */
	const char *next;               /* the ranges that would be the next choice, and how to choose them; or NULL */
	size_t n, procs, least, most;   /* n: steps in all; procs: processes that have some; least, most: fewest and
					 * most steps of a process */
	size_t agree, nnext;            /* agree: with repeats, the number of stretches that agree; nnext: number of
					 * steps of the next choice */
	bool inner;                     /* the next choice is larger repeats that contain these steps */
	double share;                   /* percent of the kernel time that is in kernels launched in the steps */
};

typedef struct {                /* what was taken for a step in each trace, kept until the note about it is written */
	vec(struct window_taken) v;
	arena texts;
} window_taken_list;

typedef struct {
	unsigned mode;          /* WINDOW_PICK: steps; WINDOW_LIST: names of ranges; WINDOW_STATS: lengths and
				 * periods */
	steps_choice choice;    /* how steps are chosen; for WINDOW_LIST, `match` chooses the ranges */
	struct { enum window_pick_kind which; int64_t lo, hi; } pick[WINDOW_PICKS];
	size_t npicks;          /* 0: the middle step if steps are chunks, otherwise the median step */
	bool steady;            /* only the steady steps (step/steady.h) */
	int64_t skip;           /* the number of ranges to leave out at the beginning of each process; or
				 * WINDOW_BY_DEFAULT */
	bool cpu;               /* take the times of the range on the CPU instead of those of its work on the GPU */
	bool period;            /* end each window where the next begins, on the GPU and on the CPU */
	int64_t every, bins;    /* if not 0, there are no steps: the time asked about is cut into windows of `every` ns,
				 * or into `bins` windows */
	double tokens;          /* tokens of each step; 0: not given */
	window_taken_list *taken; /* collects the traces, so that window_finish writes one note about them; NULL: a note
				 * for each trace */
} window_params;

/* Read the argument of --pick; false: it is not valid. */
bool window_pick_named(const char *text, window_params *p);

/* Keep the rows of WINDOW_PICK that were asked for, or turn them into rows of WINDOW_STATS.  The rows are those of all
 * processes of all traces together, so that ranks are compared in the same step.  False after a problem. */
bool window_finish(const void *params, table *rows, notes *say);

/* Write the notes, one for all traces with the same kind of steps, and empty the collection. */
void window_say_taken(window_taken_list *taken, notes *say);

/* The name of the window of a step: NAME#INDEX, followed by the times on the CPU if they differ from those on the
 * GPU. */
const char *window_step_name(arena *texts, const char *name, size_t index, ival gpu, ival cpu);

/* The rule by which the step of a row was chosen. */
enum steps_rule window_rule_of_row(const table *rows, size_t row);

extern const answer window_answer;
