#include "picture/plot_parts.h"

#include <math.h>
#include <string.h>

static picture_shape *plot_draw_add_box(plot_panel_ctx *at, unsigned series, double x, double y, double w, double h)
{
	return picture_add(at->to, (picture_shape){ .type = PICTURE_BOX, .role = PICTURE_MARK, .series = series,
		.color = at->p->series.v[series].color, .x = x, .y = y, .w = w, .h = h });
}

/* The words before an amount when a mark is pointed at: its panel, its bar or lane, and its category. */
static const char *plot_draw_describe_mark(const plot_panel_ctx *at, unsigned series, const char *slot)
{
	const char *name = at->p->colored ? at->p->series.v[series].name : "";
	bool slot_too = slot && *slot && strcmp(slot, name) != 0;

	return arena_printf(&at->to->texts, "%s%s%s%s%s%s", at->panel->name ? at->panel->name : "",
		at->panel->name && (slot_too || *name) ? " · " : "", slot_too ? slot : "",
		slot_too && *name ? " · " : "", name, slot_too || *name || at->panel->name ? ": " : "");
}

/* ---- bars */

/* Write the amount of a part inside its box, if it fits. */
static void plot_draw_amount_inside(plot_panel_ctx *at, picture_shape box, const char *amount)
{
	const picture_metrics *m = at->to->metrics;

	if (!m->inside || box.w < picture_width(at->to, amount) + m->pad || box.h < m->line)
		return;
	picture_text(at->to, (picture_place){ box.x + box.w / 2, box.y + (box.h - m->line) / 2, INFINITY,
		PICTURE_MIDDLE }, PICTURE_INSIDE, amount);
	at->to->shapes.v[at->to->shapes.n - 1].color = box.color;
}

/* Draw a part of a bar.  start, thick: where it starts and how thick it is, across the axis of values.  total: the
 * text of the whole bar's amount; a part with the same text does not repeat it inside. */
static void plot_draw_part(plot_panel_ctx *at, const plot_mark *m, double start, double thick, const char *total)
{
	double a = plot_coordinate(&at->up, m->y0), b = plot_coordinate(&at->up, m->y1);
	char buf[PLOT_NUMBER];
	const char *amount = arena_copy(&at->to->texts, plot_format_amount(m->y1 - m->y0, at->panel->unit, buf));
	picture_shape *s = at->p->upright ? plot_draw_add_box(at, m->series, start, fmin(a, b), thick, fabs(b - a)) :
		plot_draw_add_box(at, m->series, fmin(a, b), start, fabs(b - a), thick);

	s->text = arena_printf(&at->to->texts, "%s%s",
			       plot_draw_describe_mark(at, m->series, at->panel->slots->v[m->slot * at->each]), amount);
	if (at->p->kind == PLOT_STACK && strcmp(amount, total) != 0)
		plot_draw_amount_inside(at, *s, amount);
}

static const char *plot_draw_format_total(plot_panel_ctx *at, const plot_mark *parts, size_t n)
{
	double sum = 0;
	char buf[PLOT_NUMBER];

	for (size_t i = 0; i < n; i++)
		sum += parts[i].y1 - parts[i].y0;
	return arena_copy(&at->to->texts, plot_format_amount(sum, at->panel->unit, buf));
}

/* Write the total of a bar beyond its end.  The total of a lying bar is to its right, or to its left if all its
 * parts are below zero.  The total of a standing bar is above it.  It is left out if it is wider than the bar with
 * the space beside it (pitch), or if all parts are below zero. */
static void plot_draw_total(plot_panel_ctx *at, const plot_mark *parts, size_t n, double middle, double pitch,
			    const char *text)
{
	const picture_metrics *m = at->to->metrics;
	double up = 0, down = 0, end;
	bool below;

	for (size_t i = 0; i < n; i++) {
		up = fmax(up, parts[i].y1);
		down = fmin(down, parts[i].y1);
	}
	below = down < 0 && up == 0;
	end = plot_coordinate(&at->up, below ? down : up);
	if (at->p->upright && picture_width(at->to, text) + m->pad <= pitch && !below)
		picture_text(at->to, (picture_place){ middle, end - m->line, pitch, PICTURE_MIDDLE }, PICTURE_LABEL,
			text);
	else if (!at->p->upright)
		picture_text(at->to, (picture_place){ end + (below ? -m->pad : m->pad), middle - m->line / 2,
			below ? end - m->pad - at->x : INFINITY, below ? PICTURE_RIGHT : PICTURE_LEFT }, PICTURE_LABEL,
			text);
}

/* Merge neighbouring bars, so that at most `fit` are drawn.  Each drawn bar shows the mean of at->each bars; the
 * last one may stand for fewer. */
static plot_marks plot_draw_merge_bars(plot_panel_ctx *at, size_t fit)
{
	size_t n = at->panel->slots->n, series = at->p->series.n, drawn;
	plot_marks out = { 0 };
	double *sums;

	at->each = (n + fit - 1) / fit;
	at->merged = n;
	drawn = (n + at->each - 1) / at->each;
	sums = mem_new(double, drawn * series + 1);
	for (size_t i = 0; i < at->panel->marks.n; i++) {
		const plot_mark *m = &at->panel->marks.v[i];
		sums[m->slot / at->each * series + m->series] += m->y1 - m->y0;
	}
	for (size_t k = 0; k < drawn; k++) {
		double bars = (double)(k + 1 < drawn ? at->each : n - k * at->each), up = 0, down = 0;
		for (size_t s = 0; s < series; s++) {
			double v = sums[k * series + s] / bars, *end = v < 0 ? &down : &up;
			if (v != 0)
				vec_push(&out, (plot_mark){ .series = (uint32_t)s, .slot = (uint32_t)k, .y0 = *end,
					.y1 = *end + v });
			*end += v;
		}
	}
	free(sums);
	return out;
}

static void plot_draw_bars(plot_panel_ctx *at)
{
	const picture_metrics *m = at->to->metrics;
	size_t fit = (size_t)fmax(1, floor(at->w / m->stand)), n = at->panel->slots->n;
	plot_marks own = { 0 };
	const plot_marks *marks = &at->panel->marks;
	double pitch = m->bar + m->between, thick = m->bar;

	at->each = 1;
	if (at->p->upright && n > fit) {
		own = plot_draw_merge_bars(at, fit);
		marks = &own;
		n = (n + at->each - 1) / at->each;
	}
	if (at->p->upright) {
		pitch = at->w / (double)(n ? n : 1);
		thick = pitch <= 3 * m->pixel ? pitch : fmin(pitch * 0.8, 4 * m->bar);
	}
	if (m->whole)
		thick = fmax(1, floor(thick));
	for (size_t i = 0, end; i < marks->n; i = end) {
		double middle = (at->p->upright ? at->x : at->y) + ((double)marks->v[i].slot + 0.5) * pitch;
		for (end = i + 1; end < marks->n && marks->v[end].slot == marks->v[i].slot;)
			end++;
		const char *total = plot_draw_format_total(at, &marks->v[i], end - i);
		for (size_t k = i; k < end; k++)
			plot_draw_part(at, &marks->v[k], middle - thick / 2, thick, total);
		plot_draw_total(at, &marks->v[i], end - i, middle, pitch, total);
	}
	vec_free(&own);
}

/* ---- timelines */

/* The marks of a category that are shorter than a pixel, in one pixel of a lane. */
typedef struct {
	double time;            /* their time in the pixel, ns */
	uint32_t events;        /* how many of them begin in the pixel */
} speck;

typedef struct {                /* neighbouring pixels of a lane that look the same */
	unsigned series;        /* the category with the most time; UINT32_MAX: the pixels are empty */
	double covered;         /* how much of each pixel is drawn as covered, in eighths, 1 to 8 */
	size_t from;            /* the first pixel */
	size_t events;          /* how many events of the category begin in these pixels */
	double time;            /* the time of the category's events in these pixels, ns */
} pixel_run;

/* Find how one pixel is drawn.  specks: an array with an element for each category.  The result's `covered` is what the
 * events of all categories cover. */
static pixel_run plot_draw_judge_pixel(const plot_panel_ctx *at, const speck *specks)
{
	pixel_run r = { .series = UINT32_MAX };
	double all = 0;

	for (unsigned s = 0; s < at->p->series.n; s++) {
		all += specks[s].time;
		if (specks[s].events || specks[s].time > 0)
			r.series = r.series == UINT32_MAX || specks[s].time > specks[r.series].time ? s : r.series;
	}
	if (r.series == UINT32_MAX)
		return r;
	r.covered = fmin(fmax(round(all * 8 *
		(plot_coordinate(&at->across, 1) - plot_coordinate(&at->across, 0)) /
		at->to->metrics->pixel), 1), 8);
	r.events = specks[r.series].events;
	r.time = specks[r.series].time;
	return r;
}

static void plot_draw_specks(plot_panel_ctx *at, size_t slot, const speck *specks, size_t pixels, double y)
{
	const picture_metrics *m = at->to->metrics;
	pixel_run last = { .series = UINT32_MAX };
	char buf[PLOT_NUMBER];

	for (size_t x = 0; x <= pixels; x++) {
		pixel_run now = x < pixels ? plot_draw_judge_pixel(at, specks + x * at->p->series.n) :
				       (pixel_run){ .series = UINT32_MAX };
		if (now.series == last.series && now.covered == last.covered) {
			last.events += now.events;
			last.time += now.time;
			continue;
		}
		if (last.series != UINT32_MAX) {
			picture_shape *box = plot_draw_add_box(at, last.series, at->x + (double)last.from * m->pixel, y,
				(double)(x - last.from) * m->pixel, m->lane);
			box->bare = 8 - last.covered;
			box->text = arena_printf(&at->to->texts, "%s%zu %s, %s in all",
				plot_draw_describe_mark(at, last.series, at->panel->slots->v[slot]), last.events,
				last.events == 1 ? "event" : "events", plot_format_amount(last.time, "ns", buf));
		}
		last = now;
		last.from = x;
	}
}

/* Add an event that is shorter than a pixel to the specks of a lane.  If it lies in two pixels, its time is divided
 * between them, and it counts as an event of the first. */
static void plot_draw_add_speck(const plot_panel_ctx *at, speck *lane, size_t pixels, const plot_mark *mark)
{
	double pixel = at->to->metrics->pixel, a = (plot_coordinate(&at->across, mark->x0) - at->x) / pixel,
		b = (plot_coordinate(&at->across, mark->x1) - at->x) / pixel,
		last = (double)pixels - 1, x = fmin(floor(a), last),
		second = b > x + 1 && x < last ? (b - x - 1) / (b - a) : 0;
	speck *s = &lane[(size_t)fmax(x, 0) * at->p->series.n + mark->series];

	s->events++;
	s->time += (mark->x1 - mark->x0) * (1 - second);
	if (second > 0)
		s[at->p->series.n].time += (mark->x1 - mark->x0) * second;
}

/* Draw events of at least a pixel as boxes, over the pixels that shorter events cover in part. */
static void plot_draw_timeline(plot_panel_ctx *at)
{
	const picture_metrics *m = at->to->metrics;
	size_t lanes = at->panel->slots->n, series = at->p->series.n, pixels = (size_t)ceil(at->w / m->pixel);
	speck *specks = mem_new(speck, lanes * pixels * series + 1);
	double pitch = m->lane + m->between;
	char dur[PLOT_NUMBER], start[PLOT_NUMBER];

	for (size_t i = 0; i < at->panel->marks.n; i++) {
		const plot_mark *mark = &at->panel->marks.v[i];
		if (plot_coordinate(&at->across, mark->x1) - plot_coordinate(&at->across, mark->x0) >= m->pixel)
			continue;
		plot_draw_add_speck(at, &specks[mark->slot * pixels * series], pixels, mark);
		at->merged++;
	}
	for (size_t i = 0; i < lanes; i++)
		plot_draw_specks(at, i, &specks[i * pixels * series], pixels,
				 at->y + (double)i * pitch + m->between / 2);
	for (size_t i = 0; i < at->panel->marks.n; i++) {
		const plot_mark *mark = &at->panel->marks.v[i];
		double a = plot_coordinate(&at->across, mark->x0), b = plot_coordinate(&at->across, mark->x1);
		if (b - a < m->pixel)
			continue;
		plot_draw_add_box(at, mark->series, a, at->y + (double)mark->slot * pitch + m->between / 2, b - a,
				  m->lane)->text = arena_printf(&at->to->texts, "%s%s at %s",
			plot_draw_describe_mark(at, mark->series, at->panel->slots->v[mark->slot]),
			plot_format_amount(mark->x1 - mark->x0, "ns", dur),
			plot_format_amount(mark->x0, "ns", start));
	}
	free(specks);
}

/* Draw bars on an axis of numbers: the numbers of rows of a histogram, or piled lines, whose values are amounts in
 * tiles of time. */
static void plot_draw_hist(plot_panel_ctx *at)
{
	char from[PLOT_NUMBER], to[PLOT_NUMBER], much[PLOT_NUMBER];

	for (size_t i = 0; i < at->panel->marks.n; i++) {
		const plot_mark *mark = &at->panel->marks.v[i];
		double x = plot_coordinate(&at->across, mark->x0), y = plot_coordinate(&at->up, mark->y1);
		picture_shape *box = plot_draw_add_box(at, mark->series, x, y,
			plot_coordinate(&at->across, mark->x1) - x, plot_coordinate(&at->up, mark->y0) - y);
		plot_format_amount(mark->y1 - mark->y0, at->panel->unit, much);
		box->text = arena_printf(
			&at->to->texts, "%s%s %s%s: %s%s", plot_draw_describe_mark(at, mark->series, NULL),
			plot_format_amount(mark->x0, at->across.unit, from),
			mark->x0 >= at->p->rest ? "or more" : "to ",
			mark->x0 >= at->p->rest ? "" : plot_format_amount(mark->x1, at->across.unit, to), much,
			at->p->kind == PLOT_HIST ? " rows" : "");
	}
}

/* ---- lines */

static double plot_draw_middle_of(const plot_panel_ctx *at, const plot_mark *mark)
{
	return plot_coordinate(&at->across, (mark->x0 + mark->x1) / 2);
}

static void plot_draw_add_point(plot_panel_ctx *at, picture_shape *path, double x, double y)
{
	vec_push(&at->to->points, (picture_point){ x, y });
	path->points++;
}

/* Draw a line.  If more than three of its points lie in one column of pixels, only the first, least, greatest and
 * last of them are drawn. */
static void plot_draw_line(plot_panel_ctx *at, const plot_mark *marks, size_t n)
{
	double pixel = at->to->metrics->pixel;
	picture_shape *path = picture_add(at->to, (picture_shape){ .type = PICTURE_PATH, .role = PICTURE_MARK,
		.series = marks->series, .color = at->p->series.v[marks->series].color, .point = at->to->points.n });

	for (size_t i = 0, end; i < n; i = end) {
		double column = floor(plot_draw_middle_of(at, &marks[i]) / pixel), lo = marks[i].y1, hi = lo;
		for (end = i; end < n && floor(plot_draw_middle_of(at, &marks[end]) / pixel) == column; end++) {
			lo = fmin(lo, marks[end].y1);
			hi = fmax(hi, marks[end].y1);
		}
		double x = plot_draw_middle_of(at, &marks[i]);
		plot_draw_add_point(at, path, x, plot_coordinate(&at->up, marks[i].y1));
		if (end - i > 3) {
			plot_draw_add_point(at, path, x, plot_coordinate(&at->up, lo));
			plot_draw_add_point(at, path, x, plot_coordinate(&at->up, hi));
			at->merged += end - i - 4;
		}
		for (size_t k = end - i > 3 ? end - 1 : i + 1; k < end; k++)
			plot_draw_add_point(at, path, plot_draw_middle_of(at, &marks[k]),
					    plot_coordinate(&at->up, marks[k].y1));
	}
}

/* Add invisible strips.  When pointed at, a strip shows the first value that each line has in it. */
static void plot_draw_add_hover_strips(plot_panel_ctx *at)
{
	enum { STRIPS = 120 };
	const plot_marks *marks = &at->panel->marks;
	const char *texts[STRIPS] = { NULL };
	unsigned last[STRIPS];
	char x[PLOT_NUMBER], y[PLOT_NUMBER];

	for (size_t i = 0; i < marks->n; i++) {
		const plot_mark *mark = &marks->v[i];
		size_t s = (size_t)fmin(fmax((plot_draw_middle_of(at, mark) - at->x) / at->w * STRIPS, 0), STRIPS - 1);
		if (texts[s] && last[s] == mark->series)
			continue;
		last[s] = mark->series;
		texts[s] = texts[s] ?
			arena_printf(&at->to->texts, "%s\n%s%s", texts[s],
				     plot_draw_describe_mark(at, mark->series, NULL),
				     plot_format_amount(mark->y1, at->panel->unit, y)) :
			arena_printf(&at->to->texts, "%s\n%s%s", plot_format_amount(mark->x0, at->across.unit, x),
				     plot_draw_describe_mark(at, mark->series, NULL),
				     plot_format_amount(mark->y1, at->panel->unit, y));
	}
	for (size_t s = 0; s < STRIPS; s++)
		if (texts[s])
			picture_add(at->to, (picture_shape){ .type = PICTURE_HOVER,
				.x = at->x + at->w * (double)s / STRIPS, .w = at->w / STRIPS, .y = at->y, .h = at->h,
				.text = texts[s] });
}

/* Is there a tile without a value between two neighbouring points of a line?  The line breaks there. */
static bool plot_draw_is_apart(const plot_mark *a, const plot_mark *b)
{
	return a->x1 > a->x0 && b->x0 - a->x1 > (a->x1 - a->x0) / 2;
}

static void plot_draw_lines(plot_panel_ctx *at)
{
	const plot_marks *marks = &at->panel->marks;

	for (size_t i = 0, end; i < marks->n; i = end) {
		for (end = i + 1; end < marks->n && marks->v[end].series == marks->v[i].series &&
		     !plot_draw_is_apart(&marks->v[end - 1], &marks->v[end]); end++)
			;
		plot_draw_line(at, &marks->v[i], end - i);
	}
	plot_draw_add_hover_strips(at);
}

void plot_draw(plot_panel_ctx *at)
{
	at->each = 1;
	switch (at->p->kind) {
	case PLOT_TIMELINE: plot_draw_timeline(at); break;
	case PLOT_HIST: plot_draw_hist(at); break;
	case PLOT_LINE: (at->p->piled ? plot_draw_hist : plot_draw_lines)(at); break;
	default: plot_draw_bars(at);
	}
}
