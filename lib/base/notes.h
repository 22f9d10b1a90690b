/*
 * notes - what the library has to say: problems and remarks, kept for the caller.
 *
 *     notes say = { 0 };
 *     notes_remark(&say, "window '%s' lies outside the trace; skipped", "step 3");
 *     bool ok = notes_problem(&say, EXIT_FAILED, "cannot open '%s':", "run.sqlite");     // false
 *     for (size_t i = 0; i < say.n; i++)
 *         printf("%d %s\n", say.v[i].code, say.v[i].text);
 *     notes_free(&say);
 *
 * If a text ends in a colon, the system's reason (errno) is appended.  Notes are in the order in which they were added;
 * a remark has code 0.  The list may be NULL: notes are then discarded.  Only one thread at a time may add to a list.
 */
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum {
	EXIT_ANSWERED = 0,
	EXIT_FAILED = 1,  /* unreadable or corrupt file, failed write, out of memory */
	EXIT_WRONG = 2,   /* the command line or a window is wrong */
	EXIT_CANNOT = 3,  /* the trace lacks what the question needs */
	EXIT_BROKEN = 4   /* answered, and a condition on the answer does not hold */
};

typedef struct {
	int code;               /* EXIT_..., EXIT_ANSWERED for a remark */
	const char *text;       /* one line */
} note;

typedef struct {
	note *v;
	size_t n, room;
	arena texts;
} notes;

void notes_remark(notes *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Always returns false, so that callers can write `return notes_problem(...)`. */
bool notes_problem(notes *to, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Move what a list holds to the end of another. */
void notes_pass(notes *from, notes *to);

/* The largest code in the list. */
int notes_code(const notes *n);

void notes_free(notes *n);
