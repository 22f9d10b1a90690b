#include "base/parallel.h"
#include "base/ending_signals.h"
#include "base/memory.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum {
	STACK = 1 << 20,
	TIMES = 2,      /* so many threads for each that may work at once: some wait for what others find */
	PATIENCE = 50,  /* times that a thread gives way to others before it sleeps */
	CALLS = 4,      /* a thread calls this many others to a job: one that called them all would be late itself */
};

typedef struct job job;

struct job {
	void (*piece)(void *ctx, size_t i);
	void *ctx;
	size_t n;
	size_t parts;           /* of the pieces, each of which is begun by another thread */
	atomic_size_t next;
	int wanted;             /* threads that may still come, */
	int uncalled;           /* those of them that nobody has called yet, */
	int here;               /* and those that work on it, besides the one that asked */
	pthread_cond_t left;    /* the last of them has left */
	job *after;
};

struct par_team {
	pthread_mutex_t lock;   /* of all below, and of what jobs count */
	sem_t bell;             /* wakes a thread that sleeps */
	job *jobs;              /* those with pieces to begin, the oldest first: their pieces are the largest */
	int most, started, asleep;
	bool over;
	pthread_t *ids;
};

static void *help(void *arg);

/* Call more threads to a job, with the lock held. */
static void call(par_team *t, job *j)
{
	pthread_attr_t how;
	sigset_t before;
	int n = j->uncalled < CALLS ? j->uncalled : CALLS;

	j->uncalled -= n;
	for (; n && t->asleep; n--, t->asleep--)
		sem_post(&t->bell);
	if (!n || t->started == t->most)
		return;
	before = ending_hold();
	pthread_attr_init(&how);
	pthread_attr_setstacksize(&how, STACK);
	for (; n && t->started < t->most && pthread_create(&t->ids[t->started], &how, help, t) == 0; n--)
		t->started++;           /* where none can be created, there are fewer */
	pthread_attr_destroy(&how);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Each thread begins elsewhere: neighbours are often stretches of one array, and two threads that are the first to
 * touch a large page of it would both clear one. */
static void do_pieces(job *j)
{
	size_t each = j->n / j->parts, more = j->n % j->parts;

	for (size_t i; (i = atomic_fetch_add(&j->next, 1)) < j->n;) {
		size_t part = i % j->parts;
		j->piece(j->ctx, part * each + (part < more ? part : more) + i / j->parts);
	}
}

static job *find_job(const par_team *t)
{
	job *j = t->jobs;

	while (j && !(j->wanted && atomic_load(&j->next) < j->n))
		j = j->after;
	return j;
}

/* Jobs mostly follow each other faster than a sleeping thread wakes up. */
static void wait_for_bell(par_team *t)
{
	for (int i = 0; i < PATIENCE; i++) {
		if (sem_trywait(&t->bell) == 0)
			return;
		sched_yield();
	}
	while (sem_wait(&t->bell) != 0)
		;               /* a signal came */
}

static void *help(void *arg)
{
	par_team *t = arg;

	pthread_mutex_lock(&t->lock);
	while (!t->over) {
		job *j = find_job(t);

		if (j) {
			j->wanted--;
			j->here++;
			call(t, j);
			pthread_mutex_unlock(&t->lock);
			do_pieces(j);
			pthread_mutex_lock(&t->lock);
			if (--j->here == 0)
				pthread_cond_signal(&j->left);
		} else {
			t->asleep++;
			pthread_mutex_unlock(&t->lock);
			wait_for_bell(t);
			pthread_mutex_lock(&t->lock);
		}
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Where another malloc is in use, that of a sanitizer say, the C library's own begins with mem_trim: here, before two
 * threads can begin it at once. */
par par_crew(int n)
{
	par_team *t;

	if (n <= 1)
		return PAR_ALONE;
	mem_trim();
	t = mem_new(par_team, 1);
	pthread_mutex_init(&t->lock, NULL);
	sem_init(&t->bell, 0, 0);
	t->most = TIMES * n;
	t->ids = mem_new(pthread_t, (size_t)t->most);
	return (par){ n, t };
}

void par_dismiss(par crew)
{
	par_team *t = crew.team;

	if (!t)
		return;
	pthread_mutex_lock(&t->lock);
	t->over = true;
	pthread_mutex_unlock(&t->lock);
	for (int i = 0; i < t->started; i++)
		sem_post(&t->bell);
	for (int i = 0; i < t->started; i++)
		pthread_join(t->ids[i], NULL);
	sem_destroy(&t->bell);
	pthread_mutex_destroy(&t->lock);
	free(t->ids);
	free(t);
}

static void open_job(par_team *t, job *j)
{
	job **last = &t->jobs;

	pthread_cond_init(&j->left, NULL);
	pthread_mutex_lock(&t->lock);
	while (*last)
		last = &(*last)->after;
	*last = j;
	call(t, j);
	pthread_mutex_unlock(&t->lock);
}

static void close_job(par_team *t, job *j)
{
	job **at = &t->jobs;

	pthread_mutex_lock(&t->lock);
	while (*at != j)
		at = &(*at)->after;
	*at = j->after;
	for (int i = 0; i < PATIENCE && j->here; i++) {
		pthread_mutex_unlock(&t->lock);
		sched_yield();
		pthread_mutex_lock(&t->lock);
	}
	while (j->here)
		pthread_cond_wait(&j->left, &t->lock);
	pthread_mutex_unlock(&t->lock);
	pthread_cond_destroy(&j->left);
}

void par_do(par threads, size_t n, void (*piece)(void *ctx, size_t i), void *ctx)
{
	size_t most = par_stretches(threads);
	job j = { .piece = piece, .ctx = ctx, .n = n, .parts = most };

	j.wanted = j.uncalled = (int)(n < most ? n : most) - 1;
	if (j.wanted <= 0 || !threads.team) {
		do_pieces(&j);
		return;
	}
	open_job(threads.team, &j);
	do_pieces(&j);
	close_job(threads.team, &j);
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
