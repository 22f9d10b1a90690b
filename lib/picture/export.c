#include "picture/export.h"
#include "picture/export_events.h"
#include "base/gzip.h"
#include "base/text.h"
#include "base/whole_file.h"

#define COLUMNS(X) \
	X(WORK, "work", 'i', NULL, "pieces of GPU work in the window") \
	X(CALLS, "calls", 'i', NULL, "CUDA calls in it") \
	X(RANGES, "ranges", 'i', NULL, "NVTX ranges in it") \
	X(ARROWS, "arrows", 'i', NULL, "pieces of that work with an arrow from the call that launched them") \
	X(VALUES, "values", 'i', NULL, "samples of GPU metrics, allocations and frees: the counters") \
	X(MARKS, "marks", 'i', NULL, "NVTX marks in it") \
	X(OS_CALLS, "os_calls", 'i', NULL, "OS calls in it") \
	X(MPI_CALLS, "mpi_calls", 'i', NULL, "MPI calls in it") \
	X(FILE_NAME, "file", 't', NULL, "where they were written; -: nowhere")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void columns(const void *params, table *out)
{
	(void)params;
	table_columns(out, all_columns, WORK, CALLS, RANGES, ARROWS, VALUES, MARKS, OS_CALLS, MPI_CALLS, FILE_NAME);
}

static question ask(const void *params)
{
	const export_params *p = params;

	return (question){
		.need = TIMELINE_NEEDS | (p->path ? TRACE_BYTES | TRACE_SHAPE | TRACE_FULL | TRACE_CORRELATIONS |
			TRACE_CAPTURES : 0) | (p->marks ? marked_need() : 0),
		.must = MUST_EITHER,
		.need_survey = ONE_CLOCK_NEED | (p->marks ? marked_need() : 0),
		.scope = WINDOW_TRACE,
		.comm = p->comm,
		.warn_lost = true,
		.replayed = p->path ? REPLAYED_KERNELS | REPLAYED_COPIES : 0,
		.captured = p->captured,
		.empty = "there are no windows",
	};
}

struct export_file {
	whole_file whole;
	FILE *to;               /* the file, or what compresses on the way to it */
	chrome_json json;
	export_ids ids;
	size_t traces;
};

/* The file, begun if it is not there yet.  NULL after a problem. */
static export_file *file_of(const export_params *p, notes *say)
{
	export_file *f;

	if (*p->file)
		return *p->file;
	f = mem_new(export_file, 1);
	if (!whole_begin(&f->whole, p->path, p->replace, say)) {
		free(f);
		return NULL;
	}
	f->to = text_ends(p->path, ".gz") ? gzip_begin(f->whole.to) : f->whole.to;
	f->json = chrome_begin(f->to);
	return *p->file = f;
}

static bool finish(const void *params, table *out, notes *say)
{
	const export_params *p = params;
	export_file *f = p->path ? *p->file : NULL;
	bool ok = true;

	(void)say;
	if (p->marks)
		marked_end(p->marks);
	if (f && p->marks)
		export_findings(p->marks, &f->ids, &f->json);
	marked_free(p->marks);
	if (!f) {
		one_clock_free(p->clock);
		return true;
	}
	chrome_end(&f->json, f->traces > 1 ? one_clock_words(p->clock) : NULL);
	if (f->to != f->whole.to)
		fclose(f->to);
	ok = whole_end(&f->whole);
	if (!ok)
		table_clear(out);
	export_ids_free(&f->ids);
	free(f);
	*p->file = NULL;
	one_clock_free(p->clock);
	return ok;
}

typedef struct {                /* the answer for a trace */
	asking *a;
	const export_params *p;
	timeline *tl;
	const chrome_json *json;
	size_t before, total;   /* events in the file: before this trace, and how many it adds, about */
} answering;

static void count_window(answering *x)
{
	size_t n[TIMELINE_KINDS] = { 0 }, arrows = 0, values = timeline_values(x->tl, x->a->w);
	size_t ranges;
	ival arrow;

	timeline_count(x->tl, x->a->w, n);
	ranges = n[TIMELINE_RANGES] + n[TIMELINE_STARTEND];
	for (window_walk k = { 0 }; window_next(x->a->t, x->a->w, &k);)
		arrows += timeline_arrow(x->tl, k.work, &arrow);
	asking_row(x->a);
	table_int(x->a->out, WORK, (int64_t)n[TIMELINE_WORK]);
	table_int(x->a->out, CALLS, (int64_t)n[TIMELINE_CALLS]);
	table_int(x->a->out, RANGES, (int64_t)ranges);
	table_int(x->a->out, ARROWS, (int64_t)arrows);
	table_int(x->a->out, VALUES, (int64_t)values);
	table_int(x->a->out, MARKS, (int64_t)n[TIMELINE_MARKS]);
	table_int(x->a->out, OS_CALLS, (int64_t)n[TIMELINE_OS]);
	table_int(x->a->out, MPI_CALLS, (int64_t)n[TIMELINE_MPI]);
	table_text(x->a->out, FILE_NAME, x->p->path);
	x->total += n[TIMELINE_WORK] + n[TIMELINE_CALLS] + ranges + 2 * arrows + values + n[TIMELINE_MARKS] +
		n[TIMELINE_OS] + n[TIMELINE_MPI] + x->tl->parts.n + x->tl->spans.n;
}

static void progress(void *ctx)
{
	const answering *x = ctx;

	x->p->progress("writing", x->json->events - x->before, x->total);
}

static void write_events(answering *x, export_file *f)
{
	x->before = f->json.events;
	f->json.ahead = one_clock_ahead(x->p->clock, x->a->t, x->a->say);
	f->traces++;
	x->json = &f->json;
	export_events(x->tl, &(export_how){ x->p->categories, x->p->progress ? progress : NULL, x }, &f->ids, &f->json);
}

static bool rows(asking *a, const void *params)
{
	const export_params *p = params;
	answering x = { .a = a, .p = p };
	export_file *f = NULL;
	bool ok;

	if (!a->all->n)
		return true;
	x.tl = timeline_build(a->t, a->all, around_what(p->adopt, p->captured), TIMELINE_FILE);
	ok = x.tl && (!p->path || (f = file_of(p, a->say)));
	while (ok && asking_window(a))
		count_window(&x);
	if (f && p->marks)
		marked_add(p->marks, a->t, x.tl->hull);
	if (f)
		write_events(&x, f);
	if (x.tl)
		timeline_free(x.tl);
	return ok;
}

static void survey(trace *t, const void *params, notes *say)
{
	const export_params *p = params;

	if (p->path && p->clock)
		one_clock_add(p->clock, t, say);
	if (p->marks)
		marked_survey(p->marks, t);
}

const answer export_answer = { .all = all_columns, .columns = columns, .question = ask, .rows = rows,
	.survey = survey, .finish = finish };
