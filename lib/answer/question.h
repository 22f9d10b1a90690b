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
 * Every answer is a value: what it needs of a trace, its columns, and a function that adds rows to a table, a group for
 * each window.  That function takes a trace, windows of it and parameters.  The parameters are a struct of the answer
 * (gaps_params) that begins with an unsigned, the mode.  An answer keeps nothing between calls, prints nothing and
 * never exits; its messages go to the notes.  To ask several questions of one trace, load it with the needs of all
 * combined with |.
 */
#pragma once

#include "step/steps_rule.h"
#include "timeline/shared_gpu.h"
#include "timeline/window.h"
#include "table/table.h"
#include "trace/load.h"

_Static_assert(TRACE_UNKNOWN == TABLE_MISSING, "what a trace does not know is missing in a table");

enum {                               /* kinds of work around which an answer shows ranges */
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
	MUST_ANY = 4,                /* any one of the MUST_EVENTS kinds that are set is enough */
	MUST_EITHER = MUST_ANY | MUST_CUDA | MUST_NVTX,
	MUST_EVENTS = MUST_CUDA | MUST_NVTX | MUST_OS | MUST_SWITCHES | MUST_SAMPLES,
	MUST_METRICS = 64,           /* metrics of GPUs */
	MUST_MEMORY = 128,           /* allocations */
	MUST_CHAINS = 256,           /* call chains of CUDA calls */
	MUST_NICS = 512              /* metrics of network adapters */
};

typedef struct {                     /* the names in a trace with which an expression is compared */
	const pattern *match;
	bool matched;                /* does the expression match a name? */
	vec(const char *) v;         /* names that may be suggested */
	arena texts;
} question_names;

typedef struct {
	unsigned need;               /* TRACE_...: the data to load */
	unsigned need_if_named;         /* TRACE_...: the data to load as well if windows or a process are given */
	unsigned need_survey;        /* TRACE_...: the data for a survey of several traces; 0: the same as need */
	unsigned must;               /* MUST_...: the events that must have been captured */
	enum window_default scope;   /* the windows if none are given */
	bool steps;                  /* the windows are the steady steps (step_windows.h) if none are given */
	bool finds_steps;            /* the answer finds the steps itself; in a slice, only those that the slice
				      * holds */
	steps_choice choice;         /* how steps are chosen */
	const pattern *match;        /* the names that are asked about; NULL: none */
	void (*names)(trace *t, question_names *to);    /* lists the names with which `match` is compared;
							 * NULL: the names of ranges */
	const char *named;           /* what the names belong to, as a word for messages; NULL: "range" */
	const load_comm *comm;         /* kernels that communicate; NULL: those of the built-in list */
	bool warn_lost;              /* warn if the capture lost events */
	bool warn_shared;            /* warn if processes share a GPU (TRACE_WORK) */
	bool warn_across;            /* warn if processes of different traces share a GPU */
	bool warn_clocks;            /* warn if the clocks of CPU and GPU disagree (needs the data for
				      * clock_offset.h) */
	bool mention_graphs;         /* say that whole graphs count as compute */
	bool mention_silence;        /* say so if there are several processes and none communicates (TRACE_WORK) */
	unsigned replayed;           /* REPLAYED_...: remark on pieces of such work that replay a CUDA graph
				      * (TRACE_CAPTURES) */
	bool captured;               /* --captured was given; the remark says how much of that work was captured
				      * before the trace began */
	const char *empty;           /* the message if there are no rows */
} question;

/* Does the trace hold the kinds of events that the question needs?  If not, that is a problem. */
bool question_fits(const question *q, const trace *t, notes *say);

/* The kinds in `of` (kinds of MUST_EVENTS) that were not captured. */
unsigned question_find_missing(const trace *t, unsigned of);

/* "A or B; capture them with nsys profile --flags": the names of the kinds in `of`, joined by the text `or`, and the
 * flags of nsys that capture these kinds. */
const char *question_flags(unsigned of, const char *or, arena *texts);

/* The number of processes with kernels if there are several and none has communication kernels; otherwise 0. */
size_t question_count_silent(trace *t);

/* Add the warnings that go with the question; the trace must be loaded. only: the process asked about, or NULL.
 * across: collects the processes of several traces, and shared_gpus_warn then warns of all of them; NULL: one
 * trace. */
void question_warn(const question *q, trace *t, const window_filter *only, shared_gpus *across, notes *say);

typedef struct {
	trace *t;
	const windows *all;
	const window *w;             /* the current window */
	table *out;
	notes *say;

	size_t next;
	const char *path, *name, *each_name;    /* texts of the columns trace and window, owned by the table */
} answer_ctx;

typedef struct {
	const table_col *all;        /* its own columns in all modes and with all keys, ended by an empty one */
	void (*columns)(const void *params, table *out);
	question (*question)(const void *params);
	bool (*rows)(answer_ctx *a, const void *params);    /* adds the rows of a trace; false after a problem */

	/* Computes data that `rows` needs and the trace keeps (trace_keep), and adds no notes.  It may be called while
	 * another thread loads other traces, or chooses the windows of this one.  NULL: there is no such data. */
	void (*ahead)(trace *t, const void *params);

	/* For an answer about several traces together; otherwise NULL. */
	void (*survey)(trace *t, const void *params, notes *say);       /* with several traces: called for each
									 * before the first rows */
	bool (*finish)(const void *params, table *out, notes *say);     /* called once, with the rows of all traces */
	bool rows_at_end;            /* finish alone adds rows */
	bool says_why_empty;          /* the answer says itself why there are no rows */
	bool (*keeps)(const void *params, const trace *t);      /* must the trace be kept until finish? */
} answer;

/* Compare a name with the expression, and keep `shown` as a suggestion (NULL: none).  False: the expression has
 * matched, so the caller can stop. */
bool question_match(question_names *to, const char *text, const char *shown);

/* If no name in the trace matches the question's expression, suggest names that are like it. */
void question_suggest_name(const question *q, trace *t, notes *say);

/* Add the rows of a trace to a table; an empty table gets its columns first.  False after a problem. */
bool answer_rows(const answer *of, trace *t, const windows *all, const void *params, table *out, notes *say);

/* ---- for implementing answers */

/* Tell a table the path of the trace, which its rows show, and the names of the trace.  answer_rows does this; an
 * answer that replaces its table by a new one does it again. */
void answer_begin_table(answer_ctx *a);

/* Go on to the next window; false after the last.  The rows of the previous one become a group. */
bool answer_next_window(answer_ctx *a);

/* Begin a row about the current window.  answer_add_row takes the process from the window; answer_add_row_of is for a
 * window of all processes, of which the row is about one. */
void answer_add_row(answer_ctx *a);
void answer_add_row_of(answer_ctx *a, uint32_t proc);

/* Begin a row that is a window itself, like the rows of --each.  It has no CPU side, and no GPU unless the caller sets
 * one. */
void answer_add_row_at(answer_ctx *a, uint32_t proc, int64_t start, int64_t end);

/* Begin a row that is a piece of work: its time inside the window, its GPU, context and stream. */
void answer_add_row_of_work(answer_ctx *a, size_t work);

void answer_set_stream(answer_ctx *a, const trace_stream *st);
