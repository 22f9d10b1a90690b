#include "answer/advise_parts.h"
#include "base/number.h"
#include "base/sort.h"

#include <string.h>

static const char *bound_of_owner(const char *owner)
{
	static const struct { const char *owner, *bound; } of[] = {
		{ "sync", "sync" }, { "data", "data" }, { "comm", "comm" }, { "comm.wait", "comm" }, { "mpi", "comm" },
		{ "host", "cpu" }, { "launch", "cpu" }, { "api", "cpu" }, { "alloc", "cpu" }, { "load", "cpu" },
		{ "turnaround", "cpu" },
	};

	for (size_t i = 0; owner && i < sizeof of / sizeof *of; i++)
		if (strcmp(owner, of[i].owner) == 0)
			return of[i].bound;
	return "gpu";
}

/* NULL of a finding about what the GPU does, such as copies: to recover most is not to bound the step. */
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
	return NULL;
}

typedef struct {
	double step, busy, cpu, wait, launches, exposed, copies, mpi;   /* means over the steps */
	const found *most;      /* what recovers most; NULL: nothing, or MPI calls take longer */
	const char *bound;      /* NULL: nobody knows */
	bool whole;             /* is the step all that a process does? */
	bool shares;            /* are times said as shares of the step, not beside its length? */
} verdict;

/* Is the GPU idle, or does it only communicate, for less than a tenth of the step? */
static bool is_busy(const verdict *v)
{
	return v->step - v->busy + v->exposed < v->step / 10;
}

/* The rank that the job waits for; NULL: nobody is late by a fiftieth of a step. */
static const found *latest(const advise_job *j)
{
	const found *most = NULL;

	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[i];
		if (strcmp(f->f->kind, "late") == 0 && f->ns >= j->tables->units.v[f->unit].period / 50 &&
		    (!most || f->ns > most->ns))
			most = f;
	}
	return most;
}

/* most: of the unit's own findings; last: the rank that its job waits for, or NULL. */
static verdict verdict_of(const advise_unit *u, const found *most, const found *last)
{
	double n = u->steps ? (double)u->steps : 1;
	verdict v = { (double)u->sum.dur / n, (double)u->sum.busy / n, (double)u->sum.cpu / n, (double)u->sum.wait / n,
		(double)u->sum.launches / n, (double)u->sum.exposed / n, (double)u->sum.copies / n,
		(double)u->sum.mpi / n, most, NULL, u->whole, false };
	bool mpi;

	if (last && (!v.most || last->ns > v.most->ns))
		v.most = last;
	mpi = v.mpi > (v.most ? (double)v.most->ns : 0);
	if (mpi)
		v.most = NULL;
	v.bound = is_busy(&v) || (!mpi && !v.most) ? "gpu" : mpi ? "comm" : bound_of_kind(v.most);
	if (!v.bound)           /* what a fixed step still takes the longer of */
		v.bound = v.cpu > v.busy ? "cpu" : "gpu";
	if (u->unsure)
		v.bound = NULL;
	return v;
}

/* By unit; the caller frees them.  Until a late rank is fixed, what the ranks of its job expose is not their
 * communication's fault. */
static verdict *verdicts_of(const advise_job *j)
{
	const advise_unit *u = j->tables->units.v;
	const found *last = latest(j), **most = mem_new(const found *, j->tables->units.n);
	verdict *v = mem_new(verdict, j->tables->units.n);

	for (const found *f = j->found.v; f < j->found.v + j->found.n; f++)
		if (f->ns > 0 && (!most[f->unit] || f->ns > most[f->unit]->ns) &&
		    (!last || !u[f->unit].communicates || !bound_of_kind(f) || strcmp(bound_of_kind(f), "comm") != 0))
			most[f->unit] = f;
	for (size_t i = 0; i < j->tables->units.n; i++)
		v[i] = verdict_of(&u[i], most[i], u[i].communicates ? last : NULL);
	free(most);
	return v;
}

void advise_verdicts(const advise_job *j, table *out)
{
	verdict *all = verdicts_of(j);

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const verdict *v = &all[i];
		advise_unit_row(out, &j->tables->units.v[i]);
		table_ints(out, { A_STEP_NS, j->tables->units.v[i].typical }, { A_BUSY_NS, (int64_t)(v->busy + 0.5) },
			   { A_CPU_NS, (int64_t)(v->cpu + 0.5) }, { A_WAIT_NS, (int64_t)(v->wait + 0.5) },
			   { A_IDLE_NS, (int64_t)(v->step + 0.5) - (int64_t)(v->busy + 0.5) });
		table_word(out, A_BOUND, v->bound);
	}
	free(all);
}

static const char *ms(arena *a, double ns)
{
	return arena_copy(a, number_ms(ns, (char[NUMBER_MS_SIZE]){ 0 }));
}

/* "9.00 of 10.3 ms" or, where the length of a step is said elsewhere, "9.00 ms of a step (87 %)". */
static const char *of_step(arena *a, const verdict *v, double ns)
{
	double pct = v->step > 0 ? 100 * ns / v->step : 0;

	return v->shares ? arena_printf(a, "%s ms of %s (%.0f %%)", ms(a, ns), v->whole ? "the whole" : "a step", pct) :
		arena_printf(a, "%s of %s ms", ms(a, ns), ms(a, v->step));
}

/* Of what the CPU does, what recovers most; NULL: nothing. */
static const found *most_of_cpu(const advise_job *j, size_t unit)
{
	const found *most = NULL;

	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[i];
		const char *bound = bound_of_kind(f);
		if (f->unit == unit && f->ns > 0 && bound && strcmp(bound, "cpu") == 0 && (!most || f->ns > most->ns))
			most = f;
	}
	return most;
}

static const char *saves(advise_job *j, const char *only, const found *f, double ns)
{
	return arena_printf(&j->texts, "; fixing %s'%s' would save at most %s ms%s", only, f->f->kind,
			    ms(&j->texts, ns), j->tables->units.v[f->unit].whole ? "" : " per step");
}

/* What fixing the finding that recovers most would save.  Where that is work of the GPU, the step still takes as long
 * as the CPU needs, so what shortens that goes first. */
static const char *saving(advise_job *j, size_t unit, const verdict *v)
{
	double most = (double)v->most->ns, left = v->step - (double)j->tables->units.v[unit].excess - v->cpu;
	const found *first = v->cpu > v->busy ? most_of_cpu(j, unit) : NULL;

	if (bound_of_kind(v->most) || left >= most)
		return saves(j, "", v->most, most);
	return arena_printf(&j->texts, "%s%s, because the CPU needs %s ms",
			    first ? saves(j, "", first, (double)first->ns) : "",
			    saves(j, "only ", v->most, left > 0 ? left : 0), ms(&j->texts, v->cpu));
}

/* Said where it is more than one of so many parts. */
static const char *only_copies(arena *a, const verdict *v, double parts)
{
	return parts * v->copies <= v->busy ? "" :
		arena_printf(a, ", for %s ms of which it only copies", ms(a, v->copies));
}

/* Why a step is bound by the CPU: what recovers most, unless the CPU is too slow altogether. */
static const char *cpu_words(arena *a, const verdict *v)
{
	static const struct { const char *kind, *words; } of[] = {
		{ "alloc", "allocating, pinning or freeing memory costs" },
		{ "load", "loading and compiling code costs" },
		{ "host", "the GPU waits for CPU code for" }, { "small", "the GPU waits between small kernels for" },
		{ "launch", "the GPU waits for launches for" },
	};
	const char *kind = v->most->f->kind, *words = "some steps take longer, which costs";
	bool slow = strcmp(kind, "host") == 0 || strcmp(kind, "small") == 0 || strcmp(kind, "launch") == 0;

	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		words = strcmp(kind, of[i].kind) == 0 ? of[i].words : words;
	if (slow && v->cpu > v->busy && !v->whole && 10 * v->copies <= v->busy)
		return arena_printf(a, "the CPU needs %s for %.0f launches, which keep the GPU busy for %s ms",
				    of_step(a, v, v->cpu), v->launches, ms(a, v->busy));
	if (slow && v->cpu > v->busy)           /* nobody launches migrations, and a whole run has launches before it */
		return arena_printf(a, "the CPU needs %s; the GPU is busy for %s ms%s", of_step(a, v, v->cpu),
				    ms(a, v->busy), only_copies(a, v, 10));
	return arena_printf(a, "%s %s; the GPU is busy for %s ms (%.0f %%)", words,
			    of_step(a, v, (double)v->most->ns), ms(a, v->busy),
			    v->step > 0 ? 100 * v->busy / v->step : 0);
}

static bool is_late(const verdict *v)
{
	return v->bound && strcmp(v->bound, "late") == 0;
}

static const char *name_of(advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];

	return u->rank >= 0 ? arena_printf(&j->texts, "rank %lld", (long long)u->rank) :
		arena_printf(&j->texts, "process %s", u->shown);
}

/* The sentence has means, as other tools have the typical step: it is said where the two differ by a tenth. */
static const char *typical(advise_job *j, size_t unit, const verdict *v)
{
	double ns = (double)j->tables->units.v[unit].typical;

	return v->shares || (10 * ns <= 11 * v->step && 10 * v->step <= 11 * ns) ? "" :
		arena_printf(&j->texts, "; these are means, the median step takes %s ms", ms(&j->texts, ns));
}

static const char *verdict_words(advise_job *j, size_t unit, const verdict *v)
{
	arena *a = &j->texts;

	if (strcmp(v->bound, "cpu") == 0 && bound_of_kind(v->most))
		return cpu_words(a, v);
	if (strcmp(v->bound, "cpu") == 0)
		return arena_printf(a, "the GPU is idle for %s, and the CPU itself needs %s ms%s",
				    of_step(a, v, v->step - v->busy), ms(a, v->cpu), saving(j, unit, v));
	if (is_late(v))
		return arena_printf(a, "%s is late: %s; fixing that would save at most %s%s",
				    name_of(j, v->most->unit), v->most->words, of_step(a, v, (double)v->most->ns),
				    v->shares ? "" : " per step");
	if (strcmp(v->bound, "gpu") != 0 && !v->most)
		return arena_printf(a, "the GPU waits for MPI calls for %s", of_step(a, v, v->mpi));
	if (strcmp(v->bound, "gpu") != 0)
		return arena_printf(a, "the GPU is idle%s for %s%s", v->exposed > 0 ? " or only communicates" : "",
				    of_step(a, v, v->step - v->busy + v->exposed), saving(j, unit, v));
	return arena_printf(a, "the GPU is busy for %s%s%s", of_step(a, v, v->busy), only_copies(a, v, 2),
			    is_busy(v) || !v->most ? "" : saving(j, unit, v));
}

/* ---- in sentences */

static const char *const bounds[] = { "gpu", "cpu", "sync", "data", "comm", "late", NULL };

/* Who a sentence is about, where there are several. */
static const char *who(advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];
	bool traces = false, of_trace = false, gpus = false;

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const advise_unit *v = &j->tables->units.v[i];
		bool same = strcmp(v->trace, u->trace) == 0;
		traces |= !same;
		of_trace |= same && i != unit;
		gpus |= same && i != unit && v->pid == u->pid && v->sub == u->sub;
	}
	if (!traces && !of_trace)
		return "";
	if (traces && !of_trace && u->rank < 0)
		return arena_printf(&j->texts, "'%s' is ", u->trace);
	return arena_printf(&j->texts, "%s%s%s%s%s is ", name_of(j, unit),
			    gpus ? arena_printf(&j->texts, " on GPU %lld", (long long)u->gpu) : "",
			    traces && !u->communicates ? " of '" : "", traces && !u->communicates ? u->trace : "",
			    traces && !u->communicates ? "'" : "");
}

/* "2 gpu-bound, 1 comm-bound": of the verdicts that are left to tell; "" if none is. */
static const char *tally(arena *a, const verdict *v, const bool *left, size_t n)
{
	const char *text = "";

	for (int b = 0; bounds[b]; b++) {
		size_t many = 0;
		for (size_t i = 0; i < n; i++)
			many += left[i] && v[i].bound && strcmp(v[i].bound, bounds[b]) == 0;
		if (many)
			text = arena_printf(a, "%s%s%zu %s-bound", text, *text ? ", " : "", many, bounds[b]);
	}
	return text;
}

/* What the other ranks of its job are. */
static const char *others(advise_job *j, const verdict *v, size_t unit)
{
	size_t n = j->tables->units.n, ranks = 0, same = 0;
	bool *left = mem_new(bool, n);
	const char *text = "";

	for (size_t i = 0; i < n; i++) {
		left[i] = i != unit && j->tables->units.v[i].communicates && v[i].bound;
		ranks += left[i];
		same += left[i] && strcmp(v[i].bound, v[unit].bound) == 0;
	}
	if (same < ranks)
		text = arena_printf(&j->texts, "; the other ranks: %s", tally(&j->texts, v, left, n));
	else if (ranks)
		text = ranks == 1 ? "; so is the other rank" :
			arena_printf(&j->texts, "; so are the other %zu ranks", ranks);
	free(left);
	return text;
}

/* Of a late rank and those that wait for it, rather one of those. */
static int by_most(uint32_t a, uint32_t b, const void *ctx)
{
	const verdict *v = ctx;
	int64_t x = v[a].most ? 2 * v[a].most->ns + is_late(&v[a]) : 0;
	int64_t y = v[b].most ? 2 * v[b].most->ns + is_late(&v[b]) : 0;

	return x != y ? sort_3way(y, x) : sort_3way(a, b);
}

/* One sentence about a job, which is about the rank with the most to save, and one about each other process on a GPU;
 * of many, about those with the most to save. */
static void say_verdicts(advise_job *j, verdict *v, notes *say)
{
	enum { MOST = 4 };
	size_t n = j->tables->units.n;
	bool *left = mem_new(bool, n), job_said = false;
	const char *rest;
	uint32_t *order = sort_order(n, by_most, v);

	for (size_t i = 0; i < n; i++) {
		size_t unit = order ? order[i] : i;
		bool ranks = j->tables->units.v[unit].communicates;
		if (!v[unit].bound || (ranks && job_said))
			continue;
		job_said |= ranks;
		left[unit] = j->verdicts[0].n == MOST;
		for (int shares = 0; shares < 2 && !left[unit]; shares++) {
			v[unit].shares = shares;
			vec_push(&j->verdicts[shares], arena_printf(&j->texts, "%s%s-bound: %s%s%s",
				 is_late(&v[unit]) ? "" : who(j, unit), v[unit].bound,
				 verdict_words(j, unit, &v[unit]), typical(j, unit, &v[unit]),
				 ranks && !is_late(&v[unit]) ? others(j, v, unit) : ""));
		}
	}
	rest = tally(&j->texts, v, left, n);
	for (int shares = 0; shares < 2 && *rest; shares++)
		vec_push(&j->verdicts[shares], arena_printf(&j->texts, "others: %s (nsq-advise --verdict lists all)",
							    rest));
	for (size_t i = 0; i < j->verdicts[0].n; i++)
		notes_remark(say, "%s", j->verdicts[0].v[i]);
	mem_free(order, left);
}

/* Processes in which no steps were found. */
static void say_whole(const advise_job *j, notes *say)
{
	const char *first = NULL;
	size_t whole = 0;

	for (size_t i = 0; i < j->tables->units.n; i++)
		if (j->tables->units.v[i].whole && !whole++)
			first = j->tables->units.v[i].trace;
	if (whole)
		notes_remark(say, "no steps were found%s%s%s, so the run is looked at as a whole, in which start-up "
			     "cannot be told from the rest; name the steps with -m REGEX (nsq-window --list shows the "
			     "ranges)",
			     whole < j->tables->units.n ? " in '" : "", whole < j->tables->units.n ? first : "",
			     whole < j->tables->units.n ? "'" : "");
}

/* What the profiler costs: as the user's step time tells, or about what it adds to launches. */
static void say_profiler(const advise_params *p, const verdict *v, notes *say)
{
	advise_job *j = p->job;
	double dur = 0, slowed = 0, launches = 0, n = 0;
	int64_t excess = 0;

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const advise_unit *u = &j->tables->units.v[i];
		excess = u->excess > excess ? u->excess : excess;
		if (!v[i].bound || strcmp(v[i].bound, "gpu") == 0)
			continue;               /* launches that wait for room in a full queue are not slow */
		n += (double)u->steps;
		dur += (double)u->sum.dur;
		slowed += (double)u->sum.slowed;
		launches += (double)u->sum.launches;
	}
	if (excess)
		notes_remark(say, "%s ms of each step is profiler overhead, according to --step-time, and does not "
			     "count as CPU time", ms(&j->texts, (double)excess));
	else if (p->step_time_text && j->tables->units.n)
		notes_remark(say, "--step-time changes nothing: the steps of the trace are no longer than that");
	else if (slowed > dur / 20)
		notes_remark(say, "profiling may have slowed down the %.0f launches of a step by %s of its %s ms; "
			     "--step-time TIME, from your own log, corrects for that", launches / n,
			     ms(&j->texts, slowed / n), ms(&j->texts, dur / n));
}

void advise_say_verdict(const advise_params *p, notes *say)
{
	verdict *v = verdicts_of(p->job);

	say_whole(p->job, say);
	say_verdicts(p->job, v, say);
	say_profiler(p, v, say);
	free(v);
}
