/*
 * display - a terminal that shows a canvas and reads keys; the only module that knows ncurses.
 *
 *     notes say = { 0 };
 *     display *d = display_open(true, &say);     // NULL: say has the reason
 *     canvas c = canvas_new(24, 80);
 *     if (d) {
 *         display_show(d, &c);
 *         for (display_event e = display_wait(d, -1); e.key != 'q' && e.key != DISPLAY_CLOSED; e = display_wait(d, -1))
 *             printf("%d\n", e.key);
 *         display_close(d);
 *     }
 *     canvas_free(&c);
 *     notes_free(&say);
 *
 * Keys are code points of Unicode, or DISPLAY_LEFT and so on.
 *
 * On a terminal without UTF-8, each character of the canvas that is not ASCII is replaced by a similar one that is, or
 * by '?'.  On a terminal with fewer than 256 colors, each color is replaced by one of the eight that all color
 * terminals have.
 */
#pragma once

#include "base/notes.h"
#include "tui/canvas.h"

enum {
	DISPLAY_NONE = 0x110000,        /* no key */
	DISPLAY_LEFT, DISPLAY_RIGHT, DISPLAY_UP, DISPLAY_DOWN,
	DISPLAY_SHIFT_LEFT, DISPLAY_SHIFT_RIGHT,
	DISPLAY_PAGE_UP, DISPLAY_PAGE_DOWN, DISPLAY_HOME, DISPLAY_END,
	DISPLAY_SHIFT_TAB, DISPLAY_BACKSPACE, DISPLAY_DELETE, DISPLAY_F1,
	DISPLAY_CLICK, DISPLAY_WHEEL_UP, DISPLAY_WHEEL_DOWN,
	DISPLAY_RESIZED,                /* the size has changed, or Ctrl-L was pressed */
	DISPLAY_CLOSED,                 /* the terminal is gone */
	DISPLAY_ESCAPE = 27, DISPLAY_ENTER = '\n', DISPLAY_TAB = '\t'
};

typedef struct display display;

typedef struct {
	int key;
	int row, col;           /* the position of the mouse at a click or a turn of the wheel, from 0 */
} display_event;

/* color: use colors if the terminal has them.  NULL after a problem. */
display *display_open(bool color, notes *say);
void display_close(display *d);

void display_size(const display *d, int *rows, int *cols);
/* Does the display use colors? */
bool display_colors(const display *d);

void display_show(display *d, const canvas *c);

/* Wait for the next key, click, turn of the wheel or change of size.  DISPLAY_NONE: none came within `ms`
 * milliseconds (-1: wait without limit), or the key is not known. */
display_event display_wait(display *d, int ms);
