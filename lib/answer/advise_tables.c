#include "answer/advise_gather.h"
#include "answer/answers.h"
#include "answer/unprofiled.h"
#include "answer/step_windows.h"
#include "base/group.h"
#include "base/sort.h"
#include "timeline/clock_offset.h"
#include "job/late_steps.h"
#include "timeline/lost_events.h"
#include "launch/compute_stalls.h"
#include "timeline/comm_work.h"
#include "launch/wait_counts.h"
#include "launch/peaks.h"
#include "step/phases.h"

#include <math.h>

#define UNITS(X) \
	X(U_UNIT, "unit", 'i') X(U_PID, "pid", 't') X(U_RANK, "rank", 'i') X(U_GPU, "gpu", 'i') \
	X(U_STEPS, "steps", 'i') X(U_TYPICAL, "typical_ns", 'i') X(U_PERIOD, "period_ns", 'i') \
	X(U_EXCESS, "excess_ns", 'i') X(U_WHOLE, "whole", 'i') X(U_LOST, "lost", 'i') X(U_PLAIN, "plain_pct", 'i') \
	X(U_SWITCHES, "switches", 'i')
#define STEPS(X) \
	X(S_UNIT, "unit", 'i') X(S_STEP, "step", 'i') X(S_DUR, "dur_ns", 'i') X(S_BUSY, "busy_ns", 'i') \
	X(S_COMPUTE, "compute_ns", 'i') X(S_BOTH, "both_ns", 'i') X(S_BLOCKED, "blocked_comm_ns", 'i') \
	X(S_SYNC_WAIT, "sync_wait_ns", 'i') \
	X(S_UNRESOLVED, "unresolved_ns", 'i') X(S_CPU, "cpu_ns", 'i') X(S_WAIT, "wait_ns", 'i') \
	X(S_PROFILER, "profiler_ns", 'i') X(S_LAUNCHES, "launches", 'i') X(S_LONG, "long", 'i') \
	X(S_KERNEL, "kernel_ns", 'i') X(S_BARE, "bare_ns", 'i') X(S_EXPOSED, "exposed_ns", 'i') \
	X(S_BETWEEN, "between_ns", 'i') X(S_NUMBER, "number", 'i')
#define SUMS(X) \
	X(M_UNIT, "unit", 'i') X(M_OWNER, "owner", 't') X(M_SYNCED, "synced", 'i') X(M_WHERE, "where", 't') \
	X(M_NAME, "name", 't') X(M_PAGEABLE, "pageable", 'i') X(M_REPLAYED, "replayed", 'i') \
	X(M_COMPILES, "compiles", 'i') X(M_CAPTURES, "captures", 'i') X(M_FIRST, "first", 'i') \
	X(M_SMALLCOPY, "smallcopy", 'i') X(M_WAITS, "waits", 'i') X(M_FAR, "far", 'i') \
	X(M_ASLEEP, "asleep", 'i') X(M_FLAW, "flaw", 't') X(M_LONG, "long", 'i') X(M_DUR, "dur_ns", 'i') \
	X(M_WASTE, "waste_ns", 'i') X(M_COUNT, "count", 'i') X(M_LATE, "late_ns", 'i')

#define COLS(list) { list(ADVISE_COL) { NULL, 0, NULL, NULL } }
#define TABLE(list, NAME) \
	enum { NAME##_FIRST = COL_OWN - 1, list(ADVISE_ID) }; \
	static const table_col NAME##_cols[] = COLS(list);
TABLE(UNITS, units)
TABLE(STEPS, steps)
TABLE(SUMS, sums)
static const table_col ledger_cols[] = COLS(ADVISE_LEDGER_COLUMNS), late_cols[] = COLS(ADVISE_LATE_COLUMNS);
static const table_col inside_cols[] = COLS(ADVISE_INSIDE_COLUMNS), runs_cols[] = COLS(ADVISE_RUNS_COLUMNS);
static const table_col collectives_cols[] = COLS(ADVISE_COLLECTIVES_COLUMNS);
static const table_col doubts_cols[] = COLS(ADVISE_DOUBTS_COLUMNS);

static const struct { const char *name; const table_col *cols; } declared[] = {
	[ADVISE_UNITS] = { "units", units_cols }, [ADVISE_STEPS] = { "steps", steps_cols },
	[ADVISE_LEDGER] = { "ledger", ledger_cols }, [ADVISE_LEDGER_SUMS] = { "ledger_sums", sums_cols },
	[ADVISE_INSIDE] = { "inside", inside_cols },
	[ADVISE_RUNS] = { "runs", runs_cols },
	[ADVISE_COLLECTIVES] = { "collectives", collectives_cols }, [ADVISE_DOUBTS] = { "doubts", doubts_cols },
	[ADVISE_LATE] = { "late", late_cols },
};

const char *advise_table_name(size_t which)
{
	return declared[which].name;
}

advise_tables *advise_tables_new(job *shared)
{
	advise_tables *a = mem_new(advise_tables, 1);

	a->ranks = arrivals_new(shared);
	a->across = shared_gpus_new();
	a->late = late_new();
	for (size_t i = 0; i < ADVISE_TABLES; i++) {
		for (int c = 0; declared[i].cols[c].name; c++)
			table_add(&a->tables[i], COL_OWN + c, &declared[i].cols[c]);
		a->tables[i].given_order = true;
	}
	return a;
}

void advise_tables_free(advise_tables *a)
{
	for (size_t i = 0; i < ADVISE_TABLES; i++)
		table_free(&a->tables[i]);
	arrivals_free(a->ranks);
	shared_gpus_free(a->across);
	vec_free(&a->units_before);
	late_free(a->late);
	mem_free(a->steps.v, a->units.v);
	arena_free(&a->texts);
	free(a);
}

unsigned advise_tables_need(void)
{
	return OWNERS_NEED | step_windows_need() | TRACE_CALL_CHAINS;
}

void advise_tables_copy_sources(advise_tables *a)
{
	static const struct { int table, where, source; } copied[] = {
		{ ADVISE_LEDGER, L_WHERE, L_SOURCE }, { ADVISE_INSIDE, I_WHERE, I_SOURCE },
		{ ADVISE_RUNS, R_WHERE, R_SOURCE }, { ADVISE_COLLECTIVES, C_WHERE, C_SOURCE } };

	for (size_t k = 0; k < sizeof copied / sizeof *copied; k++) {
		table *t = &a->tables[copied[k].table];
		for (size_t i = 0; i < table_rows(t); i++)
			if (!table_value(t, i, copied[k].where)->t)
				table_change_text(t, i, copied[k].where, table_value(t, i, copied[k].source)->t);
	}
}

static void advise_tables_add_to_cell(table *t, size_t row, int id, int64_t ns)
{
	int64_t had = table_value(t, row, id)->i;

	table_change(t, row, id, had == TABLE_MISSING ? ns : ns_add(had, ns));
}

/* Rows that agree in the columns of `agree` (the unit, the texts and the flags) become one. */
void advise_tables_sum_ledger(advise_tables *a)
{
	enum { WIDTH = M_LONG - M_UNIT + 1 };
	static const int agree[] = { L_UNIT, L_OWNER, L_SYNCED, L_WHERE, L_NAME, L_PAGEABLE, L_REPLAYED,
		L_COMPILES, L_CAPTURES, L_FIRST, L_SMALLCOPY, L_WAITS, L_FAR, L_ASLEEP, L_FLAW, L_LONG };
	const table *from = &a->tables[ADVISE_LEDGER];
	table *out = &a->tables[ADVISE_LEDGER_SUMS];
	group keys = { .width = WIDTH };

	table_clear(out);
	for (size_t i = 0; i < table_rows(from); i++) {
		const table_cell *v = table_at(from, i) - COL_OWN;      /* v[id] is the cell of the column with this id,
									 * because the ledger has only own columns,
									 * whose ids begin at COL_OWN */
		int64_t key[WIDTH];
		size_t row, rows = keys.n;
		for (int c = 0; c < WIDTH; c++)
			key[c] = v[agree[c]].i;
		row = group_of(&keys, key);
		if (row == rows)
			table_row(out);
		for (int c = 0; row == rows && c < WIDTH; c++)
			if (table_has_text(out->cols.v[c].type))
				table_word(out, M_UNIT + c, v[agree[c]].t);
			else
				table_int(out, M_UNIT + c, v[agree[c]].i);
		advise_tables_add_to_cell(out, row, M_DUR, v[L_DUR].i);
		advise_tables_add_to_cell(out, row, M_WASTE, v[L_WASTE].i);
		advise_tables_add_to_cell(out, row, M_COUNT, v[L_COUNT].i);
		advise_tables_add_to_cell(out, row, M_LATE, v[L_LATE].i);
	}
	group_free(&keys);
}

static int64_t advise_tables_find_median(const int64_t *v, size_t n)
{
	stats st = { 0 };
	stats_summary *sums;
	int64_t median;

	for (size_t i = 0; i < n; i++)
		stats_add(&st, 0, v[i]);
	sums = stats_finish(&st, 1);
	median = n ? sums->p50 : 0;
	free(sums);
	return median;
}

/* ---- units and steps */

static uint32_t advise_tables_name_step(const advise_gather_ctx *g, const window *w)
{
	return w->step ? str_fold(&g->t->names, str_id(&g->t->names, w->step, strlen(w->step))) : STR_NONE;
}

static void advise_tables_find_steps(advise_gather_ctx *g)
{
	uint32_t *unit;

	for (size_t i = 0; i < g->all->n; i++) {
		const window *w = &g->all->v[i];
		uint32_t name = advise_tables_name_step(g, w);
		size_t end;
		for (size_t l = trace_find_lanes(g->t, w->proc, &end); l < end; l++) {
			advise_step_row s = { .w = w, .lane = l, .proc = g->t->lanes[l].proc, .name = name,
				.dur = ival_length(&w->gpu) };
			if (!window_has_lane(w, &g->t->lanes[l]))
				continue;
			if (g->lane_unit[l] == NONE) {
				g->lane_unit[l] = (uint32_t)g->a->units.n;
				vec_push(&g->a->units, (advise_unit){ .steps = 0 });
			}
			s.unit = g->lane_unit[l];
			s.step = g->a->units.v[s.unit].steps++;
			vec_push(&g->steps, s);
		}
	}
	unit = mem_new(uint32_t, g->steps.n);
	for (size_t i = 0; i < g->steps.n; i++)
		unit[i] = (uint32_t)(g->steps.v[i].unit - g->first_unit);
	g->unit_begin = mem_new(size_t, g->a->units.n - g->first_unit + 1);
	g->steps_by_unit = sort_groups(unit, g->steps.n, g->a->units.n - g->first_unit, g->unit_begin);
	free(unit);
}

static void advise_tables_add_cpu_times(advise_gather_ctx *g)
{
	for (size_t i = 0; i < g->steps.n; i++) {
		advise_step_row *s = &g->steps.v[i];
		cpu_own_time own = cpu_own_in(g->cpu, s->proc, window_hull(&s->w->cpu));
		s->cpu = ival_length(&s->w->cpu) - own.wait;
		s->wait = own.wait;
		s->profiler = own.profiler;
		s->slowed = own.slowed;
		s->launches = own.launches;
	}
}

/* The time by which the profiler made the median step longer, ns; 0: unknown. */
static int64_t advise_tables_measure_excess(advise_gather_ctx *g, size_t lane, const advise_unit *u)
{
	int64_t ns = g->p->step_time && u->typical > g->p->step_time ? u->typical - g->p->step_time : 0, launches = 0;
	uint32_t proc = g->t->lanes[lane].proc;
	size_t n;
	const uint32_t *at = advise_steps_on(g, lane, &n);

	if (!g->p->step_time_in)
		return ns;
	for (size_t i = 0; i < n; i++)
		launches += g->steps.v[at[i]].launches;
	ns = unprofiled_step_excess(g->excess, (double)launches / (double)u->steps,
			     cpu_own_in(g->cpu, proc, g->t->procs[proc].events).launches);
	return ns < u->typical ? ns : u->typical;
}

/* Is a kernel of PyTorch, or a range made by PyTorch, among the names? */
static bool advise_tables_has_torch(const char *const *names, size_t n)
{
	static const char *const parts[] = { "at::native", "c10::", "aten::", "torch::autograd", "autograd::engine",
		"ProfilerStep#", "Optimizer.step#" };

	for (size_t i = 0; i < n; i++) {
		if (strncmp(names[i], "triton_", 7) == 0)
			return true;
		for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
			if (strstr(names[i], parts[k]))
				return true;
	}
	return false;
}

/* Mark steps over 1.3 times the median as long, if there are at least three steps.  A step that does other work than
 * most is never marked.  If more than a third would be marked, and not all of these are at the beginning, step lengths
 * differ by nature and none is marked. */
static void advise_tables_mark_long(advise_gather_ctx *g, const uint32_t *at, size_t n, int64_t typical)
{
	size_t many = 0, lead = 0;

	for (size_t i = 0; n >= 3 && i < n; i++) {
		advise_step_row *s = &g->steps.v[at[i]];
		s->is_long = !s->w->varies && (double)s->dur > 1.3 * (double)typical;
		lead += s->is_long && many == i;
		many += s->is_long;
	}
	for (size_t i = 0; 3 * many > n && lead < many && i < n; i++)
		g->steps.v[at[i]].is_long = false;
}

static void advise_tables_describe_unit(advise_gather_ctx *g, size_t lane, const gpu_model *models)
{
	advise_tables *a = g->a;
	const trace_proc *proc = &g->t->procs[g->t->lanes[lane].proc];
	size_t unit = g->lane_unit[lane], n;
	const uint32_t *at = advise_steps_on(g, lane, &n);
	advise_unit *u = &a->units.v[unit];
	table *out = &a->tables[ADVISE_UNITS];
	int64_t *v = mem_new(int64_t, u->steps), all = 0;
	const char *gpu = models && models[lane].name != STR_NONE ? str_at(&g->t->names, models[lane].name) : NULL;
	double bf16 = gpu ? peaks_tflops(gpu, "bf16") : NAN;
	/* the peak without tensor cores (fp32) as a fraction of the peak with them, for the column plain_pct */
	double plain = gpu ? peaks_tflops(gpu, "fp32") / (isnan(bf16) ? peaks_tflops(gpu, "fp16") : bf16) : NAN;

	u->torch = g->torch;
	u->hull = IVAL_NOWHERE;
	for (size_t i = 0; i < n; i++) {
		u->hull = ival_hull(u->hull, window_hull(&g->steps.v[at[i]].w->gpu));
		all += v[i] = g->steps.v[at[i]].dur;
	}
	u->typical = advise_tables_find_median(v, n);
	free(v);
	advise_tables_mark_long(g, at, n, u->typical);
	u->trace = arena_copy(&a->texts, g->t->path);
	u->shown = arena_copy(&a->texts, proc->shown);
	u->pid = proc->pid;
	u->sub = proc->sub;
	u->rank = proc->rank;
	u->gpu = g->t->lanes[lane].gpu;
	u->unsure = g->unsure[g->t->lanes[lane].proc];
	u->excess = advise_tables_measure_excess(g, lane, u);
	u->period = n ? all / (int64_t)n : 0;
	u->whole = n == 1 && g->steps.v[at[0]].w->whole;
	table_row(out);
	table_int(out, U_UNIT, (int64_t)unit);
	table_text(out, U_PID, proc->shown);
	table_ints(out, { U_RANK, proc->rank < 0 ? TABLE_MISSING : proc->rank }, { U_GPU, u->gpu },
		   { U_STEPS, (int64_t)n }, { U_TYPICAL, u->typical }, { U_PERIOD, u->period },
		   { U_EXCESS, u->excess }, { U_WHOLE, u->whole }, { U_LOST, u->unsure },
		   { U_PLAIN, isnan(plain) ? TABLE_MISSING : (int64_t)(100 * plain + 0.5) },
		   { U_SWITCHES, g->asleep != NULL });
}

/* Set blocked, sync_wait, unresolved and both of each step. */
static void advise_tables_add_stalls(advise_gather_ctx *g)
{
	const compute_stalls *stalls = compute_stalls_of(g->t);
	stall_parts sum = { 0 };

	for (advise_step_row *s = g->steps.v; s < g->steps.v + g->steps.n; s++) {
		compute_stalls_sum(stalls, s->lane, &s->w->gpu, &sum);
		s->blocked = sum.part[STALL_COMM];
		s->sync_wait = sum.sync_wait;
		s->unresolved = sum.part[STALL_UNRESOLVED];
		s->both = comm_work_time(g->t, s->lane, &s->w->gpu) - s->exposed;
	}
	stall_parts_free(&sum);
}

static void advise_tables_add_to_unit(advise_unit *u, const advise_step_row *s)
{
	u->sum.dur += s->dur;
	u->sum.busy += s->busy;
	u->sum.cpu = ns_add(u->sum.cpu, s->cpu - (s->profiler > u->excess ? s->profiler : u->excess));
	u->sum.wait += s->wait;
	u->sum.launches += s->launches;
	u->sum.exposed += s->exposed;
	u->sum.copies += s->copies;
	u->sum.slowed += s->slowed;
	u->sum.mpi += s->mpi;
	u->sum.graphs += s->graphs;
	u->sum.asleep += s->asleep;
}

static void advise_tables_add_step_rows(advise_gather_ctx *g)
{
	table *out = &g->a->tables[ADVISE_STEPS];

	for (size_t i = 0; i < g->steps.n; i++) {
		const advise_step_row *s = &g->steps.v[i];
		advise_tables_add_to_unit(&g->a->units.v[s->unit], s);
		table_row(out);
		table_ints(out, { S_UNIT, (int64_t)s->unit }, { S_STEP, (int64_t)s->step }, { S_DUR, s->dur },
			   { S_BUSY, s->busy }, { S_COMPUTE, s->compute }, { S_BOTH, s->both },
			   { S_BLOCKED, s->blocked }, { S_SYNC_WAIT, s->sync_wait }, { S_UNRESOLVED, s->unresolved },
			   { S_CPU, s->cpu }, { S_WAIT, s->wait }, { S_PROFILER, s->profiler },
			   { S_LAUNCHES, s->launches }, { S_LONG, s->is_long }, { S_KERNEL, s->kernel },
			   { S_BARE, s->bare }, { S_EXPOSED, s->exposed },
			   { S_BETWEEN, s->between.b - s->between.a }, { S_NUMBER, s->w->number });
	}
}

/* ---- the whole trace */

static void advise_tables_mark_unsure(void *ctx, const trace_proc *p, const char *text UNNEEDED)
{
	advise_gather_ctx *g = ctx;

	g->unsure[p - g->t->procs] = true;
}

void advise_tables_end(advise_tables *a)
{
	advise_doubts_end(a);
	advise_tables_add_late(a);
}

static void advise_tables_add_to_late(advise_gather_ctx *g)
{
	if (g->first_proc != SIZE_MAX && arrivals_job(g->a->ranks)->procs.n > 1)
		late_add(g->a->late, g->t, late_steps_of(g->t, &g->p->choice, g->p->captured), g->first_proc);
}

static void advise_tables_find_phases(advise_gather_ctx *g, size_t lane, const int64_t *ends)
{
	size_t n;
	const uint32_t *at = advise_steps_on(g, lane, &n);
	size_t *which = mem_new(size_t, n);
	ival *between;

	for (size_t i = 0; i < n; i++)
		which[i] = (size_t)(g->steps.v[at[i]].w - g->all->v);
	between = phases_between(g->t, g->all, which, n, ends, lane);
	for (size_t i = 0; i < n; i++)
		g->steps.v[at[i]].between = between[i];
	mem_free(between, which);
}

/* Gather the steps, and all facts about them that do not depend on other ranks. */
static void advise_tables_gather_alone(advise_gather_ctx *g, windows *steps, notes *say)
{
	gpu_model *models = gpu_find_models(g->t);
	int64_t *ends;

	g->torch = advise_tables_has_torch((const char *const *)g->t->names.text, g->t->names.n);
	g->o = owners_build(g->t, g->owning);
	*steps = g->p->find_steps(g->p->ctx, say);
	g->all = steps;
	ends = phases_ends(g->t, steps);
	g->cpu = cpu_own_build(g->t);
	clock_offset_find(g->t, advise_tables_mark_unsure, g);
	g->sources = call_sources_of(g->t);
	g->marks = call_marks_of(g->t);
	g->asleep = asleep_of(g->t);
	g->flaws = kernel_flaws_build(g->t, g->o);
	advise_tables_find_steps(g);
	advise_tables_add_cpu_times(g);
	for (size_t l = 0; l < g->t->nlanes; l++) {
		advise_tables_find_phases(g, l, ends);
		if (g->lane_unit[l] != NONE)
			advise_tables_describe_unit(g, l, models);
	}
	cpu_own_free(g->cpu);
	mem_free(ends, models);
}

static bool advise_tables_gather(advise_gather_ctx *g, notes *say)
{
	windows steps;
	bool ok;

	advise_tables_gather_alone(g, &steps, say);
	arrivals_set(g->a->ranks, g->t, g->owning, say);
	advise_fill_inside(g);
	g->first_proc = arrivals_first_proc(g->a->ranks, g->t);
	for (size_t l = 0; l < g->t->nlanes; l++)
		if (g->lane_unit[l] != NONE) {
			advise_unit *u = &g->a->units.v[g->lane_unit[l]];
			u->proc = g->first_proc == SIZE_MAX ? SIZE_MAX : g->first_proc + g->t->lanes[l].proc;
			u->world = u->proc == SIZE_MAX ? 0 : job_world(arrivals_job(g->a->ranks), u->proc);
		}
	mem_trim();
	advise_tables_add_to_late(g);
	advise_fill_step_tables(g);
	advise_tables_add_stalls(g);
	wait_counts_warn(depends_counts(depends_of(g->t)), say);
	advise_tables_add_step_rows(g);
	vec_push(&g->a->units_before, g->first_unit);
	ok = advise_doubts(g);
	window_free(&steps);
	return ok;
}

bool advise_tables_add(advise_tables *a, trace *t, const advise_tables_params *p, notes *say)
{
	owners_params owning = { .choice = p->choice, .captured = p->captured };
	advise_gather_ctx g = { .a = a, .p = p, .t = t, .owning = &owning, .first_unit = a->units.n };
	bool ok;

	if (p->step_time_in && !unprofiled_find_excess(t, p->step_time_in, &g.excess, say))
		return false;
	g.unsure = mem_new(bool, t->nprocs);
	for (size_t i = 0; i < t->nprocs; i++)
		g.unsure[i] = lost_events_of(t)[i] || t->procs[i].failed.calls;
	g.lane_unit = mem_none(uint32_t, t->nlanes);
	g.compiles = pattern_new("compile|nvrtc|autotun|(^|[^a-z])jit([^a-z]|$)", PATTERN_ANY_CASE, NULL);
	for (size_t i = 0; i < ADVISE_TABLES; i++)
		table_use_pool(&a->tables[i], &t->names);
	ok = advise_tables_gather(&g, say);
	kernel_flaws_free(g.flaws);
	owners_free(g.o);
	arrivals_unset(a->ranks);
	pattern_free(g.compiles);
	mem_free(g.unsure, g.lane_unit, g.steps.v, g.steps_by_unit, g.unit_begin);
	return ok;
}
