/* The table `doubts`: facts that make the numbers of a unit doubtful or nearly meaningless. */
#include "answer/advise_gather.h"
#include "base/group.h"
#include "timeline/clock_offset.h"
#include "timeline/failed_calls.h"
#include "timeline/lost_events.h"
#include "trace/cpu_time.h"

static void advise_doubts_add(advise_tables *a, size_t unit, const char *kind, const char *text)
{
	table *out = &a->tables[ADVISE_DOUBTS];

	table_row(out);
	table_int(out, D_UNIT, (int64_t)unit);
	table_word(out, D_KIND, kind);
	table_text(out, D_TEXT, text);
}

static void advise_doubts_add_process(advise_gather_ctx *g, const trace_proc *p, const char *kind, const char *text)
{
	size_t end;

	for (size_t l = trace_find_lanes(g->t, (uint32_t)(p - g->t->procs), &end); l < end; l++)
		if (g->lane_unit[l] != NONE)
			advise_doubts_add(g->a, g->lane_unit[l], kind, text);
}

static void advise_doubts_add_failed(void *ctx, const trace_proc *p, const char *text)
{
	advise_doubts_add_process(ctx, p, "failed", text);
}

static void advise_doubts_add_lost(void *ctx, const trace_proc *p, const char *text)
{
	advise_doubts_add_process(ctx, p, "lost", text);
}

static void advise_doubts_add_clocks(void *ctx, const trace_proc *p, const char *text)
{
	advise_doubts_add_process(ctx, p, "clocks", text);
}

static void advise_doubts_add_shared(void *ctx, const char *text)
{
	advise_gather_ctx *g = ctx;

	if (g->a->units.n > g->first_unit)
		advise_doubts_add(g->a, g->first_unit, "shared", text);
}

static void advise_doubts_add_across(void *ctx, const char *text, size_t trace_number)
{
	advise_tables *a = ctx;

	if (a->units_before.v[trace_number] < a->units.n)
		advise_doubts_add(a, a->units_before.v[trace_number], "shared", text);
}

/* ---- too little to judge */

enum { FEW = 20, TIMES = 3 };   /* a judgement needs FEW kernels that each run TIMES times on average */
enum { GRAPH_KERNELS = 1000 };  /* advise_doubts_count_kernels counts a whole graph as this many kernels */

/* The number of kernels that start in a step; a whole graph counts as GRAPH_KERNELS.  *different: the number of
 * different pairs of name and grid among them. */
static size_t advise_doubts_count_kernels(const advise_gather_ctx *g, const advise_step_row *s, size_t *different)
{
	const trace_work *w = &g->t->work;
	group met = { .width = 2 };
	size_t lo, hi, n = 0;

	window_find_starting(g->t, &g->t->lanes[s->lane], &s->w->gpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (w->kind[i] <= WORK_GRAPH && ival_within(&s->w->gpu, w->start[i], w->start[i] + 1)) {
			group_of(&met, (int64_t[]){ work_name(w, i), work_grid(w, i) });
			n += w->kind[i] == WORK_GRAPH ? GRAPH_KERNELS : 1;
		}
	*different = met.n;
	group_free(&met);
	return n;
}

/* Has the lane, in the whole trace, fewer than FEW kernels and no whole graph?  Any of so few kernels may be an
 * exception. */
static bool advise_doubts_has_few(const trace *t, const trace_lane *lane)
{
	size_t n = 0;

	for (size_t i = lane->first; i < lane->first + lane->n && n < FEW; i++)
		n += t->work.kind[i] == WORK_KERNEL ? 1 : t->work.kind[i] == WORK_GRAPH ? FEW : 0;
	return n < FEW;
}

/* Set `few` of the unit of a step.  If no steps were found, so that this one is the whole run, and fewer than FEW
 * kernels run or each kernel runs fewer than TIMES times on average, also set `little` and add a doubt. */
static void advise_doubts_add_little(advise_gather_ctx *g, const advise_step_row *s)
{
	advise_unit *u = &g->a->units.v[s->unit];
	size_t different, n = u->whole ? advise_doubts_count_kernels(g, s, &different) : SIZE_MAX;

	u->few = advise_doubts_has_few(g->t, &g->t->lanes[s->lane]);
	if (!u->whole || (n >= FEW && n >= TIMES * different))
		return;
	u->little = n <= 1 ? n ? "1 kernel" : "no kernels" : n == different ?
		arena_printf(&g->a->texts, "%zu kernels, each once", n) :
		arena_printf(&g->a->texts, "%zu kernels of %zu kind%s", n, different, different == 1 ? "" : "s");
	advise_doubts_add(g->a, s->unit, "little", u->little);
}

/* ---- waiting for something other than the GPU */

/* Does a length differ from `pace` by less than the fraction `part` of it? */
static bool advise_doubts_is_close(int64_t ns, double pace, double part)
{
	return (double)ns > (1 - part) * pace && (double)ns < (1 + part) * pace;
}

/* The rate of a camera or a screen whose period is close to the median step, per second; 0: none is. */
static int advise_doubts_find_rate(int64_t typical)
{
	static const int rates[] = { 24, 25, 30, 50, 60, 90, 100, 120, 0 };
	int i = 0;

	while (rates[i] && !advise_doubts_is_close(typical, 1e9 / rates[i], 0.01))
		i++;
	return rates[i];
}

/* The thread that launches most of the lane's work that starts in this time; NONE: unknown. */
static uint32_t advise_doubts_find_launching_thread(const advise_gather_ctx *g, size_t lane, ival at)
{
	const trace *t = g->t;
	size_t *n = mem_new(size_t, t->nthreads), first = t->lanes[lane].first;
	uint32_t most = NONE;

	for (size_t i = first; i < first + t->lanes[lane].n; i++)
		if (t->work.launch[i] != NONE && t->work.start[i] >= at.a && t->work.start[i] < at.b) {
			uint32_t th = calls_thread(&t->calls, t->work.launch[i]);
			n[th]++;
			most = most == NONE || n[th] > n[most] ? th : most;
		}
	free(n);
	return most;
}

/* Is the thread off the CPU for over half of the time, and do its longest waits, as many as there are steps, take most
 * of that?  False if that is unknown. */
static bool advise_doubts_waits_once(const advise_gather_ctx *g, uint32_t thread, ival at, size_t steps)
{
	cpu_time c = { 0 };

	if (thread != NONE)
		c = cpu_time_find_waits(g->t, thread, at, steps);
	return c.known && c.waits > (at.b - at.a) / 2 && c.longest > c.waits / 2;
}

/* Add a doubt if most steps are as long as a frame of a camera or a screen, the GPU is idle for over a third of the
 * time, and the launching thread waits for over half of it.  False: there is no such doubt. */
static bool advise_doubts_add_paced(advise_gather_ctx *g, size_t lane)
{
	enum { LEAST = 10 };
	advise_unit *u = &g->a->units.v[g->lane_unit[lane]];
	int rate = advise_doubts_find_rate(u->typical);
	size_t n, equal = 0;
	const uint32_t *at = advise_steps_on(g, lane, &n);

	for (size_t i = 0; i < n; i++)
		equal += rate && advise_doubts_is_close(g->steps.v[at[i]].dur, 1e9 / rate, 0.1);
	if (n < LEAST || 2 * equal <= n || u->sum.busy >= u->sum.dur / 3 * 2 ||
	    !advise_doubts_waits_once(g, advise_doubts_find_launching_thread(g, lane, u->hull), u->hull, n))
		return false;
	u->paced = true;
	advise_doubts_add(g->a, g->lane_unit[lane], "paced", arena_printf(&g->a->texts, "%d steps a second, as of a "
		"camera or a screen; in each, the launching thread waits off the CPU and the GPU is idle", rate));
	return true;
}

/* Find the time in which the GPU is idle while the process is off the CPU and in no call, in steps that are not long.
 * Add a doubt if that is at least a twentieth of these steps, unless there is too little to judge.  If it is over half
 * of them, the unit is paced. */
static void advise_doubts_add_asleep(advise_gather_ctx *g, size_t lane)
{
	advise_unit *u = &g->a->units.v[g->lane_unit[lane]];
	int64_t asleep = 0, all = 0;
	size_t n;
	const uint32_t *at = advise_steps_on(g, lane, &n);

	for (size_t i = 0; i < n; i++)
		if (!g->steps.v[at[i]].is_long) {
			asleep += g->steps.v[at[i]].asleep;
			all += g->steps.v[at[i]].dur;
		}
	u->paced = asleep > all / 2;
	if (asleep && asleep >= all / 20 && !u->little)
		advise_doubts_add(g->a, g->lane_unit[lane], u->paced ? "paced" : "asleep", arena_printf(&g->a->texts,
			"for %.0f %% of %s, while the GPU is idle, the process is off the CPU, and in no CUDA call",
			100 * (double)asleep / (double)all, u->whole ? "the time" : "a step"));
}

/* ---- all doubts */

bool advise_doubts(advise_gather_ctx *g)
{
	failed_calls_find(g->t, advise_doubts_add_failed, g);
	lost_events_find(g->t, advise_doubts_add_lost, g);
	clock_offset_find(g->t, advise_doubts_add_clocks, g);
	for (size_t i = 0; i < g->steps.n; i++)
		advise_doubts_add_little(g, &g->steps.v[i]);
	for (size_t l = 0; l < g->t->nlanes; l++)
		if (g->lane_unit[l] != NONE && !advise_doubts_add_paced(g, l))
			advise_doubts_add_asleep(g, l);
	return shared_gpu_find(g->t, advise_doubts_add_shared, g) && shared_gpus_add(g->a->across, g->t);
}

void advise_doubts_end(advise_tables *a)
{
	shared_gpus_find(a->across, advise_doubts_add_across, a);
}
