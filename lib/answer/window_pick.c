/* The choice of the steps to show: window_finish and window_read_picks of answer/window.h.  The candidates of a group
 * are the ranges that --steady and --skip keep: those from steady.first to steady.end - 1. */
#include "answer/window_columns.h"
#include "base/number.h"

#include <string.h>

/* The words of --pick, in the order of enum window_pick_kind. */
static const char *const words[] = { "median", "middle", "first", "last", "longest", "shortest", "all" };

/* Read an index or a number, or several as A..B, as one more item of --pick.  False: the text is not valid. */
static bool window_pick_read_index(const char *s, size_t len, enum window_pick_kind which, window_params *p)
{
	const char *dots = memmem(s, len, "..", 2);
	size_t n = dots ? (size_t)(dots - s) : len;
	int64_t unit, lo, hi;

	if (!n || strspn(s, "0123456789") < n || !number_time(s, n, 1, &unit, &lo))
		return false;
	hi = lo;
	if (dots && (n + 2 == len || strspn(dots + 2, "0123456789") < len - n - 2 ||
		     !number_time(dots + 2, len - n - 2, 1, &unit, &hi) || hi < lo))
		return false;
	p->pick[p->npicks].which = which;
	p->pick[p->npicks].lo = lo;
	p->pick[p->npicks++].hi = hi;
	return true;
}

static bool window_pick_read_item(const char *s, size_t len, window_params *p)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == len && strncmp(s, words[i], len) == 0) {
			p->pick[p->npicks++].which = (enum window_pick_kind)i;
			return true;
		}
	if (len > 5 && strncmp(s, "step:", 5) == 0)
		return window_pick_read_index(s + 5, len - 5, WINDOW_STEP, p);
	return window_pick_read_index(s, len, WINDOW_INDEX, p);
}

bool window_read_picks(const char *text, window_params *p)
{
	p->npicks = 0;
	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ",");
		if (p->npicks == WINDOW_PICKS || !window_pick_read_item(s, len, p))
			return false;
		s += len;
		if (!*s)
			return true;
	}
}

static int64_t window_pick_read_cell(const window_group *r, size_t i, int id)
{
	return table_value(r->t, r->first + i, id)->i;
}

/* The candidate with the longest or shortest time in column `id`; if several are equal, the first. r->n: no candidate
 * has a time there. */
static size_t window_pick_find_extreme_of(const window_group *r, int id, bool longest)
{
	size_t at = r->n;

	for (size_t i = r->steady.first; i < r->steady.end; i++) {
		int64_t ns = window_pick_read_cell(r, i, id);
		if (ns == TABLE_MISSING)
			continue;
		if (at == r->n ||
		    (longest ? ns > window_pick_read_cell(r, at, id) : ns < window_pick_read_cell(r, at, id)))
			at = i;
	}
	return at;
}

/* The candidate with the longest or shortest period.  If none has a period, the candidate with the longest or shortest
 * length; but with --period, which needs periods, r->n. */
static size_t window_pick_find_extreme(const window_group *r, bool longest)
{
	size_t at = window_pick_find_extreme_of(r, PERIOD_NS, longest);

	return at < r->n || r->p->period ? at : window_pick_find_extreme_of(r, DUR_NS, longest);
}

typedef struct {
	const window_params *p;
	const table *t;
	const window_group *groups;
	bool *keep;             /* for each row of t: is it kept? */
	const int64_t *length;  /* for each row of t: the length of its range, without the time up to the next one
				 * that --period adds */
	notes *say;
	bool found;             /* was an index or a number of --pick found in any process? */
	bool sought;            /* was one looked for? */
} window_pick_ctx;

/* The process of a group as messages show it.  A cell of column pid packs two numbers (TABLE_SUBS, table.h). */
static const char *window_pick_pid_of(const window_group *r, char buf[NUMBER_PID_SIZE])
{
	int64_t v = window_pick_read_cell(r, 0, COL_PID);

	return number_pid_text(v / TABLE_SUBS, v % TABLE_SUBS - 1, buf);
}

/* Keep the candidates among the ranges with the indices lo to hi. */
static void window_pick_keep_span(window_pick_ctx *k, const window_group *r, size_t lo, size_t hi)
{
	size_t from = lo > r->steady.first ? lo : r->steady.first, to = hi < r->steady.end ? hi + 1 : r->steady.end;

	for (size_t i = from; i < to; i++)
		k->keep[r->first + i] = true;
}

static void window_pick_keep_one(window_pick_ctx *k, const window_group *r, size_t at)
{
	window_pick_keep_span(k, r, at, at);
}

/* The range in the middle of all or, if that is no candidate, the candidate nearest to it. */
static size_t window_pick_find_middle(const window_group *r)
{
	size_t at = r->n / 2;

	return at < r->steady.first ? r->steady.first : at < r->steady.end ? at : r->steady.end - 1;
}

/* Keep the candidates with the numbers lo to hi.  Mention it if some steps with these numbers are left out as not
 * steady.  Numbers rise with the index. */
static void window_pick_keep_numbers(window_pick_ctx *k, const window_group *r, int64_t lo, int64_t hi)
{
	size_t from = 0, to;

	k->sought = true;
	while (from < r->n && window_pick_read_cell(r, from, NUMBER) < lo)
		from++;
	for (to = from; to < r->n && window_pick_read_cell(r, to, NUMBER) <= hi; to++)
		k->found = true;
	if (window_keeps_only_steady(k->p) && from < to && (from < r->steady.first || to > r->steady.end))
		notes_remark(k->say, "process %s in '%s': step %lld is not steady; --skip 0 keeps it",
			     window_pick_pid_of(r, (char[NUMBER_PID_SIZE]){ 0 }),
			     window_text(r->t, r->first, COL_TRACE),
			     (long long)window_pick_read_cell(r, from < r->steady.first ? from : to - 1, NUMBER));
	if (from < to)
		window_pick_keep_span(k, r, from, to - 1);
}

/* Keep the candidates with the indices lo to hi.  Mention it if some of these indices do not exist, or are left out as
 * not steady. */
static void window_pick_keep_indices(window_pick_ctx *k, const window_group *r, int64_t lo, int64_t hi)
{
	const char *pid = window_pick_pid_of(r, (char[NUMBER_PID_SIZE]){ 0 }),
		   *path = window_text(r->t, r->first, COL_TRACE);

	k->sought = true;
	k->found |= lo < (int64_t)r->n;
	if (hi >= (int64_t)r->n)
		notes_remark(k->say, "process %s in '%s' has only %zu such ranges, so '--pick %lld' finds nothing",
			     pid, path, r->n, (long long)hi);
	else if (window_keeps_only_steady(k->p) && (lo < (int64_t)r->steady.first || hi >= (int64_t)r->steady.end))
		notes_remark(k->say, "process %s in '%s': '--pick %lld' is not steady, %zu to %zu are; --skip 0 "
			     "keeps all", pid, path, (long long)(lo < (int64_t)r->steady.first ? lo : hi),
			     r->steady.first, r->steady.end - 1);
	window_pick_keep_span(k, r, (size_t)lo, (size_t)hi);
}

/* Keep the candidates of one group that one item of --pick chooses: by a word, by index or by number. */
static void window_pick_keep_item(window_pick_ctx *k, const window_group *r, enum window_pick_kind which, int64_t lo,
				  int64_t hi)
{
	if (r->steady.first >= r->steady.end && which < WINDOW_INDEX)
		return;
	switch (which) {
	case WINDOW_MEDIAN: window_pick_keep_one(k, r, r->steady.typical); break;
	case WINDOW_MIDDLE: window_pick_keep_one(k, r, window_pick_find_middle(r)); break;
	case WINDOW_FIRST: window_pick_keep_one(k, r, r->steady.first); break;
	case WINDOW_LAST: window_pick_keep_one(k, r, r->steady.end - 1); break;
	case WINDOW_LONGEST: window_pick_keep_one(k, r, window_pick_find_extreme(r, true)); break;
	case WINDOW_SHORTEST: window_pick_keep_one(k, r, window_pick_find_extreme(r, false)); break;
	case WINDOW_ALL: window_pick_keep_span(k, r, 0, r->n - 1); break;
	case WINDOW_INDEX: window_pick_keep_indices(k, r, lo, hi); break;
	case WINDOW_STEP: window_pick_keep_numbers(k, r, lo, hi);
	}
}

static void window_pick_keep_in_group(window_pick_ctx *k, const window_group *r)
{
	bool chunk = window_rule_of_row(k->t, r->first) == STEPS_CHUNK;

	for (size_t i = 0; i < k->p->npicks; i++)
		window_pick_keep_item(k, r, k->p->pick[i].which, k->p->pick[i].lo, k->p->pick[i].hi);
	if (!k->p->npicks)
		window_pick_keep_item(k, r, chunk ? WINDOW_MIDDLE : WINDOW_MEDIAN, 0, 0);
}

/* With --period, mention windows that are over three times as long as the typical period although their ranges are not,
 * for example because they last until the next request. */
static void window_pick_say_long(const window_pick_ctx *k)
{
	enum { FEW = 5, FAR = 3 };
	size_t far = 0, all = 0;

	for (size_t g = 0; g < k->t->groups.n; g++) {
		const window_group *r = &k->groups[g];
		int64_t median = r->steady.typical < r->n ? window_pick_read_cell(r, r->steady.typical, PERIOD_NS) :
							    TABLE_MISSING;
		for (size_t i = 0; i < r->n && median != TABLE_MISSING; i++) {
			int64_t period = window_pick_read_cell(r, i, PERIOD_NS);
			bool kept = k->keep[r->first + i] && period != TABLE_MISSING;
			all += kept;
			far += kept && r->n >= FEW && period / FAR > median && k->length[r->first + i] / FAR <= median;
		}
	}
	if (far)
		notes_remark(k->say, "%zu of %zu periods are over three times the typical one, so they hold more "
			     "than a step", far, all);
}

/* With --period, leave out ranges without a period, and mention how many.  Without --period, say so if the windows miss
 * much of the time up to the next step.  Also mention ranges that launched no work, because these show CPU times. */
static void window_pick_keep_with_period(window_pick_ctx *k, const table *t)
{
	size_t workless = 0, endless = 0, kept = 0;
	double between = 0, periods = 0;        /* sums over the kept ranges that have a period, ns: of the part of
						 * the period after the range, and of the whole period */

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t period = table_value(t, i, PERIOD_NS)->i;
		bool whole = window_rule_of_row(t, i) == STEPS_PROCESS;
		if (!k->keep[i])
			continue;
		if (k->p->period && !whole && period == TABLE_MISSING) {
			k->keep[i] = false;
			endless++;
			continue;
		}
		kept++;
		between += period == TABLE_MISSING ? 0 : (double)period - (double)table_value(t, i, DUR_NS)->i;
		periods += period == TABLE_MISSING ? 0 : (double)period;
		workless += !k->p->cpu && !whole && table_value(t, i, WORK)->i == 0;
	}
	if (endless)
		notes_remark(k->say, "skipped %zu of %zu ranges: with --period a later range has to end it%s", endless,
			     endless + kept, kept || k->p->skip > 0 ? "" : "; drop --period");
	if (!k->p->period && !k->p->choice.match && 4 * between > periods)
		notes_remark(k->say, "these windows leave out %.0f %% of the time up to the next step; --period "
			     "includes it", 100 * between / periods);
	if (workless)
		notes_remark(k->say, "%zu of %zu ranges launched no work; their CPU times are shown (side cpu)",
			     workless, kept);
}

/* Replace the lengths of the ranges, which DUR_NS holds so far, by those of the windows, which are longer with
 * --period.  Returns an array with the range's length for each row; the caller frees it. */
static int64_t *window_pick_replace_lengths(table *rows)
{
	int64_t *length = mem_new(int64_t, table_rows(rows));

	for (size_t i = 0; i < table_rows(rows); i++) {
		length[i] = table_value(rows, i, DUR_NS)->i;
		table_change(rows, i, DUR_NS, table_value(rows, i, COL_END)->i - table_value(rows, i, COL_START)->i);
	}
	return length;
}

static bool window_pick_rows(const window_params *p, table *rows, notes *say)
{
	int64_t *length = window_pick_replace_lengths(rows);
	window_group *groups = window_group_rows(p, rows);
	window_pick_ctx k = { .p = p, .t = rows, .groups = groups, .keep = mem_new(bool, table_rows(rows)),
		.length = length, .say = say };

	for (size_t g = 0; g < rows->groups.n; g++)
		if (groups[g].n)
			window_pick_keep_in_group(&k, &groups[g]);
	window_say_left_out(groups, rows->groups.n, say);
	if (p->period)
		window_pick_say_long(&k);
	window_pick_keep_with_period(&k, rows);
	table_filter(rows, k.keep);
	mem_free(k.keep, length, groups);
	return !k.sought || k.found ||
		notes_problem(say, EXIT_WRONG, "no process has a range with the %s '%lld'; --pick all shows those "
			      "there are", p->pick[0].which == WINDOW_STEP ? "number" : "index",
			      (long long)p->pick[0].lo);
}

bool window_finish(const void *params, table *rows, notes *say)
{
	const window_params *p = params;
	bool ok;

	if (p->summaries)
		window_say_step_summaries(p->summaries, say);
	if (p->mode == WINDOW_STATS)
		window_turn_into_stats(p, rows, say);
	ok = p->mode != WINDOW_PICK || p->every || p->bins || window_pick_rows(p, rows, say);
	table_drop_last(rows, WINDOW_BUSY);
	return ok;
}
