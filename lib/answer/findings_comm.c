/* Findings about communication: what compute waits for, stage by stage. */
#include "answer/advise_parts.h"
#include "answer/overlap.h"

static bool is_blocked(const table *rows, size_t row, const void *ctx)
{
	(void)ctx;
	return advise_cell(rows, row, "blocked_comm_ns")->i > 0;
}

/* The median of the same unit and key, 0 if there is none. */
static int64_t median_of(const advise_part *parts, size_t n, const advise_part *like)
{
	for (size_t i = 0; i < n; i++)
		if (parts[i].unit == like->unit && strcmp(parts[i].key, like->key) == 0)
			return parts[i].median;
	return 0;
}

static void add_stage(const advise_trace *x, const advise_part *blocked, int64_t exposed)
{
	arena *texts = &x->job->texts;
	const advise_unit *u = &x->job->units.v[blocked->unit];
	const char *stage = arena_copy(texts, blocked->key);
	const char *which = strcmp(stage, "-") == 0 ? "stage is null" :
		arena_printf(texts, "stage = %s", advise_sql_text(texts, stage));

	advise_find(x->job, (advise_found){ .kind = ADVISE_COMM, .of = stage, .unit = blocked->unit, .recover = blocked->median,
		.total = blocked->total, .with = blocked->with,
		.text = arena_printf(texts, "communication that compute waits for, of '%s': the next compute has been issued and waits for it (%.3f ms a "
				    "step is exposed); assumes that it could be hidden, or take no time", stage, (double)exposed / 1e6),
		.evidence = advise_median_row(x->job, u, advise_stalls(x, u), "blocked_comm_ns", which) });
}

bool find_comm(advise_trace *x)
{
	const overlap_params o = { .mode = OVERLAP_SUMS, .keys = OVERLAP_BY_STAGE, .rules = x->p->stages, .comm = x->p->comm,
		.captured = x->p->captured };
	table overlap = { 0 };
	bool ok = overlap_answer(x->t, &x->steps, &o, &overlap, NULL);
	size_t n = 0, m = 0;
	advise_part *blocked = ok ? advise_by_key(x->job, &x->stalls, "blocked_comm_ns", "stage", is_blocked, NULL, &n) : NULL;
	advise_part *exposed = ok ? advise_by_key(x->job, &overlap, "exposed_ns", "stage", NULL, NULL, &m) : NULL;

	for (size_t i = 0; i < n; i++)
		add_stage(x, &blocked[i], median_of(exposed, m, &blocked[i]));
	free(blocked);
	free(exposed);
	table_free(&overlap);
	return ok;
}
