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

/* The cell of a row in a column that is found by its name; a query need not give it. */
static value named(const table *t, size_t row, const char *column)
{
	int col = table_column(t, column);

	return col < 0 ? (value){ &missing, 'i' } : (value){ &table_at(t, row)[col], t->cols.v[col].type };
}

static int64_t number_of(value v)
{
	if (table_has_text(v.type))
		return v.cell->t ? (int64_t)strtod(v.cell->t, NULL) : TABLE_MISSING;
	return v.type == 'd' ? (int64_t)v.cell->d : v.cell->i;
}

static const char *text_of(advise_job *j, value v)
{
	return table_has_text(v.type) && v.cell->t ? arena_copy(&j->texts, v.cell->t) : NULL;
}

static void take_place(found *to, const char *where, int64_t ns)
{
	to->in_any += where && ns > 0 ? ns : 0;
	if (where && (ns > to->best || !to->where)) {
		to->best = ns;
		to->where = where;
	}
}

/* Rows of one finding about one unit, and of one part if it has parts, are one: their time is added up. */
void advise_take(void *to_job, const finding *f, const table *rows)
{
	advise_job *j = to_job;

	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t unit = (size_t)number_of(named(rows, i, "unit")), k;
		int64_t ns = number_of(named(rows, i, "ns")), part = number_of(named(rows, i, "part"));
		const char *where = text_of(j, named(rows, i, "where"));
		found *to;
		if (unit >= j->tables->units.n)
			continue;
		k = group_of(&j->keys, (int64_t[]){ (intptr_t)f, (int64_t)unit, part });
		if (k == j->found.n)
			vec_push(&j->found, (found){ .f = f, .unit = unit, .part = part, .largest = -1,
				 .ns = ns == TABLE_MISSING ? ns : 0 });
		to = &j->found.v[k];
		if (ns != TABLE_MISSING)
			to->ns += ns;
		if (ns > to->largest || !to->words) {
			to->largest = ns;
			to->words = text_of(j, named(rows, i, "words"));
			to->advice = text_of(j, named(rows, i, "advice"));
			to->more = text_of(j, named(rows, i, "more"));
			to->step = number_of(named(rows, i, "step"));
		}
		take_place(to, where, ns);
	}
}

/* The range that holds more than half of what lies in any, and at least a quarter of all. */
static const char *where_of(const found *f)
{
	if (f->ns == TABLE_MISSING)
		return f->where;
	return f->where && 2 * f->best > f->in_any && 4 * f->best >= f->ns ? f->where : NULL;
}

void advise_forget_places(advise_job *j)
{
	for (size_t i = 0; i < j->found.n; i++) {
		found *f = &j->found.v[i];
		f->open = !where_of(f);
		if (f->open)
			f->in_any = f->best = 0, f->where = NULL;
	}
}

void advise_take_places(void *to_job, const finding *f, const table *rows)
{
	advise_job *j = to_job;
	size_t *first = mem_none(size_t, j->tables->units.n), *next = mem_new(size_t, j->found.n);

	for (size_t k = j->found.n; k-- > 0;)
		if (j->found.v[k].open && j->found.v[k].f == f) {
			next[k] = first[j->found.v[k].unit];
			first[j->found.v[k].unit] = k;
		}
	for (size_t i = 0; i < table_rows(rows); i++) {
		size_t unit = (size_t)number_of(named(rows, i, "unit"));
		for (size_t k = unit < j->tables->units.n ? first[unit] : SIZE_MAX; k != SIZE_MAX; k = next[k])
			take_place(&j->found.v[k], text_of(j, named(rows, i, "where")),
				   number_of(named(rows, i, "ns")));
	}
	mem_free(first, next);
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

/* The traces that show it: the finding's own or, of what only several show, all. */
static const char *traces_of(advise_job *j, const found *f)
{
	static const char *const of_all[] = { "shared", "late", "comm", "tiny", "long", NULL };
	const char *own = shell_word(&j->texts, j->tables->units.v[f->unit].trace), *all = NULL;
	int i = 0;

	while (of_all[i] && strcmp(f->f->kind, of_all[i]) != 0)
		i++;
	if (!of_all[i] || (i > 0 && !j->tables->units.v[f->unit].communicates))
		return own;
	for (size_t u = 0; u < j->tables->units.n; u++) {
		const char *path = j->tables->units.v[u].trace;
		if (u == 0 || strcmp(path, j->tables->units.v[u - 1].trace) != 0)
			all = arena_printf(&j->texts, "%s%s%s", all ? all : "", all ? " " : "",
					   shell_word(&j->texts, path));
	}
	return all;
}

/* As it was given, or as a manifest tells it of this unit. */
static const char *step_time(const advise_params *p, const advise_unit *u)
{
	return p->step_time_in ? arena_printf(&p->job->texts, "%lld", (long long)(u->typical - u->excess)) :
		shell_word(&p->job->texts, p->step_time_text);
}

static const char *evidence(const advise_params *p, const found *f)
{
	advise_job *j = p->job;
	const char *traces = traces_of(j, f);

	return arena_printf(&j->texts, "nsq-sql --finding %s%s%s%s%s%s %s%s", f->f->name,
			    step_option_words(&j->texts, &p->choice), p->comm ? " --comm " : "",
			    p->comm ? shell_word(&j->texts, p->comm->text) : "",
			    p->step_time_text ? " --step-time " : "",
			    p->step_time_text ? step_time(p, &j->tables->units.v[f->unit]) : "",
			    *traces == '-' || strstr(traces, " -") ? "-- " : "", traces);
}

void advise_unit_row(table *out, const advise_unit *u)
{
	table_row(out);
	table_pid(out, u->pid, u->sub);
	table_ints(out, { COL_RANK, u->rank < 0 ? TABLE_MISSING : u->rank }, { COL_START, u->hull.a },
		   { COL_END, u->hull.b }, { COL_GPU, u->gpu },
		   { A_STEPS, u->whole ? TABLE_MISSING : (int64_t)u->steps });
	table_text(out, COL_TRACE, u->trace);
}

static ival step_of(const advise_tables *a, const found *f)
{
	const advise_unit *u = &a->units.v[f->unit];

	return f->step < 0 || f->step >= (int64_t)u->steps ? (ival){ 0, 0 } :
		a->steps.v[u->first + (size_t)f->step].at;
}

/* Behind the parenthesis that is closed. */
static const char *past_parenthesis(const char *p)
{
	int open = 0;

	do {
		open += (*p == '(') - (*p == ')');
		p++;
	} while (*p && open);
	return p;
}

/* Advice without the parentheses that name what only PyTorch has. */
static const char *without_torch(arena *to, const char *text)
{
	static const char *const words[] = { "torch", "Torch", ".item()", "pin_memory" };
	const char *out = "", *open, *end;

	for (const char *p = text; (open = strstr(p, " (")); p = end) {
		const char *part;
		bool torch = false;
		end = past_parenthesis(open + 1);
		part = arena_text(to, open, (size_t)(end - open));
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			torch |= strstr(part, words[i]) != NULL;
		out = arena_printf(to, "%s%.*s%s", out, (int)(open - p), p, torch ? "" : part);
		text = end;
	}
	return arena_printf(to, "%s%s", out, text);
}

static void finding_row(const advise_params *p, const found *f, table *out)
{
	advise_job *j = p->job;
	const finding *of = f->f;
	const char *title = of->title ? of->title : of->name, *assumes = f->ns == TABLE_MISSING ? NULL : of->assumes;
	const char *advice = f->advice ? f->advice : of->advice;

	vec_push(&j->about, (advise_about){ strlen(title), step_of(j->tables, f) });
	advise_unit_row(out, &j->tables->units.v[f->unit]);
	table_word(out, A_SEVERITY, severity(j, f));
	table_text(out, A_KIND, of->kind);
	table_int(out, A_RECOVER_NS, f->ns);
	if (f->ns != TABLE_MISSING)
		table_pct(out, A_RECOVER_PCT, f->ns, j->tables->units.v[f->unit].period);
	table_text(out, A_WHERE, where_of(f));
	table_text(out, A_FINDING, arena_printf(&j->texts, "%s%s%s%s%s", title, f->words ? ": " : "",
						f->words ? f->words : "", assumes ? "; assumes " : "",
						assumes ? assumes : ""));
	table_text(out, A_EVIDENCE, evidence(p, f));
	table_text(out, A_ADVICE, j->tables->units.v[f->unit].torch ? advice : without_torch(&j->texts, advice));
}

/* ---- one list for each job, of each finding and place the worst rank */

/* Does it belong to a rank that communicates? */
static bool in_job(const advise_job *j, const found *f)
{
	return j->tables->units.v[f->unit].communicates;
}

/* Is it the first of its finding and place that is shown of the job? */
static bool is_first(group *shown, str_pool *places, const found *f)
{
	const char *where = where_of(f);
	size_t had = shown->n;

	group_of(shown, (int64_t[]){ (intptr_t)f->f, where ? str_id(places, where, strlen(where)) : STR_NONE });
	return shown->n > had;
}

/* What lost events and clocks that disagree cannot change is said all the same. */
static bool is_believable(const advise_job *j, const found *f)
{
	return f->ns == TABLE_MISSING || !j->tables->units.v[f->unit].unsure || strcmp(f->f->kind, "tensor") == 0 ||
		strcmp(f->f->kind, "fuse") == 0;
}

void advise_list(const advise_params *p, table *out, notes *say)
{
	advise_job *j = p->job;
	uint32_t *sorted = sort_order(j->found.n, by_worth, j);
	group shown = { .width = 2 };
	str_pool places = { 0 };
	size_t small = 0, doubtful = 0;

	for (size_t i = 0; i < j->found.n; i++) {
		const found *f = &j->found.v[sorted ? sorted[i] : i];
		if (!is_believable(j, f)) {
			doubtful++;
		} else if (f->ns != TABLE_MISSING && (f->ns <= 0 || pct_of(j, f) < p->min_pct)) {
			small += f->ns > 0;
		} else if (!in_job(j, f) || is_first(&shown, &places, f)) {
			finding_row(p, f, out);
		}
	}
	if (doubtful)
		notes_remark(say, "left out: %zu finding%s about processes that lost events, or whose clocks disagree, "
			     "which may change them", doubtful, doubtful == 1 ? "" : "s");
	if (small)
		notes_remark(say, "left out: %zu finding%s that would save less than %g %% of a step%s (--min-pct)",
			     small, small == 1 ? "" : "s", p->min_pct, small == 1 ? "" : " each");
	free(sorted);
	group_free(&shown);
	str_free(&places);
}
