/*
 * late - which rank of a job keeps the others waiting, in which steps, and what it does more than they do.
 *
 *     late *l = late_new();
 *     late_add(l, t, of, 0);                     // each trace, with the number of its first process in the job
 *     late_decide(l, j);                         // after job_match
 *     const late_rank *r = late_of(l, 0);
 *     printf("%s in %s\n", r->cause ? r->cause : "-", r->where ? r->where : "-");
 *     late_free(l);
 *
 * A step's lateness is how much later its process arrives than the second last process, summed over the operations at
 * which it arrives last and another waits.  The time that the step takes more than the same step in other processes
 * explains some or all of its lateness; if the explained part is more than jitter, the step is late.  All answers that
 * name a late rank use this module.  share/conventions/ledger.md, "A late rank", says what is decided, and why.
 */
#pragma once

#include "job/job.h"
#include "step/owners.h"

typedef struct late late;
typedef struct late_steps late_steps;

typedef struct {                /* the verdict on a process; its strings live as long as its `late` */
	bool accused;           /* does it do more than others in at least two steps, so much that it explains why they
				 * wait? */
	const char *cause;      /* if accused, what it does more: "gpu" (it computes) or the name of an owner
				 * (step/owners.h).  Otherwise "rank N" or "process N": the accused one at the end of
				 * the chain of processes that it waits for; or "unexplained".  NULL before
				 * late_decide */
	const char *where;      /* if accused, the range in which it does more; NULL: in none but the step's own
				 * range */
	const char *name;       /* the kernel or call there whose time exceeds that of other ranks most; or NULL */
	int64_t count;          /* how many more kernels or calls `name` a late step has on average */
	int64_t ns;             /* how much longer they take in a late step on average */
} late_rank;

enum { LATE_NAMED = 8 };        /* at most so many late steps are named */

typedef struct {                /* sums over the steady steps (step/steady.h) of a process that begin in a given time */
	size_t steps;           /* number of these steady steps */
	size_t late;            /* how many of them are late; 0 if the process is not accused */
	int64_t which[LATE_NAMED];      /* numbers of the first late steps (step/steps.h) */
	int64_t explained;      /* how much of the lateness of the late steps is explained, ns; 0 if the process is
				 * not accused */
	int64_t worst;          /* the most that is explained of one late step, ns */
	int64_t begins;         /* when that late step begins */
} late_sum;

late *late_new(void);
void late_free(late *l);

/* Add the steps of a trace.  Neither the trace nor the steps are needed afterwards. */
void late_add(late *l, const trace *t, const late_steps *of, size_t first_proc);

/* Find the late steps, their causes, and who waits for whom, after the last late_add and job_match. */
void late_decide(late *l, const job *j);

/* The verdict on a process of the job. */
const late_rank *late_of(const late *l, size_t proc);

/* The sums over the process's steady steps that begin on the GPU at the times `when`, on the process's clock. */
late_sum late_sum_in(const late *l, size_t proc, const ival_set *when);

/* How much of the lateness of a process's step is explained, ns.  The step is the one that begins at the moment, on the
 * process's clock.  0: no step begins there, it is not late, or the process is not accused.  Calls `parts` for each
 * thing that the process does more in this step, the largest first: with the cause (late_cause), the range (NULL: none
 * but the step's own), and the nanoseconds, which add up to at most the result. */
typedef void late_part(void *ctx, const char *cause, const char *where, int64_t ns);
int64_t late_explain_step(const late *l, size_t proc, int64_t moment, late_part *parts, void *ctx);

/* How much time the process loses in its step that begins at the moment, because others are late in the same step,
 * ns. */
int64_t late_lost_to_others(const late *l, size_t proc, int64_t moment);

/* The cause to which time of an owner is charged: "gpu", or the owner's name. */
const char *late_cause(enum owner o);
