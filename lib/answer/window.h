/*
 * window - which moments should we look at?
 *
 *     window_params p = { .mode = WINDOW_PICK };
 *     window_pick_named("all", &p);
 *     table answer = { 0 };
 *     answer_rows(&window_answer, t, all, &p, &answer, say);   // every step; of several traces one after the other
 *     window_finish(&p, &answer, say);           // those that were asked for
 *     table_free(&answer);
 */
#pragma once

#include "answer/question.h"
#include "step/steps_rule.h"

enum { WINDOW_PICK = 1, WINDOW_LIST = 2, WINDOW_STATS = 4 };

enum window_which {
	WINDOW_MEDIAN, WINDOW_MIDDLE, WINDOW_FIRST, WINDOW_LAST, WINDOW_LONGEST, WINDOW_SHORTEST, WINDOW_ALL,
	WINDOW_INDEX,           /* from .lo to .hi */
	WINDOW_STEP             /* the numbers from .lo to .hi */
};

enum { WINDOW_PICKS = 32 };

enum { WINDOW_BY_DEFAULT = -1 };        /* neither was said: the steady steps, unless ranges are chosen */

/* A column that a caller may add to the table before window_answer: the number of the window that a step is in. */
enum { WINDOW_NUMBER = COL_IDS - 5 };

struct window_taken {
	enum steps_rule rule;
	const char *path, *what;        /* the steps as their name has it */
	const char *next;               /* the ranges that would be taken next, and how to choose them; or NULL */
	size_t n, procs, least, most;   /* how many; of how many processes, at least and at most */
	size_t agree, nnext;
	bool inner;                     /* the next ones are larger repeats that they are in */
	double share;                   /* of the kernel time, in percent */
};

typedef struct {                /* what was taken for a step in some traces, until it is said */
	vec(struct window_taken) v;
	arena texts;
} window_takens;

typedef struct {
	unsigned mode;          /* WINDOW_PICK: steps; WINDOW_LIST: the names there are; WINDOW_STATS: lengths and
				 * periods */
	steps_choice choice;    /* of the ranges, or steps */
	struct { enum window_which which; int64_t lo, hi; } pick[WINDOW_PICKS];
	size_t npicks;          /* 0: the middle chunk, the median of everything else */
	bool steady;            /* leave out all but the steady steps (step/steady.h) */
	int64_t skip;           /* or so many ranges of each process, the first; or WINDOW_BY_DEFAULT */
	bool cpu;               /* the range's own CPU times instead of its work on the GPU */
	bool period;            /* end each window where the next begins, on both sides */
	int64_t every, bins;    /* instead of all that: cut what is asked about into windows so long, or so many */
	double tokens;          /* of each step, for tokens a second; 0: not given */
	window_takens *taken;   /* of several traces: what window_finish says of them together; NULL: each is told of */
} window_params;

/* Read what --pick takes; false if it is nothing of the kind. */
bool window_pick_named(const char *text, window_params *p);

/* Of the rows of WINDOW_PICK, keep those that were asked for, and make those of WINDOW_STATS: of all processes of all
 * traces together, so that ranks are compared in the same step.  False after a problem. */
bool window_finish(const void *params, table *rows, notes *say);

/* Say it, in one line for all traces with steps of one kind, and forget it. */
void window_say_taken(window_takens *taken, notes *say);

/* How the window of a step is called: NAME#INDEX, and the CPU side where it differs from what a row cites. */
const char *window_step_name(arena *texts, const char *name, size_t index, ival gpu, ival cpu);

/* The rule by which the step of a row was chosen. */
enum steps_rule window_rule(const table *rows, size_t row);

extern const answer window_answer;
