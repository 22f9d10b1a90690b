/*
 * err - the whole error model: one line on stderr, and the exit code it means.
 *
 *     die(EXIT_WRONG, "unknown option '%s'; see %s --help", arg, err_tool);
 *     complain(EXIT_FAILED, "cannot read '%s':", path);      // and go on
 *     note("window '%s' lies outside the trace", name);      // silenced by -q
 *
 * A text that ends in a colon gets the system's reason appended.  What is not
 * visible (visible.h) is shown as \xNN, so that a name from a trace cannot
 * drive a terminal.
 */
#ifndef ERR_H
#define ERR_H

enum {
	EXIT_ANSWERED = 0,
	EXIT_FAILED = 1,  /* unreadable, corrupt, lost write, out of memory */
	EXIT_WRONG = 2,   /* the command line or a window is wrong */
	EXIT_CANNOT = 3   /* the trace does not hold what the question needs */
};

extern const char *err_tool; /* name of the program, printed before each line */
extern int err_quiet;        /* -q: no notes */
extern int err_status;       /* largest code complained about; what main returns */

/* Print one line and exit with code. */
_Noreturn void die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print one line, remember the code for the end, and return. */
void complain(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print one line that does not change the exit code. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
