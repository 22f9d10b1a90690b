#include "picture/plot_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- numbers and units */

plot_unit plot_choose_unit(const char *unit, double most)
{
	static const plot_unit times[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" }, { 1, "ns" } };
	static const plot_unit bytes[] = { { 1099511627776., "TiB" }, { 1073741824., "GiB" }, { 1048576., "MiB" },
		{ 1024., "KiB" }, { 1, "B" } };
	const plot_unit *u = NULL;

	if (unit && strcmp(unit, PLOT_MS) == 0)
		return times[1];
	if (unit && strcmp(unit, "ns") == 0)
		u = times;
	else if (unit && strcmp(unit, "bytes") == 0)
		u = bytes;
	while (u && u->scale > 1 && fabs(most) < u->scale)
		u++;
	return u ? *u : (plot_unit){ 1, unit ? unit : "" };
}

/* Format a number: a whole number without decimals, any other with at least three digits (2.53, 25.3, 253, 25312)
 * or, below 0.001, with two.  Numbers of at least 1e9 or below 1e-4 may get a power of ten. */
static const char *plot_axis_format_number(double x, char buf[PLOT_NUMBER])
{
	double size = fabs(x);

	if (size >= 1e9 || (size > 0 && size < 1e-4))
		snprintf(buf, PLOT_NUMBER, "%.3g", x);
	else if (x == floor(x))
		snprintf(buf, PLOT_NUMBER, "%.0f", x);
	else
		snprintf(buf, PLOT_NUMBER, "%.*f",
			size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3 + (size < 0.1) + (size < 0.01),
			x);
	if (strcmp(buf, "-0") == 0)
		return "0";
	return buf;
}

const char *plot_format_amount(double x, const char *unit, char buf[PLOT_NUMBER])
{
	plot_unit u = plot_choose_unit(unit, x);
	char digits[PLOT_NUMBER];
	/* A unit that is a phrase, such as "Avg ...", is shown by the axis alone, not after each number. */
	bool is_phrase = strlen(u.name) > 5 || strncmp(u.name, "Avg", 3) == 0;

	snprintf(buf, PLOT_NUMBER, "%.16s%s%.13s", plot_axis_format_number(x / u.scale, digits),
		 *u.name && !is_phrase ? " " : "", is_phrase ? "" : u.name);
	return buf;
}

double plot_tick_distance(double from, double to, double most)
{
	double size = (to - from) / fmax(most, 1), ten;

	if (!(size > 0) || !isfinite(size))
		return 0;
	ten = pow(10, floor(log10(size)));
	return size <= ten ? ten : size <= 2 * ten ? 2 * ten : size <= 5 * ten ? 5 * ten : 10 * ten;
}

const char *plot_format_tick(double x, double step, char buf[PLOT_NUMBER])
{
	int digits = (int)-floor(log10(step) + 1e-9);

	x = fabs(x) < step / 1000 ? 0 : x;
	if (fabs(x) >= 1e9 || digits > 9)
		snprintf(buf, PLOT_NUMBER, "%.*g", (int)fmin(15, fmax(3, log10(fabs(x) / step) + 2)), x);
	else
		snprintf(buf, PLOT_NUMBER, "%.*f", digits > 0 ? digits : 0, x);
	return buf;
}

/* ---- axes */

double plot_coordinate(const plot_axis *a, double value)
{
	double lo = a->logarithmic ? log10(a->lo) : a->lo, hi = a->logarithmic ? log10(a->hi) : a->hi;
	double v = a->logarithmic ? log10(value) : value;

	return hi > lo ? a->a + (a->b - a->a) * ((v - lo) / (hi - lo)) : a->a;
}

/* Do two panels share their axis of values or, with `along`, their other axis?  Panels in a row of the grid share
 * both.  Only an axis of time is different: if the traces are on one clock, all panels share it; otherwise each has
 * its own. */
static bool plot_axis_is_shared(const plot *p, const plot_panel *a, const plot_panel *b, bool along)
{
	bool times = along && p->across_unit && strcmp(p->across_unit, "ns") == 0 && p->kind != PLOT_HIST;

	return times ? a == b || p->one_clock : a->row == b->row;
}

/* Widen lo and hi so that the values of a panel or, with `along`, its numbers on the other axis lie between them. */
static void plot_axis_widen(const plot_panel *panel, bool along, double *lo, double *hi)
{
	for (size_t i = 0; i < panel->marks.n; i++) {
		const plot_mark *m = &panel->marks.v[i];
		*lo = fmin(*lo, along ? m->x0 : fmin(m->y0, m->y1));
		*hi = fmax(*hi, along ? m->x1 : fmax(m->y0, m->y1));
	}
}

/* The axis of values includes zero below its values if they are percentages, with from_zero, or if the smallest
 * value is positive and below 0.7 of the largest.  It includes zero above its values unless the plot is of lines.
 * The axes of timelines without a common clock have the same length. */
void plot_axis_extent(const plot *p, const plot_panel *panel, bool along, plot_axis *a)
{
	double longest = 0;

	a->lo = INFINITY;
	a->hi = -INFINITY;
	for (size_t i = 0; i < p->panels.n; i++) {
		double lo = INFINITY, hi = -INFINITY;
		plot_axis_widen(&p->panels.v[i], along, &lo, &hi);
		longest = fmax(longest, hi - lo);
		if (plot_axis_is_shared(p, &p->panels.v[i], panel, along)) {
			a->lo = fmin(a->lo, lo);
			a->hi = fmax(a->hi, hi);
		}
	}
	if (a->lo > a->hi)
		a->lo = a->hi = 0;
	if (p->kind == PLOT_TIMELINE && !p->one_clock)
		a->hi = a->lo + longest;
	if (!along && (p->from_zero || (panel->unit && strcmp(panel->unit, "%") == 0) ||
	    (a->lo > 0 && a->lo < a->hi * 0.7)))
		a->lo = fmin(a->lo, 0);
	if (!along && p->kind != PLOT_LINE)
		a->hi = fmax(a->hi, 0);
	if (!(a->hi > a->lo))
		a->hi = a->lo + fmax(1, fabs(a->lo) * 0.1);
}

/* Find the k-th tick from the start of the axis, counted from 0; false: there is none.  The k-th tick is computed
 * from the first one, because far from zero a step may be too small to change the tick before it. */
static bool plot_axis_find_tick(const plot_axis *a, int k, double *value)
{
	enum { MOST = 50 };

	*value = a->step > 0 ? ceil(a->lo / a->step - 1e-9) * a->step + k * a->step : 0;
	return a->step > 0 && k < MOST && *value <= a->hi + a->step * 1e-6;
}

void plot_axis_ticks(const picture *to, plot_axis *a, double most)
{
	char buf[PLOT_NUMBER];
	double value;

	a->shown = plot_choose_unit(a->unit, fmax(fabs(a->lo), fabs(a->hi)));
	a->step = a->logarithmic ? 0 :
		plot_tick_distance(a->lo / a->shown.scale, a->hi / a->shown.scale, most) * a->shown.scale;
	if (a->step > 0 && !a->unit && a->step < 1 && a->hi - a->lo >= 1 && a->lo == floor(a->lo) &&
	    a->hi == floor(a->hi))
		a->step = 1;
	a->label = 0;
	for (int k = 0; plot_axis_find_tick(a, k, &value); k++)
		a->label = fmax(a->label, picture_width(to,
			plot_format_tick(value / a->shown.scale, a->step / a->shown.scale, buf)));
	if (a->logarithmic)
		a->label = picture_width(to, "100 us");
}

void plot_axis_fit(const picture *to, plot_axis *a, double width)
{
	double most = 11, gap = fmax(to->metrics->pad, fmin(2 * to->metrics->pad, width / 16));

	do
		plot_axis_ticks(to, a, --most);
	while (most > 1 && a->step > 0 && (a->label + gap) * ((a->hi - a->lo) / a->step) > width);
}

static void plot_axis_draw_tick(plot_panel_ctx *at, const plot_axis *a, double value, const char *text, bool down)
{
	const picture_metrics *m = at->to->metrics;
	double place = plot_coordinate(a, value);
	enum picture_role role = fabs(value) < a->step / 1000 ? PICTURE_AXIS : PICTURE_GRID;

	if (down) {
		picture_add(at->to, (picture_shape){ PICTURE_RULE, role, .x = place, .y = at->y, .h = at->h });
		picture_text(at->to, (picture_place){ place, at->y + at->h + m->space / 2, INFINITY, PICTURE_MIDDLE },
			PICTURE_QUIET, text);
	} else {
		picture_add(at->to, (picture_shape){ PICTURE_RULE, role, .x = at->x, .y = place, .w = at->w });
		if (at->first)
			picture_text(at->to, (picture_place){ at->x - m->pad, place - m->line / 2 - m->inset, INFINITY,
				PICTURE_RIGHT }, PICTURE_QUIET, text);
	}
}

void plot_axis_draw(plot_panel_ctx *at, const plot_axis *a, bool down)
{
	char buf[PLOT_NUMBER];
	double value;

	for (int k = 0; plot_axis_find_tick(a, k, &value); k++)
		if (!down || !(value >= at->p->rest - a->step / 1000))
			plot_axis_draw_tick(at, a, value, arena_copy(&at->to->texts,
				plot_format_tick(value / a->shown.scale, a->step / a->shown.scale, buf)), down);
	if (down && at->p->rest > a->lo)
		plot_axis_draw_tick(at, a, (at->p->rest + a->hi) / 2, arena_printf(&at->to->texts, "≥ %s",
			plot_format_tick(at->p->rest / a->shown.scale, a->step / a->shown.scale, buf)), down);
	if (a->logarithmic) {
		double end = -INFINITY;
		for (int k = (int)ceil(log10(a->lo) - 1e-9); k <= DBL_MAX_10_EXP &&
		    pow(10, k) <= a->hi * (1 + 1e-9); k++) {
			/* a power of ten too small for a double is drawn at the smallest positive double */
			double v = fmax(pow(10, k), DBL_TRUE_MIN);
			const char *text = arena_copy(&at->to->texts, plot_format_amount(v, a->unit, buf));
			bool fits = plot_coordinate(a, v) - picture_width(at->to, text) / 2 > end;
			plot_axis_draw_tick(at, a, v, fits ? text : "", down);
			end = fits ? plot_coordinate(a, v) + picture_width(at->to, text) / 2 + at->to->metrics->pad :
				end;
		}
	}
}
