#include "picture/report_write.h"
#include "base/whole_folder.h"
#include "table/format.h"

#include <string.h>

static const whole_folder_mark mark = { "report.json", "{\"format\":\"nsq-report\",", "\"files\":[" };

bool report_may_write(const char *folder, bool replace, notes *say)
{
	return whole_folder_may(folder, replace, &mark, say);
}

/* ---- report.json */

/* The rows of jsonl, in an array. */
static void rows(const table *t, FILE *to)
{
	char *text = NULL;
	size_t n = 0;
	format_writer w = { .to = open_memstream(&text, &n), .format = FORMAT_JSONL };

	if (!w.to)
		mem_exhausted(1, BUFSIZ);
	format_table(&w, t);
	format_end(&w, t);
	fclose(w.to);
	fputc('[', to);
	for (char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		fputs(line == text ? "\n" : ",\n", to);
		fwrite(line, 1, (size_t)(end - line), to);
	}
	fputc(']', to);
	free(text);
}

static void member(FILE *to, const char *before, const char *name, const char *value)
{
	fprintf(to, "%s\"%s\":", before, name);
	if (value)
		format_json(to, value);
	else
		fputs("null", to);
}

static void columns(const table *t, FILE *to)
{
	fputs("\"columns\":[", to);
	for (size_t i = 0; i < t->cols.n; i++) {
		const table_col *c = &t->cols.v[i];
		member(to, i ? ",{" : "{", "name", c->name);
		member(to, ",", "type", table_type(c));
		member(to, ",", "unit", c->unit);
		member(to, ",", "meaning", c->meaning);
		fputc('}', to);
	}
	fputs("],\n", to);
}

static void one_table(FILE *to, const char *name, const char *command, const table *t)
{
	member(to, "{", "command", command);
	fprintf(to, ",\"csv\":\"tables/%s.csv\",\n", name);
	columns(t, to);
	fputs("\"rows\":", to);
	rows(t, to);
	fputc('}', to);
}

static void part(report *r, FILE *to, const char *before, int id)
{
	const char *name = report_kinds[id].name;

	fprintf(to, "%s\"%s\":", before, name);
	if (r->part[id].there)
		one_table(to, name, report_command(r, (enum report_id)id), &r->part[id].rows);
	else
		fputs("null", to);
}

static void texts(FILE *to, const char *name, const notes *lines)
{
	fprintf(to, ",\n\"%s\":[", name);
	for (size_t i = 0; i < lines->n; i++) {
		fputs(i ? ",\n" : "\n", to);
		format_json(to, lines->v[i].text);
	}
	fputc(']', to);
}

/* The list of files tells a later run what it may replace (report_write.c). */
static void list_files(const report *r, FILE *to)
{
	fputs("\"files\":[\"report.md\",\"report.html\",\"report.json\"", to);
	for (int i = 0; i < REPORT_PARTS; i++)
		if (r->part[i].there)
			fprintf(to, ",\"tables/%s.csv\"", report_kinds[i].name);
	fputs("],\n", to);
}

/* The form is written down in share/conventions/report.md, "report.json". */
static void write_json(report *r, FILE *to)
{
	bool first = true;

	fputs("{\"format\":\"nsq-report\",\"version\":1,\"nsq\":\"" NSQ_VERSION "\",\n", to);
	list_files(r, to);
	member(to, "", "command", report_own_command(r));
	fputs(",\n\"traces\":[", to);
	for (size_t i = 0; i < r->traces.n; i++) {
		fputs(i ? "," : "", to);
		format_json(to, r->traces.v[i]);
	}
	fputc(']', to);
	texts(to, "notes", &r->said);
	part(r, to, ",\n", REPORT_FINDINGS);
	part(r, to, ",\n", REPORT_STEPS);
	fputs(",\n\"tables\":{", to);
	for (int i = 0; i < REPORT_PARTS; i++)
		if (r->part[i].there && i != REPORT_FINDINGS && i != REPORT_STEPS) {
			part(r, to, first ? "\n" : ",\n", i);
			first = false;
		}
	fputs("}}\n", to);
}

/* ---- the folder */

static void csv(const table *t, FILE *to)
{
	format_writer w = { .to = to, .format = FORMAT_CSV };

	format_table(&w, t);
	format_header(&w, t);
	format_end(&w, t);
}

bool report_write(report *r, const char *folder, notes *say)
{
	static const struct {
		const char *name;
		void (*write)(report *r, FILE *to);
	} pages[] = { { "report.md", report_md }, { "report.json", write_json }, { "report.html", report_html } };
	whole_folder w;

	if (!whole_folder_begin(&w, folder, r->p->replace, &mark, say))
		return false;
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
		whole_folder_file(&w, pages[i].name);
		if (w.to)
			pages[i].write(r, w.to);
	}
	for (int i = 0; i < REPORT_PARTS; i++) {
		if (!r->part[i].there)
			continue;
		whole_folder_file(&w, arena_printf(&r->texts, "tables/%s.csv", report_kinds[i].name));
		if (w.to)
			csv(&r->part[i].rows, w.to);
	}
	return whole_folder_end(&w);
}
