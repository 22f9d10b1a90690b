#include "picture/view.h"

#define COLUMNS(X) \
	X(WORK, "work", 'i', NULL, "pieces of GPU work in the window") \
	X(CALLS, "calls", 'i', NULL, "CUDA calls in it") \
	X(RANGES, "ranges", 'i', NULL, "NVTX ranges in it") \
	X(MARKS, "marks", 'i', NULL, "NVTX marks in it") \
	X(OS_CALLS, "os_calls", 'i', NULL, "OS calls in it") \
	X(MPI_CALLS, "mpi_calls", 'i', NULL, "MPI calls in it") \
	X(EVENTS, "events", 'i', NULL, \
		"what the trace puts into a page over all windows, idle stretches and values of counters included") \
	X(FILE_NAME, "file", 't', NULL, "where they were written; -: nowhere")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static question ask(const void *params)
{
	const view_params *p = params;

	return (question){
		.need = TIMELINE_NEEDS | TRACE_FULL | TRACE_SHAPE | TRACE_BYTES | TRACE_CALL_COUNTS |
			TRACE_CAPTURES | (p->marks ? marked_need() : 0),
		.must = MUST_ANY | MUST_CUDA | MUST_NVTX | MUST_OS,
		.need_survey = ONE_CLOCK_NEED | (p->marks ? marked_need() : 0),
		.scope = WINDOW_TRACE,
		.comm = p->comm,
		.warn_lost = true,
		.replayed = p->path ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "there are no windows",
	};
}

static void columns(const void *params, table *out)
{
	(void)params;
	table_columns(out, all_columns, WORK, CALLS, RANGES, MARKS, OS_CALLS, MPI_CALLS, EVENTS, FILE_NAME);
}

static void window_row(asking *a, const timeline *tl, const view_params *p)
{
	size_t n[TIMELINE_KINDS] = { 0 };

	timeline_count(tl, a->w, n);
	asking_row(a);
	table_int(a->out, WORK, (int64_t)n[TIMELINE_WORK]);
	table_int(a->out, CALLS, (int64_t)n[TIMELINE_CALLS]);
	table_int(a->out, RANGES, (int64_t)(n[TIMELINE_RANGES] + n[TIMELINE_STARTEND]));
	table_int(a->out, MARKS, (int64_t)n[TIMELINE_MARKS]);
	table_int(a->out, OS_CALLS, (int64_t)n[TIMELINE_OS]);
	table_int(a->out, MPI_CALLS, (int64_t)n[TIMELINE_MPI]);
	table_int(a->out, EVENTS, (int64_t)tl->events);
	table_text(a->out, FILE_NAME, p->path);
}

/* Mark the steps of a trace, the typical of which stay as they are where there is too much for a page. */
static void fit(const view_params *p, timeline *tl, asking *a)
{
	marked *m = p->marks;
	ival_set keep;

	marked_add(m, a->t, tl->hull);
	keep = marked_typical(m, a->t);
	view_page_fit(p->page, tl, p->most ? (size_t)p->most : VIEW_MOST,
		m->surveyed > m->added ? m->surveyed - m->added : 0, &keep, a->say);
	ival_free(&keep);
}

static bool rows(asking *a, const void *params)
{
	const view_params *p = params;
	unsigned what = around_what(p->adopt, p->captured);
	timeline *tl = a->all->n ? timeline_build(a->t, a->all, what, TIMELINE_PAGE) : NULL;
	int64_t ahead = p->path ? one_clock_ahead(p->clock, a->t, a->say) : 0;
	bool ok = tl;

	while (ok && asking_window(a))
		window_row(a, tl, p);
	if (ok && p->marks)
		fit(p, tl, a);
	ok = ok && (!p->path || view_page_add(p->page, tl, ahead, a->say));
	if (tl)
		timeline_free(tl);
	return ok || !a->all->n;
}

static bool finish(const void *params, table *out, notes *say)
{
	const view_params *p = params;
	bool ok;

	if (p->marks)
		marked_end(p->marks);
	ok = !p->path || view_page_write(p->page, one_clock_words(p->clock), p->marks, p->path, p->replace, say);
	if (!ok)
		table_clear(out);
	marked_free(p->marks);
	view_page_free(p->page);
	one_clock_free(p->clock);
	return ok;
}

static void survey(trace *t, const void *params, notes *say)
{
	const view_params *p = params;

	if (p->path && p->clock)
		one_clock_add(p->clock, t, say);
	if (p->marks)
		marked_survey(p->marks, t);
}

const answer view_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows,
	.survey = survey, .finish = finish };
