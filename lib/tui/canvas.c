#include "tui/canvas.h"
#include "base/memory.h"
#include "base/printable.h"
#include "base/screen.h"

#include <stdarg.h>
#include <string.h>

canvas canvas_new(int rows, int cols)
{
	canvas c = { mem_new(canvas_cell, (size_t)rows * (size_t)cols + 1), rows, cols };

	for (int row = 0; row < rows; row++)
		canvas_fill(&c, row, 0, cols, (canvas_style){ 0 });
	return c;
}

void canvas_free(canvas *c)
{
	free(c->v);
	*c = (canvas){ 0 };
}

canvas_cell *canvas_at(const canvas *c, int row, int col)
{
	return row >= 0 && col >= 0 && row < c->rows && col < c->cols ? &c->v[row * c->cols + col] : NULL;
}

void canvas_put(canvas *c, int row, int col, uint32_t code, canvas_style style)
{
	canvas_cell *cell = canvas_at(c, row, col);

	if (cell)
		*cell = (canvas_cell){ code, 0, style };
}

void canvas_fill(canvas *c, int row, int col, int width, canvas_style style)
{
	for (int i = 0; i < width; i++)
		canvas_put(c, row, col + i, ' ', style);
}

/* Put one character.  left: the number of free columns.  Returns the number of columns used: 0 if the character
 * combines with the one before it, or has no room. */
static int canvas_put_character(canvas *c, int row, int col, int left, const char *s, size_t len, canvas_style style)
{
	char one[8] = "";
	uint32_t code = printable_code(s, len);
	int width;

	memcpy(one, s, len);
	width = len > 1 ? (int)screen_width(one) : 1;
	if (width == 0 && canvas_at(c, row, col - 1))
		canvas_at(c, row, col - 1)->mark = code;
	if (width == 0 || width > left)
		return 0;
	canvas_put(c, row, col, code, style);
	if (width == 2)
		canvas_put(c, row, col + 1, 0, style);
	return width;
}

int canvas_text(canvas *c, int row, int col, int width, const char *text, canvas_style style)
{
	char *safe = printable_copy(text), *cut = screen_shorten(safe, width > 0 ? (size_t)width : 1);
	int at = 0, taken = 1;

	if (col + width > c->cols)
		width = c->cols - col;
	for (const char *s = cut; *s && at < width;) {
		size_t len = printable_utf8(s);
		taken = canvas_put_character(c, row, col + at, width - at, s, len, style);
		if (!taken && (int)screen_width(s) > width - at && len > 1 && at + 1 == width)
			break;          /* only half of a wide character would fit */
		at += taken;
		s += len;
	}
	mem_free(safe, cut);
	return at;
}

/* The number of bytes of a text that fit into `width` columns: whole words, if at least one fits. */
static size_t canvas_fit_text(const char *text, int width)
{
	size_t n = 0, after_blank = 0;

	while (text[n]) {
		char one[8] = "";
		size_t len = printable_utf8(text + n);
		memcpy(one, text + n, len);
		width -= (int)screen_width(one);
		if (width < 0)
			return after_blank ? after_blank : n;
		n += len;
		after_blank = text[n - 1] == ' ' ? n : after_blank;
	}
	return n;
}

int canvas_count_lines(const canvas *c, const char *text, int most)
{
	char *safe = printable_copy(text);
	int n = 0;

	for (const char *left = safe; *left && n < most && c->cols > 1; n++)
		left += canvas_fit_text(left, c->cols);
	free(safe);
	return n > 0 ? n : 1;
}

int canvas_wrap(canvas *c, int row, int rows, const char *text, canvas_style style)
{
	char *safe = printable_copy(text);
	const char *left = safe;
	int used = 0;

	while (*left && used < rows) {
		size_t n = used + 1 < rows ? canvas_fit_text(left, c->cols) : strlen(left);
		char *line = strndup(left, n ? n : strlen(left));
		if (!line)
			mem_exhausted(1, n);
		canvas_text(c, row + used++, 0, c->cols, line, style);
		left += strlen(line);
		free(line);
	}
	free(safe);
	return used;
}

int canvas_printf(canvas *c, int row, int col, int width, canvas_style style, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;
	int taken;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		mem_exhausted(1, strlen(fmt));
	va_end(ap);
	taken = canvas_text(c, row, col, width, text, style);
	free(text);
	return taken;
}
