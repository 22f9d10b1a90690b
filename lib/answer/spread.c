#include "answer/spread.h"
#include "base/group.h"
#include "base/stats.h"

#include <string.h>

/* Above the ids of any table's own columns. */
enum { WINDOWS = COL_IDS - 4, P50, P90, MAX };

/* The time by which rows are ordered. */
static int measure_of(const table *t)
{
	size_t k = 0;

	while (!t->keys.v[k].down)
		k++;
	return table_id(t, (size_t)t->keys.v[k].col);
}

static void add_columns(table *t, const char *measure, arena *texts)
{
	const struct { const char *part, *meaning; } of[] = {
		{ "p50", arena_printf(texts, "median of %s over the single windows; one without such a row counts as 0",
		measure) }, { "p90", "90th percentile of the same" },
		{ "max", "highest of the same" },
	};
	int stem = (int)(strlen(measure) - strlen("_ns"));

	table_add(t, WINDOWS, &(table_col){ "windows", 'i', NULL, "windows that were merged" });
	for (int i = 0; i < 3; i++)
		table_add(t, P50 + i, &(table_col){ arena_printf(texts, "%.*s_%s_ns", stem, measure, of[i].part), 'i',
			  "ns", of[i].meaning });
}

/* The columns stand before the texts, which are last in every table. */
void spread_columns(table *out, arena *texts)
{
	table old = *out;
	const char *measure = old.cols.v[old.slot[measure_of(&old)] - 1].name;
	bool added = false;

	*out = (table){ .given_order = old.given_order };
	for (size_t i = 0; i < old.cols.n; i++) {
		if (!added && old.cols.v[i].type == 't') {
			add_columns(out, measure, texts);
			added = true;
		}
		table_add(out, table_id(&old, i), &old.cols.v[i]);
	}
	for (size_t i = 0; i < old.keys.n; i++)
		table_sort(out, table_id(&old, (size_t)old.keys.v[i].col), old.keys.v[i].down);
	table_free(&old);
}

typedef struct {                /* which rows are about the same */
	int id[COL_IDS];        /* the columns that say so, */
	group g;                /* and the number of the merged window */
	str_pool texts;         /* of both tables */
} matching;

/* A row is told by its texts and by what else names a thing. */
static bool is_key(const table *t, int id)
{
	const table_col *c = &t->cols.v[t->slot[id] - 1];

	return id == COL_PID || id == COL_GPU || id == COL_CTX || id == COL_STREAM || strcmp(c->name, "tid") == 0 ||
		(c->type == 't' && id != COL_WINDOW && id != COL_TRACE);
}

static void find_keys(matching *m, const table *t)
{
	for (int id = 0; id < COL_IDS; id++)
		if (t->slot[id] && is_key(t, id))
			m->id[m->g.width++] = id;
	m->g.width++;
}

static table_cell *cell(const table *t, size_t row, int id)
{
	return &t->cells.v[row * t->cols.n + t->slot[id] - 1];
}

/* The number of the window that a row is about, which stands in for its name. */
static size_t window_of(const table *t, size_t row)
{
	return (size_t)strtoul(cell(t, row, COL_WINDOW)->t, NULL, 10);
}

static size_t match(matching *m, const table *t, size_t row)
{
	int64_t key[COL_IDS];
	size_t n = m->g.width - 1;

	for (size_t i = 0; i < n; i++) {
		const table_cell *c = cell(t, row, m->id[i]);
		if (t->cols.v[t->slot[m->id[i]] - 1].type == 't')
			key[i] = c->t ? str_id(&m->texts, c->t, strlen(c->t)) : STR_NONE;
		else
			key[i] = c->i;
	}
	key[n] = (int64_t)window_of(t, row);
	return group_of(&m->g, key);
}

/* The windows under the number of the merged one to which each belongs; counts those of each. */
static windows numbered(const windows *all, const windows *merged, arena *texts, size_t *count)
{
	windows to = { .asked = all->asked };

	for (size_t i = 0; i < all->n; i++) {
		window w = all->v[i];
		size_t k = 0;
		while (merged->v[k].proc != w.proc || merged->v[k].device != w.device)
			k++;
		w.name = arena_printf(texts, "%zu", k);
		count[k]++;
		vec_push(&to, w);
	}
	return to;
}

/* The measure of each row over the single windows. */
static stats_sum *sums_of(matching *m, const table *single, size_t rows, const size_t *count, par threads)
{
	int measure = measure_of(single);
	stats st = { 0 };
	size_t *have = mem_new(size_t, rows);

	for (size_t i = 0; i < table_rows(single); i++) {
		size_t k = match(m, single, i);
		if (k < rows && cell(single, i, measure)->i != TABLE_MISSING) {
			stats_add(&st, k, cell(single, i, measure)->i);
			have[k]++;
		}
	}
	for (size_t k = 0; k < rows; k++)
		for (; have[k] < count[m->g.key[(k + 1) * m->g.width - 1]]; have[k]++)
			stats_add(&st, k, 0);
	free(have);
	return stats_finish(&st, rows, threads);
}

static void fill(const spread_windows *w, matching *m, const table *single, table *out, size_t from,
		 const size_t *count, par threads)
{
	size_t n = table_rows(out) - from;
	bool *all = mem_new(bool, table_rows(out));
	stats_sum *sums;

	for (size_t i = 0; i < n; i++)
		match(m, out, from + i);
	sums = sums_of(m, single, m->g.n, count, threads);
	for (size_t i = from; i < from + n; i++) {
		size_t k = match(m, out, i), of = window_of(out, i);
		cell(out, i, COL_WINDOW)->t = table_keep(out, w->merged->v[of].name);
		cell(out, i, WINDOWS)->i = (int64_t)count[of];
		if (cell(out, i, measure_of(out))->i == TABLE_MISSING)
			continue;
		cell(out, i, P50)->i = sums[k].p50;
		cell(out, i, P90)->i = sums[k].p90;
		cell(out, i, MAX)->i = sums[k].max;
	}
	memset(all, true, table_rows(out));
	table_filter(out, all);         /* the new columns count where rows are equal in the others */
	mem_free(all, sums);
}

bool spread_answer(trace *t, const spread_windows *w, const answer *of, const void *params, table *out, notes *say)
{
	size_t from = table_rows(out), *count = mem_new(size_t, w->merged->n);
	arena texts = { 0 };
	table single = { 0 };
	matching m = { 0 };
	windows merged = numbered(w->merged, w->merged, &texts, count), each;
	bool ok = answer_rows(of, t, &merged, params, out, say);

	memset(count, 0, w->merged->n * sizeof *count);
	each = numbered(w->single, w->merged, &texts, count);
	if (ok && answer_rows(of, t, &each, params, &single, NULL)) {
		find_keys(&m, &single);
		fill(w, &m, &single, out, from, count, t->workers);
	}
	mem_free(merged.v, each.v);
	group_free(&m.g);
	str_free(&m.texts);
	table_free(&single);
	arena_free(&texts);
	free(count);
	return ok;
}
