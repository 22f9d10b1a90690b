#include "answer/advise_parts.h"
#include "base/name_match.h"
#include "base/search.h"
#include "launch/compute_stalls.h"
#include "step/steps.h"
#include "launch/projection.h"

static const table_col all_columns[] = { TABLE_COLS(ADVISE_COLUMNS) };

static void advise_list_columns(const void *params, table *out)
{
	const advise_params *p = params;

	if (p->mode == ADVISE_VERDICT)
		table_columns(out, all_columns, A_STEPS, A_STEP_NS, A_TYPICAL_NS, A_BUSY_NS, A_COPY_NS, A_CPU_NS,
			      A_WAIT_NS, A_IDLE_NS, A_BOUND);
	else
		table_columns(out, all_columns, A_SEVERITY, A_KIND, A_RECOVER_NS, A_RECOVER_PCT, A_STEPS, A_WHERE,
			      A_FINDING, A_EVIDENCE, A_ADVICE);
	out->given_order = true;
}

static question advise_make_question(const void *params)
{
	const advise_params *p = params;

	return (question){ .need = advise_tables_need(), .must = MUST_CUDA | (p->choice.match ? MUST_NVTX : 0),
		.scope = WINDOW_GPU_WORK, .finds_steps = true, .match = p->choice.match,
		.choice = p->choice, .comm = p->comm,
		.warn_lost = true, .warn_shared = true, .warn_clocks = true,
		.mention_graphs = true, .mention_silence = true,
		.replayed = REPLAYED_KERNELS, .captured = p->captured };
}

advise_job *advise_begin(job *shared)
{
	advise_job *j = mem_new(advise_job, 1);

	j->tables = advise_tables_new(shared);
	j->keys.width = 3;
	j->places = sums_by(2, sizeof(int64_t));
	return j;
}

void advise_end(advise_job *j)
{
	step_survey_free(&j->steps);
	advise_tables_free(j->tables);
	mem_free(j->found.v, j->about.v, j->verdicts[0].v, j->verdicts[1].v);
	group_free(&j->keys);
	sums_free(&j->places);
	str_free(&j->ranges);
	arena_free(&j->texts);
	free(j);
}

advise_tables *advise_tables_of(const advise_job *j)
{
	return j->tables;
}

const advise_about *advise_about_row(const advise_job *j, size_t row)
{
	return &j->about.v[row];
}

const char *const *advise_sentences(const advise_job *j, bool shares, size_t *n)
{
	*n = j->verdicts[shares].n;
	return j->verdicts[shares].v;
}

static void advise_survey_trace(trace *t, const void *params, notes *say)
{
	const advise_params *p = params;

	arrivals_add(p->job->tables->ranks, t, say);
	step_survey_add(&p->job->steps, t, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
			&p->choice);
}

const table *advise_steps(advise_job *j, const steps_choice *choice)
{
	return table_rows(&j->steps.rows) ? step_survey_rows(&j->steps, choice) : NULL;
}

/* Does the window hold all GPU work of its process?  It does if no steps were found. */
static bool advise_is_whole(const trace *t, const window *w)
{
	ival hull = window_hull(&w->gpu), all = t->procs[w->proc].gpu;

	return hull.a <= all.a && hull.b >= all.b;
}

/* Remove n intervals from a side of a window, unless nothing of it would be left. */
static void advise_remove_from_side(ival_set *side, const ival *removed, size_t n)
{
	ival_set all = ival_union(removed, n), rest = ival_without(side, &all);

	ival_free(&all);
	ival_free(rest.n ? side : &rest);
	if (rest.n)
		*side = rest;
}

/* In the window of a process without steps, leave out ranges whose names say warm-up, and the CPU time before and after
 * the GPU work. */
static void advise_leave_out_warm_up(trace *t, window *w)
{
	const projection *p = projection_on(t, -1);
	const around *a = around_of(t, AROUND_RANGES);
	uint32_t end, first = trace_find_threads(t, w->proc, &end);
	vec(ival) gpu = { 0 }, cpu = { 0 };
	pattern *re = pattern_new("warm.?up", PATTERN_ANY_CASE, NULL);
	name_match warm = { .re = re, .names = &t->names };

	ival_free(&w->cpu);
	ival_add(&w->cpu, window_hull(&w->gpu).a, window_hull(&w->gpu).b);
	for (size_t i = a->first[first]; i < a->first[end]; i++) {
		projection_sum s;
		if (!name_match_of(&warm, t->pushpop.name[i]))
			continue;
		s = projection_of(p, w->proc, t->pushpop.start[i], t->pushpop.end[i]);
		vec_push(&cpu, (ival){ t->pushpop.start[i], t->pushpop.end[i] });
		if (s.work)
			vec_push(&gpu, (ival){ s.first, s.last });
	}
	name_match_free(&warm);
	pattern_free(re);
	if (gpu.n)
		advise_remove_from_side(&w->gpu, gpu.v, gpu.n);
	if (cpu.n)
		advise_remove_from_side(&w->cpu, cpu.v, cpu.n);
	mem_free(gpu.v, cpu.v);
}

static size_t advise_count_processes_at_work(const trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nprocs; i++)
		n += t->procs[i].gpu.a < t->procs[i].gpu.b;
	return n;
}

typedef struct {
	trace *t;
	const windows *all;
	const advise_params *p;
} advise_ctx;

/* Add a remark if the given windows are steps that leave out more than a twentieth of the time up to their next steps.
 * Rows of nsq-window without --period may be such steps. */
static void advise_say_time_between(const advise_ctx *x, const windows *given, notes *say)
{
	const step_set *all = steps_of(x->t, &x->p->choice);
	double between = 0, periods = 0;

	for (size_t i = 0; i < given->n; i++) {
		const steps *of = given->v[i].proc == NONE ? NULL : &all->of[given->v[i].proc];
		ival at = window_hull(&given->v[i].gpu);
		size_t k = 0;
		if (of)
			search_first(k, 0, of->n, of->v[k].gpu.a >= at.a);
		if (of && k < of->n && of->v[k].gpu.a == at.a && steps_period(of, k) != STEADY_NONE) {
			between += (double)(steps_period(of, k) - (at.b - at.a));
			periods += (double)steps_period(of, k);
		}
	}
	if (20 * between > periods)
		notes_remark(say, "these steps leave out %.0f %% of the time between them; nsq-window --period "
			     "includes it", 100 * between / periods);
}

/* Find the steps of the trace.  If the user chose windows, they are the steps in these windows.  Otherwise they come
 * from the survey of several traces, if there was one and all processes and GPUs are asked about.  Otherwise they are
 * those of this trace alone. */
static windows advise_find_steps(const void *ctx, notes *say)
{
	const advise_ctx *x = ctx;
	step_survey *s = &x->p->job->steps;
	window_filter only = { .pid = -1, .sub = -1,
			       .gpu = x->all->n && !x->all->chosen ? x->all->v[0].device : -1 };        /* of -g */
	bool surveyed = !x->all->chosen && only.gpu < 0 && x->all->n == advise_count_processes_at_work(x->t) &&
		table_rows(&s->rows);
	windows out = surveyed ? step_survey_windows(s, x->t, &only, &x->p->choice, say) :
		x->all->chosen ? step_windows_chosen(x->t, x->all, &only, &x->p->choice, say) :
		step_windows(x->t, x->all, &only, &x->p->choice, say);

	if (x->all->chosen) {
		x->p->job->chosen = true;
		advise_say_time_between(x, &out, say);
	}
	for (size_t i = 0; i < out.n; i++)
		if ((out.v[i].whole = advise_is_whole(x->t, &out.v[i])))
			advise_leave_out_warm_up(x->t, &out.v[i]);
	return out;
}

bool advise_add(trace *t, const windows *all, const advise_params *p, notes *say)
{
	advise_ctx x = { t, all, p };

	return advise_tables_add(p->job->tables, t, &(advise_tables_params){ .find_steps = advise_find_steps, .ctx = &x,
		.choice = p->choice, .captured = p->captured, .step_time = p->step_time,
		.step_time_in = p->step_time_in }, say);
}

static void advise_compute_ahead(trace *t, const void *params)
{
	const advise_params *p = params;

	compute_stalls_of(t);   /* this and owners_build compute facts that the trace keeps */
	owners_free(owners_build(t, &(owners_params){ .choice = p->choice, .captured = p->captured }));
}

static bool advise_add_trace(answer_ctx *a, const void *params)
{
	return advise_add(a->t, a->all, params, a->say);
}

/* Run all findings.  Their rows name ranges.  If no range holds most of the time of an entry of j->found, run its
 * finding again, with the source of the launch in place of a missing range. */
static bool advise_find_all(const advise_params *p, const findings *all, notes *say)
{
	advise_job *j = p->job;

	if (!findings_run(all, j->tables, advise_is_finding, advise_add_finding_rows, j, say))
		return false;
	if (p->mode == ADVISE_VERDICT || !j->tables->sources || !advise_forget_places(j, p->min_pct))
		return true;
	advise_tables_copy_sources(j->tables);
	return findings_run(all, j->tables, advise_wants_place, advise_add_places, j, say);
}

static bool advise_finish_rows(const void *params, table *out, notes *say)
{
	const advise_params *p = params;
	advise_job *j = p->job;
	findings all = { 0 };
	bool ok;

	advise_tables_end(j->tables);
	ok = findings_load(&all, p->folders, say) && advise_find_all(p, &all, say);
	if (!out->cols.n)
		advise_list_columns(p, out);
	if (ok) {
		advise_say_verdict(p, say);
		if (p->mode == ADVISE_VERDICT)
			advise_add_verdict_rows(j, out);
		else
			advise_list(p, out, say);
		if (!j->tables->units.n && j->tables->units_before.n && steps_is_chosen(&p->choice))
			notes_answer(say, "nothing to look at: no %s",
				     !p->choice.match ? "kernel has such a name" :
				     "range has such a name and launched work (nsq-window --list shows the names)");
		if (p->verdicts)
			advise_add_verdict_rows(j, p->verdicts);
		table_group(out);
	}
	findings_free(&all);
	return ok;
}

const answer advise_answer = { .all = all_columns, .columns = advise_list_columns,
	.question = advise_make_question, .survey = advise_survey_trace, .ahead = advise_compute_ahead,
	.rows = advise_add_trace, .finish = advise_finish_rows, .rows_at_end = true, .says_why_empty = true };
