/*
 * step_windows - the windows of a question that looks at steps unless it is told otherwise.
 *
 *     windows steps = step_windows(t, all, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
 *                                  &(steps_choice){ 0 }, say);
 *     printf("%zu steady steps, each up to the next\n", steps.n);
 *     window_free(&steps);
 *
 * A process that has no steps is one window, that of its GPU work.
 */
#pragma once

#include "answer/inputs.h"
#include "answer/window.h"

/* The steady steps in some windows. */
windows step_windows(trace *t, const windows *within, const window_filter *only, const steps_choice *choice,
		     notes *say);

/* Of windows that were asked about: those that are steps themselves, as rows of nsq-window are, and the steady steps
 * that lie inside the others. */
windows step_windows_chosen(trace *t, const windows *chosen, const window_filter *only, const steps_choice *choice,
			    notes *say);

/* Those that have been found already, as rows of nsq-window. */
windows step_windows_of(trace *t, const table *rows, const window_filter *only, const steps_choice *choice, notes *say);

/* The steps of several traces, of which equally many are left out where all their processes have equally many. */
typedef struct {
	table rows;             /* those of nsq-window */
	window_takens taken;
	notes said;             /* what there is to say of them, until it is said */
	bool finished;          /* are they the steady ones? */
	vec(const char *) looked_at;    /* the paths of the traces */
} step_survey;

/* Add each trace, or its processes that pass the filter, then ask for the windows of each.  A trace that is given
 * twice is looked at once. */
void step_survey_add(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice);
/* The same of the traces of a command line, if there are several: q.choice.  What is wrong with one is said when it is
 * answered; false only after a problem with one that changed meanwhile. */
bool step_survey_inputs(step_survey *s, const inputs *in, const question *q, notes *say);
const table *step_survey_rows(step_survey *s, const steps_choice *choice);
windows step_survey_windows(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice,
			    notes *say);
void step_survey_free(step_survey *s);

/* What a question looks at: the windows asked for or, with NULL, its default, which may be steps.  s: those of all
 * traces, if there are several; otherwise it is empty. */
windows question_windows(const question *q, step_survey *s, trace *t, const window_asks *asks,
			 const window_filter *only, notes *say);

/* What must be loaded. */
unsigned step_windows_need(void);

/* The option that chooses the steps, -m, --kernel or --outer; and all of it as words of a command, with a blank before
 * them.  Steps that are found need none: "". */
const char *step_option(const steps_choice *choice);
const char *step_option_words(arena *texts, const steps_choice *choice);

/* The rows of any answer as the windows of another question, as a pipe between two tools passes them on.  False after a
 * problem. */
bool row_windows(const table *rows, window_asks *to, notes *say);
