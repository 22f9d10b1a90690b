#include "answer/advise.h"
#include "answer/findings.h"
#include "answer/step_windows.h"
#include "base/name_match.h"
#include "base/number.h"
#include "base/shell.h"
#include "base/sort.h"
#include "relate/projection.h"

#include <string.h>

#define COLUMNS(X) \
	X(SEVERITY, "severity", 't', NULL, "untrusted: numbers cannot be believed; high, medium, low: from 10 %, 5 % and less of " \
	  "a step; info") \
	X(KIND, "kind", 't', NULL, "lost shared unknown: not to be trusted; sync data alloc load pageable copy um small host launch comm " \
	  "tiny late long tensor fuse unannotated, or what a finding of one's own says") \
	X(RECOVER_NS, "recover_ns", 'i', "ns", "what fixing it would save per step at most, under the assumption that the finding names") \
	X(RECOVER_PCT, "recover_pct", 'd', "%", "the same as a share of the mean step") \
	X(STEPS, "steps", 'i', NULL, "steps that were looked at, from start_ns to end_ns; with --verdict the same") \
	X(STEP_NS, "step_ns", 'i', "ns", "length of the typical step: the median time up to the next") \
	X(BUSY_NS, "busy_ns", 'i', "ns", "mean time in which the GPU works") \
	X(CPU_NS, "cpu_ns", 'i', "ns", "mean time that the CPU needs by itself: without its waits, and without what the profiler adds to launches") \
	X(WAIT_NS, "wait_ns", 'i', "ns", "mean time in which the CPU waits for the GPU and nobody launches") \
	X(IDLE_NS, "idle_ns", 'i', "ns", "mean time in which the GPU has nothing to do") \
	X(BOUND, "bound", 't', NULL, "what the step waits for: gpu cpu sync data comm late") \
	X(WHERE, "where", 't', NULL, "the range that holds most of it") \
	X(FINDING, "finding", 't', NULL, "what was found, and what the bound assumes") \
	X(EVIDENCE, "evidence", 't', NULL, "command that shows it") \
	X(ADVICE, "advice", 't', NULL, "what to do")

enum { TABLE_IDS(COLUMNS) };
const table_col advise_all[] = { TABLE_COLS(COLUMNS) };

void advise_columns(const advise_params *p, table *out)
{
	if (p->mode == ADVISE_VERDICT)
		table_columns(out, advise_all, STEPS, STEP_NS, BUSY_NS, CPU_NS, WAIT_NS, IDLE_NS, BOUND);
	else
		table_columns(out, advise_all, SEVERITY, KIND, RECOVER_NS, RECOVER_PCT, STEPS, WHERE, FINDING, EVIDENCE, ADVICE);
	out->given_order = true;
}

question advise_question(const advise_params *p)
{
	return (question){ .need = advise_tables_need(), .must = MUST_CUDA | (p->match ? MUST_NVTX : 0), .scope = WINDOW_GPU_WORK,
		.comm = p->comm, .warn_lost = true, .warn_shared = true, .mention_graphs = true,
		.replayed = REPLAYED_KERNELS, .captured = p->captured,
		.empty = p->match ? "no range has such a name and work of its own, so there are no steps to look at (nsq-window --list shows the "
			"names)" : "nothing that was looked for is worth as much" };
}

typedef struct {                /* what a finding says of a unit */
	const finding *f;
	size_t unit;
	int64_t ns;             /* per step; TABLE_MISSING: nothing can be won by it */
	int64_t largest;        /* of its rows, */
	const char *words;      /* whose words these are, */
	const char *more;       /* and the owner that a long step has more of, or NULL */
	int64_t in_any, best;   /* time in ranges, and in the one with most, */
	const char *where;      /* which is this one */
	int64_t part;
} found;

struct advise_job {
	step_survey steps;      /* of several traces */
	advise_tables *tables;
	vec(found) found;
	vec(size_t) titles;     /* of the rows of the answer: how long */
	const char *verdict;    /* in a sentence; NULL: there is none */
	bool gpu_bound;
	arena texts;
};

advise_job *advise_begin(void)
{
	advise_job *j = mem_new(advise_job, 1);

	j->tables = advise_tables_new();
	return j;
}

void advise_end(advise_job *j)
{
	step_survey_free(&j->steps);
	advise_tables_free(j->tables);
	vec_free(&j->found);
	vec_free(&j->titles);
	arena_free(&j->texts);
	free(j);
}

advise_tables *advise_tables_of(const advise_job *j)
{
	return j->tables;
}

size_t advise_title(const advise_job *j, size_t row)
{
	return j->titles.v[row];
}

const char *advise_sentence(const advise_job *j)
{
	return j->verdict;
}

void advise_survey(trace *t, const advise_params *p, notes *say)
{
	arrivals_add(p->job->tables->ranks, t, say);
	step_survey_add(&p->job->steps, t, p->match);
}

const table *advise_steps(advise_job *j, const regex_t *match)
{
	return table_rows(&j->steps.rows) ? step_survey_rows(&j->steps, match) : NULL;
}

/* Is it all that its process does?  Then no steps were found. */
static bool is_whole(const trace *t, const window *w)
{
	ival hull = window_hull(&w->gpu), all = t->procs[w->proc].gpu;

	return hull.a <= all.a && hull.b >= all.b;
}

/* The side without some intervals. */
static void cut_out(ival_set *side, const ival *out, size_t n)
{
	ival_set without = ival_union(out, n), rest = { 0 };
	int64_t from = window_hull(side).a, to = window_hull(side).b;

	for (size_t i = 0; i < without.n; i++) {
		if (without.v[i].a > from)
			ival_add(&rest, from, without.v[i].a < to ? without.v[i].a : to);
		from = without.v[i].b > from ? without.v[i].b : from;
	}
	ival_add(&rest, from, to);
	ival_free(&without);
	ival_free(rest.n ? side : &rest);
	if (rest.n)
		*side = rest;
}

/* A run without steps is looked at as a whole, without what lies in ranges that say warm-up. */
static void leave_warm_up(trace *t, window *w)
{
	projection *p = projection_build(t, -1);
	vec(ival) gpu = { 0 }, cpu = { 0 };
	regex_t re;

	ival_free(&w->cpu);             /* what the CPU did before and after */
	ival_add(&w->cpu, window_hull(&w->gpu).a, window_hull(&w->gpu).b);
	if (!pattern_compile(&re, "warm.?up", REG_NOSUB | REG_ICASE, (char[80]){ 0 }, 80)) {
		name_match warm = { .re = &re, .names = &t->names };
		for (size_t i = 0; i < t->pushpop.n; i++) {
			projection_sum s;
			if (t->threads[t->pushpop.thread[i]].proc != w->proc || !name_match_of(&warm, t->pushpop.name[i]))
				continue;
			s = projection_of(p, w->proc, t->pushpop.start[i], t->pushpop.end[i]);
			vec_push(&cpu, (ival){ t->pushpop.start[i], t->pushpop.end[i] });
			if (s.work)
				vec_push(&gpu, (ival){ s.first, s.last });
		}
		name_match_free(&warm);
		regfree(&re);
	}
	if (gpu.n)
		cut_out(&w->gpu, gpu.v, gpu.n);
	if (cpu.n)
		cut_out(&w->cpu, cpu.v, cpu.n);
	vec_free(&gpu);
	vec_free(&cpu);
	projection_free(p);
}

static size_t processes_at_work(const trace *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nprocs; i++)
		n += t->procs[i].gpu.a < t->procs[i].gpu.b;
	return n;
}

/* Of several traces the steps were found together, unless only some of their time, processes or GPUs is looked at. */
bool advise_add(trace *t, const windows *all, const advise_params *p, notes *say)
{
	window_filter only = { .pid = -1, .sub = -1, .gpu = all->n ? all->v[0].device : -1 };
	bool surveyed = !all->asked && only.gpu < 0 && all->n == processes_at_work(t) && table_rows(&p->job->steps.rows);
	windows steps = surveyed ? step_survey_windows(&p->job->steps, t, &only, p->match, say) : step_windows(t, all, &only, p->match, say);
	bool ok;

	for (size_t i = 0; i < steps.n; i++)
		if (is_whole(t, &steps.v[i]))
			leave_warm_up(t, &steps.v[i]);
	ok = advise_tables_add(p->job->tables, t, &steps, &(advise_tables_params){ .match = p->match, .captured = p->captured,
		.step_time = p->step_time }, say);
	window_free(&steps);
	return ok;
}

/* ---- the rows of queries */

static const table_cell *cell(const table *t, size_t row, const char *column, char *type)
{
	for (size_t i = 0; i < t->cols.n; i++)
		if (strcmp(t->cols.v[i].name, column) == 0) {
			*type = t->cols.v[i].type;
			return &table_at(t, row)[i];
		}
	return NULL;
}

static int64_t number_in(const table *t, size_t row, const char *column)
{
	char type = 0;
	const table_cell *c = cell(t, row, column, &type);

	if (!c)
		return TABLE_MISSING;
	return table_has_text(type) ? (c->t ? (int64_t)strtod(c->t, NULL) : TABLE_MISSING) : type == 'd' ? (int64_t)c->d : c->i;
}

static const char *text_in(advise_job *j, const table *t, size_t row, const char *column)
{
	char type = 0;
	const table_cell *c = cell(t, row, column, &type);

	return c && table_has_text(type) && c->t ? arena_copy(&j->texts, c->t) : NULL;
}

/* Rows of one finding about one unit, and of one part if it has parts, are one: their time is added up. */
static void take_rows(void *ctx, const finding *f, const table *rows)
{
	advise_job *j = ctx;

	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t unit = (size_t)number_in(rows, i, "unit"), k = 0;
		int64_t ns = number_in(rows, i, "ns"), part = number_in(rows, i, "part");
		const char *where = text_in(j, rows, i, "where");
		found *to;
		if (unit >= j->tables->units.n)
			continue;
		while (k < j->found.n && (j->found.v[k].f != f || j->found.v[k].unit != unit || j->found.v[k].part != part))
			k++;
		if (k == j->found.n)
			vec_push(&j->found, (found){ .f = f, .unit = unit, .part = part, .largest = -1, .ns = ns == TABLE_MISSING ? ns : 0 });
		to = &j->found.v[k];
		if (ns != TABLE_MISSING)
			to->ns += ns;
		if (ns > to->largest || !to->words) {
			to->largest = ns;
			to->words = text_in(j, rows, i, "words");
			to->more = text_in(j, rows, i, "more");
		}
		to->in_any += where && ns > 0 ? ns : 0;
		if (where && (ns > to->best || !to->where)) {
			to->best = ns;
			to->where = where;
		}
	}
}

/* The range that holds more than half of what lies in any, and at least a quarter of all. */
static const char *where_of(const found *f)
{
	if (f->ns == TABLE_MISSING)
		return f->where;
	return f->where && 2 * f->best > f->in_any && 4 * f->best >= f->ns ? f->where : NULL;
}

/* ---- the list */

static double pct_of(const advise_job *j, const found *f)
{
	int64_t period = j->tables->units.v[f->unit].period;

	return f->ns == TABLE_MISSING || !period ? 0 : 100.0 * (double)f->ns / (double)period;
}

/* First what makes numbers untrustworthy, then late ranks, then most recoverable first, last what wins nothing. */
static int place_of(const found *f)
{
	static const char *const untrusted[] = { "lost", "shared", "unknown", NULL };

	for (int i = 0; untrusted[i]; i++)
		if (strcmp(f->f->kind, untrusted[i]) == 0)
			return i;
	return strcmp(f->f->kind, "late") == 0 ? 4 : f->ns == TABLE_MISSING ? 6 : 5;
}

static int by_worth(uint32_t a, uint32_t b, const void *ctx)
{
	const advise_job *j = ctx;
	const found *x = &j->found.v[a], *y = &j->found.v[b];

	if (place_of(x) != place_of(y))
		return sort_3way(place_of(x), place_of(y));
	return x->ns != y->ns ? sort_3way(y->ns, x->ns) : sort_3way(a, b);
}

static const char *severity(const advise_job *j, const found *f)
{
	const advise_unit *u = &j->tables->units.v[f->unit];
	double pct = pct_of(j, f);

	if (place_of(f) < 4)
		return "untrusted";
	if (f->ns == TABLE_MISSING)
		return "info";
	return pct >= 10 && !u->whole ? "high" : pct >= 5 ? "medium" : "low";
}

static const char *evidence(const advise_params *p, const found *f)
{
	advise_job *j = p->job;
	const advise_unit *u = &j->tables->units.v[f->unit];

	return arena_printf(&j->texts, "nsq-sql --finding %s%s%s%s%s%s %s", f->f->name, p->match ? " -m " : "",
			    p->match ? shell_word(&j->texts, p->match_text) : "", p->comm ? " --comm " : "",
			    p->comm ? shell_word(&j->texts, p->comm_text) : "",
			    p->step_time ? arena_printf(&j->texts, " --step-time %s", shell_word(&j->texts, p->step_time_text)) : "",
			    shell_word(&j->texts, u->trace));
}

void advise_unit_row(table *out, const advise_unit *u)
{
	table_row(out);
	table_pid(out, u->pid, u->sub);
	table_int(out, COL_RANK, u->rank < 0 ? TABLE_MISSING : u->rank);
	table_int(out, COL_START, u->hull.a);
	table_int(out, COL_END, u->hull.b);
	table_int(out, COL_GPU, u->gpu);
	table_int(out, STEPS, u->whole ? TABLE_MISSING : (int64_t)u->steps);
	table_text(out, COL_TRACE, u->trace);
}

static void finding_row(const advise_params *p, const found *f, table *out)
{
	advise_job *j = p->job;
	const finding *of = f->f;
	const char *title = of->title ? of->title : of->name;

	vec_push(&j->titles, strlen(title));
	advise_unit_row(out, &j->tables->units.v[f->unit]);
	table_word(out, SEVERITY, severity(j, f));
	table_text(out, KIND, of->kind);
	table_int(out, RECOVER_NS, f->ns);
	if (f->ns != TABLE_MISSING)
		table_pct(out, RECOVER_PCT, f->ns, j->tables->units.v[f->unit].period);
	table_text(out, WHERE, where_of(f));
	table_text(out, FINDING, arena_printf(&j->texts, "%s%s%s%s%s", title, f->words ? ": " : "", f->words ? f->words : "",
					      of->assumes && f->ns != TABLE_MISSING ? "; assumes " : "", of->assumes && f->ns != TABLE_MISSING ? of->assumes : ""));
	table_text(out, EVIDENCE, evidence(p, f));
	table_text(out, ADVICE, of->advice);
}

/* ---- the verdict */

static const char *bound_of_owner(const char *owner)
{
	static const struct { const char *owner, *bound; } of[] = {
		{ "sync", "sync" }, { "data", "data" }, { "comm", "comm" }, { "comm.wait", "late" }, { "host", "cpu" }, { "launch", "cpu" }, { "api", "cpu" }, { "alloc", "cpu" },
		{ "load", "cpu" }, { "turnaround", "cpu" },
	};

	for (size_t i = 0; owner && i < sizeof of / sizeof *of; i++)
		if (strcmp(owner, of[i].owner) == 0)
			return of[i].bound;
	return "gpu";
}

static const char *bound_of_kind(const found *f)
{
	static const struct { const char *kind, *bound; } of[] = {
		{ "small", "cpu" }, { "host", "cpu" }, { "launch", "cpu" }, { "alloc", "cpu" }, { "load", "cpu" }, { "sync", "sync" }, { "data", "data" },
		{ "comm", "comm" }, { "tiny", "comm" }, { "late", "late" },
	};

	if (strcmp(f->f->kind, "long") == 0)
		return bound_of_owner(f->more);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strcmp(f->f->kind, of[i].kind) == 0)
			return of[i].bound;
	return "gpu";
}

typedef struct {
	double step, busy, cpu, wait, launches, exposed;        /* means over the steps; exposed: communication beside no compute */
	const found *most;      /* what recovers most, or NULL */
	const char *bound;
} verdict;

static verdict verdict_of(const advise_job *j, size_t unit)
{
	const table *steps = &j->tables->tables[ADVISE_STEPS];
	int64_t excess = number_in(&j->tables->tables[ADVISE_UNITS], unit, "excess_ns");
	verdict v = { 0 };
	double n = 0;

	for (size_t i = 0; i < table_rows(steps); i++) {
		if (number_in(steps, i, "unit") != (int64_t)unit)
			continue;
		n++;
		v.step += (double)number_in(steps, i, "dur_ns");
		v.busy += (double)number_in(steps, i, "busy_ns");
		v.cpu += (double)(number_in(steps, i, "cpu_ns") - (number_in(steps, i, "profiler_ns") > excess ? number_in(steps, i, "profiler_ns") : excess));
		v.wait += (double)number_in(steps, i, "wait_ns");
		v.launches += (double)number_in(steps, i, "launches");
		v.exposed += (double)number_in(steps, i, "exposed_ns");
	}
	for (double *at = &v.step; n && at <= &v.exposed; at++)
		*at /= n;
	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[i];
		if (f->unit == unit && f->ns > 0 && (!v.most || f->ns > v.most->ns))
			v.most = f;
	}
	v.bound = v.step - v.busy + v.exposed < v.step / 10 || !v.most ? "gpu" : bound_of_kind(v.most);
	return v;
}

static void verdict_row(const advise_job *j, size_t unit, table *out)
{
	const advise_unit *u = &j->tables->units.v[unit];
	verdict v = verdict_of(j, unit);

	advise_unit_row(out, u);
	table_int(out, STEP_NS, number_in(&j->tables->tables[ADVISE_UNITS], unit, "typical_ns"));
	table_int(out, BUSY_NS, (int64_t)(v.busy + 0.5));
	table_int(out, CPU_NS, (int64_t)(v.cpu + 0.5));
	table_int(out, WAIT_NS, (int64_t)(v.wait + 0.5));
	table_int(out, IDLE_NS, (int64_t)(v.step + 0.5) - (int64_t)(v.busy + 0.5));
	table_word(out, BOUND, v.bound);
}

static const char *ms(arena *a, double ns)
{
	return arena_copy(a, number_ms(ns, (char[NUMBER_MS_SIZE]){ 0 }));
}

/* Time in which the GPU does nothing but copy, in a mean step. */
static double copying(const advise_job *j, size_t unit)
{
	const table *ledger = &j->tables->tables[ADVISE_LEDGER];
	double sum = 0;
	char type;

	for (size_t i = 0; i < table_rows(ledger); i++)
		if (number_in(ledger, i, "unit") == (int64_t)unit && strncmp(cell(ledger, i, "owner", &type)->t, "copy", 4) == 0)
			sum += (double)number_in(ledger, i, "dur_ns");
	return j->tables->units.v[unit].steps ? sum / (double)j->tables->units.v[unit].steps : 0;
}

/* Why a step is bound by the CPU: what recovers most, unless the CPU is too slow altogether. */
static const char *cpu_words(arena *a, const verdict *v)
{
	static const struct { const char *kind, *words; } of[] = {
		{ "alloc", "allocating and freeing memory costs" }, { "load", "loading and compiling code costs" }, { "host", "the GPU waits for CPU code for" },
		{ "small", "the GPU waits between small kernels for" }, { "launch", "the GPU waits for launches for" },
	};
	const char *kind = v->most->f->kind, *words = "some steps take longer, which costs";
	bool slow = strcmp(kind, "host") == 0 || strcmp(kind, "small") == 0 || strcmp(kind, "launch") == 0;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		words = strcmp(kind, of[i].kind) == 0 ? of[i].words : words;
	if (slow && v->cpu > v->busy)
		return arena_printf(a, "the CPU needs %s of %s ms for %.0f launches, which keep the GPU busy for %s ms", ms(a, v->cpu), ms(a, v->step), v->launches,
				    ms(a, v->busy));
	return arena_printf(a, "%s %s of %s ms", words, ms(a, (double)v->most->ns), ms(a, v->step));
}

static const char *verdict_words(advise_job *j, size_t unit, const verdict *v)
{
	arena *a = &j->texts;
	double copies;

	if (strcmp(v->bound, "cpu") == 0)
		return cpu_words(a, v);
	if (strcmp(v->bound, "gpu") != 0)
		return arena_printf(a, "the GPU is idle%s for %s of %s ms; fixing '%s' would save at most %s ms%s", v->exposed > 0 ? " or only communicates" : "",
				    ms(a, v->step - v->busy + v->exposed), ms(a, v->step), v->most->f->kind, ms(a, (double)v->most->ns),
				    j->tables->units.v[unit].whole ? "" : " per step");
	copies = copying(j, unit);
	return arena_printf(a, "the GPU is busy for %s of %s ms%s", ms(a, v->busy), ms(a, v->step),
			    2 * copies > v->busy ? arena_printf(a, ", for %s ms of which it only copies", ms(a, copies)) : "");
}

/* The unit with the most to save: of several ranks the one to look at first. */
static size_t worst_unit(const advise_job *j)
{
	size_t unit = 0;
	int64_t most = 0;

	for (size_t i = 0; i < j->found.n; i++)
		if (j->found.v[i].ns > most) {          /* TABLE_MISSING is below 0 */
			most = j->found.v[i].ns;
			unit = j->found.v[i].unit;
		}
	return unit;
}

/* The verdict in a sentence, about the worst unit. */
static void say_verdict(advise_job *j, notes *say)
{
	size_t unit = worst_unit(j), units = j->tables->units.n;
	const advise_unit *u;
	const char *who = "";
	verdict v;

	if (!units)
		return;
	u = &j->tables->units.v[unit];
	v = verdict_of(j, unit);
	if (units > 1)
		who = u->rank >= 0 ? arena_printf(&j->texts, "rank %lld is ", (long long)u->rank) : arena_printf(&j->texts, "process %s is ", u->shown);
	if (u->whole)
		notes_remark(say, "no steps were found, so the run is looked at as a whole, in which start-up cannot be told from the rest; name the steps "
			     "with -m REGEX (nsq-window --list shows the ranges)");
	j->gpu_bound = strcmp(v.bound, "gpu") == 0;
	j->verdict = arena_printf(&j->texts, "%s%s-bound: %s", who, v.bound, verdict_words(j, unit, &v));
	notes_remark(say, "%s", j->verdict);
}

/* What the profiler costs: as the user's step time tells, or about what it adds to launches. */
static void say_profiler(const advise_params *p, notes *say)
{
	advise_job *j = p->job;
	const table *units = &j->tables->tables[ADVISE_UNITS], *steps = &j->tables->tables[ADVISE_STEPS];
	double step = 0, slowed = 0, launches = 0, n = (double)table_rows(steps);
	int64_t excess = 0;

	for (size_t i = 0; i < table_rows(units); i++) {
		excess = number_in(units, i, "excess_ns") > excess ? number_in(units, i, "excess_ns") : excess;
		slowed += (double)j->tables->units.v[i].slowed / n;
	}
	for (size_t i = 0; i < table_rows(steps); i++) {
		step += (double)number_in(steps, i, "dur_ns") / n;
		launches += (double)number_in(steps, i, "launches") / n;
	}
	if (excess)
		notes_remark(say, "%s ms of each step is profiler overhead, according to --step-time, and does not count as CPU time", ms(&j->texts, (double)excess));
	else if (p->step_time)
		notes_remark(say, "--step-time changes nothing: the steps of the trace are no longer than that");
	else if (slowed > step / 20 && !j->gpu_bound)
		notes_remark(say, "profiling may have slowed down the %.0f launches of a step by %s of its %s ms; --step-time TIME, from your own log, corrects for that",
			     launches, ms(&j->texts, slowed), ms(&j->texts, step));
}

/* ---- lists: one for each job, of each finding and place the worst rank */

static bool *communicating(const advise_job *j)
{
	const table *c = &j->tables->tables[ADVISE_COLLECTIVES];
	bool *yes = mem_new(bool, j->tables->units.n);

	for (size_t i = 0; i < table_rows(c); i++)
		yes[number_in(c, i, "unit")] = true;
	return yes;
}

static bool same_place(const found *x, const found *y)
{
	const char *a = where_of(x), *b = where_of(y);

	return x->f == y->f && (a == b || (a && b && strcmp(a, b) == 0));
}

/* What lost events cannot change is said all the same. */
static bool is_believable(const advise_job *j, const found *f)
{
	const table *units = &j->tables->tables[ADVISE_UNITS];

	return f->ns == TABLE_MISSING || !number_in(units, f->unit, "lost") || strcmp(f->f->kind, "tensor") == 0 || strcmp(f->f->kind, "fuse") == 0;
}

static void list_rows(const advise_params *p, table *out, notes *say)
{
	advise_job *j = p->job;
	uint32_t *sorted = sort_order(j->found.n, by_worth, j);
	bool *job = communicating(j), *shown = mem_new(bool, j->found.n);
	size_t small = 0, doubtful = 0;

	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[sorted ? sorted[i] : i];
		bool again = false;
		for (size_t k = 0; k < i && job[f->unit]; k++) {
			const found *g = &j->found.v[sorted ? sorted[k] : k];
			again |= shown[k] && job[g->unit] && same_place(f, g);
		}
		if (!is_believable(j, f)) {
			doubtful++;
		} else if (f->ns != TABLE_MISSING && (f->ns <= 0 || pct_of(j, f) < p->min_pct)) {
			small += f->ns > 0;
		} else if (!again) {
			shown[i] = true;
			finding_row(p, f, out);
		}
	}
	if (doubtful)
		notes_remark(say, "left out: %zu finding%s about processes that lost events, which may change them", doubtful, doubtful == 1 ? "" : "s");
	if (small)
		notes_remark(say, "left out: %zu finding%s that would save less than %g %% of a step%s (--min-pct)", small, small == 1 ? "" : "s", p->min_pct,
			     small == 1 ? "" : " each");
	free(sorted);
	free(job);
	free(shown);
}

bool advise_answer(const advise_params *p, table *out, notes *say)
{
	advise_job *j = p->job;
	findings all = { 0 };
	bool ok = findings_load(&all, p->folders, say) && findings_run(&all, j->tables, NULL, take_rows, j, say);

	if (!out->cols.n)
		advise_columns(p, out);
	if (ok) {
		say_verdict(j, say);
		say_profiler(p, say);
		if (p->mode == ADVISE_VERDICT)
			for (size_t i = 0; i < j->tables->units.n; i++)
				verdict_row(j, i, out);
		else
			list_rows(p, out, say);
		table_group(out);
	}
	findings_free(&all);
	return ok;
}
