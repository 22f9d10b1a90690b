#include "answer/advise_parts.h"
#include "base/shell.h"
#include "base/sort.h"

#include <string.h>

/* ---- the rows of queries */

static const table_cell missing = { .i = TABLE_MISSING };

typedef struct {
	const table_cell *cell;
	char type;
} value;

/* The cell of a row in a column; a missing number if the query lacks the column. */
static value advise_list_read_value(const table *t, size_t row, const char *column)
{
	int col = table_column(t, column);

	return col < 0 ? (value){ &missing, 'i' } : (value){ &table_at(t, row)[col], t->cols.v[col].type };
}

/* A value as a whole number; TABLE_MISSING: it is missing. */
static int64_t advise_list_to_number(value v)
{
	if (table_has_text(v.type))
		return v.cell->t ? (int64_t)strtod(v.cell->t, NULL) : TABLE_MISSING;
	return v.type == 'd' ? (int64_t)v.cell->d : v.cell->i;
}

static const char *advise_list_keep_text(advise_job *j, value v)
{
	return table_has_text(v.type) && v.cell->t ? arena_copy(&j->texts, v.cell->t) : NULL;
}

/* Add the time of a row to the range that it names.  Several rows may name one range.  to->where becomes the range with
 * the most time so far. */
static void advise_list_add_to_place(advise_job *j, found *to, const char *where, int64_t ns)
{
	int64_t *place;

	if (!where)
		return;
	place = sums_of(&j->places, (int64_t[]){ to - j->found.v, str_id(&j->ranges, where, strlen(where)) });
	*place += ns > 0 ? ns : 0;
	to->in_any += ns > 0 ? ns : 0;
	if (*place > to->best || !to->where) {
		to->best = *place;
		to->where = where;
	}
}

bool advise_is_finding(const void *unused UNNEEDED, const finding *f)
{
	return !f->makes;
}

/* Rows of one finding that agree in unit and part become one entry of j->found, with the sum of their times. */
void advise_add_finding_rows(void *to_job, const finding *f, const table *rows)
{
	advise_job *j = to_job;

	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t unit = (size_t)advise_list_to_number(advise_list_read_value(rows, i, "unit")), k;
		int64_t ns = advise_list_to_number(advise_list_read_value(rows, i, "ns")),
			part = advise_list_to_number(advise_list_read_value(rows, i, "part"));
		const char *where = advise_list_keep_text(j, advise_list_read_value(rows, i, "where"));
		found *to;
		bool first;
		if (unit >= j->tables->units.n)
			continue;
		k = group_of(&j->keys, (int64_t[]){ (intptr_t)f, (int64_t)unit, part });
		first = k == j->found.n;
		if (first)
			vec_push(&j->found, (found){ .finding = f, .unit = unit, .part = part,
				 .ns = ns == TABLE_MISSING ? ns : 0 });
		to = &j->found.v[k];
		if (ns != TABLE_MISSING)
			to->ns = to->ns == TABLE_MISSING ? ns : to->ns + ns;
		if (first || ns > to->largest) {
			to->largest = ns;
			to->words = advise_list_keep_text(j, advise_list_read_value(rows, i, "words"));
			to->assumes = advise_list_keep_text(j, advise_list_read_value(rows, i, "assumes"));
			to->advice = advise_list_keep_text(j, advise_list_read_value(rows, i, "advice"));
			to->bound = advise_list_keep_text(j, advise_list_read_value(rows, i, "bound"));
			to->bound = to->bound ? to->bound : f->bound;
			to->step = advise_list_to_number(advise_list_read_value(rows, i, "step"));
		}
		advise_list_add_to_place(j, to, where, ns);
	}
}

int64_t advise_total_of_row(const advise_job *j, const finding *f, const table *rows, size_t row)
{
	size_t k = group_find(&j->keys,
			      (int64_t[]){ (intptr_t)f,
					   advise_list_to_number(advise_list_read_value(rows, row, "unit")),
					   advise_list_to_number(advise_list_read_value(rows, row, "part")) });

	return k == GROUP_NONE ? TABLE_MISSING : j->found.v[k].ns;
}

double advise_pct(const advise_job *j, const found *f)
{
	int64_t period = j->tables->units.v[f->unit].period;

	return f->ns == TABLE_MISSING || !period ? 0 : 100.0 * (double)f->ns / (double)period;
}

/* The range that the finding names, if this range has more than half of the time in ranges and at least a quarter of
 * all the time; otherwise NULL.  If the finding has no time: the first range that its rows name, or NULL. */
static const char *advise_list_find_where(const found *f)
{
	if (f->ns == TABLE_MISSING)
		return f->where;
	return f->where && 2 * f->best > f->in_any && 4 * f->best >= f->ns ? f->where : NULL;
}

bool advise_forget_places(advise_job *j, double min_pct)
{
	bool any = false;

	sums_free(&j->places);
	for (size_t i = 0; i < j->found.n; i++) {
		found *f = &j->found.v[i];
		f->open = f->ns != TABLE_MISSING && advise_pct(j, f) >= min_pct && !advise_list_find_where(f);
		any |= f->open;
		if (f->open)
			f->in_any = f->best = 0, f->where = NULL;
	}
	return any;
}

bool advise_wants_place(const void *of_job, const finding *f)
{
	const advise_job *j = of_job;
	size_t i = 0;

	while (i < j->found.n && !(j->found.v[i].open && j->found.v[i].finding == f))
		i++;
	return i < j->found.n;
}

void advise_add_places(void *to_job, const finding *f, const table *rows)
{
	advise_job *j = to_job;
	size_t *first = mem_none(size_t, j->tables->units.n);   /* by unit: its first open entry of this finding */
	size_t *next = mem_new(size_t, j->found.n);     /* by open entry: the next one of its unit; SIZE_MAX: none */

	for (size_t k = j->found.n; k-- > 0;)
		if (j->found.v[k].open && j->found.v[k].finding == f) {
			next[k] = first[j->found.v[k].unit];
			first[j->found.v[k].unit] = k;
		}
	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t unit = (size_t)advise_list_to_number(advise_list_read_value(rows, i, "unit"));
		for (size_t k = unit < j->tables->units.n ? first[unit] : SIZE_MAX; k != SIZE_MAX; k = next[k])
			if (j->found.v[k].part == advise_list_to_number(advise_list_read_value(rows, i, "part")))
				advise_list_add_to_place(
					j, &j->found.v[k],
					advise_list_keep_text(j, advise_list_read_value(rows, i, "where")),
					advise_list_to_number(advise_list_read_value(rows, i, "ns")));
	}
	mem_free(first, next);
}

/* ---- the list */

bool advise_has_bound(const found *f, const char *bound)
{
	return f && f->bound && strcmp(f->bound, bound) == 0;
}

bool advise_is_mostly_busy(const advise_unit *u)
{
	return u->sum.busy >= u->sum.dur / 10 * 7;
}

/* Is the finding about kernels?  The bound in its file decides, and not the one that its query gives: the query of
 * the finding `long` may give the bound gpu, but this finding is not about kernels. */
static bool advise_list_is_about_kernels(const found *f)
{
	return f->finding->bound && strcmp(f->finding->bound, "gpu") == 0;
}

bool advise_list_goes_before(const advise_job *j, const found *f)
{
	enum { LEAST_PCT = 5 };

	return f->ns > 0 && !advise_list_is_about_kernels(f) && advise_pct(j, f) >= LEAST_PCT;
}

static bool advise_list_is_untrusted(const found *f)
{
	return f->finding->severity && strcmp(f->finding->severity, "untrusted") == 0;
}

/* The order of findings: those that make numbers untrustworthy, those about late ranks, those that save time, and those
 * that do not. */
enum { UNTRUSTED, LATE, RECOVERS, INFO };

static int advise_list_order_class(const found *f)
{
	return advise_list_is_untrusted(f) ? UNTRUSTED :
		f->ns == TABLE_MISSING	   ? INFO :
		advise_has_bound(f, "late") ? LATE :
					     RECOVERS;
}

static int advise_list_compare_worth(uint32_t a, uint32_t b, const void *ctx)
{
	const advise_job *j = ctx;
	const found *x = &j->found.v[a], *y = &j->found.v[b];

	if (advise_list_order_class(x) != advise_list_order_class(y))
		return sort_3way(advise_list_order_class(x), advise_list_order_class(y));
	return x->ns != y->ns ? sort_3way(y->ns, x->ns) : sort_3way(a, b);
}

static const char *advise_list_judge_severity(const advise_job *j, const found *f)
{
	enum { ENOUGH = 3 };    /* the fewest steps for severity high; fewer steps may be slow by chance */
	double pct = advise_pct(j, f);

	if (advise_list_is_untrusted(f))
		return "untrusted";
	if (f->ns == TABLE_MISSING)
		return "info";
	if (j->tables->units.v[f->unit].paced || j->tables->units.v[f->unit].few)
		return "low";
	return pct >= 10 && j->tables->units.v[f->unit].steps >= ENOUGH ? "high" : pct >= 5 ? "medium" : "low";
}

/* The traces that show a finding, as words of a command:
 * - for a finding across traces (finding.across), all traces;
 * - for a rank of a job, all traces of the job, because the time that a late rank costs the others is in their traces,
 *   and because the last rank to arrive may have no window;
 * - otherwise, its own trace. */
static const char *advise_list_name_traces(advise_job *j, const found *f)
{
	const advise_unit *u = &j->tables->units.v[f->unit];
	const job *all = arrivals_job(j->tables->ranks);
	bool any = f->finding->across;
	const char *out = "";

	for (size_t i = 0; i < all->traces.n; i++) {
		const job_trace *t = &all->traces.v[i];
		if (any || (u->communicates && t->world == u->world) || strcmp(t->path, u->trace) == 0)
			out = arena_printf(&j->texts, "%s%s%s", out, *out ? " " : "", shell_word(&j->texts, t->path));
	}
	return out;
}

/* The step time as the user gave it or, if a manifest holds it, as computed for this unit. */
static const char *advise_list_format_step_time(const advise_params *p, const advise_unit *u)
{
	return p->step_time_in ? arena_printf(&p->job->texts, "%lld", (long long)(u->typical - u->excess)) :
		shell_word(&p->job->texts, p->step_time_text);
}

static const char *advise_list_add_option(arena *a, const char *command, const char *option, const char *given)
{
	return arena_printf(a, "%s %s %s", command, option, shell_word(a, given));
}

/* Make the command that shows the rows of a finding.  It repeats the options on which the finding depends. */
static const char *advise_list_make_evidence(const advise_params *p, const found *f)
{
	arena *a = &p->job->texts;
	const advise_only *only = &p->only;
	const char *traces = advise_list_name_traces(p->job, f),
		   *command = arena_printf(a, "nsq-sql --finding %s", f->finding->name);

	if (p->job->chosen && !only->windows.n)
		command = advise_list_add_option(a, command, "-w", "-");         /* the windows came through a pipe */
	for (size_t i = 0; i < only->windows.n; i++)
		command = advise_list_add_option(a, command, "-w", only->windows.v[i]);
	if (only->pid[0] >= 0)
		command = advise_list_add_option(a, command, "-p", number_pid_text(only->pid[0], only->pid[1],
										   (char[NUMBER_PID_SIZE]){ 0 }));
	if (only->gpu >= 0)
		command = arena_printf(a, "%s -g %lld", command, (long long)only->gpu);
	command = arena_printf(a, "%s%s", command, step_option_words(a, &p->choice));
	if (p->comm)
		command = advise_list_add_option(a, command, "--comm", p->comm->text);
	if (p->step_time_text)
		command = arena_printf(a, "%s --step-time %s", command,
				       advise_list_format_step_time(p, &p->job->tables->units.v[f->unit]));
	return arena_printf(a, "%s%s %s%s", command, p->captured ? " --captured" : "",
			    *traces == '-' || strstr(traces, " -") ? "-- " : "", traces);
}

void advise_add_unit_row(table *out, const advise_unit *u)
{
	table_row(out);
	table_pid(out, u->pid, u->sub);
	table_ints(out, { COL_RANK, u->rank < 0 ? TABLE_MISSING : u->rank }, { COL_START, u->hull.a },
		   { COL_END, u->hull.b }, { COL_GPU, u->gpu },
		   { A_STEPS, u->whole ? TABLE_MISSING : (int64_t)u->steps });
	table_text(out, COL_TRACE, u->trace);
}

static ival advise_list_find_step(const advise_tables *a, const found *f)
{
	const advise_unit *u = &a->units.v[f->unit];

	return f->step < 0 || f->step >= (int64_t)u->steps ? (ival){ 0, 0 } :
		a->steps.v[u->first + (size_t)f->step].at;
}

/* The text after the parenthesis that closes the one with which `p` begins. */
static const char *advise_list_skip_parenthesis(const char *p)
{
	int open = 0;

	do {
		open += (*p == '(') - (*p == ')');
		p++;
	} while (*p && open);
	return p;
}

/* The advice without those texts in parentheses that name something of PyTorch (words). */
static const char *advise_list_remove_torch(arena *to, const char *text)
{
	static const char *const words[] = { "torch", "Torch", ".item()", "pin_memory", "data loader", "foreach" };
	const char *out = "", *open, *end;

	for (const char *p = text; (open = strstr(p, " (")); p = end) {
		const char *part;
		bool torch = false;
		end = advise_list_skip_parenthesis(open + 1);
		part = arena_text(to, open, (size_t)(end - open));
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			torch |= strstr(part, words[i]) != NULL;
		out = arena_printf(to, "%s%.*s%s", out, (int)(open - p), p, torch ? "" : part);
		text = end;
	}
	return arena_printf(to, "%s%s", out, text);
}

static void advise_list_add_row(const advise_params *p, const found *f, table *out)
{
	advise_job *j = p->job;
	const finding *query = f->finding;
	const char *title = query->title ? query->title : query->name;
	const char *assumes = f->assumes ? f->assumes : query->assumes;
	const char *advice = f->advice ? f->advice : query->advice;
	bool saves = f->ns != TABLE_MISSING;

	vec_push(&j->about, (advise_about){ strlen(title), advise_list_find_step(j->tables, f),
		 arena_copy(&j->texts, query->owners ? query->owners : query->kind),
		 query->flaw ? arena_copy(&j->texts, query->flaw) : NULL, query->across });
	advise_add_unit_row(out, &j->tables->units.v[f->unit]);
	table_word(out, A_SEVERITY, advise_list_judge_severity(j, f));
	table_text(out, A_KIND, query->kind);
	table_int(out, A_RECOVER_NS, f->ns);
	if (f->ns != TABLE_MISSING)
		table_pct(out, A_RECOVER_PCT, f->ns, j->tables->units.v[f->unit].period);
	table_text(out, A_WHERE, advise_list_find_where(f));
	table_text(out, A_FINDING, arena_printf(&j->texts, "%s%s%s%s%s", title, f->words ? ": " : "",
						f->words ? f->words : "", saves && assumes ? "; assumes " : "",
						saves && assumes ? assumes : ""));
	table_text(out, A_EVIDENCE, advise_list_make_evidence(p, f));
	table_text(out, A_ADVICE,
		   j->tables->units.v[f->unit].torch ? advice : advise_list_remove_torch(&j->texts, advice));
}

/* ---- one list for each job, with the worst rank of each finding and range */

typedef struct {
	const advise_job *j;
	vec(const found *) v;   /* the findings to list, in the order of their rows */
	group met;              /* the keys of the findings in v: list, finding and range; for a process without a job,
				 * also the part */
	str_pool places;        /* the ranges in the keys */
	size_t small;           /* the number of findings left out because they save too little */
	size_t doubtful;        /* the number of findings left out because they cannot be believed */
} advise_list_ctx;

/* Is this the first time that the finding is met with this range in this list?  For a process without a job, each part
 * of the finding counts by itself.  From now on the finding is known. */
static bool advise_list_is_met_first(advise_list_ctx *l, const found *f)
{
	const char *where = advise_list_find_where(f);
	size_t had = l->met.n;

	group_of(&l->met, (int64_t[]){ advise_list_of(l->j, f->unit), (intptr_t)f->finding,
		 where ? str_id(&l->places, where, strlen(where)) : STR_NONE,
		 l->j->tables->units.v[f->unit].communicates ? 0 : f->part });
	return l->met.n > had;
}

bool *advise_find_doubted(const advise_job *j)
{
	bool *doubted = mem_new(bool, j->tables->units.n);

	for (const found *f = j->found.v; f < j->found.v + j->found.n; f++)
		doubted[f->unit] |= advise_list_is_untrusted(f) && advise_has_bound(f, "-");
	return doubted;
}

/* Lost events, failed calls and disagreeing clocks hardly change how long kernels take, so findings about kernels can
 * be believed. */
bool advise_is_believable(const found *f, const bool *doubted)
{
	return f->ns == TABLE_MISSING || !doubted[f->unit] || advise_list_is_about_kernels(f);
}

static void advise_list_choose_rows(advise_list_ctx *l, double min_pct)
{
	uint32_t *sorted = sort_order(l->j->found.n, advise_list_compare_worth, l->j);
	bool *doubted = advise_find_doubted(l->j);

	for (size_t i = 0; i < l->j->found.n; i++) {
		const found *f = &l->j->found.v[sorted ? sorted[i] : i];
		if (!advise_is_believable(f, doubted))
			l->doubtful++;
		else if (f->ns != TABLE_MISSING && (f->ns <= 0 || advise_pct(l->j, f) < min_pct))
			l->small += f->ns > 0;
		else if (advise_list_is_met_first(l, f))
			vec_push(&l->v, f);
	}
	mem_free(sorted, doubted);
}

/* Move rows.  before: by row, the later row to move before it; SIZE_MAX: none. */
static void advise_list_move_rows(advise_list_ctx *l, const size_t *before)
{
	const found **sorted = mem_new(const found *, l->v.n);
	bool *moved = mem_new(bool, l->v.n);
	size_t n = 0;

	for (size_t i = 0; i < l->v.n; i++) {
		if (before[i] != SIZE_MAX) {
			sorted[n++] = l->v.v[before[i]];
			moved[before[i]] = true;
		}
		if (!moved[i])
			sorted[n++] = l->v.v[i];
	}
	for (size_t i = 0; i < n; i++)
		l->v.v[i] = sorted[i];
	mem_free(sorted, moved);
}

/* If the first row of a finding in a list names no range, move before it the next row of this finding in this list that
 * names a range and saves at least three quarters as much: a range says more. */
static void advise_list_put_named_first(advise_list_ctx *l)
{
	size_t *before = mem_none(size_t, l->v.n);
	group met = { .width = 2 };     /* keys: list, finding */
	vec(size_t) first = { 0 };      /* by list and finding: its first row */

	for (size_t i = 0; i < l->v.n; i++) {
		const found *f = l->v.v[i], *unnamed;
		size_t k = group_of(&met, (int64_t[]){ advise_list_of(l->j, f->unit), (intptr_t)f->finding });
		if (k == first.n)
			vec_push(&first, i);
		unnamed = l->v.v[first.v[k]];
		if (advise_list_order_class(f) == RECOVERS && advise_list_find_where(f) &&
		    !advise_list_find_where(unnamed) && before[first.v[k]] == SIZE_MAX && f->ns >= unnamed->ns / 4 * 3)
			before[first.v[k]] = i;
	}
	advise_list_move_rows(l, before);
	group_free(&met);
	mem_free(first.v, before);
}

/* If a list begins with a finding about kernels although the GPU is not mostly busy, move the first large finding about
 * something else (advise_list_goes_before) before it, because faster kernels then help little. */
static void advise_list_put_kernels_later(advise_list_ctx *l)
{
	size_t *before = mem_none(size_t, l->v.n);
	group lists = { .width = 1 };
	vec(size_t) first = { 0 };      /* by list: its first row whose finding is not untrusted */

	for (size_t i = 0; i < l->v.n; i++) {
		const found *f = l->v.v[i], *kernels;
		size_t k;
		if (advise_list_order_class(f) == UNTRUSTED)
			continue;
		k = group_of(&lists, (int64_t[]){ advise_list_of(l->j, f->unit) });
		if (k == first.n)
			vec_push(&first, i);
		kernels = l->v.v[first.v[k]];
		if (advise_list_is_about_kernels(kernels) &&
		    !advise_is_mostly_busy(&l->j->tables->units.v[kernels->unit]) && before[first.v[k]] == SIZE_MAX &&
		    advise_list_goes_before(l->j, f))
			before[first.v[k]] = i;
	}
	advise_list_move_rows(l, before);
	group_free(&lists);
	mem_free(first.v, before);
}

/* Is the finding more than a remark on how the trace was made?  It is if it saves time, makes numbers untrustworthy, or
 * is about a unit that cannot be judged (little, paced). */
static bool advise_list_is_more_than_remark(const advise_job *j, const found *f)
{
	const advise_unit *u = &j->tables->units.v[f->unit];

	return f->ns != TABLE_MISSING || advise_list_is_untrusted(f) || u->little || u->paced;
}

/* If no row is more than a remark (advise_list_is_more_than_remark), say that whole graphs hide the kernels, or that
 * there is nothing to fix because every GPU is busy and computes.  If neither is true and there are no rows at all, say
 * that no finding is large enough. */
static void advise_list_say_if_nothing_to_fix(const advise_params *p, const advise_list_ctx *l, notes *say)
{
	const advise_tables *a = p->job->tables;
	const advise_unit *least = NULL;
	double share = 1;
	bool computes = true;           /* on each GPU, neither exposed communication nor copies alone fill over half of
					 * the busy time */

	for (size_t i = 0; i < l->v.n; i++)
		if (advise_list_is_more_than_remark(l->j, l->v.v[i]))
			return;
	for (size_t i = 0; i < a->units.n; i++)
		if (2 * a->units.v[i].sum.graphs > a->units.v[i].sum.busy) {
			notes_answer(say, "no finding is worth %g %%, but whole CUDA graphs hide most kernels (nsys: "
				     "--cuda-graph-trace=node)", p->min_pct);
			return;
		}
	for (size_t i = 0; i < a->units.n; i++) {
		const advise_unit *u = &a->units.v[i];
		double busy = u->sum.dur > 0 ? (double)u->sum.busy / (double)u->sum.dur : 0;
		computes &= 2 * ns_max(u->sum.exposed, u->sum.copies) <= u->sum.busy;
		least = !least || busy < share ? u : least;
		share = busy < share ? busy : share;
	}
	if (least && computes && advise_is_mostly_busy(least))
		notes_answer(say, "nothing to fix: the GPU is busy for %s%.0f %% of %s, and no finding is worth %g %%",
			     a->units.n > 1 ? "at least " : "", 100 * share, least->whole ? "the time" : "the step",
			     p->min_pct);
	else if (least && !l->v.n)
		notes_answer(say, "nothing found: no finding is worth %g %% of a step; nsq-advise --min-pct 0 lists "
			     "smaller ones", p->min_pct);
}

void advise_list(const advise_params *p, table *out, notes *say)
{
	advise_list_ctx l = { .j = p->job, .met.width = 4 };

	advise_list_choose_rows(&l, p->min_pct);
	advise_list_put_named_first(&l);
	advise_list_put_kernels_later(&l);
	for (size_t i = 0; i < l.v.n; i++)
		advise_list_add_row(p, l.v.v[i], out);
	advise_list_say_if_nothing_to_fix(p, &l, say);
	if (l.doubtful)
		notes_remark(say, "left out %zu finding%s about processes with lost events, failed calls or clocks "
			     "that disagree", l.doubtful, l.doubtful == 1 ? "" : "s");
	if (l.small)
		notes_detail(say, "left out %zu finding%s worth less than %g %% of a step%s; nsq-advise --min-pct 0 "
			     "lists them", l.small, l.small == 1 ? "" : "s", p->min_pct, l.small == 1 ? "" : " each");
	vec_free(&l.v);
	group_free(&l.met);
	str_free(&l.places);
}
