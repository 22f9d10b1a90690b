/*
 * tree_view - the tree of ranges on the screen: its rows, and the keys that open, sort and search them.
 *
 *     tree_view_switch(ui, 't');                 // shows it, and sums it up when it is first shown
 *     canvas c = canvas_new(24, 80);
 *     tree_view_draw(ui, &c);
 *     canvas_free(&c);
 *
 * It is about the process and GPU that the timeline shows, with the numbers of nsq-nvtx --tree --adopt -p PID -g GPU:
 * of all of the trace, of the time in view, or of the time that is marked (-w).
 */
#pragma once

#include "tui/tui.h"

/* Sum up again if what is summed up has changed: called after each key. */
void tree_view_ready(tui *ui);

/* The trace is closed, or the session ends. */
void tree_view_forget(tui *ui);
void tree_view_free(tui *ui);

void tree_view_draw(tui *ui, canvas *c);

/* The time to which Enter goes; all of the process if there are no rows. */
ival tree_view_place(const tui *ui);

/* Keys, and the mouse. */
void tree_view_switch(tui *ui, int key);
void tree_view_move(tui *ui, int key);
void tree_view_open(tui *ui, int key);
void tree_view_all(tui *ui, int key);
void tree_view_sort(tui *ui, int key);
void tree_view_time(tui *ui, int key);
void tree_view_search(tui *ui, int key);
void tree_view_next(tui *ui, int key);
void tree_view_enter(tui *ui, int key);
void tree_view_save(tui *ui, int key);
void tree_view_click(tui *ui, int row);
void tree_view_wheel(tui *ui, bool up);
