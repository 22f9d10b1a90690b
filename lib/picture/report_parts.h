/*
 * report_parts - the tables of a report: which there are, how each is asked for, and the command that gives it.
 *
 *     report r = report_begin(&(report_params){ .warn_below = 70 });
 *     vec_push(&r.traces, "run.sqlite");
 *     puts(report_command(&r, REPORT_KERNELS));          // nsq-kernels run.sqlite
 *     report_free(&r);
 */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "answer/advise.h"
#include "answer/ledger.h"
#include "answer/nccl.h"
#include "answer/window.h"
#include "picture/report.h"

enum report_id {
	REPORT_PROCESSES, REPORT_FACTS, REPORT_STEPS, REPORT_EVERY_STEP, REPORT_TYPICAL, REPORT_SPLIT, REPORT_IDLE,
		REPORT_LEDGER, REPORT_STALLS,
	REPORT_STEP_KERNELS, REPORT_KERNELS, REPORT_KERNELS_BY_PROCESS, REPORT_RANGES, REPORT_RANGES_BY_PROCESS,
		REPORT_PHASES, REPORT_GAPS,
	REPORT_OVERLAP, REPORT_COLLECTIVES, REPORT_STRAGGLERS, REPORT_LAUNCHES, REPORT_SYNC, REPORT_CALLS,
		REPORT_COPIES,
	REPORT_STREAMS, REPORT_MEMORY, REPORT_METRICS, REPORT_FINDINGS, REPORT_PARTS
};

enum report_windows {
	REPORT_WHOLE,           /* the default of the tool */
	REPORT_EACH_PROCESS,    /* nsq-setup | ... */
	REPORT_TYPICAL_STEP,    /* nsq-window --period | ... */
	REPORT_STEADY           /* nsq-window --pick all --period | ... --merge */
};

enum { REPORT_MIN_PCT = 2 };    /* findings worth less of a step are left out */

enum { REPORT_TAKES_MATCH = 1, REPORT_TAKES_COMM = 2, REPORT_TAKES_CAPTURED = 4, REPORT_TAKES_PHASES = 8 };

typedef struct report report;

typedef struct {
	const char *name;       /* of its table: tables/NAME.csv */
	const char *about;      /* what it shows, a few words */
	const char *tool, *options;     /* " --by pid": what follows the tool's name */
	enum report_windows windows;
	unsigned takes;         /* REPORT_TAKES_...: options of the report that are passed on */
	int64_t limit;          /* keep this many rows of each window; 0: all */
	question (*ask)(const report *r);
	void (*columns)(const report *r, table *out);
	bool (*answer)(report *r, trace *t, const windows *all, table *out, notes *say);
	bool (*finish)(report *r, table *out, notes *say);      /* once, after all traces; or NULL */
} report_kind;

extern const report_kind report_kinds[REPORT_PARTS];

typedef struct {
	table rows;
	bool there;             /* could some trace answer? */
	const char *lacks;      /* why a trace could not; NULL: all could */
	const char *empty;      /* what it means if there are no rows */
	size_t hidden;          /* rows beyond the limit */
	size_t *first;          /* where the rows of each trace begin in by_trace; NULL: not sorted yet */
	uint32_t *by_trace;
} report_part;

struct report {
	const report_params *p;
	vec(const char *) traces;       /* that have a part in it */
	report_part part[REPORT_PARTS];
	bool tiled;             /* does the typical step reach to the next one? */
	window_takens *taken;   /* what is a step in each trace, until it is said */
	table untiled;          /* the steps of traces in which none follows another */
	nccl_job *collectives, *stragglers;     /* what these keep until all traces have been added */
	advise_job *advice;
	arrivals *ranks;        /* of all traces, */
	shared_gpus *across;    /* and the GPUs of their processes */
	notes said;             /* what the answers said, each line once, */
	str_pool lines;         /* and the lines */
	str_pool paths;         /* of traces that rows name, */
	vec(const char *) words;        /* and of all, each after a blank, as in a command */
	const char *operands;   /* all of them in a command; NULL: not written yet */
	vec(bool) of_several;   /* by finding; empty: not known yet */
	arena texts;
};

/* A report without traces. */
report report_begin(const report_params *p);
void report_free(report *r);

/* The command whose table it is. */
const char *report_command(report *r, enum report_id id);

/* The command of nsq-report itself. */
const char *report_own_command(report *r);

/* The command that compares two traces. */
const char *report_diff_command(report *r);

/* The rows of a part that are about a trace, in order.  Once they are asked for, the part has all its rows. */
const uint32_t *report_rows_of(report *r, enum report_id id, const char *of, size_t *n);

/* Is a row about this trace?  NULL: any. */
bool report_is_of(const table *t, size_t row, const char *of);

/* Are two rows about the same window of the same process and GPU? */
bool report_same_window(const table *a, size_t i, const table *b, size_t k);

/* Were steps found, so that the typical steps of the trace (NULL: of all) are not processes as a whole?  Why there are
 * none, not even these. */
bool report_has_steps(report *r, const char *of);
const char *report_no_steps(report *r);

/* Is a finding about processes of several traces at once? */
bool report_finding_of_several(report *r, size_t row);

#endif
