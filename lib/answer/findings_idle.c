/* Findings about idle time: what the GPU waits for, by the causes of nsq-gaps. */
#include "answer/advise_parts.h"
#include "answer/api.h"
#include "base/name_match.h"
#include "trace/call_class.h"

/* Rows of one of these causes. */
static bool of_causes(const table *rows, size_t row, const void *ctx)
{
	const char *cause = advise_cell(rows, row, "cause")->t;

	for (const char *const *c = ctx; *c; c++)
		if (strcmp(cause, *c) == 0)
			return true;
	return false;
}

static const char *const by_cpu[] = { "host", "launch", "api", NULL };
static const char *const by_launches[] = { "host", "launch", "api", "queued", NULL };

/* ", mostly by 'host', mostly in 'forward'"; in a trace without ranges no place can be named. */
static const char *mostly(const advise_trace *x, const char *cause, const char *range)
{
	arena *texts = &x->job->texts;
	const char *by = cause ? arena_printf(texts, ", mostly by '%s'", cause) : "";

	return !x->t->has_nvtx ? by : range ? arena_printf(texts, "%s, mostly in '%s'", by, range) :
		arena_printf(texts, "%s, mostly outside all ranges", by);
}

/* nsq-gaps as it was asked. */
static const char *gaps(const advise_trace *x, const advise_unit *u)
{
	return arena_printf(&x->job->texts, "nsq-gaps --by cause,nvtx%s%s", x->p->captured ? " --captured" : "", u->on_gpu);
}

/* The longest call in the idle time of a unit, of those that are not for memory or synchronization. */
static const char *longest_call(const advise_trace *x, size_t unit, int64_t *ns)
{
	const char *name = NULL;

	*ns = 0;
	for (size_t i = 0; i < table_rows(&x->calls); i++) {
		const char *class = advise_cell(&x->calls, i, "class")->t;
		int64_t longest = advise_cell(&x->calls, i, "max_ns")->i;
		if (longest > *ns && strcmp(class, "sync") != 0 && strcmp(class, "memory") != 0 &&
		    advise_unit_of(x->job, advise_step_of(&x->calls, i)) == x->first_unit + unit) {
			*ns = longest;
			name = advise_cell(&x->calls, i, "name")->t;
		}
	}
	return name;
}

/* Does at least half of the kernel time in the steps of a unit come from CUDA graphs? */
static bool runs_graphs(const advise_trace *x, size_t unit)
{
	const trace *t = x->t;
	const advise_unit *u = &x->job->units.v[x->first_unit + unit];
	int64_t replayed = 0, all = 0;

	for (size_t i = u->first - x->first_step; i < u->first - x->first_step + u->n; i++) {
		window_walk k = { 0 };
		while (window_next(t, &x->steps.v[i], &k)) {
			uint32_t call = t->work.launch[k.work], name = call == NONE ? STR_NONE : t->calls.name[call];
			int64_t ns = t->work.end[k.work] - t->work.start[k.work];
			bool graph = t->work.kind[k.work] == WORK_GRAPH || (name != STR_NONE && call_replays(t->names.text[name]));
			if (t->work.kind[k.work] > WORK_GRAPH)
				continue;
			all = ns_add(all, ns);
			replayed = ns_add(replayed, graph ? ns : 0);
		}
	}
	return all && replayed >= all - replayed;
}

static void add_host(const advise_trace *x, size_t unit, const int64_t *idle, const char *where)
{
	const advise_unit *u = &x->job->units.v[x->first_unit + unit];
	arena *texts = &x->job->texts;
	int64_t ns;
	const char *call = longest_call(x, unit, &ns);
	bool one = call && ns > advise_total(x, idle, unit) / 2;

	advise_find_by_step(x, idle, (advise_found){ .kind = ADVISE_HOST, .unit = x->first_unit + unit,
		.text = arena_printf(texts, "CPU too slow for the GPU: the GPU is idle until the CPU launches more work%s%s; assumes that the CPU could take "
				     "no time", where, one ? arena_printf(texts, ", %.3f ms of it in one call of %s", (double)ns / 1e6, call) : ""),
		.evidence = advise_median_row(x->job, u, gaps(x, u), "idle_ns", "cause in ('host', 'launch', 'api')"),
		.advice = one ? "find out why this call takes so long: the first launch of a kernel loads its code, which a warm-up or "
			"CUDA_MODULE_LOADING=EAGER does earlier" : runs_graphs(x, unit) ? "the step runs from CUDA graphs already: launch the next replay "
			"before this one ends, with less host code and fewer launches between the replays" : NULL });
}

bool find_host(advise_trace *x)
{
	int64_t *idle = advise_by_step(x, &x->causes, "idle_ns", of_causes, by_cpu);
	const char **cause = advise_top(x, &x->causes, "idle_ns", "cause", of_causes, by_cpu);
	const char **range = advise_top(x, &x->causes, "idle_ns", "nvtx", of_causes, by_cpu);

	for (size_t i = 0; i < advise_units(x); i++)
		add_host(x, i, idle, mostly(x, cause[i], range[i]));
	free(idle);
	free(cause);
	free(range);
	return true;
}

static const char *in_loop(const advise_unit *u)
{
	return u->whole ? "" : " in the loop";
}

static bool is_synced(const table *rows, size_t row, const void *ctx)
{
	(void)ctx;
	return advise_cell(rows, row, "synced_ns")->i > 0;
}

bool find_sync(advise_trace *x)
{
	int64_t *idle = advise_by_step(x, &x->causes, "synced_ns", NULL, NULL);
	const char **cause = advise_top(x, &x->causes, "synced_ns", "cause", is_synced, NULL);
	const char **range = advise_top(x, &x->causes, "synced_ns", "nvtx", is_synced, NULL);
	arena *texts = &x->job->texts;

	for (size_t i = 0; i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		advise_find_by_step(x, idle, (advise_found){ .kind = ADVISE_SYNC, .unit = x->first_unit + i,
			.text = arena_printf(texts, "synchronizing%s: the CPU waits for the GPU, and then the GPU for the CPU%s; assumes that work could be "
					     "queued before the wait", in_loop(u), mostly(x, cause[i], range[i])),
			.evidence = advise_median_row(x->job, u, arena_printf(texts, "nsq-gaps%s", u->on_gpu), "synced_ns", "") });
	}
	free(idle);
	free(cause);
	free(range);
	return true;
}

/* ---- many small kernels */

enum { MANY_LAUNCHES = 10, DENSE_NS = 100000, SOON_NS = 20000, SMALL_PCT = 50 };

static double share(const table *rows, size_t row)
{
	return advise_cell(rows, row, "small_pct")->d;
}

/* Steps in which the CPU launches many small kernels, one by one, and the GPU runs each as soon as it is launched. */
static bool is_launch_bound(const table *rows, size_t row, const void *ctx)
{
	const advise_job *j = ctx;
	int64_t queue = advise_cell(rows, row, "queue_p50_ns")->i, launches = advise_cell(rows, row, "launches")->i;

	return launches >= MANY_LAUNCHES && j->steps.v[advise_step_of(rows, row)] / launches < DENSE_NS &&
		queue != TABLE_MISSING && queue < SOON_NS && share(rows, row) >= SMALL_PCT;
}

bool find_graph(advise_trace *x)
{
	const api_params launches = { .mode = API_LAUNCH, .class = API_ALL_CLASSES };
	table rows = { 0 };
	bool ok = api_answer(x->t, &x->steps, &launches, &rows, NULL);
	int64_t *many = advise_by_step(x, &rows, "launches", is_launch_bound, x->job);
	int64_t *idle = advise_by_step(x, &x->causes, "idle_ns", of_causes, by_launches);
	arena *texts = &x->job->texts;

	for (size_t i = 0; ok && i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		int64_t n = advise_median(x, many, i);
		if (n)
			advise_find_by_step(x, idle, (advise_found){ .kind = ADVISE_GRAPH, .unit = x->first_unit + i,
				.text = arena_printf(texts, "many small kernels, launched one by one: %lld launches a step, and the GPU runs each kernel as "
						 "soon as it is launched; assumes that nothing in the step needs the CPU", (long long)n),
				.evidence = advise_median_row(x->job, u, gaps(x, u), "idle_ns", "cause in ('host', 'launch', 'api', 'queued')") });
	}
	free(many);
	free(idle);
	table_free(&rows);
	return ok;
}

/* ---- calls in idle time: at the start of a loop they belong there, so the first step must have been left out */

static bool is_named(const table *rows, size_t row, const void *ctx)
{
	return pattern_matches(ctx, advise_cell(rows, row, "name")->t);
}

/* The names of the calls that allocate and free, and of those that load code. */
static const char allocating[] = "Malloc|MemAlloc|Free|HostAlloc|HostRegister|HostUnregister|MemCreate|MemMap$|MemUnmap|MemRelease|MemSetAccess";
static const char loading[] = "ModuleLoad|ModuleUnload|LibraryLoad|LibraryUnload|LinkCreate|LinkAdd|LinkComplete";

/* nsq-gaps | nsq-find: such calls in idle time. */
static const char *calls_shown(const advise_trace *x, const advise_unit *u, const char *names)
{
	return arena_printf(&x->job->texts, "nsq-gaps --each --min 0%s | nsq-find --kind call '%s'", u->on_gpu, names);
}

static regex_t compiled(const char *names)
{
	regex_t re;
	char why[200];

	(void)pattern_compile(&re, names, REG_NOSUB, why, sizeof why);
	return re;
}

typedef vec(ival) ivals;

/* By process: when such calls are open, of one thread or of several at once.  The caller frees it. */
static ival_set *when_open(const advise_trace *x, const char *names)
{
	const trace *t = x->t;
	regex_t re = compiled(names);
	uint32_t *base = call_base_names(x->t);
	name_match named = { .re = &re, .names = &t->names };
	ivals *calls = mem_new(ivals, t->nprocs);
	ival_set *open = mem_new(ival_set, t->nprocs);

	for (size_t i = 0; i < t->calls.n; i++)
		if (t->calls.name[i] != STR_NONE && name_match_of(&named, base[t->calls.name[i]]))
			vec_push(&calls[t->threads[t->calls.thread[i]].proc], (ival){ t->calls.start[i], t->calls.end[i] });
	for (size_t p = 0; p < t->nprocs; p++) {
		if (calls[p].n)
			open[p] = ival_union(calls[p].v, calls[p].n);
		vec_free(&calls[p]);
	}
	free(calls);
	name_match_free(&named);
	free(base);
	regfree(&re);
	return open;
}

/* By step of this trace: its idle time in which such calls are open.  The caller frees it. */
static int64_t *idle_in_calls(const advise_trace *x, const char *names)
{
	ival_set *open = when_open(x, names);
	int64_t *idle = mem_new(int64_t, x->steps.n);

	for (size_t i = 0; i < x->idle.n; i++) {
		const window *w = &x->idle.v[i];
		int64_t *of = &idle[strtoull(w->name, NULL, 10) - x->first_step];
		for (size_t k = 0; k < w->cpu.n; k++)
			*of += ival_within(&open[w->proc], w->cpu.v[k].a, w->cpu.v[k].b);
	}
	for (size_t p = 0; p < x->t->nprocs; p++)
		ival_free(&open[p]);
	free(open);
	return idle;
}

bool find_allocation(advise_trace *x)
{
	regex_t re = compiled(allocating);
	int64_t *idle = idle_in_calls(x, allocating);
	const char **call = advise_top(x, &x->calls, "total_ns", "name", is_named, &re);
	arena *texts = &x->job->texts;

	for (size_t i = 0; i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		if (!u->steady && !u->whole)
			continue;
		advise_find_by_step(x, idle, (advise_found){ .kind = ADVISE_ALLOCATION, .unit = x->first_unit + i,
			.text = arena_printf(texts, "allocation%s: the GPU is idle while the CPU allocates or frees memory, mostly in %s; assumes "
					 "that nothing else would have kept it waiting", in_loop(u), call[i] ? call[i] : "-"),
			.evidence = advise_union_row(x->job, u, calls_shown(x, u, allocating)),
			.advice = u->whole ? "allocate and register memory once, before the GPU is needed, or keep it with a caching allocator" : NULL });
	}
	regfree(&re);
	free(idle);
	free(call);
	return true;
}

int64_t *advise_loading(const advise_trace *x)
{
	return idle_in_calls(x, loading);
}

/* Code is loaded in some steps only, so the sum is shared out over all. */
bool find_modules(advise_trace *x)
{
	int64_t *idle = advise_loading(x);
	arena *texts = &x->job->texts;

	for (size_t i = 0; i < advise_units(x); i++) {
		const advise_unit *u = &x->job->units.v[x->first_unit + i];
		size_t steps = 0;
		for (size_t k = u->first; k < u->first + u->n; k++)
			steps += idle[k - x->first_step] > 0;
		if (!u->steady)
			continue;
		advise_find(x->job, (advise_found){ .kind = ADVISE_MODULES, .unit = x->first_unit + i, .recover = advise_total(x, idle, i) / (int64_t)u->n,
			.text = arena_printf(texts, "module loading in the steady state: the GPU is idle while code is loaded, in %zu of %zu steps; assumes "
					 "that it could be loaded before the first one", steps, u->n),
			.evidence = advise_union_share(x->job, u, calls_shown(x, u, loading), "group_concat(distinct name) as calls") });
	}
	free(idle);
	return true;
}
