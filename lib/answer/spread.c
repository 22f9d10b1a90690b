#include "answer/spread.h"
#include "base/group.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/stats.h"

#include <string.h>

/* The ids of the four columns, above those of any answer's own columns. */
enum { WINDOWS = COL_IDS - 4, P50, P90, MAX };

/* The id of the time column by which rows are ordered: the first of table.keys that sorts downwards. */
static int spread_time_column(const table *t)
{
	size_t k = 0;

	while (!t->keys.v[k].down)
		k++;
	return table_id(t, (size_t)t->keys.v[k].col);
}

static void spread_add_columns(table *t, const char *measure, arena *texts)
{
	const struct { const char *part, *meaning; } cols[] = {
		{ "p50", arena_printf(texts, "median of %s over the windows; a window without such a row counts as 0",
		measure) }, { "p90", "90th percentile of the same" },
		{ "max", "highest of the same" },
	};
	int stem = (int)(strlen(measure) - strlen("_ns"));

	table_add(t, WINDOWS, &(table_col){ "windows", 'i', NULL, "number of windows that were merged" });
	for (int i = 0; i < 3; i++)
		table_add(t, P50 + i, &(table_col){ arena_printf(texts, "%.*s_%s_ns", stem, measure, cols[i].part), 'i',
			  "ns", cols[i].meaning });
}

/* The new columns go before the first column of texts, because in every table the texts come last. */
void spread_columns(table *out, arena *texts)
{
	table old = *out;
	const char *measure = old.cols.v[old.slot[spread_time_column(&old)] - 1].name;
	bool added = false;

	*out = (table){ .given_order = old.given_order };
	for (size_t i = 0; i < old.cols.n; i++) {
		if (!added && old.cols.v[i].type == 't') {
			spread_add_columns(out, measure, texts);
			added = true;
		}
		table_add(out, table_id(&old, i), &old.cols.v[i]);
	}
	for (size_t i = 0; i < old.keys.n; i++)
		table_sort(out, table_id(&old, (size_t)old.keys.v[i].col), old.keys.v[i].down);
	table_free(&old);
}

typedef struct {                /* the keys of rows, numbered: a row about merged windows and a row about a single
				 * window get the same number if they are about the same thing */
	int id[COL_IDS];        /* the ids of the columns that form the key */
	group g;                /* keys: the values of these columns, the number of the merged window */
	str_pool texts;         /* the texts in the keys of all rows, about merged and about single windows */
} spread_row_keys;

/* Is the column part of the key?  The key of a row is made of its texts (except window and trace), and of its pid, gpu,
 * ctx, stream and tid. */
static bool spread_is_key(const table *t, int id)
{
	const table_col *c = &t->cols.v[t->slot[id] - 1];

	return id == COL_PID || id == COL_GPU || id == COL_CTX || id == COL_STREAM || strcmp(c->name, "tid") == 0 ||
		(c->type == 't' && id != COL_WINDOW && id != COL_TRACE);
}

static void spread_find_key_columns(spread_row_keys *m, const table *t)
{
	for (int id = 0; id < COL_IDS; id++)
		if (t->slot[id] && spread_is_key(t, id))
			m->id[m->g.width++] = id;
	m->g.width++;
}

static table_cell *spread_cell_of(const table *t, size_t row, int id)
{
	return &t->cells.v[row * t->cols.n + t->slot[id] - 1];
}

/* The number of the merged window that a row is about.  Rows have it in place of the window's name. */
static size_t spread_merged_window(const table *t, size_t row)
{
	return (size_t)strtoul(spread_cell_of(t, row, COL_WINDOW)->t, NULL, 10);
}

/* The number of a row's key.  A new key gets the next number. */
static size_t spread_number_row(spread_row_keys *m, const table *t, size_t row)
{
	int64_t key[COL_IDS];
	size_t n = m->g.width - 1;

	for (size_t i = 0; i < n; i++) {
		const table_cell *c = spread_cell_of(t, row, m->id[i]);
		if (t->cols.v[t->slot[m->id[i]] - 1].type == 't')
			key[i] = c->t ? str_id(&m->texts, c->t, strlen(c->t)) : STR_NONE;
		else
			key[i] = c->i;
	}
	key[n] = (int64_t)spread_merged_window(t, row);
	return group_of(&m->g, key);
}

/* Copies of the windows `all`, each named by the number of the merged window that contains it.  count[i] grows by the
 * number of windows in merged window i.  The copies share the sides of `all`; the caller frees only the array. */
static windows spread_copy_windows(const windows *all, const windows *merged, arena *texts, size_t *count)
{
	windows to = { .chosen = all->chosen };
	group keys = { .width = 2 };

	for (size_t i = 0; i < merged->n; i++)
		group_of(&keys, (int64_t[]){ merged->v[i].proc, merged->v[i].device });
	for (size_t i = 0; i < all->n; i++) {
		window w = all->v[i];
		size_t k = group_find(&keys, (int64_t[]){ w.proc, w.device });
		w.name = arena_printf(texts, "%zu", k);
		count[k]++;
		vec_push(&to, w);
	}
	group_free(&keys);
	return to;
}

typedef struct {                /* the time of a row in a single window */
	uint32_t key;           /* the number of the row's key */
	int64_t ns;
} single_time;

typedef vec(single_time) single_times;

static int spread_compare_times(uint32_t a, uint32_t b, const void *ctx)
{
	const single_time *x = &((const single_time *)ctx)[a], *y = &((const single_time *)ctx)[b];

	return x->key != y->key ? sort_3way(x->key, y->key) : sort_3way(x->ns, y->ns);
}

/* The times of all rows of the table with single windows, sorted by number of their key, then by time.  Only keys
 * with a number below nkeys are kept. */
static single_times spread_find_times(spread_row_keys *m, const table *single, size_t nkeys)
{
	int measure = spread_time_column(single);
	single_times to = { 0 };
	uint32_t *order;

	for (size_t i = 0; i < table_rows(single); i++) {
		size_t k = spread_number_row(m, single, i);
		if (k < nkeys && spread_cell_of(single, i, measure)->i != TABLE_MISSING)
			vec_push(&to, (single_time){ (uint32_t)k, spread_cell_of(single, i, measure)->i });
	}
	order = sort_order(to.n, spread_compare_times, to.v);
	sort_apply(to.v, order, to.n);
	free(order);
	return to;
}

/* A percentile, by nearest rank, of the times [first,end) of one key.  If they are fewer than the windows, zeros make
 * up the difference; these sort first, because no time is below zero. */
static int64_t spread_find_percentile(const single_times *times, size_t first, size_t end, size_t nwindows, size_t pct)
{
	size_t n = end - first > nwindows ? end - first : nwindows, at = stats_rank(n, pct), zeros = n - (end - first);

	return at < zeros ? 0 : times->v[first + at - zeros].ns;
}

/* Fill the four columns of the rows `from` and later, and put back the names of windows.  single: the rows of the
 * single windows.  count: by number of the merged window, how many single ones it contains. */
static void spread_fill_rows(const spread_windows *w, spread_row_keys *m, const table *single, table *out, size_t from,
			     const size_t *count)
{
	size_t n = table_rows(out) - from, first, end;
	bool *keep = mem_new(bool, table_rows(out));
	single_times times;

	for (size_t i = 0; i < n; i++)
		spread_number_row(m, out, from + i);
	times = spread_find_times(m, single, m->g.n);
	for (size_t i = from; i < from + n; i++) {
		size_t key = spread_number_row(m, out, i), merged = spread_merged_window(out, i);
		spread_cell_of(out, i, COL_WINDOW)->t = table_keep(out, w->merged->v[merged].name);
		spread_cell_of(out, i, WINDOWS)->i = (int64_t)count[merged];
		if (spread_cell_of(out, i, spread_time_column(out))->i == TABLE_MISSING)
			continue;
		search_first(first, 0, times.n, times.v[first].key >= key);
		search_first(end, first, times.n, times.v[end].key > key);
		spread_cell_of(out, i, P50)->i = spread_find_percentile(&times, first, end, count[merged], 50);
		spread_cell_of(out, i, P90)->i = spread_find_percentile(&times, first, end, count[merged], 90);
		spread_cell_of(out, i, MAX)->i = spread_find_percentile(&times, first, end, count[merged], 100);
	}
	memset(keep, true, table_rows(out));
	table_filter(out, keep);        /* this keeps all rows and only sorts them again, because the new columns decide
					 * the order of rows that are equal in the others */
	mem_free(keep, times.v);
}

bool spread_answer(trace *t, const spread_windows *w, const answer *of, const void *params, table *out, notes *say)
{
	size_t from = table_rows(out), *count = mem_new(size_t, w->merged->n);
	arena texts = { 0 };
	table single = { 0 };
	spread_row_keys m = { 0 };
	windows merged = spread_copy_windows(w->merged, w->merged, &texts, count), each;
	bool ok;

	ok = answer_rows(of, t, &merged, params, out, say);
	memset(count, 0, w->merged->n * sizeof *count);
	each = spread_copy_windows(w->single, w->merged, &texts, count);
	if (ok && answer_rows(of, t, &each, params, &single, NULL)) {
		spread_find_key_columns(&m, &single);
		spread_fill_rows(w, &m, &single, out, from, count);
	}
	mem_free(merged.v, each.v);
	group_free(&m.g);
	str_free(&m.texts);
	table_free(&single);
	arena_free(&texts);
	free(count);
	return ok;
}
