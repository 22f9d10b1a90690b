#include "picture/plot_layout.h"

#include <float.h>
#include <math.h>
#include <string.h>

double plot_at(const plot_axis *a, double value)
{
	double lo = a->logarithmic ? log10(a->lo) : a->lo, hi = a->logarithmic ? log10(a->hi) : a->hi;
	double v = a->logarithmic ? log10(value) : value;

	return hi > lo ? a->a + (a->b - a->a) * ((v - lo) / (hi - lo)) : a->a;
}

/* Do two panels have one axis?  Values have one in a row of the grid.  Times have none in common: traces have clocks of
 * their own. */
static bool one_axis(const plot *p, const plot_panel *a, const plot_panel *b, bool along)
{
	bool times = along && p->across_unit && strcmp(p->across_unit, "ns") == 0 && p->kind != PLOT_HIST;

	return times ? a == b : a->row == b->row;
}

/* The least and the greatest value of a panel, or number along it. */
static void widen(const plot_panel *panel, bool along, double *lo, double *hi)
{
	for (size_t i = 0; i < panel->marks.n; i++) {
		const plot_mark *m = &panel->marks.v[i];
		*lo = fmin(*lo, along ? m->x0 : fmin(m->y0, m->y1));
		*hi = fmax(*hi, along ? m->x1 : fmax(m->y0, m->y1));
	}
}

/* How far an axis goes.  Bars begin at zero, and timelines are all of one scale. */
void plot_axis_extent(const plot *p, const plot_panel *panel, bool along, plot_axis *a)
{
	double longest = 0;

	a->lo = INFINITY;
	a->hi = -INFINITY;
	for (size_t i = 0; i < p->panels.n; i++) {
		double lo = INFINITY, hi = -INFINITY;
		widen(&p->panels.v[i], along, &lo, &hi);
		longest = fmax(longest, hi - lo);
		if (one_axis(p, &p->panels.v[i], panel, along)) {
			a->lo = fmin(a->lo, lo);
			a->hi = fmax(a->hi, hi);
		}
	}
	if (a->lo > a->hi)
		a->lo = a->hi = 0;
	if (p->kind == PLOT_TIMELINE)
		a->hi = a->lo + longest;
	if (!along && (p->from_zero || (panel->unit && strcmp(panel->unit, "%") == 0) ||
	    (a->lo > 0 && a->lo < a->hi * 0.7)))
		a->lo = fmin(a->lo, 0);
	if (!along && p->kind != PLOT_LINE)
		a->hi = fmax(a->hi, 0);
	if (!(a->hi > a->lo))
		a->hi = a->lo + fmax(1, fabs(a->lo) * 0.1);
}

/* The k-th tick; false: there is none.  Counted, because far from zero a step may be too small to add. */
static bool nth_tick(const plot_axis *a, int k, double *value)
{
	enum { MOST = 50 };

	*value = a->step > 0 ? ceil(a->lo / a->step - 1e-9) * a->step + k * a->step : 0;
	return a->step > 0 && k < MOST && *value <= a->hi + a->step * 1e-6;
}

/* A round distance between ticks, such that no more than the given number fit. */
void plot_axis_ticks(const picture *to, plot_axis *a, double most)
{
	char buf[PLOT_NUMBER];
	double value;

	a->shown = plot_unit_of(a->unit, fmax(fabs(a->lo), fabs(a->hi)));
	a->step = a->logarithmic ? 0 : plot_step(a->lo / a->shown.scale, a->hi / a->shown.scale, most) * a->shown.scale;
	if (a->step > 0 && !a->unit && a->step < 1 && a->hi - a->lo >= 1 && a->lo == floor(a->lo) &&
	    a->hi == floor(a->hi))
		a->step = 1;
	a->label = 0;
	for (int k = 0; nth_tick(a, k, &value); k++)
		a->label = fmax(a->label, picture_width(to,
			plot_tick(value / a->shown.scale, a->step / a->shown.scale, buf)));
	if (a->logarithmic)
		a->label = picture_width(to, "100 us");
}

/* As many ticks as fit without their texts touching, across a width. */
void plot_axis_fit(const picture *to, plot_axis *a, double width)
{
	double most = 11, gap = fmax(to->metrics->pad, fmin(2 * to->metrics->pad, width / 16));

	do
		plot_axis_ticks(to, a, --most);
	while (most > 1 && a->step > 0 && (a->label + gap) * ((a->hi - a->lo) / a->step) > width);
}

static void draw_tick(plot_place *at, const plot_axis *a, double value, const char *text, bool down)
{
	const picture_metrics *m = at->to->metrics;
	double place = plot_at(a, value);
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

/* Ticks with their texts, below the panel or, up its left side, in the first column. */
void plot_axis_draw(plot_place *at, const plot_axis *a, bool down)
{
	char buf[PLOT_NUMBER];
	double value;

	for (int k = 0; nth_tick(a, k, &value); k++)
		draw_tick(at, a, value, arena_copy(&at->to->texts,
			plot_tick(value / a->shown.scale, a->step / a->shown.scale, buf)), down);
	if (a->logarithmic) {
		double end = -INFINITY;
		for (int k = (int)ceil(log10(a->lo) - 1e-9); k <= DBL_MAX_10_EXP &&
		    pow(10, k) <= a->hi * (1 + 1e-9); k++) {
			/* the least number is above the power of ten that rounds to 0 */
			double v = fmax(pow(10, k), DBL_TRUE_MIN);
			const char *text = arena_copy(&at->to->texts, plot_amount(v, a->unit, buf));
			bool fits = plot_at(a, v) - picture_width(at->to, text) / 2 > end;
			draw_tick(at, a, v, fits ? text : "", down);
			end = fits ? plot_at(a, v) + picture_width(at->to, text) / 2 + at->to->metrics->pad : end;
		}
	}
}
