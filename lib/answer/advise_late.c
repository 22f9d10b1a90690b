#include "answer/advise_tables.h"

#include <string.h>

static bool advise_late_is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool advise_late_is_of_cause(const char *owner, const char *cause)
{
	for (int o = 0; o < OWNERS; o++)
		if (strcmp(owner_name((enum owner)o), owner) == 0)
			return strcmp(late_cause((enum owner)o), cause) == 0;
	return false;
}

/* Chooses rows of the ledger: those of an owner or, if owner is NULL, those of a cause (late_cause) in the range
 * `where`. */
typedef struct {
	const char *owner, *cause, *where;
} ledger_choice;

static bool advise_late_is_chosen(const table *t, size_t row, const ledger_choice *c)
{
	if (c->owner)
		return strcmp(table_value(t, row, L_OWNER)->t, c->owner) == 0;
	return advise_late_is_same_text(table_value(t, row, L_WHERE)->t, c->where) &&
		advise_late_is_of_cause(table_value(t, row, L_OWNER)->t, c->cause);
}

/* Mark up to `ns` of the time of the chosen rows of a step as due to a late rank (late_ns).  Returns the rest of `ns`,
 * for which these rows have no time left. */
static int64_t advise_late_mark_time(advise_tables *a, const advise_step *s, const ledger_choice *c, int64_t ns)
{
	table *t = &a->tables[ADVISE_LEDGER];

	for (size_t row = s->first; row < s->first + s->n && ns > 0; row++) {
		int64_t had = table_value(t, row, L_LATE)->i, left = table_value(t, row, L_DUR)->i - had;
		int64_t given = left < ns ? left : ns;
		if (!advise_late_is_chosen(t, row, c))
			continue;
		table_change(t, row, L_LATE, had + given);
		ns -= given;
	}
	return ns;
}

typedef struct {
	advise_tables *a;
	size_t step;
} advise_late_ctx;

/* Mark the time by which a late rank does more than the others in a step.  A delay at the beginning of a step is idle
 * time at the end of the step before it.  Time for which this step has no row is therefore marked in the step before
 * it. */
static void advise_late_mark_surplus(void *ctx, const char *cause, const char *where, int64_t ns)
{
	advise_late_ctx *g = ctx;
	const advise_step *s = &g->a->steps.v[g->step];
	ledger_choice c = { .cause = cause, .where = where };

	ns = advise_late_mark_time(g->a, s, &c, ns);
	if (g->step && s[-1].unit == s->unit)
		advise_late_mark_time(g->a, s - 1, &c, ns);
}

/* The numbers of the first late steps, as a text; it ends in an ellipsis if there are more. */
static const char *advise_late_list_numbers(advise_tables *a, const late_sum *sum)
{
	const char *out = "";

	for (size_t i = 0; i < sum->late && i < LATE_NAMED; i++)
		out = arena_printf(&a->texts, "%s%s%lld", out, i ? ", " : "",
				   (long long)sum->which[i]);
	return sum->late > LATE_NAMED ? arena_printf(&a->texts, "%s, …", out) : out;
}

/* The index, among the steps of a unit, of the step that begins at the moment; TABLE_MISSING: there is none. */
static int64_t advise_late_find_step(const advise_tables *a, size_t unit, int64_t moment)
{
	const advise_unit *u = &a->units.v[unit];

	for (size_t i = 0; i < u->steps; i++)
		if (a->steps.v[u->first + i].at.a == moment)
			return (int64_t)i;
	return TABLE_MISSING;
}

static void advise_late_add_row(advise_tables *a, size_t unit)
{
	const advise_unit *u = &a->units.v[unit];
	const late_rank *said = late_of(a->late, u->proc);
	ival hull = u->hull;
	late_sum sum = late_sum_in(a->late, u->proc, &(ival_set){ .v = &hull, .n = 1 });
	table *out = &a->tables[ADVISE_LATE];

	table_row(out);
	table_int(out, T_UNIT, (int64_t)unit);
	table_text(out, T_WHERE, said->where);
	table_text(out, T_CAUSE, said->cause);
	table_int(out, T_LATE_STEPS, (int64_t)sum.late);
	table_text(out, T_NUMBERS, advise_late_list_numbers(a, &sum));
	table_int(out, T_STEPS, (int64_t)sum.steps);
	table_int(out, T_EXPLAINED, sum.explained);
	table_int(out, T_STEP, advise_late_find_step(a, unit, sum.begins));
	table_text(out, T_NAME, said->name);
	table_int(out, T_MORE, said->name ? said->count : TABLE_MISSING);
	table_int(out, T_MORE_NS, said->name ? said->ns : TABLE_MISSING);
}

void advise_tables_add_late(advise_tables *a)
{
	late_decide(a->late, arrivals_job(a->ranks));
	for (size_t i = 0; i < a->steps.n; i++) {
		const advise_step *s = &a->steps.v[i];
		size_t proc = a->units.v[s->unit].proc;
		int64_t ns;
		if (proc == SIZE_MAX)
			continue;
		late_explain_step(a->late, proc, s->at.a, advise_late_mark_surplus, &(advise_late_ctx){ a, i });
		ns = advise_late_mark_time(a, s, &(ledger_choice){ .owner = "comm.wait" },
					   late_lost_to_others(a->late, proc, s->at.a));
		advise_late_mark_time(a, s, &(ledger_choice){ .owner = "comm" }, ns);
	}
	for (size_t i = 0; i < a->units.n; i++) {
		size_t proc = a->units.v[i].proc;
		bool first = i == 0 || a->units.v[i - 1].proc != proc;
		if (proc != SIZE_MAX && first && late_of(a->late, proc)->accused)
			advise_late_add_row(a, i);
	}
}
