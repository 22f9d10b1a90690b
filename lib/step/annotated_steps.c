#include "step/annotated_steps.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"

#include <string.h>
#include <strings.h>

static bool annotated_steps_says_warm_up(const char *name)
{
	for (; *name; name++)
		if (strncasecmp(name, "warm", 4) == 0 &&
		    (strncasecmp(name + 4, "up", 2) == 0 || (name[4] && strncasecmp(name + 5, "up", 2) == 0)))
			return true;
	return false;
}

typedef vec(ival) spans;

/* Adds each range whose name says warm-up to the list of its process.  False: there are none. */
static bool annotated_steps_list_warm_up(const trace *t, spans *by_process)
{
	const trace_ranges *r = &t->pushpop;
	uint8_t *known = mem_new(uint8_t, t->names.n);         /* by name: does it say warm-up?  0: not looked up yet,
							        * 1: no, 2: yes */
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		if (r->name[i] == STR_NONE || t->domains[ranges_domain(r, i)].inner)
			continue;
		uint8_t *says = &known[r->name[i]];
		if (!*says)
			*says = annotated_steps_says_warm_up(str_at(&t->names, r->name[i])) ? 2 : 1;
		if (*says == 2) {
			vec_push(&by_process[t->threads[ranges_thread(r, i)].proc], (ival){ r->start[i], r->end[i] });
			any = true;
		}
	}
	free(known);
	return any;
}

static bool annotated_steps_has_kernel_outside(const trace *t, const ival_set *warm)
{
	const trace_work *w = &t->work;

	for (size_t i = 0; i < w->n; i++) {
		int64_t at = w->launch[i] == NONE ? 0 : t->calls.start[w->launch[i]];
		const ival_set *of = &warm[t->streams[w->stream[i]].proc];
		if (w->kind[i] <= WORK_GRAPH && (w->launch[i] == NONE || !ival_touches(of, at, at)))
			return true;
	}
	return false;
}

ival_set *warm_up_find(const trace *t)
{
	spans *by_process = mem_new(spans, t->nprocs);
	ival_set *warm = annotated_steps_list_warm_up(t, by_process) ? mem_new(ival_set, t->nprocs) : NULL;

	for (size_t i = 0; i < t->nprocs; i++) {
		if (warm && by_process[i].n)
			warm[i] = ival_union(by_process[i].v, by_process[i].n);
		vec_free(&by_process[i]);
	}
	free(by_process);
	if (warm && !annotated_steps_has_kernel_outside(t, warm)) {
		warm_up_free(t, warm);
		return NULL;
	}
	return warm;
}

void warm_up_free(const trace *t, ival_set *by_process)
{
	for (size_t i = 0; by_process && i < t->nprocs; i++)
		ival_free(&by_process[i]);
	free(by_process);
}

enum { LEAST = 3 };             /* a name marks steps only if each process with its ranges has at least this many */

/* What the words of a name say, best first: step words only, step and part words, neither, part words only. */
enum meaning { SAYS_STEP, SAYS_BOTH, SAYS_NEITHER, SAYS_PART };

static const char step_words[] = "step iter iteration decode token batch frame";
static const char part_words[] = "layer block attention attn mlp expert stage forward backward optimizer micro epoch "
	"request run";

typedef struct {                /* the ranges of one folded name: ranges[first..first + n), by process and start */
	uint32_t name;
	enum meaning meaning;
	size_t first, n;
	int64_t cpu_ns;         /* the lengths of the ranges, added up */
} candidate;

typedef struct {
	trace *t;
	const projection *p;
	vec(candidate) v;
	uint32_t *ranges;       /* the ranges of all candidates, candidate by candidate */
	const ival_set *warm;   /* by process, or NULL */
	int64_t kernel_ns;      /* kernel and graph time of the trace */
	bool graphs;            /* is a whole graph among the work? */
} step_name_search;

static uint32_t annotated_steps_process_of_range(const trace *t, uint32_t range)
{
	return t->threads[ranges_thread(&t->pushpop, range)].proc;
}

static int annotated_steps_compare_ranges(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;
	const trace_ranges *r = &t->pushpop;
	uint32_t p = annotated_steps_process_of_range(t, a), q = annotated_steps_process_of_range(t, b);

	return p != q ? sort_3way(p, q) : r->start[a] != r->start[b] ? sort_3way(r->start[a], r->start[b]) :
		r->end[a] != r->end[b] ? -sort_3way(r->end[a], r->end[b]) : str_cmp(&t->names, r->name[a], r->name[b]);
}

/* Does the range have a name, lie outside the domains of libraries and begin outside warm-up? */
static bool annotated_steps_may_be_step(const step_name_search *s, size_t i)
{
	const trace *t = s->t;
	const trace_ranges *r = &t->pushpop;

	return !t->domains[ranges_domain(r, i)].inner && r->name[i] != STR_NONE &&
		!(s->warm &&
		  ival_touches(&s->warm[annotated_steps_process_of_range(t, (uint32_t)i)], r->start[i], r->start[i]));
}

static enum meaning annotated_steps_classify_name(const char *name)
{
	bool step = text_has_word_of(name, step_words), part = text_has_word_of(name, part_words);

	return step ? part ? SAYS_BOTH : SAYS_STEP : part ? SAYS_PART : SAYS_NEITHER;
}

/* Groups the ranges that may be steps by folded name.  A name that says warm-up gets no ranges. */
static void annotated_steps_find_candidates(step_name_search *s)
{
	trace *t = s->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t *candidate_of = mem_new(uint32_t, r->n);       /* by range: 1 + index of its candidate; 0: none */
	group g = { .width = 1 };

	for (size_t i = 0; i < r->n; i++) {
		if (!annotated_steps_may_be_step(s, i))
			continue;
		size_t k = group_of(&g, (int64_t[]){ str_fold(&t->names, r->name[i]) });
		if (k == s->v.n) {
			uint32_t name = (uint32_t)g.key[k];
			vec_push(&s->v,
				 (candidate){ .name = name,
					      .meaning = annotated_steps_classify_name(str_at(&t->names, name)) });
		}
		s->v.v[k].n++;
		candidate_of[i] = (uint32_t)k + 1;
	}
	for (size_t k = 1; k < s->v.n; k++)
		s->v.v[k].first = s->v.v[k - 1].first + s->v.v[k - 1].n;
	s->ranges = mem_new(uint32_t, r->n);
	for (size_t i = 0; i < r->n; i++)
		if (candidate_of[i])
			s->ranges[s->v.v[candidate_of[i] - 1].first++] = (uint32_t)i;
	for (size_t k = 0; k < s->v.n; k++) {
		s->v.v[k].first -= s->v.v[k].n;
		if (annotated_steps_says_warm_up(str_at(&t->names, s->v.v[k].name)))
			s->v.v[k].n = 0;
	}
	group_free(&g);
	free(candidate_of);
}

/* Has each process with ranges of this name at least LEAST of them, and do no two of them overlap?  Also sorts the
 * ranges by process and start, and adds up their time. */
static bool annotated_steps_is_regular(step_name_search *s, candidate *c)
{
	const trace *t = s->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t *v = s->ranges + c->first;
	size_t run = 0;

	if (c->n < LEAST)
		return false;
	sort_items(v, c->n, annotated_steps_compare_ranges, t);
	for (size_t i = 0; i < c->n; i++) {
		bool same = i &&
			annotated_steps_process_of_range(t, v[i]) == annotated_steps_process_of_range(t, v[i - 1]);
		if ((same && r->start[v[i]] < r->end[v[i - 1]]) || (i && !same && run < LEAST))
			return false;
		run = same ? run + 1 : 1;
		c->cpu_ns = ns_add(c->cpu_ns, r->end[v[i]] - r->start[v[i]]);
	}
	return run >= LEAST;
}

/* Do the ranges hold so much of the work that they must be whole steps instead of parts?  in: work launched during the
 * ranges; all: work launched from the start of each process's first range to the end of its last. */
static bool annotated_steps_holds_enough(const step_name_search *s, const candidate *c, const projection_sum *in,
					 const projection_sum *all)
{
	if (in->gpu_ns < s->kernel_ns / 2 + s->kernel_ns % 2)
		return false;
	if (c->meaning == SAYS_STEP && in->gpu_ns >= all->gpu_ns / 2 + all->gpu_ns % 2)
		return true;            /* then work between the ranges does not matter, because it may be prefills
					 * between decode steps */
	return (s->graphs || 10 * in->kernels >= 8 * all->kernels) && (double)in->gpu_ns >= 0.8 * (double)all->gpu_ns;
}

/* Does each range launch work, and do the ranges together hold enough of the trace's work? */
static bool annotated_steps_is_whole(const step_name_search *s, const candidate *c)
{
	const trace_ranges *r = &s->t->pushpop;
	const uint32_t *v = s->ranges + c->first;
	projection_sum in = { 0 }, all = { 0 };

	for (size_t i = 0, end; i < c->n; i = end) {
		uint32_t proc = annotated_steps_process_of_range(s->t, v[i]);
		projection_sum whole;
		for (end = i; end < c->n && annotated_steps_process_of_range(s->t, v[end]) == proc; end++) {
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
	return annotated_steps_holds_enough(s, c, &in, &all);
}

static int annotated_steps_compare_best_first(uint32_t a, uint32_t b, const void *ctx)
{
	const step_name_search *s = ctx;
	const candidate *x = &s->v.v[a], *y = &s->v.v[b];

	if (x->meaning != y->meaning)
		return sort_3way(x->meaning, y->meaning);
	if (x->meaning <= SAYS_BOTH && x->n != y->n)
		return -sort_3way(x->n, y->n);
	return x->cpu_ns != y->cpu_ns ? -sort_3way(x->cpu_ns, y->cpu_ns) : str_cmp(&s->t->names, x->name, y->name);
}

/* Do at least LEAST ranges launch work?  In a trace that lost events, not all steps do. */
static bool annotated_steps_launches_work(const step_name_search *s, const candidate *c)
{
	const uint32_t *v = s->ranges + c->first;
	const trace_ranges *r = &s->t->pushpop;
	size_t n = 0;

	for (size_t i = 0; i < c->n && n < LEAST; i++)
		n += projection_of(s->p, annotated_steps_process_of_range(s->t, v[i]), r->start[v[i]], r->end[v[i]])
				.work > 0;
	return n == LEAST;
}

/* best[0] and best[1]: the best and the second best name that pass all tests; NULL: there is none.  If no name passes,
 * best[1] is the best name that has step words only and at least LEAST ranges that launch work. */
static void annotated_steps_find_best(step_name_search *s, const candidate *best[2])
{
	uint32_t *order = mem_new(uint32_t, s->v.n);
	size_t tried = 0, n = 0;

	for (size_t k = 0; k < s->v.n; k++)
		if (annotated_steps_is_regular(s, &s->v.v[k]))
			order[tried++] = (uint32_t)k;
	sort_items(order, tried, annotated_steps_compare_best_first, s);
	for (size_t i = 0; i < tried && n < 2; i++)
		if (annotated_steps_is_whole(s, &s->v.v[order[i]]))
			best[n++] = &s->v.v[order[i]];
	for (size_t i = 0; i < tried && !n && s->v.v[order[i]].meaning == SAYS_STEP && !best[1]; i++)
		best[1] = annotated_steps_launches_work(s, &s->v.v[order[i]]) ? &s->v.v[order[i]] : NULL;
	free(order);
}

static bool annotated_steps_has_graphs(const trace *t)
{
	for (size_t i = 0; i < t->work.n; i++)
		if (t->work.kind[i] == WORK_GRAPH)
			return true;
	return false;
}

annotated_steps annotated_steps_find(trace *t, const projection *p, const ival_set *warm)
{
	step_name_search s = { .t = t, .p = p, .warm = warm, .graphs = annotated_steps_has_graphs(t) };
	annotated_steps a = { .name = STR_NONE, .runner_up = STR_NONE, .first = mem_new(size_t, t->nprocs + 1) };
	const candidate *found[2] = { NULL, NULL };

	for (uint32_t i = 0; i < t->nprocs; i++)
		s.kernel_ns = ns_add(s.kernel_ns, projection_kernel_ns(p, i));
	annotated_steps_find_candidates(&s);
	annotated_steps_find_best(&s, found);
	if (found[1]) {
		a.runner_up = found[1]->name;
		a.nrunner_up = found[1]->n;
	}
	if (found[0]) {
		a.name = found[0]->name;
		a.ranges = mem_grow(NULL, found[0]->n, sizeof *a.ranges);
		memcpy(a.ranges, s.ranges + found[0]->first, found[0]->n * sizeof *a.ranges);
		for (size_t i = 0; i < found[0]->n; i++)
			a.first[annotated_steps_process_of_range(t, a.ranges[i]) + 1]++;
	}
	for (size_t i = 0; i < t->nprocs; i++)
		a.first[i + 1] += a.first[i];
	mem_free(s.ranges, s.v.v);
	return a;
}

void annotated_steps_free(annotated_steps *a)
{
	mem_free(a->ranges, a->first);
}
