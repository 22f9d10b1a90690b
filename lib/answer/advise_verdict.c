#include "answer/advise_parts.h"
#include "base/number.h"

#include <string.h>

static const char *bound_of_owner(const char *owner)
{
	static const struct { const char *owner, *bound; } of[] = {
		{ "sync", "sync" }, { "data", "data" }, { "comm", "comm" }, { "comm.wait", "comm" }, { "host", "cpu" },
		{ "launch", "cpu" }, { "api", "cpu" }, { "alloc", "cpu" }, { "load", "cpu" }, { "turnaround", "cpu" },
	};

	for (size_t i = 0; owner && i < sizeof of / sizeof *of; i++)
		if (strcmp(owner, of[i].owner) == 0)
			return of[i].bound;
	return "gpu";
}

static const char *bound_of_kind(const found *f)
{
	static const struct { const char *kind, *bound; } of[] = {
		{ "small", "cpu" }, { "host", "cpu" }, { "launch", "cpu" }, { "alloc", "cpu" }, { "load", "cpu" },
		{ "sync", "sync" }, { "data", "data" }, { "comm", "comm" }, { "tiny", "comm" }, { "late", "late" },
	};

	if (strcmp(f->f->kind, "long") == 0)
		return bound_of_owner(f->more);
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (strcmp(f->f->kind, of[i].kind) == 0)
			return of[i].bound;
	return "gpu";
}

typedef struct {
	double step, busy, cpu, wait, launches, exposed, copies;        /* means over the steps */
	const found *most;      /* what recovers most, or NULL */
	const char *bound;
} verdict;

/* The rank that the job waits for; NULL: nobody is late by a fiftieth of a step. */
static const found *latest(const advise_job *j)
{
	const found *most = NULL;

	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[i];
		if (strcmp(f->f->kind, "late") == 0 && f->ns >= j->tables->units.v[f->unit].period / 50 && (!most || f->ns > most->ns))
			most = f;
	}
	return most;
}

/* Until a late rank is fixed, what the ranks of its job expose is not their communication's fault. */
static verdict verdict_of(const advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];
	double n = u->steps ? (double)u->steps : 1;
	const found *last = u->communicates ? latest(j) : NULL;
	verdict v = { (double)u->sum.dur / n, (double)u->sum.busy / n, (double)u->sum.cpu / n, (double)u->sum.wait / n,
		(double)u->sum.launches / n, (double)u->sum.exposed / n, (double)u->sum.copies / n, NULL, NULL };

	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[i];
		if (f->unit == unit && f->ns > 0 && (!v.most || f->ns > v.most->ns) && (!last || strcmp(bound_of_kind(f), "comm") != 0))
			v.most = f;
	}
	if (last && (!v.most || last->ns > v.most->ns))
		v.most = last;
	v.bound = v.step - v.busy + v.exposed < v.step / 10 || !v.most ? "gpu" : bound_of_kind(v.most);
	return v;
}

void advise_verdicts(const advise_job *j, table *out)
{
	for (size_t i = 0; i < j->tables->units.n; i++) {
		verdict v = verdict_of(j, i);
		advise_unit_row(out, &j->tables->units.v[i]);
		table_int(out, A_STEP_NS, j->tables->units.v[i].typical);
		table_int(out, A_BUSY_NS, (int64_t)(v.busy + 0.5));
		table_int(out, A_CPU_NS, (int64_t)(v.cpu + 0.5));
		table_int(out, A_WAIT_NS, (int64_t)(v.wait + 0.5));
		table_int(out, A_IDLE_NS, (int64_t)(v.step + 0.5) - (int64_t)(v.busy + 0.5));
		table_word(out, A_BOUND, v.bound);
	}
}

static const char *ms(arena *a, double ns)
{
	return arena_copy(a, number_ms(ns, (char[NUMBER_MS_SIZE]){ 0 }));
}

/* Why a step is bound by the CPU: what recovers most, unless the CPU is too slow altogether. */
static const char *cpu_words(arena *a, const verdict *v)
{
	static const struct { const char *kind, *words; } of[] = {
		{ "alloc", "allocating and freeing memory costs" }, { "load", "loading and compiling code costs" },
		{ "host", "the GPU waits for CPU code for" }, { "small", "the GPU waits between small kernels for" }, { "launch", "the GPU waits for launches for" },
	};
	const char *kind = v->most->f->kind, *words = "some steps take longer, which costs";
	bool slow = strcmp(kind, "host") == 0 || strcmp(kind, "small") == 0 || strcmp(kind, "launch") == 0;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		words = strcmp(kind, of[i].kind) == 0 ? of[i].words : words;
	if (slow && v->cpu > v->busy)
		return arena_printf(a, "the CPU needs %s of %s ms for %.0f launches, which keep the GPU busy for %s ms",
				    ms(a, v->cpu), ms(a, v->step), v->launches, ms(a, v->busy));
	return arena_printf(a, "%s %s of %s ms", words, ms(a, (double)v->most->ns), ms(a, v->step));
}

static bool is_late(const verdict *v)
{
	return strcmp(v->bound, "late") == 0;
}

static const char *name_of(advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];

	return u->rank >= 0 ? arena_printf(&j->texts, "rank %lld", (long long)u->rank) : arena_printf(&j->texts, "process %s", u->shown);
}

static const char *verdict_words(advise_job *j, size_t unit, const verdict *v)
{
	arena *a = &j->texts;

	if (strcmp(v->bound, "cpu") == 0)
		return cpu_words(a, v);
	if (is_late(v))
		return arena_printf(a, "%s is late: %s; fixing that would save at most %s of %s ms per step",
				    name_of(j, v->most->unit), v->most->words, ms(a, (double)v->most->ns), ms(a, v->step));
	if (strcmp(v->bound, "gpu") != 0)
		return arena_printf(a, "the GPU is idle%s for %s of %s ms; fixing '%s' would save at most %s ms%s",
				    v->exposed > 0 ? " or only communicates" : "", ms(a, v->step - v->busy + v->exposed), ms(a, v->step),
				    v->most->f->kind, ms(a, (double)v->most->ns), j->tables->units.v[unit].whole ? "" : " per step");
	return arena_printf(a, "the GPU is busy for %s of %s ms%s", ms(a, v->busy), ms(a, v->step),
			    2 * v->copies > v->busy ? arena_printf(a, ", for %s ms of which it only copies", ms(a, v->copies)) : "");
}

/* The unit with the most to save: of several ranks the one to look at first, and rather one that waits for it than a late one. */
static size_t worst_unit(const advise_job *j)
{
	size_t unit = 0;
	int64_t most = -1;

	for (size_t i = 0; i < j->tables->units.n; i++) {
		verdict v = verdict_of(j, i);
		int64_t ns = v.most ? 2 * v.most->ns + is_late(&v) : 0;
		if (ns > most) {
			most = ns;
			unit = i;
		}
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
	if (units > 1 && !is_late(&v))
		who = arena_printf(&j->texts, "%s is ", name_of(j, unit));
	if (u->whole)
		notes_remark(say, "no steps were found, so the run is looked at as a whole, in which start-up cannot be told from the "
			     "rest; name the steps with -m REGEX (nsq-window --list shows the ranges)");
	j->gpu_bound = strcmp(v.bound, "gpu") == 0;
	j->verdict = arena_printf(&j->texts, "%s%s-bound: %s", who, v.bound, verdict_words(j, unit, &v));
	notes_remark(say, "%s", j->verdict);
}

/* What the profiler costs: as the user's step time tells, or about what it adds to launches. */
static void say_profiler(const advise_params *p, notes *say)
{
	advise_job *j = p->job;
	double dur = 0, slowed = 0, launches = 0, n = 0;
	int64_t excess = 0;

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const advise_unit *u = &j->tables->units.v[i];
		excess = u->excess > excess ? u->excess : excess;
		n += (double)u->steps;
		dur += (double)u->sum.dur;
		slowed += (double)u->sum.slowed;
		launches += (double)u->sum.launches;
	}
	if (excess)
		notes_remark(say, "%s ms of each step is profiler overhead, according to --step-time, and does not count as CPU time",
			     ms(&j->texts, (double)excess));
	else if (p->step_time)
		notes_remark(say, "--step-time changes nothing: the steps of the trace are no longer than that");
	else if (slowed > dur / 20 && !j->gpu_bound)
		notes_remark(say, "profiling may have slowed down the %.0f launches of a step by %s of its %s ms; --step-time TIME, "
			     "from your own log, corrects for that", launches / n, ms(&j->texts, slowed / n), ms(&j->texts, dur / n));
}

void advise_say_verdict(const advise_params *p, notes *say)
{
	say_verdict(p->job, say);
	say_profiler(p, say);
}
