/*
 * question - what a question needs of a trace, and the rows of its answer.
 *
 *     gaps_params p = { .mode = GAPS_SUMS };
 *     question q = gaps_answer.question(&p);
 *     trace *run = trace_open("run.sqlite", 2, say);
 *     if (run && question_fits(&q, run, say) && load_trace(run, q.need, q.comm)) {
 *         windows all = window_resolve(run, NULL, &(window_filter){ .pid = -1, .gpu = -1 }, q.scope, say);
 *         table answer = { 0 };
 *         answer_rows(&gaps_answer, run, &all, &p, &answer, say);
 *         window_free(&all);
 *         trace_free(run);                       // the table does not need it any more
 *         table_free(&answer);
 *     }
 *
 * An answer is a struct of functions.  One says what the answer needs of a trace, one declares its columns, and one
 * adds its rows, given a trace, windows of it and parameters.  The rows of each window form a group.  The parameters
 * are a struct that belongs to the answer (gaps_params) and begins with an unsigned, the mode.  An answer keeps
 * nothing between calls, prints nothing and never exits; its messages go to the notes.  To ask several questions of
 * one trace, load the trace with all their needs, combined with |.
 */
#pragma once

#include "step/steps_rule.h"
#include "timeline/shared_gpu.h"
#include "timeline/window.h"
#include "table/table.h"
#include "trace/load.h"

_Static_assert(TRACE_UNKNOWN == TABLE_MISSING, "what a trace does not know is missing in a table");

enum {                               /* kinds of work that CUDA graphs may have replayed (question.replayed) */
	REPLAYED_COMM = 1,           /* communication kernels */
	REPLAYED_COMPUTE = 2,
	REPLAYED_COPIES = 4,         /* copies and sets */
	REPLAYED_KERNELS = 3
};

enum {                               /* kinds of events that an answer requires */
	MUST_CUDA = 1,
	MUST_NVTX = 2,
	MUST_OS = 8,
	MUST_SWITCHES = 16,
	MUST_SAMPLES = 32,
	MUST_ANY = 4,                /* with this flag, one of the kinds of MUST_EVENTS that are set is enough */
	MUST_EITHER = MUST_ANY | MUST_CUDA | MUST_NVTX,
	MUST_EVENTS = MUST_CUDA | MUST_NVTX | MUST_OS | MUST_SWITCHES | MUST_SAMPLES,
	MUST_METRICS = 64,           /* metrics of GPUs */
	MUST_MEMORY = 128,           /* allocations */
	MUST_CHAINS = 256,           /* call chains of CUDA calls */
	MUST_NICS = 512              /* metrics of network adapters */
};

typedef struct {                     /* the names in a trace with which an expression is compared */
	const pattern *match;
	bool matched;                /* has the expression matched a name? */
	vec(const char *) v;         /* the names that may be suggested, without repeats; question_match adds them */
	arena texts;
} question_names;

typedef struct {
	unsigned need;               /* TRACE_...: the data to load */
	unsigned need_if_named;      /* TRACE_...: more data to load if the user gives windows or a process */
	unsigned need_survey;        /* TRACE_...: the data to load for answer.survey; 0: the same as `need` */
	unsigned must;               /* MUST_...: the events that must have been captured */
	enum window_default scope;   /* the default windows */
	bool steps;                  /* if the user gives no windows, the question is about the steady steps in the
				      * default windows (step_windows.h), not about these windows themselves */
	bool finds_steps;            /* the answer finds the steps itself; of a slice (a trace that nsq-slice wrote), it
				      * shows only the steps that it holds whole, unless the user gives windows */
	steps_choice choice;         /* how steps are chosen */
	const pattern *match;        /* the names that the user asks about; NULL: none */
	void (*names)(trace *t, question_names *known); /* calls question_match for the names with which `match` is
							 * compared; NULL: `match` is compared with the names of
							 * ranges */
	const char *named;           /* what has the names, as a word for messages ("metric"); NULL: "range" */
	const load_comm_pattern *comm;  /* the kernels that communicate; NULL: those of the built-in list */
	bool warn_lost;              /* warn if the capture lost events */
	bool warn_shared;            /* warn if processes share a GPU (TRACE_WORK) */
	bool warn_across;            /* warn if processes of different traces share a GPU */
	bool warn_clocks;            /* warn if the clocks of CPU and GPU disagree (needs the data for
				      * clock_offset.h) */
	bool mention_graphs;         /* say that whole graphs count as compute */
	bool mention_silence;        /* if there are several processes and none communicates, say so (TRACE_WORK) */
	unsigned replayed;           /* REPLAYED_...: mention how many pieces of such work are nodes of CUDA graphs
				      * (TRACE_CAPTURES) */
	bool captured;               /* --captured was given: the ranges around the capture of a CUDA graph also contain
				      * its nodes; the remark of `replayed` then says how many nodes were captured
				      * before the trace began */
	const char *empty;           /* the message if there are no rows */
} question;

/* Does the trace hold the kinds of events that the question needs?  If not, that is a problem. */
bool question_fits(const question *q, const trace *t, notes *say);

/* Which of these kinds of events (bits of MUST_EVENTS) were not captured. */
unsigned question_find_missing(const trace *t, unsigned kinds);

/* "A or B; capture them with nsys profile --flags": the names of these kinds of events, with the text `between` between
 * them, and the flags of nsys that capture them.  The result lives in `texts`. */
const char *question_flags(unsigned kinds, const char *between, arena *texts);

/* The number of processes with kernels; but 0 if there is only one, or if any work in the trace communicates. */
size_t question_count_silent(trace *t);

/* Add the warnings and remarks that the question asks for.  The trace must be loaded.  only: the process that is asked
 * about; NULL: all.  across: collects traces for shared_gpus_warn, which later warns of processes of several traces;
 * NULL: the trace is not added. */
void question_warn(const question *q, trace *t, const window_filter *only, shared_gpus *across, notes *say);

typedef struct {
	trace *t;
	const windows *all;
	const window *w;             /* the current window */
	table *out;
	notes *say;

	size_t next;                 /* the index of the window after `w` */
	const char *path;            /* the column trace; it is a text of the table, and so are the next two */
	const char *name;            /* the column window, in rows about a window */
	const char *each_name;       /* the column window, in rows that are windows themselves (--each) */
} answer_ctx;

typedef struct {
	const table_col *all;        /* the answer's own columns in all modes and with all keys; the last element is
				      * empty */
	void (*columns)(const void *params, table *out);        /* declares the columns of an empty table */
	question (*question)(const void *params);   /* says what the answer needs of a trace */
	bool (*rows)(answer_ctx *a, const void *params);    /* adds the rows of a->t to a->out; false after a problem */

	/* Computes the data that `rows` needs and that the trace keeps (trace_keep), and adds no notes.  It may be
	 * called while another thread loads other traces, or chooses the windows of this one.  NULL: there are no such
	 * data. */
	void (*ahead)(trace *t, const void *params);

	/* survey, finish and keeps are for an answer about several traces together, and NULL for other answers. */
	void (*survey)(trace *t, const void *params, notes *say);       /* with several traces: called for each
									 * before the first rows */
	bool (*finish)(const void *params, table *out, notes *say);     /* called once, after the rows of all traces;
									 * false after a problem */
	bool rows_at_end;            /* `rows` adds none: all rows come from `finish` */
	bool says_why_empty;         /* the answer adds a note that says why there are no rows */
	bool (*keeps)(const void *params, const trace *t);      /* must the trace be kept until `finish` was called? */
} answer;

/* Compare the name `text` with the expression, and keep `shown` as a suggestion, unless it is NULL.  False: the
 * expression has matched this name or an earlier one, so no more names are needed. */
bool question_match(question_names *known, const char *text, const char *shown);

/* If no name in the trace matches the question's expression, suggest names that are similar to it. */
void question_suggest_name(const question *q, trace *t, notes *say);

/* Add the rows of a trace to a table.  An empty table first gets its columns.  False after a problem. */
bool answer_rows(const answer *of, trace *t, const windows *all, const void *params, table *out, notes *say);

/* ---- for implementing answers */

/* Let the rows of a->out use the path and the names of the trace.  answer_rows calls this; an answer that replaces
 * a->out by a new table calls it again. */
void answer_begin_table(answer_ctx *a);

/* Go on to the next window.  False: there is none.  The rows since the last call become a group. */
bool answer_next_window(answer_ctx *a);

/* Begin a row about the current window and its process. */
void answer_add_row(answer_ctx *a);

/* Begin a row about the current window and this process, for a window that may be about all processes. */
void answer_add_row_of(answer_ctx *a, uint32_t proc);

/* Begin a row that is a window itself, like the rows of --each.  That window has no CPU side, and no GPU unless the
 * caller sets that column.  proc NONE: the row is about no single process. */
void answer_add_row_at(answer_ctx *a, uint32_t proc, int64_t start, int64_t end);

/* Begin a row that is a piece of work.  Sets its time inside the window, and its GPU, context, stream and launch. */
void answer_add_row_of_work(answer_ctx *a, size_t work);

/* Set the columns of the GPU, context and stream. */
void answer_set_stream(answer_ctx *a, const trace_stream *st);
