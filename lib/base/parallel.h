/*
 * parallel - independent pieces of work on several threads.
 *
 *     par_do(4, n, piece, ctx);                  // piece(ctx, 0) ... piece(ctx, n - 1), in any order
 *     printf("%d cores\n", par_cores());
 *
 * A piece may call par_do itself.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* On at most so many threads, the one that asks among them: it returns when all pieces are done. */
void par_do(int threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx);

/* How many cores the process may use, at least 1: a scheduler of jobs may have given it few of the machine's. */
int par_cores(void);

/* Of a clock that only goes forward: how long something takes. */
int64_t par_clock_ns(void);
