#include "job/late_steps.h"
#include "base/search.h"
#include "timeline/shared_gpu.h"
#include "step/steps.h"

typedef struct {                /* the state while steps are read */
	trace *t;
	const owners *o;
	late_steps *out;
	uint32_t proc;
	uint32_t step_name;     /* the folded name of the step's own range; time in this range alone counts as time in
				 * no range */
	size_t first;           /* the index of the step's first cell */
	vec(size_t) cell;       /* by key: the index of its latest cell, or SIZE_MAX */
	uint32_t last[2];       /* the work that was counted last on the current lane (trace_lane): last[0] in pieces in
				 * which work runs, last[1] in pieces of idle time, which this work ends */
} late_steps_ctx;

static late_cell *late_steps_cell_of(late_steps_ctx *g, const int64_t *key)
{
	size_t k = group_of(&g->out->keys, key);

	if (k == g->cell.n)
		vec_push(&g->cell, SIZE_MAX);
	if (g->cell.v[k] == SIZE_MAX || g->cell.v[k] < g->first) {
		g->cell.v[k] = g->out->cells.n;
		vec_push(&g->out->cells, (late_cell){ .key = (uint32_t)k });
	}
	return &g->out->cells.v[g->cell.v[k]];
}

static void late_steps_add_piece(void *ctx, const owner_piece *p)
{
	late_steps_ctx *g = ctx;
	bool between = p->owner == OWNER_QUEUED || p->owner == OWNER_TURNAROUND;
	uint32_t *last = &g->last[owner_is_idle(p->owner)];
	late_cell *c;

	if (p->owner == OWNER_COMM || p->owner == OWNER_COMM_WAIT || p->owner == OWNER_MPI)
		return;
	c = late_steps_cell_of(g, (int64_t[]){ p->owner, p->where == g->step_name ? STR_NONE : p->where,
		between ? LATE_BETWEEN : p->name });
	c->ns = ns_add(c->ns, p->at.b - p->at.a);
	c->count += !c->count || p->work != *last;
	*last = p->work;
}

static void late_steps_add_cells(late_steps_ctx *g, late_step *s)
{
	g->first = s->first;
	for (size_t end, i = trace_find_lanes(g->t, g->proc, &end); i < end; i++) {
		g->last[0] = g->last[1] = NONE;
		owners_walk(g->o, i, s->at, late_steps_add_piece, g);
	}
	s->n = g->out->cells.n - s->first;
}

/* When the process's GPUs fell idle before the moment; the moment itself if work runs then, or none ran before.  Idle
 * time before the first work of a step makes that step late, although it lies in the window of the step before. */
static int64_t late_steps_find_idle_before(const trace *t, uint32_t proc, int64_t moment)
{
	int64_t end = INT64_MIN;

	for (size_t last, l = trace_find_lanes(t, proc, &last); l < last; l++) {
		const trace_lane *lane = &t->lanes[l];
		size_t k;
		search_first(k, 0, lane->n, t->work.start[lane->first + k] >= moment);
		for (; k % REACH_BLOCK; k--)
			end = ns_max(end, t->work.end[lane->first + k - 1]);
		end = ns_max(end, trace_reach_latest_before(&lane->reach, k / REACH_BLOCK));
	}
	return end == INT64_MIN || end > moment ? moment : end;
}

static void late_steps_add_step(late_steps_ctx *g, const steps *st, size_t i)
{
	step to_next = steps_to_next(st, i);
	late_step s = { .start = st->v[i].gpu.a, .period = steps_period(st, i),
		.length = st->v[i].gpu.b - st->v[i].gpu.a, .busy = st->v[i].busy, .number = st->v[i].number,
		.at.a = late_steps_find_idle_before(g->t, g->proc, st->v[i].gpu.a) };

	g->step_name = st->v[i].name == STR_NONE ? STR_NONE : str_fold(&g->t->names, st->v[i].name);
	s.at.b = s.period == STEADY_NONE ? s.at.a : late_steps_find_idle_before(g->t, g->proc, to_next.gpu.b);
	s.first = g->out->cells.n;
	if (s.at.a < s.at.b)
		late_steps_add_cells(g, &s);
	vec_push(&g->out->steps, s);
}

static void late_steps_add_all(late_steps *of, trace *t, const owners *o, const step_set *all)
{
	late_steps_ctx g = { .t = t, .o = o, .out = of };

	of->first = mem_new(size_t, t->nprocs + 1);
	for (g.proc = 0; g.proc < t->nprocs; g.proc++) {
		const steps *st = &all->of[g.proc];
		for (size_t i = 0; st->rule != STEPS_PROCESS && i < st->n; i++)
			late_steps_add_step(&g, st, i);
		of->first[g.proc + 1] = of->steps.n;
	}
	vec_free(&g.cell);
}

static void late_steps_note_shared(void *shared, const char *text UNNEEDED)
{
	*(bool *)shared = true;
}

/* which: steps_key of the choice; its bit STEPS_KEY_SPARE is set if ranges around captures count. */
static void *late_steps_build(trace *t, int64_t which)
{
	owners_params p = { .choice = steps_choice_of(which), .captured = which & STEPS_KEY_SPARE };
	late_steps *of = mem_new(late_steps, 1);
	owners *o = owners_build(t, &p);

	of->keys.width = LATE_KEYS;
	late_steps_add_all(of, t, o, steps_of(t, &p.choice));
	shared_gpu_find(t, late_steps_note_shared, &of->shared);
	owners_free(o);
	return of;
}

static void late_steps_free(void *made)
{
	late_steps *of = made;

	mem_free(of->first, of->steps.v, of->cells.v);
	group_free(&of->keys);
	free(of);
}

const late_steps *late_steps_of(trace *t, const steps_choice *choice, bool captured)
{
	return trace_keep(t, late_steps_build, steps_key(choice) | (captured ? STEPS_KEY_SPARE : 0),
			  late_steps_free);
}
