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
 * The steps are those of nsq-window --steady --pick all --period.  A row holds a window, a part and its amount; the
 * amounts of several rows about one part of a window add up.  Each amount comes from the answer that defines it:
 * ledger, overlap or api; the length of the step comes from window.
 */
#pragma once

#include "answer/step_windows.h"

question step_parts_question(const steps_choice *choice);

/* Add the columns pid rank start_ns end_ns amount unit part window trace and a row for each amount. steps: the rows of
 * step_survey_rows.  Returns the name of the steps, a text of the table; NULL after a problem. */
const char *step_parts_answer(trace *t, const windows *all, const steps_choice *choice, const table *steps, table *out,
			      notes *say);
