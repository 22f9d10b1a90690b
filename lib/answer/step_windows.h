/*
 * step_windows - the windows of a question whose default is the steps of the trace.
 *
 *     windows steps = step_windows(t, all, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
 *                                  &(steps_choice){ 0 }, say);
 *     printf("%zu steady steps, each up to the next\n", steps.n);
 *     window_free(&steps);
 *
 * A process without steps is one window, from the start to the end of its GPU work.
 */
#pragma once

#include "answer/inputs.h"
#include "answer/window.h"

/* The steady steps in the windows `within`. */
windows step_windows(trace *t, const windows *within, const window_filter *only, const steps_choice *choice,
		     notes *say);

/* The windows that the user chose.  A window that is itself a step, as rows of nsq-window are, stays; any other is
 * replaced by the steady steps inside it. */
windows step_windows_chosen(trace *t, const windows *chosen, const window_filter *only, const steps_choice *choice,
			    notes *say);

/* The windows of steps that were found before, as rows of nsq-window. */
windows step_windows_from_rows(trace *t, const table *rows, const window_filter *only, const steps_choice *choice,
			       notes *say);

/* The steps of several traces.  If all processes have equally many steps, the warm-up is equally long in all. */
typedef struct {
	table rows;             /* rows of nsq-window */
	window_taken_list taken;
	notes said;             /* notes about the steps, kept until they are written */
	bool finished;          /* does `rows` hold only the steady steps? */
	vec(const char *) looked_at;    /* the paths of the traces */
} step_survey;

/* Add each trace, or its processes that pass the filter, before asking for the windows of any.  A trace that is added
 * twice counts once. */
void step_survey_add(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice);

/* Add the traces of a command line if there are several, with the steps that q->choice names.  False, with a problem,
 * if a trace has changed meanwhile.  Other problems with a trace are reported when the question is answered. */
bool step_survey_inputs(step_survey *s, const inputs *in, const question *q, notes *say);

/* step_survey_rows: the steady steps of all traces, as rows of nsq-window.  step_survey_windows: the windows of the
 * steady steps in one trace. */
const table *step_survey_rows(step_survey *s, const steps_choice *choice);
windows step_survey_windows(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice,
			    notes *say);
void step_survey_free(step_survey *s);

/* The windows that a question looks at: those of `asks` or, if that is NULL, its default, which may be steps.  s: the
 * steps of all traces if there are several; otherwise empty. */
windows question_windows(const question *q, step_survey *s, trace *t, const window_asks *asks,
			 const window_filter *only, notes *say);

/* What must be loaded (TRACE_...) to find steps. */
unsigned step_windows_need(void);

/* step_option: the option that chooses the steps: -m, --kernel or --outer.  step_option_words: a blank, the option and
 * its argument, as words of a command.  Both are "" if no option chooses the steps. */
const char *step_option(const steps_choice *choice);
const char *step_option_words(arena *texts, const steps_choice *choice);

/* Turn the rows of any answer into windows for another question, as a pipe between two tools does.  False after a
 * problem. */
bool row_windows(const table *rows, window_asks *to, notes *say);
