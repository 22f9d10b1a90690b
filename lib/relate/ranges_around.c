#include "relate/ranges_around.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { MANY_CALLS = 1 << 14 };  /* that are worth a thread */
enum { UNKNOWN = UINT32_MAX - 1, MIXED = UINT32_MAX - 2 };  /* beside STR_NONE: no rule matches */

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

/* A sweep over the calls, a stretch of them by each of our threads. */
typedef struct {
	const nest *n;
	const uint32_t *thread_of;      /* by thread: whose ranges are asked for, or NONE */
	uint32_t *out;
	size_t stretches;
} sweep_job;

/* For every call, the innermost range of a thread at the call's start, by one sweep in time.
 *
 * A thread's ranges are in order of start, the longer first; `top` is the range opened last that
 * is still open, and parent links the others below it.  A range that closes while one opened after
 * it is open (domains may cross) stays linked: whoever follows the links skips what is closed.
 * What is closed at the top is left behind for good, so the sweep is linear.  `next` is the first
 * range that is not open yet; 0 says that the thread was not met, as 1 is added to it. */
static void sweep_stretch(void *ctx, size_t which)
{
	const sweep_job *j = ctx;
	const nest *n = j->n;
	const trace *t = n->t;
	const trace_ranges *r = &t->pushpop;
	size_t *next = mem_new(size_t, t->nthreads);
	uint32_t *top = mem_new(uint32_t, t->nthreads);

	for (size_t i = t->calls.n * which / j->stretches; i < t->calls.n * (which + 1) / j->stretches; i++) {
		uint32_t th = j->thread_of[t->calls.thread[i]];
		int64_t at = t->calls.start[i];
		if (th == NONE) {
			j->out[i] = NONE;
			continue;
		}
		if (!next[th]) {
			size_t after = begun_after(n, th, at);
			next[th] = after + 1;
			top[th] = after > n->first[th] ? (uint32_t)after - 1 : NONE;
		}
		while (next[th] - 1 < n->first[th + 1] && r->start[next[th] - 1] <= at)
			top[th] = (uint32_t)next[th]++ - 1;
		while (top[th] != NONE && r->end[top[th]] <= at)
			top[th] = n->parent[top[th]];
		j->out[i] = top[th];
	}
	free(next);
	free(top);
}

static uint32_t *sweep(const nest *n, const uint32_t *thread_of)
{
	const trace *t = n->t;
	uint32_t *out = mem_grow(NULL, t->calls.n, sizeof *out);
	sweep_job j = { n, thread_of, out, t->calls.n > MANY_CALLS ? (size_t)t->db->threads : 1 };

	par_do(t->db->threads, j.stretches, sweep_stretch, &j);
	return out;
}

static void link_parents(void *ctx, size_t thread)
{
	nest *n = ctx;
	const trace_ranges *r = &n->t->pushpop;
	uint32_t top = NONE;

	for (size_t i = n->first[thread]; i < n->first[thread + 1]; i++) {
		while (top != NONE && r->end[top] <= r->start[i])
			top = n->parent[top];
		n->parent[i] = top;
		top = (uint32_t)i;
	}
}

nest *nest_build(trace *t, unsigned what)
{
	nest *n = mem_new(nest, 1);
	uint32_t *thread_of = mem_new(uint32_t, t->nthreads);

	n->t = t;
	n->parent = mem_grow(NULL, t->pushpop.n, sizeof *n->parent);
	n->first = mem_new(size_t, t->nthreads + 1);
	for (size_t i = 0; i < t->pushpop.n; i++)
		n->first[t->pushpop.thread[i] + 1]++;
	for (size_t i = 0; i < t->nthreads; i++)
		n->first[i + 1] += n->first[i];
	par_do(t->pushpop.n > MANY_CALLS ? t->db->threads : 1, t->nthreads, link_parents, n);
	for (size_t i = 0; i < t->nthreads; i++)
		thread_of[i] = (uint32_t)i;
	if (what & NEST_WORK)
		n->inner = sweep(n, thread_of);
	if (what == NEST_ADOPT) {
		for (size_t i = 0; i < t->nthreads; i++) {
			uint32_t main_thread = nest_main_thread(t, t->threads[i].proc);
			thread_of[i] = main_thread == i ? NONE : main_thread;
		}
		n->main = sweep(n, thread_of);
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
