/* The notes about what nsq-window takes for a step, in one trace or in several. */
#include "answer/window_columns.h"
#include "base/shell.h"

#include <string.h>

/* A regular expression that matches the ranges with this folded name (with # for each number), and no others. */
static const char *window_step_summary_make_expression(arena *texts, const char *folded)
{
	const char *out = "^";

	for (; *folded; folded++)
		out = *folded == '#' ? arena_printf(texts, "%s[0-9]+", out) :
			arena_printf(texts, strchr(".[]()*+?{}|^$\\", *folded) ? "%s\\%c" : "%s%c", out, *folded);
	return arena_printf(texts, "%s$", out);
}

/* How messages refer to the steps. */
static const char *window_step_summary_name_steps(arena *texts, const trace *t, const step_set *s)
{
	if (s->rule == STEPS_REPEAT)
		return "repeats of a kernel sequence";
	return s->name == STR_NONE ? "DualPipeV chunks" :
		arena_printf(texts, "ranges '%s'", str_at(&t->names, s->name));
}

/* The ranges or repeats that would be the second choice for steps, and the option that chooses them; NULL: there is
 * none. */
static const char *window_step_summary_name_runner_up(arena *texts, const trace *t, const step_set *s)
{
	const char *name = s->runner_up == STR_NONE ? NULL : str_at(&t->names, s->runner_up);

	if (s->outer)
		return "larger repeats, which --outer takes";
	return !name ? NULL :
		       arena_printf(texts, "'%s', which -m %s chooses", name,
				    shell_word(texts, window_step_summary_make_expression(texts, name)));
}

void window_remember_step_summary(window_step_summaries *list, const trace *t, const step_set *s)
{
	struct window_step_summary summary = {
		.rule = s->rule,
		.path = arena_copy(&list->texts, t->path),
		.least = SIZE_MAX,
		.what = window_step_summary_name_steps(&list->texts, t, s),
		.agree = s->agree,
		.runner_up = window_step_summary_name_runner_up(&list->texts, t, s),
		.nrunner_up = s->outer ? s->outer : s->nrunner_up,
		.inner = s->outer,
		.share = s->kernel_ns ? 100.0 * (double)s->held_ns / (double)s->kernel_ns : 0
	};

	for (size_t i = 0; i < s->n; i++)
		if (s->of[i].rule != STEPS_PROCESS && s->of[i].n) {
			summary.n += s->of[i].n;
			summary.procs++;
			summary.least = s->of[i].n < summary.least ? s->of[i].n : summary.least;
			summary.most = s->of[i].n > summary.most ? s->of[i].n : summary.most;
		}
	for (size_t i = 0; i < list->v.n; i++)
		if (strcmp(list->v.v[i].path, t->path) == 0)
			return;
	vec_push(&list->v, summary);
}

static bool window_step_summary_is_same_kind(const struct window_step_summary *a, const struct window_step_summary *b)
{
	return a->rule == b->rule && (a->rule == STEPS_PROCESS || strcmp(a->what, b->what) == 0) &&
		strcmp(a->runner_up ? a->runner_up : "", b->runner_up ? b->runner_up : "") == 0;
}

/* Traces with steps of the same kind. */
typedef struct {
	size_t traces;                  /* how many there are */
	struct window_step_summary lo, hi;      /* the lowest and the highest values of least, most, agree, nrunner_up
						 * and share; the other members are those of the first trace */
} alike_traces;

static void window_step_summary_widen(alike_traces *a, const struct window_step_summary *k)
{
#define WIDEN(field) \
	a->lo.field = k->field < a->lo.field ? k->field : a->lo.field; \
	a->hi.field = k->field > a->hi.field ? k->field : a->hi.field
	a->traces++;
	WIDEN(least);
	WIDEN(most);
	WIDEN(agree);
	WIDEN(nrunner_up);
	WIDEN(share);
#undef WIDEN
}

/* Remove the first trace from the list, and all others with steps of the same kind. */
static alike_traces window_step_summary_remove_alike(window_step_summaries *list)
{
	alike_traces a = { .lo = list->v.v[0], .hi = list->v.v[0] };
	size_t left = 0;

	for (size_t i = 0; i < list->v.n; i++)
		if (window_step_summary_is_same_kind(&a.lo, &list->v.v[i]))
			window_step_summary_widen(&a, &list->v.v[i]);
		else
			list->v.v[left++] = list->v.v[i];
	list->v.n = left;
	return a;
}

static const char *window_step_summary_describe_span(arena *texts, size_t lo, size_t hi)
{
	return lo == hi ? arena_printf(texts, "%zu", lo) : arena_printf(texts, "%zu to %zu", lo, hi);
}

/* Write "12 steps: ranges 'step #' (100 % of kernel time)", with the processes or traces that have such steps, and a
 * note about the second choice. only: is there only one trace? */
static void window_step_summary_say_alike(arena *texts, const alike_traces *a, bool only, notes *say)
{
	const struct window_step_summary *k = &a->lo;
	bool one = a->traces == 1;
	const char *many = !one ? window_step_summary_describe_span(texts, a->lo.least, a->hi.most) :
				  window_step_summary_describe_span(texts, k->n, k->n);
	const char *where = one && only ? "" : one ? arena_printf(texts, " in '%s'", k->path) :
		arena_printf(texts, " in %s of %zu traces ('%s' and %zu more)",
			     k->rule == STEPS_PROCESS ? "any" : "each process", a->traces, k->path, a->traces - 1);
	const char *share = window_step_summary_describe_span(texts, (size_t)(a->lo.share + 0.5),
							      (size_t)(a->hi.share + 0.5));

	if (one && k->procs > 1)
		where = arena_printf(texts, "%s in %zu processes", where, k->procs);
	if (k->rule == STEPS_PROCESS)
		notes_remark(say, "no steps found%s: each process is one window (all its GPU work); -m REGEX names "
			     "some (nsq-window --list)", where);
	else if (k->rule == STEPS_REPEAT)
		notes_remark(say, "%s steps%s: %s, %s alike (%s %% of kernel time)%s", many, where, k->what,
			     window_step_summary_describe_span(texts, a->lo.agree, a->hi.agree), share,
			     k->inner ? "" : "; each may be a layer");
	else
		notes_remark(say, "%s steps%s: %s (%s %% of kernel time)", many, where, k->what, share);
	if (k->runner_up)
		notes_add(say, k->rule == STEPS_REPEAT || k->rule == STEPS_PROCESS ? NOTE_REMARK : NOTE_DETAIL,
			  "%s %s %s", k->inner ? "these steps are in" : "the next best steps are",
			  window_step_summary_describe_span(texts, a->lo.nrunner_up, a->hi.nrunner_up),
			  k->runner_up);
}

void window_say_step_summaries(window_step_summaries *summaries, notes *say)
{
	bool only = summaries->v.n == 1;

	while (summaries->v.n) {
		alike_traces a = window_step_summary_remove_alike(summaries);
		window_step_summary_say_alike(&summaries->texts, &a, only, say);
	}
	vec_free(&summaries->v);
	arena_free(&summaries->texts);
}
