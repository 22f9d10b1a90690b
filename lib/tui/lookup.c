#include "tui/lookup.h"
#include "answer/answers.h"
#include "answer/window.h"

static const gaps_params by_cause = { .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE };
static const gaps_params busy_and_idle = { .mode = GAPS_SUMS };
static const gaps_params each_gap = { .mode = GAPS_EACH };
static const kernels_params by_name = { .mode = KERNELS_SUMS };

static window_params lookup_steps_params(bool longest)
{
	window_params p = { .mode = WINDOW_PICK, .skip = longest ? WINDOW_BY_DEFAULT : 0, .period = longest };

	window_read_picks(longest ? "longest" : "all", &p);
	return p;
}

/* Read the trace on the first call, with the data for all questions.  False after a problem, which only the first
 * call explains. */
static bool lookup_read_trace(lookup *l, notes *say)
{
	window_params all = lookup_steps_params(false);
	question gaps = gaps_answer.question(&by_cause);
	unsigned need = gaps.need | gaps.need_if_named | gaps_answer.question(&each_gap).need |
		kernels_answer.question(&by_name).need | window_answer.question(&all).need;

	if (l->t || l->failed)
		return !l->failed || notes_problem(say, EXIT_FAILED, "'%s' cannot answer that, as was said", l->path);
	l->t = trace_open(l->file, l->threads, &l->say);
	l->failed = !l->t || !question_fits(&gaps, l->t, &l->say) || !load_trace(l->t, need, NULL);
	if (l->t)
		l->t->path = l->path;
	notes_move_all(&l->say, say);
	return !l->failed;
}

/* Get the table of a tool about a process.  params: the tool's options.  time: a stretch of time; NULL: all time of
 * the process.  False after a problem. */
static bool lookup_answer_table(lookup *l, const answer *tool, const void *params, const lookup_target *target,
				const ival *time, table *out, notes *say)
{
	window_ask one = { .has_a = time, .has_b = time, .a = time ? time->a : 0, .b = time ? time->b : 0,
		.pid = target->pid, .sub = target->sub, .device = target->gpu, .shown = "marked", .row = true };
	window_asks asks = { .v = &one, .n = 1 };
	windows all;
	bool ok;

	if (!lookup_read_trace(l, say))
		return false;
	all = window_resolve(l->t, time ? &asks : NULL,
			     &(window_filter){ .pid = target->pid, .sub = target->sub, .gpu = time ? -1 : target->gpu },
			     tool->question(params).scope, say);
	ok = answer_rows(tool, l->t, &all, params, out, say);
	window_free(&all);
	if (ok && !db_unchanged(l->t->db)) {
		l->failed = true;
		ok = false;
	}
	notes_move_all(&l->say, say);
	return ok;
}

bool lookup_sum_up(lookup *l, const lookup_target *target, ival time, lookup_sums *s, notes *say)
{
	table all = { 0 };
	bool ok = lookup_answer_table(l, &gaps_answer, &busy_and_idle, target, &time, &all, say) &&
		lookup_answer_table(l, &gaps_answer, &by_cause, target, &time, &s->idle, say) &&
		lookup_answer_table(l, &kernels_answer, &by_name, target, &time, &s->kernels, say);

	if (ok && table_rows(&all)) {
		s->busy_ns = table_find(&all, 0, "busy_ns")->i;
		s->idle_ns = table_find(&all, 0, "idle_ns")->i;
	}
	table_free(&all);
	return ok;
}

void lookup_sums_free(lookup_sums *s)
{
	table_free(&s->idle);
	table_free(&s->kernels);
	*s = (lookup_sums){ 0 };
}

bool lookup_get_gap(lookup *l, const lookup_target *target, ival gap, table *row, notes *say)
{
	return lookup_answer_table(l, &gaps_answer, &each_gap, target, &gap, row, say);
}

bool lookup_get_steps(lookup *l, const lookup_target *target, bool longest, table *steps, notes *say)
{
	window_params p = lookup_steps_params(longest);

	return lookup_answer_table(l, &window_answer, &p, target, NULL, steps, say) && window_finish(&p, steps, say);
}

/* Read a trace of l->all.  With `survey`, only collect what the choice of findings must know of all traces
 * (marked_survey); otherwise, add the trace's findings to m.  False after a problem. */
static bool lookup_read_for_findings(marked *m, const lookup *l, size_t number, bool survey, notes *say)
{
	trace *t = trace_open(l->all.v[number].file, l->all.v[number].threads, say);
	bool ok = t != NULL;

	if (!t)
		return false;
	t->path = l->all.v[number].path;
	t->number = number;
	if (t->has_cuda && (ok = load_trace(t, marked_need(), l->comm))) {
		if (survey)
			marked_survey(m, t);
		else
			marked_add(m, t, (ival){ INT64_MIN, INT64_MAX });
	}
	ok = db_unchanged(t->db) && ok;
	trace_free(t);
	return ok;
}

marked *lookup_findings(const lookup *l, notes *say)
{
	marked *m = marked_new(l->comm, l->captured, NULL);
	bool ok = true;

	for (size_t i = 0; l->all.n > 1 && ok && i < l->all.n; i++)
		ok = lookup_read_for_findings(m, l, i, true, say);
	for (size_t i = 0; ok && i < l->all.n; i++)
		ok = lookup_read_for_findings(m, l, i, false, say);
	if (ok) {
		marked_end(m);
		return m;
	}
	marked_free(m);
	return NULL;
}

void lookup_free(lookup *l)
{
	if (l->t)
		trace_free(l->t);
	l->t = NULL;
	notes_free(&l->say);
	vec_free(&l->all);
}
