#include "picture/plot_marks.h"
#include "picture/plot_colors.h"
#include "picture/plot_units.h"
#include "base/sort.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LYING_MOST = 30, LANES_MOST = 64, BINS_MOST = 40, EDGES_MOST = 1000, LOGARITHMIC = 1000 };

#define NO_SLOT UINT32_MAX

/* ---- bars and lanes */

/* Bars that lie have the same places in all panels of a row of the grid, so that they can be compared. */
typedef struct {
	group known;            /* of (space, number of an item's slot) */
	uint32_t *place;        /* by that: its place, or NO_SLOT */
	uint32_t *space;        /* by panel: panels with the same have the same bars */
} slots;

typedef struct {
	const double *sums;             /* by known slot */
	const group *known;
	const str_pool *names;
} slot_order;

static int by_size(uint32_t a, uint32_t b, const void *ctx)
{
	const slot_order *o = ctx;

	return o->sums[a] != o->sums[b] ? sort_3way(o->sums[b], o->sums[a]) : sort_3way(a, b);
}

/* By name, the numbers in it by their value. */
static int by_lane(uint32_t a, uint32_t b, const void *ctx)
{
	const slot_order *o = ctx;

	return strverscmp(str_at(o->names, (uint32_t)o->known->key[2 * a + 1]),
		str_at(o->names, (uint32_t)o->known->key[2 * b + 1]));
}

/* The end of a window's name proper, before @A..B, and where its index begins, behind #; NULL: it has none. */
static const char *index_of(const char *window, size_t *end)
{
	const char *at = strrchr(window, '@'), *hash;

	*end = at && strspn(at + 1, "0123456789.") == strlen(at + 1) ? (size_t)(at - window) : strlen(window);
	hash = memrchr(window, '#', *end);
	return hash && hash + 1 < window + *end &&
		strspn(hash + 1, "0123456789") >= *end - (size_t)(hash + 1 - window) ? hash + 1 : NULL;
}

/* If the names of all bars are windows of one name, whatever its digits, they are called by their index alone; else
 * without the CPU side. */
static void name_windows(plot *to)
{
	str_pool names = { 0 };
	uint32_t first = STR_NONE;
	bool one = true;
	size_t end;

	for (size_t p = 0; p < to->panels.n; p++)
		for (size_t i = 0; i < to->panels.v[p].slots.n && one; i++) {
			const char *name = to->panels.v[p].slots.v[i], *at = index_of(name, &end);
			uint32_t id = at ? str_fold(&names, str_id(&names, name, (size_t)(at - name) - 1)) : STR_NONE;
			one = id != STR_NONE && (first == STR_NONE || first == id);
			first = id;
		}
	for (size_t p = 0; p < to->panels.n; p++)
		for (size_t i = 0; i < to->panels.v[p].slots.n; i++) {
			const char **name = &to->panels.v[p].slots.v[i], *at = index_of(*name, &end);
			size_t skip = one && at ? (size_t)(at - *name) : 0;
			*name = arena_text(&to->texts, *name + skip, end - skip);
		}
	if (one && first != STR_NONE)
		to->across = arena_printf(&to->texts, "window, %s", str_at(&names, first));
	str_free(&names);
}

static size_t count_space(const slots *s, uint32_t space)
{
	size_t n = 0;

	for (size_t i = 0; i < s->known.n; i++)
		n += s->known.key[2 * i] == space;
	return n;
}

/* Number the slots of a space in the order given; the smallest beyond most share the last place or, if they cannot be
 * added up, have none.  Returns how many those are. */
static size_t place_space(plot *to, slots *s, const uint32_t *order, const slot_order *o, uint32_t space, size_t most,
	bool pool)
{
	size_t n = count_space(s, space), kept = n > most ? most - 1 : n, k = 0;
	uint32_t *mine = mem_new(uint32_t, n + 1), next = 0;
	plot_panel *first = NULL;

	for (size_t i = 0; i < s->known.n; i++)
		if (s->known.key[2 * order[i]] == space)
			mine[k++] = order[i];
	sort_items(mine, n, by_size, o);
	for (size_t i = kept; i < n; i++)
		s->place[mine[i]] = NO_SLOT;
	for (size_t p = 0; p < to->panels.n; p++)
		first = !first && s->space[p] == space ? &to->panels.v[p] : first;
	for (size_t i = 0; i < s->known.n; i++)
		if (s->known.key[2 * order[i]] == space && s->place[order[i]] != NO_SLOT) {
			s->place[order[i]] = next++;
			vec_push(&first->slots, arena_copy(&to->texts,
				str_at(o->names, (uint32_t)s->known.key[2 * order[i] + 1])));
		}
	for (size_t i = kept; i < n && pool; i++)
		s->place[mine[i]] = next;
	if (kept < n && pool)
		vec_push(&first->slots, arena_printf(&to->texts, "other (%zu)", n - kept));
	free(mine);
	return n - kept;
}

/* Panels of one space have the same slots. */
static void share_slots(plot *to, const slots *s)
{
	for (size_t p = 1; p < to->panels.n; p++)
		for (size_t q = 0; q < p && !to->panels.v[p].slots.n; q++)
			if (s->space[q] == s->space[p])
				for (size_t i = 0; i < to->panels.v[q].slots.n; i++)
					vec_push(&to->panels.v[p].slots, to->panels.v[q].slots.v[i]);
}

static slots slots_of(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say)
{
	slots s = { .known = { .width = 2 }, .space = mem_new(uint32_t, to->panels.n + 1) };
	bool lanes = to->kind == PLOT_TIMELINE, shared = !lanes && !to->upright;
	vec(double) sums = { 0 };
	slot_order o = { .known = &s.known, .names = &items->slots };
	uint32_t *order;
	size_t few = 0;

	for (size_t p = 0; p < to->panels.n; p++)
		s.space[p] = shared ? (uint32_t)to->panels.v[p].row : (uint32_t)p;
	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		size_t k = group_of(&s.known, (int64_t[]){ s.space[places.panels[it->panel]], it->slot });
		if (k == sums.n)
			vec_push(&sums, 0);
		sums.v[k] += fabs(lanes ? it->b - it->a : it->b);
	}
	o.sums = sums.v;
	order = mem_new(uint32_t, s.known.n + 1);
	s.place = mem_new(uint32_t, s.known.n + 1);
	for (size_t i = 0; i < s.known.n; i++)
		order[i] = (uint32_t)i;
	if (lanes)
		sort_items(order, s.known.n, by_lane, &o);
	else if (shared && to->cols > 1 && !c->table_in_label)
		sort_items(order, s.known.n, by_size, &o);
	for (size_t p = 0; p < to->panels.n; p++)
		if (!p || s.space[p] != s.space[p - 1])
			few += place_space(to, &s, order, &o, s.space[p],
				lanes ? LANES_MOST : shared ? LYING_MOST : SIZE_MAX, lanes || c->sums);
	if (few)
		plot_tell(to, say, arena_printf(&to->texts,
			lanes || c->sums ? "the %zu smaller ones of %zu %s are drawn as one, other" :
			"the %zu smaller ones of %zu %s are left out", few, s.known.n, lanes ? "lanes" : "bars"));
	share_slots(to, &s);
	if (c->label.n == 1 && strcmp(c->label.v[0]->name, "window") == 0)
		name_windows(to);
	free(order);
	vec_free(&sums);
	return s;
}

static uint32_t slot_of(slots *s, uint32_t panel, uint32_t slot)
{
	return s->place[group_of(&s->known, (int64_t[]){ s->space[panel], slot })];
}

static void slots_free(slots *s)
{
	group_free(&s->known);
	free(s->place);
	free(s->space);
}

/* ---- bars from their parts */

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
		vec_push(&to->panels.v[p->panel].marks,
			(plot_mark){ .series = p->series, .slot = p->slot, .y0 = from, .y1 = *end,
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
	slots s = slots_of(to, c, items, places, say);
	group met = { .width = 3 };
	parts all = { 0 };
	size_t means = 0;

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		uint32_t panel = places.panels[it->panel], slot = slot_of(&s, panel, it->slot);
		if (slot != NO_SLOT)
			add_rows(&all, &met, c->sums, (part){ panel, slot, places.series[it->series], it->b, 1 });
	}
	for (size_t i = 0; i < all.n && !c->sums; i++) {
		means += all.v[i].rows > 1;
		all.v[i].sum /= (double)all.v[i].rows;
	}
	if (means)
		plot_tell(to, say, arena_printf(&to->texts,
			means == 1 ? "%zu bar is the mean of several rows, whose %s cannot be added up" :
			"%zu bars are means of several rows, whose %s cannot be added up", means, to->value));
	stack_up(to, &all, NULL);
	group_free(&met);
	vec_free(&all);
	slots_free(&s);
}

/* ---- timelines */

static void draw_timeline(plot *to, const plot_choice *c, const plot_items *items, plot_places places, notes *say)
{
	slots s = slots_of(to, c, items, places, say);

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		uint32_t panel = places.panels[it->panel];
		vec_push(&to->panels.v[panel].marks,
			(plot_mark){ .series = places.series[it->series], .slot = slot_of(&s, panel, it->slot),
			.x0 = it->a, .x1 = fmax(it->a, it->b) });
	}
	slots_free(&s);
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
			vec_push(&to->panels.v[places.panels[it->panel]].marks,
				(plot_mark){ .series = series, .x0 = it->a, .x1 = it->a, .y0 = it->b, .y1 = it->b });
	}
	free(order);
}

/* ---- histograms */

typedef vec(double) edges;

static int by_value(uint32_t a, uint32_t b, const void *ctx)
{
	const plot_item *x = (const plot_item *)ctx + a, *y = (const plot_item *)ctx + b;

	return sort_3way(x->b, y->b);
}

/* From where to where to count.  A few values far above all others would leave these in one bar, so beyond the 99th
 * percentile the axis ends; what it leaves out is said. */
static void find_extent(const plot_items *items, double *lo, double *hi, double *most)
{
	size_t n = items->all.n;
	uint32_t *order = sort_order(n, by_value, items->all.v);
	size_t at = (n * 99 + 99) / 100 - 1;

	*lo = items->all.v[order ? order[0] : 0].b;
	*most = items->all.v[order ? order[n - 1] : n - 1].b;
	*hi = items->all.v[order ? order[at] : at].b;
	if (*most - *lo <= 2 * (*hi - *lo) || *hi == *lo || (*lo > 0 && *most / *lo >= LOGARITHMIC))
		*hi = *most;
	free(order);
}

/* Edges at round numbers; values that span three orders of magnitude are counted by their logarithm. */
static void find_edges(plot *to, const plot_items *items, edges *e, double *most)
{
	double lo, hi, step, wanted = fmin(BINS_MOST, fmax(5, ceil(2 * cbrt((double)items->all.n))));
	plot_unit u;

	if (!items->all.n)
		return;
	find_extent(items, &lo, &hi, most);
	to->logarithmic = lo > 0 && hi / lo >= LOGARITHMIC;
	u = plot_unit_of(to->across_unit, fmax(fabs(lo), fabs(hi)));
	if (to->logarithmic) {
		double from = floor(log10(lo)), parts_of_ten = fmax(1, floor(wanted / (ceil(log10(hi)) - from)));
		for (int i = 0; !e->n || (e->v[e->n - 1] <= hi && i < EDGES_MOST); i++)
			vec_push(e, fmax(pow(10, from + i / parts_of_ten), DBL_TRUE_MIN));
		return;
	}
	lo = strcmp(to->across_unit ? to->across_unit : "", "%") == 0 ? fmin(lo, 0) : lo;
	step = hi > lo ? plot_step(lo / u.scale, hi / u.scale, wanted) * u.scale : fmax(fabs(lo) / 10, 1);
	for (int i = 0; !e->n || (e->v[e->n - 1] <= hi && i < EDGES_MOST); i++)
		vec_push(e, floor(lo / step) * step + i * step);
}

static void draw_hist(plot *to, const plot_items *items, plot_places places, notes *say)
{
	edges e = { 0 };
	group met = { .width = 3 };
	parts all = { 0 };
	size_t beyond = 0;
	double most;
	char end[PLOT_NUMBER], far[PLOT_NUMBER];

	find_edges(to, items, &e, &most);
	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		size_t lo = 0, hi = e.n - 1;
		if (it->b >= e.v[hi] && most > e.v[hi]) {
			beyond++;
			continue;
		}
		while (hi - lo > 1) {
			size_t mid = (lo + hi) / 2;
			*(it->b < e.v[mid] ? &hi : &lo) = mid;
		}
		add_rows(&all, &met, true, (part){ places.panels[it->panel], (uint32_t)lo, places.series[it->series],
			1, 1 });
	}
	if (beyond)
		plot_tell(to, say, arena_printf(&to->texts,
			"%zu of %zu rows have %s or more, up to %s, and are not drawn", beyond, items->all.n,
			plot_amount(e.v[e.n - 1], to->across_unit, end),
			plot_amount(most, to->across_unit, far)));
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
	case PLOT_HIST: draw_hist(to, items, places, say); break;
	default: draw_bars(to, c, items, places, say);
	}
}

/* Marks are in the order of their bars. */
void plot_fall(plot *to, const char *whole)
{
	uint32_t series = (uint32_t)to->series.n;

	vec_push(&to->series, (plot_series){ .name = whole, .color = PLOT_OTHER });
	to->labeled = true;
	for (size_t p = 0; p < to->panels.n; p++) {
		plot_panel *panel = &to->panels.v[p];
		double left = 0;
		for (size_t i = 0; i < panel->marks.n; i++)
			left += panel->marks.v[i].y1 - panel->marks.v[i].y0;
		vec_push(&panel->slots, whole);
		memmove(panel->slots.v + 1, panel->slots.v, (panel->slots.n - 1) * sizeof *panel->slots.v);
		panel->slots.v[0] = whole;
		for (size_t i = 0; i < panel->marks.n; i++) {
			plot_mark *m = &panel->marks.v[i];
			double ns = m->y1 - m->y0;
			*m = (plot_mark){ .series = m->series, .slot = m->slot + 1, .y0 = left - ns, .y1 = left };
			left -= ns;
		}
		if (panel->marks.n)
			vec_push(&panel->marks, (plot_mark){ .series = series, .y1 = panel->marks.v[0].y1 });
	}
}
