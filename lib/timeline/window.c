#include "timeline/window.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/thread_events.h"

#include <string.h>

typedef struct {
	const trace *t;
	const window_filter *only;
	enum window_default def;
	notes *say;
	windows *out;
} window_resolve_ctx;

static bool window_process_has_work(const trace *t, uint32_t proc)
{
	return t->procs[proc].gpu.a < t->procs[proc].gpu.b;
}

static ival window_find_default_span(const window_resolve_ctx *r, uint32_t proc)
{
	const trace *t = r->t;

	return r->def == WINDOW_TRACE ? t->span : r->def == WINDOW_ALL_GPU_WORK ? t->work_span :
		r->def == WINDOW_EVENTS || !window_process_has_work(t, proc) ?
		t->procs[proc].events : t->procs[proc].gpu;
}

/* Adds a window for one process or, if proc is NONE, for all.  If a side of it is empty, a remark says so instead.  An
 * empty GPU side gets no remark if proc is NONE or if the default window of the process is empty. */
static void window_add_for_process(const window_resolve_ctx *r, const window_ask *ask, uint32_t proc)
{
	const trace *t = r->t;
	ival usual = window_find_default_span(r, proc), gpu, cpu;
	window w = { .proc = proc, .inside = r->only->inside, .device = ask->device >= 0 ? ask->device : r->only->gpu,
		.name = arena_copy(&r->out->texts, ask->window),
		.each_name = arena_copy(&r->out->texts, ask->each_name),
		.step = arena_copy(&r->out->texts, ask->step), .number = ask->number };

	gpu = ival_cut((ival){ ask->has_a ? ask->a : usual.a, ask->has_b ? ask->b : usual.b }, t->span);
	cpu = ask->has_cpu ? ival_cut((ival){ ask->cpu_a, ask->cpu_b + (ask->cpu_a == ask->cpu_b) }, t->span) : gpu;
	if (gpu.a >= gpu.b) {
		if (proc != NONE && usual.a < usual.b)
			notes_remark(r->say, "window %s contains no time of process %s in '%s' (%lld..%lld ns)",
				     ask->shown, t->procs[proc].shown, t->path, (long long)usual.a,
				     (long long)usual.b);
		return;
	}
	if (cpu.a >= cpu.b) {
		notes_remark(r->say, "the CPU side of window %s, %lld..%lld ns, lies outside '%s'; skipped",
			     ask->shown, (long long)ask->cpu_a, (long long)ask->cpu_b, t->path);
		return;
	}
	ival_add(&w.gpu, gpu.a, gpu.b);
	ival_add(&w.cpu, cpu.a, cpu.b);
	vec_push(r->out, w);
}

static bool window_trace_has_gpu(const trace *t, int64_t gpu)
{
	return gpu < 0 || trace_has_gpu(t, gpu);
}

/* The first process with this pid or, if there is none, with a higher one.  Processes are in order of pid. */
static uint32_t window_find_first_of_pid(const trace *t, int64_t pid)
{
	size_t i;

	search_first(i, 0, t->nprocs, t->procs[i].pid >= pid);
	return (uint32_t)i;
}

static bool window_trace_has_process(const trace *t, const window_ask *ask)
{
	for (uint32_t p = window_find_first_of_pid(t, ask->pid); p < t->nprocs && t->procs[p].pid == ask->pid; p++)
		if (trace_is_process(t, p, ask->pid, ask->sub))
			return true;
	return ask->pid < 0;
}

static void window_say_outside(const window_resolve_ctx *r, const window_ask *ask)
{
	arena texts = { 0 };
	const char *a = ask->has_a ? arena_printf(&texts, "%lld", (long long)ask->a) : "";
	const char *b = ask->has_b ? arena_printf(&texts, "%lld", (long long)ask->b) : "";
	const char *text = arena_printf(&texts, "window %s lies outside '%s': %s..%s ns is not in %lld..%lld ns",
					ask->shown, r->t->path, a, b, (long long)r->t->span.a,
					(long long)r->t->span.b);

	if (ask->row)
		notes_remark(r->say, "%s; skipped", text);
	else
		notes_problem(r->say, EXIT_WRONG, "%s", text);
	arena_free(&texts);
}

/* Must the window be skipped?  It must if the trace has no such time, process or GPU; a remark or a problem then says
 * so.  It also must if r->only names a GPU that the trace lacks, or another GPU than the window; nothing says so. */
static bool window_is_left_out(const window_resolve_ctx *r, const window_ask *ask)
{
	const trace *t = r->t;

	if ((ask->has_a && ask->a >= t->span.b) || (ask->has_b && ask->b <= t->span.a)) {
		window_say_outside(r, ask);
		return true;
	}
	if (!window_trace_has_process(t, ask))
		notes_remark(r->say, "window %s is for process %s, which has no events in '%s'; skipped", ask->shown,
			     number_pid_text(ask->pid, ask->sub, (char[NUMBER_PID_SIZE]){ 0 }), t->path);
	else if (!window_trace_has_gpu(t, ask->device))
		notes_remark(r->say, "window %s is for GPU %lld, which has no work in '%s'; skipped", ask->shown,
			     (long long)ask->device, t->path);
	else
		return !window_trace_has_gpu(t, r->only->gpu) ||
			(ask->device >= 0 && r->only->gpu >= 0 && ask->device != r->only->gpu);
	return true;
}

static void window_add_ask(const window_resolve_ctx *r, const window_ask *ask)
{
	const trace *t = r->t;
	bool unlimited = !ask->row && !ask->has_a && !ask->has_b, named = r->only->pid >= 0;
	int64_t pid = ask->pid >= 0 ? ask->pid : r->only->pid;

	if (window_is_left_out(r, ask))
		return;
	if (r->def >= WINDOW_TRACE && ask->pid < 0 && !named) {
		window_add_for_process(r, ask, NONE);
		return;
	}
	for (uint32_t p = window_find_first_of_pid(t, pid); p < t->nprocs && (pid < 0 || t->procs[p].pid == pid); p++) {
		bool wanted = window_process_has_work(t, p) || (r->def != WINDOW_GPU_WORK && (unlimited || named));
		if (ask->pid >= 0 ? !trace_is_process(t, p, ask->pid, ask->sub) : !wanted)
			continue;
		if (!named || trace_is_process(t, p, r->only->pid, r->only->sub))
			window_add_for_process(r, ask, p);
	}
}

static ival_set window_merge_sides(const windows *all, const uint32_t *mine, size_t n, bool cpu)
{
	vec(ival) parts = { 0 };
	ival_set out;

	for (size_t i = 0; i < n; i++) {
		const ival_set *side = cpu ? &all->v[mine[i]].cpu : &all->v[mine[i]].gpu;
		for (size_t k = 0; k < side->n; k++)
			vec_push(&parts, side->v[k]);
	}
	out = ival_union(parts.v, parts.n);
	vec_free(&parts);
	return out;
}

static bool window_is_same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static bool window_is_same_set(const ival_set *a, const ival_set *b)
{
	/* an empty set has no array, and memcmp must not get NULL */
	return a->n == b->n && (!a->n || memcmp(a->v, b->v, a->n * sizeof *a->v) == 0);
}

static window window_merge_several(windows *out, const windows *all, const uint32_t *mine, size_t n)
{
	window w = all->v[mine[0]];
	bool differ = false;

	for (size_t i = 0; i < n; i++) {
		const window *one = &all->v[mine[i]];
		differ |= !window_is_same_set(&one->gpu, &one->cpu);
		if (!window_is_same_text(w.name, one->name))
			w.name = NULL;
		if (!window_is_same_text(w.each_name, one->each_name))
			w.each_name = NULL;
	}
	out->nameless |= differ && !w.name;
	w.step = n == 1 ? w.step : NULL;
	w.gpu = window_merge_sides(all, mine, n, false);
	w.cpu = window_merge_sides(all, mine, n, true);
	return w;
}

/* Merges the windows of each process into one, or of each process and GPU if the windows name GPUs.  The merged window
 * keeps a name only if all its windows have it. */
static void window_merge_processes(const window_resolve_ctx *r)
{
	windows *all = r->out, out = { .chosen = all->chosen, .texts = all->texts };
	uint32_t *key_of = mem_new(uint32_t, all->n), *order;
	size_t *first = mem_new(size_t, all->n + 1);
	group keys = { .width = 2 };

	for (size_t i = 0; i < all->n; i++)
		key_of[i] = (uint32_t)group_of(&keys, (int64_t[]){ all->v[i].proc, all->v[i].device });
	order = sort_groups(key_of, all->n, keys.n, first);
	for (size_t k = 0; k < keys.n; k++)
		vec_push(&out, window_merge_several(&out, all, &order[first[k]], first[k + 1] - first[k]));
	mem_free(key_of, order, first);
	group_free(&keys);
	all->texts = (arena){ 0 };
	window_free(all);
	*r->out = out;
}

windows window_resolve(const trace *t, const window_asks *asks, const window_filter *only, enum window_default def,
		       notes *say)
{
	static const window_ask nothing = { .pid = -1, .sub = -1, .device = -1, .shown = "default" };
	windows out = { .chosen = asks };
	window_resolve_ctx r = { t, only, def, say, &out };

	if (t->span.a >= t->span.b)
		return out;
	if (!asks)
		window_add_ask(&r, &nothing);
	for (size_t i = 0; asks && i < asks->n; i++)
		if (!asks->v[i].trace || strcmp(asks->v[i].trace, t->path) == 0)
			window_add_ask(&r, &asks->v[i]);
	if (only->merge && out.n)
		window_merge_processes(&r);
	for (size_t i = 0; i < out.n; i++) {
		ival_index(&out.v[i].gpu);
		ival_index(&out.v[i].cpu);
	}
	return out;
}

void window_free(windows *w)
{
	for (size_t i = 0; i < w->n; i++) {
		ival_free(&w->v[i].gpu);
		ival_free(&w->v[i].cpu);
	}
	vec_free(w);
	arena_free(&w->texts);
}

bool window_has_in_parts(const window *w, const ival_set *side, int64_t start, int64_t end)
{
	return w->inside ? ival_holds(side, start, end) : ival_touches(side, start, end);
}

ival window_clip(const ival_set *side, int64_t start, int64_t end)
{
	size_t first = ival_after(side, start), last = first;

	while (last + 1 < side->n && side->v[last + 1].a < end)
		last++;
	return ival_cut((ival){ start, end }, (ival){ side->v[first].a, side->v[last].b });
}

/* Searches n events, sorted by start, for the next stretch, block by block (REACH_BLOCK).  The stretch begins in a
 * block with an event that reaches into the window.  It goes on as long as the next block has such an event, too.  If
 * that leads to a block that begins inside the window, the stretch goes on to the last event that starts in the window.
 * w: the hull of a side of the window.  lo and hi: as in window_next_in_lane. */
static bool window_next_stretch(const trace_reach *reach, const int64_t *start, size_t n, ival w, size_t *lo,
				size_t *hi)
{
	size_t from = *hi, block, end;

	if (from >= n || start[from] >= w.b)
		return false;
	block = trace_reach_find_from(reach, from / REACH_BLOCK, w.a);
	if (block == SIZE_MAX)
		return false;
	from = from > block * REACH_BLOCK ? from : block * REACH_BLOCK;
	search_first(end, from, n, start[end] >= w.b);
	do
		block++;
	while (block * REACH_BLOCK < end && start[block * REACH_BLOCK] < w.a &&
	       reach->latest[reach->leaves + block] >= w.a);
	if (block * REACH_BLOCK < end && start[block * REACH_BLOCK] < w.a)
		end = block * REACH_BLOCK;
	*lo = from;
	*hi = end;
	return from < end;
}

bool window_next_in_lane(const trace *t, const trace_lane *lane, const ival_set *side, size_t *lo, size_t *hi)
{
	size_t a, b = *hi > lane->first ? *hi - lane->first : 0;

	if (!window_next_stretch(&lane->reach, t->work.start + lane->first, lane->n, window_hull(side), &a, &b))
		return false;
	*lo = lane->first + a;
	*hi = lane->first + b;
	return true;
}

bool window_next_calls(const trace *t, const ival_set *side, size_t *lo, size_t *hi)
{
	return window_next_stretch(&t->calls.reach, t->calls.start, t->calls.n, window_hull(side), lo, hi);
}

void window_find_starting(const trace *t, const trace_lane *lane, const ival_set *side, size_t *lo, size_t *hi)
{
	const int64_t *start = t->work.start;
	size_t end = lane->first + lane->n;
	ival w = window_hull(side);

	search_first(*lo, lane->first, end, start[*lo] >= w.a);
	search_first(*hi, *lo, end, start[*hi] >= w.b);
}

bool window_walk_to_stretch(const trace *t, const window *w, window_walk *walk)
{
	if (!walk->end_lane)
		walk->next_lane = trace_find_lanes(t, w->proc, &walk->end_lane);
	for (;;) {
		if (walk->on_lane && window_next_in_lane(t, &t->lanes[walk->lane], &w->gpu, &walk->next, &walk->end))
			return true;
		walk->next = walk->end = 0;
		walk->on_lane = false;
		if (walk->next_lane >= walk->end_lane)
			return false;
		walk->lane = walk->next_lane++;
		walk->on_lane = window_has_lane(w, &t->lanes[walk->lane]);
	}
}

window_thread_events window_thread_events_of(const window *w, const trace_thread_events *a, uint32_t thread)
{
	ival hull = window_hull(&w->cpu);
	window_thread_events found = { 0 };

	found.next = thread_events_find_reaching(a, thread, hull.a);
	search_first(found.end, found.next, a->first[thread + 1], a->start[found.end] >= hull.b);
	return found;
}

bool window_has_lane(const window *w, const trace_lane *lane)
{
	return (w->proc == NONE || w->proc == lane->proc) && (w->device < 0 || w->device == lane->gpu);
}

bool window_has_metric(const window *w, const trace *t, const gpu_numbers *numbers, const trace_metric *m)
{
	if (w->proc == NONE)
		return w->device < 0 || w->device == m->gpu;
	for (size_t l = 0; l < t->nlanes; l++)
		if (window_has_lane(w, &t->lanes[l]) && gpu_numbers_find_card(numbers, t, &t->lanes[l]) == m->card)
			return true;
	return false;
}
