/*
 * question - what a question needs from a trace, and the rows of its answer.
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
 * Every answer is a value: what it asks of a trace, its columns, and a function of a
 * trace, windows of it and parameters that adds rows to a table, a group for each
 * window.  Parameters are a struct of its own (gaps_params) that begins with the mode,
 * an unsigned.  An answer keeps nothing between calls, prints nothing and never exits:
 * what it has to say goes to the notes.  To ask several questions of one trace, load it
 * with all their needs combined with |.
 */
#pragma once

#include "step/steps_rule.h"
#include "timeline/shared_gpu.h"
#include "timeline/window.h"
#include "table/table.h"
#include "trace/load.h"

_Static_assert(TRACE_UNKNOWN == TABLE_MISSING, "what a trace does not know is missing in a table");

enum {                               /* work whose ranges an answer shows */
	REPLAYED_COMM = 1,           /* communication kernels */
	REPLAYED_COMPUTE = 2,
	REPLAYED_COPIES = 4,         /* copies and sets */
	REPLAYED_KERNELS = 3
};

enum {                               /* kinds of tables that an answer requires */
	MUST_CUDA = 1,
	MUST_NVTX = 2,
	MUST_OS = 8,
	MUST_SWITCHES = 16,
	MUST_SAMPLES = 32,
	MUST_ANY = 4,                /* with some of them: any one of these is enough */
	MUST_EITHER = MUST_ANY | MUST_CUDA | MUST_NVTX,
	MUST_EVENTS = MUST_CUDA | MUST_NVTX | MUST_OS | MUST_SWITCHES | MUST_SAMPLES,
	MUST_METRICS = 64,           /* of GPUs */
	MUST_MEMORY = 128,           /* allocations */
	MUST_CHAINS = 256,           /* call chains of CUDA calls */
	MUST_NICS = 512              /* metrics of network adapters */
};

typedef struct {                     /* the names that an expression was meant to match */
	const pattern *match;
	bool matched;                /* by one of them */
	vec(const char *) v;         /* those that may be suggested */
	arena texts;
} question_names;

typedef struct {
	unsigned need;               /* TRACE_...: what to load, */
	unsigned need_if_named;         /* and what else if windows or a process are given */
	unsigned need_survey;        /* what a survey of several traces needs; 0: the same */
	unsigned must;               /* MUST_...: what must have been captured */
	enum window_default scope;   /* the windows if none are given, */
	bool steps;                  /* unless these are the steady steps (step_windows.h), */
	bool finds_steps;            /* it looks for steps itself: of a slice, for those that this holds */
	steps_choice choice;         /* which steps those are, */
	const pattern *match;        /* the ranges that are asked about, by name, or NULL, */
	void (*names)(trace *t, question_names *to);    /* or what else has a name: these, */
	const char *named;           /* each of which is called that */
	const load_comm *comm;         /* kernels that communicate; NULL: those of the built-in list */
	bool warn_lost;              /* warn if the capture lost events */
	bool warn_shared;            /* warn if processes share a GPU (TRACE_WORK), */
	bool warn_across;            /* or at least if those of different traces do */
	bool warn_clocks;            /* warn if the clocks of CPU and GPU disagree (what clock_offset.h needs) */
	bool mention_graphs;         /* say that whole graphs count as compute */
	bool mention_silence;        /* say that several processes do not communicate (TRACE_WORK) */
	unsigned replayed;           /* REPLAYED_...: say how many of these replay a CUDA graph (TRACE_CAPTURES), */
	bool captured;               /* and, as ranges around captures are asked for, how many are from elsewhere */
	const char *empty;           /* what it means if there are no rows */
} question;

/* Does the trace hold the kinds of events that the question needs?  False after a problem. */
bool question_fits(const question *q, const trace *t, notes *say);

/* Which of these kinds of events, MUST_..., were not captured? */
unsigned question_lacks(const trace *t, unsigned of);

/* "A or B; capture them with nsys profile --flags": these kinds, joined by `or`, and the flags that capture them. */
const char *question_flags(unsigned of, const char *or, arena *texts);

/* How many processes have kernels, if there are several and none of the trace's work is communication; else 0. */
size_t question_silent(trace *t);

/* Add the warnings that go with the question; the trace must be loaded.  only: the process asked about, or NULL.
 * across: of several traces, where their processes are gathered; shared_gpus_warn then warns of them all.  NULL: of
 * one. */
void question_warn(const question *q, trace *t, const window_filter *only, shared_gpus *across, notes *say);

typedef struct {
	trace *t;
	const windows *all;
	const window *w;             /* the current window */
	table *out;
	notes *say;

	size_t next;
	const char *path, *name, *each_name;    /* the texts of columns trace and window, owned by the table */
} answer_ctx;

typedef struct {
	const table_col *all;        /* its own columns, of all modes and keys, ended by an empty one */
	void (*columns)(const void *params, table *out);
	question (*question)(const void *params);
	bool (*rows)(answer_ctx *a, const void *params);    /* of a trace; false after a problem */

	/* work out what rows needs and the trace keeps (trace_keep), while other traces are loaded; or NULL */
	void (*ahead)(trace *t, const void *params);

	/* of one that looks at several traces together; or NULL */
	void (*survey)(trace *t, const void *params, notes *say);       /* each of them, before the first answer */
	bool (*finish)(const void *params, table *out, notes *say);     /* once, over the rows of all */
	bool rows_at_end;            /* rows come from finish alone, */
	bool tells_nothing;          /* which says itself why there are none */
	bool (*keeps)(const void *params, const trace *t);      /* does finish need the trace? */
} answer;

/* Add a name, and how it is shown; false: it matches, so no others are needed. */
bool question_name(question_names *to, const char *text, const char *shown);

/* Where no name in the trace matches what was typed for the question's match: the names that are like it. */
void question_suggest_name(const question *q, trace *t, notes *say);

/* Add the rows of a trace to a table, which gets its columns with the first.  False after a problem. */
bool answer_rows(const answer *of, trace *t, const windows *all, const void *params, table *out, notes *say);

/* ---- for implementing answers */

/* Set what rows cite.  Needed only by an answer that has replaced its table. */
void answer_begin_table(answer_ctx *a);

/* Go on to the next window; false after the last.  The rows of the previous one become a group. */
bool answer_next_window(answer_ctx *a);

/* Begin a row about the current window: for its process, or for a given one if the window is for all. */
void answer_add_row(answer_ctx *a);
void answer_add_row_of(answer_ctx *a, uint32_t proc);

/* Begin a row that is a window itself, like those of --each: it has no CPU side, and no GPU unless that is
 * set. */
void answer_add_row_at(answer_ctx *a, uint32_t proc, int64_t start, int64_t end);

/* The same for a piece of work: its time in the window, its GPU, context and stream. */
void answer_add_row_of_work(answer_ctx *a, size_t work);

void answer_set_stream(answer_ctx *a, const trace_stream *st);
