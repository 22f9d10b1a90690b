#include "cli/progress.h"
#include "cli/errors.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000, REDRAW_MS = 200 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool shown, over;
static long long next;          /* when to show it again */

static long long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000LL + t.tv_nsec / 1000000;
}

/* Reading a trace takes long, and has nothing to say meanwhile. */
static void *remind(void *unused)
{
	nanosleep(&(struct timespec){ PATIENCE_MS / 1000, PATIENCE_MS % 1000 * 1000000L }, NULL);
	pthread_mutex_lock(&lock);
	if (!shown && !over) {
		fprintf(stderr, "\r%s: reading\033[K", errors_tool());
		shown = true;
	}
	pthread_mutex_unlock(&lock);
	return unused;
}

void progress_begin(void)
{
	pthread_t reminder;

	next = now_ms() + PATIENCE_MS;
	if (!errors_quiet() && isatty(STDERR_FILENO) && pthread_create(&reminder, NULL, remind, NULL) == 0)
		pthread_detach(reminder);
}

void progress_show(const char *doing, size_t done, size_t of)
{
	long long now = now_ms();

	if (now < next || errors_quiet() || !isatty(STDERR_FILENO))
		return;
	next = now + REDRAW_MS;
	pthread_mutex_lock(&lock);
	fprintf(stderr, "\r%s: %s, %d %%\033[K", errors_tool(), doing, done < of ? (int)(100 * done / of) : 99);
	shown = true;
	pthread_mutex_unlock(&lock);
}

void progress_wipe(void)
{
	pthread_mutex_lock(&lock);
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
	pthread_mutex_unlock(&lock);
}

void progress_end(void)
{
	pthread_mutex_lock(&lock);
	over = true;
	pthread_mutex_unlock(&lock);
	progress_wipe();
}
