#include "picture/report_write.h"
#include "base/whole_folder.h"
#include "table/format.h"

static const whole_folder_mark mark = { "report.json", "{\"format\":\"nsq-report\",", "\"files\":[" };

bool report_may_write(const char *folder, bool replace, notes *say)
{
	return whole_folder_may(folder, replace, &mark, say);
}

bool report_has(const report *r, int id)
{
	return r->part[id].there;
}

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
	} pages[] = { { "report.md", report_md }, { "report.json", report_json }, { "report.html", report_html } };
	whole_folder w;

	if (!whole_folder_begin(&w, folder, r->p->replace, &mark, say))
		return false;
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
		whole_folder_file(&w, pages[i].name);
		if (w.to)
			pages[i].write(r, w.to);
	}
	for (int i = 0; i < REPORT_PARTS; i++) {
		if (!report_has(r, i))
			continue;
		whole_folder_file(&w, arena_printf(&r->texts, "tables/%s.csv", report_kinds[i].name));
		if (w.to)
			csv(&r->part[i].rows, w.to);
	}
	return whole_folder_end(&w);
}
