/*
 * job_order_parts - what matching by order knows of the processes, and of the groups of ranks that they may form.
 * For lib/relate/job_order.c and job_groups.c alone.
 */
#pragma once

#include "base/group.h"
#include "relate/job_parts.h"

enum { CLEARLY = 4 };           /* so many times better is not chance */

typedef struct {                /* a process */
	uint32_t proc;
	vec(job_item) items;    /* its collectives in order of launch; their names are classes: */
	uint32_t trace;         /* of the job: its clock */
	uint32_t set;           /* of processes that are aligned with each other; NONE: of none yet */
	int64_t number;         /* of its first item in the order that its set has in common */
} line;

typedef struct {                /* the clock of a trace */
	bool known;             /* against that of the first one: */
	int64_t ahead;          /* its time plus this is the time on that one */
	job_alignment best;     /* not known: what it would be by the two processes whose ends agree best, */
	uint32_t with, line;    /* one on a clock that is known and one on this; NONE: there are none */
} own_clock;

/* Why a class is not matched. */
enum verdict { FITS, UNLIKE, MISSING, APART, SEVERAL, VERDICTS };

typedef struct {
	job *j;
	vec(line) lines;        /* in order of rank if all have one, else as they were given */
	bool ranked;            /* do they have ranks 0, 1, 2 and so on? */
	bool missing;           /* does a label say that there are others? */
	vec(size_t) mesh;       /* the sizes that labels give */
	group classes;          /* name, kernel and range */
	uint32_t *sets;         /* by class: the set that has it, NONE if several do */
	own_clock *clocks;      /* by trace */
	bool unsure;            /* is a clock known only by UTC? */
	int64_t numbered;       /* collectives */
	size_t count[VERDICTS]; /* operations */
} ordering;

typedef struct {                /* processes that are aligned with each other */
	const line **v;         /* in order of rank */
	size_t n;
	int64_t first, end;     /* the numbers of their items, */
	uint32_t *class;        /* and by number less first, the class; NONE: they disagree */
} aligned;

typedef struct {                /* groups of so many ranks, so far apart */
	size_t size, stride;
} grouping;

typedef struct {                /* an operation of a group */
	size_t n;               /* how many take part, of those whose captures hold it */
	int64_t last, end;      /* when the last arrives, and the first ends */
	double mean;            /* how long after last they end on average */
} meeting;

/* Has the mesh no groups of this size, although it describes all ranks? */
bool job_order_not_in_mesh(const ordering *o, size_t size);

/* The processes of a set, and the classes of their operations; the caller frees v and class. */
aligned job_groups_set(const ordering *o, uint32_t set);

/* The operation of a process with this number, or NULL. */
const job_item *job_groups_item(const line *l, int64_t number);

/* The first rank of a group. */
size_t job_groups_base(const grouping *g, size_t i);

meeting job_groups_meet(const ordering *o, const aligned *s, const grouping *g, size_t which, int64_t number);

/* The groups that a class is matched in, if it is clear which. */
enum verdict job_groups_judge(const ordering *o, const aligned *s, uint32_t class, grouping *best);

/* Leave out the operations at which two groups end together: they may be one there, in a class of several sizes.  How
 * many there are. */
size_t job_groups_leave_out(const ordering *o, aligned *s, uint32_t class, const grouping *g);
