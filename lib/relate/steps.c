#include "relate/steps.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/search.h"
#include "base/sort.h"

#include <string.h>

typedef struct {                /* which ranges of a process are wanted */
	const trace *t;
	const projection *p;
	uint32_t proc;
	bool cpu;
	signed char *matches;   /* by name: 1 yes, -1 no, 0 not tried yet */
} wanted;

static bool name_matches(wanted *s, const regex_t *re, uint32_t name)
{
	if (!re)
		return true;
	if (name == STR_NONE)
		return false;
	if (!s->matches[name])
		s->matches[name] = pattern_matches(re, str_at(&s->t->names, name)) ? 1 : -1;
	return s->matches[name] > 0;
}

/* Add a range, and return its GPU time. */
static int64_t take(wanted *s, steps *to, int64_t start, int64_t end, uint32_t name)
{
	projection_sum on_gpu = projection_of(s->p, s->proc, start, end);
	step st = { .cpu = { start, end }, .name = name, .work = on_gpu.work };

	st.gpu = s->cpu || !on_gpu.work ? st.cpu : (ival){ on_gpu.first, on_gpu.last };
	vec_push(to, st);
	return on_gpu.gpu_ns;
}

/* The first range of a process.  Ranges are sorted by thread, and threads by process. */
static size_t first_range(const trace *t, const trace_ranges *r, uint32_t proc)
{
	size_t i;

	search_first(i, 0, r->n, t->threads[r->thread[i]].proc >= proc);
	return i;
}

static void take_matching(wanted *s, steps *to, const trace_ranges *r, const regex_t *re)
{
	size_t end = first_range(s->t, r, s->proc + 1);

	for (size_t i = first_range(s->t, r, s->proc); i < end; i++)
		if (name_matches(s, re, r->name[i]))
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

	sort_apply(st->v, order, st->n);
	free(order);
}

steps steps_match(const trace *t, const projection *p, uint32_t proc, const regex_t *re, bool cpu)
{
	wanted s = { t, p, proc, cpu, mem_new(signed char, t->names.n) };
	steps st = { .rule = "match" };

	take_matching(&s, &st, &t->pushpop, re);
	take_matching(&s, &st, &t->startend, re);
	free(s.matches);
	sort_steps(t, &st);
	return st;
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

typedef struct {                /* the ranges of one folded name */
	uint32_t name;
	size_t first, n;
	int64_t cpu_ns;
} candidate;

typedef struct {
	const trace *t;
	const candidate *v;
} candidate_ctx;

static int range_order(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;
	const trace_ranges *r = &t->pushpop;

	return r->start[a] != r->start[b] ? sort_3way(r->start[a], r->start[b]) :
		r->end[a] != r->end[b] ? -sort_3way(r->end[a], r->end[b]) :
		str_cmp(&t->names, r->name[a], r->name[b]);
}

static int longest_first(uint32_t a, uint32_t b, const void *ctx)
{
	const candidate_ctx *c = ctx;

	return c->v[a].cpu_ns != c->v[b].cpu_ns ? -sort_3way(c->v[a].cpu_ns, c->v[b].cpu_ns) :
		str_cmp(&c->t->names, c->v[a].name, c->v[b].name);
}

/* The folded names of a process's ranges outside NCCL's domain; the ranges of each are
 * ranges[first..first+n). */
static candidate *by_name(trace *t, uint32_t proc, uint32_t **ranges, size_t *ncandidates)
{
	const trace_ranges *r = &t->pushpop;
	size_t lo = first_range(t, r, proc), hi = first_range(t, r, proc + 1);
	uint32_t *of = mem_new(uint32_t, hi - lo);      /* candidate + 1 */
	group g = { .width = 1 };
	vec(candidate) v = { 0 };

	for (size_t i = lo; i < hi; i++) {
		if (t->domains[r->domain[i]].nccl || r->name[i] == STR_NONE)
			continue;
		size_t k = group_of(&g, (int64_t[]){ str_fold(&t->names, r->name[i]) });
		if (k == v.n)
			vec_push(&v, (candidate){ .name = (uint32_t)g.key[k] });
		v.v[k].n++;
		of[i - lo] = (uint32_t)k + 1;
	}
	for (size_t k = 1; k < v.n; k++)
		v.v[k].first = v.v[k - 1].first + v.v[k - 1].n;
	*ranges = mem_new(uint32_t, hi - lo);
	for (size_t i = lo; i < hi; i++)
		if (of[i - lo])
			(*ranges)[v.v[of[i - lo] - 1].first++] = (uint32_t)i;
	for (size_t k = 0; k < v.n; k++)
		v.v[k].first -= v.v[k].n;
	group_free(&g);
	free(of);
	*ncandidates = v.n;
	return v.v;
}

/* Are there at least three of the ranges, and do they never overlap?  Puts them in order of start. */
static bool repeats(const trace *t, candidate *c, uint32_t *ranges)
{
	const trace_ranges *r = &t->pushpop;

	if (c->n < 3)
		return false;
	sort_items(ranges + c->first, c->n, range_order, t);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t k = ranges[c->first + i];
		if (i && r->start[k] < r->end[ranges[c->first + i - 1]])
			return false;
		c->cpu_ns = ns_add(c->cpu_ns, r->end[k] - r->start[k]);
	}
	return true;
}

/* Turn the ranges into steps; false unless each launches work and together they take at least half of the
 * GPU time. */
static bool all_work(wanted *s, const candidate *c, const uint32_t *ranges, int64_t half, steps *to)
{
	const trace_ranges *r = &s->t->pushpop;
	int64_t gpu_ns = 0;

	to->n = 0;
	for (size_t i = c->first; i < c->first + c->n; i++) {
		uint32_t k = ranges[i];
		int64_t ns = take(s, to, r->start[k], r->end[k], r->name[k]);
		if (!to->v[to->n - 1].work)
			return false;
		gpu_ns = ns_add(gpu_ns, ns);
	}
	return gpu_ns >= half;
}

/* Iterations are the ranges of one folded name outside NCCL's domain, of which there are at least three,
 * which never overlap each other, each launch work, and together take at least half of the kernel and
 * graph time.  If several names qualify, the one with the longest CPU time is chosen, so names are tried
 * in that order. */
static steps iterations(trace *t, const projection *p, uint32_t proc, bool cpu)
{
	wanted s = { t, p, proc, cpu, NULL };
	steps found = { .rule = "iteration" };
	int64_t time = process_time(t, proc);
	size_t n, tried = 0;
	uint32_t *ranges;
	candidate *c = by_name(t, proc, &ranges, &n);
	uint32_t *order = mem_new(uint32_t, n);
	bool done = false;

	for (size_t k = 0; k < n; k++)
		if (repeats(t, &c[k], ranges))
			order[tried++] = (uint32_t)k;
	sort_items(order, tried, longest_first, &(candidate_ctx){ t, c });
	for (size_t k = 0; k < tried && !done; k++)
		done = all_work(&s, &c[order[k]], ranges, time / 2 + time % 2, &found);
	if (!done)
		found.n = 0;
	free(order);
	free(ranges);
	free(c);
	return found;
}

/* The number of pieces of work of a process, whether or not the trace has their launching call. */
static size_t count_work(const trace *t, uint32_t proc)
{
	size_t n = 0;

	for (size_t l = 0; l < t->nlanes; l++)
		n += t->lanes[l].proc == proc ? t->lanes[l].n : 0;
	return n;
}

/* DualPipeV chunks. */
static steps chunks(const trace *t, const projection *p, uint32_t proc, bool cpu)
{
	steps st = { 0 };
	regex_t re;
	char buf[200];

	if (!pattern_compile(&re, "^forward chunk .* backward chunk", REG_NOSUB, buf, sizeof buf)) {
		st = steps_match(t, p, proc, &re, cpu);
		regfree(&re);
	}
	st.rule = "chunk";
	return st;
}

steps steps_find(trace *t, const projection *p, uint32_t proc, const regex_t *re, bool cpu)
{
	const trace_proc *pr = &t->procs[proc];
	const char *name = pr->name ? pr->name : "process";
	steps st;

	if (re)
		return steps_match(t, p, proc, re, cpu);
	st = chunks(t, p, proc, cpu);
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
