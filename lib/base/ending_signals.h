/*
 * ending_signals - the signals that ask a program to end, which are held back while something is half done.
 *
 *     sigset_t ending = ending_signals(), before;
 *     pthread_sigmask(SIG_BLOCK, &ending, &before);
 *     puts("this is not interrupted");
 *     if (ending_asked(&ending))
 *         puts("so clean up");
 *     pthread_sigmask(SIG_SETMASK, &before, NULL);       // ends here if one came
 */
#ifndef ENDING_SIGNALS_H
#define ENDING_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Those that are not ignored. */
sigset_t ending_signals(void);

/* Has one of them come while it was blocked? */
bool ending_asked(const sigset_t *ending);

#endif
