/*
 * steps - the repeating parts of a run: named ranges, DualPipeV chunks, annotated steps, repeated kernels.
 *
 *     step_set all = steps_find(t, projection_on(t, -1), &(steps_choice){ 0 }, false);
 *     const steps *first = &all.of[0];
 *     for (size_t i = 0; i < first->n; i++) {
 *         step s = steps_to_next(first, i);
 *         printf("%s %lld..%lld\n", steps_rule_name(first->rule), (long long)s.gpu.a, (long long)s.gpu.b);
 *     }
 *     steps_free(&all);
 *
 * Each is a range with its projection on the GPU: first start to last end of the work launched while it was open, by
 * any thread of its process.  What a step is, is decided once for a trace, from all its processes and GPUs together
 * (share/conventions/window.md, "Steps").
 */
#pragma once

#include "base/pattern.h"
#include "launch/projection.h"
#include "step/steady.h"
#include "step/steps_rule.h"

enum step_state {
	STEP_STEADY,
	STEP_WARM_UP,           /* it is one of the first, and long */
	STEP_LAST,              /* no next one ends its period */
	STEP_IN_TREND           /* the work changes from step to step: none is warm-up, and none long */
};

typedef struct {
	ival gpu;               /* its projection, or the CPU times where it launched nothing */
	ival cpu;
	uint32_t name;          /* string */
	size_t work;            /* pieces of work launched in it */
	bool on_cpu;            /* gpu holds CPU times */
	size_t index;           /* in its process, from 0, in time */
	int64_t number;         /* the one in its name, where these count up (name_numbers.h); else the index */
	int64_t busy;           /* how long compute and copies run in it, up to the next; STEADY_NONE: nobody looked,
				 * as the periods of the process tell enough (steady.h) */
	enum step_state state;  /* among the steps of its trace */
	bool other_work;        /* a token that its request's prompt is part of, or only that */
} step;

typedef struct {                /* of a process, in order of cpu.a */
	step *v;
	size_t n, room;
	enum steps_rule rule;
	step after;             /* repeat: what begins after the last, whose name is STR_NONE if there is none */
} steps;

typedef struct {
	enum steps_rule rule;   /* of the trace; a process that has no such steps is one step of rule process */
	uint32_t name;          /* iteration: the folded name; else STR_NONE */
	uint32_t runner_up;     /* the name of ranges that would have been next, STR_NONE if there is none, */
	size_t nrunner_up;      /* and how many ranges it has */
	size_t agree;           /* repeat: stretches that agree, */
	size_t outer;           /* and the larger repeats that they are in; 0: they are in none */
	steps *of;              /* by process */
	size_t n;
	int64_t held_ns;        /* kernel and graph time launched in the steps, without those of rule process */
	int64_t kernel_ns;      /* that of the trace */
} step_set;

/* The push/pop and start/end ranges whose name matches, of every process; re NULL: all of them.  With cpu there is no
 * projection, and gpu is the same as cpu. */
step_set steps_match(const trace *t, const projection *p, const pattern *re, bool cpu);

/* The steps that are chosen.  What is found is decided when it is first asked for.  Needs TRACE_WORK, TRACE_LAUNCH and
 * TRACE_RANGES; to find steps also TRACE_CALLS, and TRACE_SHAPE to tell kernels of one name by their grids. */
step_set steps_find(trace *t, const projection *p, const steps_choice *choice, bool cpu);
void steps_free(step_set *s);

/* Those on all GPUs, which are found once for a choice: its patterns must live as long as the trace. */
const step_set *steps_of(trace *t, const steps_choice *choice);

/* Of the steps of a process: what tells which are steady.  The caller frees it. */
steady_list steps_measure(const steps *st);

/* The time from a step's start to that of the next; STEADY_NONE if there is none. */
int64_t steps_period(const steps *st, size_t i);

/* A step up to where the next one begins, on both sides; as it is if there is none. */
step steps_to_next(const steps *st, size_t i);

typedef struct {                /* of the ranges of one name, in order of start; all 0 at first */
	int64_t count, work, gpu_ns;
	int64_t until;          /* latest end so far */
} step_sum;

/* Add a range to the sums of its name.  Work launched in two of the ranges counts once. */
void steps_add(step_sum *sum, const projection *p, uint32_t proc, const step *st);
