/* The steps of a trace as windows: each on one GPU of its process. */
#include "answer/advise_parts.h"
#include "answer/window.h"
#include "base/number.h"
#include "base/sort.h"
#include "relate/quiet.h"

/* The steps in some windows, with the numbers of those: the steady ones, each up to the next; or all as they are. */
static bool steps_in(const advise_trace *x, const windows *some, bool period, table *rows, notes *say)
{
	window_params w = { .mode = WINDOW_PICK, .match = x->p->match, .steady = period, .period = period };

	window_pick_named("all", &w);
	window_columns(&w, rows);
	table_add(rows, WINDOW_NUMBER, &(table_col){ "number", 'i', NULL, NULL });
	return window_answer(x->t, some, &w, rows, say) && window_finish(&w, rows, NULL);
}

static void push_step(advise_trace *x, const window *asked, int64_t gpu, const table *rows, size_t row)
{
	ival at = { table_value(rows, row, COL_START)->i, table_value(rows, row, COL_END)->i };
	ival cpu = { advise_cell(rows, row, "cpu_start_ns")->i, advise_cell(rows, row, "cpu_end_ns")->i };
	const char *number = arena_printf(&x->steps.texts, "%zu", x->job->steps.n);
	window w = { .proc = asked->proc, .device = gpu, .name = number, .each_name = number };

	if (at.b <= at.a)
		return;
	if (cpu.b <= cpu.a)
		cpu = at;
	ival_add(&w.gpu, at.a, at.b);
	ival_add(&w.cpu, cpu.a, cpu.b);
	vec_push(&x->steps, w);
	vec_push(&x->names, arena_copy(&x->job->texts, advise_cell(rows, row, "window")->t));
	vec_push(&x->job->steps, at.b - at.a);
}

/* How many pipeline stages the label names: pp=1/4. */
static bool has_stages(const char *mesh)
{
	for (const char *pp = mesh; pp && (pp = strstr(pp, "pp=")); pp++) {
		const char *of = pp == mesh || pp[-1] == ' ' ? strchr(pp, '/') : NULL;         /* not vpp= */
		if (of)
			return strtol(of + 1, NULL, 10) > 1;
	}
	return false;
}

static advise_unit unit_of(const advise_trace *x, uint32_t proc, int64_t gpu)
{
	const trace_proc *p = &x->t->procs[proc];
	arena *texts = &x->job->texts;
	const char *shown = arena_copy(texts, p->shown);

	return (advise_unit){ .trace = (uint32_t)x->job->traces.n - 1, .first = x->job->steps.n, .pid = p->pid, .sub = p->sub,
		.rank = p->rank, .gpu = gpu, .shown = shown, .pipeline = has_stages(p->mesh),
		.party = p->rank >= 0 ? arena_printf(texts, "%lld", (long long)p->rank) : shown,
		.hull = IVAL_NOWHERE };
}

size_t advise_workless(advise_trace *x, uint32_t proc)
{
	advise_unit u = unit_of(x, proc, TABLE_MISSING);

	u.hull = x->t->procs[proc].events;
	vec_push(&x->job->units, u);
	return x->job->units.n - 1;
}

typedef struct {                /* the steps of a window: some rows */
	const window *asked;
	size_t list;
	const table *rows;
	size_t first, n;
	bool period;            /* do they last up to the next one? */
} stretch;

/* The steps of a process on a GPU. */
static void add_unit(advise_trace *x, const stretch *s, uint32_t lane, bool one_gpu)
{
	advise_unit u = unit_of(x, s->asked->proc, x->t->lanes[lane].gpu);
	const char *rule;

	u.window = arena_copy(&x->job->texts, s->asked->each_name);
	for (size_t i = s->first; i < s->first + s->n; i++)
		push_step(x, s->asked, u.gpu, s->rows, i);
	u.n = x->job->steps.n - u.first;
	if (!u.n)
		return;
	rule = advise_cell(s->rows, s->first, "rule")->t;
	for (size_t i = x->steps.n - u.n; i < x->steps.n; i++) {
		ival at = window_hull(&x->steps.v[i].gpu);
		u.hull = (ival){ at.a < u.hull.a ? at.a : u.hull.a, at.b > u.hull.b ? at.b : u.hull.b };
	}
	u.list = s->list;
	u.to_next = s->period;
	u.whole = strcmp(rule, "process") == 0;
	u.steady = s->period && !u.whole;
	u.repeats = strcmp(rule, "repeat") == 0;
	u.period = advise_median_of(x->job->steps.v + u.first, u.n);
	advise_commands(x, s->asked, s->period, one_gpu, &u);
	vec_push(&x->job->units, u);
	x->lane = mem_grow(x->lane, advise_units(x), sizeof *x->lane);
	x->lane[advise_units(x) - 1] = lane;
}

/* Does a kernel run on the lane while the steps do?  A process may touch another GPU once, at its start. */
static bool has_kernels(const trace *t, const trace_lane *lane, const stretch *s)
{
	for (size_t i = s->first; i < s->first + s->n; i++) {
		ival at = { table_value(s->rows, i, COL_START)->i, table_value(s->rows, i, COL_END)->i };
		ival_set side = { .v = &at, .n = 1 };
		size_t lo, hi;
		window_work(t, lane, &side, &lo, &hi);
		for (; lo < hi; lo++)
			if (t->work.kind[lo] <= WORK_GRAPH && t->work.start[lo] < at.b && t->work.end[lo] > at.a)
				return true;
	}
	return false;
}

/* The steps of a window, on each GPU that computes in them. */
static void add_units(advise_trace *x, const stretch *s)
{
	const trace *t = x->t;
	size_t lanes = 0, busy = 0;

	for (size_t l = 0; l < t->nlanes; l++) {
		lanes += t->lanes[l].proc == s->asked->proc;
		busy += window_lane(s->asked, &t->lanes[l]) && has_kernels(t, &t->lanes[l], s);
	}
	for (size_t l = 0; l < t->nlanes; l++)
		if (window_lane(s->asked, &t->lanes[l]) && (!busy || has_kernels(t, &t->lanes[l], s)))
			add_unit(x, s, (uint32_t)l, lanes == 1);
}

/* The rows of a table that are steps of the window with a number; rows come in the order of windows. */
static size_t rows_of(const table *rows, size_t first, size_t number)
{
	size_t n = 0;

	while (first + n < table_rows(rows) && table_value(rows, first + n, WINDOW_NUMBER)->i == (int64_t)number)
		n++;
	return n;
}

/* The windows without a step that has one before it and one after it. */
static windows without_steps(const advise_trace *x, const table *rows)
{
	windows few = { .asked = x->all->asked };

	for (size_t i = 0, at = 0; i < x->all->n; i++) {
		size_t n = rows_of(rows, at, i);
		at += n;
		if (!n)
			vec_push(&few, x->all->v[i]);
	}
	return few;
}

static void say_few(const advise_trace *x)
{
	size_t few = 0;

	for (size_t i = x->first_unit; i < x->job->units.n; i++)
		few += x->job->units.v[i].n == 1;
	if (few)
		notes_remark(x->say, "%zu of %zu processes or windows in '%s' have a single step to look at, so what is said of them is said "
			     "of that one", few, advise_units(x), x->t->path);
}

bool advise_steps(advise_trace *x)
{
	table rows = { 0 }, rest = { 0 };
	windows few = { 0 };
	size_t *lists = mem_new(size_t, x->t->nprocs), at = 0, at_few = 0, nfew = 0;
	bool ok = steps_in(x, x->all, true, &rows, x->say);

	if (ok)
		few = without_steps(x, &rows);
	ok = ok && (!few.n || steps_in(x, &few, false, &rest, NULL));
	for (size_t i = 0; ok && i < x->all->n; i++) {
		const window *w = &x->all->v[i];
		size_t n = rows_of(&rows, at, i), list = lists[w->proc]++;
		if (n) {
			add_units(x, &(stretch){ w, list, &rows, at, n, true });
			at += n;
			continue;
		}
		n = rows_of(&rest, at_few, nfew++);
		add_units(x, &(stretch){ w, list, &rest, at_few, n, false });
		at_few += n;
	}
	if (ok)
		say_few(x);
	free(lists);
	vec_free(&few);
	table_free(&rows);
	table_free(&rest);
	return ok;
}

int64_t *advise_own_lengths(advise_trace *x, size_t unit)
{
	const advise_unit *u = &x->job->units.v[x->first_unit + unit];
	int64_t *own = mem_new(int64_t, u->n);

	if (!x->own.cols.n && !steps_in(x, x->all, false, &x->own, NULL)) {
		free(own);
		return NULL;
	}
	for (size_t i = 0, row = 0; i < u->n && row < table_rows(&x->own); row++) {     /* in the same order */
		ival at = window_hull(&x->steps.v[u->first - x->first_step + i].gpu);
		if (table_value(&x->own, row, COL_START)->i == at.a && table_value(&x->own, row, COL_PID)->i == u->pid * TABLE_SUBS + u->sub + 1)
			own[i++] = advise_cell(&x->own, row, "dur_ns")->i;
	}
	return own;
}

/* What the lane leaves idle of a step. */
static ival_set idle_in(const ival_set *busy, ival step)
{
	ival_set idle = { 0 };
	int64_t from = step.a;

	for (size_t i = ival_after(busy, step.a); i < busy->n && busy->v[i].a < step.b; i++) {
		if (busy->v[i].a > from)
			ival_add(&idle, from, busy->v[i].a);
		from = busy->v[i].b;
	}
	if (from < step.b)
		ival_add(&idle, from, step.b);
	return idle;
}

void advise_idle(advise_trace *x)
{
	quiet idle = quiet_build(x->t, QUIET_WORK);

	for (size_t u = 0; u < advise_units(x); u++) {
		const advise_unit *unit = &x->job->units.v[x->first_unit + u];
		for (size_t i = 0; i < unit->n; i++) {
			const window *step = &x->steps.v[unit->first - x->first_step + i];
			window w = { .gpu = idle_in(&idle.busy[x->lane[u]], window_hull(&step->gpu)), .proc = step->proc,
				.device = step->device, .name = step->name, .each_name = step->each_name };
			if (!w.gpu.n)
				continue;
			w.cpu = w.gpu;
			vec_push(&x->idle, w);
		}
	}
	quiet_free(&idle);
}

void advise_idle_free(advise_trace *x)
{
	for (size_t i = 0; i < x->idle.n; i++)
		x->idle.v[i].cpu = (ival_set){ 0 };     /* the same set as gpu */
	window_free(&x->idle);
}

size_t advise_step_of(const table *rows, size_t row)
{
	return strtoull(table_value(rows, row, COL_WINDOW)->t, NULL, 10);
}

size_t advise_unit_of(const advise_job *j, size_t step)
{
	size_t lo = 0, hi = j->units.n;

	while (hi - lo > 1) {           /* the last unit that begins at or before the step */
		size_t mid = lo + (hi - lo) / 2;
		if (j->units.v[mid].first <= step)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}
