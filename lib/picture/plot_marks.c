#include "picture/plot_colors.h"
#include "picture/plot_parts.h"
#include "base/sort.h"
#include "base/stats.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
	LYING_MOST = 30,        /* the most lying bars in a row of the grid of panels */
	LANES_MOST = 64,        /* the most lanes in such a row */
	BINS_MOST = 40,         /* a histogram has at most about this many bars */
	EDGES_MOST = 1000,      /* the most edges of bars of a histogram */
	TILES_MOST = 100000     /* the most tiles of a panel whose missing values are filled in */
};

/* A histogram is logarithmic if its largest value is at least this many times its smallest. */
enum { LOGARITHMIC_RATIO = 1000 };

#define NO_SLOT UINT32_MAX

/* ---- bars and lanes */

typedef struct {
	group known;            /* the slots in use, as pairs: a row of the grid, and plot_item.slot */
	vec(double) sums;       /* for each pair of `known`: the sum of its values */
	uint32_t *place;        /* an array with an element for each pair: its index among the bars or lanes of the row;
				 * NO_SLOT: it is not drawn */
	const str_pool *names;  /* the names of slots; plot_item.slot is the id of a name */
	bool lanes;             /* are the slots lanes, which are ordered by name?  Otherwise they are bars */
	bool by_size;           /* are bars ordered by size, the largest first?  Otherwise they are in the order of
				 * their first rows */
} slots;

static int plot_marks_compare_sizes(uint32_t a, uint32_t b, const void *ctx)
{
	const slots *s = ctx;

	return s->sums.v[a] != s->sums.v[b] ? sort_3way(s->sums.v[b], s->sums.v[a]) : sort_3way(a, b);
}

/* Order pairs by row of the grid.  Within a row, lanes are ordered by name (lane 2 before lane 10), and bars by size
 * or by their first rows (by_size). */
static int plot_marks_compare_rows(uint32_t a, uint32_t b, const void *ctx)
{
	const slots *s = ctx;
	const int64_t *x = &s->known.key[2 * a], *y = &s->known.key[2 * b];

	return x[0] != y[0] ? sort_3way(x[0], y[0]) :
		s->lanes ? strverscmp(str_at(s->names, (uint32_t)x[1]), str_at(s->names, (uint32_t)y[1])) :
		s->by_size ? plot_marks_compare_sizes(a, b, ctx) : sort_3way(a, b);
}

/* Number the slots of a row of the grid.  order: the n pairs of this row, in order.  If there are more than `most`,
 * the smallest share the last number or, without `pool`, get none.  Returns how many have no number of their own. */
static size_t plot_marks_number_row(plot *to, slots *s, const uint32_t *order, size_t n, size_t most, bool pool)
{
	plot_slots *row = &to->rows.v[s->known.key[2 * order[0]]];
	size_t kept = n > most ? most - 1 : n;
	uint32_t *largest = mem_new(uint32_t, n);

	memcpy(largest, order, n * sizeof *order);
	sort_items(largest, n, plot_marks_compare_sizes, s);
	for (size_t i = kept; i < n; i++)
		s->place[largest[i]] = NO_SLOT;
	for (size_t i = 0; i < n; i++)
		if (s->place[order[i]] != NO_SLOT) {
			s->place[order[i]] = (uint32_t)row->n;
			vec_push(row, arena_copy(&to->texts,
				str_at(s->names, (uint32_t)s->known.key[2 * order[i] + 1])));
		}
	for (size_t i = kept; i < n && pool; i++)
		s->place[largest[i]] = (uint32_t)row->n;
	if (kept < n && pool)
		vec_push(row, arena_printf(&to->texts, "other (%zu)", n - kept));
	free(largest);
	return n - kept;
}

/* The index in s->known of a pair: the row of a panel, and a slot. */
static uint32_t plot_marks_pair_of(plot *to, slots *s, uint32_t panel, uint32_t slot)
{
	return (uint32_t)group_of(&s->known, (int64_t[]){ (int64_t)to->panels.v[panel].row, slot });
}

/* Number the bars or lanes of all panels, and name them in to->rows.  Free the result with plot_marks_slots_free. */
static slots plot_marks_number_slots(plot *to, const plot_choice *c, const plot_items *items, plot_renumbering places,
				 notes *say)
{
	slots s = { .known = { .width = 2 }, .names = &items->slots, .lanes = to->kind == PLOT_TIMELINE,
		.by_size = !to->upright && (to->cols > 1 || c->dropped) && !c->table_in_label };
	size_t most = s.lanes ? LANES_MOST : to->upright ? SIZE_MAX : LYING_MOST, smaller = 0, n;
	bool pool = s.lanes || c->sums;
	uint32_t *order;

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		size_t k = plot_marks_pair_of(to, &s, places.panels[it->panel], it->slot);
		if (k == s.sums.n)
			vec_push(&s.sums, 0);
		s.sums.v[k] += fabs(s.lanes ? it->b - it->a : it->b);
	}
	order = mem_new(uint32_t, s.known.n + 1);
	s.place = mem_new(uint32_t, s.known.n + 1);
	for (size_t i = 0; i < s.known.n; i++)
		order[i] = (uint32_t)i;
	sort_items(order, s.known.n, plot_marks_compare_rows, &s);
	for (size_t i = 0; i < s.known.n; i += n) {
		for (n = 1; i + n < s.known.n && s.known.key[2 * order[i + n]] == s.known.key[2 * order[i]]; n++)
			;
		smaller += plot_marks_number_row(to, &s, order + i, n, most, pool);
	}
	if (smaller)
		plot_remark(to, say, arena_printf(&to->texts, pool ?
			"the %zu smaller ones of %zu %s are drawn as one, other" :
			"the %zu smaller ones of %zu %s are left out", smaller, s.known.n, s.lanes ? "lanes" : "bars"));
	free(order);
	return s;
}

static void plot_marks_slots_free(slots *s)
{
	group_free(&s->known);
	mem_free(s->sums.v, s->place);
}

/* ---- bars from their parts */

typedef struct {                /* a part of a bar, of one category */
	uint32_t panel, slot, series;
	double sum;             /* the sum of the values of its rows */
	size_t rows;            /* the number of its rows */
} part;

typedef vec(part) parts;

static int plot_marks_compare_bars(uint32_t a, uint32_t b, const void *ctx)
{
	const part *x = (const part *)ctx + a, *y = (const part *)ctx + b;

	return x->panel != y->panel ? sort_3way(x->panel, y->panel) : x->slot != y->slot ? sort_3way(x->slot, y->slot) :
		sort_3way(x->series, y->series);
}

static bool plot_marks_is_other_bar(const part *a, const part *b)
{
	return a->panel != b->panel || a->slot != b->slot;
}

/* Stack the parts of each bar: positive parts upwards from zero, negative parts downwards.  x: for bars on an axis
 * of numbers, the edges of bars; bar `slot` is between x[slot] and x[slot + 1].  NULL: there is no such axis. */
static void plot_marks_stack_bars(plot *to, const parts *all, const double *x)
{
	uint32_t *order = sort_order(all->n, plot_marks_compare_bars, all->v);
	const part *last = NULL;
	double up = 0, down = 0;

	for (size_t i = 0; i < all->n; i++) {
		const part *p = &all->v[order ? order[i] : i];
		double *end = p->sum < 0 ? &down : &up, from;
		if (!last || plot_marks_is_other_bar(last, p))
			up = down = 0;
		last = p;
		from = *end;
		*end += p->sum;
		if (i + 1 == all->n || plot_marks_is_other_bar(p, &all->v[order ? order[i + 1] : i + 1]))
			to->panels.v[p->panel].below |= down < 0 && up == 0;
		vec_push(&to->panels.v[p->panel].marks,
			(plot_mark){ .series = p->series, .slot = p->slot, .y0 = from, .y1 = *end,
			.x0 = x ? x[p->slot] : 0, .x1 = x ? x[p->slot + 1] : 0 });
	}
	free(order);
}

/* Add a row to the part of its bar and category.  Without `sums`, all rows of a bar belong to one part, whose sum
 * the caller divides by their number. */
static void plot_marks_add_row(parts *all, group *met, bool sums, part p)
{
	size_t k = group_of(met, (int64_t[]){ p.panel, p.slot, sums ? p.series : 0 });

	if (k == all->n) {
		vec_push(all, p);
	} else {
		all->v[k].sum += p.sum;
		all->v[k].rows++;
	}
}

static void plot_marks_make_bars(plot *to, const plot_choice *c, const plot_items *items, plot_renumbering places,
				 notes *say)
{
	slots s = plot_marks_number_slots(to, c, items, places, say);
	group met = { .width = 3 };
	parts all = { 0 };
	size_t means = 0;

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		uint32_t panel = places.panels[it->panel], slot = s.place[plot_marks_pair_of(to, &s, panel, it->slot)];
		if (slot != NO_SLOT)
			plot_marks_add_row(&all, &met, c->sums,
					   (part){ panel, slot, places.series[it->series], it->b, 1 });
	}
	for (size_t i = 0; i < all.n && !c->sums; i++) {
		means += all.v[i].rows > 1;
		all.v[i].sum /= (double)all.v[i].rows;
	}
	if (means)
		plot_remark(to, say, arena_printf(&to->texts,
			means == 1 ? "%zu bar is the mean of several rows, whose %s cannot be added up" :
			"%zu bars are means of several rows, whose %s cannot be added up", means, to->value));
	plot_marks_stack_bars(to, &all, NULL);
	group_free(&met);
	vec_free(&all);
	plot_marks_slots_free(&s);
}

/* ---- timelines */

static void plot_marks_make_timeline(plot *to, const plot_choice *c, const plot_items *items, plot_renumbering places,
				     notes *say)
{
	slots s = plot_marks_number_slots(to, c, items, places, say);

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		uint32_t panel = places.panels[it->panel];
		vec_push(&to->panels.v[panel].marks,
			 (plot_mark){ .series = places.series[it->series],
				      .slot = s.place[plot_marks_pair_of(to, &s, panel, it->slot)],
				      .x0 = it->a,
				      .x1 = fmax(it->a, it->b) });
	}
	plot_marks_slots_free(&s);
}

/* ---- lines */

typedef struct {
	const plot_item *items;
	plot_renumbering places;
} line_order;

static int plot_marks_compare_lines(uint32_t a, uint32_t b, const void *ctx)
{
	const line_order *o = ctx;
	const plot_item *x = &o->items[a], *y = &o->items[b];
	uint32_t px = o->places.panels[x->panel], py = o->places.panels[y->panel], sx = o->places.series[x->series],
		sy = o->places.series[y->series];

	return px != py ? sort_3way(px, py) : sx != sy ? sort_3way(sx, sy) : sort_3way(x->a, y->a);
}

static int plot_marks_compare_starts(uint32_t a, uint32_t b, const void *ctx)
{
	const plot_mark *x = (const plot_mark *)ctx + a, *y = (const plot_mark *)ctx + b;

	return sort_3way(x->x0, y->x0);
}

/* List the tiles of a panel in order, with the tiles between them that no row is about.  False: tiles overlap, or
 * there are too many. */
static bool plot_marks_find_tiles(const plot_marks *marks, plot_marks *to)
{
	uint32_t *order = sort_order(marks->n, plot_marks_compare_starts, marks->v);
	bool ok = true;

	for (size_t i = 0; ok && i < marks->n; i++) {
		const plot_mark *m = &marks->v[order ? order[i] : i];
		plot_mark last = to->n ? to->v[to->n - 1] : *m;
		double gap = to->n ? m->x0 - last.x1 : 0, missing = nearbyint(gap / (last.x1 - last.x0));
		if (to->n && m->x0 == last.x0)
			continue;
		ok = gap >= 0 && (double)to->n + missing < TILES_MOST;
		for (double k = 0; ok && k < missing; k++)
			vec_push(to, (plot_mark){ .x0 = last.x1 + gap * k / missing,
				.x1 = last.x1 + gap * (k + 1) / missing });
		vec_push(to, (plot_mark){ .x0 = m->x0, .x1 = m->x1 });
	}
	free(order);
	return ok;
}

/* Add up the rows of each tile and category; a tile without rows gets 0.  If plot_marks_find_tiles fails, nothing
 * changes. */
static void plot_marks_fill_missing(plot_marks *marks)
{
	plot_marks tiles = { 0 }, all = { 0 };
	bool ok = plot_marks_find_tiles(marks, &tiles);

	for (size_t i = 0; ok && i < marks->n;) {
		uint32_t series = marks->v[i].series;
		for (size_t k = 0; k < tiles.n; k++) {
			plot_mark sum = tiles.v[k];
			sum.series = series;
			for (; i < marks->n && marks->v[i].series == series && marks->v[i].x0 == sum.x0; i++)
				sum.y1 += marks->v[i].y1;
			sum.y0 = sum.y1;
			vec_push(&all, sum);
		}
	}
	if (ok) {
		vec_free(marks);
		*marks = all;
	}
	vec_free(&tiles);
}

/* Leave out the values of the last tile if that is shorter than the longest, because a shorter tile has smaller values.
 * Returns its length in ns; 0: nothing was left out. */
static double plot_marks_drop_cut_tile(plot_marks *marks)
{
	double length = 0, last = -INFINITY, cut = 0;
	size_t kept = 0;

	for (size_t i = 0; i < marks->n; i++) {
		length = fmax(length, marks->v[i].x1 - marks->v[i].x0);
		last = fmax(last, marks->v[i].x0);
	}
	for (size_t i = 0; i < marks->n; i++)
		if (marks->v[i].x0 == last && marks->v[i].x1 - last < length * 0.99)
			cut = marks->v[i].x1 - last;
		else
			marks->v[kept++] = marks->v[i];
	marks->n = kept;
	return cut;
}

/* Stack the lines of each panel.  False, and nothing changes: lines of a panel do not have the same tiles, or a
 * value is below zero. */
static bool plot_marks_pile_lines(plot *to)
{
	for (int apply = 0; apply < 2; apply++)
		for (size_t p = 0; p < to->panels.n; p++) {
			plot_marks *m = &to->panels.v[p].marks;
			size_t n = 0;
			while (n < m->n && m->v[n].series == m->v[0].series)
				n++;
			for (size_t i = 0; i < m->n; i++) {
				double below = i < n ? 0 : m->v[i - n].y1;
				if (m->v[i].y1 < 0 || (i >= n && m->v[i].x0 != m->v[i - n].x0))
					return false;
				if (apply)
					m->v[i] = (plot_mark){ .series = m->v[i].series, .x0 = m->v[i].x0,
						.x1 = m->v[i].x1, .y0 = below, .y1 = below + m->v[i].y1 };
			}
		}
	return true;
}

static void plot_marks_make_lines(plot *to, const plot_choice *c, const plot_items *items, plot_renumbering places,
				  notes *say)
{
	double cut = 0;
	size_t ncut = 0;
	char length[PLOT_NUMBER];
	uint32_t *order = sort_order(items->all.n, plot_marks_compare_lines, &(line_order){ items->all.v, places });

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[order ? order[i] : i];
		uint32_t series = places.series[it->series];
		if (series < to->series.n)
			vec_push(&to->panels.v[places.panels[it->panel]].marks,
				(plot_mark){ .series = series, .x0 = it->a, .x1 = it->end, .y0 = it->b, .y1 = it->b });
	}
	for (size_t i = 0; c->sums && !items->unknown && i < to->panels.n; i++)
		plot_marks_fill_missing(&to->panels.v[i].marks);
	for (size_t i = 0; c->tile_adds && i < to->panels.n; i++) {
		double one = plot_marks_drop_cut_tile(&to->panels.v[i].marks);
		cut = fmax(cut, one);
		ncut += one > 0;
	}
	if (ncut)
		plot_remark(to, say, arena_printf(&to->texts, ncut == 1 ?
			"the last window is only %s long and is left out" :
			"the last windows are cut short, to %s at most, and left out",
			plot_format_amount(cut, "ns", length)));
	to->piled = c->piles && !items->unknown && to->series.n > 1 && plot_marks_pile_lines(to);
	to->from_zero |= to->piled;
	free(order);
}

/* ---- histograms */

typedef vec(double) edges;

static int plot_marks_compare_values(uint32_t a, uint32_t b, const void *ctx)
{
	const plot_item *x = (const plot_item *)ctx + a, *y = (const plot_item *)ctx + b;

	return sort_3way(x->b, y->b);
}

/* Find the smallest value (lo), the largest one (most), and the end of the axis (hi).  The axis ends at the largest
 * value or, if a few values lie far above the others, at the 99th percentile.  In that case, one more bar counts the
 * values above it. */
static void plot_marks_find_extent(const plot_items *items, double *lo, double *hi, double *most)
{
	size_t n = items->all.n;
	uint32_t *order = sort_order(n, plot_marks_compare_values, items->all.v);
	size_t at = stats_rank(n, 99);

	*lo = items->all.v[order ? order[0] : 0].b;
	*most = items->all.v[order ? order[n - 1] : n - 1].b;
	*hi = items->all.v[order ? order[at] : at].b;
	if (*most - *lo <= 2 * (*hi - *lo) || *hi == *lo || (*lo > 0 && *most / *lo >= LOGARITHMIC_RATIO))
		*hi = *most;
	free(order);
}

/* Choose the edges of bars at round numbers.  Positive values that span three orders of magnitude get a logarithmic
 * axis.  *most: the largest value. */
static void plot_marks_find_edges(plot *to, const plot_items *items, edges *e, double *most)
{
	double lo, hi, step, wanted = fmin(BINS_MOST, fmax(5, ceil(2 * cbrt((double)items->all.n))));
	plot_unit u;

	if (!items->all.n)
		return;
	plot_marks_find_extent(items, &lo, &hi, most);
	to->logarithmic = lo > 0 && hi / lo >= LOGARITHMIC_RATIO;
	u = plot_choose_unit(to->across_unit, fmax(fabs(lo), fabs(hi)));
	if (to->logarithmic) {
		double from = floor(log10(lo)), parts_of_ten = fmax(1, floor(wanted / (ceil(log10(hi)) - from)));
		for (int i = 0; !e->n || (e->v[e->n - 1] <= hi && i < EDGES_MOST); i++)
			vec_push(e, fmax(pow(10, from + i / parts_of_ten), DBL_TRUE_MIN));
		return;
	}
	lo = strcmp(to->across_unit ? to->across_unit : "", "%") == 0 ? fmin(lo, 0) : lo;
	step = hi > lo ? plot_tick_distance(lo / u.scale, hi / u.scale, wanted) * u.scale : fmax(fabs(lo) / 10, 1);
	for (int i = 0; !e->n || (e->v[e->n - 1] <= hi && i < EDGES_MOST); i++)
		vec_push(e, floor(lo / step) * step + i * step);
}

/* Add an edge, for one bar that counts all values beyond the last edge.  It is an eighth as wide as all other bars
 * together, but not narrower than the last of them. */
static void plot_marks_add_rest(plot *to, const plot_items *items, edges *e, double most, notes *say)
{
	double first = e->v[0], last = e->v[e->n - 1], bar = last - e->v[e->n - 2];
	size_t beyond = 0;
	char end[PLOT_NUMBER], far[PLOT_NUMBER];

	for (size_t i = 0; i < items->all.n; i++)
		beyond += items->all.v[i].b >= last;
	to->rest = last;
	vec_push(e, last + fmax((last - first) / 8, bar));
	plot_remark(to, say, arena_printf(&to->texts, "the last bar is the %zu of %zu rows with %s or more, up to %s",
		beyond, items->all.n, plot_format_amount(last, to->across_unit, end),
		plot_format_amount(most, to->across_unit, far)));
}

static void plot_marks_make_hist(plot *to, const plot_items *items, plot_renumbering places, notes *say)
{
	edges e = { 0 };
	group met = { .width = 3 };
	parts all = { 0 };
	double most = 0;

	plot_marks_find_edges(to, items, &e, &most);
	if (e.n > 1 && most > e.v[e.n - 1])
		plot_marks_add_rest(to, items, &e, most, say);
	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		size_t lo = 0, hi = e.n - 1;
		while (hi - lo > 1) {
			size_t mid = (lo + hi) / 2;
			*(it->b < e.v[mid] ? &hi : &lo) = mid;
		}
		plot_marks_add_row(&all, &met, true,
				   (part){ places.panels[it->panel], (uint32_t)lo, places.series[it->series], 1, 1 });
	}
	plot_marks_stack_bars(to, &all, e.v);
	group_free(&met);
	mem_free(all.v, e.v);
}

void plot_make_marks(plot *to, const plot_choice *c, const plot_items *items, plot_renumbering places, notes *say)
{
	switch (to->kind) {
	case PLOT_TIMELINE: plot_marks_make_timeline(to, c, items, places, say); break;
	case PLOT_LINE: plot_marks_make_lines(to, c, items, places, say); break;
	case PLOT_HIST: plot_marks_make_hist(to, items, places, say); break;
	default: plot_marks_make_bars(to, c, items, places, say);
	}
}

void plot_shift_from_whole(plot *to, const char *whole)
{
	uint32_t series = (uint32_t)to->series.n;

	vec_push(&to->series, (plot_series){ .name = whole, .color = PLOT_OTHER });
	to->labeled = true;
	for (size_t r = 0; r < to->rows.n; r++) {
		vec_push(&to->rows.v[r], whole);
		memmove(to->rows.v[r].v + 1, to->rows.v[r].v, (to->rows.v[r].n - 1) * sizeof *to->rows.v[r].v);
		to->rows.v[r].v[0] = whole;
	}
	for (size_t p = 0; p < to->panels.n; p++) {
		plot_marks *marks = &to->panels.v[p].marks;
		double left = 0;
		for (size_t i = 0; i < marks->n; i++)
			left += marks->v[i].y1 - marks->v[i].y0;
		for (size_t i = 0; i < marks->n; i++) {
			plot_mark *m = &marks->v[i];
			double amount = m->y1 - m->y0;
			*m = (plot_mark){ .series = m->series, .slot = m->slot + 1, .y0 = left - amount, .y1 = left };
			left -= amount;
		}
		if (marks->n)
			vec_push(marks, (plot_mark){ .series = series, .y1 = marks->v[0].y1 });
	}
}
