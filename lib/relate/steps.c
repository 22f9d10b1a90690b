#include "relate/steps.h"
#include "base/memory.h"
#include "base/name_match.h"
#include "base/search.h"
#include "base/sort.h"
#include "relate/annotated_steps.h"
#include "relate/repeats.h"

#include <string.h>

typedef struct {                /* what ranges are wanted */
	const trace *t;
	const projection *p;
	bool cpu;
	name_match matches;
} wanted;

/* Add a range, and return the kernel and graph time launched in it. */
static int64_t take(const wanted *s, uint32_t proc, steps *to, int64_t start, int64_t end, uint32_t name)
{
	projection_sum on_gpu = projection_of(s->p, proc, start, end);
	step st = { .cpu = { start, end }, .name = name, .work = on_gpu.work, .on_cpu = s->cpu || !on_gpu.work };

	st.gpu = st.on_cpu ? st.cpu : (ival){ on_gpu.first, on_gpu.last };
	vec_push(to, st);
	return on_gpu.gpu_ns;
}

static void take_matching(wanted *s, step_set *to, const trace_ranges *r)
{
	for (size_t i = 0; i < r->n; i++) {
		uint32_t proc = s->t->threads[r->thread[i]].proc;
		if (name_match_of(&s->matches, r->name[i]))
			to->held_ns = ns_add(to->held_ns, take(s, proc, &to->of[proc], r->start[i], r->end[i], r->name[i]));
	}
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

	sort_apply(st->v, order, st->n);
	free(order);
}

static step_set new_set(const trace *t, const projection *p, const char *rule)
{
	step_set s = { .rule = rule, .name = STR_NONE, .inner = STR_NONE, .of = mem_new(steps, t->nprocs), .n = t->nprocs };

	for (uint32_t i = 0; i < t->nprocs; i++) {
		s.of[i].rule = rule;
		s.of[i].after.name = STR_NONE;
		s.kernel_ns = ns_add(s.kernel_ns, projection_kernel_ns(p, i));
	}
	return s;
}

step_set steps_match(const trace *t, const projection *p, const regex_t *re, bool cpu)
{
	wanted s = { t, p, cpu, { .re = re, .names = &t->names } };
	step_set to = new_set(t, p, "match");

	take_matching(&s, &to, &t->pushpop);
	take_matching(&s, &to, &t->startend);
	name_match_free(&s.matches);
	for (size_t i = 0; i < to.n; i++)
		sort_steps(t, &to.of[i]);
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

static bool is_empty(const step_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->of[i].n)
			return false;
	return true;
}

/* DualPipeV chunks. */
static step_set find_chunks(const trace *t, const projection *p, bool cpu)
{
	regex_t chunk;
	char buf[80];
	step_set s;

	pattern_compile(&chunk, "^forward chunk .* backward chunk", REG_NOSUB, buf, sizeof buf);
	s = steps_match(t, p, &chunk, cpu);
	regfree(&chunk);
	s.rule = "chunk";
	for (size_t i = 0; i < s.n; i++)
		s.of[i].rule = "chunk";
	return s;
}

static step_set find_annotated(trace *t, const projection *p, bool cpu)
{
	step_set s = new_set(t, p, "iteration");
	annotated_steps a = annotated_steps_find(t, p);
	wanted w = { .t = t, .p = p, .cpu = cpu };

	s.name = a.name;
	s.inner = a.inner;
	s.ninner = a.ninner;
	for (uint32_t proc = 0; proc < t->nprocs; proc++) {
		for (size_t i = a.first[proc]; i < a.first[proc + 1]; i++) {
			uint32_t r = a.ranges[i];
			s.held_ns = ns_add(s.held_ns, take(&w, proc, &s.of[proc], t->pushpop.start[r], t->pushpop.end[r],
							   t->pushpop.name[r]));
		}
		sort_steps(t, &s.of[proc]);
	}
	annotated_steps_free(&a);
	return s;
}

static int64_t launched_at(const trace *t, uint32_t work)
{
	return t->calls.start[t->work.launch[work]];
}

/* A stretch of kernels: on the GPU from the start of its anchor to the last end, on the CPU from the launch of its anchor
 * to that of the next. */
static step stretch(const trace *t, const repeats *r, size_t i, bool cpu)
{
	size_t from = r->first[i], to = r->first[i + 1];
	uint32_t anchor = r->kernels[from];
	step s = { .name = r->anchor, .work = to - from, .on_cpu = cpu };

	s.gpu = (ival){ t->work.start[anchor], t->work.end[anchor] };
	for (size_t k = from; k < to; k++)
		s.gpu.b = t->work.end[r->kernels[k]] > s.gpu.b ? t->work.end[r->kernels[k]] : s.gpu.b;
	s.cpu.a = launched_at(t, anchor);
	s.cpu.b = r->closed || i + 1 < r->n ? launched_at(t, r->kernels[to]) : launched_at(t, r->kernels[to - 1]) + 1;
	if (cpu)
		s.gpu = s.cpu;
	return s;
}

/* The occurrence of the anchor that ends the last stretch. */
static step after_last(const trace *t, const repeats *r, bool cpu)
{
	uint32_t k = r->closed ? r->kernels[r->first[r->n]] : 0;
	step s = { .name = r->closed ? r->anchor : STR_NONE, .on_cpu = cpu };

	if (r->closed) {
		s.cpu.a = launched_at(t, k);
		s.gpu.a = cpu ? s.cpu.a : t->work.start[k];
	}
	return s;
}

static step_set find_repeats(const trace *t, const projection *p, bool cpu)
{
	step_set s = new_set(t, p, "repeat");

	for (uint32_t proc = 0; proc < t->nprocs; proc++) {
		repeats r;
		if (!repeats_find(t, p, proc, &r))
			continue;
		for (size_t i = 0; i < r.n; i++)
			vec_push(&s.of[proc], stretch(t, &r, i, cpu));
		s.agree += r.agree;
		s.of[proc].after = after_last(t, &r, cpu);
		for (size_t i = r.first[0]; i < r.first[r.n]; i++)
			s.held_ns = ns_add(s.held_ns, t->work.end[r.kernels[i]] - t->work.start[r.kernels[i]]);
		repeats_free(&r);
	}
	return s;
}

/* Pieces of work of a process, launched in the trace or not. */
static size_t count_work(const trace *t, uint32_t proc)
{
	size_t n = 0;

	for (size_t l = 0; l < t->nlanes; l++)
		n += t->lanes[l].proc == proc ? t->lanes[l].n : 0;
	return n;
}

/* A process that has no steps is one as a whole. */
static void take_whole(trace *t, step_set *s, uint32_t proc, bool cpu)
{
	const trace_proc *pr = &t->procs[proc];
	const char *name = pr->name ? pr->name : "process";
	bool on_cpu = cpu || pr->gpu.a >= pr->gpu.b;

	s->of[proc].rule = "process";
	vec_push(&s->of[proc], (step){ .cpu = pr->events, .gpu = on_cpu ? pr->events : pr->gpu, .on_cpu = on_cpu,
		.name = str_id(&t->names, name, strlen(name)), .work = count_work(t, proc) });
}

step_set steps_find(trace *t, const projection *p, const regex_t *re, bool cpu)
{
	step_set s;

	if (re)
		return steps_match(t, p, re, cpu);
	s = find_chunks(t, p, cpu);
	if (is_empty(&s)) {
		steps_free(&s);
		s = find_annotated(t, p, cpu);
	}
	if (is_empty(&s)) {
		steps_free(&s);
		s = find_repeats(t, p, cpu);
	}
	if (is_empty(&s))
		s.rule = "process";
	for (uint32_t proc = 0; proc < t->nprocs; proc++)
		if (!s.of[proc].n)
			take_whole(t, &s, proc, cpu);
	return s;
}

void steps_free(step_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		vec_free(&s->of[i]);
	free(s->of);
	*s = (step_set){ 0 };
}
