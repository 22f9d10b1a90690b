/*
 * filter - which kernels are shown: by name, while it is typed, and by how long they take.
 *
 *     filter_ask(ui, '/');                       // asks in the last line
 *     if (filter_apply(ui))                      // after ui->filter or ui->set.shortest changed
 *         printf("%d\n", ui->lanes->filtered);
 */
#pragma once

#include "tui/tui.h"

/* Show what the filter and the shortest duration leave.  False: the filter is no expression, as the last line says. */
bool filter_apply(tui *ui);

/* Does an expression hold a capital letter?  Who types one means it. */
bool filter_capital(const char *text);

/* Keys. */
void filter_ask(tui *ui, int key);
void filter_ask_shortest(tui *ui, int key);
