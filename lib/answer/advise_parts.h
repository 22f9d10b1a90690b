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
#include "base/strings.h"
#include "base/sums.h"

#define ADVISE_COLUMNS(X) \
	X(A_SEVERITY, "severity", 't', NULL, \
	  "{severity}; with fewer than three steps none is above medium, with fewer than 20 kernels none above low " \
	  "(nsq help words severity)") \
	X(A_KIND, "kind", 't', NULL, \
	  "{advise.kind}, or what a finding of one's own says (nsq help words advise.kind)") \
	X(A_RECOVER_NS, "recover_ns", 'i', "ns", "what fixing it would save per step at most, under the assumption " \
	  "that the finding names") \
	X(A_RECOVER_PCT, "recover_pct", 'd', "%", "the same as a share of the mean step") \
	X(A_STEPS, "steps", 'i', NULL, "steps that were looked at, from start_ns to end_ns; with --verdict the same") \
	X(A_STEP_NS, "step_ns", 'i', "ns", "mean length of a step, up to the next: busy_ns and idle_ns") \
	X(A_TYPICAL_NS, "typical_ns", 'i', "ns", "length of the typical step: the median") \
	X(A_BUSY_NS, "busy_ns", 'i', "ns", "mean time in which the GPU works") \
	X(A_COPY_NS, "copy_ns", 'i', "ns", "part of that in which only copies run") \
	X(A_CPU_NS, "cpu_ns", 'i', "ns", "mean time that the CPU needs by itself: without its waits, and without " \
	  "what the profiler adds to launches") \
	X(A_WAIT_NS, "wait_ns", 'i', "ns", "mean time in which the CPU waits: for the GPU while nobody launches, or " \
	  "for something else, off the CPU") \
	X(A_IDLE_NS, "idle_ns", 'i', "ns", "mean time in which the GPU has nothing to do") \
	X(A_BOUND, "bound", 't', NULL, "what the step waits for: {advise.bound}; - if nobody knows " \
	  "(nsq help words advise.bound)") \
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
	const char *assumes, *advice;   /* and these, or NULL: the finding's, */
	const char *bound;      /* and bound, if its query or else its file says one, or NULL */
	int64_t step;           /* the step of the unit that shows it best; TABLE_MISSING: it is about all */
	int64_t in_any, best;   /* time in ranges, and in the one with most, */
	const char *where;      /* which is this one */
	int64_t part;
	bool open;              /* no range holds most of it, so sources are asked for */
} found;

struct advise_job {
	step_survey steps;      /* of several traces */
	bool chosen;             /* windows were given */
	advise_tables *tables;
	vec(found) found;
	group keys;             /* of them: finding, unit, part */
	sums places;            /* of int64_t, their time: which of them, range; */
	str_pool ranges;        /* of these the names */
	vec(advise_about) about;        /* the rows of the answer */
	vec(const char *) verdicts[2];  /* in sentences: with the length of a step, and with shares of it */
	arena texts;
};

/* Findings with one key are of one list: those of the ranks of a job, or of another process on a GPU. */
static inline int64_t advise_list_of(const advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];

	return u->communicates ? -1 - (int64_t)u->world : (int64_t)unit;
}

/* Has the finding this bound? */
bool advise_is_bound(const found *f, const char *bound);

/* What it saves, in percent of the mean step. */
double advise_pct(const advise_job *j, const found *f);

/* Can it be believed?  By unit, whether a finding says that nobody knows why the GPU is idle; the caller frees it. */
bool *advise_doubted(const advise_job *j);
bool advise_is_believable(const found *f, const bool *doubted);

/* Is the GPU busy for so much of the step that it, and not what keeps it idle, bounds the step? */
bool advise_is_mostly_busy(const advise_unit *u);

/* Does it go before findings about kernels, where the GPU is not mostly busy? */
bool advise_list_goes_before(const advise_job *j, const found *f);

/* Is it more than a table for others?  A findings_choice function. */
bool advise_is_finding(const void *of_job, const finding *f);

/* Add the rows of a finding to j->found: a findings_rows function. */
void advise_take(void *to_job, const finding *f, const table *rows);

/* Of a row that was added: what is said of it and those with it. */
int64_t advise_total(const advise_job *j, const finding *f, const table *rows, size_t row);

/* Forget where those are that are worth so much of a step and for which no range says it; false: there are none.  Then
 * take it from rows anew: functions for findings_run. */
bool advise_forget_places(advise_job *j, double min_pct);
bool advise_wants_place(const void *of_job, const finding *f);
void advise_take_places(void *to_job, const finding *f, const table *rows);

/* The rows of the answer, of what was found. */
void advise_list(const advise_params *p, table *out, notes *say);

/* The rows of --verdict. */
void advise_verdicts(const advise_job *j, table *out);

/* Say what bounds the steps, and what the profiler costs. */
void advise_say_verdict(const advise_params *p, notes *say);
