#include "nest.h"
#include "mem.h"

#include <string.h>

enum { UNKNOWN = UINT32_MAX - 1, MIXED = UINT32_MAX - 2 };  /* beside STR_NONE: no rule matches */

/* For every call, the innermost range of a thread at the call's start, by one sweep in time.
 *
 * A thread's ranges are in order of start, the longer first; `top` is the range opened last that
 * is still open, and parent links the others below it.  A range that closes while one opened after
 * it is open (domains may cross) stays linked: whoever follows the links skips what is closed.
 * What is closed at the top is left behind for good, so the sweep is linear. */
static void sweep(const nest *n, const uint32_t *thread_of, uint32_t *out)
{
	const trace *t = n->t;
	const trace_ranges *r = &t->pushpop;
	size_t *next = mem_new(size_t, t->nthreads);
	uint32_t *top = mem_new(uint32_t, t->nthreads);

	memset(top, 0xff, t->nthreads * sizeof *top);
	memcpy(next, n->first, t->nthreads * sizeof *next);
	for (size_t i = 0; i < t->calls.n; i++) {
		uint32_t th = thread_of[t->calls.thread[i]];
		int64_t at = t->calls.start[i];
		if (th == NONE) {
			out[i] = NONE;
			continue;
		}
		while (next[th] < n->first[th + 1] && r->start[next[th]] <= at)
			top[th] = (uint32_t)next[th]++;
		while (top[th] != NONE && r->end[top[th]] <= at)
			top[th] = n->parent[top[th]];
		out[i] = top[th];
	}
	free(next);
	free(top);
}

static void link_parents(nest *n)
{
	const trace_ranges *r = &n->t->pushpop;
	uint32_t top = NONE;

	for (size_t i = 0; i < r->n; i++) {
		if (i == 0 || r->thread[i] != r->thread[i - 1])
			top = NONE;
		while (top != NONE && r->end[top] <= r->start[i])
			top = n->parent[top];
		n->parent[i] = top;
		top = (uint32_t)i;
	}
}

uint32_t nest_main_thread(const trace *t, uint32_t proc)
{
	return trace_thread_of(t, t->procs[proc].id * (1 << 24) | t->procs[proc].pid);
}

/* The first range of a thread that begins after the moment. */
static size_t begun_after(const nest *n, uint32_t thread, int64_t moment)
{
	const int64_t *start = n->t->pushpop.start;
	size_t lo = n->first[thread], hi = n->first[thread + 1];

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (start[mid] <= moment)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void nest_each(const nest *n, ival w, void (*f)(void *ctx, size_t range), void *ctx)
{
	const trace_ranges *r = &n->t->pushpop;

	for (uint32_t th = 0; th < n->t->nthreads; th++) {
		size_t i = begun_after(n, th, w.a - 1);
		/* what is open at a was open, or linked, when the last range before it began */
		for (uint32_t k = i > n->first[th] ? (uint32_t)i - 1 : NONE; k != NONE; k = n->parent[k])
			if (r->end[k] > w.a)
				f(ctx, k);
		for (; i < n->first[th + 1] && r->start[i] < w.b; i++)
			f(ctx, i);
	}
}

uint32_t nest_at(const nest *n, uint32_t thread, int64_t moment)
{
	size_t after = begun_after(n, thread, moment);
	uint32_t at = after > n->first[thread] ? (uint32_t)after - 1 : NONE;

	while (at != NONE && n->t->pushpop.end[at] <= moment)
		at = n->parent[at];
	return at;
}

nest *nest_build(trace *t, unsigned what)
{
	nest *n = mem_new(nest, 1);
	uint32_t *thread_of = mem_new(uint32_t, t->nthreads);

	n->t = t;
	n->parent = mem_new(uint32_t, t->pushpop.n);
	n->first = mem_new(size_t, t->nthreads + 1);
	for (size_t i = 0; i < t->pushpop.n; i++)
		n->first[t->pushpop.thread[i] + 1]++;
	for (size_t i = 0; i < t->nthreads; i++)
		n->first[i + 1] += n->first[i];
	link_parents(n);
	for (size_t i = 0; i < t->nthreads; i++)
		thread_of[i] = (uint32_t)i;
	if (what & NEST_WORK) {
		n->inner = mem_new(uint32_t, t->calls.n);
		sweep(n, thread_of, n->inner);
	}
	if (what == NEST_ADOPT) {
		for (size_t i = 0; i < t->nthreads; i++) {
			uint32_t main_thread = nest_main_thread(t, t->threads[i].proc);
			thread_of[i] = main_thread == i ? NONE : main_thread;
		}
		n->main = mem_new(uint32_t, t->calls.n);
		sweep(n, thread_of, n->main);
	}
	free(thread_of);
	return n;
}

nest_walk nest_of(const nest *n, size_t work)
{
	uint32_t call = n->t->work.launch[work];
	nest_walk w = { NONE, NONE, 0 };

	if (call == NONE)
		return w;
	w.at = n->t->calls.start[call];
	w.range = n->inner[call];
	w.then = n->main ? n->main[call] : NONE;
	if (w.range == NONE) {
		w.range = w.then;
		w.then = NONE;
	}
	return w;
}

void nest_out(const nest *n, nest_walk *w)
{
	const int64_t *end = n->t->pushpop.end;

	do
		w->range = n->parent[w->range];
	while (w->range != NONE && end[w->range] <= w->at);
	if (w->range == NONE) {
		w->range = w->then;
		w->then = NONE;
	}
}

/* The innermost range outside NCCL's domain, or NONE. */
static uint32_t user_range(const nest *n, size_t work)
{
	nest_walk w = nest_of(n, work);

	while (w.range != NONE && n->t->domains[n->t->pushpop.domain[w.range]].nccl)
		nest_out(n, &w);
	return w.range;
}

void nest_use_rules(nest *n, const rules *r)
{
	n->rules = r;
	free(n->name_label);
	free(n->range_label);
	n->name_label = mem_new(uint32_t, n->t->names.n);
	n->range_label = mem_new(uint32_t, n->t->pushpop.n);
	for (size_t i = 0; i < n->t->names.n; i++)
		n->name_label[i] = UNKNOWN;
	for (size_t i = 0; i < n->t->pushpop.n; i++)
		n->range_label[i] = UNKNOWN;
}

uint32_t nest_name_label(nest *n, uint32_t name)
{
	const char *label;

	if (name == STR_NONE)
		return STR_NONE;
	if (n->name_label[name] == UNKNOWN) {
		label = rules_label(n->rules, n->t->names.text[name]);
		n->name_label[name] = label ? str_id(&n->t->names, label, strlen(label)) : STR_NONE;
	}
	return n->name_label[name];
}

/* The label of a range and those around it: its own, or that of the range around it.  It holds
 * for all work in the range as long as ranges nest; where one crosses out of the range around it
 * the answer depends on the moment, and is MIXED. */
static uint32_t label_of_range(nest *n, uint32_t range)
{
	const trace_ranges *r = &n->t->pushpop;
	uint32_t at = range, label = UNKNOWN;

	while (label == UNKNOWN) {
		label = n->range_label[at];
		if (label == UNKNOWN) {
			uint32_t own = nest_name_label(n, r->name[at]), up = n->parent[at];
			if (own != STR_NONE || up == NONE)
				label = own;
			else if (r->end[up] < r->end[at])
				label = MIXED;
			else
				at = up;
		}
	}
	for (uint32_t i = range; n->range_label[i] == UNKNOWN; i = n->parent[i]) {
		n->range_label[i] = label;
		if (i == at)
			break;
	}
	return label;
}

uint32_t nest_rule_label(nest *n, size_t work)
{
	nest_walk w = nest_of(n, work);

	while (w.range != NONE) {
		uint32_t label = label_of_range(n, w.range);
		if (label == MIXED) {
			label = nest_name_label(n, n->t->pushpop.name[w.range]);
			if (label == STR_NONE) {
				nest_out(n, &w);
				continue;
			}
		}
		if (label != STR_NONE)
			return label;
		w.range = w.then;       /* nothing around it on this thread */
		w.then = NONE;
	}
	return STR_NONE;
}

uint32_t nest_label(nest *n, size_t work)
{
	uint32_t label = nest_rule_label(n, work), user;

	if (label != STR_NONE)
		return label;
	user = user_range(n, work);
	return user == NONE ? STR_NONE : str_fold(&n->t->names, n->t->pushpop.name[user]);
}

void nest_free(nest *n)
{
	free(n->parent);
	free(n->inner);
	free(n->main);
	free(n->first);
	free(n->name_label);
	free(n->range_label);
	free(n);
}
