/* nsq-window - which moments shall we look at? */
#include "cli/errors.h"
#include "base/group.h"
#include "base/pattern.h"
#include "relate/projection.h"
#include "cli/run.h"
#include "relate/steps.h"

#include <string.h>

enum { PICK = 1, LIST = 2 };

static const char *match, *pick = "middle";
static bool cpu, period;

static const opt options[] = {
	{ "match", 'm', "REGEX", "ranges whose name matches (default: DualPipeV chunks, else iterations, else the process)",
	  OPT_TEXT, &match, 0, 0 },
	{ "pick", 0, "WHICH", "middle first last longest shortest all, or a number from 0 (default: middle)",
	  OPT_TEXT, &pick, 0, PICK },
	{ "cpu", 0, NULL, "the range's own CPU times instead of its work on the GPU", OPT_FLAG, &cpu, 0, PICK },
	{ "period", 0, NULL, "end each window where the next begins", OPT_FLAG, &period, 0, PICK },
	{ "list", 0, NULL, "the names there are to match, folded, with their work", OPT_MODE, NULL, LIST, 0 },
	{ 0 }
};

static const table_col all[] = {
	{ "cpu_start_ns", 'i', "ns", "where the range opened on the CPU" },
	{ "cpu_end_ns", 'i', "ns", "where it closed" },
	{ "dur_ns", 'i', "ns", "length of the window" },
	{ "period_ns", 'i', "ns", "from its start_ns to that of the next" },
	{ "work", 'i', NULL, "GPU work launched in the range" },
	{ "index", 'i', NULL, "number of the range among those chosen, from 0" },
	{ "count", 'i', NULL, "how many there are" },
	{ "gpu_ns", 'i', "ns", "time of the kernels and graphs launched in them" },
	{ "rule", 't', NULL, "how it was chosen: match chunk iteration process" },
	{ "name", 't', NULL, "name of the range" },
	{ 0 }
};

static void check_pick(void)
{
	static const char *const known[] = { "middle", "first", "last", "longest", "shortest", "all" };
	int64_t n;

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(pick, known[i]) == 0)
			return;
	if (!opt_int(pick, &n) || n < 0)
		die(EXIT_WRONG, "'--pick' takes middle, first, last, longest, shortest, all or a number "
		    "from 0, not '%s'", pick);
}

static void columns(table *t)
{
	check_pick();
	if (opt_mode == LIST) {
		table_columns(t, all, "count work gpu_ns name");
		table_sort(t, "name", false);
	} else {
		table_columns(t, all, "cpu_start_ns cpu_end_ns dur_ns period_ns work index count rule name");
		table_sort(t, "start_ns", false);
	}
}

static const opt_tool tool = {
	.name = "nsq-window",
	.question = "Which moments shall we look at: the steady-state step of each rank, or named ranges?",
	.examples = { "nsq-window run.sqlite | nsq-overlap", "nsq-window -m 'decode step' --pick all run.sqlite" },
	.options = options,
	.all = all,
	.columns = columns,
};

/* The window of a step: with --period up to the start of the next, where there is a later one. */
static ival window_of(const steps *st, size_t i)
{
	ival w = st->v[i].gpu;

	if (period && i + 1 < st->n && st->v[i + 1].gpu.a > w.a)
		w.b = st->v[i + 1].gpu.a;
	return w;
}

static int64_t length_of(const steps *st, size_t i)
{
	ival w = window_of(st, i);

	return w.b - w.a;
}

/* Which of the steps to print: [*lo, *hi). */
static void picked(const steps *st, size_t *lo, size_t *hi)
{
	size_t at = 0, count = st->n;
	int64_t n;

	*lo = 0;
	*hi = count;
	if (strcmp(pick, "all") == 0)
		return;
	if (strcmp(pick, "middle") == 0)
		at = count / 2;
	else if (strcmp(pick, "last") == 0)
		at = count - 1;
	else if (strcmp(pick, "longest") == 0 || strcmp(pick, "shortest") == 0) {
		for (size_t i = 1; i < count; i++)
			if (*pick == 'l' ? length_of(st, i) > length_of(st, at) : length_of(st, i) < length_of(st, at))
				at = i;
	} else if (opt_int(pick, &n))
		at = n < (int64_t)count ? (size_t)n : count;
	*lo = at;
	*hi = at < count ? at + 1 : at;
}

static void print(session *s, const steps *st, size_t i)
{
	const step *p = &st->v[i];
	ival show = window_of(st, i);
	int64_t next = i + 1 < st->n ? st->v[i + 1].gpu.a - p->gpu.a : TABLE_MISSING;
	const char *name = str_at(&s->t->names, p->name);

	if (period && next <= 0 && strcmp(st->rule, "process") != 0 && strcmp(pick, "all") != 0)
		note("'%s' #%zu of process %lld in '%s' has no later range to end at; it ends with its own work",
		     name ? name : "-", i, (long long)s->t->procs[s->w->proc].pid, s->t->path);
	session_row_at(s, s->w->proc, show.a, show.b);
	table_int(&s->out, p->cpu.a);
	table_int(&s->out, p->cpu.b);
	table_int(&s->out, show.b - show.a);
	table_int(&s->out, next);
	table_int(&s->out, (int64_t)p->work);
	table_int(&s->out, (int64_t)i);
	table_int(&s->out, (int64_t)st->n);
	table_text(&s->out, st->rule);
	table_text(&s->out, name);
	table_text(&s->out, mem_printf("%s#%zu", name ? name : "-", i));
	table_text(&s->out, s->t->path);
}

/* All the steps of a process, found when they are first asked for. */
typedef struct {
	project *project;
	steps *of;              /* by process; rule NULL: not found yet */
} loaded;

static const steps *steps_of(session *s, loaded *l, const regex_t *re)
{
	steps *st = &l->of[s->w->proc];

	if (!st->rule)
		*st = opt_mode == LIST ? steps_match(s->t, l->project, s->w->proc, re, false) :
			steps_find(s->t, l->project, s->w->proc, re, cpu);
	return st;
}

static bool pick_windows(session *s, loaded *l, const regex_t *re)
{
	const steps *all_steps = steps_of(s, l, re);
	steps st = { .rule = all_steps->rule };
	size_t lo, hi, workless = 0;
	bool found;

	for (size_t i = 0; i < all_steps->n; i++)   /* a window asked for keeps what touches it */
		if (!s->asked || window_has(&s->w->gpu, all_steps->v[i].gpu.a, all_steps->v[i].gpu.b))
			vec_push(&st, all_steps->v[i]);
	picked(&st, &lo, &hi);
	for (size_t i = lo; i < hi; i++) {
		print(s, &st, i);
		workless += !st.v[i].work && !cpu;
	}
	if (workless)
		note("%zu of the ranges of process %lld in '%s' launched no work; their CPU times are shown",
		     workless, (long long)s->t->procs[s->w->proc].pid, s->t->path);
	if (st.n && strcmp(st.rule, "process") == 0 && s->t->pushpop.n + s->t->startend.n)
		note("no repeated step in process %lld of '%s', so all of it is taken; choose a range with -m REGEX "
		     "(--list shows them)", (long long)s->t->procs[s->w->proc].pid, s->t->path);
	if (st.n && lo == hi)
		note("process %lld in '%s' has %zu such ranges; there is no '--pick %s'",
		     (long long)s->t->procs[s->w->proc].pid, s->t->path, st.n, pick);
	found = lo < hi || !st.n;
	steps_free(&st);
	return found;
}

static void list(session *s, loaded *l, const regex_t *re)
{
	const steps *st = steps_of(s, l, re);
	group g = { .width = 1 };
	vec(step_sum) sums = { 0 };

	for (size_t i = 0; i < st->n; i++)
		if (!s->asked || window_has(&s->w->gpu, st->v[i].gpu.a, st->v[i].gpu.b)) {
			size_t k = group_of(&g, (int64_t[]){ str_fold(&s->t->names, st->v[i].name) });
			if (k == sums.n)
				vec_push(&sums, (step_sum){ 0 });
			steps_add(&sums.v[k], l->project, s->w->proc, &st->v[i]);
		}
	for (size_t k = 0; k < g.n; k++) {
		session_row(s);
		table_int(&s->out, sums.v[k].count);
		table_int(&s->out, sums.v[k].work);
		table_int(&s->out, sums.v[k].gpu_ns);
		table_text(&s->out, str_at(&s->t->names, (uint32_t)g.key[k]));
		session_row_end(s);
	}
	vec_free(&sums);
	group_free(&g);
}

int main(int argc, char **argv)
{
	session s = session_begin(&tool, argc, argv);
	const regex_t *re = pattern_compile("-m", match);
	bool any = false, tried = false;

	s.need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES;
	s.must = re || opt_mode == LIST ? SESSION_NVTX : SESSION_CUDA;
	s.def = re || opt_mode == LIST ? WINDOW_GPU_WORK_OR_EVENTS : WINDOW_GPU_WORK;
	s.warn_lost = true;
	s.empty = "no range is chosen; nsq-window --list shows the names there are";
	while (session_trace(&s)) {
		loaded l = { project_build(s.t, opt_common.gpu), mem_new(steps, s.t->nprocs) };
		while (session_window(&s)) {
			if (opt_mode == LIST)
				list(&s, &l, re);
			else
				any |= pick_windows(&s, &l, re);
			tried = true;
		}
		for (size_t i = 0; i < s.t->nprocs; i++)
			steps_free(&l.of[i]);
		free(l.of);
		project_free(l.project);
	}
	if (tried && !any && opt_mode == PICK)
		complain(EXIT_WRONG, "no process has a range number '%s'; --pick all shows those there are", pick);
	return session_end(&s);
}
