#include "picture/plot_parts.h"
#include "picture/plot_colors.h"
#include "base/sort.h"

#include <math.h>

/* ---- panels */

static int plot_compare_panels(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *x = (const int64_t *)ctx + 3 * (size_t)a, *y = (const int64_t *)ctx + 3 * (size_t)b;

	return x[0] != y[0] ? sort_3way(x[0], y[0]) : x[1] != y[1] ? sort_3way(x[1], y[1]) : sort_3way(x[2], y[2]);
}

/* The name of a panel: the name of its column and that of its row.  The row for the whole step of nsq-diff (`apart`)
 * has no name.  key: as in plot_items.panels.  NULL: both names are empty. */
static const char *plot_name_panel(plot *to, const plot_items *items, const int64_t *key)
{
	const char *row = key[0] == items->apart ? "" : str_at(&items->rows, (uint32_t)key[0]),
		*col = str_at(&items->cols, (uint32_t)key[2]);

	return *row || *col ? arena_printf(&to->texts, "%s%s%s", col, *row && *col ? " · " : "", row) : NULL;
}

/* Place the panels in a grid: one row for each pair of a row name and a unit, one column for each column name, both
 * in order of appearance.  Returns an array: by panel of the items, its index in the plot. */
static uint32_t *plot_place_panels(plot *to, const plot_items *items)
{
	const int64_t *keys = items->panels.key;
	uint32_t *place = mem_new(uint32_t, items->panels.n + 1), *order = mem_new(uint32_t, items->panels.n + 1);
	const int64_t *above = NULL;

	for (size_t i = 0; i < items->panels.n; i++)
		order[i] = (uint32_t)i;
	sort_items(order, items->panels.n, plot_compare_panels, keys);
	for (size_t i = 0; i < items->panels.n; i++) {
		const int64_t *key = keys + 3 * (size_t)order[i];
		const char *unit = str_at(&items->units, (uint32_t)key[1]);
		if (!above || above[0] != key[0] || above[1] != key[1])
			vec_push(&to->rows, (plot_slots){ 0 });
		above = key;
		place[order[i]] = (uint32_t)i;
		vec_push(&to->panels, (plot_panel){ .name = plot_name_panel(to, items, key),
			.unit = *unit ? arena_copy(&to->texts, unit) : NULL, .row = to->rows.n - 1 });
	}
	for (size_t i = 0; i < to->panels.n; i++)
		to->panels.v[i].slots = &to->rows.v[to->panels.v[i].row];
	to->cols = items->cols.n;
	free(order);
	return place;
}

/* ---- categories */

static int plot_compare_sums(uint32_t a, uint32_t b, const void *ctx)
{
	const double *sums = ctx;

	return sums[a] != sums[b] ? sort_3way(sums[b], sums[a]) : sort_3way(a, b);
}

/* How many of the n names, counted from the first, get a color of their own.  If not all do, at least two get none. */
static size_t plot_count_colored(const char *const *names, size_t n)
{
	size_t kept = n;

	if (!plot_colors_fit(names, n, false))
		for (kept = n - 2 < PLOT_COLORS ? n - 2 : PLOT_COLORS; !plot_colors_fit(names, kept, true);)
			kept--;
	return kept;
}

/* Make the first `kept` of n names the categories of the plot.  The others are drawn as one category or, unless
 * `may_pool`, left out.  names must have room for kept + 1. */
static void plot_add_series(plot *to, const char **names, size_t kept, size_t n, bool may_pool, notes *say)
{
	bool pool = kept < n && may_pool;
	unsigned *colors = mem_new(unsigned, kept + 2);

	if (kept < n)
		plot_remark(to, say, arena_printf(&to->texts, pool ?
			"the %zu smaller ones of %zu categories are drawn as one, other" :
			"the %zu smaller ones of %zu lines are left out", n - kept, n));
	if (pool)
		names[kept] = arena_printf(&to->texts, "other (%zu)", n - kept);
	plot_colors(names, kept + pool, colors);
	for (size_t i = 0; i < kept + pool; i++)
		vec_push(&to->series, (plot_series){ names[i], to->colored ? colors[i] : 0 });
	free(colors);
}

/* Order the categories of a column, the largest first.  The categories for which no color is left share one, or are
 * left out if they are lines.  Returns an array: by category of the items, its index in the plot. */
static uint32_t *plot_order_series(plot *to, const plot_items *items, const plot_choice *c, notes *say)
{
	size_t n = items->series.n, kept;
	double *sums = mem_new(double, n + 1);
	uint32_t *place = mem_new(uint32_t, n + 1), *order = mem_new(uint32_t, n + 1);
	const char **names = mem_new(const char *, n + 1);

	for (size_t i = 0; i < items->all.n; i++) {
		const plot_item *it = &items->all.v[i];
		sums[it->series] += fabs(c->kind == PLOT_TIMELINE ? it->b - it->a : c->kind == PLOT_HIST ? 1 : it->b);
	}
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	if (c->color)
		sort_items(order, n, plot_compare_sums, sums);
	for (size_t i = 0; i < n; i++)
		names[i] = arena_copy(&to->texts, str_at(&items->series, order[i]));
	kept = plot_count_colored(names, n);
	for (size_t i = 0; i < n; i++)
		place[order[i]] = (uint32_t)(i < kept ? i : kept);
	plot_add_series(to, names, kept, n, c->kind != PLOT_LINE || (c->piles && !items->unknown), say);
	mem_free(names, order, sums);
	return place;
}

/* ---- the whole plot */

/* The trace, rank, GPU and window, each if all rows share it; NULL: they share none. */
static const char *plot_find_shared_words(plot *to, plot_rows *r)
{
	static const char *const columns[] = { "trace", "rank", "gpu", "window" };
	const char *text = NULL;

	for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
		const char *one = plot_common_value(r, columns[k]);
		if (one)
			text = arena_printf(&to->texts, "%s%s%s", text ? text : "", text ? " · " : "", one);
	}
	return text;
}

/* The title of a comparison: "before -> after: step +5.20 ms (+19 %)".  NULL: no row is about the step, or its
 * difference is missing. */
static const char *plot_make_diff_title(plot *to, plot_rows *r)
{
	const plot_column *delta = plot_column_of(r, "delta"), *pct = plot_column_of(r, "delta_pct");
	double ns, share;
	char amount[PLOT_NUMBER];

	for (size_t i = 0; i < r->n; i++) {
		if (!plot_is_whole_step(r, i) || !plot_read_number(r, i, delta, &ns))
			continue;
		plot_format_amount(fabs(ns), "ns", amount);
		if (!pct || !plot_read_number(r, i, pct, &share))
			return arena_printf(&to->texts, "before -> after: step %c%s", ns < 0 ? '-' : '+', amount);
		return arena_printf(&to->texts, "before -> after: step %c%s (%+.0f %%)", ns < 0 ? '-' : '+', amount,
				    share);
	}
	return NULL;
}

static void plot_remark_on_rows(const plot_rows *r, const plot_params *p, const plot_choice *c, const plot_items *items,
			      plot *to, notes *say)
{
	if (p->limit && r->n < r->total_rows)
		plot_remark(to, say, arena_printf(&to->texts, "-n draws %zu of %zu rows", r->n, r->total_rows));
	if (items->missing)
		plot_remark(to, say, arena_printf(&to->texts, "%zu of %zu rows have no number to draw and are left out",
			items->missing, r->n));
	if (c->dropped) {
		bool bars = c->kind == PLOT_BARS && c->label.n == 1;
		plot_remark(to, say,
			    arena_printf(&to->texts,
					 "rows that differ only in '%s' are added up; %s%s%s--color "
					 "%s shows them",
					 c->dropped->name, bars ? "-x " : "", bars ? c->label.v[0]->name : "",
					 bars ? " " : "", c->dropped->name));
	}
	if (!r->n)
		plot_remark(to, say, "the table has no rows, so the picture is empty");
}

static bool plot_check_panels(const plot *p, notes *say)
{
	enum { MOST = 60 };

	return p->panels.n <= MOST || notes_problem(say, EXIT_WRONG,
		"this would be %zu panels side by side, and at most %d can be read; choose fewer " "rows, or say with "
		"--x or --color which column tells bars apart", p->panels.n, MOST);
}

static void plot_fill(plot *to, const plot_params *p, const plot_choice *c, plot_rows *r, const plot_items *items,
		      const uint32_t *panels, notes *say)
{
	uint32_t *series;
	const plot_column *along = c->along;

	plot_remark_on_rows(r, p, c, items, to, say);
	series = plot_order_series(to, items, c, say);
	to->across_unit = p->milliseconds ? PLOT_MS : along ? along->unit : NULL;
	to->value = plot_value_title(&to->texts, c);
	to->across = items->windows ? arena_printf(&to->texts, "%s%s", items->numbered ? "" : "index of ",
						       items->windows) :
		plot_along_title(&to->texts, c);
	to->title = c->diff && !p->title ? plot_make_diff_title(to, r) : NULL;
	to->titled = p->title || to->title;
	to->title = to->title ? to->title : p->title ? arena_copy(&to->texts, p->title) :
		plot_title(&to->texts, c, to->series.n > 1);
	to->labeled = c->label.n == 1 && c->label.v[0] == c->color;
	to->about = plot_find_shared_words(to, r);
	if (to->colored && !to->labeled && to->series.n == 1)           /* a single category has no legend */
		to->about = arena_printf(&to->texts, "%s%s%s", to->about ? to->about : "", to->about ? " · " : "",
					 to->series.v[0].name);
	plot_make_marks(to, c, items, (plot_renumbering){ panels, series }, say);
	if (p->falls_from)
		plot_shift_from_whole(to, p->falls_from);
	free(series);
}

bool plot_answer(const inputs *in, const plot_params *p, plot *to, notes *say)
{
	plot_rows rows = { 0 };
	plot_choice c = { 0 };
	plot_items items = { 0 };
	uint32_t *panels = NULL;
	bool ok;

	plot_rows_read(in, p, &rows);
	ok = plot_choose(&rows, p, &c, say);
	if (ok) {
		*to = (plot){ .kind = c.kind, .upright = c.upright, .rest = NAN, .colored = c.color || c.values.n > 1,
			.from_zero = c.kind != PLOT_LINE || p->from_zero };
		if (plot_is_over_time(&c) && p->one_clock && rows.traces.n > 1)
			plot_clock_set_ahead(&rows, to, say);
		else
			to->one_clock = c.kind == PLOT_LINE && rows.traces.n < 2;
		plot_items_read(&rows, &c, &items);
		panels = plot_place_panels(to, &items);
		ok = plot_check_panels(to, say);
	}
	if (ok)
		plot_fill(to, p, &c, &rows, &items, panels, say);
	free(panels);
	plot_items_free(&items);
	plot_choice_free(&c);
	plot_rows_free(&rows);
	return ok;
}

void plot_free(plot *p)
{
	for (size_t i = 0; i < p->panels.n; i++)
		vec_free(&p->panels.v[i].marks);
	for (size_t i = 0; i < p->rows.n; i++)
		vec_free(&p->rows.v[i]);
	mem_free(p->rows.v, p->panels.v, p->series.v, p->remarks.v);
	arena_free(&p->texts);
}
