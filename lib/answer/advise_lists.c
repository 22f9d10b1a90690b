/* The findings of all traces as lists: one for each job, and for each window that was asked about. */
#include "answer/advise_parts.h"
#include "base/sort.h"

#define COLUMNS(X) \
	X(SEVERITY, "severity", 't', NULL, "untrusted: numbers cannot be believed; high, medium, low: from 10 %, 5 % and less of " \
	  "a step; info") \
	X(RECOVER_NS, "recover_ns", 'i', "ns", "what fixing it would win per step at most: median over the steps") \
	X(RECOVER_PCT, "recover_pct", 'd', "%", "the same as a share of the median step") \
	X(STEPS, "steps", 'i', NULL, "steps that were looked at, from start_ns to end_ns") \
	X(FINDING, "finding", 't', NULL, "what was found, and what the bound assumes") \
	X(EVIDENCE, "evidence", 't', NULL, "command that shows it") \
	X(ADVICE, "advice", 't', NULL, "what to do")

enum { TABLE_IDS(COLUMNS) };
const table_col advise_all[] = { TABLE_COLS(COLUMNS) };

void advise_columns(const advise_params *p, table *out)
{
	(void)p;
	table_columns(out, advise_all, SEVERITY, RECOVER_NS, RECOVER_PCT, STEPS, FINDING, EVIDENCE, ADVICE);
	out->given_order = true;
}

typedef struct {
	const advise_params *p;
	advise_job *j;
	table *out;
	notes *say;
	table kernels;          /* rows of nsq-nccl --each */
	size_t *job_of;         /* by trace: the first trace of its job */
	size_t small;           /* findings that were left out, */
	size_t doubtful;        /* and those about processes that lost events, beside others that did not */
	size_t lists, healthy;  /* how many there are, those in which nothing can be won, */
	size_t blind;           /* and those of these in which it could not be seen; */
	advise_rests rest;      /* the largest parts of a step in them */
} listing;

static void join_traces(void *ctx, size_t unit, size_t first)
{
	const listing *x = ctx;
	const advise_unit *v = x->j->units.v;

	advise_join(x->job_of, v[unit].trace, v[first].trace);
}

/* Traces with a communicator in common are of one job. */
static void find_jobs(listing *x)
{
	x->job_of = mem_new(size_t, x->j->traces.n);
	for (size_t i = 0; i < x->j->traces.n; i++)
		x->job_of[i] = i;
	advise_communicators(x->j, &x->kernels, join_traces, x);
}

static size_t first_of(const listing *x, uint32_t of)
{
	return advise_first_of(x->job_of, of);
}

static double pct_of(const advise_job *j, const advise_found *f)
{
	return 100.0 * (double)f->recover / (double)j->units.v[f->unit].period;
}

static bool is_worth(const listing *x, const advise_found *f)
{
	return f->recover == TABLE_MISSING || (f->recover > 0 && pct_of(x->j, f) >= x->p->min_pct);
}

/* What share of all steps it takes. */
static double pct_of_all(const advise_job *j, const advise_found *f)
{
	const advise_unit *u = &j->units.v[f->unit];
	int64_t all = 0;

	for (size_t i = u->first; i < u->first + u->n; i++)
		all = ns_add(all, j->steps.v[i]);
	return 100.0 * (double)f->total / (double)all;
}

/* Is it worth nothing in the median step, but something in all of them together? */
static bool is_rare(const listing *x, const advise_found *f)
{
	return f->total > 0 && pct_of_all(x->j, f) >= x->p->min_pct;
}

static const char *severity(const listing *x, const advise_found *f)
{
	double pct;

	if (f->recover == TABLE_MISSING)
		return f->kind == ADVISE_UNANNOTATED ? "info" : "untrusted";
	pct = pct_of(x->j, f);
	return pct >= 10 ? "high" : pct >= 5 ? "medium" : "low";
}

/* A row about a unit; what is said of a shared GPU is said of all processes of the trace. */
static void add_row(listing *x, const advise_found *f, size_t others)
{
	const advise_unit *u = &x->j->units.v[f->unit];
	bool all = f->kind == ADVISE_SHARED, worst = others && !all && f->kind != ADVISE_UNANNOTATED;
	const char *text = worst ? arena_printf(&x->j->texts, "%s (the worst of %zu)", f->text, others + 1) : f->text;
	table *out = x->out;

	table_row(out);
	if (!all)
		table_pid(out, u->pid, u->sub);
	if (!all && u->rank >= 0)
		table_int(out, COL_RANK, u->rank);
	table_int(out, COL_START, u->hull.a);
	table_int(out, COL_END, u->hull.b);
	if (!all && u->gpu != TABLE_MISSING)
		table_int(out, COL_GPU, u->gpu);
	table_word(out, SEVERITY, severity(x, f));
	table_int(out, RECOVER_NS, f->recover);
	if (f->recover != TABLE_MISSING)
		table_pct(out, RECOVER_PCT, f->recover, u->period);
	table_int(out, STEPS, (int64_t)u->n);
	table_text(out, FINDING, text);
	table_text(out, EVIDENCE, f->evidence);
	table_word(out, ADVICE, f->advice ? f->advice : advise_findings[f->kind].advice);
	table_text(out, COL_WINDOW, u->window);
	table_text(out, COL_TRACE, x->j->traces.v[u->trace]);
}

typedef struct {                /* the findings of one kind, and about one stage, in a list */
	const advise_found *worst;
	int64_t size;           /* of the worst */
	size_t others;
} choice;

/* First what makes numbers untrustworthy, then most recoverable first, then what wins nothing. */
static int by_worth(uint32_t a, uint32_t b, const void *ctx)
{
	const choice *c = ctx;
	const advise_found *x = c[a].worst, *y = c[b].worst;
	enum advise_kind k = x->recover == TABLE_MISSING ? x->kind : ADVISE_SYNC, l = y->recover == TABLE_MISSING ? y->kind : ADVISE_SYNC;

	return k != l ? sort_3way(k, l) : x->recover != y->recover ? sort_3way(y->recover, x->recover) :
		x->kind != y->kind ? sort_3way(x->kind, y->kind) : strcmp(x->of, y->of);
}

typedef vec(choice) choices;

static void choose(choices *all, const advise_found *f, int64_t size)
{
	size_t i = 0;

	while (i < all->n && (all->v[i].worst->kind != f->kind || strcmp(all->v[i].worst->of, f->of) != 0))
		i++;
	if (i == all->n) {
		vec_push(all, (choice){ f, size, 0 });
		return;
	}
	all->v[i].others++;
	if (size > all->v[i].size)
		all->v[i] = (choice){ f, size, all->v[i].others };
}

/* The findings of some units: of each kind the worst; rare: those that the median step does not have. */
static void choose_all(listing *x, const bool *mine, bool whole, choices *all, choices *rare)
{
	for (size_t i = 0; i < x->j->found.n; i++) {
		const advise_found *f = &x->j->found.v[i];
		bool doubtful = whole && x->j->units.v[f->unit].lost && f->recover != TABLE_MISSING;
		if (!mine[f->unit])
			continue;
		if (is_worth(x, f) && !doubtful)
			choose(all, f, f->recover == TABLE_MISSING ? f->weight : f->recover);
		else if (is_worth(x, f))
			x->doubtful++;
		else if (is_rare(x, f) && !doubtful)
			choose(rare, f, f->total);
		else
			x->small += f->recover > 0;
	}
}

static void say_rare(const listing *x, const choices *rare)
{
	for (size_t i = 0; i < rare->n; i++) {
		const advise_found *f = rare->v[i].worst;
		const advise_unit *u = &x->j->units.v[f->unit];
		notes_remark(x->say, "%.*s: worth less than %g %% of the median step of process %s, but %.2f %% of the time of all its steps: it is in "
			     "%zu of %zu", (int)(strstr(f->text, ": ") - f->text), f->text, x->p->min_pct, u->shown, pct_of_all(x->j, f), f->with, u->n);
	}
}

/* The findings of a list of units: of each kind the worst. */
static void add_list(listing *x, const size_t *units, size_t n)
{
	choices all = { 0 }, rare = { 0 };
	uint32_t *order;
	bool *mine = mem_new(bool, x->j->units.n), won = false, whole = false, blind = false;

	for (size_t i = 0; i < n; i++) {
		mine[units[i]] = true;
		whole |= !x->j->units.v[units[i]].lost;
	}
	choose_all(x, mine, whole, &all, &rare);
	order = sort_order(all.n, by_worth, all.v);
	for (size_t i = 0; i < all.n; i++) {
		const choice *c = &all.v[order ? order[i] : i];
		add_row(x, c->worst, c->others);
		won |= c->worst->recover != TABLE_MISSING;
		blind |= c->worst->kind == ADVISE_LOST || c->worst->kind == ADVISE_UNKNOWN;
	}
	x->lists++;
	x->healthy += !won;
	x->blind += !won && blind;
	if (!won)
		advise_rest_take(x->j, &x->rest, mine);
	say_rare(x, &rare);
	table_group(x->out);
	free(order);
	free(mine);
	vec_free(&all);
	vec_free(&rare);
}

typedef struct {
	const listing *x;
	const advise_unit *v;
} ordering;

static int by_list(uint32_t a, uint32_t b, const void *ctx)
{
	const ordering *o = ctx;
	size_t x = first_of(o->x, o->v[a].trace), y = first_of(o->x, o->v[b].trace);

	return x != y ? sort_3way(x, y) : o->v[a].list != o->v[b].list ? sort_3way(o->v[a].list, o->v[b].list) : sort_3way(a, b);
}

/* The windows of one number of all processes of a job are one list. */
static void add_lists(listing *x)
{
	const advise_unit *v = x->j->units.v;
	size_t n = x->j->units.n, *units = mem_new(size_t, n);
	uint32_t *order = sort_order(n, by_list, &(ordering){ x, v });

	for (size_t i = 0; i < n; i++)
		units[i] = order ? order[i] : i;
	for (size_t i = 0, k; i < n; i += k) {
		const advise_unit *u = &v[units[i]];
		for (k = 1; i + k < n && v[units[i + k]].list == u->list &&
		     first_of(x, v[units[i + k]].trace) == first_of(x, u->trace);)
			k++;
		for (size_t f = 0; f < ADVISE_KINDS; f++)
			if (advise_findings[f].of_list)
				advise_findings[f].of_list(x->p, &x->kernels, units + i, k);
		add_list(x, units + i, k);
	}
	free(order);
	free(units);
}

/* What find_shared says of processes of one trace, of those of several. */
static void find_shared_by_traces(void *ctx, const char *parties)
{
	advise_job *j = ctx;
	const char *text = arena_printf(&j->texts, "GPU shared: ranks %s of different traces share one GPU; without MPS they take turns, and a "
					"kernel's time includes the others' turns", parties), *evidence = "nsq-nccl --stragglers";
	const char *list = arena_printf(&j->texts, " %s,", parties);
	uint32_t named = NONE;

	for (size_t i = 0; i < j->units.n; i++) {
		const advise_unit *u = &j->units.v[i];
		if (strstr(list, arena_printf(&j->texts, " %s,", u->party)) && u->trace != named) {
			evidence = arena_printf(&j->texts, "%s%s", evidence, advise_trace_word(&j->texts, j->traces.v[u->trace]));
			named = u->trace;
		}
	}
	for (size_t i = 0; i < j->units.n; i++)
		if (j->units.v[i].n && strstr(list, arena_printf(&j->texts, " %s,", j->units.v[i].party)))
			advise_find(j, (advise_found){ .kind = ADVISE_SHARED, .unit = i, .recover = TABLE_MISSING,
				.text = text,
				.evidence = evidence });
}

/* What it means that nothing was found. */
static void say_healthy(const listing *x)
{
	const char *where = x->healthy == x->lists ? "" : arena_printf(&x->j->texts, "in %zu of %zu jobs or windows ", x->healthy, x->lists);
	const char *some = x->blind == x->healthy ? "" : arena_printf(&x->j->texts, " in %zu of them", x->blind);

	if (!x->healthy)
		return;
	if (x->blind)
		notes_remark(x->say, "%snothing that was looked for is seen to be worth %g %% of a step or more, but it may be hidden%s: see the "
			     "untrusted rows%s", where, x->p->min_pct, some, advise_rest_text(x->j, &x->rest));
	else
		notes_remark(x->say, "%snothing that was looked for is worth %g %% of a step or more%s", where, x->p->min_pct,
			     advise_rest_text(x->j, &x->rest));
}

bool advise_answer(const advise_params *p, table *out, notes *say)
{
	listing x = { .p = p, .j = p->job, .out = out, .say = say };
	nccl_params nccl = advise_nccl(p);
	bool ok;

	if (!out->cols.n)
		advise_columns(p, out);
	ok = nccl_answer(&nccl, &x.kernels, x.j->traces.n > 1 ? say : NULL);
	if (ok) {
		nccl_shared(&nccl, find_shared_by_traces, x.j);
		find_jobs(&x);
		add_lists(&x);
		say_healthy(&x);
		if (x.doubtful)
			notes_remark(say, "%zu finding%s about processes that lost events %s left out (-p asks about one of them)", x.doubtful,
				     x.doubtful > 1 ? "s" : "", x.doubtful > 1 ? "are" : "is");
		if (x.small)
			notes_remark(say, "%zu finding%s worth less than %g %% of a step %s left out (--min-pct)", x.small, x.small > 1 ? "s" : "",
				     p->min_pct, x.small > 1 ? "are" : "is");
	}
	free(x.job_of);
	vec_free(&x.rest);
	table_free(&x.kernels);
	return ok;
}
