/*
 * question - what a question needs of a trace, and the rows of its answer.
 *
 *     gaps_params p = { .mode = GAPS_SUMS };
 *     question q = gaps_question(&p);
 *     trace *run = trace_open("run.sqlite", 2, say);
 *     if (run && question_fits(&q, run, say) && load_trace(run, q.need, q.comm)) {
 *         windows all = window_resolve(run, NULL, &(window_filter){ .pid = -1, .gpu = -1 }, q.scope, say);
 *         table answer = { 0 };
 *         gaps_answer(run, &all, &p, &answer, say);
 *         window_free(&all);
 *         trace_free(run);                       // the table does not need it any more
 *         table_free(&answer);
 *     }
 *
 * Every answer is a function of a trace, windows of it and parameters that adds
 * rows to a table, a group for each window.  It keeps nothing between calls,
 * prints nothing and ends nothing: what it has to say goes to the notes.  To ask
 * several questions of one trace, load it with all their needs or-ed together.
 */
#ifndef QUESTION_H
#define QUESTION_H

#include "relate/window.h"
#include "table/table.h"
#include "trace/load.h"

enum {                               /* kinds of tables without which there is no answer */
	MUST_CUDA = 1,
	MUST_NVTX = 2,
	MUST_EITHER = 4
};

typedef struct {
	unsigned need;               /* TRACE_...: what to load, */
	unsigned need_asked;         /* and what besides, where windows are given */
	unsigned must;               /* MUST_...: what must have been captured */
	enum window_default scope;   /* the windows when none are given */
	const regex_t *comm;         /* which kernels communicate; NULL: names that begin with nccl */
	bool warn_lost;              /* warn of events lost in capture */
	bool mention_graphs;         /* say that whole graphs count as compute */
	const char *empty;           /* what it means when there are no rows */
} question;

/* Does the trace hold the kinds of events that the question needs?  False after a problem. */
bool question_fits(const question *q, const trace *t, notes *say);

/* The warnings that go with the question, of a loaded trace. */
void question_warn(const question *q, const trace *t, notes *say);

/* ---- for those who answer */

typedef struct {
	trace *t;
	const windows *all;
	const window *w;             /* the window at hand */
	table *out;
	notes *say;

	size_t next;
	const char *path, *name, *each_name;    /* what rows say of trace and window, kept by the table */
} asking;

/* Begin to answer.  out has its columns. */
asking asking_begin(trace *t, const windows *all, table *out, notes *say);

/* The next window; false after the last.  The rows of the one before it become a group. */
bool asking_window(asking *a);

/* Begin a row about the window at hand, for its process, or for one where the window is of all. */
void asking_row(asking *a);
void asking_row_of(asking *a, uint32_t proc);

/* Begin a row that is a window of its own, as those of --each are: no CPU side, no GPU unless it is set. */
void asking_row_at(asking *a, uint32_t proc, int64_t start, int64_t end);

/* The same for a piece of work: its time in the window, its GPU, context and stream. */
void asking_row_of_work(asking *a, size_t work);

void asking_stream(asking *a, const trace_stream *st);

#endif
