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
	X(A_SEVERITY, "severity", 't', NULL, "{severity}; none is above medium with fewer than three steps, and " \
	  "none above low with fewer than 20 kernels (nsq help words severity)") \
	X(A_KIND, "kind", 't', NULL, "{advise.kind}, or what a finding of your own says (nsq help words " \
	  "advise.kind)") \
	X(A_RECOVER_NS, "recover_ns", 'i', "ns", "the most that a fix would save per step, under the assumption " \
	  "that finding names") \
	X(A_RECOVER_PCT, "recover_pct", 'd', "%", "recover_ns as a share of the mean step") \
	X(A_STEPS, "steps", 'i', NULL, "number of steps that were looked at, from start_ns to end_ns") \
	X(A_STEP_NS, "step_ns", 'i', "ns", "mean length of a step, up to the next: busy_ns + idle_ns") \
	X(A_TYPICAL_NS, "typical_ns", 'i', "ns", "length of the typical step: the median") \
	X(A_BUSY_NS, "busy_ns", 'i', "ns", "mean time of a step in which the GPU works") \
	X(A_COPY_NS, "copy_ns", 'i', "ns", "part of busy_ns in which only copies run") \
	X(A_CPU_NS, "cpu_ns", 'i', "ns", "mean time that the CPU needs for a step by itself: without its waits, " \
	  "and without what the profiler adds to launches") \
	X(A_WAIT_NS, "wait_ns", 'i', "ns", "mean time of a step in which the CPU waits: for the GPU while no " \
	  "thread launches, or off the CPU for something else") \
	X(A_IDLE_NS, "idle_ns", 'i', "ns", "mean time of a step in which the GPU has no work") \
	X(A_BOUND, "bound", 't', NULL, "what limits the step: {advise.bound}; - if it is not known (nsq help words " \
	  "advise.bound)") \
	X(A_WHERE, "where", 't', NULL, "innermost range that holds most of recover_ns; if there is none, the " \
	  "program's function that does") \
	X(A_FINDING, "finding", 't', NULL, "what was found, and what recover_ns assumes") \
	X(A_EVIDENCE, "evidence", 't', NULL, "command that prints the rows behind the finding") \
	X(A_ADVICE, "advice", 't', NULL, "what to do")

enum { ADVISE_OWN = COL_OWN - 1, ADVISE_COLUMNS(TABLE_ID) };

typedef struct {                /* what a finding says about a unit, or about one part of a unit (the column `part` of
				 * its query) */
	const finding *finding;
	size_t unit;            /* index in advise_tables.units */
	int64_t ns;             /* what a fix would save per step, ns: the sum of its rows; TABLE_MISSING: the finding
				 * saves nothing */
	int64_t largest;        /* the column `ns` of its largest row */
	const char *words;      /* the column `words` of the largest row */
	const char *assumes;    /* the column `assumes` of the largest row; NULL: finding.assumes holds */
	const char *advice;     /* the column `advice` of the largest row; NULL: finding.advice holds */
	const char *bound;      /* the column `bound` of the largest row, otherwise finding.bound; or NULL */
	int64_t step;           /* the step that shows the finding best, as its index among the steps of the unit;
				 * TABLE_MISSING: the finding is about all steps */
	int64_t in_any;         /* ns of the rows that name a range */
	int64_t best;           /* ns of the rows that name the range `where` */
	const char *where;      /* the range with the most ns; NULL: no row names one */
	int64_t part;           /* the value of its rows in the column `part`; TABLE_MISSING: none */
	bool open;              /* a fix is worth a row, but no range holds most of the time, so the sources of launches
				 * (call_sources.h) are needed */
} found;

struct advise_job {
	step_survey steps;      /* the steps that the survey of several traces found */
	bool chosen;             /* the user chose windows */
	advise_tables *tables;
	vec(found) found;
	group keys;             /* the keys of `found`: finding, unit, part */
	sums places;            /* the time of each finding in each range, ns (int64_t); keys: index in `found`, id of
				 * the range in `ranges` */
	str_pool ranges;        /* names of the ranges in `places` */
	vec(advise_about) about;        /* by row of the answer: facts that its columns do not show */
	vec(const char *) verdicts[2];  /* the verdict in sentences: [0] with the length of a step, [1] with shares of
					 * it */
	arena texts;
};

/* The list of findings to which a unit belongs, as a number: the ranks of a job share a list, and any other process on
 * a GPU has its own. */
static inline int64_t advise_list_of(const advise_job *j, size_t unit)
{
	const advise_unit *u = &j->tables->units.v[unit];

	return u->communicates ? -1 - (int64_t)u->world : (int64_t)unit;
}

/* Is this the bound of the finding?  f may be NULL. */
bool advise_has_bound(const found *f, const char *bound);

/* The saving of a finding, in percent of the mean step. */
double advise_pct(const advise_job *j, const found *f);

/* By unit: does a finding (about lost events, failed calls or clocks) say that nobody knows why the GPU is idle?  The
 * caller frees the array. */
bool *advise_find_doubted(const advise_job *j);

/* Can the finding be believed?  No if it saves time and its unit is doubted (advise_find_doubted), unless it is about
 * kernels. */
bool advise_is_believable(const found *f, const bool *doubted);

/* Is the GPU busy for at least 70 % of the time of the steps?  Its work, not its idle time, then bounds them. */
bool advise_is_mostly_busy(const advise_unit *u);

/* May the finding be listed before findings about kernels if the GPU is not mostly busy? */
bool advise_list_goes_before(const advise_job *j, const found *f);

/* Is it a finding, and not only a table for others?  A findings_choice function. */
bool advise_is_finding(const void *unused, const finding *f);

/* Add the rows of a finding to j->found: a findings_take function. */
void advise_add_finding_rows(void *to_job, const finding *f, const table *rows);

/* The ns of the entry in j->found to which advise_add_finding_rows has added this row; TABLE_MISSING: there is none. */
int64_t advise_total_of_row(const advise_job *j, const finding *f, const table *rows, size_t row);

/* Some findings save at least min_pct of a step, but no range holds most of that time.  advise_forget_places marks them
 * (found.open), forgets their ranges and empties j->places; false: there are none.  Their queries then run again, and
 * give the source of the launch where there is no range: findings_run with advise_wants_place and advise_add_places
 * adds these ranges and sources to j->places. */
bool advise_forget_places(advise_job *j, double min_pct);
bool advise_wants_place(const void *of_job, const finding *f);
void advise_add_places(void *to_job, const finding *f, const table *rows);

/* Add the rows of ADVISE_FINDINGS. */
void advise_list(const advise_params *p, table *out, notes *say);

/* Add the rows of ADVISE_VERDICT. */
void advise_add_verdict_rows(const advise_job *j, table *out);

/* Write the notes on what bounds the steps and what the profiler costs. */
void advise_say_verdict(const advise_params *p, notes *say);
