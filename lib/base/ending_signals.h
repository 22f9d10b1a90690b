/*
 * ending_signals - the signals that ask a program to end, which are held back while something is half done.
 *
 *     sigset_t ending = ending_signals(), before;
 *     pthread_sigmask(SIG_BLOCK, &ending, &before);
 *     puts("this is not interrupted");
 *     if (ending_signal_came(&ending))
 *         puts("so clean up");
 *     pthread_sigmask(SIG_SETMASK, &before, NULL);       // ends here if one came
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <termios.h>

/* Those that are not ignored. */
sigset_t ending_signals(void);

/* Has one of them come while it was blocked? */
bool ending_signal_came(const sigset_t *ending);

/* Hold back, in this thread and those that it starts, what asks the program to end, to stop or to draw anew, and what
 * says that a child has ended: the main thread takes it.  Returns the mask to go back to. */
sigset_t ending_hold(void);

/* A file or folder that is not finished, to be removed if the program is ended before it is.  The program keeps the
 * list (the command line does, in cli/errors.c): those of a folder come after it. */
typedef struct ending_file {
	const char *path;
	struct ending_file *before;     /* the one pushed before it */
} ending_file;

void ending_push(ending_file *f);

/* Forget it, and all that were pushed after it. */
void ending_pop(ending_file *f);

/* A terminal that is drawn on, to be as it was before if the program is ended, also by a crash. */
typedef struct {
	int fd;
	struct termios before;
	const char *leave;      /* what is sent to it then, so that it shows its lines again */
} ending_terminal;

/* NULL: none any more. */
void ending_restores(const ending_terminal *t);
