#include "cli/limit.h"
#include "base/printable.h"
#include "cli/errors.h"
#include "cli/progress.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { SECONDS_MAX = 2 };

static char message[400], query_message[200];
static struct itimerval left;   /* of the time of a query that is paused */

static _Noreturn void say_and_end(const char *text, int code)
{
	progress_wipe_plainly();
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(code);
	_exit(code);
}

static void too_slow(int signal)
{
	if (signal == SIGALRM)
		say_and_end(query_message, EXIT_FAILED);
	say_and_end(message, EXIT_WRONG);
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

void limit_query(const char *what, int64_t ns)
{
	int64_t us = ns / 1000;
	sigset_t alarm_only;

	if (ns && us < 1000)
		die(EXIT_WRONG, "'--timeout' of %lld ns leaves no time; write a unit, such as %llds", (long long)ns,
		    (long long)ns);
	snprintf(query_message, sizeof query_message, "%s: the %s has not ended after %g s; ask for less, or allow "
		 "more time with --timeout\n", errors_tool(), what, (double)ns / 1e9);
	left = (struct itimerval){ 0 };
	sigemptyset(&alarm_only);
	sigaddset(&alarm_only, SIGALRM);
	sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);    /* whatever the program that started this one blocks */
	signal(SIGALRM, too_slow);
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value = { us / 1000000, us % 1000000 } }, NULL);
}

void limit_pause(bool on)
{
	if (on)
		setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, &left);
	else
		setitimer(ITIMER_REAL, &left, NULL);
}

void limit_end(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
	setitimer(ITIMER_VIRTUAL, &(struct itimerval){ 0 }, NULL);
}
