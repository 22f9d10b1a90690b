/*
 * kernels - which kernels take the time?
 *
 *     kernels_params p = { .mode = KERNELS_SUMS, .keys = KERNELS_BY_NAME };
 *     table answer = { 0 };
 *     answer_rows(&kernels_answer, t, all, &p, &answer, say);
 *     table_free(&answer);
 */
#ifndef KERNELS_H
#define KERNELS_H

#include "answer/question.h"
#include "trace/rules.h"

enum { KERNELS_SUMS = 1, KERNELS_EACH = 2 };

enum {
	KERNELS_BY_NAME = 1, KERNELS_BY_GPU = 2, KERNELS_BY_STREAM = 4, KERNELS_BY_PID = 8, KERNELS_BY_CATEGORY = 16,
	KERNELS_BY_NVTX = 32, KERNELS_BY_SOURCE = 64
};

typedef struct {
	unsigned mode;          /* KERNELS_SUMS; KERNELS_EACH: one row per kernel */
	unsigned keys;          /* KERNELS_BY_...: rows of KERNELS_SUMS; 0: see kernels_keys */
	const rules *categories;    /* needed by KERNELS_BY_CATEGORY, which it implies */
	const load_comm *comm;    /* kernels that communicate; NULL: those of the built-in list */
	const regex_t *match;   /* only work whose name matches; NULL: all */
	bool full;              /* demangled names */
	unsigned copies;        /* count copies and sets too */
	bool adopt;             /* ranges on the main thread also contain other threads' work */
	bool captured;          /* ranges around the capture of a CUDA graph also contain what its replays ran */
	int64_t *wall;          /* by number of the trace: how long the run took without a profiler, ns; 0: the
				 * window; or NULL */
	size_t walls;           /* how many there are; 1: it holds for all traces */
	const char *wall_in;    /* instead: the manifest of nsq-capture that has it (manifest.h); or NULL */
	bool no_launches;       /* KERNELS_EACH: nobody reads launch_ns and nvtx, which stay missing */
	bool details;           /* KERNELS_EACH: with the columns grid, block, full; they are missing unless these
				 * are set: */
	bool shapes, demangled;
} kernels_params;

/* The keys in effect: by name unless others are given. */
unsigned kernels_keys(const kernels_params *p);

extern const answer kernels_answer;

#endif
