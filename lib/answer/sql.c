#include "answer/sql.h"
#include "answer/step_windows.h"
#include "base/number.h"
#include "job/slice_windows.h"
#include "sqlite/query.h"

#include <ctype.h>
#include <string.h>

/* A table that traces give, while a query runs. */
typedef struct {
	const sql_trace_table *what;    /* its name, answer and parameters */
	table columns;          /* all its columns, without rows */
	table rows;             /* its rows, with the columns that the query uses and those that sort them */
	virtual_table shown;    /* the table as SQLite sees it */
	void *params, *kept;    /* the parameters for this query, and what sql_trace_table.begin allocated for them */
	question q;             /* valid if `asked_for` is true */
	bool asked_for;         /* the query names the table, and its parameters are complete */
	bool answered;          /* has any trace added its rows? */
} trace_table;

typedef struct {
	const inputs *in;
	notes *say;
	const sql_how *how;
	vec(trace_table) sources;       /* the tables that traces give; empty without traces */
	step_survey steps;      /* the steps of several traces, if the query names a table about steps */
	virtual_table *given;   /* by index in in->tables: the tables of the command line as SQLite sees them */
	bool loaded;            /* were the traces loaded? */
	bool changed;           /* did a trace change while it was read? */
} sql_ctx;

/* ---- the tables of traces */

/* Is the column needed to sort the rows?  They are sorted by the keys of the table and by the first five columns, which
 * are the same in every table. */
static bool sql_is_order_column(const table *columns, size_t col)
{
	for (size_t k = 0; k < columns->keys.n; k++)
		if ((size_t)columns->keys.v[k].col == col)
			return true;
	return col < 5;
}

/* Add to s->rows the columns that the query uses and those that sort rows, and note in s->shown.place where they are.
 * Answers skip a column that their table lacks, so unused columns take no memory.  An answer with a function `finish`
 * gets all columns. */
static void sql_choose_columns(trace_table *s)
{
	const table *all = &s->columns;

	s->shown.place = mem_new(int, all->cols.n);
	for (size_t i = 0; i < all->cols.n; i++) {
		s->shown.place[i] = s->what->answer->finish || s->shown.used[i] || sql_is_order_column(all, i) ?
			(int)s->rows.cols.n : -1;
		if (s->shown.place[i] >= 0)
			table_add(&s->rows, table_id(all, i), &all->cols.v[i]);
	}
	for (size_t k = 0; k < all->keys.n; k++) {
		vec_reserve(&s->rows.keys, k + 1);
		s->rows.keys.v[k].col = s->shown.place[all->keys.v[k].col];
		s->rows.keys.v[k].down = all->keys.v[k].down;
		s->rows.keys.n++;
	}
	s->rows.given_order = all->given_order;
}

static void sql_add_trace_rows(sql_ctx *x, trace_table *s, trace *t)
{
	windows all = question_windows(&s->q, &x->steps, t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
				       x->say);

	s->answered |= answer_rows(s->what->answer, t, &all, s->params, &s->rows, x->say);
	window_free(&all);
}

/* Combine the questions of all tables that the query names and the trace can fill, so that the trace is loaded once.
 * fits: set, by index in x->sources, to whether it is such a table. */
static question sql_combine_questions(const sql_ctx *x, const trace *t, bool *fits)
{
	question all = { .captured = x->how->captured };

	for (size_t i = 0; i < x->sources.n; i++) {
		const trace_table *s = &x->sources.v[i];
		fits[i] = s->asked_for && question_fits(&s->q, t, x->say);
		if (!fits[i])
			continue;
		all.need |= s->q.need;
		all.warn_lost |= s->q.warn_lost;
		all.warn_shared |= s->q.warn_shared;
		all.warn_clocks |= s->q.warn_clocks;
		all.mention_graphs |= s->q.mention_graphs;
		all.replayed |= s->q.replayed;
	}
	return all;
}

static void sql_load_trace(sql_ctx *x, const input_trace *from, shared_gpus *across)
{
	trace *t = trace_open(from->file, x->in->threads, x->say);
	bool *fits = mem_new(bool, x->sources.n);
	question all;

	if (t) {
		t->path = from->path;
		all = sql_combine_questions(x, t, fits);
		if (load_trace(t, all.need, NULL)) {
			question_warn(&all, t, NULL, across, x->say);
			slice_windows_say(t, NULL, false, x->say);
			for (size_t i = 0; i < x->sources.n; i++)
				if (fits[i])
					sql_add_trace_rows(x, &x->sources.v[i], t);
			x->changed |= !db_unchanged(t->db);
		}
		trace_free(t);
	}
	free(fits);
}

/* Prepare the parameters of a table that the query names.  False after a problem. */
static bool sql_begin_table(const sql_ctx *x, trace_table *s)
{
	const sql_trace_table *what = s->what;

	s->params = memcpy(mem_alloc(1, what->size), what->params, what->size);
	if (what->captured)
		*((bool *)s->params + what->captured) = x->how->captured;
	return !what->begin || what->begin(s->params, &(sql_uses){ &s->columns, s->shown.used, &s->kept }, x->say);
}

/* Load each trace, and let it add its rows to each table that the query names. */
static void sql_load_traces(sql_ctx *x)
{
	shared_gpus *across = shared_gpus_new();

	x->loaded = true;
	for (size_t i = 0; i < x->sources.n; i++) {
		trace_table *s = &x->sources.v[i];
		if (!s->shown.named || !sql_begin_table(x, s))
			continue;
		s->q = s->what->answer->question(s->params);
		s->asked_for = true;
		sql_choose_columns(s);
		if (s->q.steps)
			x->changed |= !step_survey_add_inputs(&x->steps, x->in, &s->q, x->say);
	}
	for (size_t i = 0; i < x->in->ntraces; i++)
		sql_load_trace(x, &x->in->traces[i], across);
	shared_gpus_warn(across, x->say);
	shared_gpus_free(across);
	for (size_t i = 0; i < x->sources.n; i++) {
		trace_table *s = &x->sources.v[i];
		if (s->answered && s->what->answer->finish)
			s->answered = s->what->answer->finish(s->params, &s->rows, x->say);
	}
}

/* Called when the query first reads a table: sets v->rows.  False: the table has no rows because of a problem. */
static bool sql_load_table(virtual_table *v, void *ctx)
{
	sql_ctx *x = ctx;

	if (!x->loaded) {
		if (x->how->loading)
			x->how->loading(true);
		sql_load_traces(x);
		if (x->how->loading)
			x->how->loading(false);
	}
	for (size_t i = 0; i < x->sources.n; i++)
		if (&x->sources.v[i].shown == v && x->sources.v[i].answered)
			v->rows = &x->sources.v[i].rows;
	return v->rows;
}

/* Declare the tables of sql_trace_tables, if the command line has traces. */
static bool sql_add_answers(sql_ctx *x, query *q)
{
	size_t n = 0;

	while (sql_trace_tables[n].name)
		n++;
	vec_reserve(&x->sources, n);    /* SQLite keeps the addresses of the elements, so they must not move */
	for (size_t i = 0; x->in->ntraces && i < n; i++) {
		trace_table *s = &x->sources.v[x->sources.n++];
		*s = (trace_table){ .what = &sql_trace_tables[i] };
		s->what->answer->columns(s->what->params, &s->columns);
		s->shown = (virtual_table){
			.name = s->what->name, .columns = &s->columns, .load = sql_load_table, .ctx = x
		};
		if (!query_add_table(q, &s->shown))
			return false;
	}
	return true;
}

/* ---- the tables of the command line */

static bool sql_add_given(sql_ctx *x, query *q)
{
	x->given = mem_new(virtual_table, x->in->ntables + 1);
	for (size_t i = 0; i < x->in->ntables; i++) {
		const input_table *t = &x->in->tables[i];
		x->given[i] = (virtual_table){ .name = t->name, .columns = &t->table.rows, .rows = &t->table.rows };
		if (!query_add_table(q, &x->given[i]))
			return false;
	}
	return true;
}

/* The name of a column as a query has to write it: in quotes if it is no plain word. */
static const char *sql_quote_name(arena *texts, const char *name)
{
	size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return !name[plain] && !isdigit((unsigned char)*name) ? name : arena_printf(texts, "\"%s\"", name);
}

/* Warn of the columns that the query reads and that hold text although most of their values are numbers.  The first one
 * is named, and the others are counted. */
static void sql_mention_text_columns(const sql_ctx *x)
{
	arena texts = { 0 };
	size_t others = 0;
	bool said = false;

	for (size_t i = 0; i < x->in->ntables; i++)
		for (size_t c = 0; c < x->in->tables[i].table.odd.n; c++) {
			const read_table *t = &x->in->tables[i].table;
			size_t row = t->odd.v[c];
			if (row == READ_TABLE_NONE || !x->given[i].used[c])
				continue;
			others += said;
			if (!said)
				notes_warn(x->say, "%s %s %zu: %s is '%s', not a number, so the column is text "
					   "(cast(%s as real) makes numbers)", t->name, t->text.csv ? "row" : "line",
					   t->lines.v[row], t->rows.cols.v[c].name, table_at(&t->rows, row)[c].t,
					   sql_quote_name(&texts, t->rows.cols.v[c].name));
			said = true;
		}
	if (others)
		notes_remark(x->say, "%zu more of the columns are text for such a reason", others);
	arena_free(&texts);
}

bool sql_answer(const inputs *in, const char *text, const sql_how *how, table *out, notes *say)
{
	sql_ctx x = { .in = in, .say = say, .how = how };
	db *raw = in->ntraces == 1 ? db_open(in->traces[0].file, say) : NULL;
	query *q = query_open("query", in->ntraces ? "nsq-sql --schema lists the tables and columns" :
			      "the first line of a table names its columns; those of a trace, if you name one, are in "
			      "nsq-sql --schema", say);
	bool ok;

	query_limit_rows(q, how->max_rows);
	if (!in->ntables)
		query_explain_missing(q, "t", "add '-' to read a table from standard input");
	ok = (in->ntraces != 1 || (raw && query_attach(q, raw))) && sql_add_answers(&x, q) && sql_add_given(&x, q) &&
		query_run(q, text, out) && !x.changed && (!raw || db_unchanged(raw));
	if (ok)
		sql_mention_text_columns(&x);
	query_close(q);
	if (raw)
		db_close(raw);
	for (size_t i = 0; i < x.sources.n; i++) {
		trace_table *s = &x.sources.v[i];
		if (s->kept)
			s->what->end(s->kept);
		free(s->params);
		table_free(&s->columns);
		table_free(&s->rows);
	}
	vec_free(&x.sources);
	step_survey_free(&x.steps);
	free(x.given);
	return ok;
}
