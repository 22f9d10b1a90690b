#include "base/parallel.h"
#include "base/ending_signals.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

enum { STACK = 1 << 20 };       /* bytes of stack for each thread */

typedef struct {
	void (*piece)(void *ctx, size_t i);
	void *ctx;
	size_t n;
	atomic_size_t next;     /* the first piece that no thread has begun */
} piece_queue;

static void *parallel_do_pieces(void *arg)
{
	piece_queue *queue = arg;

	for (size_t i; (i = atomic_fetch_add(&queue->next, 1)) < queue->n;)
		queue->piece(queue->ctx, i);
	return NULL;
}

/* Start up to `most` threads that do pieces.  Signals are blocked in them.  Returns how many have started. */
static int parallel_start_threads(piece_queue *queue, pthread_t *ids, int most)
{
	sigset_t before = ending_block_signals();
	pthread_attr_t attributes;
	int n = 0;

	mem_trim();     /* with a sanitizer, the first call sets up the C library's heap; only one thread may do that */
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	while (n < most && pthread_create(&ids[n], &attributes, parallel_do_pieces, queue) == 0)
		n++;
	pthread_attr_destroy(&attributes);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n;
}

void par_do(int threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx)
{
	int most = n < 2 || threads < 2 ? 0 : (n < (size_t)threads ? (int)n : threads) - 1;
	piece_queue queue = { .piece = piece, .ctx = ctx, .n = n };
	pthread_t *ids = mem_new(pthread_t, (size_t)most);
	int others = most ? parallel_start_threads(&queue, ids, most) : 0;

	parallel_do_pieces(&queue);
	for (int i = 0; i < others; i++)
		pthread_join(ids[i], NULL);
	free(ids);
}

int par_cores(void)
{
	cpu_set_t mine;
	long cores = sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : sysconf(_SC_NPROCESSORS_ONLN);

	return cores > 0 ? (int)cores : 1;
}

int64_t par_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
