#include "cli/limit.h"
#include "base/printable.h"
#include "cli/errors.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECONDS_MAX = 2 };

static char message[400];

static void too_slow(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, message, strlen(message)) < 0)
		_exit(EXIT_WRONG);
	_exit(EXIT_WRONG);
}

void limit_begin(const char *what, const char *text)
{
	struct itimerval limit = { .it_value = { .tv_sec = SECONDS_MAX } };

	snprintf(message, sizeof message, "%s: the %s '%.200s' takes too long to compile; use fewer repetitions\n",
		 errors_tool(), what, text);
	for (char *p = message; p[1];) {        /* up to the newline */
		size_t n = printable_length(p);
		*p = n ? *p : '?';
		p += n ? n : 1;
	}
	signal(SIGVTALRM, too_slow);
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

void limit_end(void)
{
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){ 0 }, NULL);
}
