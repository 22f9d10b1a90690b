#include "launch/ranges_around.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"
#include "timeline/overlap_index.h"
#include "trace/global_id.h"

/*
 * Why following parents finds every open range.
 *
 * The ranges of a thread are in order of start; at equal starts, the longer one comes first.  Call
 * i, parent[i], parent[parent[i]] ... the chain of i.  around_link_parents makes parent[i] the first range on
 * the chain of i - 1 that is open when i starts (its end is after start[i]), or NONE.
 *
 * Claim: the chain of i holds every range k <= i of the thread that is open at start[i] or later.
 *
 * Let k be open at some moment m >= start[i].  As start[k] <= start[i] <= m < end[k], it is open at
 * start[i] too.  If k is i, it is the head of its chain; in particular the claim is true for the thread's
 * first range.  Otherwise k <= i - 1, and start[k] <= start[i - 1] <= start[i] < end[k]: k is open at
 * start[i - 1], so by induction it is on the chain of i - 1.  around_link_parents skips only ranges of that chain
 * that end at or before start[i]; k does not, so it is parent[i] or comes after it on the chain.  Either
 * way it is on the chain of i.
 *
 * Nothing here assumes that ranges nest.  Where they cross (those of two domains may), the chain also holds ranges that
 * ended while one that started later was open; so whoever follows the chain at a later moment must skip what has ended.
 * Indices decrease along the chain, so what is found comes innermost first: latest start first, at equal starts the
 * shorter.  At equal starts nothing is lost either: the proof uses start[i - 1] <= start[i] only.  A range that ends
 * exactly where another starts is closed by then, and a range of zero length is open at no moment.
 *
 * The ranges that are open at a moment are therefore on the chain of the last range that started by then.
 */
static void around_link_parents(around *a, size_t thread)
{
	const trace_ranges *r = &a->t->pushpop;
	uint32_t top = NONE;

	for (size_t i = a->first[thread]; i < a->first[thread + 1]; i++) {
		while (top != NONE && r->end[top] <= r->start[i])
			top = a->parent[top];
		a->parent[i] = top;
		a->cross |= top != NONE && r->end[top] < r->end[i];
		top = (uint32_t)i;
	}
}

/* Fills `past`: links each range to the innermost range around it that ends later. */
static void around_link_past(around *a, size_t thread)
{
	const int64_t *end = a->t->pushpop.end;

	for (size_t i = a->first[thread]; i < a->first[thread + 1]; i++) {
		uint32_t at = a->parent[i];
		while (at != NONE && end[at] <= end[i])
			at = a->past[at];
		a->past[i] = at;
	}
}

size_t around_after(const around *a, uint32_t thread, int64_t moment, size_t from)
{
	size_t i;

	search_near(i, from, a->first[thread], a->first[thread + 1], a->t->pushpop.start[i] > moment);
	return i;
}

/* The last range of a thread before index i; the open ranges are on its chain. */
static uint32_t around_last_before(const around *a, uint32_t thread, size_t i)
{
	return i > a->first[thread] ? (uint32_t)i - 1 : NONE;
}

void around_each_of(const around *a, uint32_t thread, ival time, void (*f)(void *ctx, size_t range), void *ctx)
{
	const trace_ranges *r = &a->t->pushpop;
	size_t i;

	search_first(i, a->first[thread], a->first[thread + 1], r->start[i] >= time.a);
	for (uint32_t k = around_last_before(a, thread, i); k != NONE; k = around_up(a, k, time.a))
		if (r->end[k] > time.a)
			f(ctx, k);
	for (; i < a->first[thread + 1] && r->start[i] < time.b; i++)
		f(ctx, i);
}

void around_each(const around *a, uint32_t proc, ival time, void (*f)(void *ctx, size_t range), void *ctx)
{
	uint32_t end, thread = trace_find_threads(a->t, proc, &end);

	for (; thread < end; thread++)
		around_each_of(a, thread, time, f, ctx);
}

/* The innermost range of a thread at a moment, or NONE.  *from: where an earlier search in the thread ended; gets the
 * end of this one. */
static uint32_t around_at_from(const around *a, uint32_t thread, int64_t moment, size_t *from)
{
	uint32_t at;

	*from = around_after(a, thread, moment, *from);
	at = around_last_before(a, thread, *from);
	while (at != NONE && a->t->pushpop.end[at] <= moment)
		at = a->past[at];
	return at;
}

uint32_t around_at(const around *a, uint32_t thread, int64_t moment)
{
	return around_at_from(a, thread, moment, &(size_t){ SIZE_MAX });
}

static int around_compare_ends(uint32_t a, uint32_t b, const void *ctx)
{
	const trace_ranges *r = ctx;

	return sort_3way(r->end[a], r->end[b]);
}

/* A depth is the number of ranges that have started minus the number of those that have ended, not counting empty
 * ranges.  Every ended range is among the started ones, so the difference is right even if ranges cross.  Following
 * parents instead would take time in proportion to the pairs of nested ranges. */
uint32_t *around_depths(const around *a)
{
	const trace_ranges *r = &a->t->pushpop;
	uint32_t *depth = mem_new(uint32_t, r->n), *ends = mem_new(uint32_t, r->n);

	for (size_t th = 0; th < a->t->nthreads; th++) {
		uint32_t started = 0, ended = 0, n = 0;
		for (size_t i = a->first[th]; i < a->first[th + 1]; i++)
			if (r->end[i] > r->start[i])
				ends[n++] = (uint32_t)i;
		sort_items(ends, n, around_compare_ends, r);
		for (size_t i = a->first[th]; i < a->first[th + 1]; i++) {
			while (ended < n && r->end[ends[ended]] <= r->start[i])
				ended++;
			depth[i] = started - ended;
			started += r->end[i] > r->start[i];
		}
	}
	free(ends);
	return depth;
}

/* A range that covers more than half of the time is open in the middle of that time, so by the proof above it is on the
 * chain of the innermost range there. */
uint32_t around_over_half(const around *a, uint32_t thread, ival time)
{
	const trace_ranges *r = &a->t->pushpop;

	for (uint32_t i = around_at(a, thread, time.a + (time.b - time.a) / 2); i != NONE; i = a->parent[i]) {
		ival in = ival_cut(time, (ival){ r->start[i], r->end[i] });
		if (in.b > in.a && in.b - in.a > (time.b - time.a) - (in.b - in.a))
			return i;
	}
	return NONE;
}

/* An array with an element for each call: the innermost range of a thread when the call starts, or NONE.  If thread th
 * makes the call, the ranges of thread_of[th] are searched; if that is NONE, the result is NONE.
 *
 * Calls are in order of start.  For each thread, `top` is the innermost range at the last call, and `next` is the first
 * range that has not started.  A range that starts becomes the top.  Ranges that have ended are skipped by following
 * `past`, which finds the innermost open range by the proof above.  What has ended stays ended, so no link is followed
 * twice and the sweep takes linear time. */
static uint32_t *around_sweep_calls(const around *a, const uint32_t *thread_of)
{
	const trace *t = a->t;
	const trace_ranges *r = &t->pushpop;
	uint32_t *out = mem_grow(NULL, t->calls.n, sizeof *out), *top = mem_none(uint32_t, t->nthreads);
	size_t *next = mem_new(size_t, t->nthreads);

	for (size_t i = 0; i < t->nthreads; i++)
		next[i] = a->first[i];
	for (size_t i = 0; i < t->calls.n; i++) {
		uint32_t th = thread_of[calls_thread(&t->calls, i)];
		int64_t at = t->calls.start[i];
		out[i] = NONE;
		if (th == NONE)
			continue;
		while (next[th] < a->first[th + 1] && r->start[next[th]] <= at)
			top[th] = (uint32_t)next[th]++;
		while (top[th] != NONE && r->end[top[th]] <= at)
			top[th] = a->past[top[th]];
		out[i] = top[th];
	}
	mem_free(next, top);
	return out;
}

uint32_t around_main_thread(const trace *t, uint32_t proc)
{
	return trace_thread_of(t, global_first(t->procs[proc].id) | t->procs[proc].pid);
}

/* An array with an element for each call: the innermost range of its thread when it starts, or NONE.  With `main`, that
 * of the main thread, or NONE if the call is on the main thread. */
static void *around_find_inner(trace *t, int64_t main)
{
	uint32_t *thread_of = mem_new(uint32_t, t->nthreads), *inner;

	for (uint32_t i = 0; i < t->nthreads; i++) {
		uint32_t main_thread = main ? around_main_thread(t, t->threads[i].proc) : NONE;
		thread_of[i] = !main ? i : main_thread == i ? NONE : main_thread;
	}
	inner = around_sweep_calls(around_of(t, AROUND_RANGES), thread_of);
	free(thread_of);
	return inner;
}

/* An array with an element for each capture: the innermost range of the capturing thread at that moment, or NONE. */
static void *around_find_captured(trace *t, int64_t unused UNNEEDED)
{
	const around *a = around_of(t, AROUND_RANGES);
	const trace_captures *c = &t->captures;
	uint32_t *out = mem_grow(NULL, c->n, sizeof *out);

	for (size_t i = 0; i < c->n; i++)
		out[i] = c->thread[i] == NONE ? NONE : around_at(a, c->thread[i], c->at[i]);
	return out;
}

static void *around_find_ranges(trace *t, int64_t unused UNNEEDED)
{
	around *a = mem_new(around, 1);

	a->t = t;
	a->parent = mem_grow(NULL, t->pushpop.n, sizeof *a->parent);
	a->first = mem_new(size_t, t->nthreads + 1);
	for (size_t i = 0; i < t->nthreads; i++)
		search_first(a->first[i + 1], a->first[i], t->pushpop.n,
			     ranges_thread(&t->pushpop, a->first[i + 1]) > i);
	for (size_t i = 0; i < t->nthreads; i++)
		around_link_parents(a, i);
	a->past = a->parent;
	if (a->cross) {
		a->past = mem_grow(NULL, t->pushpop.n, sizeof *a->past);
		for (size_t i = 0; i < t->nthreads; i++)
			around_link_past(a, i);
	}
	return a;
}

static void around_release(void *made)
{
	around *a = made;

	if (a->past != a->parent)
		free(a->past);
	mem_free(a->parent, a->first, a);
}

static void *around_add_lookups(trace *t, int64_t flags)
{
	around *a = mem_new(around, 1);

	*a = *around_of(t, AROUND_RANGES);
	a->inner = trace_keep(t, around_find_inner, false, free);
	if ((flags & AROUND_ADOPT) == AROUND_ADOPT)
		a->main = trace_keep(t, around_find_inner, true, free);
	if ((flags & AROUND_CAPTURED) == AROUND_CAPTURED)
		a->captured = trace_keep(t, around_find_captured, 0, free);
	return a;
}

const around *around_of(trace *t, unsigned flags)
{
	return flags == AROUND_RANGES ? trace_keep(t, around_find_ranges, flags, around_release) :
		trace_keep(t, around_add_lookups, flags, free);
}

void around_next_thread(around_walk *w)
{
	w->captured = false;
	w->at = w->launch;
	do {
		w->range = w->then[0];
		w->then[0] = w->then[1];
		w->then[1] = NONE;
	} while (w->range == NONE && w->then[0] != NONE);
}

/* Will the walk come to this range again, because it was open both at the capture and at the launch?  The walk still
 * visits all ranges that are open at w->launch on the threads of w->then. */
static bool around_comes_later(const around *a, const around_walk *w, uint32_t range)
{
	const trace_ranges *r = &a->t->pushpop;

	if (r->start[range] > w->launch || r->end[range] <= w->launch)
		return false;
	for (int i = 0; i < 2; i++)
		if (w->then[i] != NONE && ranges_thread(r, w->then[i]) == ranges_thread(r, range))
			return true;
	return false;
}

/* If the walk's range has ended by w->at, or comes later, moves the walk outwards to the first range that is around the
 * work. */
static void around_settle_walk(const around *a, around_walk *w)
{
	const trace_ranges *r = &a->t->pushpop;

	while (w->range != NONE && (r->end[w->range] <= w->at || (w->captured && around_comes_later(a, w, w->range))))
		w->range = around_up(a, w->range, w->at);
	if (w->range == NONE)
		around_next_thread(w);
}

around_walk around_work_from(const around *a, size_t work, size_t *from)
{
	const trace *t = a->t;
	uint32_t call = t->work.launch[work];
	uint32_t capture = a->captured && t->work.capture ? t->work.capture[work] : NONE;
	around_walk w = { .range = NONE, .then = { NONE, NONE } };

	if (call != NONE) {
		w.launch = t->calls.start[call];
		w.then[0] = a->inner ? a->inner[call] :
				       around_at_from(a, calls_thread(&t->calls, call), w.launch, from);
		w.then[1] = a->main ? a->main[call] : NONE;
	}
	if (capture < CAPTURE_OUTSIDE) {
		w.range = a->captured[capture];
		w.captured = true;
		w.at = t->captures.at[capture];
	}
	around_settle_walk(a, &w);
	return w;
}

around_walk around_work(const around *a, size_t work)
{
	return around_work_from(a, work, &(size_t){ SIZE_MAX });
}

void around_next(const around *a, around_walk *w)
{
	w->range = a->parent[w->range];
	around_settle_walk(a, w);
}

uint32_t around_name(const around *a, size_t work)
{
	uint32_t range = around_work(a, work).range;

	return range == NONE ? STR_NONE : a->t->pushpop.name[range];
}

uint32_t around_own_range(const around *a, size_t work, size_t *from)
{
	around_walk w = around_work_from(a, work, from);

	while (w.range != NONE && a->t->domains[ranges_domain(&a->t->pushpop, w.range)].inner)
		around_next(a, &w);
	return w.range;
}

uint32_t around_own_range_name(const around *a, size_t work)
{
	uint32_t range = around_own_range(a, work, &(size_t){ SIZE_MAX });

	return range == NONE ? STR_NONE : str_fold(&a->t->names, a->t->pushpop.name[range]);
}
