/* Findings about the capture: what makes its numbers untrustworthy, or hard to place. */
#include "answer/advise_parts.h"
#include "answer/nvtx.h"
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

bool find_lost(advise_trace *x)
{
	collecting c = { .x = x, .signs = mem_new(size_t, x->t->nprocs), .first = mem_new(const char *, x->t->nprocs) };
	arena *texts = &x->job->texts;

	lost_events_find(x->t, add_sign, &c);
	for (size_t i = 0; i < advise_units(x); i++) {
		uint32_t proc = x->t->lanes[x->lane[i]].proc;
		const char *more = c.signs[proc] > 1 ? arena_printf(texts, ", and %zu more signs", c.signs[proc] - 1) : "";
		x->job->units.v[x->first_unit + i].lost = c.signs[proc];
		if (c.signs[proc])
			advise_find(x->job, ADVISE_LOST, x->first_unit + i, TABLE_MISSING,
				    arena_printf(texts, "events lost: %s%s; its counts and busy times are too low, its idle times too high", c.first[proc], more), facts(x));
	}
	free(c.signs);
	free(c.first);
	return true;
}

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
		advise_find(x->job, ADVISE_SHARED, x->first_unit + i, TABLE_MISSING,
			    arena_printf(&x->job->texts, "GPU shared: %s; without MPS they take turns, and a kernel's time includes the others' turns",
					 c.text), facts(x));
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
		advise_find(x->job, ADVISE_UNANNOTATED, x->first_unit + i, TABLE_MISSING,
			    "work without annotation: the trace holds no NVTX ranges, so nothing can be placed in the program", facts(x));
	if (ok && x->t->has_nvtx) {
		int64_t *all = advise_by_step(x, &rows, "gpu_ns", NULL, NULL);
		int64_t *outside = advise_by_step(x, &rows, "gpu_ns", is_outside, NULL);
		for (size_t i = 0; i < advise_units(x); i++) {
			const advise_unit *u = &x->job->units.v[x->first_unit + i];
			double whole = (double)advise_total(x, all, i), part = whole - (double)advise_total(x, outside, i);
			if (100 * part < ENOUGH_PCT * whole)
				advise_find(x->job, ADVISE_UNANNOTATED, x->first_unit + i, TABLE_MISSING,
					    arena_printf(texts, "work without annotation: only %.2f %% of the kernel time in the steps was launched in an NVTX "
							 "range", 100 * part / whole),
					    arena_printf(texts, "%s | nsq-nvtx --merge --adopt%s%s", u->alone, x->p->captured ? " --captured" : "",
							 u->on_gpu));
		}
		free(all);
		free(outside);
	}
	table_free(&rows);
	return ok;
}
