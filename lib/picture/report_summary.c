#include "picture/report_content.h"
#include "answer/window.h"

#include <string.h>

enum { IN_DETAIL = 3 };         /* of more traces what is said is about all together */

/* ---- facts of a trace */

static const char *fact(const report *r, const char *of, const char *key)
{
	const table *t = &r->part[REPORT_FACTS].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_is_of(t, i, of) && strcmp(table_named(t, i, "key")->t, key) == 0)
			return table_named(t, i, "value")->t;
	return NULL;
}

static size_t rows_of(const table *t, const char *of)
{
	size_t n = 0;

	for (size_t i = 0; i < table_rows(t); i++)
		n += report_is_of(t, i, of);
	return n;
}

/* ---- the items of the summary */

/* Begin an item. */
static void item(report *r, report_page *to, const char *what, const char *of)
{
	page_begin(to, PAGE_ITEM);
	page_strong(to, "%s", what);
	if (of && r->traces.n > 1) {
		page_say(to, " in ");
		page_code(to, of);
	}
	page_say(to, ": ");
}

/* Does a process of the trace use this device?  If it is not known of any, all count. */
static bool is_used(const report *r, const char *of, const char *device, size_t n)
{
	const table *t = &r->part[REPORT_PROCESSES].rows;
	bool known = false;

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *used = report_is_of(t, i, of) ? table_named(t, i, "gpus")->t : NULL;
		known |= used != NULL;
		for (; used; used = strchr(used, ',') ? strchr(used, ',') + 1 : NULL)
			if (strncmp(used, device, n) == 0 && (!used[n] || used[n] == ','))
				return true;
	}
	return !known;
}

/* The name of a GPU that is used, or NULL. */
static const char *gpu_name(const report *r, size_t row)
{
	const table *t = &r->part[REPORT_FACTS].rows;
	const char *key = table_named(t, row, "key")->t, *device = key + 4,
		*dot = strncmp(key, "gpu.", 4) == 0 ? strchr(device, '.') : NULL;

	return dot && strcmp(dot, ".name") == 0 &&
		is_used(r, table_named(t, row, "trace")->t, device, (size_t)(dot - device)) ?
		table_named(t, row, "value")->t : NULL;
}

static void say_gpus(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_FACTS].rows;
	vec(const char *) names = { 0 };

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *name = report_is_of(t, i, of) ? gpu_name(r, i) : NULL;
		size_t k = 0;
		while (name && k < names.n && strcmp(names.v[k], name) != 0)
			k++;
		if (name && k == names.n)
			vec_push(&names, name);
	}
	for (size_t i = 0; i < names.n; i++) {
		page_say(to, i ? ", " : names.n > 1 ? " on different GPUs, " : " on ");
		page_code(to, names.v[i]);
	}
	vec_free(&names);
}

static void say_captured(report *r, report_page *to, const char *of)
{
	const char *ns = fact(r, of, "capture.duration_ns"), *version = fact(r, of, "nsys.version");
	size_t n = rows_of(&r->part[REPORT_PROCESSES].rows, of);

	item(r, to, "Captured", of);
	if (!of)
		page_say(to, "%zu traces, ", r->traces.n);
	page_say(to, "%zu process%s", n, n == 1 ? "" : "es");
	say_gpus(r, to, of);
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
		int64_t v = table_named(t, i, column)->i;
		if (!report_is_of(t, i, of) || v == TABLE_MISSING ||
		    (followed && table_named(t, i, "period_p50_ns")->i == TABLE_MISSING))
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
	extremes period = extremes_of(t, of, "period_p50_ns", true), longer = extremes_of(t, of, "period_p90_ns", true);
	bool followed = period.lo != TABLE_MISSING;
	extremes count = extremes_of(t, of, "count", followed), dur = extremes_of(t, of, "dur_p50_ns", followed);
	size_t n = 0, first = SIZE_MAX;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_is_of(t, i, of) && (!followed || table_named(t, i, "period_p50_ns")->i != TABLE_MISSING) &&
		    n++ == 0)
			first = i;
	item(r, to, "Steps", of);
	if (!report_has_steps(r, of)) {
		page_say(to, n ? "none were found; what follows is about the whole of %s." : "none; %s.",
			 n > 1 ? "each process" : n ? "the process" : report_no_steps(r));
		return;
	}
	page_say(to, "%lld", (long long)count.lo);
	page_say(to, count.hi != count.lo ? " to %lld × " : " × ", (long long)count.hi);
	page_code(to, table_named(t, first, "name")->t ? table_named(t, first, "name")->t : "-");
	page_say(to, n > 1 ? " in each of %zu processes" : "", n);
	page_say(to, followed ? ", median period " : ", median length ");
	say_times(to, followed ? period : dur);
	if (followed) {
		page_say(to, ", p90 ");
		say_times(to, longer);
	}
	page_say(to, ".");
}

/* What makes numbers untrustworthy, by the findings that explain it; all: of those about several traces at once. */
static size_t say_untrusted(report *r, report_page *to, const char *of, bool all)
{
	const table *t = &r->part[REPORT_FINDINGS].rows;
	size_t n = 0, rows = table_rows(t);
	const uint32_t *own = of ? report_rows_of(r, REPORT_FINDINGS, of, &rows) : NULL;

	for (size_t k = 0; k < rows; k++) {
		size_t i = own ? own[k] : k;
		const char *text = table_named(t, i, "finding")->t;
		if (strcmp(table_named(t, i, "severity")->t, "untrusted") != 0 ||
		    table_named(t, i, "recover_ns")->i != TABLE_MISSING || report_finding_of_several(r, i) != all)
			continue;
		if (!n++)
			item(r, to, "Careful", of);
		page_say(to, "%s%.*s", n > 1 ? ", " : "", (int)advise_title(r->advice, i), text);
	}
	if (n)
		page_say(to, "; see below.");
	return n;
}

/* The same by what the capture looks like, where there is no finding. */
static void say_suspicious(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_FACTS].rows;
	size_t n = 0, rows;
	const uint32_t *own = report_rows_of(r, REPORT_FACTS, of, &rows);

	for (size_t k = 0; k < rows; k++) {
		size_t i = own[k];
		if (strncmp(table_named(t, i, "key")->t, "suspicious.", 11) != 0)
			continue;
		if (!n++)
			item(r, to, "Careful", of);
		page_say(to, "%s%s", n > 1 ? "; " : "", table_named(t, i, "value")->t);
	}
	if (n)
		page_say(to, ".");
}

static void say_careful(report *r, report_page *to)
{
	say_untrusted(r, to, NULL, true);
	for (size_t i = 0; i < r->traces.n; i++)
		if (!say_untrusted(r, to, r->traces.v[i], false))
			say_suspicious(r, to, r->traces.v[i]);
}

/* Does an earlier row of these traces have the same key? */
static bool said_before(const table *t, size_t row, const char *of)
{
	for (size_t i = 0; i < row; i++)
		if (report_is_of(t, i, of) && strcmp(table_named(t, i, "key")->t, table_named(t, row, "key")->t) == 0)
			return true;
	return false;
}

static void say_missing(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_FACTS].rows;
	size_t n = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *key = table_named(t, i, "key")->t;
		if (!report_is_of(t, i, of) || strncmp(key, "missing.", 8) != 0 || said_before(t, i, of))
			continue;
		if (!n++)
			item(r, to, "Not captured", of);
		page_say(to, "%s%s (", n > 1 ? ", " : "", key + 8);
		page_code(to, table_named(t, i, "value")->t);
		page_say(to, ")");
	}
	page_say(to, n ? "." : "");
}

/* ---- the typical step */

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
		if (!report_same_window(t, i, split, row) || !matters(table_named(t, i, "idle_ns")->i, step))
			continue;
		page_say(to, "%s%s %.1f %%", before, table_named(t, i, "cause")->t,
			share(table_named(t, i, "idle_ns")->i, step));
		before = ", ";
	}
	page_say(to, *before == ',' ? ")" : "");
}

/* What the idle time by cause does not tell: how much of it follows a wait, whatever the CPU does then. */
static void say_synced(report *r, report_page *to, size_t row, int64_t step)
{
	const table *t = &r->part[REPORT_LEDGER].rows, *split = &r->part[REPORT_SPLIT].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_same_window(t, i, split, row) && strcmp(table_named(t, i, "owner")->t, "sync") == 0 &&
		    matters(table_named(t, i, "dur_ns")->i, step))
			page_say(to, "; %.1f %% of the step is idle because the CPU had waited for the GPU (sync)",
				share(table_named(t, i, "dur_ns")->i, step));
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
	const uint32_t *rows = report_rows_of(r, REPORT_TYPICAL, table_named(split, row, "trace")->t, &n);

	for (size_t i = 0; i < n; i++)
		if (table_named(t, rows[i], "start_ns")->i == table_named(split, row, "start_ns")->i &&
		    table_named(t, rows[i], "pid")->i == table_named(split, row, "pid")->i)
			return window_rule(t, rows[i]) != STEPS_PROCESS;
	return false;
}

/* Is a row of REPORT_SPLIT about a process that lost events? */
static bool has_lost(report *r, size_t row)
{
	const table *found = &r->part[REPORT_FINDINGS].rows, *split = &r->part[REPORT_SPLIT].rows;
	size_t n;
	const uint32_t *rows = report_rows_of(r, REPORT_FINDINGS, table_named(split, row, "trace")->t, &n);

	for (size_t i = 0; i < n; i++)
		if (table_named(found, rows[i], "pid")->i == table_named(split, row, "pid")->i &&
		    strcmp(table_named(found, rows[i], "kind")->t, "lost") == 0)
			return true;
	return false;
}

/* The longest of the typical steps of a trace; a process that lost events is taken if all have. */
static void say_typical(report *r, report_page *to, const char *of)
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
		int64_t ns = table_named(t, i, "end_ns")->i - table_named(t, i, "start_ns")->i;
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
	item(r, to, has_steps ? "A typical step" : n > 1 ? "The longest process" : "The whole process", of);
	page_say(to, "%s in %s", page_time(to, step), page_who(to, t, row));
	if (table_named(t, row, "window")->t) {
		page_say(to, " (");
		page_code(to, short_name(to, table_named(t, row, "window")->t));
		page_say(to, ")");
	}
	page_say(to, ": ");
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		if (matters(table_named(t, row, parts[i].column)->i, step))
			page_say(to, "%.1f %% %s, ", share(table_named(t, row, parts[i].column)->i, step),
				parts[i].words);
	page_say(to, "%.1f %% idle", share(table_named(t, row, "idle_ns")->i, step));
	say_idle(r, to, row, step);
	say_synced(r, to, row, step);
}

/* How much of the GPU time is in ranges: all of it but that of the row without a name. */
static void say_coverage(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_RANGES].rows;
	int64_t all = 0, none = 0;
	double in;

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = table_named(t, i, "gpu_ns")->i;
		if (!report_is_of(t, i, of) || ns == TABLE_MISSING)
			continue;
		all = ns_add(all, ns);
		none = ns_add(none, !table_named(t, i, "count")->i && !table_named(t, i, "name")->t ? ns : 0);
	}
	in = share(all - none, all);
	if (!all)
		return;
	item(r, to, in < (double)r->p->warn_below ? "Warning, annotation" : "Annotation", of);
	page_say(to, "%.1f %% of the GPU time was launched inside NVTX ranges%s.", in,
		 in < (double)r->p->warn_below ?
			arena_printf(&to->texts, ", less than %lld %%; annotate more", (long long)r->p->warn_below) :
			"");
}

/* ---- all of it */

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
	page_say(to, "Each table shows the first rows that the command above it prints, with times in nanoseconds on "
		"the clock of the trace. Made by nsq %s with ", NSQ_VERSION);
	page_command(to, report_own_command(r));
}

/* What there is to say of a trace, or of all together. */
static void say_all(report *r, report_page *to, const char *of)
{
	say_captured(r, to, of);
	if (r->part[REPORT_STEPS].there)
		say_steps(r, to, of);
	say_typical(r, to, of);
	say_coverage(r, to, of);
	say_missing(r, to, of);
}

void report_summary(report *r, report_page *to)
{
	bool detailed = r->traces.n <= IN_DETAIL;
	size_t n;
	const char *const *verdicts = advise_sentences(r->advice, &n);

	title(r, to);
	say_careful(r, to);
	for (size_t i = 0; i < n; i++) {
		item(r, to, "Verdict", NULL);
		page_say(to, "%s.", verdicts[i]);
	}
	for (size_t i = 0; detailed && i < r->traces.n; i++)
		say_all(r, to, r->traces.v[i]);
	if (!detailed)
		say_all(r, to, NULL);
	if (r->traces.n != 2)
		return;
	page_begin(to, PAGE_ITEM);
	page_strong(to, "What differs");
	page_say(to, " between the two, and whether that may be chance: ");
	page_command(to, report_diff_command(r));
}
