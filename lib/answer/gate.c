#include "answer/gate.h"
#include "sqlite/query.h"

/* A condition is one expression if it can stand both in parentheses and alone: `1) or (1` cannot stand alone, and
 * `1 from t where 0` not in parentheses. */
static bool is_condition(query *q, const char *condition, const char *name, arena *texts)
{
	return query_check(q, arena_printf(texts, "SELECT 1 FROM \"%s\" WHERE (%s\n)", name, condition)) &&
		query_check(q, arena_printf(texts, "SELECT 1 FROM \"%s\" WHERE %s\n", name, condition));
}

/* A column that is named for a unit, or holds numbers but for one text, would be compared as text. */
static bool numbers_are_numbers(const read_table *t, const virtual_table *v, notes *say)
{
	for (size_t c = 0; c < t->rows.cols.n; c++)
		if (v->used[c] && t->rows.cols.v[c].type == 't' &&
		    (t->odd.v[c] != READ_TABLE_NONE || t->rows.cols.v[c].unit))
			return read_table_not_number(t, (int)c, say);
	return true;
}

static void copy_row(const table *from, size_t row, table *out)
{
	const table_cell *cells = table_at(from, row);

	for (size_t i = 0; i < from->cols.n; i++)
		vec_push(&out->cells, cells[i]);
}

/* The columns of the table, and the rows with the numbers that broken lists. */
static void copy_rows(const table *from, const table *broken, table *out)
{
	out->given_order = true;
	for (size_t i = 0; i < from->cols.n; i++)
		read_table_add(out, from->cols.v[i].name, from->cols.v[i].type);
	for (size_t i = 0; i < table_rows(broken); i++)
		copy_row(from, (size_t)table_at(broken, i)->i, out);
	table_group(out);
}

bool gate_answer(const input_table *in, const char *condition, bool empty, table *out, notes *say)
{
	const read_table *t = &in->table;
	query *q = query_open(arena_printf(&say->texts, "%s has no other columns", t->name), say);
	virtual_table v = { .name = in->name, .columns = &t->rows, .rows = &t->rows };
	arena texts = { 0 };
	table broken = { 0 };
	size_t rows = table_rows(&t->rows);
	bool ok = query_add(q, &v) && is_condition(q, condition, in->name, &texts) && numbers_are_numbers(t, &v, say) &&
		query_run(q, arena_printf(&texts, "SELECT rowid FROM \"%s\" WHERE (%s\n) IS NOT TRUE", in->name, condition), &broken);

	if (ok)
		copy_rows(&t->rows, &broken, out);
	if (ok && !rows && !empty)
		notes_problem(say, EXIT_BROKEN, "%s has no rows, so nothing was measured; --allow-empty takes that for an answer",
			      t->name);
	else if (ok && table_rows(&broken))
		notes_problem(say, EXIT_BROKEN, "%zu of %zu rows break '%s'", table_rows(&broken), rows, condition);
	table_free(&broken);
	arena_free(&texts);
	query_close(q);
	return ok;
}
