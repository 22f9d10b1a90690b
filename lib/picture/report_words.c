#include "picture/report_parts.h"
#include "base/text.h"
#include "step/owners.h"
#include "table/format.h"

#include <ctype.h>
#include <string.h>

enum { IN_DETAIL = 3 };         /* with at most this many traces, each has sentences of its own; with more, the
				 * sentences are about all of them */
enum {
	FINDINGS_MOST = 8,      /* the most findings in the page */
	PLACES_MOST = 6         /* the most places of a finding */
};

static double report_words_find_share(int64_t part, int64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* Write " in `trace`" if there are several traces.  path: the path of the trace; NULL: nothing is written. */
static void report_words_say_trace(report *r, const char *path, FILE *to)
{
	if (!path || r->traces.n < 2)
		return;
	fputs(" in ", to);
	md_name(to, report_shorten(r, path), false);
}

/* ---- the top of the page */

static void report_words_say_traces(report *r, FILE *to)
{
	for (size_t i = 0; i < r->traces.n && i < 4; i++) {
		fputs(i ? ", " : "", to);
		md_name(to, text_base(r->traces.v[i]), false);
	}
	if (r->traces.n > 4)
		fprintf(to, " and %zu more", r->traces.n - 4);
}

/* For each trace that is a slice, write that steps and sums are about the windows that it holds. */
static void report_words_say_slices(report *r, FILE *to)
{
	const table *facts = report_rows(r, "facts");

	for (size_t i = 0; i < table_rows(facts); i++) {
		if (strcmp(table_find(facts, i, "key")->t, "table.NSQ_SLICE") != 0)
			continue;
		md_name(to, report_shorten(r, table_find(facts, i, "trace")->t), false);
		fputs(" **is a slice**: it holds what happened in the windows that it was cut for, and little else. "
			"Steps and sums are about what is left.\n\n", to);
	}
}

static void report_words_say_verdict(report *r, FILE *to)
{
	size_t n;
	const char *const *all = advise_sentences(r->advice, true, &n);

	for (size_t i = 0; i < n; i++) {
		char *text = arena_copy(&r->texts, report_shorten(r, all[i]));
		*text = (char)toupper((unsigned char)*text);
		for (char *at = text + 1; (at = strstr(at, "pu-bound: ")); at++) {      /* "cpu-bound" becomes
											 * "CPU-bound", and
											 * "gpu-bound" "GPU-bound" */
			at[-1] = (char)toupper((unsigned char)at[-1]);
			memcpy(at, "PU", 2);
		}
		fputs(i ? "\n\n**" : "**", to);
		md_textf(to, "%s.", text);
		fputs("**", to);
	}
}

/* Write the reasons not to trust the numbers: findings of the severity `untrusted` or, without them, suspicious
 * facts. */
static void report_words_say_careful(report *r, FILE *to)
{
	const table *t = report_rows(r, "findings"), *facts = report_rows(r, "facts");
	const char *before = "**Careful**: ";
	size_t warnings = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		if (strcmp(table_find(t, i, "severity")->t, "untrusted") != 0)
			continue;
		fputs(before, to);
		before = ", ";
		md_textf(to, "%.*s", (int)advise_about_row(r->advice, i)->title, table_find(t, i, "finding")->t);
		if (advise_about_row(r->advice, i)->across || table_rows(report_rows(r, "processes")) < 2)
			continue;
		fputs(" (", to);
		report_write_process(r, t, i, to);
		fputs(")", to);
	}
	if (*before == ',') {
		fputs("; see below.", to);
		return;
	}
	for (size_t i = 0; i < table_rows(facts); i++) {
		const char *key = table_find(facts, i, "key")->t;
		warnings += strcmp(key, "suspicious.diagnostic") == 0;
		if (strncmp(key, "suspicious.", 11) != 0 || strcmp(key, "suspicious.diagnostic") == 0)
			continue;
		fputs(before, to);
		before = "; ";
		md_text(to, table_find(facts, i, "value")->t);
		report_words_say_trace(r, table_find(facts, i, "trace")->t, to);
	}
	fputs(*before == ';' ? "." : "", to);
	if (warnings)
		fprintf(to, "%snsys gives %zu warning%s: `suspicious.diagnostic` in `tables/facts.csv`.",
			*before == ';' ? " " : "", warnings, warnings == 1 ? "" : "s");
}

/* ---- the typical step */

/* Write the shares of a typical step.  row: its row in `typical`; step: its length, ns. */
static void report_words_say_split(report *r, size_t row, int64_t step, FILE *to)
{
	static const struct {
		const char *column, *words;
	} parts[] = { { "compute_only_ns", "computation" }, { "both_ns", "computation and communication at once" },
		{ "comm_only_ns", "communication alone" }, { "copy_only_ns", "copies alone" },
		{ "idle_ns", "idle" } };
	const table *t = report_rows(r, "typical_step_split");
	size_t i = 0;
	const char *before = ": ";

	while (i < table_rows(t) && !report_same_window(t, i, r->typical, row))
		i++;
	for (size_t c = 0; i < table_rows(t) && c < sizeof parts / sizeof *parts; c++) {
		double pct = report_words_find_share(table_find(t, i, parts[c].column)->i, step);
		if (pct < 0.05)
			continue;
		fprintf(to, "%s%.1f %% %s", before, pct, parts[c].words);
		before = ", ";
	}
}

/* Write the mean of the steady steps if it differs from the typical step by more than a tenth, because findings are
 * about means. */
static void report_words_say_mean(report *r, size_t row, int64_t step, FILE *to)
{
	const table *every = report_rows(r, "every_step"), *t = r->typical;
	int64_t sum = 0, n = 0;
	size_t process = 0;

	for (size_t i = 0; r->tiled && i < table_rows(every); i++) {
		int64_t ns = table_find(every, i, "period_ns")->i;
		if (table_find(every, i, "pid")->i != table_find(t, row, "pid")->i || ns == TABLE_MISSING ||
		    !report_is_of_trace(every, i, table_find(t, row, "trace")->t) || !report_is_steady(r, i, &process))
			continue;
		sum += ns;
		n++;
	}
	if (n && llabs(sum / n - step) > step / 10)
		fprintf(to, " The mean of these steps is **%s**; what findings save, and their shares, are means, too.",
			MD_TIME(sum / n));
}

/* Write how long the longest typical step of a trace is.  path: the path of the trace; NULL: all traces. */
static void report_words_say_step(report *r, const char *path, FILE *to)
{
	const table *t = r->typical, *all = report_rows(r, "steps");
	size_t row = report_find_longest_step(r, path), procs = 0;
	int64_t step, count = 0;
	const char *name = NULL;
	bool has_steps = report_has_steps(r, path);

	if (row == SIZE_MAX) {
		if (report_part_of(r, "steps")->there)
			md_textf(to, "There are no steps: %s.", report_why_no_steps(r));
		fputs("\n\n", to);
		return;
	}
	for (size_t i = 0; i < table_rows(all); i++)
		if (report_is_of_trace(all, i, path)) {
			procs++;
			if (table_find(all, i, "pid")->i == table_find(t, row, "pid")->i &&
			    report_is_of_trace(all, i, table_find(t, row, "trace")->t)) {
				count = table_find(all, i, "count")->i;
				name = table_find(all, i, "name")->t;
			}
		}
	step = table_find(t, row, "end_ns")->i - table_find(t, row, "start_ns")->i;
	fputs(has_steps ? "A typical step" : "No steps were found", to);
	report_words_say_trace(r, path, to);
	fprintf(to, "%s takes **%s** (", has_steps ? "" : ", so this is about a process as a whole. From its first to "
		"its last work on the GPU it", MD_TIME(step));
	if (path)
		fputs(report_describe_process(r, t, row), to);
	else
		report_write_process(r, t, row, to);
	fprintf(to, procs > 1 ? ", the longest of %zu" : "", procs);
	if (has_steps) {
		fprintf(to, count == 1 ? "; the only step, " : "; one of %lld steps, ", (long long)count);
		md_name(to, name ? name : "-", false);
	}
	fputs(")", to);
	report_words_say_split(r, row, step, to);
	fputs(".", to);
	if (has_steps)
		report_words_say_mean(r, row, step, to);
	fputs("\n\n", to);
}

static void report_words_say_steps(report *r, FILE *to)
{
	if (r->traces.n > IN_DETAIL)
		report_words_say_step(r, NULL, to);
	else
		for (size_t i = 0; i < r->traces.n; i++)
			report_words_say_step(r, r->traces.v[i], to);
	if (table_rows(report_rows(r, "typical_step_split")))
		report_write_folded(r, "", "", report_command(r, report_part_of(r, "typical_step_split")), to);
}

static void report_words_say_difference(report *r, FILE *to)
{
	const report_part *part = report_part_of(r, "difference");

	if (r->traces.n != 2)
		return;
	if (table_rows(&part->rows)) {
		fputs("What differs between the two. p is the probability of such a difference by chance:",
		      to);
		return;
	}
	fputs("What differs between the two cannot be said", to);
	md_textf(to, part->lacks ? ": %s" : "%s", part->lacks ? report_shorten(r, part->lacks) : "");
	fputs(".\n", to);
	report_write_folded(r, "", "", report_command(r, part), to);
}

/* Write a name, encoded for an address, as a pattern.  A # in the name stands for digits. */
static void report_words_say_address(const char *s, FILE *to)
{
	for (; *s; s++)
		if (*s == '#')
			fputs("%5B0-9%5D%2B", to);
		else
			fprintf(to, isalnum((unsigned char)*s) ? "%c" : strchr("\\^$.[]|()*+?{}", *s) ? "%%5C%%%02X" :
				"%%%02X", (unsigned char)*s);
}

/* Write a link to a step in the page of nsq-view, if there is such a page and this is the page of HTML.  step: its
 * time, on the clock of the trace of the row.  find: a name to look for in that page; or NULL.  words: the text of the
 * link. */
static void report_words_say_link(report *r, const table *t, size_t row, ival step, const char *find, const char *words,
				  FILE *to)
{
	size_t i = 0;

	if (!r->page || !r->page_only || step.a >= step.b)
		return;
	while (i < r->traces.n && !report_is_of_trace(t, row, r->traces.v[i]))
		i++;
	if (i == r->traces.n)
		return;                 /* the trace could not be loaded for the page */
	fprintf(to, " [%s](view.html#from=%lld&to=%lld", words, (long long)(step.a + r->ahead.v[i]),
		(long long)(step.b + r->ahead.v[i]));
	if (find) {
		fputs("&find=", to);
		report_words_say_address(find, to);
	}
	fputs(")", to);
}

static ival report_words_find_typical_time(const report *r, size_t row)
{
	return (ival){ table_find(r->typical, row, "start_ns")->i, table_find(r->typical, row, "end_ns")->i };
}

/* The time of the step to look at for a finding: the step that the finding names, otherwise the typical step of its
 * process; empty: there is none. */
static ival report_words_find_step(report *r, const table *t, size_t row)
{
	ival named = advise_about_row(r->advice, row)->step;

	for (size_t i = 0; named.a >= named.b && i < table_rows(r->typical); i++)
		if (table_find(r->typical, i, "pid")->i == table_find(t, row, "pid")->i &&
		    report_is_of_trace(r->typical, i, table_find(t, row, "trace")->t))
			return report_words_find_typical_time(r, i);
	return named;
}

static void report_words_say_drawn_step(report *r, FILE *to)
{
	const char *name;
	bool steps = report_has_steps(r, NULL);

	if (r->drawn == SIZE_MAX)
		return;
	name = table_find(r->typical, r->drawn, "name")->t;
	fputs("This is ", to);
	if (steps && name) {
		md_name(to, name, false);
		fputs(" of ", to);
	}
	report_write_process(r, r->typical, r->drawn, to);
	if (r->page_only && r->beside != SIZE_MAX) {
		fprintf(to, ", the longest of the %s, and below it ", steps ? "typical steps" : "processes");
		report_write_process(r, r->typical, r->beside, to);
		fprintf(to, ", which is %s.", report_describe_beside(r));
	} else {
		fprintf(to, steps ? ", which begins at %s." : " from its first work on the GPU, at %s, to its last.",
			MD_TIME(table_find(r->typical, r->drawn, "start_ns")->i));
	}
	report_words_say_link(r, r->typical, r->drawn, report_words_find_typical_time(r, r->drawn), NULL,
			      "Look at it closely in the timeline.", to);
}

/* ---- findings: rows with the same kind, title and advice become one finding, with a list of places */

static bool report_words_is_same_finding(report *r, const table *t, size_t a, size_t b)
{
	size_t n = advise_about_row(r->advice, a)->title;

	return n == advise_about_row(r->advice, b)->title &&
		strcmp(table_find(t, a, "kind")->t, table_find(t, b, "kind")->t) == 0 &&
		strncmp(table_find(t, a, "finding")->t, table_find(t, b, "finding")->t, n) == 0 &&
		strcmp(table_find(t, a, "advice")->t, table_find(t, b, "advice")->t) == 0;
}

static bool report_words_is_same_process(const table *t, size_t a, size_t b)
{
	return table_find(t, a, "pid")->i == table_find(t, b, "pid")->i &&
		report_is_of_trace(t, a, table_find(t, b, "trace")->t);
}

static void report_words_say_place(report *r, const table *t, size_t row, FILE *to)
{
	const char *where = table_find(t, row, "where")->t;

	if (where)
		md_name(to, where, false);
	else
		fputs("elsewhere", to);
	fputs(", ", to);
	report_write_process(r, t, row, to);
	if (table_find(t, row, "recover_ns")->i != TABLE_MISSING)
		fprintf(to, ": %s (%.1f %%)", MD_TIME(table_find(t, row, "recover_ns")->i),
			table_find(t, row, "recover_pct")->d);
}

typedef struct {
	size_t first;           /* its first row in the table of findings */
	size_t n;               /* the number of its rows */
	size_t most;            /* its row that would save most */
	int64_t ns;             /* the time that its rows save together if `one`, otherwise the time that `most`
				 * saves; 0: none */
	double pct;             /* `ns` as a percentage of a step */
	bool one;               /* are all its rows about one process? */
} finding;

static finding report_words_read_finding(report *r, const table *t, size_t first)
{
	finding f = { .first = first, .most = first, .one = true };

	for (size_t i = first; i < table_rows(t); i++) {
		int64_t ns = table_find(t, i, "recover_ns")->i;
		if (!report_words_is_same_finding(r, t, i, first))
			continue;
		f.n++;
		f.one &= report_words_is_same_process(t, i, first);
		if (ns == TABLE_MISSING)
			continue;
		f.ns += ns;
		f.pct += table_find(t, i, "recover_pct")->d;
		f.most = ns > table_find(t, f.most, "recover_ns")->i ? i : f.most;
	}
	if (!f.one && f.ns) {
		f.ns = table_find(t, f.most, "recover_ns")->i;
		f.pct = table_find(t, f.most, "recover_pct")->d;
	}
	return f;
}

static void report_words_say_finding(report *r, const table *t, finding f, FILE *to)
{
	const char *text = table_find(t, f.most, "finding")->t, *where = table_find(t, f.most, "where")->t;
	size_t title = advise_about_row(r->advice, f.most)->title, n = 0;

	fputs("**", to);
	md_textf(to, "%c%.*s", toupper((unsigned char)*text), (int)title - 1, text + 1);
	fputs("** (", to);
	md_name(to, table_find(t, f.most, "kind")->t, false);
	fputs(")", to);
	if (f.n == 1 && where) {
		fputs(" in ", to);
		md_name(to, where, false);
	}
	if (f.ns)
		fprintf(to, ": worth at most **%s** of %s (%.1f %%)", MD_TIME(f.ns),
			report_has_steps(r, table_find(t, f.most, "trace")->t) ? "a step" : "the run", f.pct);
	if (f.n > 1)
		fprintf(to, " %s %zu places", f.one || !f.ns ? "in" : "at the worst of", f.n);
	if (!advise_about_row(r->advice, f.most)->across) {
		fputs(", ", to);
		report_write_process(r, t, f.most, to);
	}
	fputs(". ", to);
	if (text[title])
		md_textf(to, "%c%s. ", toupper((unsigned char)text[title + 2]), text + title + 3);
	md_textf(to, "To do: %s.", table_find(t, f.most, "advice")->t);
	report_words_say_link(r, t, f.most, report_words_find_step(r, t, f.most), where, "Where it is in the timeline.",
			      to);
	fputs("\n", to);
	for (size_t i = f.first; f.n > 1 && i < table_rows(t); i++)
		if (report_words_is_same_finding(r, t, i, f.first) && n++ < PLACES_MOST) {
			fputs("   - ", to);
			report_words_say_place(r, t, i, to);
			fputs("\n", to);
		}
	if (n > PLACES_MOST)
		fprintf(to, "   - and %zu more\n", n - PLACES_MOST);
	report_write_folded(r, "   ", "", table_find(t, f.most, "evidence")->t, to);
}

/* Is there a suspicious fact about a capture? */
static bool report_words_is_suspicious(report *r)
{
	const table *t = report_rows(r, "facts");

	for (size_t i = 0; i < table_rows(t); i++)
		if (strncmp(table_find(t, i, "key")->t, "suspicious.", 11) == 0)
			return true;
	return false;
}

const char *report_why_no_findings(report *r)
{
	const report_part *part = report_part_of(r, "findings");

	if (!part->there)
		return part->lacks;
	if (!table_rows(r->typical))
		return arena_printf(&r->texts, "%s%s", report_why_no_steps(r),
			report_words_is_suspicious(r) ? ", and the capture cannot be trusted" : "");
	if (!advise_tables_of(r->advice)->units.n)
		return "no step is followed by another, so none could be looked at";
	return arena_printf(&r->texts, "nothing that was looked for is worth %d %% of %s or more", REPORT_MIN_PCT,
			    report_has_steps(r, NULL) ? "a step" : "the run");
}

static void report_words_say_findings(report *r, FILE *to)
{
	const report_part *part = report_part_of(r, "findings");
	const table *t = &part->rows;
	bool one = true, looked = part->there && table_rows(r->typical) && advise_tables_of(r->advice)->units.n;
	size_t n = 0, saving = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		size_t first = 0;
		while (!report_words_is_same_finding(r, t, first, i))
			first++;
		one &= report_words_is_same_process(t, i, 0);
		if (first == i && n++ < FINDINGS_MOST) {
			finding f = report_words_read_finding(r, t, i);
			saving += f.ns > 0;
			fprintf(to, "%zu. ", n);
			report_words_say_finding(r, t, f, to);
		}
	}
	if (n > FINDINGS_MOST)
		fprintf(to, "\nThese are %d of %zu findings.\n", FINDINGS_MOST, n);
	if (saving > 1)
		fprintf(to, "\nThese savings add up%s.\n",
			one ? "" : " in a process, but not across processes, which run at the same time");
	if (!n)
		md_textf(to, looked ? "%sNothing%s." : "%s: %s.", looked ? "" : "Nothing can be advised",
			looked ? report_why_no_findings(r) + strlen("nothing") : report_why_no_findings(r));
	fputs("\n", to);
	if (part->there)
		report_write_folded(r, "", "", report_command(r, part), to);
}

/* ---- the end of the page */

/* Say whether the processes differ.  If they do not, the page has no table of them, and this sentence stands for it. */
static void report_words_say_ranks(report *r, FILE *to)
{
	const table *t = report_rows(r, "verdict");
	size_t n = table_rows(t);

	if (n < 2)
		return;
	if (report_processes_differ(r)) {
		fputs("They differ. `CPU needs` is the time that the CPU works for itself, and `CPU waits` the time "
			"that it waits for the GPU.", to);
		return;
	}
	fprintf(to, "All %zu are alike: the same bounds them, and their times differ by less than 5 %% of a step.\n",
		n);
	report_write_folded(r, "", "", report_command(r, report_part_of(r, "verdict")), to);
}

/* List the notes that the tools would print on stderr, without the verdict, with which the page begins. */
static void report_words_list_notes(report *r, FILE *to)
{
	for (size_t i = 0; i < r->said.n; i++) {
		if (r->said.v[i].level == NOTE_ANSWER)
			continue;
		fputs("- ", to);
		md_text(to, report_shorten(r, r->said.v[i].text));
		fputs("\n", to);
	}
}

static void report_words_list_tables(report *r, FILE *to)
{
	fputs("All rows are in tables/NAME.csv and, with the commands, in report.json", to);
	for (size_t i = 0, n = 0; i < r->parts.n; i++)
		if (r->parts.v[i].there)
			fprintf(to, "%s`%s` (%zu)", n++ ? ", " : ": ", r->parts.v[i].name,
				table_rows(&r->parts.v[i].rows));
	fprintf(to, ". Moments are on the clock of the trace. Commands are for the folder of the traces. Made by nsq "
		"%s:\n", NSQ_VERSION);
	report_write_folded(r, "", "", report_own_command(r), to);
}

bool report_write_word(report *r, const char *name, size_t n, FILE *to)
{
	static const struct {
		const char *name;
		void (*say)(report *r, FILE *to);
	} words[] = {
		{ "traces", report_words_say_traces },
		{ "slices", report_words_say_slices },
		{ "verdict", report_words_say_verdict },
		{ "careful", report_words_say_careful },
		{ "steps", report_words_say_steps },
		{ "difference", report_words_say_difference },
		{ "findings", report_words_say_findings },
		{ "drawn_step", report_words_say_drawn_step },
		{ "ranks", report_words_say_ranks },
		{ "notes", report_words_list_notes },
		{ "tables", report_words_list_tables },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strncmp(words[i].name, name, n) == 0 && !words[i].name[n]) {
			words[i].say(r, to);
			return true;
		}
	return false;
}
