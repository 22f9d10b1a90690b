/* What the typical step consists of besides compute, so that what no finding covers can be named. */
#include "answer/advise_parts.h"
#include "base/sort.h"

static void add_part(const advise_trace *x, size_t unit, int64_t ns, const char *what, const char *see)
{
	if (ns > 0 && 100.0 * (double)ns >= x->p->min_pct * (double)x->job->units.v[unit].period)
		vec_push(&x->job->rest, (advise_rest){ unit, ns, what, see });
}

static void add_column(const advise_trace *x, const char *column, const char *what)
{
	int64_t *by_step = advise_by_step(x, &x->total, column, NULL, NULL);

	for (size_t i = 0; i < advise_units(x); i++)
		add_part(x, x->first_unit + i, advise_median(x, by_step, i), what, "nsq-overlap --total");
	free(by_step);
}

void advise_add_rest(const advise_trace *x)
{
	size_t n;
	advise_part *causes = advise_by_key(x->job, &x->causes, "idle_ns", "cause", NULL, NULL, &n);

	for (size_t i = 0; i < n; i++)
		add_part(x, causes[i].unit, causes[i].median, arena_printf(&x->job->texts, "idle by '%s'", causes[i].key), "nsq-gaps --by cause");
	add_column(x, "comm_only_ns", "communication alone");
	add_column(x, "copy_only_ns", "copies alone");
	free(causes);
}

static double share_of(const advise_job *j, const advise_rest *r)
{
	return 100.0 * (double)r->ns / (double)j->units.v[r->unit].period;
}

void advise_rest_take(const advise_job *j, advise_rests *to, const bool *units)
{
	for (size_t i = 0; i < j->rest.n; i++) {
		const advise_rest *r = &j->rest.v[i];
		size_t k = 0;
		if (!units[r->unit])
			continue;
		while (k < to->n && strcmp(to->v[k]->what, r->what) != 0)
			k++;
		if (k == to->n)
			vec_push(to, r);
		else if (share_of(j, r) > share_of(j, to->v[k]))
			to->v[k] = r;
	}
}

typedef struct {
	const advise_job *j;
	const advise_rests *rest;
} ordering;

static int by_share(uint32_t a, uint32_t b, const void *ctx)
{
	const ordering *o = ctx;
	const advise_rest *x = o->rest->v[a], *y = o->rest->v[b];
	double p = share_of(o->j, x), q = share_of(o->j, y);

	return p > q ? -1 : p < q ? 1 : strcmp(x->what, y->what);
}

enum { FEW_PARTS = 3 };

const char *advise_rest_text(advise_job *j, const advise_rests *rest)
{
	uint32_t *order = sort_order(rest->n, by_share, &(ordering){ j, rest });
	const char *out = "";

	for (size_t i = 0; i < rest->n && i < FEW_PARTS; i++) {
		const advise_rest *r = rest->v[order ? order[i] : i];
		out = arena_printf(&j->texts, i ? "%s, %.2f %% is %s (%s)" : "%s; %.2f %% of a step is %s (%s)", out, share_of(j, r), r->what, r->see);
	}
	free(order);
	return *out ? arena_printf(&j->texts, "%s, which no finding covers", out) : out;
}
