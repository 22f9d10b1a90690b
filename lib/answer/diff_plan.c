#include "answer/diff_parts.h"
#include "base/suggest.h"
#include "table/column_about.h"

#include <string.h>

/* The columns that are usually compared.  If the user names none, the first one that both tables have is taken. */
static const char *const measures[] = {
	"period_ns", "dur_ns", "idle_ns", "exposed_ns", "gpu_ns", "total_ns", "elapsed_ns", "busy_ns", NULL
};

uint32_t diff_read_text(const read_table *in, size_t row, int col, str_pool *pool)
{
	table_cell c = table_at(&in->rows, row)[col];
	char buf[24];
	const char *s = c.t;

	if (in->rows.cols.v[col].type == 'i' || in->rows.cols.v[col].type == 'p') {
		snprintf(buf, sizeof buf, "%lld", (long long)c.i);
		s = c.i == TABLE_MISSING ? NULL : buf;
	}
	return s ? str_id(pool, s, strlen(s)) : STR_NONE;
}

static void diff_plan_find_column(const read_table *const side[DIFF_SIDES], const char *name, int at[DIFF_SIDES])
{
	for (int s = 0; s < DIFF_SIDES; s++)
		at[s] = name ? table_column(&side[s]->rows, name) : -1;
}

static bool diff_plan_is_in_both(const int at[DIFF_SIDES])
{
	return at[0] >= 0 && at[1] >= 0;
}

/* Report that a table lacks a column that an option names.  Always false. */
static bool diff_plan_say_absent(const read_table *const side[DIFF_SIDES], const int at[DIFF_SIDES], const char *option,
				 const char *name, notes *say)
{
	const read_table *in = side[at[0] >= 0];
	const char **known = mem_new(const char *, in->rows.cols.n);
	arena texts = { 0 };

	for (size_t i = 0; i < in->rows.cols.n; i++)
		known[i] = in->rows.cols.v[i].name;
	notes_problem(say, EXIT_WRONG, "'%s %s': %s has no such column%s its first line names those there are", option,
		      name, in->name, suggest_names(&texts, name, known, in->rows.cols.n));
	arena_free(&texts);
	free(known);
	return false;
}

static bool diff_plan_choose_measure(const read_table *const side[DIFF_SIDES], const char *of, diff_plan *plan,
				     notes *say)
{
	plan->measure = of;
	diff_plan_find_column(side, of, plan->measure_at);
	for (int i = 0; !of && measures[i] && !diff_plan_is_in_both(plan->measure_at); i++) {
		plan->measure = measures[i];
		diff_plan_find_column(side, measures[i], plan->measure_at);
	}
	if (of && !diff_plan_is_in_both(plan->measure_at))
		return diff_plan_say_absent(side, plan->measure_at, "--of", of, say);
	if (!diff_plan_is_in_both(plan->measure_at))
		return notes_problem(say, EXIT_WRONG, "%s and %s have no column in common that is usually compared; "
				     "choose one with --of COL", side[0]->name, side[1]->name);
	plan->whole = true;
	for (int s = 0; s < DIFF_SIDES; s++) {
		if (side[s]->rows.cols.v[plan->measure_at[s]].type == 't')
			return read_table_say_not_number(side[s], plan->measure_at[s], say);
		plan->whole &= side[s]->rows.cols.v[plan->measure_at[s]].type == 'i';
	}
	return true;
}

/* Do both sides have the same set of values in the column?  True if a side has no rows. */
static bool diff_plan_have_same_values(const read_table *const side[DIFF_SIDES], const int at[DIFF_SIDES])
{
	str_pool values = { 0 };
	vec(uint8_t) seen = { 0 };
	bool same = true;

	for (int s = 0; s < DIFF_SIDES; s++)
		for (size_t i = 0; i < table_rows(&side[s]->rows); i++) {
			uint32_t id = diff_read_text(side[s], i, at[s], &values);
			if (id == seen.n)
				vec_push(&seen, 0);
			if (id != STR_NONE)
				seen.v[id] |= (uint8_t)(1 << s);
		}
	for (size_t i = 0; i < seen.n && table_rows(&side[0]->rows) && table_rows(&side[1]->rows); i++)
		same &= seen.v[i] == 3;
	vec_free(&seen);
	str_free(&values);
	return same;
}

/* Add a column to the key.  False after a problem: the key has too many columns. */
static bool diff_plan_add_key(diff_plan *plan, const char *name, const int at[DIFF_SIDES], bool fold, notes *say)
{
	if (strcmp(name, "gpu") == 0) {
		plan->gpu = true;
		return true;
	}
	if (plan->n == DIFF_KEYS)
		return notes_problem(say, EXIT_WRONG, "'%s' would be column %d of the key, and a key has at most %d; "
				     "choose its columns with --by", name, DIFF_KEYS + 1, DIFF_KEYS);
	plan->key[plan->n++] = (diff_key){ name, { at[0], at[1] }, fold };
	return true;
}

/* Add the usual key columns (column_about.h, COLUMN_KEY) that both tables have.  Some columns are keys only beside a
 * certain other column (column_about.with), or only without one (column_about.unless).  False after a problem: only one
 * table has such a column, so the tables answer different questions, or they have too many. */
static bool diff_plan_add_usual_keys(const read_table *const side[DIFF_SIDES], diff_plan *plan, notes *say)
{
	plan->rank = plan->process = true;
	for (const column_about *k = column_about_known; k->name; k++) {
		int at[DIFF_SIDES], other[DIFF_SIDES], beside[DIFF_SIDES];
		diff_plan_find_column(side, k->name, at);
		diff_plan_find_column(side, k->unless, other);
		diff_plan_find_column(side, k->with, beside);
		if (k->role != COLUMN_KEY || (at[0] < 0 && at[1] < 0) || diff_plan_is_in_both(other) ||
		    (k->with && !diff_plan_is_in_both(beside)) ||
		    strcmp(k->name, plan->measure) == 0)
			continue;
		if (!diff_plan_is_in_both(at))
			return notes_problem(say, EXIT_WRONG, "%s has a column '%s' and %s has none: they come from "
					     "different questions; compare two tables of one tool and mode, or name "
					     "the keys with --by", side[at[0] < 0]->name, k->name,
					     side[at[0] >= 0]->name);
		if (k->is & COLUMN_HANDED_OUT && !diff_plan_have_same_values(side, at))
			notes_remark(say, "the numbers in column '%s' differ between the sides, so it is no key; "
				     "--by %s makes it one", k->name, k->name);
		else if (!diff_plan_add_key(plan, k->name, at, k->is & COLUMN_FOLDS, say))
			return false;
	}
	return true;
}

/* Add a key column that --by names.  False after a problem. */
static bool diff_plan_add_named_key(const read_table *const side[DIFF_SIDES], const char *name, diff_plan *plan,
				    notes *say)
{
	unsigned is = column_about_of(name)->is;
	int at[DIFF_SIDES];

	diff_plan_find_column(side, name, at);
	if (is & COLUMN_OF_RUN)
		return notes_problem(say, EXIT_WRONG, "'--by %s': no two runs have these in common; use rank, process "
				     "or a column that says what a row is about", name);
	if (strcmp(name, plan->measure) == 0)
		return notes_problem(say, EXIT_WRONG, "'--by %s': this is what is compared; choose another with --of",
				     name);
	for (const table_col *c = diff_all; strcmp(c->name, "process") != 0; c++)
		if (strcmp(name, c->name) == 0)
			return notes_problem(say, EXIT_WRONG, "'--by %s': the answer has a column of that name; rename "
					     "yours", name);
	for (size_t i = 0; i < plan->n; i++)
		if (strcmp(name, plan->key[i].name) == 0)
			return notes_problem(say, EXIT_WRONG, "'--by' names '%s' twice; drop one", name);
	if (strcmp(name, "process") == 0 && !diff_plan_is_in_both(at)) {
		plan->process = true;
		return true;
	}
	if (!diff_plan_is_in_both(at))
		return diff_plan_say_absent(side, at, "--by", name, say);
	if (strcmp(name, "rank") != 0)
		return diff_plan_add_key(plan, side[0]->rows.cols.v[at[0]].name, at, is & COLUMN_FOLDS, say);
	plan->rank = true;
	return true;
}

static bool diff_plan_add_named_keys(const read_table *const side[DIFF_SIDES], const char *by, diff_plan *plan,
				     notes *say)
{
	arena texts = { 0 };
	char *rest = arena_copy(&texts, by);
	bool ok = true;

	for (const char *name; ok && (name = strsep(&rest, ","));)
		ok = diff_plan_add_named_key(side, name, plan, say);
	arena_free(&texts);
	return ok;
}

bool diff_plan_make(const read_table *const side[DIFF_SIDES], const diff_params *p, diff_plan *plan, notes *say)
{
	*plan = (diff_plan){ 0 };
	diff_plan_find_column(side, "trace", plan->trace_at);
	diff_plan_find_column(side, "pid", plan->pid_at);
	diff_plan_find_column(side, "window", plan->window_at);
	diff_plan_find_column(side, "rank", plan->rank_at);
	diff_plan_find_column(side, "gpu", plan->gpu_at);
	diff_plan_find_column(side, "start_ns", plan->start_at);
	diff_plan_find_column(side, "end_ns", plan->end_at);
	diff_plan_find_column(side, p->unit_in, plan->unit_at);
	return diff_plan_choose_measure(side, p->of, plan, say) &&
		(p->by ? diff_plan_add_named_keys(side, p->by, plan, say) : diff_plan_add_usual_keys(side, plan, say));
}
