#include "answer/sql.h"
#include "answer/step_windows.h"
#include "base/number.h"
#include "job/slice_windows.h"
#include "sqlite/query.h"

#include <ctype.h>
#include <string.h>

/* A table of traces, while a query runs. */
typedef struct {
	const sql_trace_table *what;
	table columns;
	table rows;             /* its rows, with only the columns that the query uses */
	virtual_table shown;
	void *params, *kept;    /* see sql_trace_table */
	question q;
	bool asked_for, answered;   /* asked_for: a query names it; answered: a trace has added its rows */
} source;

typedef struct {
	const inputs *in;
	notes *say;
	const sql_how *how;
	vec(source) sources;
	step_survey steps;      /* the steps of several traces, if the query names a table about steps */
	virtual_table *given;   /* the tables of the command line */
	bool loaded;
	bool changed;           /* did a trace change while it was read? */
} sql_ctx;

/* ---- the tables of traces */

/* Is the column needed to sort the rows?  Rows are sorted by the columns that every table has and by the table's
 * keys. */
static bool sql_is_order_column(const table *columns, size_t col)
{
	for (size_t k = 0; k < columns->keys.n; k++)
		if ((size_t)columns->keys.v[k].col == col)
			return true;
	return col < 5;
}

/* Give the rows the columns that the query uses, and note their places.  Answers skip a column that their table lacks,
 * so unused columns take no memory.  An answer with a function `finish` gets all columns. */
static void sql_choose_columns(source *s)
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

static void sql_answer_source(sql_ctx *x, source *s, trace *t)
{
	windows all = question_windows(&s->q, &x->steps, t, NULL, &(window_filter){ .pid = -1, .sub = -1, .gpu = -1 },
				       x->say);

	s->answered |= answer_rows(s->what->answer, t, &all, s->params, &s->rows, x->say);
	window_free(&all);
}

/* The needs of all tables that the query names and the trace can fill, so that it is loaded once. fits: by source, is
 * it such a table? */
static question sql_combine_questions(const sql_ctx *x, const trace *t, bool *fits)
{
	question all = { .captured = x->how->captured };

	for (size_t i = 0; i < x->sources.n; i++) {
		const source *s = &x->sources.v[i];
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

static void sql_load_one(sql_ctx *x, const input_trace *from, shared_gpus *across)
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
					sql_answer_source(x, &x->sources.v[i], t);
			x->changed |= !db_unchanged(t->db);
		}
		trace_free(t);
	}
	free(fits);
}

/* Prepare the parameters of a table that the query names.  False after a problem. */
static bool sql_begin_source(const sql_ctx *x, source *s)
{
	const sql_trace_table *what = s->what;

	s->params = memcpy(mem_alloc(1, what->size), what->params, what->size);
	if (what->captured)
		*((bool *)s->params + what->captured) = x->how->captured;
	return !what->begin || what->begin(s->params, &(sql_uses){ &s->columns, s->shown.used, &s->kept }, x->say);
}

/* Load every table that the query names, from every trace. */
static void sql_load_all(sql_ctx *x)
{
	shared_gpus *across = shared_gpus_new();

	x->loaded = true;
	for (size_t i = 0; i < x->sources.n; i++) {
		source *s = &x->sources.v[i];
		if (!s->shown.named || !sql_begin_source(x, s))
			continue;
		s->q = s->what->answer->question(s->params);
		s->asked_for = true;
		sql_choose_columns(s);
		if (s->q.steps)
			x->changed |= !step_survey_inputs(&x->steps, x->in, &s->q, x->say);
	}
	for (size_t i = 0; i < x->in->ntraces; i++)
		sql_load_one(x, &x->in->traces[i], across);
	shared_gpus_warn(across, x->say);
	shared_gpus_free(across);
	for (size_t i = 0; i < x->sources.n; i++) {
		source *s = &x->sources.v[i];
		if (s->answered && s->what->answer->finish)
			s->answered = s->what->answer->finish(s->params, &s->rows, x->say);
	}
}

static bool sql_load_table(virtual_table *v, void *ctx)
{
	sql_ctx *x = ctx;

	if (!x->loaded) {
		if (x->how->loading)
			x->how->loading(true);
		sql_load_all(x);
		if (x->how->loading)
			x->how->loading(false);
	}
	for (size_t i = 0; i < x->sources.n; i++)
		if (&x->sources.v[i].shown == v && x->sources.v[i].answered)
			v->rows = &x->sources.v[i].rows;
	return v->rows;
}

static bool sql_add_sources(sql_ctx *x, query *q)
{
	size_t n = 0;

	while (sql_trace_tables[n].name)
		n++;
	vec_reserve(&x->sources, n);    /* SQLite keeps the addresses of the elements, so they must not move */
	for (size_t i = 0; x->in->ntraces && i < n; i++) {
		source *s = &x->sources.v[x->sources.n++];
		*s = (source){ .what = &sql_trace_tables[i] };
		s->what->answer->columns(s->what->params, &s->columns);
		s->shown = (virtual_table){
			.name = s->what->name, .columns = &s->columns, .load = sql_load_table, .ctx = x
		};
		if (!query_add(q, &s->shown))
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
		if (!query_add(q, &x->given[i]))
			return false;
	}
	return true;
}

/* The name of a column as a query writes it. */
static const char *sql_copy_name(arena *texts, const char *name)
{
	size_t plain = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return !name[plain] && !isdigit((unsigned char)*name) ? name : arena_printf(texts, "\"%s\"", name);
}

/* Mention that the query reads columns as text although most of their values are numbers: the first such column, and
 * the number of others. */
static void sql_mention_odd(const sql_ctx *x)
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
					   sql_copy_name(&texts, t->rows.cols.v[c].name));
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
	ok = (in->ntraces != 1 || (raw && query_attach(q, raw))) && sql_add_sources(&x, q) && sql_add_given(&x, q) &&
		query_run(q, text, out) && !x.changed && (!raw || db_unchanged(raw));
	if (ok)
		sql_mention_odd(&x);
	query_close(q);
	if (raw)
		db_close(raw);
	for (size_t i = 0; i < x.sources.n; i++) {
		source *s = &x.sources.v[i];
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
