/* The lists of a report: what to do next, notes, tables. */
#include "picture/report_page.h"

#include <ctype.h>
#include <string.h>

/* How long the first part of "NAME: what it is, what it assumes" is.  A name in quotes may hold colons. */
static size_t headline(const char *text)
{
	bool quoted = false;
	size_t n = 0;

	for (; text[n] && (quoted || text[n] != ':'); n++)
		quoted ^= text[n] == '\'';
	return text[n] ? n : strcspn(text, ":");
}

static void finding(report *r, report_page *to, size_t row)
{
	const table *t = &r->part[REPORT_FINDINGS].rows;
	const char *text = report_cell(t, row, "finding")->t, *rank = page_cell_of(to, t, row, "rank"), *pid = page_cell_of(to, t, row, "pid");
	int64_t ns = report_cell(t, row, "recover_ns")->i;
	size_t name = headline(text);

	page_begin(to, PAGE_NUMBERED);
	page_strong(to, "%c%.*s", toupper((unsigned char)*text), (int)name - 1, text + 1);
	if (ns != TABLE_MISSING)
		page_say(to, ", at most %s of a step (%s %%)", page_time(to, ns), page_cell_of(to, t, row, "recover_pct"));
	page_say(to, "%s. To do: %s. Evidence, in ", text + name, report_cell(t, row, "advice")->t);
	page_say(to, rank ? "rank %s" : pid ? "process %s" : "all processes", rank ? rank : pid);
	page_say(to, ", %s..%s ns: ", page_cell_of(to, t, row, "start_ns"), page_cell_of(to, t, row, "end_ns"));
	page_command(to, report_cell(t, row, "evidence")->t);
}

void report_findings(report *r, report_page *to)
{
	enum { MOST = 8 };
	const report_part *part = &r->part[REPORT_FINDINGS];
	size_t n = table_rows(&part->rows);

	page_begin(to, PAGE_HEADING);
	page_say(to, "What to do next");
	page_begin(to, PAGE_PARAGRAPH);
	if (!part->there) {
		page_say(to, "Nothing can be advised: %s.", part->lacks);
		return;
	}
	if (!n)
		page_say(to, "Nothing: %s: ", part->empty);
	else
		page_say(to, "%zu finding%s%s; what they would win overlaps and does not add up: ", n, n == 1 ? "" : "s",
			 n > MOST ? ", of which these come first" : "");
	page_command(to, report_command(r, REPORT_FINDINGS));
	for (size_t i = 0; i < n && i < MOST; i++)
		finding(r, to, i);
}

/* What the tools would say on stderr. */
static void list_notes(report *r, report_page *to)
{
	if (!r->said.n)
		return;
	page_begin(to, PAGE_HEADING);
	page_say(to, "Notes");
	for (size_t i = 0; i < r->said.n; i++) {
		page_begin(to, PAGE_ITEM);
		page_say(to, "%s", r->said.v[i].text);
	}
}

static void list_tables(report *r, report_page *to)
{
	page_begin(to, PAGE_PARAGRAPH);
	page_strong(to, "Tables");
	page_say(to, ": all rows are in tables/NAME.csv and, with the commands, in report.json");
	for (int i = 0, n = 0; i < REPORT_PARTS; i++)
		if (r->part[i].there) {
			page_say(to, n++ ? ", " : ": ");
			page_code(to, report_kinds[i].name);
			page_say(to, " (%zu)", table_rows(&r->part[i].rows));
		}
	page_say(to, ".");
}

void report_lists(report *r, report_page *to)
{
	list_notes(r, to);
	list_tables(r, to);
}
