/*
 * moves - the keys that move through time and streams.
 *
 *     moves_pan(ui, DISPLAY_LEFT);
 *     moves_zoom(ui, '+');
 *     printf("%lld\n", (long long)ui->cursor);
 *
 * The functions that other parts use as well are in tui.h.
 */
#pragma once

#include "tui/tui.h"

/* Select what is at the cursor; or a piece of work, unless the filter leaves it out. */
void tui_select(tui *ui);
void tui_select_work(tui *ui, uint32_t work);

void moves_pan(tui *ui, int key);
void moves_cursor(tui *ui, int key);
void moves_end(tui *ui, int key);
void moves_stream(tui *ui, int key);
void moves_kernel(tui *ui, int key);
void moves_zoom(tui *ui, int key);
void moves_all(tui *ui, int key);
void moves_fit(tui *ui, int key);

/* The moment at a column of the screen, and turning the wheel there. */
int64_t moves_moment(const tui *ui, int col);
void moves_wheel(tui *ui, int col, bool in);
