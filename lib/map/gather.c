#include "map/mapping.h"
#include "table/read_table.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum {
	SIGNALS = 128,          /* an exit code from SIGNALS + 1 to SIGNALS + SIGNALS_MOST is SIGNALS plus the number
				 * of the signal that ended the command */
	SIGNALS_MOST = 64,
	MESSAGE = 500           /* the most bytes of a message that are kept */
};

/* The kind (note.kind) of the note for a line: the line without its numbers and its quoted parts. */
static const char *gather_find_kind(arena *texts, const char *line)
{
	char *kind = arena_copy(texts, line), *to = kind;
	bool quoted = false;

	for (const char *p = line; *p; p++) {
		quoted ^= *p == '\'';
		if (!quoted && !isdigit((unsigned char)*p))
			*to++ = *p;
	}
	*to = 0;
	return kind;
}

/* Pass on a line that a tool printed about a trace, as a note that begins with the path of the trace.  A line with
 * ": warning: " becomes a warning, and the word is left out; any other line becomes a remark. */
static void gather_pass_on_line(notes *say, const char *trace, const char *line)
{
	const char *warning = strstr(line, ": warning: ");
	const char *text = !warning ? line :
		arena_printf(&say->texts, "%.*s%s", (int)(warning - line), line, warning + strlen(": warning"));

	vec_push(say, (note){ EXIT_ANSWERED, warning ? NOTE_WARNING : NOTE_REMARK, gather_find_kind(&say->texts, line),
			      arena_printf(&say->texts, "'%s': %s", trace, text) });
}

/* Does the line only say that the input was empty, because an earlier tool of the pipeline failed?  That tool said
 * why. */
static bool gather_is_consequence(const char *line)
{
	return strstr(line, "did the command before it fail?");
}

/* Pass on each line of a file, unless `say` is NULL.  Returns the line most likely to say why the pipeline failed, cut
 * to MESSAGE bytes: the last line that is no consequence (gather_is_consequence); if all lines are, the first.  NULL:
 * the file is empty or missing. */
static const char *gather_read_lines(gather *g, const result *r, const char *file, notes *say)
{
	char *text = file ? text_file(file, &(size_t){ 0 }) : NULL, *rest = text;
	const char *last = NULL;

	for (char *line; (line = strsep(&rest, "\n"));)
		if (*line) {
			if (say)
				gather_pass_on_line(say, r->trace, line);
			last = last && gather_is_consequence(line) ? last : line;
		}
	last = last ? arena_printf(&g->texts, "%.*s", MESSAGE, last) : NULL;
	free(text);
	return last;
}

static void gather_note_failure(gather *g, const result *r, int code, const char *how, const char *why)
{
	vec_push(&g->failures, (note){ .code = code, .text = arena_printf(&g->texts, "'%s' %s%s%s", r->trace, how,
									  why ? ": " : "", why ? why : "") });
}

void gather_note_missing_result(gather *g, const result *r)
{
	const char *last = gather_read_lines(g, r, r->log, NULL);

	g->failed++;
	gather_note_failure(g, r, EXIT_FAILED, "has no result", last ? last : r->log ?
			  "its node was lost, or does not see the folder of the results under its name" : NULL);
}

/* Does the text look like the name of a column: a word, or a word and "(", as nsq-sql names the column of a
 * function? */
static bool gather_is_column_name(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return n && !isdigit((unsigned char)*name) && (!name[n] || name[n] == '(');
}

/* Was the output meant as a table?  Any line can be read as a header.  So at least one column must have a name that
 * looks like one, or there must be rows with several columns or with a number. */
static bool gather_is_table(const table *t)
{
	for (size_t i = 0; i < t->cols.n; i++)
		if (gather_is_column_name(t->cols.v[i].name))
			return true;
	return table_rows(t) && (t->cols.n > 1 || t->cols.v[0].type != 't');
}

static const char *gather_explain_no_table(gather *g, const result *r)
{
	enum { SHOWN = 100 };
	char line[SHOWN + 1] = "";
	FILE *f = fopen(r->table, "r");

	if (f && fgets(line, sizeof line, f))
		line[strcspn(line, "\n")] = 0;
	if (f)
		fclose(f);
	return arena_printf(&g->texts, "printed no table, which has a header of column names: it begins with '%s'",
			    line);
}

/* Count the trace of a result if its exit code is 0. */
static void gather_count_success(gather_count *c, const result *r)
{
	if (!r->code && !c->n++)
		c->first = r->trace;
}

/* The name of the first column in which two tables differ: b's name for it or, if b has no such column, a's.  NULL: the
 * tables have the same columns. */
static const char *gather_find_difference(const table *a, const table *b)
{
	for (size_t i = 0; i < a->cols.n && i < b->cols.n; i++)
		if (strcmp(a->cols.v[i].name, b->cols.v[i].name) != 0)
			return b->cols.v[i].name;
	return a->cols.n == b->cols.n ? NULL : a->cols.n > b->cols.n ? a->cols.v[b->cols.n].name :
		b->cols.v[a->cols.n].name;
}

/* Copy the rows to a new table, with `trace` as an additional last column. */
static void gather_add_trace_column(const table *rows, const char *trace, table *out)
{
	out->given_order = true;
	for (size_t i = 0; i < rows->cols.n; i++)
		read_table_add_column(out, rows->cols.v[i].name, rows->cols.v[i].type);
	read_table_add_column(out, "trace", 't');
	for (size_t i = 0; i < table_rows(rows); i++) {
		for (size_t c = 0; c < rows->cols.n; c++)
			vec_push(&out->cells, table_at(rows, i)[c]);
		vec_push(&out->cells, (table_cell){ .t = trace });
	}
	table_group(out);
}

/* Remember the columns of the first table; their names are copied, because the table is freed. */
static void gather_keep_columns(gather *g, const result *r, const table *from)
{
	g->first = r->trace;
	for (size_t i = 0; i < from->cols.n; i++)
		read_table_add_column(&g->columns, arena_copy(&g->texts, from->cols.v[i].name), from->cols.v[i].type);
}

/* Print the rows of a result, with a column `trace`.  Rows with other columns than the first table are not printed.
 * Returns what is wrong with them, or NULL. */
static const char *gather_print_rows(gather *g, const result *r, const table *rows)
{
	table wider = { 0 };
	const char *other;

	if (table_column(rows, "trace") < 0) {
		gather_add_trace_column(rows, r->trace, &wider);
		rows = &wider;
	}
	if (!g->first)
		gather_keep_columns(g, r, rows);
	other = gather_find_difference(&g->columns, rows);
	if (!other)
		format_table(g->to, rows);
	if ((fflush(g->to->to) != 0 || ferror(g->to->to)) && !g->reason)
		g->reason = errno;
	table_free(&wider);
	if (!other)
		return NULL;
	return arena_printf(&g->texts, "printed a table that cannot be added: column '%s' is none of those of '%s', so "
			    "its rows are left out; they are in '%s'", other, g->first, r->table);
}

/* Read the table of a result and print its rows.  Returns what is wrong with the table, or NULL. */
static const char *gather_print_result(gather *g, const result *r)
{
	read_table in = { 0 };
	notes own = { 0 };
	struct stat st;
	const char *wrong = NULL;

	if (stat(r->table, &st) == 0 && !st.st_size)
		gather_count_success(&g->empty, r);
	else if (!read_table_named(r->table, &in, &own))
		wrong = arena_printf(&g->texts, "printed a table that cannot be added: %s", own.v[own.n - 1].text);
	else if (!gather_is_table(&in.rows))
		wrong = gather_explain_no_table(g, r);
	else
		wrong = gather_print_rows(g, r, &in.rows);
	if (!wrong && in.rows.cols.n && !table_rows(&in.rows))
		gather_count_success(&g->rowless, r);
	read_table_free(&in);
	notes_free(&own);
	return wrong;
}

void gather_result(gather *g, const result *r, notes *say)
{
	bool signalled = r->code > SIGNALS && r->code <= SIGNALS + SIGNALS_MOST;
	const char *last = gather_read_lines(g, r, r->messages, say),
		   *wrong = signalled ? NULL : gather_print_result(g, r);

	g->failed += r->code || wrong;
	if (signalled)                  /* its table may be incomplete and is not printed */
		gather_note_failure(g, r, r->code,
				  arena_printf(&g->texts, "was ended by signal %d (%s)", r->code - SIGNALS,
					       strsignal(r->code - SIGNALS)),
				  last);
	else if (r->code)
		gather_note_failure(g, r, r->code, arena_printf(&g->texts, "ended with exit code %d", r->code), last);
	if (wrong)
		gather_note_failure(g, r, EXIT_FAILED, wrong, NULL);
}

static void gather_say_count(const gather_count *c, const char *what, notes *say)
{
	if (c->n)
		notes_answer(say, "the pipeline printed %s for %zu of the traces%s '%s'", what, c->n,
			     c->n == 1 ? ":" : "; the first is", c->first);
}

void gather_pass_on_failures(gather *g, notes *say)
{
	enum { LISTED = 10 };
	size_t n = g->failures.n, more = n > LISTED ? n - LISTED : 0;
	int code = EXIT_ANSWERED;

	for (size_t i = 0; i < n - more; i++)
		notes_copy(say, &g->failures.v[i]);
	for (size_t i = n - more; i < n; i++)
		code = g->failures.v[i].code > code ? g->failures.v[i].code : code;
	if (more)
		notes_problem(say, code, "%zu more failed, too; --keep DIR keeps what each of them said", more);
	gather_say_count(&g->empty, "nothing", say);
	gather_say_count(&g->rowless, "a table without rows", say);
}

void gather_free(gather *g)
{
	table_free(&g->columns);
	vec_free(&g->failures);
	arena_free(&g->texts);
}
