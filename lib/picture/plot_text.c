#include "picture/plot_colors.h"
#include "picture/plot_parts.h"
#include "base/printable.h"

#include <math.h>
#include <string.h>

typedef struct {
	char text[5];           /* a character in UTF-8; "": none, so `dots` or a space are shown; "\r": the second
				 * column of a wide character */
	unsigned char dots;     /* the dots of lines, as bits of a Braille character; 0: no dots */
	unsigned color;         /* its number in plot_colors.h + 1; 0: the default color of the terminal */
} cell;

typedef struct {
	cell *cells;
	int width, height;
	const picture *p;
	bool colored;           /* is it written with the colors of a terminal? */
} screen;

/* The number of columns that a character takes: 2 for CJK and other wide ones, otherwise 1. */
static int plot_text_count_columns(const char *s, size_t n)
{
	const unsigned char *c = (const unsigned char *)s;

	return n >= 3 && (c[0] > 0xe2 || (c[0] == 0xe1 && (c[1] & 0xfe) == 0x84)) &&
		strncmp(s, "\xef\xbf\xbd", 3) != 0 ? 2 : 1;
}

static double plot_text_measure_text(const char *s, size_t n)
{
	int columns = 0;

	for (size_t i = 0; i < n;) {
		size_t len = printable_length(s + i);
		columns += plot_text_count_columns(s + i, len);
		len = len ? len : printable_utf8(s + i);
		i += len ? len : 1;
	}
	return columns;
}

picture_metrics plot_text_metrics(int columns)
{
	return (picture_metrics){ .width = columns,
				  .line = 1,
				  .heading = 1,
				  .larger = 1,
				  .bar = 1,
				  .lane = 1,
				  .between = 0,
				  .tall = 12,
				  .low = 5,
				  .pad = 1,
				  .space = 0,
				  .pixel = 1,
				  .smallest = "character",
				  .paler = "lighter (or ·) the less of it is covered",
				  .whole = true,
				  .inset = 0.125,
				  .narrow = 24,
				  .stand = 1,
				  .swatch = 1,
				  .measure = plot_text_measure_text };
}

static cell *plot_text_cell_at(screen *s, int x, int y)
{
	return x >= 0 && y >= 0 && x < s->width && y < s->height ? &s->cells[y * s->width + x] : NULL;
}

static void plot_text_put_character(screen *s, int x, int y, const char *text, size_t n, unsigned color)
{
	cell *c = plot_text_cell_at(s, x, y);

	if (!c)
		return;
	memcpy(c->text, text, n);
	c->text[n] = 0;
	c->color = color;
}

static int plot_text_round(double x)
{
	return (int)floor(x + 0.5);
}

static void plot_text_put_text(screen *s, const picture_shape *t)
{
	int x = plot_text_round(t->side == PICTURE_LEFT		 ? t->x :
					t->side == PICTURE_RIGHT ? t->x - t->w :
								   t->x - t->w / 2),
	    y = plot_text_round(t->y);

	for (const char *p = t->text; *p;) {
		size_t n = printable_length(p), skip = n ? n : printable_utf8(p);
		int columns = plot_text_count_columns(p, n);
		plot_text_put_character(s, x, y, n ? p : "\xef\xbf\xbd", n ? n : 3, 0);
		if (columns == 2)
			plot_text_put_character(s, x + 1, y, "\r", 1, 0);
		x += columns;
		p += skip ? skip : 1;
	}
}

/* The character that fills a box of a category.  covered: how much of the box events cover, in eighths. */
static const char *plot_text_choose_filling(const screen *s, unsigned series, double covered)
{
	static const char *const shades[] = { "░", "░", "░", "▒", "▒", "▓", "▓", "█", "█" };
	static const char *const fillings[] = { "█", "▒", "░", "▓", "#", "=", "+", "o", "*", ":", "%", "x", ".",
		"@", "&", "$", "~", "^", "v", "n", "-", "?", "!" };

	return s->colored || s->p->plain ? shades[(int)covered] : covered < 4 ? "·" :
		fillings[series % (sizeof fillings / sizeof *fillings)];
}

static void plot_text_put_box(screen *s, const picture_shape *b)
{
	static const char *const right[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" },
		*const top[] = { "", "▁", "▂", "▃", "▄", "▅", "▆", "▇" };
	const char *full = plot_text_choose_filling(s, b->series, 8 - b->bare);
	int x0 = plot_text_round(b->x), x1 = plot_text_round(b->x + b->w), y0 = plot_text_round(b->y),
	    y1 = plot_text_round(b->y + b->h), rest;
	unsigned color = b->color + 1;

	if (b->role == PICTURE_MARK && s->p->upright) {
		x1 = x1 > x0 ? x1 : x0 + 1;
		y0 = s->p->plain ? (int)ceil(b->y - 1e-9) : y0;
		rest = s->p->plain ? plot_text_round((ceil(b->y - 1e-9) - b->y) * 8) % 8 : 0;
		for (int x = x0; x < x1 && rest; x++)
			plot_text_put_character(s, x, y0 - 1, top[rest], strlen(top[rest]), color);
	} else if (b->role == PICTURE_MARK) {
		y1 = y1 > y0 ? y1 : y0 + 1;
		x1 = s->p->plain ? (int)floor(b->x + b->w + 1e-9) : x1;
		rest = s->p->plain ? plot_text_round((b->x + b->w - floor(b->x + b->w + 1e-9)) * 8) % 8 : 0;
		if (rest > 0)
			plot_text_put_character(s, x1, y0, right[rest], strlen(right[rest]), color);
	}
	for (int y = y0; y < y1; y++)
		for (int x = x0; x < x1; x++)
			plot_text_put_character(s, x, y, full, strlen(full), color);
}

static void plot_text_put_rule(screen *s, const picture_shape *r)
{
	if (r->role != PICTURE_AXIS)
		return;
	for (int y = plot_text_round(r->y); y < plot_text_round(r->y + r->h); y++)
		plot_text_put_character(s, plot_text_round(r->x) - 1, y, "│", 3, 0);
}

static void plot_text_put_dot(screen *s, double x, double y, unsigned color)
{
	static const unsigned char bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
	int dx = (int)floor(x * 2), dy = (int)floor(y * 4);
	cell *c = dx >= 0 && dy >= 0 ? plot_text_cell_at(s, dx / 2, dy / 4) : NULL;

	if (!c)
		return;
	c->dots |= bits[dy % 4][dx % 2];
	c->color = color;
}

static void plot_text_put_path(screen *s, const picture_shape *path)
{
	for (size_t i = 0; i < path->points; i++) {
		picture_point a = s->p->points.v[path->point + i], b = s->p->points.v[path->point + (i ? i - 1 : 0)];
		double steps = fmax(1, ceil(fmax(fabs(a.x - b.x) * 2, fabs(a.y - b.y) * 4)));
		for (double k = 0; k <= steps; k++)
			plot_text_put_dot(s, b.x + (a.x - b.x) * k / steps,
					  fmin(b.y + (a.y - b.y) * k / steps, s->height - 0.01), path->color + 1);
	}
}

static void plot_text_write_cell(const screen *s, const cell *c, unsigned *current_color, FILE *to)
{
	char braille[4] = { (char)0xe2, (char)(0xa0 | c->dots >> 6), (char)(0x80 | (c->dots & 0x3f)), 0 };

	if (s->colored && c->color != *current_color) {
		if (c->color)
			fprintf(to, "\033[38;5;%um", plot_color_256(c->color - 1));
		else
			fputs("\033[0m", to);
		*current_color = c->color;
	}
	fputs(*c->text == '\r' ? "" : *c->text ? c->text : c->dots ? braille : " ", to);
}

static void plot_text_write_screen(const screen *s, FILE *to)
{
	unsigned color = 0;

	for (int y = 0; y < s->height; y++) {
		const cell *line = &s->cells[y * s->width];
		int end = s->width;
		while (end > 0 && !*line[end - 1].text && !line[end - 1].dots)
			end--;
		for (int x = 0; x < end; x++)
			plot_text_write_cell(s, &line[x], &color, to);
		if (color)
			fputs("\033[0m", to);
		color = 0;
		fputc('\n', to);
	}
}

void plot_text(const picture *p, bool color, FILE *to)
{
	screen s = { .width = (int)p->width, .height = (int)p->height, .p = p, .colored = color };

	s.cells = mem_new(cell, (size_t)s.width * (size_t)s.height + 1);
	for (size_t i = 0; i < p->shapes.n; i++)
		if (p->shapes.v[i].type == PICTURE_RULE)
			plot_text_put_rule(&s, &p->shapes.v[i]);
	for (size_t i = 0; i < p->shapes.n; i++) {
		const picture_shape *t = &p->shapes.v[i];
		if (t->type == PICTURE_BOX)
			plot_text_put_box(&s, t);
		else if (t->type == PICTURE_PATH)
			plot_text_put_path(&s, t);
		else if (t->type == PICTURE_TEXT)
			plot_text_put_text(&s, t);
	}
	plot_text_write_screen(&s, to);
	free(s.cells);
}
