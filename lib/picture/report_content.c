#include "picture/report_content.h"

#include <ctype.h>
#include <string.h>

static void finding(report *r, report_page *to, size_t row)
{
	const table *t = &r->part[REPORT_FINDINGS].rows;
	const char *text = table_named(t, row, "finding")->t, *of = table_named(t, row, "trace")->t,
		*where = table_named(t, row, "where")->t;
	int64_t ns = table_named(t, row, "recover_ns")->i;
	size_t name = advise_title(r->advice, row);

	page_begin(to, PAGE_NUMBERED);
	page_strong(to, "%c%.*s", toupper((unsigned char)*text), (int)name - 1, text + 1);
	if (where) {
		page_say(to, " in ");
		page_code(to, where);
	}
	if (ns != TABLE_MISSING)
		page_say(to, ", worth at most %s of %s (%s %%)", page_time(to, ns),
			report_has_steps(r, of) ? "a step" : "the whole", page_cell_of(to, t, row, "recover_pct"));
	page_say(to, "%s. To do: %s. Evidence (%s", text + name, table_named(t, row, "advice")->t,
		page_who(to, t, row));
	if (r->traces.n > 1 && !report_finding_of_several(r, row)) {
		page_say(to, " of ");
		page_code(to, of);
	}
	page_say(to, ", %s..%s ns): ", page_cell_of(to, t, row, "start_ns"), page_cell_of(to, t, row, "end_ns"));
	page_command(to, table_named(t, row, "evidence")->t);
}

/* Is there something in the capture itself that makes it useless? */
static bool is_suspicious(const report *r)
{
	const table *t = &r->part[REPORT_FACTS].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (strncmp(table_named(t, i, "key")->t, "suspicious.", 11) == 0)
			return true;
	return false;
}

const char *report_no_findings(report *r)
{
	const report_part *part = &r->part[REPORT_FINDINGS];

	if (!part->there)
		return part->lacks;
	if (!table_rows(&r->part[REPORT_TYPICAL].rows))
		return arena_printf(&r->texts, "%s%s", report_no_steps(r),
			is_suspicious(r) ? ", and the capture cannot be trusted" : "");
	if (!advise_tables_of(r->advice)->units.n)
		return "no step is followed by another, so none could be looked at";
	return arena_printf(&r->texts, "nothing that was looked for is worth %d %% of %s or more", REPORT_MIN_PCT,
			    report_has_steps(r, NULL) ? "a step" : "the whole");
}

/* Are all about one process? */
static bool are_of_one(const table *t)
{
	for (size_t i = 1; i < table_rows(t); i++)
		if (table_named(t, i, "pid")->i != table_named(t, 0, "pid")->i ||
		    !report_is_of(t, i, table_named(t, 0, "trace")->t))
			return false;
	return true;
}

static void list_findings(report *r, report_page *to)
{
	enum { MOST = 8 };
	const table *t = &r->part[REPORT_FINDINGS].rows;
	size_t n = table_rows(t);

	page_say(to, "%zu finding%s", n, n == 1 ? "" : "s");
	if (n > MOST)
		page_say(to, ", %d of which are below", MOST);
	page_say(to, "%s: ", n < 2 ? "" : are_of_one(t) ? "; what they would save may be added up" :
		 "; what they would save may be added up for one process, but not across processes, which run at the "
			"same time");
	page_command(to, report_command(r, REPORT_FINDINGS));
	for (size_t i = 0; i < n && i < MOST; i++)
		finding(r, to, i);
}

static void findings(report *r, report_page *to)
{
	const report_part *part = &r->part[REPORT_FINDINGS];
	const char *why;

	page_begin(to, PAGE_HEADING);
	page_say(to, "What to do next");
	page_begin(to, PAGE_PARAGRAPH);
	if (table_rows(&part->rows)) {
		list_findings(r, to);
		return;
	}
	why = report_no_findings(r);
	if (part->there && table_rows(&r->part[REPORT_TYPICAL].rows) && advise_tables_of(r->advice)->units.n)
		page_say(to, "%c%s: ", toupper((unsigned char)*why), why + 1);
	else
		page_say(to, "Nothing can be advised: %s%s", why, part->there ? ": " : ".");
	if (part->there)
		page_command(to, report_command(r, REPORT_FINDINGS));
}

static bool is_verdict(const report *r, const char *text)
{
	size_t n;
	const char *const *verdicts = advise_sentences(r->advice, &n);

	for (size_t i = 0; i < n; i++)
		if (strcmp(text, verdicts[i]) == 0)
			return true;
	return false;
}

/* What the tools would say on stderr, but for the verdict, which comes first. */
static void list_notes(report *r, report_page *to)
{
	size_t n;

	advise_sentences(r->advice, &n);
	if (r->said.n == n)
		return;
	page_begin(to, PAGE_HEADING);
	page_say(to, "Notes");
	for (size_t i = 0; i < r->said.n; i++) {
		if (is_verdict(r, r->said.v[i].text))
			continue;
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

void report_fill(report *r, report_page *to, size_t squeeze)
{
	report_summary(r, to);
	findings(r, to);
	report_sections(r, to, squeeze);
	list_notes(r, to);
	list_tables(r, to);
}
