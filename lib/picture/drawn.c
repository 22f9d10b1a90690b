#include "picture/drawn.h"
#include "picture/export_events.h"
#include "base/gzip.h"
#include "base/text.h"
#include "base/whole_file.h"

#define COLUMNS(X) \
	X(WORK, "work", 'i', NULL, "pieces of GPU work in the window") \
	X(CALLS, "calls", 'i', NULL, "CUDA calls in the window") \
	X(RANGES, "ranges", 'i', NULL, "NVTX ranges in the window") \
	X(ARROWS, "arrows", 'i', NULL, "arrows from launch calls to their work in the window") \
	X(VALUES, "values", 'i', NULL, "values of counters: samples of GPU metrics, allocations and frees") \
	X(MARKS, "marks", 'i', NULL, "NVTX marks in the window") \
	X(OS_CALLS, "os_calls", 'i', NULL, "OS calls in the window") \
	X(MPI_CALLS, "mpi_calls", 'i', NULL, "MPI calls in the window") \
	X(EVENTS, "events", 'i', NULL, "events of the trace in the page, over all windows; idle stretches and " \
	  "values of counters count too") \
	X(FILE_NAME, "file", 't', NULL, "file that was written; - if none was")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static question drawn_make_question(const drawn_params *p, unsigned need, unsigned must)
{
	unsigned marks = p->marks ? marked_need() : 0;

	return (question){
		.need = TIMELINE_NEEDS | need | marks,
		.must = must,
		.need_survey = ONE_CLOCK_NEED | marks,
		.scope = WINDOW_TRACE,
		.comm = p->comm,
		.warn_lost = true,
		.replayed = p->path ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "there are no windows",
	};
}

static void drawn_survey_trace(trace *t, const void *params, notes *say)
{
	const drawn_params *p = params;

	if (p->path && p->clock)
		one_clock_add(p->clock, t, say);
	if (p->marks)
		marked_survey(p->marks, t);
}

static timeline *drawn_build_timeline(const answer_ctx *a, const drawn_params *p, unsigned kinds)
{
	return a->all->n ? timeline_build(a->t, a->all, around_flags(p->adopt, p->captured), kinds) : NULL;
}

/* Add a row for the current window.  Returns about how many events the window adds to a file. */
static size_t drawn_add_window_row(answer_ctx *a, const drawn_params *p, timeline *tl)
{
	bool for_file = a->out->slot[ARROWS];  /* the rows of nsq-view have no columns `arrows` and `values` */
	size_t n[TIMELINE_KINDS] = { 0 }, ranges, arrows = 0, values = for_file ? timeline_count_values(tl, a->w) : 0;
	ival arrow;

	timeline_count(tl, a->w, n);
	ranges = n[TIMELINE_RANGES] + n[TIMELINE_STARTEND];
	for (window_walk k = { 0 }; for_file && window_next(a->t, a->w, &k);)
		arrows += timeline_arrow(tl, k.work, &arrow);
	answer_add_row(a);
	table_ints(a->out, { WORK, (int64_t)n[TIMELINE_WORK] }, { CALLS, (int64_t)n[TIMELINE_CALLS] },
		   { RANGES, (int64_t)ranges }, { ARROWS, (int64_t)arrows }, { VALUES, (int64_t)values },
		   { MARKS, (int64_t)n[TIMELINE_MARKS] }, { OS_CALLS, (int64_t)n[TIMELINE_OS] },
		   { MPI_CALLS, (int64_t)n[TIMELINE_MPI] }, { EVENTS, (int64_t)tl->events });
	table_text(a->out, FILE_NAME, p->path);
	return n[TIMELINE_WORK] + n[TIMELINE_CALLS] + ranges + 2 * arrows + values + n[TIMELINE_MARKS] +
		n[TIMELINE_OS] + n[TIMELINE_MPI] + tl->parts.n + tl->spans.n;
}

/* Free what both answers have.  Unless `ok`, also empty the table. */
static bool drawn_finish_common(const drawn_params *p, table *out, bool ok)
{
	if (!ok)
		table_clear(out);
	marked_free(p->marks);
	one_clock_free(p->clock);
	return ok;
}

/* ---- a page */

static void drawn_list_view_columns(const void *params UNNEEDED, table *out)
{
	table_columns(out, all_columns, WORK, CALLS, RANGES, MARKS, OS_CALLS, MPI_CALLS, EVENTS, FILE_NAME);
}

static question drawn_make_view_question(const void *params)
{
	return drawn_make_question(params, TRACE_FULL | TRACE_SHAPE | TRACE_CAPTURES,
				   MUST_ANY | MUST_CUDA | MUST_NVTX | MUST_OS);
}

/* Add the trace to the marks, and thin its events to the size of a page.  The events in typical steps are not
 * merged, unless they are too many (timeline_thin). */
static void drawn_thin_to_page(const drawn_params *p, timeline *tl, answer_ctx *a)
{
	marked *m = p->marks;
	ival_set keep;

	marked_add(m, a->t, tl->hull);
	keep = marked_typical_times(m, a->t);
	view_page_thin(p->page, tl, p->most ? (size_t)p->most : VIEW_MOST,
		m->surveyed > m->added ? m->surveyed - m->added : 0, &keep, a->say);
	ival_free(&keep);
}

/* Report that this many tenths of the work on a page are done. */
static void drawn_tell_view_progress(const drawn_params *p, const char *doing, size_t tenths)
{
	if (p->progress)
		p->progress(doing, tenths, 10);
}

static bool drawn_add_view_rows(answer_ctx *a, const void *params)
{
	const drawn_params *p = params;
	int64_t ahead = p->path ? one_clock_ahead(p->clock, a->t, a->say) : 0;
	timeline *tl;
	bool ok;

	drawn_tell_view_progress(p, "laying out the timeline", 0);
	tl = drawn_build_timeline(a, p, TIMELINE_PAGE);
	ok = tl;
	drawn_tell_view_progress(p, "counting events", 1);
	while (ok && answer_next_window(a))
		drawn_add_window_row(a, p, tl);
	drawn_tell_view_progress(p, "looking for findings", 2);
	if (ok && p->marks)
		drawn_thin_to_page(p, tl, a);
	ok = ok && (!p->path || view_page_add(p->page, tl, ahead, a->say));
	timeline_free(tl);
	return ok || !a->all->n;
}

static bool drawn_finish_view(const void *params, table *out, notes *say)
{
	const drawn_params *p = params;
	bool ok;

	if (p->marks)
		marked_end(p->marks);
	drawn_tell_view_progress(p, "writing the page", 5);
	ok = !p->path || view_page_write(p->page, one_clock_sentence(p->clock), p->marks, p->path, p->replace, say);
	view_page_free(p->page);
	return drawn_finish_common(p, out, ok);
}

const answer view_answer = { .all = all_columns, .columns = drawn_list_view_columns,
	.question = drawn_make_view_question, .rows = drawn_add_view_rows, .survey = drawn_survey_trace,
	.finish = drawn_finish_view };

/* ---- a file for Perfetto */

static void drawn_list_export_columns(const void *params UNNEEDED, table *out)
{
	table_columns(out, all_columns, WORK, CALLS, RANGES, ARROWS, VALUES, MARKS, OS_CALLS, MPI_CALLS, FILE_NAME);
}

static question drawn_make_export_question(const void *params)
{
	const drawn_params *p = params;

	question q = drawn_make_question(p, p->path ? TRACE_SHAPE | TRACE_FULL | TRACE_CAPTURES : 0,
					 MUST_EITHER);

	if (!p->path && !p->marks)
		q.need &= ~(unsigned)TRACE_SYNCS;       /* syncs are needed only for idle time, which the rows do not
							 * count */
	return q;
}

struct export_file {
	whole_file whole;
	FILE *to;               /* the file, or the compressor that writes into it; NULL: the file was not begun yet */
	chrome_json json;
	export_ids ids;
	size_t traces;
	size_t before;          /* the number of events in the file before the current trace */
	size_t total;           /* about how many events the current trace adds */
	view_progress *progress;
};

export_file *export_file_new(void)
{
	return mem_new(export_file, 1);
}

/* Begin the file, unless an earlier trace did.  False after a problem. */
static bool drawn_begin_export(export_file *f, const drawn_params *p, notes *say)
{
	if (f->to)
		return true;
	if (!whole_begin(&f->whole, p->path, p->replace, say))
		return false;
	f->progress = p->progress;
	f->to = text_ends(p->path, ".gz") ? gzip_begin(f->whole.to) : f->whole.to;
	f->json = chrome_begin(f->to);
	return true;
}

static void drawn_tell_export_progress(void *ctx)
{
	const export_file *f = ctx;

	f->progress("writing", f->json.events - f->before, f->total);
}

static void drawn_write_events(export_file *f, const timeline *tl, const drawn_params *p, answer_ctx *a)
{
	f->before = f->json.events;
	f->json.ahead = one_clock_ahead(p->clock, a->t, a->say);
	f->traces++;
	export_events(tl, &(export_how){ p->categories, f->progress ? drawn_tell_export_progress : NULL, f }, &f->ids,
		      &f->json);
}

static bool drawn_add_export_rows(answer_ctx *a, const void *params)
{
	const drawn_params *p = params;
	timeline *tl = drawn_build_timeline(a, p, p->path ? TIMELINE_FILE : TIMELINE_FILE & ~TIMELINE_COMPUTED);
	bool ok = tl && (!p->file || drawn_begin_export(p->file, p, a->say));
	size_t total = 0;

	while (ok && answer_next_window(a))
		total += drawn_add_window_row(a, p, tl);
	if (ok && p->file) {
		if (p->marks)
			marked_add(p->marks, a->t, tl->hull);
		p->file->total = total;
		drawn_write_events(p->file, tl, p, a);
	}
	timeline_free(tl);
	return ok || !a->all->n;
}

static bool drawn_finish_export(const void *params, table *out, notes *say UNNEEDED)
{
	const drawn_params *p = params;
	export_file *f = p->file;
	bool ok = true;

	if (p->marks)
		marked_end(p->marks);
	if (f && f->to) {
		if (p->marks)
			export_findings(p->marks, &f->ids, &f->json);
		chrome_end(&f->json, f->traces > 1 ? one_clock_sentence(p->clock) : NULL);
		if (f->to != f->whole.to)
			fclose(f->to);
		ok = whole_end(&f->whole);
		export_ids_free(&f->ids);
	}
	free(f);
	return drawn_finish_common(p, out, ok);
}

const answer export_answer = { .all = all_columns, .columns = drawn_list_export_columns,
	.question = drawn_make_export_question, .rows = drawn_add_export_rows, .survey = drawn_survey_trace,
	.finish = drawn_finish_export };
