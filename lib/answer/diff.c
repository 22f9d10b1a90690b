#include "answer/diff_parts.h"
#include "base/number.h"
#include "base/rank_test.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

#define COLUMNS(X) \
	X(N_BEFORE, "n_before", 'i', NULL, "number of samples before: windows, or traces if both sides have " \
	  "several") \
	X(N_AFTER, "n_after", 'i', NULL, "number of samples after") \
	X(BEFORE, "before", 'i', TABLE_UNIT, "median of the samples before; - if there is none") \
	X(AFTER, "after", 'i', TABLE_UNIT, "median of the samples after") \
	X(DELTA, "delta", 'i', TABLE_UNIT, "after - before") \
	X(DELTA_PCT, "delta_pct", 'd', "%", "delta as a share of before") \
	X(P_VALUE, "p_value", 'n', NULL, "probability that at least one row of the table would differ as clearly as " \
	  "this one by chance (two-sided Mann-Whitney U test, corrected for the number of rows by Holm)") \
	X(CHANGE, "change", 't', NULL, "slower or faster (more or less, if the compared column is no time); same; " \
	  "unsure: too few samples to tell; new or gone: only one side has it") \
	X(UNIT, TABLE_UNIT, 't', NULL, "unit of before, after and delta") \
	X(PROCESS, "process", 'i', NULL, "number of the process in its trace, in order of pids, from 0; only if " \
	  "processes have no rank") \
	X(PART, "part", 't', NULL, "for two traces: step, an owner of its time (nsq-ledger), exposed " \
	  "(communication) or launches; two tables have their own keys here")

enum { TABLE_IDS(COLUMNS) };
const table_col diff_all[] = { COLUMNS(TABLE_COL) DIFF_SPLIT_COLUMNS(TABLE_COL) { 0 } };

static void diff_add_own_column(table *out, int id, char type)
{
	table_col c = diff_all[id - COL_OWN];

	if (type)
		c.type = type;
	table_add(out, id, &c);
}

/* Add the columns that come before the keys.  type: the type of the compared values. */
static void diff_add_columns(table *out, char type)
{
	static const int places[] = { COL_PID, COL_RANK, COL_START, COL_END, COL_GPU };

	out->given_order = true;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		table_add_common(out, places[i]);
	for (int id = N_BEFORE; id <= UNIT; id++)
		diff_add_own_column(out, id, id >= BEFORE && id <= DELTA ? type : 0);
}

static void diff_end_columns(table *out)
{
	table_add_common(out, COL_WINDOW);
	table_add_common(out, COL_TRACE);
}

void diff_columns(table *out)
{
	diff_add_columns(out, 'i');
	diff_add_own_column(out, PROCESS, 0);
	diff_add_own_column(out, PART, 0);
	diff_end_columns(out);
}

typedef struct {                /* what is known of one key */
	diff_key_samples key;           /* its samples, v, are freed already */
	double median[DIFF_SIDES];      /* NaN if there is no sample */
	double least[DIFF_SIDES], most[DIFF_SIDES];     /* the smallest and the largest sample; NaN if there is none */
	double delta;           /* median[1] - median[0], where NaN counts as 0 */
	rank_test_key test;
} row;

typedef struct {
	const diff_params *p;
	const diff_plan *plan;
	row *v;
	size_t n;
} rows;

static row diff_measure_key(diff_samples *all, size_t key)
{
	row r = { .key = diff_samples_of(all, key) };

	for (int s = 0; s < DIFF_SIDES; s++) {
		r.median[s] = r.least[s] = r.most[s] = r.key.n[s] ? rank_test_median(r.key.v[s], r.key.n[s]) : NAN;
		for (size_t i = 0; i < r.key.n[s]; i++) {
			r.least[s] = fmin(r.least[s], r.key.v[s][i]);
			r.most[s] = fmax(r.most[s], r.key.v[s][i]);
		}
	}
	r.delta = (isnan(r.median[1]) ? 0 : r.median[1]) - (isnan(r.median[0]) ? 0 : r.median[0]);
	r.test.p = rank_test_p(r.key.v[0], r.key.n[0], r.key.v[1], r.key.n[1]);
	r.test.least = rank_test_least_p(r.key.n[0], r.key.n[1]);
	diff_key_samples_free(&r.key);
	return r;
}

/* Correct the p-values for the number of keys that have samples on both sides. */
static void diff_correct_p(rows *all)
{
	rank_test_key *keys = mem_new(rank_test_key, all->n);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (all->v[i].key.n[0] && all->v[i].key.n[1])
			keys[n++] = all->v[i].test;
	rank_test_holm(keys, n, all->p->alpha);
	for (size_t i = all->n; i-- > 0;)
		if (all->v[i].key.n[0] && all->v[i].key.n[1])
			all->v[i].test = keys[--n];
	free(keys);
}

/* A key is new or gone if one side has no samples of it, because it has no windows in which the key could be.  The key
 * is also new or gone if one side has such windows but no row with the key, and the median of the other side is not 0.
 * (If that median is 0, the key is missing or 0 in at least half of the other side's windows, and may be missing on
 * this side by chance.) */
static const char *diff_describe_change(const rows *all, const row *r)
{
	bool time = r->key.unit && strcmp(r->key.unit, "ns") == 0;
	double pct = 100 * r->delta / r->median[0];

	if (!r->key.n[0] || (!r->key.there[0] && r->median[1] != 0))
		return "new";
	if (!r->key.n[1] || (!r->key.there[1] && r->median[0] != 0))
		return "gone";
	if (!r->test.reachable)
		return "unsure";
	if (r->delta == 0 || fabs(pct) < all->p->min_pct || fabs(r->delta) < all->p->min ||
	    !(r->test.adjusted < all->p->alpha))
		return "same";
	return r->delta > 0 ? (time ? "slower" : "more") : time ? "faster" : "less";
}

static int diff_compare_deltas(uint32_t a, uint32_t b, const void *ctx)
{
	const rows *all = ctx;
	const row *x = &all->v[a], *y = &all->v[b];
	int c = -sort_3way(fabs(x->delta), fabs(y->delta));

	c = c ? c : sort_3way(x->key.rank, y->key.rank);
	c = c ? c : sort_3way(x->key.gpu, y->key.gpu);
	c = c ? c : sort_3way(x->key.n[0], y->key.n[0]);
	c = c ? c : sort_3way(x->key.n[1], y->key.n[1]);
	c = c ? c : sort_3way(x->median[0], y->median[0]);
	c = c ? c : sort_3way(x->delta, y->delta);
	c = c ? c : sort_3way(x->key.process, y->key.process);
	for (size_t i = 0; !c && i < all->plan->n; i++) {
		const char *s = x->key.name[i], *t = y->key.name[i];
		c = !s || !t ? (s != NULL) - (t != NULL) : strcmp(s, t);
	}
	return c;
}

/* Put a compared number into a cell of its type. */
static void diff_put_number(table *out, int id, double v, bool whole)
{
	char buf[32];

	if (isnan(v))
		return;
	snprintf(buf, sizeof buf, "%.15g", v);
	if (whole)
		table_int(out, id, (int64_t)v);
	else
		table_text(out, id, buf);
}

static void diff_put_row(const rows *all, const row *r, const char *change, table *out)
{
	char p[32];
	bool tested = r->key.n[0] && r->key.n[1];

	snprintf(p, sizeof p, "%.3g", r->test.adjusted);
	table_row(out);
	table_int(out, COL_RANK, r->key.rank);
	table_int(out, COL_GPU, r->key.gpu);
	if (r->key.hull.a <= r->key.hull.b) {
		table_int(out, COL_START, r->key.hull.a);
		table_int(out, COL_END, r->key.hull.b);
	}
	table_int(out, N_BEFORE, (int64_t)r->key.n[0]);
	table_int(out, N_AFTER, (int64_t)r->key.n[1]);
	diff_put_number(out, BEFORE, r->median[0], all->plan->whole);
	diff_put_number(out, AFTER, r->median[1], all->plan->whole);
	diff_put_number(out, DELTA, r->delta, all->plan->whole);
	table_num(out, DELTA_PCT, r->median[0] != 0 ? 100 * r->delta / fabs(r->median[0]) : NAN);
	table_text(out, P_VALUE, tested ? p : NULL);
	table_word(out, CHANGE, change);
	table_text(out, UNIT, r->key.unit);
	table_int(out, PROCESS, r->key.process);
	for (size_t i = 0; i < all->plan->n; i++)
		table_text(out, PART + 1 + (int)i, r->key.name[i]);
	table_text(out, COL_TRACE, r->key.trace);
}

static void diff_put_rows(rows *all, table *out)
{
	uint32_t *order = sort_order(all->n, diff_compare_deltas, all);

	for (size_t i = 0; i < all->n; i++) {
		const row *r = &all->v[order ? order[i] : i];
		diff_put_row(all, r, diff_describe_change(all, r), out);
	}
	table_group(out);
	free(order);
}

/* Say how many rows are unsure.  False, with a note: there is nothing to compare, because a side has no samples. */
static bool diff_check_samples(const rows *all, const read_table *const side[DIFF_SIDES], notes *say)
{
	size_t unsure = 0;

	for (int s = 0; s < DIFF_SIDES; s++) {
		bool any = false;
		for (size_t i = 0; i < all->n; i++)
			any |= all->v[i].key.n[s];
		if (!any) {
			notes_answer(say, "nothing to compare: %s has no number in the column '%s'", side[s]->name,
				     all->plan->measure);
			return false;
		}
	}
	for (size_t i = 0; i < all->n; i++)
		unsure += strcmp(diff_describe_change(all, &all->v[i]), "unsure") == 0;
	if (unsure)
		notes_remark(say, "%zu of %zu rows are unsure: too few windows; compare more windows, or fewer keys "
			     "(--by)", unsure, all->n);
	return true;
}

static const char *diff_format_range(arena *to, const row *r, int side)
{
	char least[NUMBER_MS_SIZE], most[NUMBER_MS_SIZE];

	if (!r->key.unit || strcmp(r->key.unit, "ns") != 0)
		return arena_printf(to, "%g to %g", r->least[side], r->most[side]);
	return arena_printf(to, "%s to %s ms", number_ms(r->least[side], least), number_ms(r->most[side], most));
}

/* Find the rows that seem contradictory: the median changed by 10 % or more, and the row still counts as same.  Explain
 * the one with the largest change, unless that is less than a tenth of the largest change of all rows. */
static void diff_say_far_but_same(const rows *all, notes *say)
{
	enum { FAR_PCT = 10 };
	const row *most = NULL;
	double largest = 0;
	arena texts = { 0 };
	const char *name = NULL;

	for (size_t i = 0; i < all->n; i++) {
		const row *r = &all->v[i];
		double pct = fabs(100 * r->delta / r->median[0]);
		largest = fmax(largest, fabs(r->delta));
		if (isfinite(pct) && pct >= fmax(FAR_PCT, all->p->min_pct) && fabs(r->delta) >= all->p->min &&
		    strcmp(diff_describe_change(all, r), "same") == 0 && (!most || fabs(r->delta) > fabs(most->delta)))
			most = r;
	}
	if (!most || fabs(most->delta) < largest / 10)
		return;
	for (size_t i = 0; i < all->plan->n && !name; i++)
		name = most->key.name[i];
	notes_remark(say, "'%s' differs by %+.0f %% but counts as same: windows overlap (%s before, %s after; p %.2g)",
		     name ? name : all->plan->measure, 100 * most->delta / most->median[0],
		     diff_format_range(&texts, most, 0), diff_format_range(&texts, most, 1), most->test.adjusted);
	arena_free(&texts);
}

/* ---- did all parts of the steps change alike? */

/* The part (column `part`) that a row is about, if its amount is a time; otherwise NULL. */
static const char *diff_name_time_part(const rows *all, const row *r)
{
	for (size_t i = 0; i < all->plan->n; i++)
		if (strcmp(all->plan->key[i].name, "part") == 0 && r->key.unit && strcmp(r->key.unit, "ns") == 0)
			return r->key.name[i];
	return NULL;
}

/* Is the part the time of an owner (step/owners.h)?  The parts `step` and `exposed` would count that time twice, and
 * `launches` is no time. */
static bool diff_is_owner_part(const char *part)
{
	return part && strcmp(part, "step") != 0 && strcmp(part, "exposed") != 0 && strcmp(part, "launches") != 0;
}

/* The time of a part on the side on which it is larger. */
static double diff_find_larger_median(const row *r)
{
	return fmax(isnan(r->median[0]) ? 0 : r->median[0], isnan(r->median[1]) ? 0 : r->median[1]);
}

/* The change of the rows about steps (one for each process), in percent of their sum on the side `before`.  NaN: one
 * of them is neither slower nor faster, or there are none.  *steps: the number of these rows. */
static double diff_measure_steps(const rows *all, size_t *steps)
{
	double sum = 0, delta = 0;

	*steps = 0;
	for (size_t i = 0; i < all->n; i++) {
		const row *r = &all->v[i];
		const char *part = diff_name_time_part(all, r), *change = diff_describe_change(all, r);
		if (!part || strcmp(part, "step") != 0)
			continue;
		if (strcmp(change, "slower") != 0 && strcmp(change, "faster") != 0)
			return NAN;
		++*steps;
		sum += r->median[0];
		delta += r->delta;
	}
	return *steps ? 100 * delta / sum : NAN;
}

/* Say that no part is to blame if parts with nine tenths of the time changed by about the same percentage as the steps.
 * At least three of these parts for each process must be large: a large part takes at least a hundredth of the time of
 * an average process.  A part that did not change at all is not one of them, however little the steps changed. */
static void diff_say_if_alike(const rows *all, notes *say)
{
	size_t steps, large = 0;
	double pct = diff_measure_steps(all, &steps), similar = fmin(1.5, fabs(pct) / 2), time = 0, alike = 0;

	for (size_t i = 0; i < all->n; i++)
		if (diff_is_owner_part(diff_name_time_part(all, &all->v[i])))
			time += diff_find_larger_median(&all->v[i]);
	for (size_t i = 0; i < all->n; i++) {
		const row *r = &all->v[i];
		if (!diff_is_owner_part(diff_name_time_part(all, r)) ||
		    !(fabs(100 * r->delta / r->median[0] - pct) <= similar))
			continue;
		alike += diff_find_larger_median(r);
		large += diff_find_larger_median(r) * (double)steps >= 0.01 * time;
	}
	if (!isnan(pct) && alike >= 0.9 * time && large >= 3 * steps)
		notes_remark(say, "all parts changed by about %+.0f %%, as if clocks or machines differ; repeat the "
			     "runs first", pct);
}

bool diff_answer(const read_table *before, const read_table *after, const diff_params *p, table *out, notes *say)
{
	const read_table *const side[DIFF_SIDES] = { before, after };
	diff_plan plan;
	diff_samples *samples;
	rows all = { .p = p, .plan = &plan };

	if (!diff_plan_make(side, p, &plan, say))
		return false;
	samples = diff_samples_build(side, &plan, say);
	all.v = mem_new(row, diff_samples_count_keys(samples));
	for (; all.n < diff_samples_count_keys(samples); all.n++)
		all.v[all.n] = diff_measure_key(samples, all.n);
	diff_correct_p(&all);
	diff_add_columns(out, plan.whole ? 'i' : 'n');
	if (diff_samples_are_by_process(samples))
		diff_add_own_column(out, PROCESS, 0);
	for (size_t i = 0; i < plan.n; i++)
		table_add(out, PART + 1 + (int)i, &(table_col){ plan.key[i].name, 't', NULL, NULL });
	diff_end_columns(out);
	if (diff_check_samples(&all, side, say)) {
		diff_say_far_but_same(&all, say);
		diff_say_if_alike(&all, say);
		diff_put_rows(&all, out);
	}
	free(all.v);
	diff_samples_free(samples);
	return true;
}
