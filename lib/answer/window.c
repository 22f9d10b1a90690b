#include "answer/window.h"
#include "base/group.h"
#include "base/number.h"
#include "relate/steps.h"

#include <string.h>

#define COLUMNS(X) \
	X(CPU_START_NS, "cpu_start_ns", 'i', "ns", "when the range opened on the CPU") \
	X(CPU_END_NS, "cpu_end_ns", 'i', "ns", "when it closed") \
	X(DUR_NS, "dur_ns", 'i', "ns", "length of the window") \
	X(PERIOD_NS, "period_ns", 'i', "ns", "time from its start_ns to that of the next") \
	X(WORK, "work", 'i', NULL, "pieces of GPU work launched in the range") \
	X(INDEX, "index", 'i', NULL, "number of the range among those found, from 0") \
	X(COUNT, "count", 'i', NULL, "how many ranges there are") \
	X(GPU_NS, "gpu_ns", 'i', "ns", "time of the kernels and graphs launched in them") \
	X(RULE, "rule", 't', NULL, "how it was chosen: match chunk iteration process") \
	X(NAME, "name", 't', NULL, "name of the range")

enum { TABLE_IDS(COLUMNS) };
const table_col window_all[] = { TABLE_COLS(COLUMNS) };

void window_columns(const window_params *p, table *out)
{
	if (p->mode == WINDOW_LIST) {
		table_columns(out, window_all, COUNT, WORK, GPU_NS, NAME);
		table_sort(out, NAME, false);
	} else {
		table_columns(out, window_all, CPU_START_NS, CPU_END_NS, DUR_NS, PERIOD_NS, WORK, INDEX, COUNT, RULE, NAME);
		table_sort(out, COL_START, false);
	}
}

question window_question(const window_params *p)
{
	bool named = p->match || p->mode == WINDOW_LIST;

	return (question){ .need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES, .must = named ? MUST_NVTX : MUST_CUDA,
		.scope = named ? WINDOW_GPU_WORK_OR_EVENTS : WINDOW_GPU_WORK, .warn_lost = true,
		.empty = "no range was chosen; nsq-window --list shows the names of ranges" };
}

static const char *const picks[] = { "middle", "first", "last", "longest", "shortest", "all" };

bool window_pick_named(const char *text, window_params *p)
{
	for (size_t i = 0; i < sizeof picks / sizeof *picks; i++)
		if (strcmp(text, picks[i]) == 0) {
			p->pick = (enum window_pick)i;
			return true;
		}
	p->pick = WINDOW_INDEX;
	return number_int(text, &p->index) && p->index >= 0;
}

/* The ranges of each process, projected on one GPU or on all; found when first needed. */
typedef struct {
	int64_t device;         /* -1: all */
	projection *projection;
	steps *of;              /* by process; rule NULL: not found yet */
} found;

typedef struct {                /* the answer for a trace */
	asking a;
	const window_params *p;
	vec(found) found;
	arena texts;
} answering;

static const found *found_on(answering *x, int64_t device)
{
	for (size_t i = 0; i < x->found.n; i++)
		if (x->found.v[i].device == device)
			return &x->found.v[i];
	vec_push(&x->found, (found){ device, projection_build(x->a.t, device), mem_new(steps, x->a.t->nprocs) });
	return &x->found.v[x->found.n - 1];
}

static const steps *steps_of(answering *x, const found *f)
{
	uint32_t proc = x->a.w->proc;
	steps *st = &f->of[proc];

	if (!st->rule)
		*st = x->p->mode == WINDOW_LIST ? steps_match(x->a.t, f->projection, proc, x->p->match, false) :
			steps_find(x->a.t, f->projection, proc, x->p->match, x->p->cpu);
	return st;
}

/* If windows were given, only what touches them counts. */
static bool wanted(const asking *a, const step *s)
{
	return !a->all->asked || window_has(a->w, &a->w->gpu, s->gpu.a, s->gpu.b);
}

/* The window of a step: with --period, up to the start of the next one, if that is later. */
static ival window_of(const window_params *p, const steps *st, size_t i)
{
	ival w = st->v[i].gpu;

	if (p->period && i + 1 < st->n && st->v[i + 1].gpu.a > w.a)
		w.b = st->v[i + 1].gpu.a;
	return w;
}

static int64_t length_of(const window_params *p, const steps *st, size_t i)
{
	ival w = window_of(p, st, i);

	return w.b - w.a;
}

/* Which of the steps to show: [*lo, *hi). */
static void picked(const window_params *p, const steps *st, size_t *lo, size_t *hi)
{
	size_t at = 0, n = st->n;

	if (p->pick == WINDOW_MIDDLE)
		at = n / 2;
	else if (p->pick == WINDOW_LAST)
		at = n ? n - 1 : 0;
	else if (p->pick == WINDOW_INDEX)
		at = p->index < (int64_t)n ? (size_t)p->index : n;
	for (size_t i = 1; i < n; i++)
		if ((p->pick == WINDOW_LONGEST && length_of(p, st, i) > length_of(p, st, at)) ||
		    (p->pick == WINDOW_SHORTEST && length_of(p, st, i) < length_of(p, st, at)))
			at = i;
	*lo = p->pick == WINDOW_ALL ? 0 : at;
	*hi = p->pick == WINDOW_ALL ? n : at < n ? at + 1 : at;
}

/* NAME#INDEX, and the CPU side if it differs from what the row cites. */
static const char *window_name(answering *x, const char *name, size_t i, ival gpu, ival cpu)
{
	if (gpu.a == cpu.a && gpu.b == cpu.b)
		return arena_printf(&x->texts, "%s#%zu", name, i);
	return arena_printf(&x->texts, "%s#%zu@%lld..%lld", name, i, (long long)cpu.a, (long long)cpu.b);
}

static void step_row(answering *x, const steps *st, size_t i)
{
	const step *s = &st->v[i];
	const trace *t = x->a.t;
	ival show = window_of(x->p, st, i);
	int64_t next = i + 1 < st->n ? st->v[i + 1].gpu.a - s->gpu.a : TABLE_MISSING;
	const char *name = str_at(&t->names, s->name);
	table *out = x->a.out;

	if (x->p->period && next <= 0 && strcmp(st->rule, "process") != 0 && x->p->pick != WINDOW_ALL)
		notes_remark(x->a.say, "'%s' #%zu of process %s in '%s' has no later range to end at; it ends with its own "
			     "work", name ? name : "-", i, t->procs[x->a.w->proc].shown, t->path);
	asking_row_at(&x->a, x->a.w->proc, show.a, show.b);
	table_int(out, CPU_START_NS, s->cpu.a);
	table_int(out, CPU_END_NS, s->cpu.b);
	table_int(out, DUR_NS, show.b - show.a);
	table_int(out, PERIOD_NS, next);
	table_int(out, WORK, (int64_t)s->work);
	table_int(out, INDEX, (int64_t)i);
	table_int(out, COUNT, (int64_t)st->n);
	table_word(out, RULE, st->rule);
	table_name(out, NAME, s->name);
	table_text(out, COL_WINDOW, window_name(x, name ? name : "-", i, show, s->cpu));
}

/* Remarks on the steps of a process. */
static void say_of(answering *x, const steps *st, size_t lo, size_t hi)
{
	const trace *t = x->a.t;
	const char *pid = t->procs[x->a.w->proc].shown;
	size_t workless = 0;

	for (size_t i = lo; i < hi; i++)
		workless += !st->v[i].work && !x->p->cpu;
	if (workless)
		notes_remark(x->a.say, "%zu of the ranges of process %s in '%s' launched no work; their CPU times are shown",
			     workless, pid, t->path);
	if (st->n && strcmp(st->rule, "process") == 0 && t->pushpop.n + t->startend.n)
		notes_remark(x->a.say, "no repeated step in process %s of '%s', so the window is the whole process; choose a "
			     "range with -m REGEX (--list shows them)", pid, t->path);
	if (st->n && lo == hi)
		notes_remark(x->a.say, "process %s in '%s' has %zu such ranges; there is no '--pick %lld'", pid, t->path, st->n,
			     (long long)x->p->index);
}

/* False if there are ranges but none with the number that was asked for. */
static bool pick_steps(answering *x)
{
	const steps *all = steps_of(x, found_on(x, x->a.w->device));
	steps st = { .rule = all->rule };
	size_t lo, hi;
	bool ok;

	for (size_t i = 0; i < all->n; i++)
		if (wanted(&x->a, &all->v[i]))
			vec_push(&st, all->v[i]);
	picked(x->p, &st, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		step_row(x, &st, i);
	say_of(x, &st, lo, hi);
	ok = lo < hi || !st.n;
	steps_free(&st);
	return ok;
}

static void list_names(answering *x)
{
	const found *f = found_on(x, x->a.w->device);
	const steps *st = steps_of(x, f);
	group g = { .width = 1 };
	vec(step_sum) sums = { 0 };
	table *out = x->a.out;

	for (size_t i = 0; i < st->n; i++)
		if (wanted(&x->a, &st->v[i])) {
			size_t k = group_of(&g, (int64_t[]){ str_fold(&x->a.t->names, st->v[i].name) });
			if (k == sums.n)
				vec_push(&sums, (step_sum){ 0 });
			steps_add(&sums.v[k], f->projection, x->a.w->proc, &st->v[i]);
		}
	for (size_t k = 0; k < g.n; k++) {
		asking_row(&x->a);
		table_int(out, COL_GPU, TABLE_MISSING);
		table_int(out, COUNT, sums.v[k].count);
		table_int(out, WORK, sums.v[k].work);
		table_int(out, GPU_NS, sums.v[k].gpu_ns);
		table_name(out, NAME, (uint32_t)g.key[k]);
	}
	vec_free(&sums);
	group_free(&g);
}

static void unload(answering *x)
{
	for (size_t i = 0; i < x->found.n; i++) {
		for (size_t p = 0; p < x->a.t->nprocs; p++)
			steps_free(&x->found.v[i].of[p]);
		free(x->found.v[i].of);
		projection_free(x->found.v[i].projection);
	}
	vec_free(&x->found);
	arena_free(&x->texts);
}

bool window_answer(trace *t, const windows *all, const window_params *p, table *out, notes *say)
{
	answering x = { .p = p };
	bool any = !all->n;

	if (!out->cols.n)
		window_columns(p, out);
	x.a = asking_begin(t, all, out, say);
	while (asking_window(&x.a))
		if (p->mode == WINDOW_LIST) {
			list_names(&x);
			any = true;
		} else {
			any |= pick_steps(&x);
		}
	unload(&x);
	return any || notes_problem(say, EXIT_WRONG, "no process in '%s' has a range number '%lld'; --pick all shows "
				    "all of them", t->path, (long long)p->index);
}
