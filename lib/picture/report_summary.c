#include "picture/report_page.h"
#include "picture/report_steps.h"

#include <string.h>

enum { IN_DETAIL = 3 };         /* of more traces what is said is about all together */

/* ---- facts of a trace */

static const char *fact(const report *r, const char *of, const char *key)
{
	const table *t = &r->part[REPORT_FACTS].rows;

	for (size_t i = 0; i < table_rows(t); i++)
		if (report_is_of(t, i, of) && strcmp(report_cell(t, i, "key")->t, key) == 0)
			return report_cell(t, i, "value")->t;
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

/* Does a process of the trace use this device?  If it is not known of any, all count. */
static bool is_used(const report *r, const char *of, const char *device, size_t n)
{
	const table *t = &r->part[REPORT_PROCESSES].rows;
	bool known = false;

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *used = report_is_of(t, i, of) ? report_cell(t, i, "gpus")->t : NULL;
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
	const char *key = report_cell(t, row, "key")->t, *device = key + 4, *dot = strncmp(key, "gpu.", 4) == 0 ? strchr(device, '.') : NULL;

	return dot && strcmp(dot, ".name") == 0 && is_used(r, report_cell(t, row, "trace")->t, device, (size_t)(dot - device)) ?
		report_cell(t, row, "value")->t : NULL;
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

	report_item(r, to, "Captured", of);
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
		int64_t v = report_cell(t, i, column)->i;
		if (!report_is_of(t, i, of) || v == TABLE_MISSING || (followed && report_cell(t, i, "period_p50_ns")->i == TABLE_MISSING))
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
		if (report_is_of(t, i, of) && (!followed || report_cell(t, i, "period_p50_ns")->i != TABLE_MISSING) && n++ == 0)
			first = i;
	report_item(r, to, "Steps", of);
	if (!report_has_steps(r, of)) {
		page_say(to, n ? "none were found; what follows is about the whole of %s." : "none; %s.",
			 n > 1 ? "each process" : n ? "the process" : report_no_steps(r));
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

/* What makes numbers untrustworthy, by the findings that explain it; all: of those about several traces at once. */
static size_t say_untrusted(report *r, report_page *to, const char *of, bool all)
{
	const table *t = &r->part[REPORT_FINDINGS].rows;
	size_t n = 0, rows = table_rows(t);
	const uint32_t *own = of ? report_rows_of(r, REPORT_FINDINGS, of, &rows) : NULL;

	for (size_t k = 0; k < rows; k++) {
		size_t i = own ? own[k] : k;
		const char *text = report_cell(t, i, "finding")->t;
		if (strcmp(report_cell(t, i, "severity")->t, "untrusted") != 0 ||
		    report_cell(t, i, "recover_ns")->i != TABLE_MISSING || report_finding_of_several(r, i) != all)
			continue;
		if (!n++)
			report_item(r, to, "Careful", of);
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
		if (strncmp(report_cell(t, i, "key")->t, "suspicious.", 11) != 0)
			continue;
		if (!n++)
			report_item(r, to, "Careful", of);
		page_say(to, "%s%s", n > 1 ? "; " : "", report_cell(t, i, "value")->t);
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
		if (report_is_of(t, i, of) && strcmp(report_cell(t, i, "key")->t, report_cell(t, row, "key")->t) == 0)
			return true;
	return false;
}

static void say_missing(report *r, report_page *to, const char *of)
{
	const table *t = &r->part[REPORT_FACTS].rows;
	size_t n = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		const char *key = report_cell(t, i, "key")->t;
		if (!report_is_of(t, i, of) || strncmp(key, "missing.", 8) != 0 || said_before(t, i, of))
			continue;
		if (!n++)
			report_item(r, to, "Not captured", of);
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
	page_say(to, "Each table shows the first rows that the command above it prints, with times in nanoseconds on the clock of the trace. Made by nsq %s with ",
		 NSQ_VERSION);
	page_command(to, report_own_command(r));
}

/* What there is to say of a trace, or of all together. */
static void say_all(report *r, report_page *to, const char *of)
{
	say_captured(r, to, of);
	if (r->part[REPORT_STEPS].there)
		say_steps(r, to, of);
	report_typical(r, to, of);
	report_coverage(r, to, of);
	say_missing(r, to, of);
}

void report_summary(report *r, report_page *to)
{
	bool detailed = r->traces.n <= IN_DETAIL;

	title(r, to);
	say_careful(r, to);
	if (advise_sentence(r->advice)) {
		report_item(r, to, "Verdict", NULL);
		page_say(to, "%s.", advise_sentence(r->advice));
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
