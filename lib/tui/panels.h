/*
 * panels - what is laid over the screen: the help, the settings, the choice of a process, and questions in the last
 * line.
 *
 *     panels_settings(ui, 'C');
 *     canvas c = canvas_new(24, 80);
 *     panels_draw(ui, &c);
 *     canvas_free(&c);
 */
#pragma once

#include "tui/tui.h"

/* Keys that open one. */
void panels_help(tui *ui, int key);
void panels_settings(tui *ui, int key);
void panels_places(tui *ui, int key);

/* The panel that is open, and the question that is asked, take a key; false: none is, or it is not for it. */
bool panels_press(tui *ui, int key);

void panels_draw(tui *ui, canvas *c);

/* How lines of panels look: texts and headings, and those that can be chosen. */
canvas_style panels_style(bool heading);
canvas_style panels_line_style(const tui *ui, int line);
