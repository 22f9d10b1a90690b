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
 * Each step is a range and its projection on the GPU, which goes from the first start to the last end of the work
 * that any thread of the process launched while the range was open.  One rule finds the steps of all processes and
 * GPUs of a trace (share/conventions/window.md, "Steps").
 */
#pragma once

#include "base/pattern.h"
#include "launch/projection.h"
#include "step/steady.h"
#include "step/steps_rule.h"

enum step_state {
	STEP_STEADY,
	STEP_WARM_UP,           /* one of the first steps, and longer than the later ones */
	STEP_LAST,              /* no next step ends its period */
	STEP_IN_TREND           /* a trend: the work changes from step to step, so no step is warm-up or unusually
				 * long */
};

typedef struct {
	ival gpu;               /* the projection, or the CPU times if the step launched nothing */
	ival cpu;
	uint32_t name;          /* string */
	size_t work;            /* pieces of work launched in it */
	bool on_cpu;            /* gpu holds CPU times */
	size_t index;           /* number within the process, from 0, in order of time */
	int64_t number;         /* the number in its name, if these numbers rise (name_numbers.h); otherwise the
				 * index */
	int64_t busy;           /* compute and copy time from its start to the next step; STEADY_NONE: not measured,
				 * because the periods tell enough (steady.h) */
	enum step_state state;
	bool other_work;        /* it processes a request's prompt, and perhaps its first token */
} step;

typedef struct {                /* the steps of a process, in order of cpu.a */
	step *v;
	size_t n, room;
	enum steps_rule rule;
	step after;             /* rule repeat: the start of the stretch after the last step; its name is STR_NONE if no
				 * stretch follows */
} steps;

typedef struct {
	enum steps_rule rule;   /* the rule of the trace; unless a choice names the steps, a process without such steps
				 * is one step of rule process */
	uint32_t name;          /* rule iteration: the folded name; other rules: STR_NONE */
	uint32_t runner_up;     /* the next best name of ranges, or STR_NONE */
	size_t nrunner_up;      /* number of ranges that have the next best name */
	size_t agree;           /* rule repeat: number of stretches that agree */
	size_t outer;           /* rule repeat: number of larger repeats that contain these steps; 0: none does */
	steps *of;              /* by process */
	size_t n;
	int64_t held_ns;        /* the kernel and graph time launched in the steps, without steps of rule process */
	int64_t kernel_ns;      /* kernel and graph time of the whole trace */
} step_set;

/* The push/pop and start/end ranges whose names match, in every process; all ranges if re is NULL.  With cpu, the field
 * gpu of a step equals its field cpu. */
step_set steps_match(const trace *t, const projection *p, const pattern *re, bool cpu);

/* The steps of a choice.  If the choice names none, they are found once and kept with the trace.  Needs TRACE_WORK,
 * TRACE_LAUNCH and TRACE_RANGES; finding steps also needs TRACE_CALLS, and TRACE_SHAPE to distinguish kernels of one
 * name by their grids. */
step_set steps_find(trace *t, const projection *p, const steps_choice *choice, bool cpu);
void steps_free(step_set *s);

/* The steps of a choice on all GPUs, found once and kept with the trace.  The patterns of the choice must therefore
 * live as long as the trace. */
const step_set *steps_of(trace *t, const steps_choice *choice);

/* The measurements that decide which steps of a process are steady.  The caller frees the list. */
steady_list steps_measure(const steps *st);

/* The time from the start of a step to the start of the next; STEADY_NONE: there is none. */
int64_t steps_period(const steps *st, size_t i);

/* A step extended to the start of the next one, on the CPU and the GPU; unchanged if it is the last. */
step steps_to_next(const steps *st, size_t i);

typedef struct {                /* sums over the ranges of one name, which are added in order of start; begin with
				 * zeros */
	int64_t count, work, gpu_ns;
	int64_t until;          /* latest end so far */
} step_sum;

/* Add a range to the sums of its name.  Work launched in two of the ranges counts once. */
void steps_add(step_sum *sum, const projection *p, uint32_t proc, const step *st);
