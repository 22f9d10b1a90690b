#include "answer/advise_parts.h"
#include "table/window_table.h"

#include <string.h>

typedef struct {
	advise_job *job;
	const finding *f;
	table *out;
} advise_finding_ctx;

static bool advise_finding_is_wanted(const void *ctx, const finding *f)
{
	return f == ((const advise_finding_ctx *)ctx)->f;
}

/* Copy the rows of the query that are about a unit.  The columns about the unit come first, then those of the query.
 * For a finding, recover_ns comes next: the total that nsq-advise shows.  The column `trace` is the last. */
static void advise_finding_copy_rows(void *ctx, const finding *f, const table *rows)
{
	advise_finding_ctx *x = ctx;
	size_t unit = 0, first = x->out->cols.n;

	if (!f->makes)
		advise_add_finding_rows(x->job, f, rows);
	for (size_t c = 0; c < rows->cols.n; c++) {
		if (strcmp(rows->cols.v[c].name, "unit") == 0)
			unit = c;
		else
			table_add(x->out, COL_NONE, &(table_col){ table_keep(x->out, rows->cols.v[c].name),
				  rows->cols.v[c].type, strcmp(rows->cols.v[c].name, "ns") == 0 ? "ns" : NULL, NULL });
	}
	if (!f->makes)
		table_add(x->out, COL_NONE, &(table_col){ "recover_ns", 'i', "ns", NULL });
	table_add_common(x->out, COL_TRACE);
	for (size_t i = 0; i < table_rows(rows); i++) {
		const table_cell *cells = table_at(rows, i);
		table_cell *to;
		if ((size_t)cells[unit].i >= x->job->tables->units.n)
			continue;
		advise_add_unit_row(x->out, &x->job->tables->units.v[cells[unit].i]);
		to = x->out->cells.v + x->out->cells.n - x->out->cols.n + first;
		for (size_t c = 0; c < rows->cols.n; c++)
			if (c != unit)
				*to++ = table_has_text(rows->cols.v[c].type) ?
					(table_cell){ .t = table_keep(x->out, cells[c].t) } : cells[c];
		if (!f->makes)
			to->i = advise_total_of_row(x->job, f, rows, i);
	}
	table_group(x->out);
}

/* Add a trace to p->job or, if `survey`, only survey it.  If there are several traces, all are surveyed before the
 * first is added.  False after a problem. */
static bool advise_finding_add_trace(const inputs *in, size_t number, bool survey, const advise_params *p,
				     const window_asks *asks, notes *say)
{
	trace *t = trace_open(in->traces[number].file, in->threads, say);
	question q = advise_answer.question(p);
	bool ok = false;

	if (!t)
		return false;
	t->path = in->traces[number].path;
	t->number = number;
	if (question_fits(&q, t, say) && load_trace(t, q.need, q.comm)) {
		const window_filter only = { .pid = p->only.pid[0], .sub = p->only.pid[1], .gpu = p->only.gpu };
		windows all = window_resolve(t, p->only.windows.n ? asks : NULL, &only, q.scope, say);
		ok = survey || advise_add(t, &all, p, say);
		if (survey)
			advise_answer.survey(t, p, say);
		else
			question_suggest_name(&q, t, say);
		window_free(&all);
	}
	trace_free(t);
	return ok;
}

static bool advise_finding_read_windows(const text_list *specs, window_asks *to, notes *say)
{
	bool ok = true;

	for (size_t i = 0; ok && i < specs->n; i++)
		ok = strcmp(specs->v[i], "-") == 0 ? window_table_read(stdin, "standard input", to, say) :
			window_table_spec(specs->v[i], to, say);
	window_asks_remove_repeats(to);
	return ok;
}

/* Run the query of a finding, or of a table that findings share, and copy its rows. */
static bool advise_finding_run(const inputs *in, const findings *all, const finding *f, const advise_params *p,
			       table *out, notes *say)
{
	advise_finding_ctx x = { p->job, f, out };
	window_asks asks = { 0 };
	bool ok = advise_finding_read_windows(&p->only.windows, &asks, say);

	for (size_t i = 0; ok && in->ntraces > 1 && i < in->ntraces; i++)
		ok = advise_finding_add_trace(in, i, true, p, &asks, say);
	for (size_t i = 0; ok && i < in->ntraces; i++)
		ok = advise_finding_add_trace(in, i, false, p, &asks, say);
	window_asks_free(&asks);
	advise_tables_end(p->job->tables);
	for (int c = COL_PID; c <= COL_GPU; c++)
		table_add_common(out, c);
	out->given_order = true;
	return ok && findings_run(all, p->job->tables, advise_finding_is_wanted, advise_finding_copy_rows, &x, say);
}

bool advise_run_one_finding(const inputs *in, const char *name, const advise_params *p, table *out, notes *say)
{
	findings all = { 0 };
	advise_params with = *p;
	const finding *f;
	bool ok = findings_load(&all, p->folders, say);

	f = ok && name ? findings_find(&all, name) : NULL;
	if (ok && (!name || !in->ntraces))
		ok = notes_problem(say, EXIT_WRONG, "'--finding' takes the name of a finding, and traces: nsq-sql "
				   "--finding small run.sqlite");
	else if (ok && !f)
		ok = notes_problem(say, EXIT_WRONG, "there is no finding '%s'; their names are the kinds that "
				   "nsq-advise shows", name);
	with.job = advise_begin(NULL);
	ok = ok && advise_finding_run(in, &all, f, &with, out, say);
	advise_end(with.job);
	findings_free(&all);
	return ok;
}
