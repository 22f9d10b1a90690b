#include "picture/plot_parts.h"
#include "base/name_numbers.h"
#include "picture/plot_colors.h"
#include "table/window_table.h"

#include <math.h>
#include <string.h>

#define LARGEST 1e290           /* larger values count as missing, so that sums and scales stay finite */

/* The unit in the last brackets of a metric's name; "": there is none.  A unit that ends with % becomes "%". */
static const char *plot_items_unit_of_metric(arena *a, const char *metric)
{
	const char *open = metric ? strrchr(metric, '[') : NULL, *close = open ? strchr(open, ']') : NULL;

	return !close ? "" : close[-1] == '%' ? "%" : arena_text(a, open + 1, (size_t)(close - open - 1));
}

/* The unit of a row's numbers: the text of c->unit in this row, or the unit in the text of c->metric; if there are
 * no such columns, the unit of the column of values.  Returns its id in `units`; "" stands for no unit. */
static uint32_t plot_items_unit_of(plot_rows *r, const plot_choice *c, size_t row, str_pool *units)
{
	const plot_column *says = c->unit ? c->unit : c->metric;
	int64_t key = says ? plot_cell_key(r, row, says) : -1;
	const char *unit = key >= 0 ? str_at(&r->words, (uint32_t)key) : NULL;

	if (!says)
		unit = c->values.n ? c->values.v[0]->unit : NULL;
	else if (!c->unit)
		unit = plot_items_unit_of_metric(&r->texts, unit);
	return str_id(units, unit ? unit : "", unit ? strlen(unit) : 0);
}

/* Read the numbers of a row into it->a, it->b and it->end.  If there are columns of values, b comes from
 * c->values.v[v].  False: one is missing or beyond LARGEST. */
static bool plot_items_read_numbers(plot_rows *r, const plot_choice *c, size_t row, size_t v, plot_item *it)
{
	const plot_column *value = c->until ? c->until : c->values.n ? c->values.v[v] : c->along;
	double ahead = r->ahead ? (double)r->ahead[plot_find_trace(r, row)] : 0, end;

	it->a = (double)r->row.v[row];
	if ((c->along && !plot_read_number(r, row, c->along, &it->a)) || !plot_read_number(r, row, value, &it->b))
		return false;
	it->end = (c->tile_end && plot_read_number(r, row, c->tile_end, &end) ? end : it->a) + ahead;
	it->a += ahead;
	it->b += c->until ? ahead : 0;
	return fabs(it->a) <= LARGEST && fabs(it->b) <= LARGEST;
}

static void plot_items_add_row(plot_items *to, plot_rows *r, const plot_choice *c, size_t row)
{
	bool several = r->in->ntables > 1, in_rows = several && c->kind == PLOT_TIMELINE, in_label = c->table_in_label;
	plot_columns color = { .v = (const plot_column *[]){ c->color }, .n = 1 };
	int64_t key[3];
	plot_item it = { 0 };
	size_t n = c->values.n ? c->values.n : 1, first = 0;

	while (first < n && !plot_items_read_numbers(r, c, row, first, &it))
		first++;
	to->unknown |= first > 0;
	if (first == n) {
		to->missing++;
		return;
	}
	key[0] = c->diff && plot_is_whole_step(r, row) ? to->apart :
		plot_name_row(r, row, in_rows, &c->panel_row, NULL, &to->rows);
	key[1] = plot_items_unit_of(r, c, row, &to->units);
	key[2] = plot_name_row(r, row, several && !in_rows && !in_label, &c->panel, NULL, &to->cols);
	it.slot = plot_name_row(r, row, several && in_label, &c->label, c->last_resort, &to->slots);
	if (c->color)
		it.series = plot_name_row(r, row, false, &color, NULL, &to->series);
	it.panel = (uint32_t)group_of(&to->panels, key);
	for (size_t v = first; v < n; v++)
		if (plot_items_read_numbers(r, c, row, v, &it)) {
			it.series = c->color ? it.series : (uint32_t)v;
			vec_push(&to->all, it);
		} else {
			to->unknown = true;
		}
}

/* Make names that differ only in digits one category. */
static void plot_items_fold_series(plot_items *to)
{
	str_pool folded = { 0 };
	size_t n = to->series.n;        /* without the folded names, which str_fold adds to the pool */
	uint32_t *place = mem_new(uint32_t, n + 1);

	for (size_t i = 0; i < n; i++) {
		const char *name = str_at(&to->series, str_fold(&to->series, (uint32_t)i));
		place[i] = str_id(&folded, name, strlen(name));
	}
	for (size_t i = 0; i < to->all.n; i++)
		to->all.v[i].series = place[to->all.v[i].series];
	free(place);
	str_free(&to->series);
	to->series = folded;
}

/* Find the index in a window's name, NAME#INDEX@A..B; NULL: it has no index.  @A..B, the window's time on the CPU, may
 * be missing.  *end: the length of the name before @A..B. */
static const char *plot_items_find_index(const char *window, size_t *end)
{
	const char *hash;

	*end = window_table_length_without_cpu(window);
	hash = memrchr(window, '#', *end);
	return hash && hash + 1 < window + *end &&
		strspn(hash + 1, "0123456789") >= *end - (size_t)(hash + 1 - window) ? hash + 1 : NULL;
}

/* An array with an element for each of the windows NAME#INDEX: the number in its NAME.  NULL: the numbers do not count
 * up over all windows.  The caller frees the result. */
static int64_t *plot_items_number_windows(const str_pool *indexed)
{
	const char **names = mem_new(const char *, indexed->n);
	int64_t *number = mem_new(int64_t, indexed->n);
	arena texts = { 0 };
	bool up;

	for (uint32_t i = 0; i < indexed->n; i++) {
		const char *name = str_at(indexed, i);
		names[i] = arena_text(&texts, name, (size_t)(strrchr(name, '#') - name));
	}
	up = name_numbers(names, indexed->n, number);
	arena_free(&texts);
	free(names);
	if (up)
		return number;
	free(number);
	return NULL;
}

/* The NAME, with its digits folded, that all windows NAME#INDEX have in common, as an id in `bases`; STR_NONE: there is
 * none, or a window has no index. */
static uint32_t plot_items_name_windows(const str_pool *names, str_pool *bases)
{
	uint32_t base = STR_NONE;

	for (uint32_t i = 0; i < names->n; i++) {
		size_t end;
		const char *name = str_at(names, i), *at = plot_items_find_index(name, &end);
		uint32_t id = at ? str_fold(bases, str_id(bases, name, (size_t)(at - name) - 1)) : STR_NONE;
		if (!at || (i && id != base))
			return STR_NONE;
		base = id;
	}
	return base;
}

/* Shorten the names of windows.  If all have one NAME apart from digits, a window is called by the number in its
 * NAME if these numbers count up, otherwise by its index.  Other windows only lose the CPU side (@A..B) of their
 * names. */
static void plot_items_shorten_window_names(plot_items *to, arena *texts)
{
	str_pool proper = { 0 }, names = { 0 }, bases = { 0 };
	uint32_t *place = mem_new(uint32_t, to->slots.n + 1), base;
	int64_t *number;

	for (uint32_t i = 0; i < to->slots.n; i++) {
		const char *name = str_at(&to->slots, i);
		place[i] = str_id(&proper, name, window_table_length_without_cpu(name));
	}
	base = plot_items_name_windows(&proper, &bases);
	number = base == STR_NONE ? NULL : plot_items_number_windows(&proper);
	for (uint32_t i = 0; i < to->slots.n; i++) {
		const char *name = str_at(&proper, place[i]);
		char text[24];
		if (number)
			snprintf(text, sizeof text, "%lld", (long long)number[place[i]]);
		name = number ? text : base == STR_NONE ? name : strrchr(name, '#') + 1;
		place[i] = str_id(&names, name, strlen(name));
	}
	for (size_t i = 0; i < to->all.n; i++)
		to->all.v[i].slot = place[to->all.v[i].slot];
	to->windows = base == STR_NONE ? NULL : arena_copy(texts, str_at(&bases, base));
	to->numbered = number;
	mem_free(place, number);
	str_free(&proper);
	str_free(&bases);
	str_free(&to->slots);
	to->slots = names;
}

void plot_items_read(plot_rows *r, const plot_choice *c, plot_items *to)
{
	to->panels.width = 3;
	/* In a table of nsq-diff, the row of panels for the step comes first, and times come before other units. */
	to->apart = c->diff ? str_id(&to->rows, " ", 1) : STR_NONE;
	if (c->diff)
		str_id(&to->units, "ns", 2);
	for (size_t i = 0; !c->color && i < (c->values.n ? c->values.n : 1); i++) {
		const char *name = c->values.n ? plot_short_column_name(&r->texts, c->values.v[i]) : "";
		str_id(&to->series, name, strlen(name));
	}
	for (size_t i = 0; i < r->n; i++)
		plot_items_add_row(to, r, c, i);
	if (c->color && to->series.n > PLOT_HUES && c->color->about->is & COLUMN_FOLDS)
		plot_items_fold_series(to);
	if (c->label.n == 1 && strcmp(c->label.v[0]->name, "window") == 0 && c->kind != PLOT_TIMELINE)
		plot_items_shorten_window_names(to, &r->texts);
}

void plot_items_free(plot_items *items)
{
	vec_free(&items->all);
	group_free(&items->panels);
	str_free(&items->rows);
	str_free(&items->units);
	str_free(&items->cols);
	str_free(&items->slots);
	str_free(&items->series);
}
