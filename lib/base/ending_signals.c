#include "base/ending_signals.h"

#include <stddef.h>

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { SIGNALS = sizeof signals / sizeof *signals };

sigset_t ending_signals(void)
{
	struct sigaction sa;
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < SIGNALS; i++)
		if (sigaction(signals[i], NULL, &sa) == 0 && sa.sa_handler != SIG_IGN)
			sigaddset(&set, signals[i]);
	return set;
}

sigset_t ending_block_signals(void)
{
	sigset_t held, before;

	sigemptyset(&held);
	for (size_t i = 0; i < SIGNALS; i++)
		sigaddset(&held, signals[i]);
	sigaddset(&held, SIGTSTP);
	sigaddset(&held, SIGWINCH);
	sigaddset(&held, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &held, &before);
	return before;
}

bool ending_signal_came(const sigset_t *ending)
{
	sigset_t pending;

	sigpending(&pending);
	for (size_t i = 0; i < SIGNALS; i++)
		if (sigismember(ending, signals[i]) && sigismember(&pending, signals[i]))
			return true;
	return false;
}
