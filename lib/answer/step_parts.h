/*
 * step_parts - what do the steps of a trace consist of?
 *
 *     table parts = { 0 };
 *     step_survey both = { 0 };                                    // of several traces
 *     const window_filter all = { .pid = -1, .sub = -1, .gpu = -1 };
 *     step_survey_add(&both, t, &all, NULL);
 *     windows w = step_survey_windows(&both, t, &all, NULL, say);
 *     const char *steps = step_parts_answer(t, &w, NULL, &both.rows, &parts, say);   // "ranges 'iteration #'"
 *     printf("%s: %zu amounts\n", steps ? steps : "a problem", table_rows(&parts));
 *     window_free(&w);
 *     step_survey_free(&both);
 *     table_free(&parts);
 *
 * The steps are those of nsq-window --steady --pick all --period.  Rows hold a window,
 * a part and an amount of it; what several rows say of one part of a window adds up.
 * Each amount is that of the answer which defines it: ledger, overlap, api.
 */
#pragma once

#include "answer/step_windows.h"

/* match: the ranges that are the steps; NULL: those that are found. */
question step_parts_question(const pattern *match);

/* Add the columns pid rank start_ns end_ns amount unit part window trace and a row for each amount.  steps: those of
 * step_survey_rows.  Returns what the steps are, a text of the table; NULL after a problem. */
const char *step_parts_answer(trace *t, const windows *all, const pattern *match, const table *steps, table *out,
			      notes *say);
