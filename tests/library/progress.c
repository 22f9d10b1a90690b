/*
 * progress [-q]: what a terminal is shown at each of the thread's turns, by a clock of its own.
 */
#include "cli/errors.h"
#include "cli/progress.h"

#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long clock_ms;
static sem_t turn, waiting;

/* These take the place of the C library's, so that no load of the machine changes what is shown. */
int clock_gettime(clockid_t which, struct timespec *t)
{
	(void)which;
	*t = (struct timespec){ clock_ms / 1000, clock_ms % 1000 * 1000000 };
	return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	sem_post(&waiting);
	sem_wait(&turn);
	clock_ms += time->tv_sec * 1000LL + time->tv_nsec / 1000000;
	return 0;
}

/* Let the thread show something, if there is one. */
static void let_it(bool quiet)
{
	if (quiet)
		return;
	sem_post(&turn);
	sem_wait(&waiting);
}

int main(int argc, char **argv)
{
	bool quiet = argc > 1 || !isatty(STDERR_FILENO);

	(void)argv;
	sem_init(&turn, 0, 0);
	sem_init(&waiting, 0, 0);
	errors_begin("nsq-test");
	if (argc > 1)
		errors_set_quiet();
	progress_begin();
	if (!quiet)
		sem_wait(&waiting);
	let_it(quiet);                  /* a second has passed */
	progress_show("writing", 1, 4);
	progress_show("writing", 2, 4);
	let_it(quiet);
	progress_show("writing", 9, 4);
	let_it(quiet);
	announce("a word");
	let_it(quiet);
	progress_pause(true);
	let_it(quiet);
	progress_pause(false);
	progress_show("the \033[2J of a file with a name that is much longer than any terminal is wide, or so", 0, 0);
	let_it(quiet);
	progress_end();
	progress_end();
	return 0;
}
