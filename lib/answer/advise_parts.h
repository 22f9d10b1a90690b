/*
 * advise_parts - the columns of nsq-advise and what its files share: for lib/answer/advise*.c alone.
 *
 *     advise_job *j = advise_begin(NULL);
 *     printf("%zu rows of findings, %zu processes\n", j->found.n, j->tables->units.n);
 *     advise_end(j);
 */
#pragma once

#include "answer/advise.h"
#include "answer/findings.h"
#include "answer/step_windows.h"
#include "base/group.h"

#define ADVISE_COLUMNS(X) \
	X(A_SEVERITY, "severity", 't', NULL, "untrusted: numbers cannot be believed; high, medium, low: from 10 %, " \
	  "5 % and less of a step, and without steps none above medium; info") \
	X(A_KIND, "kind", 't', NULL, "lost shared unknown: not to be trusted; sync data alloc load pageable copy um " \
	  "small host launch comm tiny late long tensor fuse unannotated, or what a finding of one's own says") \
	X(A_RECOVER_NS, "recover_ns", 'i', "ns", "what fixing it would save per step at most, under the assumption " \
	  "that the finding names") \
	X(A_RECOVER_PCT, "recover_pct", 'd', "%", "the same as a share of the mean step") \
	X(A_STEPS, "steps", 'i', NULL, "steps that were looked at, from start_ns to end_ns; with --verdict the same") \
	X(A_STEP_NS, "step_ns", 'i', "ns", "length of the typical step: the median time up to the next; what " \
	  "follows are means") \
	X(A_BUSY_NS, "busy_ns", 'i', "ns", "mean time in which the GPU works") \
	X(A_CPU_NS, "cpu_ns", 'i', "ns", "mean time that the CPU needs by itself: without its waits, and without " \
	  "what the profiler adds to launches") \
	X(A_WAIT_NS, "wait_ns", 'i', "ns", "mean time in which the CPU waits for the GPU and nobody launches") \
	X(A_IDLE_NS, "idle_ns", 'i', "ns", "mean time in which the GPU has nothing to do; with busy_ns, " \
	  "the mean step") \
	X(A_BOUND, "bound", 't', NULL, "what the step waits for: gpu cpu sync data comm late") \
	X(A_WHERE, "where", 't', NULL, "the innermost range that holds most of it; else the function of the " \
	  "program's own") \
	X(A_FINDING, "finding", 't', NULL, "what was found, and what the bound assumes") \
	X(A_EVIDENCE, "evidence", 't', NULL, "command that shows it") \
	X(A_ADVICE, "advice", 't', NULL, "what to do")

enum { ADVISE_OWN = COL_OWN - 1, ADVISE_COLUMNS(TABLE_ID) };

typedef struct {                /* what a finding says of a unit */
	const finding *f;
	size_t unit;
	int64_t ns;             /* per step; TABLE_MISSING: nothing can be won by it */
	int64_t largest;        /* of its rows, */
	const char *words;      /* whose words these are, */
	const char *advice;     /* and advice, or NULL: the finding's, */
	const char *more;       /* and the owner that a long step has more of, or NULL */
	int64_t step;           /* the step of the unit that shows it best; TABLE_MISSING: it is about all */
	int64_t in_any, best;   /* time in ranges, and in the one with most, */
	const char *where;      /* which is this one */
	int64_t part;
	bool open;              /* no range holds most of it, so sources are asked for */
} found;

struct advise_job {
	step_survey steps;      /* of several traces */
	advise_tables *tables;
	vec(found) found;
	group keys;             /* of them: finding, unit, part */
	vec(advise_about) about;        /* the rows of the answer */
	vec(const char *) verdicts[2];  /* in sentences: with the length of a step, and with shares of it */
	arena texts;
};

/* Add the rows of a finding to j->found: a findings_rows function. */
void advise_take(void *to_job, const finding *f, const table *rows);

/* Where nothing said where it is: forget it, and take it from rows anew, a findings_rows function. */
void advise_forget_places(advise_job *j);
void advise_take_places(void *to_job, const finding *f, const table *rows);

/* The rows of the answer, of what was found. */
void advise_list(const advise_params *p, table *out, notes *say);

/* The rows of --verdict. */
void advise_verdicts(const advise_job *j, table *out);

/* Say what bounds the steps, and what the profiler costs. */
void advise_say_verdict(const advise_params *p, notes *say);
