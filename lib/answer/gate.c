#include "answer/gate.h"
#include "sqlite/query.h"

#include <math.h>

/* The query SELECT what FROM name WHERE before condition after, which the caller frees.  A line break before `after`
 * ends a comment at the end of the condition. */
static char *gate_make_select(const char *what, const char *name, const char *before, const char *condition,
			      const char *after)
{
	return db_format_query("SELECT %s FROM \"%w\" WHERE %s%s\n%s", what, name, before, condition, after);
}

/* Is the condition valid without parentheses, unlike `1) or (1`? gate_find_broken runs it in parentheses, and so also
 * refuses `1 limit 0`. */
static bool gate_stands_alone(query *q, const char *name, const char *condition)
{
	char *alone = gate_make_select("1", name, "", condition, "");
	bool ok = query_check(q, alone);

	sqlite3_free(alone);
	return ok;
}

/* False, with a problem, if the condition uses a column that would be compared as text by mistake: its name ends in a
 * unit, or most of its values, but not all, are numbers. */
static bool gate_check_numbers(const read_table *t, const virtual_table *v, notes *say)
{
	for (size_t c = 0; c < t->rows.cols.n; c++)
		if (v->used[c] && t->rows.cols.v[c].type == 't' &&
		    (t->odd.v[c] != READ_TABLE_NONE || t->rows.cols.v[c].unit))
			return read_table_say_not_number(t, (int)c, say);
	return true;
}

static void gate_copy_row(const table *from, size_t row, table *out)
{
	const table_cell *cells = table_at(from, row);

	for (size_t i = 0; i < from->cols.n; i++)
		vec_push(&out->cells, cells[i]);
}

/* Copy the columns of `from`, and the rows whose numbers are in the first column of `broken`. */
static void gate_copy_rows(const table *from, const table *broken, table *out)
{
	out->given_order = true;
	for (size_t i = 0; i < from->cols.n; i++)
		read_table_add_column(out, from->cols.v[i].name, from->cols.v[i].type);
	for (size_t i = 0; i < table_rows(broken); i++)
		gate_copy_row(from, (size_t)table_at(broken, i)->i, out);
	table_group(out);
}

/* A name by which SQL knows the number of a row; NULL: columns of the table have all three names. */
static const char *gate_name_row_number(const read_table *t)
{
	static const char *const names[] = { "rowid", "oid", "_rowid_" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (table_column(&t->rows, names[i]) < 0)
			return names[i];
	return NULL;
}

/* "the columns are pid rank dur_ns": advice for an unknown name. */
static const char *gate_list_columns(const table *t, arena *to)
{
	const char *list = "the columns are";

	for (size_t i = 0; i < t->cols.n; i++)
		list = arena_printf(to, "%s %s", list, t->cols.v[i].name);
	return list;
}

/* The columns that the condition used, each with the lowest and highest of its numbers: ": idle_pct 12.1 to 49.6,
 * class".  A column of text is only named. */
static const char *gate_list_compared(const table *t, const virtual_table *v, arena *to)
{
	const char *list = "";

	for (size_t c = 0; c < t->cols.n; c++) {
		double low = INFINITY, high = -INFINITY;
		if (!v->used[c])
			continue;
		for (size_t i = 0; i < table_rows(t) && t->cols.v[c].type != 't'; i++) {
			double x = NAN;
			table_number(t, i, (int)c, &x);
			low = fmin(low, x);
			high = fmax(high, x);
		}
		list = arena_printf(to, "%s%s%s", list, *list ? ", " : ": ", t->cols.v[c].name);
		if (low < high)
			list = arena_printf(to, "%s %.15g to %.15g", list, low, high);
		else if (low == high)
			list = arena_printf(to, "%s %.15g", list, low);
	}
	return list;
}

/* Store the numbers of the rows that break the condition in `broken`.  False after a problem. */
static bool gate_find_broken(const input_table *in, const char *condition, int64_t max_rows, table *broken, notes *say)
{
	arena texts = { 0 };
	query *q = query_open("condition", gate_list_columns(&in->table.rows, &texts), say);
	virtual_table v = { .name = in->name, .columns = &in->table.rows, .rows = &in->table.rows };
	const char *rowid = gate_name_row_number(&in->table);
	char *sql = gate_make_select(rowid ? rowid : "1", in->name, "(", condition, ") IS NOT TRUE");
	bool ok = rowid || notes_problem(say, EXIT_WRONG, "%s has the columns rowid, oid and _rowid_, which are SQL's "
					 "names for the number of a row; rename one", in->table.name);

	query_limit_rows(q, max_rows);
	ok = ok && query_add_table(q, &v) && gate_stands_alone(q, in->name, condition) &&
		gate_check_numbers(&in->table, &v, say) &&
		gate_types_check(&in->table, condition, say) && query_run(q, sql, broken);
	if (ok && table_rows(&in->table.rows) && !table_rows(broken))
		notes_answer(say, "%zu of %zu rows keep '%s'%s", table_rows(&in->table.rows),
			     table_rows(&in->table.rows), condition, gate_list_compared(&in->table.rows, &v, &texts));

	sqlite3_free(sql);
	query_close(q);
	arena_free(&texts);
	return ok;
}

bool gate_answer(const input_table *in, const char *condition, const gate_how *how, table *out, notes *say)
{
	table broken = { 0 };
	size_t rows = table_rows(&in->table.rows);
	bool ok = gate_find_broken(in, condition, how->max_rows, &broken, say);

	if (ok)
		gate_copy_rows(&in->table.rows, &broken, out);
	if (ok && !rows && !how->allow_empty)
		notes_problem(say, EXIT_BROKEN, "%s has no rows, so nothing was measured; --allow-empty accepts that",
			      in->table.name);
	else if (ok && table_rows(&broken))
		notes_problem(say, EXIT_BROKEN, "%zu of %zu rows break '%s'", table_rows(&broken), rows, condition);
	table_free(&broken);
	return ok;
}
