/*
 * canvas - a screen as a grid of cells, independent of any terminal.
 *
 *     canvas c = canvas_new(24, 80);
 *     canvas_text(&c, 0, 2, 40, "layer07.stage2_f", (canvas_style){ .fg = 114, .attr = CANVAS_BOLD });
 *     canvas_put(&c, 1, 0, 0x2502, (canvas_style){ 0 });         // a vertical line
 *     canvas_free(&c);
 *
 * Cells hold characters of Unicode; display.h replaces those that the terminal lacks.  Texts may come from a trace:
 * unprintable characters (printable.h) become \xNN, and no text leaves its row or its width.  Writing outside the grid
 * has no effect.
 */
#pragma once

#include <stdint.h>

enum { CANVAS_BOLD = 1, CANVAS_REVERSE = 2, CANVAS_UNDERLINE = 4, CANVAS_DIM = 8 };

typedef struct {
	uint8_t fg, bg;         /* colors of a terminal with 256 colors; 0: its default */
	uint8_t attr;           /* CANVAS_... */
} canvas_style;

typedef struct {
	uint32_t code;          /* 0: the right half of a wide character */
	uint32_t mark;          /* a combining character that changes it, or 0 */
	canvas_style style;
} canvas_cell;

typedef struct {
	canvas_cell *v;
	int rows, cols;
} canvas;

canvas canvas_new(int rows, int cols);
void canvas_free(canvas *c);

/* The cell at a position; NULL: it is outside the grid. */
canvas_cell *canvas_at(const canvas *c, int row, int col);

void canvas_put(canvas *c, int row, int col, uint32_t code, canvas_style style);

/* Fill a part of a row with blanks. */
void canvas_fill(canvas *c, int row, int col, int width, canvas_style style);

/* Write a text into at most `width` columns; the middle of a longer text is left out.  Returns the number of columns
 * used. */
int canvas_text(canvas *c, int row, int col, int width, const char *text, canvas_style style);
int canvas_printf(canvas *c, int row, int col, int width, canvas_style style, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));

/* Write a text into at most `rows` rows, broken between words; if it is too long, the middle of the last row is left
 * out.  Returns the number of rows used. */
int canvas_wrap(canvas *c, int row, int rows, const char *text, canvas_style style);

/* The number of rows that canvas_wrap would use, from 1 to `most`. */
int canvas_count_lines(const canvas *c, const char *text, int most);
