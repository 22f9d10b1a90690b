/*
 * goes - keys that go to a time, a step or an idle gap, and the one that tells where one is as a command.
 *
 *     goes_slowest(ui, 's');
 *     goes_copy(ui, 'y');
 *     puts(ui->message);                         // nsq-kernels -w 100..200 -p 693 run.sqlite
 */
#ifndef TUI_GOES_H
#define TUI_GOES_H

#include "tui/tui.h"

void goes_ask(tui *ui, int key);
void goes_slowest(tui *ui, int key);
void goes_gap(tui *ui, int key);        /* n; with another key, it asks for the limit first */
void goes_window(tui *ui, int key);     /* w: the next one, else the previous one */
void goes_copy(tui *ui, int key);

#endif
