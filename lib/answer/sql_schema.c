#include "answer/schema.h"
#include "answer/sql.h"
#include "base/whole_file.h"

static bool write_page(const schema *s, const sql_about *about, notes *say)
{
	whole_file w;

	if (!whole_begin(&w, about->page, about->replace, say))
		return false;
	if (schema_page(s, w.to) && (!s->trace || db_unchanged(s->trace)))
		return whole_end(&w);
	whole_drop(&w);
	return false;
}

bool sql_schema(const inputs *in, const sql_about *about, table *out, notes *say)
{
	vec(table) columns = { 0 };
	vec(schema_own) own = { 0 };
	schema s = { 0 };
	db *d = NULL;
	bool ok;

	if (about->table && about->page)
		return notes_problem(say, EXIT_WRONG, "'%s' has no effect with '-o': the page describes all tables; drop it", about->table);
	if (about->all && (about->table || about->page || in->ntraces))
		return notes_problem(say, EXIT_WRONG, "'--all' has no effect with '%s', of which everything is shown; drop it",
				     about->page ? "-o" : about->table ? about->table : in->traces[0].path);
	if (in->ntraces > 1)
		return notes_problem(say, EXIT_WRONG, "--schema describes the tables of one trace, not of %zu", in->ntraces);
	for (size_t i = 0; sql_trace_tables[i].name; i++) {
		vec_push(&columns, (table){ 0 });
		sql_trace_tables[i].columns(&columns.v[i]);
	}
	for (size_t i = 0; i < columns.n; i++)
		vec_push(&own, (schema_own){ sql_trace_tables[i].name, &columns.v[i] });
	ok = !in->ntraces || (d = db_open(in->traces[0].file, say));
	s = (schema){ .own = own.v, .nown = own.n, .trace = d, .all = about->all };
	ok = ok && (about->page ? write_page(&s, about, say) : schema_answer(&s, about->table, out, say));
	ok = ok && (!d || about->page || db_unchanged(d));
	if (d)
		db_close(d);
	for (size_t i = 0; i < columns.n; i++)
		table_free(&columns.v[i]);
	vec_free(&columns);
	vec_free(&own);
	return ok;
}
