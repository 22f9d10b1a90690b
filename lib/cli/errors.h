/*
 * errors - one line on stderr, and the exit code it means.
 *
 *     errors_begin("nsq-gaps");
 *     complain(EXIT_FAILED, "cannot read '%s':", "run.sqlite");      // and go on
 *     remark("window '%s' lies outside the trace", "step 3");        // silenced by -q
 *     exit(errors_status());
 *
 * A text that ends in a colon gets the system's reason appended.  What is not
 * printable (printable.h) is shown as \xNN, so that a name from a trace cannot
 * drive a terminal.  Running out of memory, and a trace that cannot be read any
 * more while it is mapped, end the program here.
 */
#ifndef ERRORS_H
#define ERRORS_H

#include "base/notes.h"

/* Once, before anything else: the name of the program, printed before each line. */
void errors_begin(const char *tool);
const char *errors_tool(void);

/* -q: no remarks. */
void errors_be_quiet(void);
bool errors_quiet(void);

/* The largest code complained about, which main returns. */
int errors_status(void);

/* Print one line and exit with the code. */
_Noreturn void die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print one line, remember the code for the end, and return. */
void complain(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print one line that does not change the exit code. */
void remark(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print what the library has to say, and empty the list. */
void errors_show(notes *n);

#endif
