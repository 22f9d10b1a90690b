#include "answer/advise_tables.h"
#include "answer/overlap.h"
#include "answer/stalls.h"
#include "answer/step_windows.h"
#include "base/group.h"
#include "relate/cpu_own.h"
#include "relate/lost_events.h"
#include "relate/peaks.h"
#include "relate/phases.h"

#include <math.h>

#define UNITS(X) X(U_UNIT, "unit", 'i') X(U_PID, "pid", 't') X(U_RANK, "rank", 'i') X(U_GPU, "gpu", 'i') X(U_STEPS, "steps", 'i') \
	X(U_TYPICAL, "typical_ns", 'i') X(U_PERIOD, "period_ns", 'i') X(U_EXCESS, "excess_ns", 'i') X(U_WHOLE, "whole", 'i') \
	X(U_LOST, "lost", 'i') X(U_PLAIN, "plain_pct", 'i')
#define STEPS(X) X(S_UNIT, "unit", 'i') X(S_STEP, "step", 'i') X(S_DUR, "dur_ns", 'i') X(S_BUSY, "busy_ns", 'i') \
	X(S_COMPUTE, "compute_ns", 'i') X(S_BOTH, "both_ns", 'i') X(S_BLOCKED, "blocked_comm_ns", 'i') X(S_SYNC_WAIT, "sync_wait_ns", 'i') X(S_UNRESOLVED, "unresolved_ns", 'i') \
	X(S_CPU, "cpu_ns", 'i') X(S_WAIT, "wait_ns", 'i') X(S_PROFILER, "profiler_ns", 'i') X(S_LAUNCHES, "launches", 'i') X(S_LONG, "long", 'i') \
	X(S_KERNEL, "kernel_ns", 'i') X(S_BARE, "bare_ns", 'i') X(S_EXPOSED, "exposed_ns", 'i') \
	X(S_BETWEEN, "between_ns", 'i')
#define INSIDE(X) X(I_UNIT, "unit", 'i') X(I_WHERE, "where", 't') X(I_RANGE, "range", 't') X(I_LAUNCHES, "launches", 'i') \
	X(I_SHORT, "short", 'i')
#define RUNS(X) X(F_UNIT, "unit", 'i') X(F_STEP, "step", 'i') X(F_WHERE, "where", 't') X(F_KERNELS, "kernels", 'i') X(F_DUR, "dur_ns", 'i') \
	X(F_LONGEST, "longest_ns", 'i') X(F_LONG, "long", 'i')
#define COLLECTIVES(X) X(C_UNIT, "unit", 'i') X(C_STEP, "step", 'i') X(C_WHERE, "where", 't') X(C_BYTES, "bytes", 'i') \
	X(C_BLOCKS, "blocks", 'i') X(C_DUR, "dur_ns", 'i') X(C_EXPOSED, "exposed_ns", 'i') X(C_LONG, "long", 'i')
#define DOUBTS(X) X(D_UNIT, "unit", 'i') X(D_KIND, "kind", 't') X(D_TEXT, "text", 't')

#define ID(id, ...) id,
#define COL(id, name, type) { name, type, NULL, NULL },
#define TABLE(list, NAME) enum { NAME##_FIRST = COL_OWN - 1, list(ID) }; static const table_col NAME##_cols[] = { list(COL) { NULL, 0, NULL, NULL } };
TABLE(UNITS, units)
TABLE(STEPS, steps)
static const table_col ledger_cols[] = { ADVISE_LEDGER_COLUMNS(COL) { NULL, 0, NULL, NULL } };
static const table_col late_cols[] = { ADVISE_LATE_COLUMNS(COL) { NULL, 0, NULL, NULL } };
TABLE(INSIDE, inside)
TABLE(RUNS, runs)
TABLE(COLLECTIVES, collectives)
TABLE(DOUBTS, doubts)

static const struct { const char *name; const table_col *cols; } declared[] = {
	[ADVISE_UNITS] = { "units", units_cols }, [ADVISE_STEPS] = { "steps", steps_cols }, [ADVISE_LEDGER] = { "ledger", ledger_cols },
	[ADVISE_INSIDE] = { "inside", inside_cols }, [ADVISE_RUNS] = { "runs", runs_cols },
	[ADVISE_COLLECTIVES] = { "collectives", collectives_cols }, [ADVISE_DOUBTS] = { "doubts", doubts_cols },
	[ADVISE_LATE] = { "late", late_cols },
};

enum { SHORT_NS = 10000 };      /* a kernel below this is short: launching it takes about as long */

const char *advise_table_name(size_t which)
{
	return declared[which].name;
}

advise_tables *advise_tables_new(void)
{
	advise_tables *a = mem_new(advise_tables, 1);

	a->ranks = arrivals_new();
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
	vec_free(&a->first);
	late_free(a->late);
	vec_free(&a->steps);
	vec_free(&a->units);
	arena_free(&a->texts);
	free(a);
}

static const overlap_params total = { .mode = OVERLAP_TOTAL };
static const stalls_params stalled = { .mode = STALLS_SUMS };

unsigned advise_tables_need(void)
{
	question o = overlap_answer.question(&total), s = stalls_answer.question(&stalled);

	return OWNERS_NEED | step_windows_need() | o.need | s.need | TRACE_CALL_COUNTS | TRACE_RANGE_COUNTS;
}

/* ---- gathering */

typedef struct {
	size_t unit, step;
	const window *w;
	int64_t dur, busy, compute, both, blocked, sync_wait, unresolved, cpu, wait, profiler, slowed, launches, kernel, bare, exposed, copies;
	bool is_long;
	ival between;           /* another phase of the program that lies in it */
} step_row;

typedef struct {
	int64_t ns, count;
	uint32_t last;          /* the work that was counted last */
} sum;

enum { KEY_OWNER, KEY_OTHERWISE, KEY_WHERE, KEY_NAME, KEY_FLAGS, KEYS };

typedef struct {
	advise_tables *a;
	const advise_tables_params *p;
	trace *t;
	const windows *all;
	owners *o;
	cpu_own *cpu;
	const owners_params *of;
	vec(step_row) steps;
	size_t first_unit, first_proc;
	uint32_t *unit_of;      /* by lane, or NONE */
	const bool *lost;       /* by process */

	group keys;             /* of the ledger of the step that is walked through, */
	vec(sum) sums;
	dict exposed;           /* communication kernels of it, */
	vec(int64_t) exposed_ns;
	step_row *at;
} gathering;

static int64_t median_of(const int64_t *v, size_t n)
{
	stats st = { 0 };
	stats_sum *sums;
	int64_t median;

	for (size_t i = 0; i < n; i++)
		stats_add(&st, 0, v[i]);
	sums = stats_finish(&st, 1, 1);
	median = n ? sums->p50 : 0;
	free(sums);
	return median;
}

/* The name of the ranges that are the steps, folded; or STR_NONE.  Windows are called NAME#INDEX@A..B. */
static uint32_t step_name(const gathering *g, const window *w)
{
	const char *end = w->name ? strrchr(w->name, '#') : NULL;

	return end ? str_fold(&g->t->names, str_id(&g->t->names, w->name, (size_t)(end - w->name))) : STR_NONE;
}

static void add_up(gathering *g, const owner_piece *p)
{
	uint32_t where = p->where == step_name(g, g->at->w) ? STR_NONE : p->where;
	int64_t key[KEYS] = { p->owner, p->otherwise, where, p->name, p->pageable + 2 * p->replayed };
	size_t k = group_of(&g->keys, key);

	if (k == g->sums.n)
		vec_push(&g->sums, (sum){ .last = NONE });
	g->sums.v[k].ns += p->at.b - p->at.a;
	g->sums.v[k].count += !g->sums.v[k].count || g->sums.v[k].last != p->work;
	g->sums.v[k].last = p->work;
}

/* What a long step has more of is looked for without another phase in it. */
static void take_piece(void *ctx, const owner_piece *p)
{
	gathering *g = ctx;
	int64_t ns = p->at.b - p->at.a;

	if (!g->at->is_long || p->at.a < g->at->between.a || p->at.b > g->at->between.b)
		add_up(g, p);
	g->at->busy += owner_is_idle(p->owner) ? 0 : ns;
	g->at->copies += p->owner == OWNER_COPY || p->owner == OWNER_COPY_PAGEABLE || p->owner == OWNER_COPY_UM ? ns : 0;
	if (p->owner == OWNER_COMM || p->owner == OWNER_COMM_WAIT) {
		uint32_t e = dict_key(&g->exposed, p->work);
		if (e == g->exposed_ns.n)
			vec_push(&g->exposed_ns, 0);
		g->exposed_ns.v[e] += ns;
		g->at->exposed += ns;
	}
}

static void ledger_rows(gathering *g)
{
	table *out = &g->a->tables[ADVISE_LEDGER];

	vec_push(&g->a->steps, (advise_step){ g->at->unit, window_hull(&g->at->w->gpu).a, table_rows(out), g->keys.n });
	for (size_t i = 0; i < g->keys.n; i++) {
		const int64_t *key = &g->keys.key[i * KEYS];
		table_row(out);
		table_int(out, L_UNIT, (int64_t)g->at->unit);
		table_int(out, L_STEP, (int64_t)g->at->step);
		table_word(out, L_OWNER, owner_name((enum owner)key[KEY_OWNER]));
		table_word(out, L_OTHERWISE, owner_name((enum owner)key[KEY_OTHERWISE]));
		table_name(out, L_WHERE, (uint32_t)key[KEY_WHERE]);
		table_name(out, L_NAME, (uint32_t)key[KEY_NAME]);
		table_int(out, L_PAGEABLE, key[KEY_FLAGS] & 1);
		table_int(out, L_REPLAYED, key[KEY_FLAGS] >> 1);
		table_int(out, L_DUR, g->sums.v[i].ns);
		table_int(out, L_COUNT, g->sums.v[i].count);
		table_int(out, L_LONG, g->at->is_long);
		table_int(out, L_LATE, 0);
	}
	group_free(&g->keys);
	g->keys = (group){ .width = KEYS };
	g->sums.n = 0;
}

static int64_t blocks_of(const trace *t, size_t work)
{
	long long x = 0, y = 0, z = 0;

	if (t->work.grid[work] == STR_NONE || sscanf(str_at(&t->names, t->work.grid[work]), "%lldx%lldx%lld", &x, &y, &z) != 3)
		return TABLE_MISSING;
	return x * y * z;
}

static int64_t bytes_of(const owners_params *p, size_t work)
{
	for (size_t lo = 0, hi = p->narrivals; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;
		if (p->arrivals[mid].work == work)
			return p->arrivals[mid].bytes == TRACE_UNKNOWN ? TABLE_MISSING : p->arrivals[mid].bytes;
		if (p->arrivals[mid].work < work)
			lo = mid + 1;
		else
			hi = mid;
	}
	return TABLE_MISSING;
}

static void collective_row(gathering *g, size_t work)
{
	table *out = &g->a->tables[ADVISE_COLLECTIVES];
	uint32_t e = dict_find(&g->exposed, (int64_t)work);

	g->a->units.v[g->at->unit].communicates = true;
	table_row(out);
	table_int(out, C_UNIT, (int64_t)g->at->unit);
	table_int(out, C_STEP, (int64_t)g->at->step);
	table_name(out, C_WHERE, owners_where(g->o, work));
	table_int(out, C_BYTES, bytes_of(g->of, work));
	table_int(out, C_BLOCKS, blocks_of(g->t, work));
	table_int(out, C_DUR, g->t->work.end[work] - g->t->work.start[work]);
	table_int(out, C_EXPOSED, e == DICT_NONE ? 0 : g->exposed_ns.v[e]);
	table_int(out, C_LONG, g->at->is_long);
}

/* ---- runs of pointwise kernels */

typedef struct {
	int64_t kernels, ns, longest;
	uint32_t where;
} run;

static void end_run(gathering *g, run *r)
{
	table *out = &g->a->tables[ADVISE_RUNS];

	if (r->kernels >= 3) {
		table_row(out);
		table_int(out, F_UNIT, (int64_t)g->at->unit);
		table_int(out, F_STEP, (int64_t)g->at->step);
		table_name(out, F_WHERE, r->where);
		table_int(out, F_KERNELS, r->kernels);
		table_int(out, F_DUR, r->ns);
		table_int(out, F_LONGEST, r->longest);
		table_int(out, F_LONG, g->at->is_long);
	}
	*r = (run){ 0 };
}

/* Is it in no range but the step's, of its own thread or of the main thread? */
static bool is_bare(const gathering *g, size_t work)
{
	const trace *t = g->t;
	uint32_t step = step_name(g, g->at->w), where = owners_where(g->o, work), call = t->work.launch[work], thread, at;

	if (where != STR_NONE && where != step)
		return false;
	thread = call == NONE ? NONE : around_main_thread(t, t->threads[t->calls.thread[call]].proc);
	if (thread == NONE)
		return true;
	at = around_at(owners_around(g->o), thread, t->calls.start[call]);
	return at == NONE || t->pushpop.name[at] == STR_NONE || str_fold(&g->t->names, t->pushpop.name[at]) == step;
}

/* Sets and short pointwise kernels are passed over, all else ends a run. */
static void look_at_work(gathering *g, run *runs, size_t i)
{
	const trace_work *w = &g->t->work;
	run *r = &runs[w->stream[i]];
	int64_t ns = w->end[i] - w->start[i];

	if (w->kind[i] == WORK_KERNEL) {
		g->at->kernel += ns;
		g->at->bare += is_bare(g, i) ? ns : 0;
	}
	if (trace_is_comm_kernel(g->t, i))
		collective_row(g, i);
	if (w->kind[i] == WORK_SET)
		return;
	if (w->kind[i] != WORK_KERNEL || trace_is_comm(g->t, i) || owners_of_work(g->o, i) != OWNER_POINTWISE || owners_replayed(g->o, i)) {
		end_run(g, r);
	} else if (ns >= SHORT_NS) {
		uint32_t where = owners_where(g->o, i);
		r->where = r->kernels ? r->where : where == step_name(g, g->at->w) ? STR_NONE : where;
		r->kernels++;
		r->ns += ns;
		r->longest = ns > r->longest ? ns : r->longest;
	}
}

static void look_at_step(gathering *g, size_t lane)
{
	const trace *t = g->t;
	const ival_set *in = &g->at->w->gpu;
	run *runs = mem_new(run, t->nstreams);
	size_t lo, hi;

	window_work(t, &t->lanes[lane], &g->at->w->gpu, &lo, &hi);
	for (size_t i = lo; i < hi; i++)
		if (ival_within(in, t->work.start[i], t->work.start[i] + 1))
			look_at_work(g, runs, i);
	for (size_t s = 0; s < t->nstreams; s++)
		end_run(g, &runs[s]);
	free(runs);
}

/* ---- ranges with many launches */

typedef struct {
	int64_t launches, brief;
} launch_sum;

typedef struct {
	group inside;           /* unit, where, range */
	vec(launch_sum) sums;
} nesting;

static void count_in(nesting *n, size_t unit, uint32_t where, uint32_t range, int64_t ns)
{
	size_t k = group_of(&n->inside, (int64_t[]){ (int64_t)unit, where, range });

	if (k == n->sums.n)
		vec_push(&n->sums, (launch_sum){ 0 });
	n->sums.v[k].launches++;
	n->sums.v[k].brief += ns < SHORT_NS;
}

/* In each range around it but the step's, once for each name, and once in none. */
static void count_launch(gathering *g, nesting *n, const step_row *at, size_t work)
{
	const trace *t = g->t;
	uint32_t step = step_name(g, at->w), where = owners_where(g->o, work), met[16];
	int64_t ns = t->work.end[work] - t->work.start[work];
	size_t nmet = 0;

	where = where == step ? STR_NONE : where;
	count_in(n, at->unit, where, STR_NONE, ns);
	for (around_walk w = around_work(owners_around(g->o), work); w.range != NONE; around_next(owners_around(g->o), &w)) {
		uint32_t name = t->pushpop.name[w.range] == STR_NONE ? STR_NONE : str_fold(&g->t->names, t->pushpop.name[w.range]);
		bool again = name == STR_NONE || name == step || t->domains[t->pushpop.domain[w.range]].nccl || nmet == 16;
		for (size_t i = 0; i < nmet; i++)
			again |= met[i] == name;
		if (again)
			continue;
		met[nmet++] = name;
		count_in(n, at->unit, where, name, ns);
	}
}

/* Of the kernels of the steps that are launched one by one. */
static void inside_rows(gathering *g)
{
	nesting n = { .inside = { .width = 3 } };
	table *out = &g->a->tables[ADVISE_INSIDE];

	for (size_t s = 0; s < g->steps.n; s++) {
		const step_row *at = &g->steps.v[s];
		window_walk k = { 0 };
		while (window_next(g->t, at->w, &k))
			if (g->unit_of[k.lane] == at->unit && g->t->work.kind[k.work] == WORK_KERNEL && g->t->work.launch[k.work] != NONE &&
			    !trace_is_comm(g->t, k.work) && !owners_replayed(g->o, k.work) && !at->is_long)
				count_launch(g, &n, at, k.work);
	}
	for (size_t i = 0; i < n.inside.n; i++) {
		table_row(out);
		table_int(out, I_UNIT, n.inside.key[3 * i]);
		table_name(out, I_WHERE, (uint32_t)n.inside.key[3 * i + 1]);
		table_name(out, I_RANGE, (uint32_t)n.inside.key[3 * i + 2]);
		table_int(out, I_LAUNCHES, n.sums.v[i].launches);
		table_int(out, I_SHORT, n.sums.v[i].brief);
	}
	group_free(&n.inside);
	vec_free(&n.sums);
}

/* ---- units and steps */

static void find_steps(gathering *g)
{
	for (size_t i = 0; i < g->all->n; i++) {
		const window *w = &g->all->v[i];
		for (size_t l = 0; l < g->t->nlanes; l++) {
			cpu_own_time own;
			step_row s = { .w = w, .dur = ival_length(&w->gpu) };
			if (!window_lane(w, &g->t->lanes[l]))
				continue;
			if (g->unit_of[l] == NONE) {
				g->unit_of[l] = (uint32_t)g->a->units.n;
				vec_push(&g->a->units, (advise_unit){ .steps = 0 });
			}
			s.unit = g->unit_of[l];
			s.step = g->a->units.v[s.unit].steps++;
			own = cpu_own_in(g->cpu, g->t->lanes[l].proc, window_hull(&w->cpu));
			s.cpu = ival_length(&w->cpu) - own.wait;
			s.wait = own.wait;
			s.profiler = own.profiler;
			s.slowed = own.slowed;
			s.launches = own.launches;
			vec_push(&g->steps, s);
		}
	}
}

static void describe_unit(gathering *g, size_t lane, const gpu_model *models)
{
	advise_tables *a = g->a;
	const trace_proc *proc = &g->t->procs[g->t->lanes[lane].proc];
	size_t unit = g->unit_of[lane], n = 0;
	advise_unit *u = &a->units.v[unit];
	table *out = &a->tables[ADVISE_UNITS];
	int64_t *v = mem_new(int64_t, u->steps), all = 0;
	const char *gpu = models && models[lane].name != STR_NONE ? str_at(&g->t->names, models[lane].name) : NULL;
	double plain = gpu ? peaks_tflops(gpu, "fp32") / (isnan(peaks_tflops(gpu, "bf16")) ? peaks_tflops(gpu, "fp16") : peaks_tflops(gpu, "bf16")) : NAN;

	u->hull = IVAL_NOWHERE;
	for (size_t i = 0; i < g->steps.n; i++)
		if (g->steps.v[i].unit == unit) {
			ival hull = window_hull(&g->steps.v[i].w->gpu);
			u->hull = (ival){ hull.a < u->hull.a ? hull.a : u->hull.a, hull.b > u->hull.b ? hull.b : u->hull.b };
			all += v[n++] = g->steps.v[i].dur;
		}
	u->typical = median_of(v, n);
	free(v);
	for (size_t i = 0; i < g->steps.n; i++)
		if (g->steps.v[i].unit == unit)
			g->steps.v[i].is_long = n >= 3 && (double)g->steps.v[i].dur > 1.3 * (double)u->typical;
	u->trace = arena_copy(&a->texts, g->t->path);
	u->shown = arena_copy(&a->texts, proc->shown);
	u->pid = proc->pid;
	u->sub = proc->sub;
	u->rank = proc->rank;
	u->gpu = g->t->lanes[lane].gpu;
	u->proc = g->first_proc == SIZE_MAX ? SIZE_MAX : g->first_proc + g->t->lanes[lane].proc;
	u->lost = g->lost[g->t->lanes[lane].proc];
	u->excess = g->p->step_time && u->typical > g->p->step_time ? u->typical - g->p->step_time : 0;
	u->period = n ? all / (int64_t)n : 0;
	u->whole = n == 1 && u->hull.a <= proc->gpu.a && u->hull.b >= proc->gpu.b;
	table_row(out);
	table_int(out, U_UNIT, (int64_t)unit);
	table_text(out, U_PID, proc->shown);
	table_int(out, U_RANK, proc->rank < 0 ? TABLE_MISSING : proc->rank);
	table_int(out, U_GPU, u->gpu);
	table_int(out, U_STEPS, (int64_t)n);
	table_int(out, U_TYPICAL, u->typical);
	table_int(out, U_PERIOD, u->period);
	table_int(out, U_EXCESS, u->excess);
	table_int(out, U_WHOLE, u->whole);
	table_int(out, U_LOST, u->lost);
	table_int(out, U_PLAIN, isnan(plain) ? TABLE_MISSING : (int64_t)(100 * plain + 0.5));
}

static void find_phases(gathering *g, size_t lane)
{
	ival *between = phases_between(g->t, g->all, lane);

	for (size_t i = 0; i < g->steps.n; i++)
		if (g->steps.v[i].unit == g->unit_of[lane])
			g->steps.v[i].between = between[g->steps.v[i].w - g->all->v];
	free(between);
}

/* What other answers say of the steps: their rows come window by window, GPU by GPU, as the steps do. */
static bool ask_others(gathering *g, notes *say)
{
	table rows[2] = { 0 };
	bool ok = answer_rows(&overlap_answer, g->t, g->all, &total, &rows[0], say) &&
		answer_rows(&stalls_answer, g->t, g->all, &stalled, &rows[1], say);

	for (size_t i = 0; ok && i < g->steps.n; i++) {
		step_row *s = &g->steps.v[i];
		if (i < table_rows(&rows[0])) {
			s->compute = table_named(&rows[0], i, "compute_ns")->i;
			s->both = table_named(&rows[0], i, "both_ns")->i;
		}
		if (i < table_rows(&rows[1])) {
			s->blocked = table_named(&rows[1], i, "blocked_comm_ns")->i;
			s->sync_wait = table_named(&rows[1], i, "sync_wait_ns")->i;
			s->unresolved = table_named(&rows[1], i, "unresolved_ns")->i;
		}
	}
	table_free(&rows[0]);
	table_free(&rows[1]);
	return ok;
}

static void add_to_unit(advise_unit *u, const step_row *s)
{
	u->sum.dur += s->dur;
	u->sum.busy += s->busy;
	u->sum.cpu += s->cpu - (s->profiler > u->excess ? s->profiler : u->excess);
	u->sum.wait += s->wait;
	u->sum.launches += s->launches;
	u->sum.exposed += s->exposed;
	u->sum.copies += s->copies;
	u->sum.slowed += s->slowed;
}

static void step_rows(gathering *g)
{
	table *out = &g->a->tables[ADVISE_STEPS];

	for (size_t i = 0; i < g->steps.n; i++) {
		const step_row *s = &g->steps.v[i];
		const struct { int id; int64_t v; } cells[] = { { S_UNIT, (int64_t)s->unit }, { S_STEP, (int64_t)s->step }, { S_DUR, s->dur },
			{ S_BUSY, s->busy }, { S_COMPUTE, s->compute }, { S_BOTH, s->both }, { S_BLOCKED, s->blocked }, { S_SYNC_WAIT, s->sync_wait },
			{ S_UNRESOLVED, s->unresolved }, { S_CPU, s->cpu }, { S_WAIT, s->wait }, { S_PROFILER, s->profiler },
			{ S_LAUNCHES, s->launches }, { S_LONG, s->is_long }, { S_KERNEL, s->kernel }, { S_BARE, s->bare }, { S_EXPOSED, s->exposed },
			{ S_BETWEEN, s->between.b - s->between.a } };
		add_to_unit(&g->a->units.v[s->unit], s);
		table_row(out);
		for (size_t k = 0; k < sizeof cells / sizeof *cells; k++)
			table_int(out, cells[k].id, cells[k].v);
	}
}

/* ---- doubts */

typedef struct {
	gathering *g;
	const char *text;
	uint32_t proc;
} doubting;

static void doubt(advise_tables *a, size_t unit, const char *kind, const char *text)
{
	table *out = &a->tables[ADVISE_DOUBTS];

	table_row(out);
	table_int(out, D_UNIT, (int64_t)unit);
	table_word(out, D_KIND, kind);
	table_text(out, D_TEXT, text);
}

static void add_lost(void *ctx, const trace_proc *p, const char *text)
{
	gathering *g = ctx;

	for (size_t l = 0; l < g->t->nlanes; l++)
		if (g->unit_of[l] != NONE && &g->t->procs[g->t->lanes[l].proc] == p)
			doubt(g->a, g->unit_of[l], "lost", text);
}

static void add_shared(void *ctx, const char *text)
{
	gathering *g = ctx;

	if (g->a->units.n > g->first_unit)
		doubt(g->a, g->first_unit, "shared", text);
}

static void add_across(void *ctx, const char *text, size_t of)
{
	advise_tables *a = ctx;

	if (a->first.v[of] < a->units.n)
		doubt(a, a->first.v[of], "shared", text);
}

void advise_tables_end(advise_tables *a)
{
	shared_gpus_find(a->across, add_across, a);
	advise_tables_late(a);
}

/* ---- all of it */

static void walk_steps(gathering *g)
{
	for (size_t l = 0; l < g->t->nlanes; l++)
		for (size_t i = 0; i < g->steps.n; i++) {
			if (g->steps.v[i].unit != g->unit_of[l])
				continue;
			g->at = &g->steps.v[i];
			for (size_t k = 0; k < g->at->w->gpu.n; k++)
				owners_walk(g->o, l, g->at->w->gpu.v[k], take_piece, g);
			ledger_rows(g);
			look_at_step(g, l);
			dict_free(&g->exposed);
			g->exposed = (dict){ 0 };
			g->exposed_ns.n = 0;
		}
}

static bool gather(gathering *g, notes *say)
{
	gpu_model *models = gpu_models(g->t);
	bool ok;

	find_steps(g);
	for (size_t l = 0; l < g->t->nlanes; l++)
		if (g->unit_of[l] != NONE) {
			find_phases(g, l);
			describe_unit(g, l, models);
		}
	free(models);
	walk_steps(g);
	inside_rows(g);
	ok = ask_others(g, say);
	step_rows(g);
	lost_events_find(g->t, add_lost, g);
	vec_push(&g->a->first, g->first_unit);
	return ok && shared_gpu_find(g->t, add_shared, g) && shared_gpus_add(g->a->across, g->t);
}

bool advise_tables_add(advise_tables *a, trace *t, const windows *steps, const advise_tables_params *p, notes *say)
{
	owners_params of = { .match = p->match, .adopt = p->adopt, .captured = p->captured };
	gathering g = { .a = a, .p = p, .t = t, .all = steps, .of = &of, .first_unit = a->units.n, .keys = { .width = KEYS } };
	bool ok;

	arrivals_set(a->ranks, t, &of, say);
	g.o = owners_build(t, &of, say);
	if (!g.o)
		return false;
	g.first_proc = arrivals_first(a->ranks, t);
	if (g.first_proc != SIZE_MAX && arrivals_job(a->ranks)->procs.n > 1)
		late_add(a->late, t, g.o, p->match, g.first_proc);
	g.cpu = cpu_own_build(t);
	g.lost = lost_events_of(t);
	g.unit_of = mem_new(uint32_t, t->nlanes);
	memset(g.unit_of, 0xff, t->nlanes * sizeof *g.unit_of);
	for (size_t i = 0; i < ADVISE_TABLES; i++)
		table_names(&a->tables[i], &t->names);
	ok = gather(&g, say);
	owners_free(g.o);
	cpu_own_free(g.cpu);
	free(g.unit_of);
	vec_free(&g.steps);
	vec_free(&g.sums);
	vec_free(&g.exposed_ns);
	dict_free(&g.exposed);
	return ok;
}
