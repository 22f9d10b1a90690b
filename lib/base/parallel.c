#include "base/parallel.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

/* The C library keeps 40 MB of stacks for the threads to come.  With those of 8 MB that is five: all others would be
 * mapped and unmapped for each call, which no two threads can do at once. */
enum { STACK = 1 << 20 };

typedef struct {
	void (*piece)(void *ctx, size_t i);
	void *ctx;
	size_t n;
	atomic_size_t next;
} job;

static void *run_pieces(void *arg)
{
	job *j = arg;

	for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;)
		j->piece(j->ctx, i);
	return NULL;
}

void par_do(int threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx)
{
	job j = { .piece = piece, .ctx = ctx, .n = n };
	size_t helpers = threads > 1 && n > 1 ? (n < (size_t)threads ? n : (size_t)threads) - 1 : 0;
	pthread_t *id = mem_new(pthread_t, helpers);
	size_t started = 0;
	pthread_attr_t how;

	pthread_attr_init(&how);
	pthread_attr_setstacksize(&how, STACK);
	/* if a thread cannot be created, go on with fewer: this one does the rest */
	while (started < helpers && pthread_create(&id[started], &how, run_pieces, &j) == 0)
		started++;
	run_pieces(&j);
	for (size_t i = 0; i < started; i++)
		pthread_join(id[i], NULL);
	pthread_attr_destroy(&how);
	free(id);
}

int64_t par_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
