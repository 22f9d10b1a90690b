#include "picture/report_parts.h"
#include "base/glossary.h"
#include "base/json.h"
#include "base/text.h"
#include "base/whole_folder.h"
#include "table/format.h"

#include <string.h>

static const whole_folder_mark mark = { "report.json", "{\"format\":\"nsq-report\",", "\"files\":[" };

bool report_may_write(const char *folder, bool replace, notes *say)
{
	return whole_folder_may_write(folder, replace, &mark, say);
}

/* ---- report.json */

/* Write the rows of a table as a JSON array of objects. */
static void report_write_rows(const table *t, FILE *to)
{
	char *text = NULL;
	size_t n = 0;
	format_writer w = { .to = text_open(&text, &n), .format = FORMAT_JSONL };

	format_table(&w, t);
	format_end(&w, t);
	text_close(w.to);
	fputc('[', to);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		fputs(line == text ? "\n" : ",\n", to);
		fwrite(line, 1, (size_t)(end - line), to);
	}
	fputc(']', to);
	free(text);
}

static void report_write_columns(const table *t, json_writer *j)
{
	arena texts = { 0 };

	json_begin_line(j);
	json_open(j, "columns", '[');
	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		json_open(j, NULL, '{');
		json_text(j, "name", c->name);
		json_text(j, "type", table_type(c));
		json_text(j, "unit", c->unit);
		json_text(j, "meaning", c->meaning ? glossary_expand(&texts, c->meaning) : NULL);
		json_close(j, '}');
	}
	json_close(j, ']');
	arena_free(&texts);
}

static void report_write_part(report *r, json_writer *j, const report_part *p)
{
	json_begin_line(j);
	if (!p->there) {
		json_text(j, p->name, NULL);
		return;
	}
	json_open(j, p->name, '{');
	json_text(j, "command", report_command(r, p));
	json_text(j, "csv", arena_printf(&r->texts, "tables/%s.csv", p->name));
	report_write_columns(&p->rows, j);
	json_begin_line(j);
	json_value(j, "rows");
	report_write_rows(&p->rows, j->to);
	json_close(j, '}');
}

static void report_write_texts(json_writer *j, const char *name, const notes *lines)
{
	json_begin_line(j);
	json_open(j, name, '[');
	for (size_t i = 0; i < lines->n; i++) {
		json_begin_line(j);
		json_text(j, NULL, lines->v[i].text);
	}
	json_close(j, ']');
}

/* List the files of the folder, so that a later run knows which files it may replace. */
static void report_write_file_list(report *r, json_writer *j)
{
	json_begin_line(j);
	json_open(j, "files", '[');
	json_text(j, NULL, "report.md");
	json_text(j, NULL, "report.html");
	json_text(j, NULL, "report.json");
	if (r->page)
		json_text(j, NULL, "view.html");
	for (size_t i = 0; i < r->parts.n; i++)
		if (r->parts.v[i].there)
			json_text(j, NULL, arena_printf(&r->texts, "tables/%s.csv", r->parts.v[i].name));
	json_close(j, ']');
}

/* Write report.json.  share/conventions/report.md, "report.json", describes its form. */
static void report_write_json(report *r, FILE *to)
{
	const report_part *findings = report_part_of(r, "findings"), *steps = report_part_of(r, "steps");
	json_writer j = { .to = to };

	json_open(&j, NULL, '{');
	json_text(&j, "format", "nsq-report");
	json_int(&j, "version", 1);
	json_text(&j, "nsq", NSQ_VERSION);
	report_write_file_list(r, &j);
	json_begin_line(&j);
	json_text(&j, "command", report_own_command(r));
	json_begin_line(&j);
	json_open(&j, "traces", '[');
	for (size_t i = 0; i < r->traces.n; i++)
		json_text(&j, NULL, r->traces.v[i]);
	json_close(&j, ']');
	report_write_texts(&j, "notes", &r->said);
	report_write_part(r, &j, findings);
	report_write_part(r, &j, steps);
	json_begin_line(&j);
	json_open(&j, "tables", '{');
	for (size_t i = 0; i < r->parts.n; i++) {
		const report_part *p = &r->parts.v[i];
		if (p->there && p != findings && p != steps)
			report_write_part(r, &j, p);
	}
	json_close(&j, '}');
	json_close(&j, '}');
	fputc('\n', to);
}

/* ---- the folder */

static void report_write_csv(const table *t, FILE *to)
{
	format_writer w = { .to = to, .format = FORMAT_CSV };

	format_table(&w, t);
	format_header(&w, t);
	format_end(&w, t);
}

static void report_write_html(report *r, FILE *page)
{
	char *md = NULL;
	size_t n = 0;
	FILE *to = text_open(&md, &n);

	r->page_only = true;
	report_md(r, to);
	text_close(to);
	report_html(r, md, n, page);
	free(md);
}

static bool report_write_files(report *r, whole_folder *w)
{
	whole_folder_begin_file(w, "report.md");
	if (w->to)
		report_md(r, w->to);
	whole_folder_begin_file(w, "report.html");
	if (w->to)
		report_write_html(r, w->to);
	whole_folder_begin_file(w, "report.json");
	if (w->to)
		report_write_json(r, w->to);
	if (r->page)
		whole_folder_begin_file(w, "view.html");
	if (r->page && w->to) {
		marked_end(r->marks);
		view_page_write_to(r->page, one_clock_sentence(r->clock), r->marks, w->to);
	}
	for (size_t i = 0; i < r->parts.n; i++) {
		const report_part *part = &r->parts.v[i];
		if (!part->there)
			continue;
		whole_folder_begin_file(w, arena_printf(&r->texts, "tables/%s.csv", part->name));
		if (w->to)
			report_write_csv(&part->rows, w->to);
	}
	return whole_folder_end(w);
}

bool report_write(report *r, const char *folder, notes *say)
{
	whole_folder w;

	return whole_folder_begin(&w, folder, r->p->replace, &mark, say) && report_write_files(r, &w);
}
