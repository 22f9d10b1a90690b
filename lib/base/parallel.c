#include "base/parallel.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

/* The C library keeps 40 MB of stacks for the threads to come.  With those of 8 MB that is five: all others would be
 * mapped and unmapped for each call, which no two threads can do at once. */
enum { STACK = 1 << 20 };

typedef struct job job;

/* A thread, the i-th of its job, starts the (2i+1)-th and the next: one that starts all others is late itself, and
 * where pieces are short there is soon nothing left to do. */
typedef struct {
	job *of;
	pthread_t id;
} worker;

struct job {
	void (*piece)(void *ctx, size_t i);
	void *ctx;
	size_t n, nworkers;
	atomic_size_t next;
	worker *workers;
	pthread_attr_t how;
};

static void *work(void *arg)
{
	worker *me = arg, *child;
	job *j = me->of;
	size_t first = 2 * (size_t)(me - j->workers) + 1, end = first;

	/* if a thread cannot be created, go on with fewer: this one does the rest */
	for (; end < first + 2 && end < j->nworkers && atomic_load(&j->next) < j->n; end++) {
		child = &j->workers[end];
		child->of = j;
		if (pthread_create(&child->id, &j->how, work, child) != 0)
			break;
	}
	for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;)
		j->piece(j->ctx, i);
	for (size_t i = first; i < end; i++)
		pthread_join(j->workers[i].id, NULL);
	return NULL;
}

void par_do(int threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx)
{
	job j = { .piece = piece, .ctx = ctx, .n = n };

	j.nworkers = threads <= 1 ? 1 : n < (size_t)threads ? n : (size_t)threads;
	j.workers = mem_new(worker, j.nworkers);
	j.workers[0].of = &j;
	pthread_attr_init(&j.how);
	pthread_attr_setstacksize(&j.how, STACK);
	work(&j.workers[0]);
	pthread_attr_destroy(&j.how);
	free(j.workers);
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
