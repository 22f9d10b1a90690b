#include "table/row_index.h"
#include "base/search.h"
#include "base/sort.h"

#include <string.h>

typedef struct {
	const table *t;
	int first, second;              /* columns to compare, `second` if `first` is equal; first -1: only `second` */
} keys;

static int64_t row_index_int_at(const table *t, uint32_t row, int col)
{
	return table_at(t, row)[col].i;
}

static int row_index_compare_ints(uint32_t a, uint32_t b, const void *ctx)
{
	const keys *k = ctx;
	int c = k->first < 0 ? 0 : sort_3way(row_index_int_at(k->t, a, k->first), row_index_int_at(k->t, b, k->first));

	return c ? c : sort_3way(row_index_int_at(k->t, a, k->second), row_index_int_at(k->t, b, k->second));
}

static int row_index_compare_texts(uint32_t a, uint32_t b, const void *ctx)
{
	return str_cmp(ctx, a, b);
}

/* Sort rows by a column of texts.  There are far fewer distinct texts than rows, so only these texts are sorted, and
 * the rows are then grouped by the rank of their text. */
static uint32_t *row_index_sort_by_text(const table *t, int col)
{
	size_t n = table_rows(t), *first;
	uint32_t *id = mem_new(uint32_t, n), *order, *rank, *rows;
	str_pool texts = { 0 };
	const char *last = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *s = table_at(t, i)[col].t;
		id[i] = i && s == last ? id[i - 1] : s ? str_id(&texts, s, strlen(s)) + 1 : 0;
		last = s;
	}
	first = mem_new(size_t, texts.n + 2);
	rank = mem_new(uint32_t, texts.n + 1);          /* rank[1 + id of a text]: its rank in the order, from 1;
							 * rank[0] is 0, for missing texts */
	order = sort_all(texts.n, row_index_compare_texts, &texts);
	for (size_t k = 0; k < texts.n; k++)
		rank[order[k] + 1] = (uint32_t)k + 1;
	for (size_t i = 0; i < n; i++)
		id[i] = rank[id[i]];
	rows = sort_groups(id, n, texts.n + 1, first);
	mem_free(first, rank, order, id);
	str_free(&texts);
	return rows;
}

const uint32_t *row_index_sort_by(row_index *x, int col)
{
	char type = x->t->cols.v[col].type;

	while (x->sorted.n < x->t->cols.n)
		vec_push(&x->sorted, NULL);
	if (x->sorted.v[col] || !strchr("ipt", type))
		return x->sorted.v[col];
	x->sorted.v[col] = type == 't' ? row_index_sort_by_text(x->t, col) :
		sort_all(table_rows(x->t), row_index_compare_ints, &(keys){ x->t, -1, col });
	return x->sorted.v[col];
}

/* Compares the cell of a row with a value, as strcmp does.  A NULL text is less than every text. */
static int row_index_compare_cell(const row_index *x, uint32_t row, int col, table_cell value)
{
	table_cell c = table_at(x->t, row)[col];

	if (x->t->cols.v[col].type != 't')
		return sort_3way(c.i, value.i);
	return !c.t ? -1 : strcmp(c.t, value.t);
}

bool row_index_find_equal(row_index *x, int col, table_cell value, size_t *lo, size_t *hi)
{
	const uint32_t *rows = row_index_sort_by(x, col);
	size_t n = table_rows(x->t), i;

	search_first(i, 0, n, row_index_compare_cell(x, rows[i], col, value) >= 0);
	*lo = i;
	search_first(i, *lo, n, row_index_compare_cell(x, rows[i], col, value) > 0);
	*hi = i;
	return *hi > *lo;
}

void row_index_times(row_index *x, int pid, int start, int end)
{
	size_t n = table_rows(x->t);

	if (x->timed)
		return;
	x->pid = pid;
	x->start = start;
	x->end = end;
	x->timed = sort_all(n, row_index_compare_ints, &(keys){ x->t, pid, start });
	x->reach = mem_new(int64_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t row = x->timed[i];
		int64_t to = row_index_int_at(x->t, row, end);
		if (!i ||
		    (pid >= 0 && row_index_int_at(x->t, row, pid) != row_index_int_at(x->t, x->timed[i - 1], pid)))
			vec_push(&x->slices, i);
		x->reach[i] = i > x->slices.v[x->slices.n - 1] && x->reach[i - 1] > to ? x->reach[i - 1] : to;
		x->backwards |= to != TABLE_MISSING && to < row_index_int_at(x->t, row, start);
	}
	vec_push(&x->slices, n);
}

void row_index_find_during(const row_index *x, size_t slice, const row_index_span *span, size_t *lo, size_t *hi)
{
	size_t from = x->slices.v[slice], to = x->slices.v[slice + 1], i, reaches;
	int64_t last = span->start_to;

	/* if no row ends before it starts, a row that ends by end_to has also started by then */
	if (!x->backwards && span->end_to < last)
		last = span->end_to;
	search_first(i, from, to, row_index_int_at(x->t, x->timed[i], x->start) >= span->start_from);
	*lo = i;
	search_first(reaches, from, to, x->reach[reaches] >= span->end_from);
	if (reaches > *lo)
		*lo = reaches;
	search_first(i, *lo, to, row_index_int_at(x->t, x->timed[i], x->start) > last);
	*hi = i;
}

void row_index_free(row_index *x)
{
	for (size_t i = 0; i < x->sorted.n; i++)
		free(x->sorted.v[i]);
	mem_free(x->sorted.v, x->timed, x->reach, x->slices.v);
}
