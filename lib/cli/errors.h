/*
 * errors - messages on stderr, one line each, and the exit code that follows from them.
 *
 *     errors_begin("nsq-gaps");
 *     complain(EXIT_FAILED, "cannot read '%s':", "run.sqlite");      // printed now; the program goes on
 *     remark("window '%s' lies outside the trace", "step 3");        // printed when the program ends
 *     errors_flush();                                                // before the first row
 *     exit(errors_status());
 *
 * The answer's sentence and warnings are printed before the rows.  Remarks follow when the program ends, as long as no
 * more than three lines come of all; the last line says how many more -v prints.  -q leaves only warnings.  Several
 * remarks that differ in names and numbers only are printed once, such warnings three times.
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

/* -q: warnings only; -v: all notes, in the order in which they come. */
void errors_print_warnings_only(void);
bool errors_prints_warnings_only(void);
void errors_be_verbose(void);

/* The largest code complained about, which main returns. */
int errors_status(void);

/* Print one line and exit with the code. */
_Noreturn void die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print one line, remember the code for the end, and return. */
void complain(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Keep a line that does not change the exit code for the end, or print it at once: what is going on now. */
#define remark(...) errors_remark(false, __VA_ARGS__)
#define announce(...) errors_remark(true, __VA_ARGS__)
void errors_remark(bool now, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Take the notes of the library, and empty the list.  Problems are printed at once, and so is everything by the
 * second, for programs that run for long; the third exits unless all went well. */
void errors_show(notes *n);
void errors_show_now(notes *n);
void errors_unless(bool ok, notes *n);

/* Print the sentences and warnings there are so far. */
void errors_flush(void);
