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
 * Most steps are ranges.  On the GPU, a range goes from the first start to the last end of the work that any thread of
 * the process launched while the range was open (its projection).  If kernels repeat, a step is a stretch of work
 * instead.  One rule finds the steps of all processes and GPUs of a trace (share/conventions/window.md, "Steps").  A
 * process in which that rule finds no step is a single step.
 */
#pragma once

#include "base/pattern.h"
#include "launch/projection.h"
#include "step/steady.h"
#include "step/steps_rule.h"

enum step_state {
	STEP_STEADY,
	STEP_WARM_UP,           /* one of the first steps, and longer than the later ones */
	STEP_LAST,              /* the last step, if no next step ends its period */
	STEP_IN_TREND           /* the work changes from step to step (a trend), so no step is warm-up or unusually
				 * long */
};

typedef struct {
	ival gpu;               /* from the first start to the last end of its work on the GPU; its CPU times if
				 * `on_cpu` */
	ival cpu;               /* its CPU times: the range, or from its first launch to that of the next stretch */
	uint32_t name;          /* string: the name of the range, of the anchor (repeats.h) or of the process */
	size_t work;            /* number of pieces of work launched in it */
	bool on_cpu;            /* `gpu` holds the CPU times: the step launched no work on the GPU in question, or CPU
				 * times were asked for */
	size_t index;           /* position among the steps of the process, from 0 */
	int64_t number;         /* the number in its name, if these numbers rise (name_numbers.h); otherwise the
				 * index */
	int64_t busy;           /* ns in which work other than communication runs, from its start to that of the next
				 * step or, if none follows, to its end; STEADY_NONE: not measured, because the periods
				 * tell enough (steady.h) */
	enum step_state state;
	bool other_work;        /* rule repeat, tokens inside larger repeats: it differs from the other steps, probably
				 * because it processes the prompt of a request, and perhaps also makes the first
				 * token */
} step;

typedef struct {                /* the steps of a process, in order of cpu.a */
	step *v;
	size_t n, room;
	enum steps_rule rule;
	step after;             /* rule repeat: the stretch after the last step, of which only the starts are set
				 * (cpu.a, gpu.a); its name is STR_NONE if no stretch follows */
} steps;

typedef struct {
	enum steps_rule rule;   /* the rule of the trace; unless a choice names the steps, a process without such steps
				 * is one step of rule process */
	uint32_t name;          /* rule iteration: the folded name of the steps; other rules: STR_NONE */
	uint32_t runner_up;     /* the next best folded name of ranges (annotated_steps.h), or STR_NONE */
	size_t nrunner_up;      /* number of ranges whose folded name is runner_up */
	size_t agree;           /* rule repeat: number of steps that agree with the others (stretches.h) */
	size_t outer;           /* rule repeat: number of larger repeats that contain these steps; 0: none does */
	steps *of;              /* by process */
	size_t n;
	int64_t held_ns;        /* ns of kernels and graphs that were launched in the steps, except in those of rule
				 * process */
	int64_t kernel_ns;      /* ns of kernels and graphs in the whole trace */
} step_set;

/* The push/pop and start/end ranges whose names match, in every process; all ranges if re is NULL.  With cpu, the field
 * gpu of a step equals its field cpu. */
step_set steps_match(const trace *t, const projection *p, const pattern *re, bool cpu);

/* The steps of a choice.  If the choice names no steps, they are found once for a trace and `outer`, kept with the
 * trace, and projected anew for each call.  With cpu, the field gpu of a step equals its field cpu.  Needs TRACE_WORK,
 * TRACE_LAUNCH and TRACE_RANGES; finding steps also needs TRACE_CALLS, and TRACE_SHAPE to distinguish kernels of one
 * name by their grids. */
step_set steps_find(trace *t, const projection *p, const steps_choice *choice, bool cpu);
void steps_free(step_set *s);

/* The steps of a choice, projected on all GPUs.  They are kept with the trace, so the patterns of the choice must live
 * as long as the trace. */
const step_set *steps_of(trace *t, const steps_choice *choice);

/* The measurements that decide which steps of a process are steady.  The caller frees them with steady_list_free. */
steady_list steps_measure(const steps *st);

/* ns from the start of step i to that of the next step that starts later.  Only steps with the same `on_cpu` count.
 * STEADY_NONE: none of them starts later. */
int64_t steps_period(const steps *st, size_t i);

/* Step i, with its end moved to the start of the next step, on the CPU and on the GPU; unchanged if no step starts
 * later. */
step steps_to_next(const steps *st, size_t i);

typedef struct {                /* sums over the ranges of one name, which are added in order of start; begin with
				 * zeros */
	int64_t count;          /* ranges */
	int64_t work;           /* pieces of work launched in them */
	int64_t gpu_ns;         /* their time on the GPU (projection_sum) */
	int64_t until;          /* latest end so far */
} step_sum;

/* Add a range to the sums of its name.  Work launched in two of the ranges counts once. */
void steps_add(step_sum *sum, const projection *p, uint32_t proc, const step *st);
