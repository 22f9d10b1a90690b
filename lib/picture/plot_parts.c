#include "picture/plot_parts.h"
#include "picture/plot_slots.h"
#include "picture/plot_units.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>

enum { BINS_MOST = 40, EDGES_MOST = 1000 };

typedef struct {                /* a part of a bar */
	uint32_t panel, slot, series;
	double sum;
	size_t rows;
} part;

typedef vec(part) parts;

static int by_bar(uint32_t a, uint32_t b, const void *ctx)
{
	const part *x = (const part *)ctx + a, *y = (const part *)ctx + b;

	return x->panel != y->panel ? sort_3way(x->panel, y->panel) : x->slot != y->slot ? sort_3way(x->slot, y->slot) :
		sort_3way(x->series, y->series);
}

/* Lay the parts of each bar one behind the other, those below zero the other way.  x gives a bar its place on an axis
 * of numbers: its edges are x[slot] and x[slot + 1]; NULL: it has none. */
static void stack_up(plot *to, const parts *all, const double *x)
{
	uint32_t *order = sort_order(all->n, by_bar, all->v);
	const part *last = NULL;
	double up = 0, down = 0;

	for (size_t i = 0; i < all->n; i++) {
		const part *p = &all->v[order ? order[i] : i];
		double *end = p->sum < 0 ? &down : &up, from;
		if (!last || last->panel != p->panel || last->slot != p->slot)
			up = down = 0;
		last = p;
		from = *end;
		*end += p->sum;
		vec_push(&to->panels.v[p->panel].marks, (plot_mark){ .series = p->series, .slot = p->slot, .y0 = from, .y1 = *end,
			.x0 = x ? x[p->slot] : 0, .x1 = x ? x[p->slot + 1] : 0 });
	}
	free(order);
}

/* The rows of a bar and category as one part: their sum or, of what cannot be added, their mean. */
static size_t add_rows(parts *all, group *met, bool sums, part p)
{
	size_t k = group_of(met, (int64_t[]){ p.panel, p.slot, sums ? p.series : 0 });

	if (k == all->n)
		vec_push(all, p);
	else {
		all->v[k].sum += p.sum;
		all->v[k].rows++;
	}
	return k;
}

static void draw_bars(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say)
{
	plot_slots s = plot_slots_of(to, c, items, places, say);
	group met = { .width = 3 };
	parts all = { 0 };
	size_t means = 0;

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		uint32_t panel = places.panels[it->panel], slot = plot_slot(&s, panel, it->slot);
		if (slot != PLOT_NO_SLOT)
			add_rows(&all, &met, c->sums, (part){ panel, slot, places.series[it->series], it->b, 1 });
	}
	for (size_t i = 0; i < all.n && !c->sums; i++) {
		means += all.v[i].rows > 1;
		all.v[i].sum /= (double)all.v[i].rows;
	}
	if (means)
		plot_tell(to, say, arena_printf(&to->texts, "%zu bars are means of several rows, whose %s cannot be added up", means, to->value));
	stack_up(to, &all, NULL);
	group_free(&met);
	vec_free(&all);
	plot_slots_free(&s);
}

static void draw_timeline(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say)
{
	plot_slots s = plot_slots_of(to, c, items, places, say);

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		uint32_t panel = places.panels[it->panel];
		vec_push(&to->panels.v[panel].marks, (plot_mark){ .series = places.series[it->series], .slot = plot_slot(&s, panel, it->slot),
			.x0 = it->a, .x1 = fmax(it->a, it->b) });
	}
	plot_slots_free(&s);
}

/* ---- lines */

typedef struct {
	const plot_item *items;
	plot_places places;
} line_order;

static int by_line(uint32_t a, uint32_t b, const void *ctx)
{
	const line_order *o = ctx;
	const plot_item *x = &o->items[a], *y = &o->items[b];
	uint32_t px = o->places.panels[x->panel], py = o->places.panels[y->panel], sx = o->places.series[x->series],
		sy = o->places.series[y->series];

	return px != py ? sort_3way(px, py) : sx != sy ? sort_3way(sx, sy) : sort_3way(x->a, y->a);
}

static void draw_lines(plot *to, const plot_items *items, plot_places places)
{
	uint32_t *order = sort_order(items->all.n, by_line, &(line_order){ items->all.v, places });

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[order ? order[i] : i];
		uint32_t series = places.series[it->series];
		if (series < to->series.n)
			vec_push(&to->panels.v[places.panels[it->panel]].marks, (plot_mark){ .series = series, .x0 = it->a, .x1 = it->a,
				.y0 = it->b, .y1 = it->b });
	}
	free(order);
}

/* ---- histograms */

typedef vec(double) edges;

/* Edges at round numbers; values that span three orders of magnitude are counted by their logarithm. */
static void find_edges(plot *to, const plot_items *items, edges *e)
{
	double lo = INFINITY, hi = -INFINITY, step, wanted = fmin(BINS_MOST, fmax(5, ceil(2 * cbrt((double)items->all.n))));
	plot_unit u;

	for (size_t i = 0; i < items->all.n; i++) {
		lo = fmin(lo, items->all.v[i].b);
		hi = fmax(hi, items->all.v[i].b);
	}
	if (!items->all.n)
		return;
	to->logarithmic = lo > 0 && hi / lo >= 1000;
	u = plot_unit_of(to->across_unit, fmax(fabs(lo), fabs(hi)));
	if (to->logarithmic) {
		double from = floor(log10(lo)), parts_of_ten = fmax(1, floor(wanted / (ceil(log10(hi)) - from)));
		for (int i = 0; !e->n || (e->v[e->n - 1] <= hi && i < EDGES_MOST); i++)
			vec_push(e, fmax(pow(10, from + i / parts_of_ten), DBL_TRUE_MIN));
		return;
	}
	step = hi > lo ? plot_step(lo / u.scale, hi / u.scale, wanted) * u.scale : fmax(fabs(lo) / 10, 1);
	for (int i = 0; !e->n || (e->v[e->n - 1] <= hi && i < EDGES_MOST); i++)
		vec_push(e, floor(lo / step) * step + i * step);
}

static void draw_hist(plot *to, const plot_items *items, plot_places places)
{
	edges e = { 0 };
	group met = { .width = 3 };
	parts all = { 0 };

	find_edges(to, items, &e);
	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		size_t lo = 0, hi = e.n - 1;
		while (hi - lo > 1) {
			size_t mid = (lo + hi) / 2;
			*(it->b < e.v[mid] ? &hi : &lo) = mid;
		}
		add_rows(&all, &met, true, (part){ places.panels[it->panel], (uint32_t)lo, places.series[it->series], 1, 1 });
	}
	stack_up(to, &all, e.v);
	group_free(&met);
	vec_free(&all);
	vec_free(&e);
}

void plot_marks_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say)
{
	switch (to->kind) {
	case PLOT_TIMELINE: draw_timeline(to, c, items, places, say); break;
	case PLOT_LINE: draw_lines(to, items, places); break;
	case PLOT_HIST: draw_hist(to, items, places); break;
	default: draw_bars(to, c, items, places, say);
	}
}
