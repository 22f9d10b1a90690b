/*
 * row_windows - the rows of one answer as the windows of another question, as a pipe between two tools passes them on.
 *
 *     window_asks asks = { 0 };
 *     table steps = { 0 };
 *     answer_rows(&window_answer, t, all, &(window_params){ .mode = WINDOW_PICK }, &steps, say);
 *     if (row_windows(&steps, &asks, say))
 *         printf("%zu windows\n", asks.n);
 *     window_asks_free(&asks);
 *     table_free(&steps);
 */
#pragma once

#include "base/notes.h"
#include "table/table.h"
#include "table/window_table.h"

/* False after a problem. */
bool row_windows(const table *rows, window_asks *to, notes *say);
