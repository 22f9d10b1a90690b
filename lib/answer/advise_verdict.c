#include "answer/advise_parts.h"
#include "base/number.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

typedef struct {
	double step, busy, cpu, wait, exposed, copies, mpi;   /* advise_unit.sum per step, ns; step: sum.dur */
	const found *first;     /* the finding that decides the bound; NULL: none does */
	const char *bound;      /* NULL: unknown */
	bool mostly_busy;
	bool whole;             /* the process has no steps, so its whole run counts as one */
	bool shares;            /* texts give each time with its percentage of a step; false: with the length of a
				 * step */
} verdict;

typedef struct {                /* the findings that decide the bound of a unit */
	const found *first;     /* the finding that saves most among those about late ranks in the unit's list; without
				 * these, among all of the unit; NULL: none */
	const found *other;     /* the finding that saves most among those that may come before findings about kernels
				 * (advise_list_goes_before); NULL: none */
	bool unknown;           /* a finding says that the bound is unknown */
	bool too_little;        /* a finding says that only the busy share of the GPU is known */
} deciding_findings;

enum { LEAST = 50 };            /* a finding can decide the bound only if it saves at least 1 / LEAST of the mean
				 * step */

/* Is the time in which the GPU is idle or only communicates less than a tenth of the step? */
static bool advise_verdict_is_busy(const verdict *v)
{
	return v->step - v->busy + v->exposed < v->step / 10;
}

/* Set v->first and v->bound as share/conventions/advise.md, "The verdict", says. */
static void advise_verdict_decide_bound(verdict *v, const deciding_findings *d)
{
	const char *busy = 2 * v->copies > v->busy ? "copy" : 2 * v->exposed > v->busy ? "comm" : "gpu";

	v->first = d->first;
	if (d->unknown) {
		v->bound = NULL;
	} else if (advise_verdict_is_busy(v)) {
		v->bound = advise_has_bound(v->first, "copy") && 10 * (double)v->first->ns >= v->step ? "copy" : busy;
	} else if (!d->too_little && v->mpi > (v->first ? (double)v->first->ns : 0)) {
		v->bound = "comm";
		v->first = NULL;
	} else if (d->too_little || !v->first) {
		v->bound = v->mostly_busy ? busy : NULL;
	} else if (advise_has_bound(v->first, "gpu") && !v->mostly_busy) {
		v->first = d->other;
		v->bound = v->first ? v->first->bound : NULL;
	} else if (v->mostly_busy && (advise_has_bound(v->first, "cpu") || advise_has_bound(v->first, "data"))) {
		v->bound = busy;
	} else {
		v->bound = v->first->bound;
	}
}

static bool advise_verdict_saves_more(const found *f, const found *than)
{
	return !than || f->ns > than->ns;
}

/* The deciding findings, by unit; the caller frees the array. */
static deciding_findings *advise_verdict_find_deciding(const advise_job *j)
{
	size_t n = j->tables->units.n;
	deciding_findings *d = mem_new(deciding_findings, n);
	bool *doubted = advise_find_doubted(j);
	const found **late_finding = mem_new(const found *, n);         /* by unit: the finding about a late rank in its
									 * list that saves most */

	for (const found *f = j->found.v; f < j->found.v + j->found.n; f++) {
		deciding_findings *to = &d[f->unit];
		if (f->ns == TABLE_MISSING) {
			to->unknown |= advise_has_bound(f, "-");
			to->too_little |= advise_has_bound(f, "busy");
			continue;
		}
		if (!f->bound || f->ns <= 0 || f->ns < j->tables->units.v[f->unit].period / LEAST ||
		    !advise_is_believable(f, doubted))
			continue;
		if (advise_has_bound(f, "late")) {
			for (size_t i = 0; i < n; i++)
				if (advise_list_of(j, i) == advise_list_of(j, f->unit) &&
				    advise_verdict_saves_more(f, late_finding[i]))
					late_finding[i] = f;
			continue;
		}
		if (advise_verdict_saves_more(f, to->first))
			to->first = f;
		if (advise_list_goes_before(j, f) && !advise_has_bound(f, "gpu") &&
		    advise_verdict_saves_more(f, to->other))
			to->other = f;
	}
	for (size_t i = 0; i < n; i++)
		d[i].first = late_finding[i] ? late_finding[i] : d[i].first;
	mem_free(doubted, late_finding);
	return d;
}

/* The verdicts, by unit; the caller frees the array. */
static verdict *advise_verdict_find_all(const advise_job *j)
{
	verdict *v = mem_new(verdict, j->tables->units.n);
	deciding_findings *d = advise_verdict_find_deciding(j);

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const advise_unit *u = &j->tables->units.v[i];
		double n = u->steps ? (double)u->steps : 1;
		v[i] = (verdict){ (double)u->sum.dur / n, (double)u->sum.busy / n, (double)u->sum.cpu / n,
			(double)u->sum.wait / n, (double)u->sum.exposed / n,
			(double)u->sum.copies / n, (double)u->sum.mpi / n, .mostly_busy = advise_is_mostly_busy(u),
			.whole = u->whole };
		advise_verdict_decide_bound(&v[i], &d[i]);
	}
	free(d);
	return v;
}

static int64_t advise_verdict_round(double ns)
{
	return (int64_t)(ns + 0.5);
}

void advise_add_verdict_rows(const advise_job *j, table *out)
{
	verdict *all = advise_verdict_find_all(j);

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const verdict *v = &all[i];
		advise_add_unit_row(out, &j->tables->units.v[i]);
		table_ints(out, { A_STEP_NS, advise_verdict_round(v->step) },
			   { A_TYPICAL_NS, j->tables->units.v[i].typical },
			   { A_BUSY_NS, advise_verdict_round(v->busy) }, { A_COPY_NS, advise_verdict_round(v->copies) },
			   { A_CPU_NS, advise_verdict_round(v->cpu) }, { A_WAIT_NS, advise_verdict_round(v->wait) },
			   { A_IDLE_NS, advise_verdict_round(v->step) - advise_verdict_round(v->busy) });
		table_text(out, A_BOUND, v->bound);     /* copied, because it may belong to a finding that is freed */
	}
	free(all);
}

static const char *advise_verdict_format_ms(arena *a, double ns)
{
	return arena_copy(a, number_ms(ns, (char[NUMBER_MS_SIZE]){ 0 }));
}

/* A time: in ms or, if v->shares, in ns, us, ms or s, whichever fits it. */
static const char *advise_verdict_describe_time(arena *a, const verdict *v, double ns)
{
	return v->shares ? arena_copy(a, number_amount(ns, "ns", (char[NUMBER_AMOUNT_SIZE]){ 0 })) :
		arena_printf(a, "%s ms", advise_verdict_format_ms(a, ns));
}

static double advise_verdict_pct_of_step(const verdict *v, double ns)
{
	return v->step > 0 ? 100 * ns / v->step : 0;
}

/* A time and the step: "9.00 of 10.3 ms" or, if v->shares, "9.00 ms of a step (87 %)". */
static const char *advise_verdict_describe_share(arena *a, const verdict *v, double ns)
{
	return v->shares ?
		arena_printf(a, "%s of %s (%.0f %%)", advise_verdict_describe_time(a, v, ns),
			     v->whole ? "the run" : "a step", advise_verdict_pct_of_step(v, ns)) :
		arena_printf(a, "%s of %s ms", advise_verdict_format_ms(a, ns), advise_verdict_format_ms(a, v->step));
}

/* The finding about the CPU that would save most in a unit; NULL: none. */
static const found *advise_verdict_find_most_of_cpu(const advise_job *j, size_t unit)
{
	const found *most = NULL;

	for (const found *f = j->found.v; f < j->found.v + j->found.n; f++)
		if (f->unit == unit && f->ns > 0 && advise_has_bound(f, "cpu") && advise_verdict_saves_more(f, most))
			most = f;
	return most;
}

static const char *advise_verdict_describe_saving_of(advise_job *j, const verdict *v, const char *only, const found *f,
						     double ns)
{
	return arena_printf(&j->texts, "; fixing %s'%s' saves at most %s%s", only, f->finding->kind,
			    advise_verdict_describe_time(&j->texts, v, ns),
			    j->tables->units.v[f->unit].whole ? "" : " per step");
}

/* What fixing v->first saves; "" if there is no such finding.  A fix of GPU work saves no more than the step takes
 * beyond the time that the CPU needs.  If that limits the saving and the CPU needs longer than the GPU, the largest
 * finding about the CPU is named first. */
static const char *advise_verdict_describe_saving(advise_job *j, size_t unit, const verdict *v)
{
	double most = v->first ? (double)v->first->ns : 0;
	double left = v->step - (double)j->tables->units.v[unit].excess - v->cpu;
	const found *cpu = v->cpu > v->busy ? advise_verdict_find_most_of_cpu(j, unit) : NULL;

	if (!v->first)
		return "";
	if (left >= most || !(advise_has_bound(v->first, "gpu") || advise_has_bound(v->first, "copy")))
		return advise_verdict_describe_saving_of(j, v, "", v->first, most);
	return arena_printf(&j->texts, "%s%s, because the CPU needs %s",
			    cpu ? advise_verdict_describe_saving_of(j, v, "", cpu, (double)cpu->ns) : "",
			    advise_verdict_describe_saving_of(j, v, "only ", v->first, left > 0 ? left : 0),
			    advise_verdict_describe_time(&j->texts, v, v->cpu));
}

/* The time of copies alone, if they take more than 1 / `parts` of the busy time; otherwise "". */
static const char *advise_verdict_describe_copies(arena *a, const verdict *v, double parts)
{
	return v->copies <= v->busy / parts ? "" :
		arena_printf(a, ", %s of it only with copies", advise_verdict_describe_time(a, v, v->copies));
}

/* The time that the CPU and the GPU need for a step.  If the CPU began long before the step, its time can be longer
 * than the step, and is then cut to the length of the step. */
static const char *advise_verdict_describe_cpu(arena *a, const verdict *v)
{
	double cpu = v->cpu < v->step ? v->cpu : v->step;
	const char *gpu = v->shares ? advise_verdict_describe_time(a, v, v->busy) :
				      advise_verdict_format_ms(a, v->busy);

	return arena_printf(a, "the CPU needs %s, the GPU %s%s", advise_verdict_describe_share(a, v, cpu), gpu,
			    advise_verdict_describe_copies(a, v, 10));
}

static bool advise_verdict_is_bound(const verdict *v, const char *bound)
{
	return v->bound && strcmp(v->bound, bound) == 0;
}

static const char *advise_verdict_name_process(advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];

	return u->rank >= 0 ? arena_printf(&j->texts, "rank %lld", (long long)u->rank) :
		arena_printf(&j->texts, "process %s", u->shown);
}

/* The length of the median step, which other tools show, if it differs by over a tenth from the mean in the sentence;
 * otherwise "".  Also "" if v->shares. */
static const char *advise_verdict_describe_typical(advise_job *j, size_t unit, const verdict *v)
{
	double ns = (double)j->tables->units.v[unit].typical;

	return v->shares || (10 * ns <= 11 * v->step && 10 * v->step <= 11 * ns) ?
		"" :
		arena_printf(&j->texts, "; these are means, the median step takes %s ms",
			     advise_verdict_format_ms(&j->texts, ns));
}

/* The reason for the bound, and what fixing v->first saves if that finding explains the bound. */
static const char *advise_verdict_describe(advise_job *j, size_t unit, const verdict *v)
{
	arena *a = &j->texts;

	if (advise_verdict_is_bound(v, "late"))
		return arena_printf(a, "%s; fixing that saves at most %s%s",
				    v->first->words ? v->first->words : v->first->finding->kind,
				    advise_verdict_describe_share(a, v, (double)v->first->ns),
				    v->shares ? "" : " per step");
	if (advise_verdict_is_bound(v, "comm") && !v->first && 2 * v->exposed <= v->busy)
		return arena_printf(a, "the GPU waits for MPI calls for %s",
				    advise_verdict_describe_share(a, v, v->mpi));
	if ((advise_verdict_is_bound(v, "gpu") || advise_verdict_is_bound(v, "copy")) && !advise_verdict_is_busy(v) &&
	    v->first && (advise_has_bound(v->first, "cpu") || advise_has_bound(v->first, "data")))
		return arena_printf(a, "the GPU is busy for %.0f %% of the %s; fixing '%s' saves at most %.0f %%",
				    advise_verdict_pct_of_step(v, v->busy), v->whole ? "run" : "step",
				    v->first->finding->kind, advise_verdict_pct_of_step(v, (double)v->first->ns));
	if (advise_verdict_is_bound(v, "gpu") || advise_verdict_is_bound(v, "copy"))
		return arena_printf(
			a, "the GPU is busy for %s%s%s", advise_verdict_describe_share(a, v, v->busy),
			advise_verdict_describe_copies(a, v, advise_verdict_is_bound(v, "copy") ? INFINITY : 2),
			advise_verdict_is_busy(v) && !advise_has_bound(v->first, v->bound) ?
				"" :
				advise_verdict_describe_saving(j, unit, v));
	if (advise_verdict_is_bound(v, "cpu") && v->first->step == TABLE_MISSING && v->cpu > v->busy &&
	    2 * v->cpu >= v->step)
		return arena_printf(a, "%s%s", advise_verdict_describe_cpu(a, v),
				    advise_verdict_describe_saving(j, unit, v));
	return arena_printf(a, "the GPU is idle%s for %s%s", v->exposed > 0 ? " or only communicates" : "",
			    advise_verdict_describe_share(a, v, v->step - v->busy + v->exposed),
			    advise_verdict_describe_saving(j, unit, v));
}

/* ---- the verdict in sentences */

static const char *const bounds[] = { "gpu", "copy", "comm", "cpu", "sync", "data", "late", NULL };

/* The beginning of a sentence, which names the process, the trace or, for a late rank, the job; "" if there is only
 * one. */
static const char *advise_verdict_name_unit(advise_job *j, size_t unit, bool is_late)
{
	const advise_unit *u = &j->tables->units.v[unit];
	bool many_traces = false, shares_trace = false, many_gpus = false, many_lists = false;

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const advise_unit *other = &j->tables->units.v[i];
		bool same_trace = strcmp(other->trace, u->trace) == 0;
		many_traces |= !same_trace;
		many_lists |= !same_trace && advise_list_of(j, i) != advise_list_of(j, unit);
		shares_trace |= same_trace && i != unit;
		many_gpus |= same_trace && i != unit && other->pid == u->pid && other->sub == u->sub;
	}
	if ((!many_traces && !shares_trace) || (is_late && !many_lists))
		return "";
	if (is_late)
		return arena_printf(&j->texts, "the job of '%s' is ", u->trace);
	if (many_traces && !shares_trace && u->rank < 0)
		return arena_printf(&j->texts, "'%s' is ", u->trace);
	return arena_printf(&j->texts, "%s%s%s%s%s is ", advise_verdict_name_process(j, unit),
			    many_gpus ? arena_printf(&j->texts, " on GPU %lld", (long long)u->gpu) : "",
			    many_lists ? " of '" : "", many_lists ? u->trace : "", many_lists ? "'" : "");
}

/* The number of units with each bound: "2 gpu-bound, 1 comm-bound"; "" if there are none.  counted: by unit, does it
 * count? */
static const char *advise_verdict_count_bounds(arena *a, const verdict *v, const bool *counted, size_t n)
{
	const char *text = "";

	for (int b = 0; bounds[b]; b++) {
		size_t many = 0;
		for (size_t i = 0; i < n; i++)
			many += counted[i] && v[i].bound && strcmp(v[i].bound, bounds[b]) == 0;
		if (many)
			text = arena_printf(a, "%s%s%zu %s-bound", text, *text ? ", " : "", many, bounds[b]);
	}
	return text;
}

/* The bounds of the other ranks of the job; "" if there are none, or their bounds are unknown. */
static const char *advise_verdict_describe_others(advise_job *j, const verdict *v, size_t unit)
{
	size_t n = j->tables->units.n, others = 0, known = 0, same = 0;
	bool *counted = mem_new(bool, n), named = j->tables->units.v[unit].rank >= 0;
	const char *text = "", *noun = named ? "ranks" : "processes";

	for (size_t i = 0; i < n; i++) {
		bool other = i != unit && advise_list_of(j, i) == advise_list_of(j, unit);
		counted[i] = other && v[i].bound;
		others += other;
		known += counted[i];
		same += counted[i] && strcmp(v[i].bound, v[unit].bound) == 0;
	}
	if (same < known)
		text = arena_printf(&j->texts, "; the other %s: %s", noun,
				    advise_verdict_count_bounds(&j->texts, v, counted, n));
	else if (known && known < others)       /* the bounds of the rest are unknown */
		text = arena_printf(&j->texts, "; so %s %zu of the other %zu %s", known == 1 ? "is" : "are", known,
				    others, noun);
	else if (known)
		text = known == 1 ? arena_printf(&j->texts, "; so is the other %s", named ? "rank" : "process") :
			arena_printf(&j->texts, "; so are the other %zu %s", known, noun);
	free(counted);
	return text;
}

/* The unit with more to save comes first.  Ranks that wait for a late rank come before the late rank: both have the
 * same finding, but the late rank often has another bound. */
static int advise_verdict_compare_most(uint32_t a, uint32_t b, const void *ctx)
{
	const verdict *v = ctx;
	int64_t x = v[a].first ? 2 * v[a].first->ns + advise_verdict_is_bound(&v[a], "late") : 0;
	int64_t y = v[b].first ? 2 * v[b].first->ns + advise_verdict_is_bound(&v[b], "late") : 0;

	return x != y ? sort_3way(y, x) : sort_3way(a, b);
}

/* Write one sentence about each job, about its rank with the most to save, and one about each other process on a GPU.
 * If there are more than MOST, write those with the most to save, and count the others.  Unknown bounds are not
 * mentioned. */
static void advise_verdict_say_verdicts(advise_job *j, verdict *v, notes *say)
{
	enum { MOST = 4 };
	size_t n = j->tables->units.n;
	bool *left = mem_new(bool, n);
	group said = { .width = 1 };    /* keys: the lists that have their sentence */
	const char *rest;
	uint32_t *order = sort_order(n, advise_verdict_compare_most, v);

	for (size_t i = 0; i < n; i++) {
		size_t unit = order ? order[i] : i;
		bool is_late = advise_verdict_is_bound(&v[unit], "late");
		size_t had = said.n;
		if (!v[unit].bound || group_of(&said, (int64_t[]){ advise_list_of(j, unit) }) < had)
			continue;
		left[unit] = j->verdicts[0].n == MOST;
		for (int shares = 0; shares < 2 && !left[unit]; shares++) {
			v[unit].shares = shares;
			vec_push(&j->verdicts[shares],
				 arena_printf(&j->texts, "%s%s-bound: %s%s%s",
					      advise_verdict_name_unit(j, unit, is_late), v[unit].bound,
					      advise_verdict_describe(j, unit, &v[unit]),
					      advise_verdict_describe_typical(j, unit, &v[unit]),
					      is_late ? "" : advise_verdict_describe_others(j, v, unit)));
		}
	}
	rest = advise_verdict_count_bounds(&j->texts, v, left, n);
	for (int shares = 0; shares < 2 && *rest; shares++)
		vec_push(&j->verdicts[shares], arena_printf(&j->texts, "others: %s (nsq-advise --verdict lists all)",
							    rest));
	for (size_t i = 0; i < j->verdicts[0].n; i++)
		notes_answer(say, "%s", j->verdicts[0].v[i]);
	group_free(&said);
	mem_free(order, left);
}

/* Mention the first process on a GPU with too little to judge, and how many others there are. */
static void advise_verdict_say_little(advise_job *j, notes *say)
{
	const advise_unit *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < j->tables->units.n; i++)
		if (j->tables->units.v[i].little && !n++)
			first = &j->tables->units.v[i];
	if (n && j->tables->units.n == 1)
		notes_answer(say, "too little to judge: %s", first->little);
	else if (n)
		notes_answer(say, "too little to judge: %s (process %s of '%s'%s)", first->little, first->shown,
			     first->trace, n == 1 ? "" : arena_printf(&j->texts, ", and %zu more", n - 1));
}

/* Say what the profiler costs: by the step time that the user gave, otherwise roughly, by what it adds to launches. */
static void advise_verdict_say_profiler(const advise_params *p, const verdict *v, notes *say)
{
	advise_job *j = p->job;
	double dur = 0, slowed = 0, n = 0;
	int64_t excess = 0;
	bool whole = true;

	for (size_t i = 0; i < j->tables->units.n; i++) {
		const advise_unit *u = &j->tables->units.v[i];
		excess = u->excess > excess ? u->excess : excess;
		if (!v[i].bound || advise_verdict_is_bound(&v[i], "gpu") || advise_verdict_is_bound(&v[i], "copy"))
			continue;               /* its launches may wait for room in a full queue, and not because of
						 * the profiler */
		n += (double)u->steps;
		whole &= u->whole;
		dur += (double)u->sum.dur;
		slowed += (double)u->sum.slowed;
	}
	if (excess)
		notes_remark(say, "%s ms of each step is profiler overhead by --step-time, and not counted as CPU "
			     "time", advise_verdict_format_ms(&j->texts, (double)excess));
	else if (p->step_time_text && j->tables->units.n)
		notes_remark(say, "--step-time changes nothing: the steps of the trace are no longer than that");
	else if (slowed > dur / 20)
		notes_remark(say,
			     "profiling may add %s of the %s ms%s; nsq-advise --step-time TIME corrects for "
			     "that",
			     advise_verdict_format_ms(&j->texts, slowed / n),
			     advise_verdict_format_ms(&j->texts, dur / n), whole ? "" : " of a step");
}

void advise_say_verdict(const advise_params *p, notes *say)
{
	verdict *v = advise_verdict_find_all(p->job);

	advise_verdict_say_little(p->job, say);
	advise_verdict_say_verdicts(p->job, v, say);
	advise_verdict_say_profiler(p, v, say);
	free(v);
}
