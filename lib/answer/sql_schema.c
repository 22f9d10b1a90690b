#include "answer/schema.h"
#include "answer/sql.h"

#include <string.h>

bool sql_schema(const inputs *in, const char *name, bool all, table *out, notes *say)
{
	vec(table) columns = { 0 };
	vec(schema_own) own = { 0 };
	schema s = { 0 };
	db *d = NULL;
	bool ok;

	if (all && ((name && strcmp(name, "*") != 0) || in->ntraces))
		return notes_problem(say, EXIT_WRONG,
			"'--all' has no effect with '%s', of which everything is shown; drop it",
			name ? name : in->traces[0].path);
	if (in->ntraces > 1)
		return notes_problem(say, EXIT_WRONG, "--schema describes the tables of one trace, not of %zu",
			in->ntraces);
	for (size_t i = 0; sql_trace_tables[i].name; i++) {
		vec_push(&columns, (table){ 0 });
		sql_trace_tables[i].answer->columns(sql_trace_tables[i].params, &columns.v[i]);
	}
	for (size_t i = 0; i < columns.n; i++)
		vec_push(&own, (schema_own){ sql_trace_tables[i].name, &columns.v[i] });
	ok = !in->ntraces || (d = db_open(in->traces[0].file, say));
	s = (schema){ .own = own.v, .nown = own.n, .trace = d, .all = all };
	ok = ok && schema_answer(&s, name, out, say) && (!d || db_unchanged(d));
	if (d)
		db_close(d);
	for (size_t i = 0; i < columns.n; i++)
		table_free(&columns.v[i]);
	mem_free(columns.v, own.v);
	return ok;
}
