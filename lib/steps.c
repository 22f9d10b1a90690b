#include "steps.h"
#include "group.h"
#include "mem.h"
#include "pattern.h"
#include "sort.h"

#include <string.h>

typedef struct {
	const trace *t;
	const project *p;
	uint32_t proc;
	bool cpu;
	signed char *matches;   /* by name: 1 yes, -1 no, 0 not asked */
} search;

static bool name_matches(search *s, const regex_t *re, uint32_t name)
{
	if (!re)
		return true;
	if (name == STR_NONE)
		return false;
	if (!s->matches[name])
		s->matches[name] = pattern_matches(re, s->t->names.text[name]) ? 1 : -1;
	return s->matches[name] > 0;
}

static void take(search *s, steps *to, int64_t start, int64_t end, uint32_t name)
{
	project_sum on_gpu = project_of(s->p, s->proc, start, end);
	step st = { .cpu = { start, end }, .name = name, .work = on_gpu.work };

	st.gpu = s->cpu || !on_gpu.work ? st.cpu : (ival){ on_gpu.first, on_gpu.last };
	vec_push(to, st);
}

static void take_matching(search *s, steps *to, const trace_ranges *r, const regex_t *re)
{
	for (size_t i = 0; i < r->n; i++)
		if (s->t->threads[r->thread[i]].proc == s->proc && name_matches(s, re, r->name[i]))
			take(s, to, r->start[i], r->end[i], r->name[i]);
}

typedef struct {
	const trace *t;
	const steps *st;
} order_ctx;

static int by_start(uint32_t a, uint32_t b, const void *ctx)
{
	const order_ctx *c = ctx;
	const step *x = &c->st->v[a], *y = &c->st->v[b];

	return x->cpu.a != y->cpu.a ? sort_3way(x->cpu.a, y->cpu.a) :
		x->cpu.b != y->cpu.b ? -sort_3way(x->cpu.b, y->cpu.b) :
		str_cmp(&c->t->names, x->name, y->name);
}

static void sort_steps(const trace *t, steps *st)
{
	order_ctx ctx = { t, st };
	uint32_t *order = sort_order(st->n, by_start, &ctx);

	sort_apply(st->v, sizeof *st->v, order, st->n);
	free(order);
}

steps steps_match(const trace *t, const project *p, uint32_t proc, const regex_t *re, bool cpu)
{
	search s = { t, p, proc, cpu, mem_new(signed char, t->names.n) };
	steps st = { .rule = "match" };

	take_matching(&s, &st, &t->pushpop, re);
	take_matching(&s, &st, &t->startend, re);
	free(s.matches);
	sort_steps(t, &st);
	return st;
}

void steps_add(step_sum *sum, const project *p, uint32_t proc, const step *st)
{
	int64_t from = sum->count && sum->until > st->cpu.a ? sum->until : st->cpu.a;

	sum->overlap |= from > st->cpu.a;
	sum->workless |= !st->work;
	sum->count++;
	sum->cpu_ns = ns_add(sum->cpu_ns, st->cpu.b - st->cpu.a);
	if (from < st->cpu.b) {
		project_sum more = project_of(p, proc, from, st->cpu.b);
		sum->work += (int64_t)more.work;
		sum->gpu_ns = ns_add(sum->gpu_ns, more.gpu_ns);
	}
	if (sum->count == 1 || st->cpu.b > sum->until)
		sum->until = st->cpu.b;
}

/* Kernel and graph time of a process. */
static int64_t process_time(const trace *t, uint32_t proc)
{
	int64_t sum = 0;

	for (size_t l = 0; l < t->nlanes; l++)
		for (size_t i = t->lanes[l].first; t->lanes[l].proc == proc &&
		     i < t->lanes[l].first + t->lanes[l].n; i++)
			if (t->work.kind[i] <= WORK_GRAPH)
				sum = ns_add(sum, t->work.end[i] - t->work.start[i]);
	return sum;
}

/* Iterations: of the folded names outside NCCL's domain that occur three times or more, never
 * overlap themselves, launch work each time, and together hold half of the kernel and graph time,
 * the one with the longest CPU time. */
static steps iterations(trace *t, const project *p, uint32_t proc, bool cpu)
{
	const trace_ranges *r = &t->pushpop;
	search s = { t, p, proc, cpu, NULL };
	steps ranges = { .rule = "iteration" };
	group g = { .width = 1 };
	vec(step_sum) sums = { 0 };
	int64_t half = process_time(t, proc) / 2 + process_time(t, proc) % 2;
	uint32_t best = STR_NONE;
	int64_t longest = -1;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (t->threads[r->thread[i]].proc == proc && !t->domains[r->domain[i]].nccl && r->name[i] != STR_NONE)
			take(&s, &ranges, r->start[i], r->end[i], r->name[i]);
	sort_steps(t, &ranges);
	for (size_t i = 0; i < ranges.n; i++) {
		size_t k = group_of(&g, (int64_t[]){ str_fold(&t->names, ranges.v[i].name) });
		if (k == sums.n)
			vec_push(&sums, (step_sum){ 0 });
		steps_add(&sums.v[k], p, proc, &ranges.v[i]);
	}
	for (size_t k = 0; k < g.n; k++) {
		const step_sum *u = &sums.v[k];
		uint32_t name = (uint32_t)g.key[k];
		if (u->count < 3 || u->overlap || u->workless || u->gpu_ns < half)
			continue;
		if (u->cpu_ns > longest || (u->cpu_ns == longest && str_cmp(&t->names, name, best) < 0)) {
			longest = u->cpu_ns;
			best = name;
		}
	}
	for (size_t i = 0; i < ranges.n; i++)
		if (best != STR_NONE && str_fold(&t->names, ranges.v[i].name) == best)
			ranges.v[n++] = ranges.v[i];
	ranges.n = n;
	group_free(&g);
	vec_free(&sums);
	return ranges;
}

/* Pieces of work of a process, launched in the trace or not. */
static size_t count_work(const trace *t, uint32_t proc)
{
	size_t n = 0;

	for (size_t l = 0; l < t->nlanes; l++)
		n += t->lanes[l].proc == proc ? t->lanes[l].n : 0;
	return n;
}

steps steps_find(trace *t, const project *p, uint32_t proc, const regex_t *re, bool cpu)
{
	const trace_proc *pr = &t->procs[proc];
	const char *name = pr->name ? pr->name : "process";
	static const regex_t *chunk;
	steps st;

	if (re)
		return steps_match(t, p, proc, re, cpu);
	if (!chunk)
		chunk = pattern_compile("-m", "^forward chunk .* backward chunk");
	st = steps_match(t, p, proc, chunk, cpu);
	st.rule = "chunk";
	if (st.n)
		return st;
	steps_free(&st);
	st = iterations(t, p, proc, cpu);
	if (st.n)
		return st;
	st.rule = "process";
	vec_push(&st, (step){ .cpu = pr->events, .gpu = cpu || pr->gpu.a >= pr->gpu.b ? pr->events : pr->gpu,
		.name = str_id(&t->names, name, strlen(name)), .work = count_work(t, proc) });
	return st;
}

void steps_free(steps *st)
{
	vec_free(st);
}
