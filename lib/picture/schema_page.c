#include "picture/schema_page.h"
#include "answer/sql.h"
#include "base/markup.h"
#include "base/text.h"
#include "base/whole_file.h"

#include <string.h>

static void text(FILE *to, const char *s)
{
	markup_text(to, s, strlen(s));
}

/* The section that a reference leads to: its table's, or that of all enumerations if it has none. */
static const schema_table *target(const schema_tables *all, const char *name, size_t n)
{
	const schema_table *starred = NULL;

	for (size_t i = 0; i < all->v.n; i++) {
		const schema_table *t = &all->v.v[i];
		size_t len = strlen(t->shown);
		if (len == n && strncmp(t->shown, name, n) == 0)
			return t;
		if (t->shown[len - 1] == '*' && strncmp(t->shown, name, len - 1) == 0)
			starred = t;
	}
	return starred;
}

static bool has_column(const schema_table *t, const char *name, size_t n)
{
	for (size_t i = 0; i < t->columns.n; i++)
		if (strlen(t->columns.v[i].name) == n && strncmp(t->columns.v[i].name, name, n) == 0)
			return true;
	return false;
}

/* "raw.A.b": a link to the column b of the table raw.A; only text if the page does not have it. */
static void reference(FILE *to, const schema_tables *all, const char *s, size_t n)
{
	const char *dot = memrchr(s, '.', n);
	const schema_table *t = dot ? target(all, s, (size_t)(dot - s)) : NULL;

	if (t) {
		fputs("<a href=\"#", to);
		text(to, t->shown);
		if (has_column(t, dot + 1, n - (size_t)(dot + 1 - s)))
			markup_text(to, dot, n - (size_t)(dot - s));
		fputs("\">", to);
	}
	fputs(t ? "" : "<bdi>", to);
	markup_text(to, s, n);
	fputs(t ? "</a>" : "</bdi>", to);
}

static void references(FILE *to, const schema_tables *all, const char *refers)
{
	fputs("<td>", to);
	for (const char *p = refers; p; ) {
		size_t n = strcspn(p, ",");
		reference(to, all, p, n);
		fputs(p[n] ? ", " : "", to);
		p = p[n] ? p + n + 1 + strspn(p + n + 1, " ") : NULL;
	}
	fputs("</td>", to);
}

static void section(FILE *to, const schema_tables *all, const schema_table *t)
{
	fputs("<section id=\"", to);
	text(to, t->shown);
	fputs("\">\n<h2>", to);
	markup_element(to, "bdi", NULL, t->shown);
	if (t->rows != TABLE_MISSING)
		fprintf(to, " <small>%lld rows</small>", (long long)t->rows);
	fputs("</h2>\n", to);
	markup_element(to, "p", NULL, t->meaning ? t->meaning : "Not described.");
	if (t->query)
		markup_element(to, "pre", NULL, t->query);
	fputs("\n<table>\n<thead><tr><th>column</th><th>type</th><th>unit</th><th>refers "
		"to</th><th>meaning</th></tr></thead>\n" "<tbody>\n", to);
	for (size_t i = 0; i < t->columns.n; i++) {
		const described_column *c = &t->columns.v[i];
		fputs("<tr id=\"", to);
		text(to, t->shown);
		fputc('.', to);
		text(to, c->name);
		fputs("\">", to);
		markup_element(to, "td", NULL, c->name);
		markup_element(to, "td", NULL, c->type);
		markup_element(to, "td", NULL, c->unit);
		references(to, all, c->refers);
		markup_element(to, "td", NULL, c->meaning);
		fputs("</tr>\n", to);
	}
	fputs("</tbody>\n</table>\n</section>\n", to);
}

bool schema_page(const schema *s, FILE *to)
{
	schema_tables all = { 0 };
	bool ok = schema_tables_list(s, &all) && schema_tables_count(&all, s->trace);
	const char *page = text_builtin(schema_builtin, "page");

	page = markup_up_to(to, page, "<!-- index -->\n");
	for (size_t i = 0; i < all.v.n; i++) {
		fputs("<a href=\"#", to);
		text(to, all.v.v[i].shown);
		fputs("\">", to);
		text(to, all.v.v[i].shown);
		fputs("</a>\n", to);
	}
	page = markup_up_to(to, page, "<!-- tables -->\n");
	for (size_t i = 0; i < all.v.n; i++)
		section(to, &all, &all.v.v[i]);
	fputs(page, to);
	schema_tables_free(&all);
	return ok;
}

static bool write_page(const schema *s, const schema_about *about, notes *say)
{
	whole_file w;

	if (!whole_begin(&w, about->page, about->replace, say))
		return false;
	if (schema_page(s, w.to) && (!s->trace || db_unchanged(s->trace)))
		return whole_end(&w);
	whole_drop(&w);
	return false;
}

bool schema_show(const inputs *in, const schema_about *about, table *out, notes *say)
{
	vec(table) columns = { 0 };
	vec(schema_own) own = { 0 };
	schema s = { 0 };
	db *d = NULL;
	bool ok;

	if (about->table && about->page)
		return notes_problem(say, EXIT_WRONG,
			"'%s' has no effect with '-o': the page describes all tables; drop it", about->table);
	if (about->all && (about->table || about->page || in->ntraces))
		return notes_problem(say, EXIT_WRONG,
			"'--all' has no effect with '%s', of which everything is shown; drop it",
			about->page ? "-o" : about->table ? about->table : in->traces[0].path);
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
	s = (schema){ .own = own.v, .nown = own.n, .trace = d, .all = about->all };
	ok = ok && (about->page ? write_page(&s, about, say) : schema_answer(&s, about->table, out, say));
	ok = ok && (!d || about->page || db_unchanged(d));
	if (d)
		db_close(d);
	for (size_t i = 0; i < columns.n; i++)
		table_free(&columns.v[i]);
	mem_free(columns.v, own.v);
	return ok;
}
