/*
 * steps - the repeating parts of a run: named ranges, DualPipeV chunks, detected iterations.
 *
 *     projection *p = projection_build(t, -1);
 *     steps st = steps_find(t, p, proc, NULL, false);
 *     printf("%s %lld\n", st.rule, (long long)st.v[st.n / 2].gpu.a);
 *     steps_free(&st);
 *     projection_free(p);
 *
 * Each is a range with its projection on the GPU: first start to last end of
 * the work launched while it was open, by any thread of its process.
 */
#ifndef STEPS_H
#define STEPS_H

#include "relate/projection.h"

#include <regex.h>

typedef struct {
	ival gpu;               /* its projection, or the CPU times if it launched nothing */
	ival cpu;
	uint32_t name;          /* string */
	size_t work;            /* pieces of work launched during it */
} step;

typedef struct {                /* in order of cpu.a */
	step *v;
	size_t n, room;
	const char *rule;       /* match, chunk, iteration or process */
} steps;

/* The push/pop and start/end ranges of a process whose name matches; re NULL: all of them.  With cpu there
 * is no projection, and gpu is the same as cpu. */
steps steps_match(const trace *t, const projection *p, uint32_t proc, const regex_t *re, bool cpu);

/* The same if re is not NULL; otherwise chunks if there are any, else iterations, else the whole process
 * as one step. */
steps steps_find(trace *t, const projection *p, uint32_t proc, const regex_t *re, bool cpu);
void steps_free(steps *st);

typedef struct {                /* sums over the ranges of one name, in order of start; initially all 0 */
	int64_t count, work, gpu_ns;
	int64_t until;          /* latest end so far */
} step_sum;

/* Add a range to the sums of its name.  Work launched during two of the ranges counts once. */
void steps_add(step_sum *sum, const projection *p, uint32_t proc, const step *st);

#endif
