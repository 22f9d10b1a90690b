/*
 * progress [-q]: half of the work done at once, and again after more than two seconds, by a clock of its own.
 */
#include "cli/errors.h"
#include "cli/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static long long clock_ms;

/* These take the place of the C library's, so that no load of the machine changes what is shown. */
int clock_gettime(clockid_t which, struct timespec *t)
{
	(void)which;
	*t = (struct timespec){ clock_ms / 1000, clock_ms % 1000 * 1000000 };
	return 0;
}

/* The reminder waits for ever: something is shown before its time comes. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time, (void)left;
	return pause();
}

int main(int argc, char **argv)
{
	(void)argv;
	errors_begin("nsq-test");
	if (argc > 1)
		errors_be_quiet();
	progress_begin();
	progress_show("writing", 1, 4);
	clock_ms += 2100;
	progress_show("writing", 2, 4);
	progress_show("writing", 3, 4);         /* too soon */
	clock_ms += 300;
	progress_show("writing", 9, 4);
	progress_end();
	progress_end();
	return 0;
}
