/*
 * errors - messages on stderr, one line each, and the exit code that follows from them.
 *
 *     errors_begin("nsq-gaps");
 *     complain(EXIT_FAILED, "cannot read '%s':", "run.sqlite");      // printed now; the program goes on
 *     remark("window '%s' lies outside the trace", "step 3");        // printed when the program ends
 *     errors_flush();                                                // before the first row
 *     exit(errors_status());
 *
 * The sentences of the answer (NOTE_ANSWER, base/notes.h) and the warnings are printed before the rows of the table.
 * Remarks follow when the program ends, until three lines have been printed; the last remark says how many more -v
 * prints.  With -q only problems and warnings are printed.  Notes that differ only in names and numbers are of one
 * kind; one remark or three warnings of a kind are printed.
 *
 * If a text ends in a colon, the system's reason is appended.  Unprintable characters (printable.h) are shown as \xNN,
 * so that a name from a trace cannot control the terminal.  If memory runs out, or a mapped trace can no longer be
 * read, this module ends the program.
 */
#pragma once

#include "base/notes.h"

/* Call this before anything else, with the name of the program, which is printed before each line; call it again to
 * change the name. */
void errors_begin(const char *tool);
const char *errors_tool(void);

/* -q: from now on print only problems and warnings. */
void errors_set_quiet(void);

/* Was -q given? */
bool errors_is_quiet(void);

/* -v: from now on print all notes, in the order in which they come. */
void errors_be_verbose(void);

/* The largest exit code of all complaints and notes so far, which main returns. */
int errors_status(void);

/* Print one line and exit with the code. */
_Noreturn void die(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Print one line, remember the code for the end, and return. */
void complain(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Keep a line for the end of the program.  The exit code stays. */
#define remark(...) errors_remark(false, __VA_ARGS__)

/* Print a line immediately.  The exit code stays. */
#define announce(...) errors_remark(true, __VA_ARGS__)

void errors_remark(bool now, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Take the notes of the library, and empty the list.  Problems are printed immediately, and with -v all notes; the
 * others are held until errors_flush or the end of the program. */
void errors_take(notes *n);

/* Take the notes, and print all but details immediately, for programs that run for long. */
void errors_take_and_print(notes *n);

/* Take the notes (errors_take), and exit with errors_status unless `ok` is true. */
void errors_exit_unless(bool ok, notes *n);

/* Print the sentences of the answer and the warnings that have come so far. */
void errors_flush(void);
