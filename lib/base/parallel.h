/*
 * parallel - independent pieces of work on several threads.
 *
 *     par_do(threads, n, piece, ctx);            // piece(ctx, 0) ... piece(ctx, n - 1), in any order
 */
#pragma once

#include <stddef.h>

void par_do(int threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx);
