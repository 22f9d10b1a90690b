/* Findings about the capture: what makes its numbers untrustworthy, or hard to place. */
#include "answer/advise_parts.h"
#include "answer/nvtx.h"
#include "relate/depends.h"
#include "relate/lost_events.h"
#include "relate/shared_gpu.h"

typedef struct {
	advise_trace *x;
	const char *text;
	size_t *signs;          /* by process */
	const char **first;
} collecting;

static void add_sign(void *ctx, const trace_proc *p, const char *text)
{
	collecting *c = ctx;
	size_t proc = (size_t)(p - c->x->t->procs);

	if (!c->signs[proc]++)
		c->first[proc] = arena_copy(&c->x->job->texts, text);
}

static const char *facts(const advise_trace *x)
{
	return arena_printf(&x->job->texts, "nsq-setup --facts%s", advise_trace_word(&x->job->texts, x->t->path));
}

static collecting signs_of(advise_trace *x)
{
	collecting c = { .x = x, .signs = mem_new(size_t, x->t->nprocs), .first = mem_new(const char *, x->t->nprocs) };

	lost_events_find(x->t, add_sign, &c);
	return c;
}

static void signs_free(collecting *c)
{
	free(c->signs);
	free(c->first);
}

/* A unit of a process with signs. */
static void add_lost(const collecting *c, uint32_t proc, size_t unit)
{
	arena *texts = &c->x->job->texts;
	size_t n = c->signs[proc];
	const char *more = n > 1 ? arena_printf(texts, ", and %zu more sign%s", n - 1, n > 2 ? "s" : "") : "";

	c->x->job->units.v[unit].lost = true;
	advise_find(c->x->job, (advise_found){ .kind = ADVISE_LOST, .unit = unit, .recover = TABLE_MISSING, .weight = (int64_t)n,
		.text = arena_printf(texts, "events lost: %s%s; its counts and busy times are too low, its idle times too high", c->first[proc], more),
		.evidence = facts(c->x) });
}

bool find_lost(advise_trace *x)
{
	collecting c = signs_of(x);

	for (size_t i = 0; i < advise_units(x); i++) {
		uint32_t proc = x->t->lanes[x->lane[i]].proc;
		if (c.signs[proc])
			add_lost(&c, proc, x->first_unit + i);
	}
	signs_free(&c);
	return true;
}

/* Are the windows all there are: is none asked for, and no process or GPU? */
static bool is_whole(const advise_trace *x)
{
	size_t seen = 0;

	for (size_t l = 0; l < x->t->nlanes; l++)
		for (size_t i = 0; i < x->all->n; i++)
			seen += window_lane(&x->all->v[i], &x->t->lanes[l]);
	return !x->all->asked && seen == x->t->nlanes;
}

void find_lost_without_work(advise_trace *x)
{
	collecting c = signs_of(x);
	bool whole = is_whole(x);

	for (uint32_t p = 0; whole && p < x->t->nprocs; p++)
		if (c.signs[p] && x->t->procs[p].gpu.a > x->t->procs[p].gpu.b)
			add_lost(&c, p, advise_workless(x, p));
	signs_free(&c);
}

/* ---- time of which the trace does not say what was waited for */

/* Why nsq-stalls cannot say it.  d: NULL until it is needed. */
static const char *why_unknown(const advise_trace *x, size_t unit, depends **d)
{
	int64_t waits, found;

	if (x->job->units.v[x->first_unit + unit].lost)
		return "its process lost events";
	*d = *d ? *d : depends_build(x->t);
	wait_counts_of(depends_counts(*d), x->lane[unit], &waits, &found);
	return found < waits ? arena_printf(&x->job->texts, "%lld of %lld waits of its streams are for events whose record is not in the trace",
					    (long long)(waits - found), (long long)waits) : "launches of its work are not in the trace";
}

bool find_unknown(advise_trace *x)
{
	int64_t *unresolved = advise_by_step(x, &x->stalls, "unresolved_ns", NULL, NULL);
	depends *d = NULL;
	arena *texts = &x->job->texts;

	for (size_t i = 0; i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		int64_t ns = advise_median(x, unresolved, i);
		double pct = 100.0 * (double)ns / (double)u->period;
		if (!ns || pct < x->p->min_pct)
			continue;
		advise_find(x->job, (advise_found){ .kind = ADVISE_UNKNOWN, .unit = x->first_unit + i, .recover = TABLE_MISSING, .weight = ns,
			.text = arena_printf(texts, "what compute waits for is not known: in %.2f %% of a step, as %s; findings about idle time and "
					     "communication may be missing", pct, why_unknown(x, i, &d)),
			.evidence = advise_median_row_as(x->job, u, advise_stalls(x, u), "unresolved_ns", "unresolved_ns", "") });
	}
	if (d)
		depends_free(d);
	free(unresolved);
	return true;
}

/* ---- a GPU that several processes share */

static void add_text(void *ctx, const char *text)
{
	collecting *c = ctx;

	c->text = arena_printf(&c->x->job->texts, "%s%s%s", c->text ? c->text : "", c->text ? "; " : "", text);
}

bool find_shared(advise_trace *x)
{
	collecting c = { .x = x };
	bool ok = shared_gpu_find(x->t, add_text, &c);

	for (size_t i = 0; c.text && i < advise_units(x); i++)
		advise_find(x->job, (advise_found){ .kind = ADVISE_SHARED, .unit = x->first_unit + i, .recover = TABLE_MISSING,
			.text = arena_printf(&x->job->texts, "GPU shared: %s; without MPS they take turns, and a kernel's time includes the others' turns",
					 c.text),
			.evidence = facts(x) });
	return ok;
}

/* ---- annotation */

enum { ENOUGH_PCT = 70 };

static bool is_outside(const table *rows, size_t row, const void *ctx)
{
	(void)ctx;
	return !advise_cell(rows, row, "name")->t;
}

bool find_unannotated(advise_trace *x)
{
	const nvtx_params p = { .mode = NVTX_SUMS, .adopt = true, .captured = x->p->captured };
	table rows = { 0 };
	bool ok = !x->t->has_nvtx || nvtx_answer(x->t, &x->steps, &p, &rows, NULL);
	arena *texts = &x->job->texts;

	for (size_t i = 0; ok && !x->t->has_nvtx && i < advise_units(x); i++)
		advise_find(x->job, (advise_found){ .kind = ADVISE_UNANNOTATED, .unit = x->first_unit + i, .recover = TABLE_MISSING,
			.text = "work without annotation: the trace holds no NVTX ranges, so nothing can be placed in the program",
			.evidence = facts(x) });
	if (ok && x->t->has_nvtx) {
		int64_t *all = advise_by_step(x, &rows, "gpu_ns", NULL, NULL);
		int64_t *outside = advise_by_step(x, &rows, "gpu_ns", is_outside, NULL);
		for (size_t i = 0; i < advise_units(x); i++) {
			const advise_unit *u = &x->job->units.v[x->first_unit + i];
			double whole = (double)advise_total(x, all, i), part = whole - (double)advise_total(x, outside, i);
			if (100 * part < ENOUGH_PCT * whole)
				advise_find(x->job, (advise_found){ .kind = ADVISE_UNANNOTATED, .unit = x->first_unit + i, .recover = TABLE_MISSING,
					.text = part > 0 ? arena_printf(texts, "work without annotation: only %.2f %% of the kernel time in the steps was launched in "
								"an NVTX range", 100 * part / whole) :
						"work without annotation: none of the kernel time in the steps was launched in an NVTX range",
					.evidence = arena_printf(texts, "%s | nsq-nvtx --merge --adopt%s%s", u->alone, x->p->captured ? " --captured" : "",
							 u->on_gpu) });
		}
		free(all);
		free(outside);
	}
	table_free(&rows);
	return ok;
}
