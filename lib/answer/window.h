/*
 * window - which moments should we look at?
 *
 *     window_params p = { .mode = WINDOW_PICK };
 *     window_read_picks("all", &p);
 *     table answer = { 0 };
 *     answer_rows(&window_answer, t, all, &p, &answer, say);   // all steps of one trace; call it for each trace
 *     window_finish(&p, &answer, say);           // keeps the steps that were asked for
 *     table_free(&answer);
 *
 * A row is about a step.  It is also called a range, because most steps are NVTX ranges (step/steps.h).
 */
#pragma once

#include "answer/question.h"
#include "step/steps_rule.h"

enum { WINDOW_PICK = 1, WINDOW_LIST = 2, WINDOW_STATS = 4 };    /* modes (window_params.mode) */

enum window_pick_kind {
	WINDOW_MEDIAN, WINDOW_MIDDLE, WINDOW_FIRST, WINDOW_LAST, WINDOW_LONGEST, WINDOW_SHORTEST, WINDOW_ALL,
	WINDOW_INDEX,           /* the ranges with the indices from .lo to .hi */
	WINDOW_STEP             /* the steps with the numbers from .lo to .hi */
};

enum { WINDOW_PICKS = 32 };             /* the most items of --pick */

enum { WINDOW_BY_DEFAULT = -1 };        /* for `skip`: the user did not give --skip.  Then only the steady steps are
					 * kept, unless -m chooses the ranges and --steady is not given */

struct window_step_summary {    /* which steps a trace has, and how they were found */
	enum steps_rule rule;
	const char *path;               /* the trace */
	const char *what;               /* how messages refer to the steps: "ranges 'step #'" */
	const char *runner_up;          /* for messages: the ranges or repeats that would be the second choice, and the
					 * option that chooses them; NULL: there is no second choice */
	size_t n;                       /* the number of steps in all processes */
	size_t procs;                   /* the number of processes that have steps */
	size_t least, most;             /* the fewest and the most steps of such a process */
	size_t agree;                   /* for STEPS_REPEAT: the number of steps that do nearly the same work */
	size_t nrunner_up;              /* the number of steps of the second choice */
	bool inner;                     /* is the second choice larger repeats that contain these steps? */
	double share;                   /* how much of the kernel time was launched in the steps, percent */
};

typedef struct {                /* the summaries of several traces, for which no notes have been written yet */
	vec(struct window_step_summary) v;
	arena texts;
} window_step_summaries;

typedef struct {
	unsigned mode;          /* WINDOW_PICK: steps; WINDOW_LIST: names of ranges; WINDOW_STATS: lengths and
				 * periods */
	steps_choice choice;    /* how steps are chosen; for WINDOW_LIST, `match` chooses the ranges */
	struct { enum window_pick_kind which; int64_t lo, hi; } pick[WINDOW_PICKS];     /* the items of --pick */
	size_t npicks;          /* 0: the middle step if steps are found by rule chunk, otherwise the median step */
	bool steady;            /* only the steady steps (step/steady.h) */
	int64_t skip;           /* how many ranges are left out at the beginning of each process; or
				 * WINDOW_BY_DEFAULT */
	bool cpu;               /* windows have the times of the range on the CPU, not of its work on the GPU */
	bool period;            /* each window ends where the next begins, on the GPU and on the CPU */
	int64_t every;          /* not 0: no steps; each window asked about is cut into windows of this length, ns */
	int64_t bins;           /* not 0: no steps; each interval of a window asked about is cut into so many windows */
	double tokens;          /* tokens of each step; 0: not given */
	window_step_summaries *summaries; /* collects the summaries of the traces, and window_finish writes the notes
					   * about them; NULL: the notes about each trace are written with its rows */
} window_params;

/* Read the argument of --pick into pick and npicks.  False: it is not valid. */
bool window_read_picks(const char *text, window_params *p);

/* Finish the rows of all traces together, so that the same step is chosen in all ranks.  With WINDOW_PICK, keep the
 * rows that window_params.pick chooses.  With WINDOW_STATS, sum the rows up.  False after a problem. */
bool window_finish(const void *params, table *rows, notes *say);

/* Write the notes that say what is a step, once for all traces with the same kind of steps, and empty the list. */
void window_say_step_summaries(window_step_summaries *summaries, notes *say);

/* The name of the window of a step: NAME#INDEX, followed by @A..B, its times on the CPU, if they differ from those on
 * the GPU. */
const char *window_step_name(arena *texts, const char *name, size_t index, ival gpu, ival cpu);

/* The rule by which the step of a row was found. */
enum steps_rule window_rule_of_row(const table *rows, size_t row);

extern const answer window_answer;
