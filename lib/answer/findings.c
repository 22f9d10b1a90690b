#include "answer/findings.h"
#include "base/text.h"
#include "sqlite/query.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct { const char *name; size_t at; } fields[] = {
	{ "kind", offsetof(finding, kind) }, { "title", offsetof(finding, title) },
	{ "assumes", offsetof(finding, assumes) }, { "advice", offsetof(finding, advice) },
	{ "healthy", offsetof(finding, healthy) }, { "bound", offsetof(finding, bound) },
	{ "severity", offsetof(finding, severity) }, { "owners", offsetof(finding, owners) },
	{ "table", offsetof(finding, makes) },
};

static const char **field_named(finding *f, const char *line, size_t *n)
{
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		*n = strlen(fields[i].name);
		if (strncmp(line, fields[i].name, *n) == 0 && line[*n] == ':')
			return (const char **)(void *)((char *)f + fields[i].at);
	}
	return NULL;
}

/* Lines "-- field: text", which "--   text" goes on with. */
static void read_header(findings *all, finding *f, const char *text)
{
	const char **to = NULL;

	for (const char *line = text; strncmp(line, "--", 2) == 0; ) {
		size_t n = strcspn(line, "\n"), skip = 2 + strspn(line + 2, " "), key;
		const char *more = arena_text(&all->texts, line + skip, n - skip), **field = field_named(f, more, &key);
		if (field) {
			to = field;
			*to = arena_copy(&all->texts, more + key + 1 + strspn(more + key + 1, " "));
		} else if (to && skip > 4) {
			*to = arena_printf(&all->texts, "%s %s", *to, more);
		}
		line += n + (line[n] != 0);
	}
}

static bool add(findings *all, const char *name, const char *source, const char *text, notes *say)
{
	finding f = { .name = arena_copy(&all->texts, name), .source = source };
	size_t at = 0;

	f.sql = arena_copy(&all->texts, text);
	read_header(all, &f, f.sql);
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

static int is_query(const struct dirent *e)
{
	return *e->d_name != '.' && text_ends(e->d_name, ".sql");
}

static bool add_file(findings *all, const char *folder, const char *file, notes *say)
{
	const char *path = arena_printf(&all->texts, "%s/%s", folder, file);
	char *text = text_file(path, &(size_t){ 0 });
	bool ok;

	if (!text)
		return notes_problem(say, EXIT_FAILED, "cannot read the finding '%s': %s", path, strerror(errno));
	ok = add(all, arena_text(&all->texts, file, strlen(file) - 4), path, text, say);
	free(text);
	return ok;
}

static bool add_folder(findings *all, const char *folder, notes *say)
{
	struct dirent **files = NULL;
	int n = scandir(folder, &files, is_query, alphasort);
	bool ok = true;

	for (int i = 0; i < n; i++) {
		ok = ok && add_file(all, folder, files[i]->d_name, say);
		free(files[i]);
	}
	free(files);
	return ok;
}

bool findings_load(findings *all, const char *folders, notes *say)
{
	bool ok = true;

	for (size_t i = 0; ok && findings_builtin[i]; i += 2)
		ok = add(all, findings_builtin[i], findings_builtin[i], findings_builtin[i + 1], say);
	for (const char *at = folders; ok && at && *at; ) {
		size_t n = strcspn(at, ":");
		if (n)
			ok = add_folder(all, arena_text(&all->texts, at, n), say);
		at += n + (at[n] != 0);
	}
	return ok;
}

void findings_free(findings *all)
{
	vec_free(all);
	arena_free(&all->texts);
}

const finding *findings_named(const findings *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	return NULL;
}

/* ---- running them */

typedef struct {
	const char *name;
	const table *rows;
} shown;

typedef struct {
	vec(shown) tables;      /* what queries see */
	query *q;               /* NULL: it is still to be opened */
	notes said;             /* by it */
	virtual_table *declared;        /* of the tables, so many: */
	size_t ndeclared;
} running;

/* Let the queries see the tables that were made since the last one. */
static bool declare(running *r)
{
	if (!r->q)
		r->q = query_open("query", "nsq-sql --finding shows what a built-in one gives, "
				  "share/conventions/advise.md lists the tables", &r->said);
	for (; r->ndeclared < r->tables.n; r->ndeclared++) {
		const shown *s = &r->tables.v[r->ndeclared];
		virtual_table *to = &r->declared[r->ndeclared];
		*to = (virtual_table){ .name = s->name, .columns = s->rows, .rows = s->rows };
		if (!query_add(r->q, to))
			return false;
	}
	return true;
}

static bool run_one(running *r, const finding *f, table *out, notes *say)
{
	bool ok = declare(r) && query_run(r->q, f->sql, out);

	notes_pass(&r->said, say);
	return ok || notes_problem(say, EXIT_WRONG, "so the finding '%s' does not run; fix it, or take it out of its "
				   "folder", f->source);
}

static bool has_columns(const table *rows, const finding *f, notes *say)
{
	static const char *const names[] = { "unit", "where", "ns", "words" };

	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (table_column(rows, names[k]) < 0)
			return notes_problem(say, EXIT_WRONG, "the finding '%s' gives no column '%s'; its SELECT must "
					     "give unit, where, ns and words", f->source, names[k]);
	return true;
}

/* Does the text of a finding name a table that is still to be made?  In a comment that does no harm. */
static bool waits_for_another(const findings *all, const finding *f, const bool *made)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].makes && !made[i] && &all->v[i] != f && strstr(f->sql, all->v[i].makes))
			return true;
	return false;
}

/* Each after those that it names.  Of tables that name one another the first goes first: SQLite says what it lacks. */
static bool make_tables(running *r, const findings *all, table *rows, notes *say)
{
	bool *made = mem_new(bool, all->n), ok = true, waits = true;

	for (size_t more = 1; ok && more;) {
		size_t before = r->tables.n;
		more = 0;
		for (size_t i = 0; ok && i < all->n; i++) {
			const finding *f = &all->v[i];
			if (!f->makes || made[i] || (waits && waits_for_another(all, f, made))) {
				more += f->makes && !made[i];
				continue;
			}
			ok = run_one(r, f, &rows[i], say);
			vec_push(&r->tables, (shown){ f->makes, &rows[i] });
			made[i] = true;
		}
		waits = r->tables.n > before;
	}
	free(made);
	return ok;
}

bool findings_run(const findings *all, advise_tables *over, const finding *only, findings_rows *f, void *ctx,
		  notes *say)
{
	running r = { .declared = mem_new(virtual_table, ADVISE_TABLES + all->n) };
	table *rows = mem_new(table, all->n);   /* by finding */
	bool ok;

	advise_tables_sum(over);
	for (size_t i = 0; i < ADVISE_TABLES; i++) {
		table_group(&over->tables[i]);
		vec_push(&r.tables, (shown){ advise_table_name(i), &over->tables[i] });
	}
	ok = make_tables(&r, all, rows, say);
	for (size_t i = 0; ok && i < all->n; i++) {
		const finding *of = &all->v[i];
		if (only ? only != of : of->makes != NULL)
			continue;
		ok = of->makes || (run_one(&r, of, &rows[i], say) && has_columns(&rows[i], of, say));
		if (ok)
			f(ctx, of, &rows[i]);
	}
	if (r.q)
		query_close(r.q);
	notes_free(&r.said);
	for (size_t i = 0; i < all->n; i++)
		table_free(&rows[i]);
	mem_free(rows, r.tables.v, r.declared);
	return ok;
}
