/* Which of the steps that were found are shown: window_pick of answer/window.h. */
#include "answer/window_columns.h"
#include "base/number.h"
#include "base/sort.h"

#include <string.h>

static const char *const words[] = { "median", "middle", "first", "last", "longest", "shortest", "all" };

/* An index, or a range of indices A..B. */
static bool read_index(const char *s, size_t len, window_params *p)
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
	p->pick[p->npicks].which = WINDOW_INDEX;
	p->pick[p->npicks].lo = lo;
	p->pick[p->npicks++].hi = hi;
	return true;
}

static bool read_pick(const char *s, size_t len, window_params *p)
{
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == len && strncmp(s, words[i], len) == 0) {
			p->pick[p->npicks++].which = (enum window_which)i;
			return true;
		}
	return read_index(s, len, p);
}

bool window_pick_named(const char *text, window_params *p)
{
	p->npicks = 0;
	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ",");
		if (p->npicks == WINDOW_PICKS || !read_pick(s, len, p))
			return false;
		s += len;
		if (!*s)
			return true;
	}
}

/* The rows of one process in one window. */
typedef struct {
	const table *t;
	const window_params *p;
	size_t first, n;
} ranges;

/* How many of the first are left out; of a process that has no steps, nothing is. */
static int64_t skipped(const ranges *r)
{
	const char *rule = table_value(r->t, r->first, RULE)->t;

	return strcmp(rule, "process") == 0 ? 0 : r->p->skip;
}

static int64_t cell(const ranges *r, size_t i, int id)
{
	return table_value(r->t, r->first + i, id)->i;
}

/* What the length of a range is, for median, longest and shortest: its period where any has one. */
static int64_t *lengths(const ranges *r, int id)
{
	int64_t *v = mem_new(int64_t, r->n);

	for (size_t i = 0; i < r->n; i++)
		v[i] = (int64_t)i < skipped(r) ? TABLE_MISSING : cell(r, i, id);
	return v;
}

static int by_value(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return sort_3way(v[a], v[b]);
}

/* The place of the lower median of those that are not missing; n: there is none. */
static size_t median(const int64_t *v, size_t n)
{
	uint32_t *order = mem_new(uint32_t, n);
	size_t have = 0, at;

	for (size_t i = 0; i < n; i++)
		if (v[i] != TABLE_MISSING)
			order[have++] = (uint32_t)i;
	sort_items(order, have, by_value, v);
	at = have ? order[(have - 1) / 2] : n;
	free(order);
	return at;
}

static size_t median_of(const ranges *r)
{
	int64_t *v = lengths(r, PERIOD_NS);
	size_t at = median(v, r->n);

	free(v);
	if (at == r->n) {
		v = lengths(r, DUR_NS);
		at = median(v, r->n);
		free(v);
	}
	return at;
}

/* The longest or shortest window, the first of equals. */
static size_t extreme(const ranges *r, bool longest)
{
	size_t at = r->n;

	for (size_t i = (size_t)skipped(r); i < r->n; i++) {
		int64_t ns = cell(r, i, DUR_NS);
		if (r->p->period && cell(r, i, PERIOD_NS) == TABLE_MISSING)
			continue;
		if (at == r->n || (longest ? ns > cell(r, at, DUR_NS) : ns < cell(r, at, DUR_NS)))
			at = i;
	}
	return at;
}

static ranges group_at(const window_params *p, const table *t, size_t g)
{
	size_t first = g ? t->groups.v[g - 1] : 0;

	return (ranges){ t, p, first, t->groups.v[g] - first };
}

static const char *text(const table *t, size_t row, int id)
{
	const char *s = table_value(t, row, id)->t;

	return s ? s : "-";
}

/* Is each process there once, all with equally many ranges?  Then one index serves all. */
static bool comparable(const window_params *p, const table *t)
{
	for (size_t g = 0; g < t->groups.n; g++) {
		ranges r = group_at(p, t, g);
		if (r.n != group_at(p, t, 0).n)
			return false;
		for (size_t k = 0; k < g; k++) {
			ranges q = group_at(p, t, k);
			if (cell(&q, 0, COL_PID) == cell(&r, 0, COL_PID) &&
			    strcmp(text(t, q.first, COL_TRACE), text(t, r.first, COL_TRACE)) == 0)
				return false;
		}
	}
	return t->groups.n > 1;
}

/* The index of the lower median of the periods summed over the processes, of ranges that have one in each; where there
 * is none, of the lengths. */
static size_t common_median(const window_params *p, const table *t)
{
	size_t n = group_at(p, t, 0).n, at = n;
	static const int ids[] = { PERIOD_NS, DUR_NS };

	for (int k = 0; k < 2 && at == n; k++) {
		int64_t *sum = mem_new(int64_t, n);
		for (size_t g = 0; g < t->groups.n; g++) {
			ranges r = group_at(p, t, g);
			int64_t *v = lengths(&r, ids[k]);
			for (size_t i = 0; i < n; i++)
				sum[i] = v[i] == TABLE_MISSING || sum[i] == TABLE_MISSING ? TABLE_MISSING : ns_add(sum[i], v[i]);
			free(v);
		}
		at = median(sum, n);
		free(sum);
	}
	return at;
}

typedef struct {
	const window_params *p;
	const table *t;
	bool *keep;             /* by row */
	size_t common;          /* the index that serves all processes, or SIZE_MAX */
	notes *say;
	bool any, tried;        /* was an index found; was one looked for? */
} picking;

static const char *pid_of(const ranges *r, char buf[NUMBER_PID_SIZE])
{
	int64_t v = cell(r, 0, COL_PID);

	return number_pid_text(v / TABLE_SUBS, v % TABLE_SUBS - 1, buf);
}

static void keep_range(picking *k, const ranges *r, int64_t lo, int64_t hi)
{
	for (int64_t i = lo > skipped(r) ? lo : skipped(r); i <= hi && i < (int64_t)r->n; i++)
		k->keep[r->first + (size_t)i] = true;
}

static void keep_one(picking *k, const ranges *r, size_t at)
{
	keep_range(k, r, (int64_t)at, (int64_t)at);
}

/* The ranges that one word or index of --pick names, of one process. */
static void pick(picking *k, const ranges *r, enum window_which which, int64_t lo, int64_t hi)
{
	switch (which) {
	case WINDOW_MEDIAN: keep_one(k, r, k->common != SIZE_MAX ? k->common : median_of(r)); break;
	case WINDOW_MIDDLE: keep_one(k, r, r->n / 2); break;
	case WINDOW_FIRST: keep_one(k, r, (size_t)skipped(r)); break;
	case WINDOW_LAST: keep_one(k, r, r->n - 1); break;
	case WINDOW_LONGEST: keep_one(k, r, extreme(r, true)); break;
	case WINDOW_SHORTEST: keep_one(k, r, extreme(r, false)); break;
	case WINDOW_ALL: keep_range(k, r, 0, (int64_t)r->n - 1); break;
	case WINDOW_INDEX:
		k->tried = true;
		k->any |= lo < (int64_t)r->n;
		if (hi >= (int64_t)r->n)
			notes_remark(k->say, "process %s in '%s' has only %zu such ranges, so '--pick %lld' finds nothing there",
				     pid_of(r, (char[NUMBER_PID_SIZE]){ 0 }), text(r->t, r->first, COL_TRACE), r->n, (long long)hi);
		keep_range(k, r, lo, hi);
	}
}

static void pick_group(picking *k, size_t g)
{
	ranges r = group_at(k->p, k->t, g);
	bool chunk = strcmp(text(k->t, r.first, RULE), "chunk") == 0;

	for (size_t i = 0; i < k->p->npicks; i++)
		pick(k, &r, k->p->pick[i].which, k->p->pick[i].lo, k->p->pick[i].hi);
	if (!k->p->npicks)
		pick(k, &r, chunk ? WINDOW_MIDDLE : WINDOW_MEDIAN, 0, 0);
}

/* Processes that --skip leaves nothing of. */
static void say_skipped(const picking *k)
{
	size_t gone = 0, most = 0;

	for (size_t g = 0; g < k->t->groups.n; g++) {
		ranges r = group_at(k->p, k->t, g);
		if (skipped(&r) < (int64_t)r.n)
			continue;
		gone++;
		most = r.n > most ? r.n : most;
	}
	if (gone)
		notes_remark(k->say, "--skip %lld leaves nothing of %zu of %zu processes or windows, which have at most %zu range%s",
			     (long long)k->p->skip, gone, k->t->groups.n, most, most == 1 ? "" : "s");
}

/* With --period, windows that hold far more than a range: what comes before the next request, for example. */
static void say_long(const picking *k)
{
	enum { FEW = 5, FAR = 3 };
	size_t far = 0, of = 0;

	for (size_t g = 0; g < k->t->groups.n; g++) {
		ranges r = group_at(k->p, k->t, g);
		int64_t *v = lengths(&r, PERIOD_NS);
		size_t at = median(v, r.n), here = 0;
		for (size_t i = 0; i < r.n && at < r.n; i++) {
			bool kept = k->keep[r.first + i] && v[i] != TABLE_MISSING;
			here += kept;
			far += kept && r.n >= FEW && v[i] / FAR > v[at];
		}
		of += here;
		free(v);
	}
	if (far)
		notes_remark(k->say, "%zu of %zu periods are over three times the median: they hold more than the range, such as what comes "
			     "before the next request; a second nsq-window inside the windows of a first leaves that out", far, of);
}

/* With --period a range without one is left out; ranges that launched nothing show their CPU times. */
static void say_of_rows(picking *k, const table *t)
{
	size_t workless = 0, endless = 0, kept = 0;

	for (size_t i = 0; i < table_rows(t); i++) {
		bool whole = strcmp(text(t, i, RULE), "process") == 0;
		if (!k->keep[i])
			continue;
		if (k->p->period && !whole && table_value(t, i, PERIOD_NS)->i == TABLE_MISSING) {
			k->keep[i] = false;
			endless++;
			continue;
		}
		kept++;
		workless += !k->p->cpu && !whole && table_value(t, i, WORK)->i == 0;
	}
	if (endless)
		notes_remark(k->say, "%zu of %zu ranges left out: with --period a range ends where a later one begins, and the last has "
			     "none%s", endless, endless + kept, kept || k->p->skip ? "" :
			     "; drop --period, or let -m match the later ones too and choose this one with --pick");
	if (workless)
		notes_remark(k->say, "%zu of %zu ranges launched no work; their CPU times are shown", workless, kept);
}

bool window_pick(const window_params *p, table *rows, notes *say)
{
	picking k = { .p = p, .t = rows, .keep = mem_new(bool, table_rows(rows)), .common = SIZE_MAX, .say = say };

	if (comparable(p, rows))
		k.common = common_median(p, rows);
	for (size_t g = 0; g < rows->groups.n; g++)
		pick_group(&k, g);
	say_skipped(&k);
	if (p->period)
		say_long(&k);
	say_of_rows(&k, rows);
	table_filter(rows, k.keep);
	free(k.keep);
	return !k.tried || k.any || notes_problem(say, EXIT_WRONG, "no process has a range number '%lld'; --pick all shows those "
						  "there are", (long long)p->pick[0].lo);
}
