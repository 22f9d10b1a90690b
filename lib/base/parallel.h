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

/* Do all pieces on at most `threads` threads, one of which is the caller's.  Returns when all are done. */
void par_do(int threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx);

/* The number of cores that the process may use, at least 1.  A job scheduler may have given the process only some of
 * the cores of the machine. */
int par_cores(void);

/* Nanoseconds of a clock that never goes backwards, for measuring durations. */
int64_t par_clock_ns(void);
