/*
 * errors - messages on stderr, one line each, and the exit code that follows from them.
 *
 *     errors_begin("nsq-gaps");
 *     complain(EXIT_FAILED, "cannot read '%s':", "run.sqlite");      // and go on
 *     remark("window '%s' lies outside the trace", "step 3");        // silenced by -q
 *     exit(errors_status());
 *
 * If a text ends in a colon, the system's reason is appended.  What is not printable
 * (printable.h) is shown as \xNN, so that a name from a trace cannot control the
 * terminal.  Running out of memory, or a mapped trace that can no longer be read,
 * ends the program here.
 */
#pragma once

#include "base/notes.h"

/* Call this before anything else, with the name of the program, which is printed before each line. */
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

/* Print one line that does not change the exit code, unless -q is given. */
#define remark(...) (errors_quiet() ? (void)0 : complain(EXIT_ANSWERED, __VA_ARGS__))

/* Print the notes of the library, and empty the list; the second exits unless all went well. */
void errors_show(notes *n);
void errors_unless(bool ok, notes *n);
