#include "answer/findings.h"
#include "base/text.h"
#include "sqlite/query.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name; size_t offset; } fields[] = {
	{ "kind", offsetof(finding, kind) }, { "title", offsetof(finding, title) },
	{ "assumes", offsetof(finding, assumes) }, { "advice", offsetof(finding, advice) },
	{ "healthy", offsetof(finding, healthy) }, { "bound", offsetof(finding, bound) },
	{ "severity", offsetof(finding, severity) }, { "owners", offsetof(finding, owners) },
	{ "flaw", offsetof(finding, flaw) }, { "across", offsetof(finding, across) },
	{ "table", offsetof(finding, makes) },
};

/* The member for the field that a line "field: text" names; NULL: none.  *n: the length of the field's name. */
static const char **findings_match_field(finding *f, const char *line, size_t *n)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		*n = strlen(fields[i].name);
		if (strncmp(line, fields[i].name, *n) == 0 && line[*n] == ':')
			return (const char **)(void *)((char *)f + fields[i].offset);
	}
	return NULL;
}

/* Read the lines "-- field: text" at the start.  A line "--   text" continues the field before it. */
static void findings_read_header(findings *all, finding *f, const char *text)
{
	const char **to = NULL;

	for (const char *line = text; strncmp(line, "--", 2) == 0; ) {
		size_t n = strcspn(line, "\n"), skip = 2 + strspn(line + 2, " "), named;
		const char *more = arena_text(&all->texts, line + skip, n - skip),
			   **field = findings_match_field(f, more, &named);
		if (field) {
			to = field;
			*to = arena_copy(&all->texts, more + named + 1 + strspn(more + named + 1, " "));
		} else if (to && skip > 4) {
			*to = arena_printf(&all->texts, "%s %s", *to, more);
		}
		line += n + (line[n] != 0);
	}
}

static bool findings_add_finding(findings *all, const char *name, const char *source, const char *text, notes *say)
{
	finding f = { .name = arena_copy(&all->texts, name), .source = source };
	size_t at = 0;

	f.sql = arena_copy(&all->texts, text);
	findings_read_header(all, &f, f.sql);
	if (!f.makes && (!f.kind || !f.advice))
		return notes_problem(say, EXIT_WRONG, "the finding '%s' has no line '-- %s: ...' at its top; add one",
				     source, f.kind ? "advice" : "kind");
	while (at < all->n && strcmp(all->v[at].name, f.name) != 0)
		at++;
	if (at == all->n)
		vec_push(all, f);
	else
		all->v[at] = f;
	return true;
}

static int findings_is_query(const struct dirent *e)
{
	return *e->d_name != '.' && text_ends(e->d_name, ".sql");
}

static bool findings_add_file(findings *all, const char *folder, const char *file, notes *say)
{
	const char *path = arena_printf(&all->texts, "%s/%s", folder, file);
	char *text = text_file(path, &(size_t){ 0 });
	bool ok;

	if (!text)
		return notes_problem(say, EXIT_FAILED, "cannot read the finding '%s': %s", path, strerror(errno));
	ok = findings_add_finding(all, arena_text(&all->texts, file, strlen(file) - 4), path, text, say);
	free(text);
	return ok;
}

static bool findings_add_folder(findings *all, const char *folder, notes *say)
{
	struct dirent **files = NULL;
	int n = scandir(folder, &files, findings_is_query, alphasort);
	bool ok = true;

	for (int i = 0; i < n; i++) {
		ok = ok && findings_add_file(all, folder, files[i]->d_name, say);
		free(files[i]);
	}
	free(files);
	return ok;
}

bool findings_load(findings *all, const char *folders, notes *say)
{
	bool ok = true;

	for (size_t i = 0; ok && findings_builtin[i]; i += 2)
		ok = findings_add_finding(all, findings_builtin[i], findings_builtin[i], findings_builtin[i + 1], say);
	for (const char *at = folders; ok && at && *at; ) {
		size_t n = strcspn(at, ":");
		if (n)
			ok = findings_add_folder(all, arena_text(&all->texts, at, n), say);
		at += n + (at[n] != 0);
	}
	return ok;
}

void findings_free(findings *all)
{
	vec_free(all);
	arena_free(&all->texts);
}

const finding *findings_find(const findings *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	return NULL;
}

/* ---- running findings */

typedef struct {
	const char *name;
	const table *rows;
} named_table;

typedef struct {
	vec(named_table) tables;        /* the tables that queries see */
	query *q;               /* NULL: not opened yet */
	notes said;             /* notes of the query that runs */
	virtual_table *declared;        /* declarations of the tables, for SQLite */
	size_t ndeclared;       /* how many of `tables` SQLite knows */
	table *rows;            /* for each finding: the rows of its query */
	bool *run;              /* for each finding: its query has run or is about to run */
} findings_ctx;

/* Declare to SQLite the tables that it does not know yet.  False after a problem. */
static bool findings_declare_tables(findings_ctx *r)
{
	if (!r->q)
		r->q = query_open("query", "nsq-sql --finding shows what a built-in one gives, "
				  "share/conventions/advise.md lists the tables", &r->said);
	for (; r->ndeclared < r->tables.n; r->ndeclared++) {
		const named_table *s = &r->tables.v[r->ndeclared];
		virtual_table *to = &r->declared[r->ndeclared];
		*to = (virtual_table){ .name = s->name, .columns = s->rows, .rows = s->rows,
			.reals = true };
		if (!query_add_table(r->q, to))
			return false;
	}
	return true;
}

static bool findings_run_one(findings_ctx *r, const finding *f, table *out, notes *say)
{
	bool ok = findings_declare_tables(r) && query_run(r->q, f->sql, out);

	notes_move_all(&r->said, say);
	return ok || notes_problem(say, EXIT_WRONG, "so the finding '%s' does not run; fix it, or take it out of its "
				   "folder", f->source);
}

static bool findings_has_columns(const table *rows, const finding *f, notes *say)
{
	static const char *const names[] = { "unit", "where", "ns", "words" };

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (table_column(rows, names[k]) < 0)
			return notes_problem(say, EXIT_WRONG, "the finding '%s' gives no column '%s'; its SELECT must "
					     "give unit, where, ns and words", f->source, names[k]);
	return true;
}

/* Does the query contain the name of a table outside of comments? */
static bool findings_names_table(const char *sql, const char *name)
{
	for (const char *at = sql; (at = strcasestr(at, name)); at++) {
		const char *line = at;
		while (line > sql && line[-1] != '\n' && strncmp(line, "--", 2) != 0)
			line--;
		if (strncmp(line, "--", 2) != 0)
			return true;
	}
	return false;
}

/* Run the query of a finding, after those that make the tables that it names.  If tables name one another in a circle,
 * SQLite reports that one is missing.  False after a problem. */
static bool findings_run_after_tables(findings_ctx *r, const findings *all, size_t number, notes *say)
{
	const finding *f = &all->v[number];
	bool ok = true;

	r->run[number] = true;
	for (size_t i = 0; ok && i < all->n; i++)
		if (all->v[i].makes && !r->run[i] && findings_names_table(f->sql, all->v[i].makes))
			ok = findings_run_after_tables(r, all, i, say);
	ok = ok && findings_run_one(r, f, &r->rows[number], say);
	if (ok && f->makes)
		vec_push(&r->tables, (named_table){ f->makes, &r->rows[number] });
	return ok && (f->makes || findings_has_columns(&r->rows[number], f, say));
}

bool findings_run(const findings *all, advise_tables *over, findings_choice *choose, findings_take *take, void *ctx,
		  notes *say)
{
	findings_ctx r = { .declared = mem_new(virtual_table, ADVISE_TABLES + all->n), .rows = mem_new(table, all->n),
		.run = mem_new(bool, all->n) };
	bool ok = true;

	advise_tables_sum_ledger(over);
	for (size_t i = 0; i < ADVISE_TABLES; i++) {
		table_group(&over->tables[i]);
		vec_push(&r.tables, (named_table){ advise_table_name(i), &over->tables[i] });
	}
	for (size_t i = 0; ok && i < all->n; i++) {
		if (!choose(ctx, &all->v[i]))
			continue;
		ok = r.run[i] || findings_run_after_tables(&r, all, i, say);
		if (ok)
			take(ctx, &all->v[i], &r.rows[i]);
	}
	if (r.q)
		query_close(r.q);
	notes_free(&r.said);
	for (size_t i = 0; i < all->n; i++)
		table_free(&r.rows[i]);
	mem_free(r.rows, r.run, r.tables.v, r.declared);
	return ok;
}
