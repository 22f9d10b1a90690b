#include "relate/window.h"
#include "cli/errors.h"
#include "cli/options.h"

#include <string.h>

static bool has_work(const trace *t, uint32_t proc)
{
	return t->procs[proc].gpu.a < t->procs[proc].gpu.b;
}

static ival default_of(const trace *t, uint32_t proc, enum window_default def)
{
	return def == WINDOW_TRACE ? t->span : def == WINDOW_ALL_GPU_WORK ? t->work_span :
		def == WINDOW_EVENTS || !has_work(t, proc) ? t->procs[proc].events : t->procs[proc].gpu;
}

static ival cut(ival x, ival to)
{
	return (ival){ x.a > to.a ? x.a : to.a, x.b < to.b ? x.b : to.b };
}

static void add(windows *out, ival gpu, ival cpu, uint32_t proc, const char *name)
{
	window w = { .proc = proc, .name = name };

	ival_add(&w.gpu, gpu.a, gpu.b);
	ival_add(&w.cpu, cpu.a, cpu.b);
	vec_push(out, w);
}

/* One window for one process (or all): false, with a note, when nothing of it is in the trace. */
static bool resolve_one(const trace *t, const win_ask *ask, uint32_t proc, enum window_default def, windows *out)
{
	ival whole = default_of(t, proc, def), gpu, cpu;

	gpu = cut((ival){ ask->has_a ? ask->a : whole.a, ask->has_b ? ask->b : whole.b }, t->span);
	cpu = ask->has_cpu ? cut((ival){ ask->cpu_a, ask->cpu_b }, t->span) : gpu;
	if (gpu.a >= gpu.b) {
		if (proc != NONE)
			note("window %s holds no time of process %lld in '%s', which spans %lld..%lld ns",
			     ask->shown, (long long)t->procs[proc].pid, t->path, (long long)whole.a,
			     (long long)whole.b);
		return false;
	}
	if (cpu.a >= cpu.b) {
		note("the CPU side of window %s, %lld..%lld ns, holds no time of '%s'; it is left out", ask->shown,
		     (long long)ask->cpu_a, (long long)ask->cpu_b, t->path);
		return false;
	}
	add(out, gpu, cpu, proc, ask->window);
	return true;
}

static bool outside(const trace *t, const win_ask *ask)
{
	return (ask->has_a && ask->a >= t->span.b) || (ask->has_b && ask->b <= t->span.a);
}

static void resolve(const trace *t, const win_ask *ask, enum window_default def, windows *out)
{
	uint32_t only = opt_common.pid < 0 ? NONE : trace_pid(t, opt_common.pid);
	uint32_t proc = ask->pid < 0 ? NONE : trace_pid(t, ask->pid);

	if (outside(t, ask)) {
		const char *a = ask->has_a ? mem_printf("%lld", (long long)ask->a) : "";
		const char *b = ask->has_b ? mem_printf("%lld", (long long)ask->b) : "";
		if (!ask->row)
			complain(EXIT_WRONG, "window %s lies outside '%s': %s..%s ns is not in %lld..%lld ns",
				 ask->shown, t->path, a, b, (long long)t->span.a, (long long)t->span.b);
		else
			note("window %s lies outside '%s': %s..%s ns is not in %lld..%lld ns; it is left out",
			     ask->shown, t->path, a, b, (long long)t->span.a, (long long)t->span.b);
		return;
	}
	if (ask->row && ask->a == ask->b) {
		note("window %s is empty, %lld..%lld ns; it is left out", ask->shown, (long long)ask->a,
		     (long long)ask->b);
		return;
	}
	if (ask->pid >= 0 && proc == NONE) {
		note("window %s is of pid %lld, which has no events in '%s'; it is left out", ask->shown,
		     (long long)ask->pid, t->path);
		return;
	}
	if (opt_common.pid >= 0 && (only == NONE || (proc != NONE && proc != only)))
		return;
	if (proc == NONE && only != NONE && def == WINDOW_GPU_WORK && !has_work(t, only))
		return;
	proc = proc != NONE ? proc : only;
	if (proc != NONE || def >= WINDOW_TRACE) {
		resolve_one(t, ask, proc, def, out);
		return;
	}
	for (uint32_t p = 0; p < t->nprocs; p++) {
		bool whole = !ask->row && !ask->has_a && !ask->has_b;
		bool wanted = has_work(t, p) || (def != WINDOW_GPU_WORK && whole);
		if (wanted)
			resolve_one(t, ask, p, def, out);
	}
}

static ival_set merged(const windows *all, const bool *mine, bool cpu)
{
	vec(ival) parts = { 0 };
	ival_set out;

	for (size_t i = 0; i < all->n; i++) {
		const ival_set *side = cpu ? &all->v[i].cpu : &all->v[i].gpu;
		for (size_t k = 0; mine[i] && k < side->n; k++)
			vec_push(&parts, side->v[k]);
	}
	out = ival_union(parts.v, parts.n);
	vec_free(&parts);
	return out;
}

/* Windows of one process become one; its name is theirs where they agree. */
static windows merge(windows *all)
{
	windows out = { 0 };
	bool *mine = mem_new(bool, all->n), *done = mem_new(bool, all->n);

	for (size_t i = 0; i < all->n; i++) {
		window w = { .proc = all->v[i].proc, .name = all->v[i].name };
		if (done[i])
			continue;
		for (size_t k = 0; k < all->n; k++) {
			mine[k] = all->v[k].proc == w.proc;
			done[k] |= mine[k];
			if (mine[k] && (!w.name || !all->v[k].name || strcmp(w.name, all->v[k].name) != 0))
				w.name = NULL;
		}
		w.gpu = merged(all, mine, false);
		w.cpu = merged(all, mine, true);
		vec_push(&out, w);
	}
	free(mine);
	free(done);
	window_free(all);
	return out;
}

windows window_resolve(const trace *t, const win_ask *asks, size_t n, bool asked, enum window_default def)
{
	static const win_ask nothing = { .pid = -1, .shown = "default" };
	windows out = { 0 };

	if (t->span.a >= t->span.b)
		return out;
	if (!asked)
		resolve(t, &nothing, def, &out);
	for (size_t i = 0; i < n; i++)
		resolve(t, &asks[i], def, &out);
	return opt_common.merge && out.n ? merge(&out) : out;
}

void window_free(windows *w)
{
	for (size_t i = 0; i < w->n; i++) {
		ival_free(&w->v[i].gpu);
		ival_free(&w->v[i].cpu);
	}
	vec_free(w);
}

bool window_has(const ival_set *side, int64_t start, int64_t end)
{
	return opt_common.inside ? ival_holds(side, start, end) : ival_touches(side, start, end);
}

ival window_clip(const ival_set *side, int64_t start, int64_t end)
{
	size_t first = ival_after(side, start), last = first;
	ival x = { start, end };

	while (last + 1 < side->n && side->v[last + 1].a < end)
		last++;
	if (x.a < side->v[first].a)
		x.a = side->v[first].a;
	if (x.b > side->v[last].b)
		x.b = side->v[last].b;
	return x;
}

/* Of n events sorted by start: from the first block that reaches into the window to the last event
 * that starts before its end. */
static void stretch(const int64_t *start, const int64_t *reach, size_t n, const ival_set *side,
		    size_t *lo, size_t *hi)
{
	ival w = window_hull(side);
	size_t a = 0, b = (n + REACH_BLOCK - 1) / REACH_BLOCK;

	while (a < b) {
		size_t mid = a + (b - a) / 2;
		if (reach[mid] >= w.a)
			b = mid;
		else
			a = mid + 1;
	}
	*lo = a = a * REACH_BLOCK < n ? a * REACH_BLOCK : n;
	b = n;
	while (a < b) {
		size_t mid = a + (b - a) / 2;
		if (start[mid] < w.b)
			a = mid + 1;
		else
			b = mid;
	}
	*hi = a;
}

void window_work(const trace *t, const trace_lane *lane, const ival_set *side, size_t *lo, size_t *hi)
{
	stretch(t->work.start + lane->first, lane->reach, lane->n, side, lo, hi);
	*lo += lane->first;
	*hi += lane->first;
}

void window_calls(const trace *t, const ival_set *side, size_t *lo, size_t *hi)
{
	stretch(t->calls.start, t->calls.reach, t->calls.n, side, lo, hi);
}

bool window_lane(const window *w, const trace_lane *lane)
{
	return (w->proc == NONE || w->proc == lane->proc) &&
		(opt_common.gpu < 0 || lane->gpu == opt_common.gpu);
}
