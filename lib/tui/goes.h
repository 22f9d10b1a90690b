/*
 * goes - keys that go to a time, a step or an idle gap, and the one that tells where one is as a command.
 *
 *     goes_slowest(ui, 's');
 *     goes_copy(ui, 'y');
 *     puts(ui->message);                         // nsq-kernels -w 100..200 -p 693 run.sqlite
 */
#pragma once

#include "tui/tui.h"

void goes_ask(tui *ui, int key);
void goes_slowest(tui *ui, int key);
void goes_gap(tui *ui, int key);        /* n; with another key, it asks for the limit first */
/* The time around the cursor at which nothing runs for the process on the GPU; false: something does, or it is before
 * or after all work. */
bool goes_gap_at(tui *ui, ival *gap);

/* The row of nsq-gaps --each about the gap at the cursor; NULL: it is not known, or there is none. */
const table *goes_gap_row(tui *ui);

/* Ask for it, once the trace was read for the tools, or n was pressed. */
void goes_look_at_gap(tui *ui);

void goes_window(tui *ui, int key);     /* w: the next one, else the previous one */
void goes_copy(tui *ui, int key);
