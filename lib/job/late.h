/*
 * late - which rank of a job keeps the others waiting, in which steps, and what it does meanwhile that they do not.
 *
 *     late *l = late_new();
 *     late_add(l, t, of, 0);                     // each trace, with the number of its first process in the job
 *     late_decide(l, j);                         // after job_match
 *     const late_rank *r = late_of(l, 0);
 *     printf("%s in %s\n", r->cause ? r->cause : "-", r->where ? r->where : "-");
 *     late_free(l);
 *
 * Everything that names a late rank asks here.  share/conventions/ledger.md, "A late rank", says what is decided,
 * and why.
 */
#pragma once

#include "job/job.h"
#include "step/owners.h"

typedef struct late late;
typedef struct late_steps late_steps;

typedef struct {
	bool accused;           /* in two steps or more it does more than others, and that explains why they wait */
	const char *cause;      /* what it does more: "gpu" (it computes) or the name of an owner; "rank N", whom it
				   waits for, at the end of the chain; or "unexplained" */
	const char *where;      /* in which range; NULL: in none but the step's */
	const char *name;       /* of what has one: the kernel or call that it does most more of there, or NULL; */
	int64_t count, ns;      /* how many more of them a late step has, and how much more time they take */
} late_rank;

enum { LATE_NAMED = 8 };

typedef struct {                /* of the steady steps of a process that begin in some time */
	size_t steps, late;
	int64_t which[LATE_NAMED];      /* the numbers of the first of the late ones (step/steps.h) */
	int64_t explained;      /* summed over the late ones; 0 unless it is accused */
	int64_t worst, begins;  /* of those in which: the time of the one that explains most, and when it begins */
} late_sum;

late *late_new(void);
void late_free(late *l);

/* Add the steps of a trace; neither is needed afterwards. */
void late_add(late *l, const trace *t, const late_steps *of, size_t first_proc);

void late_decide(late *l, const job *j);

/* Of a process of the job. */
const late_rank *late_of(const late *l, size_t proc);
late_sum late_in(const late *l, size_t proc, const ival_set *gpu);

/* How late an accused process makes the step that begins at the moment, on its own clock; 0: it does not.  parts is
 * called with what it does more then: the owner ("gpu": any that computes) and the range, what is most first, in
 * nanoseconds that add up to that. */
typedef void late_part(void *ctx, const char *cause, const char *where, int64_t ns);
int64_t late_at(const late *l, size_t proc, int64_t moment, late_part *parts, void *ctx);

/* What the process loses in its step that begins at the moment to others that are late in the same one. */
int64_t late_suffers(const late *l, size_t proc, int64_t moment);

/* The owner under which time is compared. */
const char *late_cause(enum owner o);
