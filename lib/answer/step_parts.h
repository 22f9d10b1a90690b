/*
 * step_parts - what do the steps of a trace consist of?
 *
 *     table parts = { 0 };
 *     step_survey both = { 0 };                                    // of several traces
 *     const steps_choice found = { 0 };
 *     const window_filter all = { .pid = -1, .sub = -1, .gpu = -1 };
 *     step_survey_add(&both, t, &all, &found);
 *     windows w = step_survey_windows(&both, t, &all, &found, say);
 *     const char *steps = step_parts_answer(t, &w, &found, &both.rows, &parts, say);   // "ranges 'iteration #'"
 *     printf("%s: %zu amounts\n", steps ? steps : "a problem", table_rows(&parts));
 *     window_free(&w);
 *     step_survey_free(&both);
 *     table_free(&parts);
 *
 * The steps are those of nsq-window --steady --pick all --period.  A row holds a window, a part and the amount of it.
 * A window may have several rows about one part; their amounts add up.  The parts are `step` (the length of the step,
 * from rows of nsq-window), and from three answers each owner of time, such as compute (ledger), `exposed` (overlap)
 * and `launches` (api).
 */
#pragma once

#include "answer/step_windows.h"

/* What step_parts_answer needs of a trace. */
question step_parts_question(const steps_choice *choice);

/* Declare the columns pid rank start_ns end_ns amount unit part window trace, and add a row for each amount. steps: the
 * rows of step_survey_rows, or step_survey.rows after step_survey_windows.  Returns what the steps are, as a text of
 * the table; NULL after a problem. */
const char *step_parts_answer(trace *t, const windows *all, const steps_choice *choice, const table *steps, table *out,
			      notes *say);
