#include "answer/diff_parts.h"
#include "base/sort.h"
#include "base/sums.h"

#include <math.h>

enum { TABLE_IDS(DIFF_SPLIT_COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(DIFF_SPLIT_COLUMNS) };
enum { BEFORE_SIDE, AFTER_SIDE };

typedef struct {                /* sums over the rows of a category and name on each side */
	double count[DIFF_SIDES], ns[DIFF_SIDES];
} split_sum;

typedef struct {                /* means per window; times in ns, rounded so that the last three add up to `delta` */
	uint32_t category, name;        /* ids in split_ctx.names; STR_NONE: missing */
	double count[DIFF_SIDES];
	int64_t ns[DIFF_SIDES], delta, by_count, by_time, by_other;
} split_row;

typedef struct {
	str_pool names;
	sums totals;            /* a split_sum for each category and name */
	size_t windows[DIFF_SIDES];     /* the number of windows of each side */
	vec(split_row) rows;
} split_ctx;

void diff_split_columns(table *out)
{
	table_columns(out, all_columns, COUNT_BEFORE, COUNT_AFTER, BEFORE_NS, AFTER_NS, DELTA_NS, BY_COUNT_NS,
		      BY_TIME_NS, BY_OTHER_NS, SPLIT_CHANGE, CATEGORY, NAME, INSTEAD);
	out->given_order = true;
}

/* The position in the table of the first of these columns that it has; -1: it has none of them. */
static int diff_split_find_column(const read_table *in, const char *const *names)
{
	int at = -1;

	for (; at < 0 && *names; names++)
		at = table_column(&in->rows, *names);
	return at;
}

static uint32_t diff_split_read_text(split_ctx *x, const read_table *in, size_t row, const char *column)
{
	int at = table_column(&in->rows, column);

	return at < 0 ? STR_NONE : diff_read_text(in, row, at, &x->names);
}

/* Add the rows of a side to the totals.  False after a problem: the table lacks a column. */
static bool diff_split_add_side(split_ctx *x, const read_table *in, int side, notes *say)
{
	int name = diff_split_find_column(in, (const char *const[]){ "name", "path", "nvtx", NULL });
	int time = diff_split_find_column(in, (const char *const[]){ "total_ns", "gpu_incl_ns", "cpu_ns", NULL });
	int count = table_column(&in->rows, "count");
	group windows = { .width = 3 };
	double n, ns;

	if (name < 0 || time < 0 || count < 0)
		return notes_problem(say, EXIT_WRONG, "'--split' needs the columns count, total_ns and name, which %s "
				     "lacks; give traces, or tables of nsq-kernels or nsq-nvtx", in->name);
	for (size_t i = 0; i < table_rows(&in->rows); i++) {
		uint32_t id = diff_read_text(in, i, name, &x->names);
		split_sum *to;
		if (!table_number(&in->rows, i, count, &n) || !table_number(&in->rows, i, time, &ns))
			continue;
		group_of(&windows, (int64_t[]){ diff_split_read_text(x, in, i, "trace"),
			 diff_split_read_text(x, in, i, "pid"), diff_split_read_text(x, in, i, "window") });
		to = sums_of(&x->totals, (int64_t[]){ diff_split_read_text(x, in, i, "category"), id });
		to->count[side] += n;
		to->ns[side] += ns;
	}
	x->windows[side] = windows.n;
	group_free(&windows);
	return true;
}

static split_row diff_split_make_row(const split_ctx *x, size_t key)
{
	const split_sum *s = sums_at(split_sum, &x->totals, key);
	split_row r = { .category = (uint32_t)sums_key(&x->totals, key)[0],
			.name = (uint32_t)sums_key(&x->totals, key)[1] };

	for (int side = 0; side < DIFF_SIDES; side++) {
		r.count[side] = s->count[side] / (double)x->windows[side];
		r.ns[side] = llround(fmin(9e18, s->ns[side] / (double)x->windows[side]));
	}
	r.delta = r.ns[AFTER_SIDE] - r.ns[BEFORE_SIDE];
	if (s->count[BEFORE_SIDE] <= 0 || s->count[AFTER_SIDE] <= 0) {
		r.by_other = r.delta;
	} else {
		double more = r.count[AFTER_SIDE] / r.count[BEFORE_SIDE] - 1;
		r.by_count = llround(fmin(9e18, more * (double)r.ns[BEFORE_SIDE]));
		r.by_time = r.delta - r.by_count;
	}
	return r;
}

static const char *diff_split_name_change(const split_row *r)
{
	if (r->by_other)
		return r->by_other > 0 ? "new" : "gone";
	if (!r->by_count && !r->by_time)
		return "same";
	if (llabs(r->by_count) > llabs(r->by_time))
		return r->by_count > 0 ? "more" : "fewer";
	return r->by_time > 0 ? "slower" : "faster";
}

static int diff_split_compare_rows(uint32_t a, uint32_t b, const void *ctx)
{
	const split_ctx *x = ctx;
	const split_row *r = &x->rows.v[a], *s = &x->rows.v[b];

	return llabs(r->delta) != llabs(s->delta) ? -sort_3way(llabs(r->delta), llabs(s->delta)) :
		str_cmp(&x->names, r->name, s->name);
}

/* For a row that only one side has: the name of the largest row of its category that only the other side has, or
 * STR_NONE. */
static uint32_t diff_split_find_replacement(const split_row *r, const sums *largest)
{
	size_t found = r->by_other ? group_find(&largest->g, (int64_t[]){ r->category, r->by_other < 0 }) : GROUP_NONE;

	return found == GROUP_NONE ? STR_NONE : *sums_at(uint32_t, largest, found);
}

static void diff_split_add_rows(split_ctx *x, table *out)
{
	uint32_t *order = sort_all(x->rows.n, diff_split_compare_rows, x);
	sums largest = sums_by(2, sizeof(uint32_t));    /* the name of the largest row for each key: a category, and 1
							 * for new rows or 0 for gone ones */

	for (size_t i = 0; i < x->rows.n; i++) {
		const split_row *r = &x->rows.v[order[i]];
		size_t met = largest.g.n;
		uint32_t *to = r->by_other ? sums_of(&largest, (int64_t[]){ r->category, r->by_other > 0 }) : NULL;
		if (to && largest.g.n > met)
			*to = r->name;
	}
	for (size_t i = 0; i < x->rows.n; i++) {
		const split_row *r = &x->rows.v[order[i]];
		table_row(out);
		table_num(out, COUNT_BEFORE, r->count[BEFORE_SIDE]);
		table_num(out, COUNT_AFTER, r->count[AFTER_SIDE]);
		table_ints(out, { BEFORE_NS, r->ns[BEFORE_SIDE] }, { AFTER_NS, r->ns[AFTER_SIDE] },
			   { DELTA_NS, r->delta }, { BY_COUNT_NS, r->by_count }, { BY_TIME_NS, r->by_time },
			   { BY_OTHER_NS, r->by_other });
		table_word(out, SPLIT_CHANGE, diff_split_name_change(r));
		table_text(out, CATEGORY, str_at(&x->names, r->category));
		table_text(out, NAME, str_at(&x->names, r->name));
		table_text(out, INSTEAD, str_at(&x->names, diff_split_find_replacement(r, &largest)));
	}
	table_group(out);
	sums_free(&largest);
	free(order);
}

/* Write the note that says how much of the change comes from counts, from mean times, and from names that only one side
 * has. */
static void diff_split_say_totals(const split_ctx *x, notes *say)
{
	double all[DIFF_SIDES] = { 0 }, by_count = 0, by_time = 0, by_other = 0;

	for (size_t i = 0; i < x->rows.n; i++) {
		const split_row *r = &x->rows.v[i];
		all[BEFORE_SIDE] += (double)r->ns[BEFORE_SIDE] / 1e6;
		all[AFTER_SIDE] += (double)r->ns[AFTER_SIDE] / 1e6;
		by_count += (double)r->by_count / 1e6;
		by_time += (double)r->by_time / 1e6;
		by_other += (double)r->by_other / 1e6;
	}
	notes_answer(say, "%.3f ms before, %.3f ms after: %+.3f ms by their number, %+.3f ms by the time of each, "
		     "%+.3f ms by other ones", all[BEFORE_SIDE], all[AFTER_SIDE], by_count, by_time, by_other);
}

bool diff_split_answer(const read_table *before, const read_table *after, table *out, notes *say)
{
	split_ctx x = { .totals = sums_by(2, sizeof(split_sum)) };
	bool ok = diff_split_add_side(&x, before, BEFORE_SIDE, say) && diff_split_add_side(&x, after, AFTER_SIDE, say);

	diff_split_columns(out);
	if (ok && (!x.windows[BEFORE_SIDE] || !x.windows[AFTER_SIDE])) {
		notes_answer(say, "nothing to compare: %s has no rows",
			     x.windows[BEFORE_SIDE] ? after->name : before->name);
	} else if (ok) {
		for (size_t i = 0; i < x.totals.g.n; i++)
			vec_push(&x.rows, diff_split_make_row(&x, i));
		diff_split_add_rows(&x, out);
		diff_split_say_totals(&x, say);
	}
	vec_free(&x.rows);
	sums_free(&x.totals);
	str_free(&x.names);
	return ok;
}
