#include "picture/report_page.h"

#include <string.h>

enum { IN_DETAIL = 3 };         /* of more traces what is said is about all together */

/* ---- facts of a trace; of is its path, NULL: all */

static bool is_of(const table *t, size_t row, const char *of)
{
	return !of || strcmp(report_cell(t, row, "trace")->t, of) == 0;
}

static const char *fact(const report *r, const char *of, const char *key)
{
	const table *t = &r->part[REPORT_FACTS].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (is_of(t, i, of) && strcmp(report_cell(t, i, "key")->t, key) == 0)
			return report_cell(t, i, "value")->t;
	return NULL;
}

static size_t rows_of(const table *t, const char *of)
{
	size_t n = 0;

	for (size_t i = 0; i < table_rows(t); i++)
		n += is_of(t, i, of);
	return n;
}

/* "rank 2", or "process 4711". */
static const char *who(report_page *to, const table *t, size_t row)
{
	int64_t rank = report_cell(t, row, "rank")->i, pid = report_cell(t, row, "pid")->i;
	char buf[NUMBER_PID_SIZE];

	if (rank != TABLE_MISSING)
		return arena_printf(&to->texts, "rank %lld", (long long)rank);
	return arena_printf(&to->texts, "process %s", number_pid_text(pid / TABLE_SUBS, pid % TABLE_SUBS - 1, buf));
}

/* ---- the items */

static void begin_item(report *r, report_page *to, const char *what, const char *of)
{
	page_begin(to, PAGE_ITEM);
	page_strong(to, "%s", what);
	if (of && r->traces.n > 1) {
		page_say(to, " of ");
		page_code(to, of);
	}
	page_say(to, ": ");
}

static void say_captured(report *r, report_page *to, const char *of)
{
	const char *ns = fact(r, of, "capture.duration_ns"), *version = fact(r, of, "nsys.version"), *gpu = NULL;
	size_t n = rows_of(&r->part[REPORT_PROCESSES].rows, of);
	char key[40];

	begin_item(r, to, "Captured", of);
	if (!of)
		page_say(to, "%zu traces, ", r->traces.n);
	page_say(to, "%zu process%s", n, n == 1 ? "" : "es");
	for (int i = 0; i < 64 && !gpu; i++) {
		snprintf(key, sizeof key, "gpu.%d.name", i);
		gpu = fact(r, of, key);
	}
	if (gpu) {
		page_say(to, " on ");
		page_code(to, gpu);
	}
	if (ns && (of || r->traces.n == 1))
		page_say(to, ", %s", page_time(to, strtoll(ns, NULL, 10)));
	if (version) {
		page_say(to, ", with nsys ");
		page_code(to, version);
	}
	page_say(to, ".");
}

typedef struct {
	int64_t lo, hi;         /* TABLE_MISSING: there are none */
} extremes;

/* Over the rows of steps that follow each other, or, if there are none, over all. */
static extremes extremes_of(const table *t, const char *of, const char *column, bool followed)
{
	extremes x = { TABLE_MISSING, TABLE_MISSING };

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t v = report_cell(t, i, column)->i;
		if (!is_of(t, i, of) || v == TABLE_MISSING || (followed && report_cell(t, i, "period_p50_ns")->i == TABLE_MISSING))
			continue;
		x.lo = x.lo == TABLE_MISSING || v < x.lo ? v : x.lo;
		x.hi = x.hi == TABLE_MISSING || v > x.hi ? v : x.hi;
	}
	return x;
}

static void say_times(report_page *to, extremes x)
{
	page_say(to, "%s", page_time(to, x.lo));
	if (x.hi != x.lo)
		page_say(to, " to %s", page_time(to, x.hi));
}

static void say_steps(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_STEPS].rows;
	extremes period = extremes_of(t, of, "period_p50_ns", true), late = extremes_of(t, of, "period_p90_ns", true);
	bool followed = period.lo != TABLE_MISSING;
	extremes count = extremes_of(t, of, "count", followed), dur = extremes_of(t, of, "dur_p50_ns", followed);
	size_t n = 0, first = SIZE_MAX;

	for (size_t i = 0; i < table_rows(t); i++)
		if (is_of(t, i, of) && (!followed || report_cell(t, i, "period_p50_ns")->i != TABLE_MISSING) && n++ == 0)
			first = i;
	begin_item(r, to, "Steps", of);
	if (!n) {
		page_say(to, "none%s.", r->p->match_text ? "; no range matches -m" : "");
		return;
	}
	page_say(to, "%lld", (long long)count.lo);
	page_say(to, count.hi != count.lo ? " to %lld × " : " × ", (long long)count.hi);
	page_code(to, report_cell(t, first, "name")->t ? report_cell(t, first, "name")->t : "-");
	page_say(to, n > 1 ? " in each of %zu processes" : "", n);
	page_say(to, followed ? ", median period " : ", median length ");
	say_times(to, followed ? period : dur);
	if (followed) {
		page_say(to, ", p90 ");
		say_times(to, late);
	}
	page_say(to, ".");
}

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
	page_say(to, *before == ',' ? ")." : ".");
}

/* The name of a window without its CPU side. */
static const char *short_name(report_page *to, const char *name)
{
	const char *at = strrchr(name, '@');

	return at && !at[1 + strspn(at + 1, "0123456789.")] ? arena_text(&to->texts, name, (size_t)(at - name)) : name;
}

/* Is a row of REPORT_SPLIT about a step, not about a process that has none? */
static bool is_step(const report *r, size_t row)
{
	const table *t = &r->part[REPORT_TYPICAL].rows, *split = &r->part[REPORT_SPLIT].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_cell(t, i, "start_ns")->i == report_cell(split, row, "start_ns")->i && report_cell(t, i, "pid")->i == report_cell(split, row, "pid")->i &&
		    is_of(t, i, report_cell(split, row, "trace")->t))
			return strcmp(report_cell(t, i, "rule")->t, "process") != 0;
	return false;
}

/* Is a row of REPORT_SPLIT about a process that lost events? */
static bool has_lost(const report *r, size_t row)
{
	const table *found = &r->part[REPORT_FINDINGS].rows, *split = &r->part[REPORT_SPLIT].rows;

	for (size_t i = 0; i < table_rows(found); i++)
		if (report_cell(found, i, "pid")->i == report_cell(split, row, "pid")->i && is_of(found, i, report_cell(split, row, "trace")->t) &&
		    strncmp(report_cell(found, i, "finding")->t, "events lost", 11) == 0)
			return true;
	return false;
}

/* What the longest of the typical steps of a trace consists of; a process that lost events is taken if all have. */
static void say_split(report *r, report_page *to, const char *of)
{
	static const struct {
		const char *column, *words;
	} parts[] = { { "compute_only_ns", "compute" }, { "both_ns", "compute and communication at once" },
		{ "comm_only_ns", "exposed communication" }, { "copy_only_ns", "copies alone" } };
	const table *t = &r->part[REPORT_SPLIT].rows;
	size_t row = SIZE_MAX;
	int64_t step = -1;
	bool lost = true;

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = report_cell(t, i, "end_ns")->i - report_cell(t, i, "start_ns")->i;
		bool less = has_lost(r, i);
		if (is_of(t, i, of) && (less == lost ? ns > step : lost) && (!report_has_steps(r) || is_step(r, i))) {
			step = ns;
			row = i;
			lost = less;
		}
	}
	if (row == SIZE_MAX)
		return;
	begin_item(r, to, report_has_steps(r) ? "A typical step" : "All of it", of);
	page_say(to, "%s in %s", page_time(to, step), who(to, t, row));
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
}

/* How much of the GPU time is in ranges: all of it but that of the row without a name. */
static void say_coverage(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_RANGES].rows;
	int64_t all = 0, none = 0;
	double in;

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = report_cell(t, i, "gpu_ns")->i;
		if (!is_of(t, i, of) || ns == TABLE_MISSING)
			continue;
		all += ns;
		none += !report_cell(t, i, "count")->i && !report_cell(t, i, "name")->t ? ns : 0;
	}
	in = share(all - none, all);
	if (!all)
		return;
	begin_item(r, to, in < (double)r->p->warn_below ? "Warning, annotation" : "Annotation", of);
	page_say(to, "%.1f %% of the GPU time was launched inside NVTX ranges%s.", in,
		 in < (double)r->p->warn_below ? arena_printf(&to->texts, ", less than %lld %%; annotate more", (long long)r->p->warn_below) : "");
}

/* What makes numbers untrustworthy.  The first findings explain it, if they can. */
static void say_careful(report *r, report_page *to, const char *of)
{
	const table *found = &r->part[REPORT_FINDINGS].rows, *t = &r->part[REPORT_FACTS].rows;
	size_t n = 0;

	for (size_t i = 0; i < table_rows(found); i++) {
		const char *text = report_cell(found, i, "finding")->t;
		if (!is_of(found, i, of) || report_cell(found, i, "recover_ns")->i != TABLE_MISSING ||
		    strcmp(report_cell(found, i, "severity")->t, "untrusted") != 0)
			continue;
		if (!n++)
			begin_item(r, to, "Careful", of);
		page_say(to, "%s%.*s", n > 1 ? ", " : "", (int)strcspn(text, ":"), text);
	}
	for (size_t i = 0; !n && i < table_rows(t); i++) {
		if (!is_of(t, i, of) || strncmp(report_cell(t, i, "key")->t, "suspicious.", 11) != 0)
			continue;
		begin_item(r, to, "Careful", of);
		page_say(to, "%s", report_cell(t, i, "value")->t);
	}
	page_say(to, n ? "; see below." : "");
}

/* Does an earlier row of these traces have the same key? */
static bool said_before(const table *t, size_t row, const char *of)
{
	for (size_t i = 0; i < row; i++)
		if (is_of(t, i, of) && strcmp(report_cell(t, i, "key")->t, report_cell(t, row, "key")->t) == 0)
			return true;
	return false;
}

static void say_missing(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_FACTS].rows;
	size_t n = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *key = report_cell(t, i, "key")->t;
		if (!is_of(t, i, of) || strncmp(key, "missing.", 8) != 0 || said_before(t, i, of))
			continue;
		if (!n++)
			begin_item(r, to, "Not captured", of);
		page_say(to, "%s%s (", n > 1 ? ", " : "", key + 8);
		page_code(to, report_cell(t, i, "value")->t);
		page_say(to, ")");
	}
	page_say(to, n ? "." : "");
}

/* ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void title(report *r, report_page *to)
{
	page_begin(to, PAGE_TITLE);
	page_say(to, "Report on ");
	for (size_t i = 0; i < r->traces.n && i < 4; i++) {
		page_say(to, "%s", i ? ", " : "");
		page_code(to, base_name(r->traces.v[i]));
	}
	if (r->traces.n > 4)
		page_say(to, " and %zu more", r->traces.n - 4);
	page_begin(to, PAGE_PARAGRAPH);
	page_say(to, "Tables show the first rows of the command above them, with times in nanoseconds on the clock of the trace. Made by nsq %s: ",
		 NSQ_VERSION);
	page_command(to, report_own_command(r));
}

/* What there is to say of a trace, or of all together. */
static void say_all(report *r, report_page *to, const char *of)
{
	say_captured(r, to, of);
	if (r->part[REPORT_STEPS].there)
		say_steps(r, to, of);
	say_split(r, to, of);
	say_coverage(r, to, of);
	say_missing(r, to, of);
}

void report_summary(report *r, report_page *to)
{
	bool detailed = r->traces.n <= IN_DETAIL;

	title(r, to);
	for (size_t i = 0; i < r->traces.n; i++)
		say_careful(r, to, r->traces.v[i]);
	for (size_t i = 0; detailed && i < r->traces.n; i++)
		say_all(r, to, r->traces.v[i]);
	if (!detailed)
		say_all(r, to, NULL);
	if (r->traces.n != 2)
		return;
	page_begin(to, PAGE_ITEM);
	page_strong(to, "What differs");
	page_say(to, " between the two, and whether it is chance: ");
	page_command(to, arena_printf(&to->texts, "nsq-diff%s", report_operands(r)));
}
