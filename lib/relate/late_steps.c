#include "relate/late_steps.h"
#include "base/search.h"
#include "relate/shared_gpu.h"
#include "relate/steps.h"

typedef struct {
	late_steps *of;
	trace *t;
	owners *o;
	uint32_t step_name;     /* folded: the step's own range is no place in it */
	size_t first;           /* cell of the step */
	vec(size_t) cell;       /* by key: its latest cell */
	uint32_t last;          /* the work that was counted last */
} gathering;

static late_cell *cell_of(gathering *g, const int64_t *key)
{
	size_t k = group_of(&g->of->keys, key);

	if (k == g->cell.n)
		vec_push(&g->cell, SIZE_MAX);
	if (g->cell.v[k] == SIZE_MAX || g->cell.v[k] < g->first) {
		g->cell.v[k] = g->of->cells.n;
		vec_push(&g->of->cells, (late_cell){ .key = (uint32_t)k });
	}
	return &g->of->cells.v[g->cell.v[k]];
}

static void take(void *ctx, const owner_piece *p)
{
	gathering *g = ctx;
	bool between = p->otherwise == OWNER_QUEUED || p->otherwise == OWNER_TURNAROUND;
	late_cell *c;

	if (p->owner == OWNER_COMM || p->owner == OWNER_COMM_WAIT || p->otherwise == OWNER_MPI)
		return;
	c = cell_of(g, (int64_t[]){ p->otherwise, p->where == g->step_name ? STR_NONE : p->where,
		between ? LATE_BETWEEN : owner_is_idle(p->owner) ? STR_NONE : p->name });
	c->ns = ns_add(c->ns, p->at.b - p->at.a);
	c->count += !c->count || p->work != g->last;
	g->last = p->work;
}

static void add_cells(gathering *g, late_step *s, uint32_t proc)
{
	s->first = g->first = g->of->cells.n;
	for (size_t end, i = trace_lanes(g->t, proc, &end); i < end; i++) {
		g->last = NONE;
		owners_walk(g->o, i, s->at, take, g);
	}
	s->n = g->of->cells.n - s->first;
}

/* When the process's GPUs fell idle before the moment; the moment itself if they did not.  Idle time before the first
 * work of a step makes that step late, although it lies in the window of the one before. */
static int64_t idle_before(const trace *t, uint32_t proc, int64_t moment)
{
	int64_t end = INT64_MIN;

	for (size_t last, l = trace_lanes(t, proc, &last); l < last; l++) {
		const trace_lane *lane = &t->lanes[l];
		size_t k;
		search_first(k, 0, lane->n, t->work.start[lane->first + k] >= moment);
		for (; k % REACH_BLOCK; k--)
			end = t->work.end[lane->first + k - 1] > end ? t->work.end[lane->first + k - 1] : end;
		if (k && lane->reach[k / REACH_BLOCK - 1] > end)
			end = lane->reach[k / REACH_BLOCK - 1];
	}
	return end == INT64_MIN || end > moment ? moment : end;
}

static void add_steps(gathering *g, const steps *st, uint32_t proc)
{
	trace *t = g->t;

	for (size_t i = 0; st->rule != STEPS_PROCESS && i < st->n; i++) {
		step to_next = steps_to_next(st, i);
		late_step s = { .start = st->v[i].gpu.a, .period = steps_period(st, i),
			.length = st->v[i].gpu.b - st->v[i].gpu.a, .at.a = idle_before(t, proc, st->v[i].gpu.a) };
		g->step_name = st->v[i].name == STR_NONE ? STR_NONE : str_fold(&t->names, st->v[i].name);
		s.at.b = s.period == STEADY_NONE ? s.at.a : idle_before(t, proc, to_next.gpu.b);
		if (s.at.a < s.at.b)
			add_cells(g, &s, proc);
		vec_push(&g->of->steps, s);
	}
}

static void see_shared(void *shared, const char *text)
{
	(void)text;
	*(bool *)shared = true;
}

/* which is the address of the pattern, or 0, plus 1 for what was captured: no pattern has an odd address. */
static void *make(trace *t, int64_t which)
{
	owners_params p = { .match = (const regex_t *)(intptr_t)(which & ~INT64_C(1)), .captured = which & 1 };
	step_set all = steps_find(t, projection_on(t, -1), p.match, false);
	late_steps *of = mem_new(late_steps, 1);
	gathering g = { .of = of, .t = t, .o = owners_build(t, &p) };

	of->keys.width = LATE_KEYS;
	of->first = mem_new(size_t, t->nprocs + 1);
	for (size_t i = 0; i < t->nprocs; i++) {
		add_steps(&g, &all.of[i], (uint32_t)i);
		of->first[i + 1] = of->steps.n;
	}
	shared_gpu_find(t, see_shared, &of->shared);
	vec_free(&g.cell);
	owners_free(g.o);
	steps_free(&all);
	return of;
}

static void drop(void *made)
{
	late_steps *of = made;

	free(of->first);
	vec_free(&of->steps);
	vec_free(&of->cells);
	group_free(&of->keys);
	free(of);
}

const late_steps *late_steps_of(trace *t, const regex_t *match, bool captured)
{
	return trace_keep(t, make, (int64_t)(intptr_t)match | captured, drop);
}
