/*
 * ending_signals - the signals that ask a program to end, and what it cleans up before it ends.
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

/* SIGINT, SIGTERM, SIGHUP and SIGQUIT, without those that are ignored. */
sigset_t ending_signals(void);

/* Is one of the signals in `ending` pending, because it came while it was blocked? */
bool ending_signal_came(const sigset_t *ending);

/* Block SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH and SIGCHLD.  Callers do this before they start a thread:
 * the thread inherits the mask, so that only the main thread receives these signals.  Returns the previous mask,
 * which the caller restores when the thread has started. */
sigset_t ending_block_signals(void);

/* A file or folder that is not finished.  It is removed if the program ends before ending_pop is called.  The program
 * keeps a list of these (cli/errors.c).  A folder is pushed before the files in it. */
typedef struct ending_file {
	const char *path;
	struct ending_file *before;     /* what was pushed before it; NULL: nothing */
} ending_file;

void ending_push(ending_file *f);

/* Remove f, and everything that was pushed after it, from the list. */
void ending_pop(ending_file *f);

/* A terminal that a program draws on.  It is restored when the program ends, also after a crash. */
typedef struct {
	int fd;
	struct termios before;  /* the settings to restore */
	const char *leave;      /* text that takes the terminal out of full-screen mode */
} ending_terminal;

/* Set the terminal to restore; NULL: none.  While there is one, signals that ask the program to end, or that a crash
 * raises, are handled, unless they are ignored. */
void ending_set_terminal(const ending_terminal *t);
