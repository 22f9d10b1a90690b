/*
 * nest - which push/pop ranges stand around a piece of work.
 *
 *     nest *n = nest_build(t, NEST_WORK);
 *     for (nest_walk w = nest_of(n, i); w.range != NONE; nest_out(n, &w))
 *         ... t->pushpop.name[w.range] ...       // innermost first
 *     nest_free(n);
 *
 * They are the ranges of the launching thread that are open when the launching
 * call starts.  With adopt, the ranges open at that moment on the main thread of
 * the process stand around those: work launched outside every range of its own
 * thread stands in them alone.
 */
#ifndef NEST_H
#define NEST_H

#include "relate/rules.h"
#include "trace/trace.h"

typedef struct {
	trace *t;
	uint32_t *parent;        /* by range: the range around it when it opened, or NONE */
	uint32_t *inner;         /* by call: its thread's innermost range, or NONE */
	uint32_t *main;          /* by call: the main thread's; NULL unless adopting */
	const rules *rules;      /* of nest_label */
	uint32_t *name_label;    /* by name: its own label, once it was asked */
	uint32_t *range_label;   /* by range, the same for the range and those around it */
	size_t *first;           /* by thread: where its ranges begin; one more for the end */
} nest;

typedef struct {
	uint32_t range;          /* NONE: there are no more */
	uint32_t then;           /* the main thread's, to follow when adopting */
	int64_t at;              /* launch_ns */
} nest_walk;

enum {
	NEST_WORK = 1,          /* ranges around work, and below */
	NEST_ADOPT = 3,         /* the same, adopting */
	NEST_RANGES = 0         /* only how ranges stand around each other */
};

nest *nest_build(trace *t, unsigned what);
nest_walk nest_of(const nest *n, size_t work);
void nest_out(const nest *n, nest_walk *w);
void nest_free(nest *n);

/* The innermost range of a thread at a moment, or NONE. */
uint32_t nest_at(const nest *n, uint32_t thread, int64_t moment);

/* Call f for every push/pop range that can be in [a,b): those open at a, and those that begin in it.
 * Costs no more than what it calls, and a search for each thread. */
void nest_each(const nest *n, ival w, void (*f)(void *ctx, size_t range), void *ctx);

/* The main thread of a process, whose tid is the pid; NONE if it has no events. */
uint32_t nest_main_thread(const trace *t, uint32_t proc);

/* Label work by rules: the innermost range that a rule matches gives it, STR_NONE if none does. */
void nest_use_rules(nest *n, const rules *r);
uint32_t nest_rule_label(nest *n, size_t work);

/* The label of a name itself, STR_NONE if no rule matches. */
uint32_t nest_name_label(nest *n, uint32_t name);

/* The same, and where no rule matches the folded name of the innermost range outside NCCL's
 * domain, STR_NONE if there is none. */
uint32_t nest_label(nest *n, size_t work);

#endif
