/*
 * ending_signals - the signals that ask a program to end, which are blocked while something is unfinished.
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

/* Those of these signals that are not ignored. */
sigset_t ending_signals(void);

/* Is one of them pending, because it came while it was blocked? */
bool ending_signal_came(const sigset_t *ending);

/* Block, in this thread and those that it starts, the signals that ask to end, to stop or to redraw, and the one for a
 * child's end, so that only the main thread receives them.  Returns the mask before. */
sigset_t ending_hold(void);

/* An unfinished file or folder, which is removed if the program ends before it is finished.  The program keeps the list
 * (the command line does, in cli/errors.c).  Files of a folder come after the folder. */
typedef struct ending_file {
	const char *path;
	struct ending_file *before;     /* the one pushed before it */
} ending_file;

void ending_push(ending_file *f);

/* Remove f, and everything that was pushed after it, from the list. */
void ending_pop(ending_file *f);

/* A terminal that is drawn on, which is restored if the program ends, also by a crash. */
typedef struct {
	int fd;
	struct termios before;
	const char *leave;      /* text that is sent to it then, so that it shows its lines again */
} ending_terminal;

/* Set the terminal to restore; NULL: none. */
void ending_restores(const ending_terminal *t);
