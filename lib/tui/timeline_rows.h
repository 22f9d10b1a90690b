/*
 * timeline_rows - draws the timeline: ranges by depth, a row or more for each stream, the ruler and the cursor.
 *
 *     canvas c = canvas_new(24, 80);
 *     int below = timeline_rows_draw(ui, &c, 1, 18);     // rows 1 to 18; the first row that is left free
 *     canvas_text(&c, below, 0, 80, "below the ruler", (canvas_style){ 0 });
 *     canvas_free(&c);
 */
#pragma once

#include "tui/tui.h"

int timeline_rows_draw(tui *ui, canvas *c, int row, int rows);

/* A click there: selects the stream and the moment. */
void timeline_rows_click(tui *ui, int row, int col);
