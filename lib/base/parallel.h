/*
 * parallel - independent pieces of work on several threads.
 *
 *     par threads = par_crew(16);                // starts none before there is work for it
 *     par_do(threads, n, piece, ctx);            // piece(ctx, 0) ... piece(ctx, n - 1), in any order
 *     par_dismiss(threads);
 *
 * A piece may call par_do itself; the crew helps whoever asks.  Its threads sleep between jobs: to start and to end
 * sixteen takes as long as many a job, and more where a new one has to wait for a core.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct par_team par_team;

typedef struct {
	int n;                  /* how many threads may work on something at once, the one that asks among them */
	par_team *team;         /* the others */
} par;

#define PAR_ALONE ((par){ .n = 1 })

par par_crew(int n);
void par_dismiss(par crew);
void par_do(par threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx);

static inline par par_few(par threads, int n)   /* at most n of them */
{
	threads.n = threads.n < n ? threads.n : n;
	return threads;
}

static inline size_t par_stretches(par threads) /* into how many parts to cut what all of them can do */
{
	return threads.n > 1 ? (size_t)threads.n : 1;
}

/* How many cores the process may use, at least 1: a scheduler of jobs may have given it few of the machine's. */
int par_cores(void);

/* Of a clock that only goes forward: how long something takes. */
int64_t par_clock_ns(void);
