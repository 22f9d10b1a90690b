/* What the typical step of a trace consists of, and how much of it has names. */
#include "picture/report_page.h"

#include <string.h>

static double share(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Is it more than 0.0 %? */
static bool matters(int64_t part, int64_t whole)
{
	return share(part, whole) >= 0.05;
}

/* The idle time by cause, largest first as nsq-gaps lists it. */
static void say_idle(report *r, report_page *to, size_t row, int64_t step)
{
	const table *t = &r->part[REPORT_IDLE].rows, *split = &r->part[REPORT_SPLIT].rows;
	const char *before = " (";

	for (size_t i = 0; i < table_rows(t); i++) {
		if (!report_same_window(t, i, split, row) || !matters(report_cell(t, i, "idle_ns")->i, step))
			continue;
		page_say(to, "%s%s %.1f %%", before, report_cell(t, i, "cause")->t, share(report_cell(t, i, "idle_ns")->i, step));
		before = ", ";
	}
	page_say(to, *before == ',' ? ")" : "");
}

/* What the idle time by cause does not tell: how much of it follows a wait, whatever the CPU does then. */
static void say_synced(report *r, report_page *to, size_t row, int64_t step)
{
	const table *t = &r->part[REPORT_LEDGER].rows, *split = &r->part[REPORT_SPLIT].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_same_window(t, i, split, row) && strcmp(report_cell(t, i, "owner")->t, "sync") == 0 && matters(report_cell(t, i, "dur_ns")->i, step))
			page_say(to, "; %.1f %% of the step is idle because the CPU had waited for the GPU (sync)", share(report_cell(t, i, "dur_ns")->i, step));
	page_say(to, ".");
}

/* The name of a window without its CPU side. */
static const char *short_name(report_page *to, const char *name)
{
	const char *at = strrchr(name, '@');

	return at && !at[1 + strspn(at + 1, "0123456789.")] ? arena_text(&to->texts, name, (size_t)(at - name)) : name;
}

/* Is a row of REPORT_SPLIT about a step, not about a process that has none? */
static bool is_step(report *r, size_t row)
{
	const table *t = &r->part[REPORT_TYPICAL].rows, *split = &r->part[REPORT_SPLIT].rows;
	size_t n;
	const uint32_t *rows = report_rows_of(r, REPORT_TYPICAL, report_cell(split, row, "trace")->t, &n);

	for (size_t i = 0; i < n; i++)
		if (report_cell(t, rows[i], "start_ns")->i == report_cell(split, row, "start_ns")->i &&
		    report_cell(t, rows[i], "pid")->i == report_cell(split, row, "pid")->i)
			return strcmp(report_cell(t, rows[i], "rule")->t, "process") != 0;
	return false;
}

/* Is a row of REPORT_SPLIT about a process that lost events? */
static bool has_lost(report *r, size_t row)
{
	const table *found = &r->part[REPORT_FINDINGS].rows, *split = &r->part[REPORT_SPLIT].rows;
	size_t n;
	const uint32_t *rows = report_rows_of(r, REPORT_FINDINGS, report_cell(split, row, "trace")->t, &n);

	for (size_t i = 0; i < n; i++)
		if (report_cell(found, rows[i], "pid")->i == report_cell(split, row, "pid")->i &&
		    strcmp(report_cell(found, rows[i], "kind")->t, "lost") == 0)
			return true;
	return false;
}

/* The longest of the typical steps of a trace; a process that lost events is taken if all have. */
void report_typical(report *r, report_page *to, const char *of)
{
	static const struct {
		const char *column, *words;
	} parts[] = { { "compute_only_ns", "compute" }, { "both_ns", "compute and communication at once" },
		{ "comm_only_ns", "exposed communication" }, { "copy_only_ns", "copies alone" } };
	const table *t = &r->part[REPORT_SPLIT].rows;
	size_t row = SIZE_MAX;
	size_t n = 0;
	int64_t step = -1;
	bool lost = true, has_steps = report_has_steps(r, of);

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = report_cell(t, i, "end_ns")->i - report_cell(t, i, "start_ns")->i;
		bool less = has_lost(r, i);
		if (!report_is_of(t, i, of) || (has_steps && !is_step(r, i)))
			continue;
		n++;
		if (less == lost ? ns > step : lost) {
			step = ns;
			row = i;
			lost = less;
		}
	}
	if (row == SIZE_MAX)
		return;
	report_item(r, to, has_steps ? "A typical step" : n > 1 ? "The longest process" : "The whole process", of);
	page_say(to, "%s in %s", page_time(to, step), report_who(to, t, row));
	if (report_cell(t, row, "window")->t) {
		page_say(to, " (");
		page_code(to, short_name(to, report_cell(t, row, "window")->t));
		page_say(to, ")");
	}
	page_say(to, ": ");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (matters(report_cell(t, row, parts[i].column)->i, step))
			page_say(to, "%.1f %% %s, ", share(report_cell(t, row, parts[i].column)->i, step), parts[i].words);
	page_say(to, "%.1f %% idle", share(report_cell(t, row, "idle_ns")->i, step));
	say_idle(r, to, row, step);
	say_synced(r, to, row, step);
}

/* How much of the GPU time is in ranges: all of it but that of the row without a name. */
void report_coverage(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_RANGES].rows;
	int64_t all = 0, none = 0;
	double in;

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = report_cell(t, i, "gpu_ns")->i;
		if (!report_is_of(t, i, of) || ns == TABLE_MISSING)
			continue;
		all = ns_add(all, ns);
		none = ns_add(none, !report_cell(t, i, "count")->i && !report_cell(t, i, "name")->t ? ns : 0);
	}
	in = share(all - none, all);
	if (!all)
		return;
	report_item(r, to, in < (double)r->p->warn_below ? "Warning, annotation" : "Annotation", of);
	page_say(to, "%.1f %% of the GPU time was launched inside NVTX ranges%s.", in,
		 in < (double)r->p->warn_below ? arena_printf(&to->texts, ", less than %lld %%; annotate more", (long long)r->p->warn_below) : "");
}
