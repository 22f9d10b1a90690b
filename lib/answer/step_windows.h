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

/* The steady steps (step/steady.h) in the windows `within`.  only: the process and GPU to which the result is
 * restricted. */
windows step_windows(trace *t, const windows *within, const window_filter *only, const steps_choice *choice,
		     notes *say);

/* Turn the windows that the user chose into steps.  A window that is itself a step, as rows of nsq-window are, stays;
 * any other is replaced by the steady steps that lie inside it. */
windows step_windows_chosen(trace *t, const windows *chosen, const window_filter *only, const steps_choice *choice,
			    notes *say);

/* The windows of rows of nsq-window.  The rows must be steps. */
windows step_windows_from_rows(trace *t, const table *rows, const window_filter *only, const steps_choice *choice,
			       notes *say);

/* The steps of several traces.  They are judged together: if all processes have equally many steps, the warm-up is
 * equally long in all. */
typedef struct {
	table rows;             /* rows of nsq-window */
	window_step_summaries summaries;        /* what is a step in each trace */
	notes said;             /* notes about the steps; step_survey_windows passes them on */
	bool finished;          /* does `rows` hold only the steady steps? */
	vec(const char *) looked_at;    /* the paths of the traces */
} step_survey;

/* Add a trace, or those of its processes that pass the filter.  All traces must be added before the first call of
 * step_survey_windows or step_survey_rows.  A trace that is added twice counts once. */
void step_survey_add(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice);

/* Add the traces of a command line, if there are several. q->choice: how their steps are chosen.  False, with a
 * problem, if a trace has changed meanwhile.  A trace that cannot be opened or loaded is left out: that is reported
 * when the question is answered. */
bool step_survey_add_inputs(step_survey *s, const inputs *in, const question *q, notes *say);

/* The steady steps of all traces, as rows of nsq-window. */
const table *step_survey_rows(step_survey *s, const steps_choice *choice);

/* The steady steps in one trace, as windows.  Passes on the notes about the steps of all traces. */
windows step_survey_windows(step_survey *s, trace *t, const window_filter *only, const steps_choice *choice,
			    notes *say);
void step_survey_free(step_survey *s);

/* The windows that a question is asked about: those of `asks` or, if that is NULL, the default of the question.  With
 * question.steps, the default is the steady steps.  s: the steps of all traces; empty if there is only one trace.  say
 * may be NULL. */
windows question_windows(const question *q, step_survey *s, trace *t, const window_asks *asks,
			 const window_filter *only, notes *say);

/* The data (TRACE_...) that must be loaded to find steps. */
unsigned step_windows_need(void);

/* The option that chooses the steps: "-m", "--kernel" or "--outer"; "": none does. */
const char *step_option(const steps_choice *choice);

/* A blank, the same option and its argument, as words of a command; "": no option chooses the steps. */
const char *step_option_words(arena *texts, const steps_choice *choice);

/* Turn the rows of any answer into windows for another question, as a pipe between two tools does.  False after a
 * problem. */
bool question_windows_from_rows(const table *rows, window_asks *to, notes *say);
