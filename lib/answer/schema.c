#include "answer/schema.h"
#include "base/suggest.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define COLUMNS(X) \
	X(TABLE, "table", 't', NULL, "name in SQL") \
	X(ROWS, "rows", 'i', NULL, "how many rows it has in the trace") \
	X(WIDTH, "columns", 'i', NULL, "how many columns it has") \
	X(COLUMN, "column", 't', NULL, "name of the column; - in the row about the table itself") \
	X(TYPE, "type", 't', NULL, "type of its values") \
	X(UNIT, "unit", 't', NULL, "unit of its values") \
	X(REFERS_TO, "refers_to", 't', NULL, "columns that hold the same id or value") \
	X(MEANING, "meaning", 't', NULL, "what it holds; - if that is not known") \
	X(EXAMPLE, "example", 't', NULL, "a query to paste")

enum { TABLE_IDS(COLUMNS) };
static const table_col columns[] = { TABLE_COLS(COLUMNS) };

static void schema_declare_columns(bool one, table *out)
{
	static const int about_all[] = { TABLE, ROWS, WIDTH, MEANING, EXAMPLE, COL_LAST };
	static const int about_one[] = { TABLE, COLUMN, TYPE, UNIT, REFERS_TO, MEANING, EXAMPLE, COL_LAST };

	out->given_order = true;
	for (const int *id = one ? about_one : about_all; *id != COL_LAST; id++)
		table_add(out, *id, &columns[*id - COL_OWN]);
}

static void schema_add_table_row(const schema_table *t, table *out)
{
	table_row(out);
	table_text(out, TABLE, t->shown);
	table_int(out, ROWS, t->rows);
	table_int(out, WIDTH, (int64_t)t->columns.n);
	table_text(out, MEANING, t->meaning);
	table_text(out, EXAMPLE, t->query);
}

static void schema_add_column_rows(const schema_table *t, table *out)
{
	for (size_t i = 0; i < t->columns.n; i++) {
		const described_column *c = &t->columns.v[i];
		table_row(out);
		table_text(out, TABLE, t->shown);
		table_text(out, COLUMN, c->name);
		table_text(out, TYPE, c->type);
		table_text(out, UNIT, c->unit);
		table_text(out, REFERS_TO, c->refers);
		table_text(out, MEANING, c->meaning);
	}
}

static bool schema_is_raw(const char *name)
{
	return strncasecmp(name, "raw.", 4) == 0;
}

/* What suggest_names returns for the name as typed.  If no known name is close to that, what it returns for the name in
 * capitals, because nsys writes most names so. */
static const char *schema_suggest_name(arena *texts, const char *name, const char *const *known, size_t n)
{
	const char *as_typed = suggest_names(texts, name, known, n);
	char *capitals = arena_copy(texts, name);

	if (strcmp(as_typed, ";") != 0)
		return as_typed;
	for (char *p = capitals + (schema_is_raw(name) ? 4 : 0); *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return suggest_names(texts, capitals, known, n);
}

static bool schema_say_no_table(const schema_tables *all, const char *name, notes *say)
{
	vec(const char *) known = { 0 };
	arena texts = { 0 };

	for (size_t i = 0; i < all->v.n; i++)
		vec_push(&known, schema_is_raw(name) ? all->v.v[i].shown : all->v.v[i].name);
	notes_problem(say, EXIT_WRONG, "there is no table '%s'%s --schema lists them", name,
		      schema_suggest_name(&texts, name, known.v, known.n));
	vec_free(&known);
	arena_free(&texts);
	return false;
}

static void schema_add_all_tables(const schema *s, const schema_tables *all, bool with_columns, table *out, notes *say)
{
	size_t rare = 0;

	for (size_t i = 0; i < all->v.n; i++) {
		if (!s->trace && !s->all && !all->v.v[i].usual) {
			rare++;
			continue;
		}
		schema_add_table_row(&all->v.v[i], out);
		if (with_columns)
			schema_add_column_rows(&all->v.v[i], out);
	}
	if (rare)
		notes_remark(say, "%zu tables of nsys that few traces have are listed with --all; with a trace, "
			     "those that it has", rare);
}

bool schema_answer(const schema *s, const char *name, table *out, notes *say)
{
	schema_tables all = { 0 };
	bool ok = schema_tables_list(s, &all) && (name || schema_tables_count_rows(&all, s->trace));
	bool every = name && strcmp(name, "*") == 0;
	const schema_table *one = ok && name && !every ? schema_tables_find(&all, name) : NULL;

	if (!out->cols.n)
		schema_declare_columns(name, out);
	if (one) {
		if (s->trace && one->absent)
			notes_remark(say, "'%s' has no table '%s'; this is what it would hold",
				     s->trace->path, one->name);
		schema_add_table_row(one, out);
		schema_add_column_rows(one, out);
	} else if (ok && name && !every) {
		ok = schema_say_no_table(&all, name, say);
	} else if (ok) {
		schema_add_all_tables(s, &all, every, out, say);
	}
	table_group(out);
	schema_tables_free(&all);
	return ok;
}
