#include "step/steps.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/name_numbers.h"
#include "base/search.h"
#include "base/sort.h"
#include "step/annotated_steps.h"
#include "step/repeats.h"

#include <string.h>

const char *steps_rule_name(enum steps_rule rule)
{
	static const char *const names[] = { [STEPS_MATCH] = "match", [STEPS_KERNEL] = "kernel",
		[STEPS_CHUNK] = "chunk",
		[STEPS_ITERATION] = "iteration", [STEPS_REPEAT] = "repeat", [STEPS_PROCESS] = "process" };

	return names[rule];
}

enum steps_rule steps_rule_named(const char *name)
{
	enum steps_rule rule = STEPS_MATCH;

	while (rule < STEPS_PROCESS && strcmp(name, steps_rule_name(rule)) != 0)
		rule++;
	return rule;
}

typedef struct {                /* which ranges become steps, and how they are projected */
	const trace *t;
	const projection *p;
	bool cpu;
	name_match matches;
} wanted;

/* A range as a step.  *held grows by the kernel and graph time launched in it. */
static step steps_build_step(const wanted *s, uint32_t proc, int64_t start, int64_t end, uint32_t name, int64_t *held)
{
	projection_sum on_gpu = projection_of(s->p, proc, start, end);
	step st = { .cpu = { start, end }, .name = name, .work = on_gpu.work, .on_cpu = s->cpu || !on_gpu.work };

	st.gpu = st.on_cpu ? st.cpu : (ival){ on_gpu.first, on_gpu.last };
	*held = ns_add(*held, on_gpu.gpu_ns);
	return st;
}

static void steps_add_matching(wanted *s, step_set *to, const trace_ranges *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (name_match_of(&s->matches, r->name[i])) {
			uint32_t proc = s->t->threads[ranges_thread(r, i)].proc;
			step one = steps_build_step(s, proc, r->start[i], r->end[i], r->name[i], &to->held_ns);
			vec_push(&to->of[proc], one);
		}
}

typedef struct {
	const trace *t;
	const steps *st;
} order_ctx;

static int steps_compare_starts(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const step *x = &c->st->v[a], *y = &c->st->v[b];

	return x->cpu.a != y->cpu.a ? sort_3way(x->cpu.a, y->cpu.a) :
		x->cpu.b != y->cpu.b ? -sort_3way(x->cpu.b, y->cpu.b) :
		str_cmp(&c->t->names, x->name, y->name);
}

static void steps_sort_by_start(const trace *t, steps *st)
{
	order_ctx ctx = { t, st };
	uint32_t *order = sort_order(st->n, steps_compare_starts, &ctx);

	sort_apply(st->v, order, st->n);
	free(order);
}

static step_set steps_build_set(const trace *t, const projection *p, enum steps_rule rule)
{
	step_set s = { .rule = rule, .name = STR_NONE, .runner_up = STR_NONE, .of = mem_new(steps, t->nprocs),
		.n = t->nprocs };

	for (uint32_t i = 0; i < t->nprocs; i++) {
		s.of[i].rule = rule;
		s.of[i].after.name = STR_NONE;
		s.kernel_ns = ns_add(s.kernel_ns, projection_kernel_ns(p, i));
	}
	return s;
}

step_set steps_match(const trace *t, const projection *p, const pattern *re, bool cpu)
{
	wanted s = { t, p, cpu, { .re = re, .names = &t->names } };
	step_set to = steps_build_set(t, p, STEPS_MATCH);

	steps_add_matching(&s, &to, &t->pushpop);
	steps_add_matching(&s, &to, &t->startend);
	name_match_free(&s.matches);
	for (size_t i = 0; i < to.n; i++)
		steps_sort_by_start(t, &to.of[i]);
	return to;
}

void steps_add(step_sum *sum, const projection *p, uint32_t proc, const step *st)
{
	int64_t from = sum->count && sum->until > st->cpu.a ? sum->until : st->cpu.a;

	sum->count++;
	if (from < st->cpu.b) {
		projection_sum more = projection_of(p, proc, from, st->cpu.b);
		sum->work += (int64_t)more.work;
		sum->gpu_ns = ns_add(sum->gpu_ns, more.gpu_ns);
	}
	if (sum->count == 1 || st->cpu.b > sum->until)
		sum->until = st->cpu.b;
}

/* ---- which rule finds the steps of a trace */

typedef struct {                /* the rule of a trace and what it found, decided once */
	trace *t;
	enum steps_rule rule;
	annotated_steps annotated;
	repeats *repeats;       /* by process: its repeats; n is 0 if nothing repeats.  NULL: the rule is chunk or
				 * iteration */
} decision;

static const char chunk_names[] = "^forward chunk .* backward chunk";

static bool steps_has_chunks(const trace *t)
{
	pattern *chunk = pattern_new(chunk_names, PATTERN_EXACT, NULL);
	name_match m = { .re = chunk, .names = &t->names };
	bool any = false;

	for (size_t i = 0; i < t->pushpop.n && !any; i++)
		any = name_match_of(&m, t->pushpop.name[i]);
	for (size_t i = 0; i < t->startend.n && !any; i++)
		any = name_match_of(&m, t->startend.name[i]);
	name_match_free(&m);
	pattern_free(chunk);
	return any;
}

static bool steps_find_repeats(const projection *p, const ival_set *warm, bool outer, decision *d)
{
	repeats_ctx *f = repeats_begin(d->t, p, warm, outer);
	bool any = false;

	d->repeats = mem_new(repeats, d->t->nprocs);
	for (uint32_t proc = 0; proc < d->t->nprocs; proc++)
		any |= repeats_find(f, proc, &d->repeats[proc]);
	repeats_end(f);
	return any;
}

static void *steps_decide(trace *t, int64_t outer)
{
	decision *d = mem_new(decision, 1);
	ival_set *warm;
	const projection *p;
	projection *without_warm;

	d->t = t;
	d->rule = STEPS_CHUNK;
	if (steps_has_chunks(t))
		return d;
	warm = warm_up_find(t);
	without_warm = warm ? projection_without(t, warm) : NULL;
	p = without_warm ? without_warm : projection_on(t, -1);
	d->annotated = annotated_steps_find(t, p, warm);
	d->rule = d->annotated.name != STR_NONE ? STEPS_ITERATION :
		steps_find_repeats(p, warm, outer, d) ? STEPS_REPEAT : STEPS_PROCESS;
	if (without_warm)
		projection_free(without_warm);
	warm_up_free(t, warm);
	return d;
}

static void steps_free_decision(void *made)
{
	decision *d = made;

	annotated_steps_free(&d->annotated);
	for (size_t i = 0; d->repeats && i < d->t->nprocs; i++)
		repeats_free(&d->repeats[i]);
	mem_free(d->repeats, d);
}

static const decision *steps_decision_of(trace *t, bool outer)
{
	return trace_keep(t, steps_decide, outer, steps_free_decision);
}

/* ---- the steps, projected on one GPU or on all */

static step_set steps_take_chunks(const trace *t, const projection *p, bool cpu)
{
	pattern *chunk = pattern_new(chunk_names, PATTERN_EXACT, NULL);
	step_set s = steps_match(t, p, chunk, cpu);

	pattern_free(chunk);
	s.rule = STEPS_CHUNK;
	for (size_t i = 0; i < s.n; i++)
		s.of[i].rule = STEPS_CHUNK;
	return s;
}

static step_set steps_take_annotated(const trace *t, const projection *p, const annotated_steps *a, bool cpu)
{
	step_set s = steps_build_set(t, p, STEPS_ITERATION);
	wanted w = { .t = t, .p = p, .cpu = cpu };

	s.name = a->name;
	for (uint32_t proc = 0; proc < t->nprocs; proc++) {
		for (size_t i = a->first[proc]; i < a->first[proc + 1]; i++) {
			uint32_t r = a->ranges[i];
			vec_push(&s.of[proc], steps_build_step(&w, proc, t->pushpop.start[r], t->pushpop.end[r],
							       t->pushpop.name[r], &s.held_ns));
		}
		steps_sort_by_start(t, &s.of[proc]);
	}
	return s;
}

/* A stretch of work as a step.  On the GPU, it goes from the first start to the last end of its work.  On the CPU, it
 * goes from its first launch to the first launch of the next stretch or, if no stretch follows, just past its last
 * launch.  *held grows by the time of its kernels and graphs. */
static step steps_build_step_of_stretch(const trace *t, const projection *p, const repeats *r, size_t i, bool cpu,
					int64_t *held)
{
	int64_t gpu = projection_gpu(p);
	step s = { .name = r->anchor, .gpu = IVAL_NOWHERE, .other_work = r->agrees && !r->agrees[i] };

	for (size_t k = r->first[i]; k < r->first[i + 1]; k++) {
		uint32_t w = r->work[k];
		if (gpu >= 0 && t->streams[t->work.stream[w]].gpu != gpu)
			continue;
		s.gpu = ival_hull(s.gpu, (ival){ t->work.start[w], t->work.end[w] });
		s.work++;
		*held = ns_add(*held, t->work.kind[w] <= WORK_GRAPH ? t->work.end[w] - t->work.start[w] : 0);
	}
	s.cpu.a = trace_launch_time(t, r->work[r->first[i]]);
	s.cpu.b = r->closed || i + 1 < r->n ? trace_launch_time(t, r->work[r->first[i + 1]]) :
		trace_launch_time(t, r->work[r->first[i + 1] - 1]) + 1;
	s.on_cpu = cpu || !s.work;
	if (s.on_cpu)
		s.gpu = s.cpu;
	return s;
}

/* The stretch that follows the last step, of which only the starts are set.  Its name is STR_NONE if none follows. */
static step steps_build_step_after_last(const trace *t, const repeats *r, bool cpu)
{
	uint32_t k = r->closed ? r->work[r->first[r->n]] : 0;
	step s = { .name = r->closed ? r->anchor : STR_NONE, .on_cpu = cpu };

	if (r->closed) {
		s.cpu.a = trace_launch_time(t, k);
		s.gpu.a = cpu ? s.cpu.a : t->work.start[k];
	}
	return s;
}

static step_set steps_take_repeats(const trace *t, const projection *p, const repeats *of, enum steps_rule rule,
				   bool cpu)
{
	step_set s = steps_build_set(t, p, rule);

	for (uint32_t proc = 0; proc < t->nprocs; proc++) {
		for (size_t i = 0; i < of[proc].n; i++)
			vec_push(&s.of[proc], steps_build_step_of_stretch(t, p, &of[proc], i, cpu, &s.held_ns));
		s.agree += of[proc].agree;
		s.outer += of[proc].outer;
		if (of[proc].n)
			s.of[proc].after = steps_build_step_after_last(t, &of[proc], cpu);
	}
	return s;
}

/* The number of pieces of work of a process, including those whose launch is not in the trace. */
static size_t steps_count_work(const trace *t, uint32_t proc)
{
	size_t n = 0;

	for (size_t end, l = trace_find_lanes(t, proc, &end); l < end; l++)
		n += t->lanes[l].n;
	return n;
}

/* Adds the one step of a process in which no steps were found: the whole process. */
static void steps_add_process(trace *t, step_set *s, uint32_t proc, bool cpu)
{
	const trace_proc *pr = &t->procs[proc];
	const char *name = pr->name ? pr->name : "process";
	bool on_cpu = cpu || pr->gpu.a >= pr->gpu.b;

	s->of[proc].rule = STEPS_PROCESS;
	vec_push(&s->of[proc], (step){ .cpu = pr->events, .gpu = on_cpu ? pr->events : pr->gpu, .on_cpu = on_cpu,
		.name = str_id(&t->names, name, strlen(name)), .work = steps_count_work(t, proc) });
}

/* ---- a step up to the next one */

/* The next step that starts later than step i on the same side (CPU or GPU), or the stretch after the last step; NULL:
 * there is none. */
static const step *steps_find_next(const steps *st, size_t i)
{
	for (size_t k = i + 1; k < st->n; k++)
		if (st->v[k].on_cpu == st->v[i].on_cpu && st->v[k].gpu.a > st->v[i].gpu.a)
			return &st->v[k];
	return st->after.name != STR_NONE && st->after.on_cpu == st->v[i].on_cpu &&
		st->after.gpu.a > st->v[i].gpu.a ? &st->after : NULL;
}

int64_t steps_period(const steps *st, size_t i)
{
	const step *next = steps_find_next(st, i);

	return next ? next->gpu.a - st->v[i].gpu.a : STEADY_NONE;
}

step steps_to_next(const steps *st, size_t i)
{
	const step *next = steps_find_next(st, i);
	step s = st->v[i];

	if (next) {
		s.gpu.b = next->gpu.a;
		s.cpu.b = next->cpu.a > s.cpu.a ? next->cpu.a : s.cpu.b;
	}
	return s;
}

/* Steps from each kernel whose name matches to the next. */
static step_set steps_take_kernels(trace *t, const projection *p, const pattern *re, bool cpu)
{
	repeats *of = mem_new(repeats, t->nprocs);
	step_set s;

	for (uint32_t proc = 0; proc < t->nprocs; proc++)
		repeats_cut_at_kernels(t, projection_on(t, -1), proc, re, &of[proc]);
	s = steps_take_repeats(t, p, of, STEPS_KERNEL, cpu);
	for (uint32_t proc = 0; proc < t->nprocs; proc++)
		repeats_free(&of[proc]);
	free(of);
	return s;
}

/* ---- numbers, busy time and state of each step */

static void steps_set_numbers(const trace *t, steps *st)
{
	const char **names = mem_new(const char *, st->n);
	int64_t *number = mem_new(int64_t, st->n);
	bool count_up;

	for (size_t i = 0; i < st->n; i++)
		names[i] = st->v[i].name == STR_NONE ? "" : str_at(&t->names, st->v[i].name);
	count_up = name_numbers(names, st->n, number);
	for (size_t i = 0; i < st->n; i++) {
		st->v[i].index = i;
		st->v[i].number = count_up ? number[i] : (int64_t)i;
	}
	mem_free(names, number);
}

/* Adds the busy time of a lane to each step.  Communication is left out, because it keeps a GPU busy while it waits. */
static void steps_add_busy(const trace *t, steps *st, const trace_lane *lane)
{
	vec(ival) work = { 0 };
	ival_set busy;

	for (size_t i = lane->first; i < lane->first + lane->n; i++)
		if (!trace_is_comm(t, i))
			vec_push(&work, (ival){ t->work.start[i], t->work.end[i] });
	busy = ival_union(work.v, work.n);
	ival_index(&busy);
	for (size_t i = 0; i < st->n; i++) {
		ival at = steps_to_next(st, i).gpu;
		st->v[i].busy = ns_add(st->v[i].busy, ival_within(&busy, at.a, at.b));
	}
	ival_free(&busy);
	vec_free(&work);
}

static void steps_measure_busy(const trace *t, const projection *p, uint32_t proc, steps *st)
{
	int64_t gpu = projection_gpu(p);

	for (size_t i = 0; i < st->n; i++)
		st->v[i].busy = 0;
	for (size_t end, k = trace_find_lanes(t, proc, &end); k < end; k++)
		if (gpu < 0 || t->lanes[k].gpu == gpu)
			steps_add_busy(t, st, &t->lanes[k]);
}

steady_list steps_measure(const steps *st)
{
	steady_list l = { mem_new(int64_t, st->n), mem_new(int64_t, st->n), NULL, st->n };

	if (st->n && st->v[0].busy != STEADY_NONE)
		l.busy = mem_new(int64_t, st->n);
	for (size_t i = 0; i < st->n; i++) {
		l.period[i] = steps_period(st, i);
		l.length[i] = st->v[i].gpu.b - st->v[i].gpu.a;
		if (l.busy)
			l.busy[i] = st->v[i].busy;
	}
	return l;
}

/* Fills lists with the measurements of each process that has steps of a rule other than process.  Returns the number of
 * these processes. */
static size_t steps_measure_all(const step_set *s, steady_list *lists)
{
	size_t n = 0;

	for (size_t p = 0; p < s->n; p++)
		if (s->of[p].n && s->of[p].rule != STEPS_PROCESS)
			lists[n++] = steps_measure(&s->of[p]);
	return n;
}

static void steps_free_lists(steady_list *lists, size_t n)
{
	for (size_t i = 0; i < n; i++)
		steady_list_free(&lists[i]);
}

static void steps_set_states(step_set *s)
{
	steady_list *lists = mem_new(steady_list, s->n);
	steady *found = mem_new(steady, s->n);
	size_t n = steps_measure_all(s, lists);

	steady_find(lists, n, found, true);
	for (size_t p = 0, k = 0; p < s->n; p++) {
		steps *st = &s->of[p];
		for (size_t i = 0; st->rule != STEPS_PROCESS && i < st->n; i++)
			st->v[i].state = i < found[k].first ? STEP_WARM_UP : i >= found[k].end ? STEP_LAST :
				found[k].trend ? STEP_IN_TREND : STEP_STEADY;
		k += st->n && st->rule != STEPS_PROCESS;
	}
	steps_free_lists(lists, n);
	mem_free(lists, found);
}

static void steps_set_numbers_and_states(const trace *t, const projection *p, step_set *s)
{
	steady_list *lists = mem_new(steady_list, s->n);
	size_t n;
	bool needed;

	for (uint32_t proc = 0; proc < t->nprocs; proc++) {
		for (size_t i = 0; i < s->of[proc].n; i++)
			s->of[proc].v[i].busy = STEADY_NONE;
		steps_set_numbers(t, &s->of[proc]);
	}
	n = steps_measure_all(s, lists);
	needed = steady_needs_busy(lists, n);
	steps_free_lists(lists, n);
	free(lists);
	for (uint32_t proc = 0; needed && proc < t->nprocs; proc++)
		if (s->of[proc].rule != STEPS_PROCESS)
			steps_measure_busy(t, p, proc, &s->of[proc]);
	steps_set_states(s);
}

step_set steps_find(trace *t, const projection *p, const steps_choice *choice, bool cpu)
{
	const decision *d = steps_is_chosen(choice) ? NULL : steps_decision_of(t, choice->outer);
	step_set s = choice->match ? steps_match(t, p, choice->match, cpu) :
		choice->kernel ? steps_take_kernels(t, p, choice->kernel, cpu) :
		d->rule == STEPS_CHUNK ? steps_take_chunks(t, p, cpu) :
		d->rule == STEPS_ITERATION ? steps_take_annotated(t, p, &d->annotated, cpu) :
		d->rule == STEPS_REPEAT ? steps_take_repeats(t, p, d->repeats, STEPS_REPEAT, cpu) :
		steps_build_set(t, p, STEPS_PROCESS);

	if (d && d->rule != STEPS_CHUNK) {
		s.runner_up = d->annotated.runner_up;
		s.nrunner_up = d->annotated.nrunner_up;
	}
	for (uint32_t proc = 0; d && proc < t->nprocs; proc++)
		if (!s.of[proc].n)
			steps_add_process(t, &s, proc, cpu);
	steps_set_numbers_and_states(t, p, &s);
	return s;
}

void steps_free(step_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		vec_free(&s->of[i]);
	free(s->of);
	*s = (step_set){ 0 };
}

static void *steps_build_kept(trace *t, int64_t key)
{
	step_set *s = mem_new(step_set, 1);
	steps_choice choice = steps_choice_of(key);

	*s = steps_find(t, projection_on(t, -1), &choice, false);
	return s;
}

static void steps_free_kept(void *made)
{
	steps_free(made);
	free(made);
}

const step_set *steps_of(trace *t, const steps_choice *choice)
{
	return trace_keep(t, steps_build_kept, steps_key(choice), steps_free_kept);
}
