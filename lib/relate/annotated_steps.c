#include "relate/annotated_steps.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/sort.h"

#include <string.h>

enum { LEAST = 3 };             /* occurrences in each process that has the name */

typedef struct {                /* the ranges of one folded name: ranges[first..first + n), by process and start */
	uint32_t name;
	size_t first, n;
	int64_t cpu_ns;
} candidate;

typedef struct {
	trace *t;
	const projection *p;
	vec(candidate) v;
	uint32_t *ranges;
	int64_t kernel_ns;      /* of the trace */
} search;

static uint32_t proc_of(const trace *t, uint32_t range)
{
	return t->threads[t->pushpop.thread[range]].proc;
}

static int range_order(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;
	const trace_ranges *r = &t->pushpop;
	uint32_t p = proc_of(t, a), q = proc_of(t, b);

	return p != q ? sort_3way(p, q) : r->start[a] != r->start[b] ? sort_3way(r->start[a], r->start[b]) :
		r->end[a] != r->end[b] ? -sort_3way(r->end[a], r->end[b]) : str_cmp(&t->names, r->name[a], r->name[b]);
}

/* Ranges outside NCCL's domain that do not say warm-up, by folded name. */
static void find_candidates(search *s)
{
	trace *t = s->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t *of = mem_new(uint32_t, r->n);         /* candidate + 1 */
	group g = { .width = 1 };
	regex_t warm;
	char buf[80];

	pattern_compile(&warm, "warm.?up", REG_NOSUB | REG_ICASE, buf, sizeof buf);
	for (size_t i = 0; i < r->n; i++) {
		if (t->domains[r->domain[i]].nccl || r->name[i] == STR_NONE)
			continue;
		size_t k = group_of(&g, (int64_t[]){ str_fold(&t->names, r->name[i]) });
		if (k == s->v.n)
			vec_push(&s->v, (candidate){ .name = (uint32_t)g.key[k] });
		s->v.v[k].n++;
		of[i] = (uint32_t)k + 1;
	}
	for (size_t k = 1; k < s->v.n; k++)
		s->v.v[k].first = s->v.v[k - 1].first + s->v.v[k - 1].n;
	s->ranges = mem_new(uint32_t, r->n);
	for (size_t i = 0; i < r->n; i++)
		if (of[i])
			s->ranges[s->v.v[of[i] - 1].first++] = (uint32_t)i;
	for (size_t k = 0; k < s->v.n; k++) {
		s->v.v[k].first -= s->v.v[k].n;
		if (pattern_matches(&warm, t->names.text[s->v.v[k].name]))
			s->v.v[k].n = 0;
	}
	regfree(&warm);
	group_free(&g);
	free(of);
}

/* Does it occur often enough in each process that has it, and never overlap itself there?  Puts the ranges in order. */
static bool is_regular(search *s, candidate *c)
{
	const trace *t = s->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t *v = s->ranges + c->first;
	size_t run = 0;

	if (c->n < LEAST)
		return false;
	sort_items(v, c->n, range_order, t);
	for (size_t i = 0; i < c->n; i++) {
		bool same = i && proc_of(t, v[i]) == proc_of(t, v[i - 1]);
		if ((same && r->start[v[i]] < r->end[v[i - 1]]) || (i && !same && run < LEAST))
			return false;
		run = same ? run + 1 : 1;
		c->cpu_ns = ns_add(c->cpu_ns, r->end[v[i]] - r->start[v[i]]);
	}
	return run >= LEAST;
}

/* Does each launch work, and are they not a part taken for the whole?  Of the kernels launched from the first to the last
 * of a process, summed over processes, 80 % by count and by time must be launched during one, and half of all kernel time
 * of the trace. */
static bool is_whole(const search *s, const candidate *c)
{
	const trace_ranges *r = &s->t->pushpop;
	const uint32_t *v = s->ranges + c->first;
	projection_sum in = { 0 }, all = { 0 };

	for (size_t i = 0, end; i < c->n; i = end) {
		uint32_t proc = proc_of(s->t, v[i]);
		projection_sum whole;
		for (end = i; end < c->n && proc_of(s->t, v[end]) == proc; end++) {
			projection_sum one = projection_of(s->p, proc, r->start[v[end]], r->end[v[end]]);
			if (!one.work)
				return false;
			in.kernels += one.kernels;
			in.gpu_ns = ns_add(in.gpu_ns, one.gpu_ns);
		}
		whole = projection_of(s->p, proc, r->start[v[i]], r->end[v[end - 1]]);
		all.kernels += whole.kernels;
		all.gpu_ns = ns_add(all.gpu_ns, whole.gpu_ns);
	}
	return 10 * in.kernels >= 8 * all.kernels && (double)in.gpu_ns >= 0.8 * (double)all.gpu_ns &&
		in.gpu_ns >= s->kernel_ns / 2 + s->kernel_ns % 2;
}

static int longest_first(uint32_t a, uint32_t b, const void *ctx)
{
	const search *s = ctx;
	const candidate *x = &s->v.v[a], *y = &s->v.v[b];

	return x->cpu_ns != y->cpu_ns ? -sort_3way(x->cpu_ns, y->cpu_ns) : str_cmp(&s->t->names, x->name, y->name);
}

/* Do the ranges repeat inside those of the other name, two or more in each on average, and none outside? */
static bool is_inside(const search *s, const candidate *c, const candidate *outer)
{
	const trace_ranges *r = &s->t->pushpop;
	const uint32_t *v = s->ranges + c->first, *o = s->ranges + outer->first;
	size_t k = 0;

	for (size_t i = 0; i < c->n; i++) {
		uint32_t proc = proc_of(s->t, v[i]);
		while (k < outer->n && (proc_of(s->t, o[k]) < proc || (proc_of(s->t, o[k]) == proc && r->end[o[k]] <= r->start[v[i]])))
			k++;
		if (k == outer->n || proc_of(s->t, o[k]) != proc || r->start[v[i]] < r->start[o[k]] || r->end[v[i]] > r->end[o[k]])
			return false;
	}
	return c->n >= 2 * outer->n;
}

/* The name with the longest total CPU time that does: so they are tried in that order.  inner: the first after it that
 * would do too, and repeats inside it. */
static const candidate *find_best(search *s, const candidate **inner)
{
	uint32_t *order = mem_new(uint32_t, s->v.n);
	const candidate *best = NULL, *c;
	size_t tried = 0;

	for (size_t k = 0; k < s->v.n; k++)
		if (is_regular(s, &s->v.v[k]))
			order[tried++] = (uint32_t)k;
	sort_items(order, tried, longest_first, s);
	*inner = NULL;
	for (size_t i = 0; i < tried && !*inner; i++) {
		c = &s->v.v[order[i]];
		if (!best && is_whole(s, c))
			best = c;
		else if (best && is_inside(s, c, best) && is_whole(s, c))
			*inner = c;
	}
	free(order);
	return best;
}

annotated_steps annotated_steps_find(trace *t, const projection *p)
{
	search s = { .t = t, .p = p };
	annotated_steps a = { .name = STR_NONE, .inner = STR_NONE, .first = mem_new(size_t, t->nprocs + 1) };
	const candidate *best, *inner;

	for (uint32_t i = 0; i < t->nprocs; i++)
		s.kernel_ns = ns_add(s.kernel_ns, projection_kernel_ns(p, i));
	find_candidates(&s);
	best = find_best(&s, &inner);
	if (inner) {
		a.inner = inner->name;
		a.ninner = inner->n;
	}
	if (best) {
		a.name = best->name;
		a.ranges = mem_grow(NULL, best->n, sizeof *a.ranges);
		memcpy(a.ranges, s.ranges + best->first, best->n * sizeof *a.ranges);
		for (size_t i = 0; i < best->n; i++)
			a.first[proc_of(t, a.ranges[i]) + 1]++;
	}
	for (size_t i = 0; i < t->nprocs; i++)
		a.first[i + 1] += a.first[i];
	free(s.ranges);
	vec_free(&s.v);
	return a;
}

void annotated_steps_free(annotated_steps *a)
{
	free(a->ranges);
	free(a->first);
}
