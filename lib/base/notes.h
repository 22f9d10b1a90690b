/*
 * notes - what the library reports, kept for the caller: the answer in a sentence, warnings, remarks, problems.
 *
 *     notes say = { 0 };
 *     notes_remark(&say, "window '%s' lies outside the trace; skipped", "step 3");
 *     bool ok = notes_problem(&say, EXIT_FAILED, "cannot open '%s':", "run.sqlite");     // false
 *     for (size_t i = 0; i < say.n; i++)
 *         printf("%d %s\n", say.v[i].code, say.v[i].text);
 *     notes_free(&say);
 *
 * If a text ends in a colon, the system's reason (errno) is appended.  Notes stay in the order in which they are added.
 * Notes that are added to a NULL list are discarded.  Only one thread at a time may add to a list.
 */
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum {
	EXIT_ANSWERED = 0,
	EXIT_FAILED = 1,  /* unreadable or corrupt file, failed write, out of memory */
	EXIT_WRONG = 2,   /* the command line or a window is wrong */
	EXIT_CANNOT = 3,  /* the trace lacks what the question needs */
	EXIT_BROKEN = 4   /* there is an answer, but it breaks the condition of nsq-gate */
};

typedef enum {
	NOTE_PROBLEM,   /* something failed; only these notes have a code */
	NOTE_ANSWER,    /* the answer in a sentence */
	NOTE_WARNING,   /* a number is wrong, or cannot be trusted; printed even with -q */
	NOTE_REMARK,    /* something else that a reader may want to know */
	NOTE_DETAIL     /* how the answer came about; printed only on request */
} note_level;

typedef struct {
	int code;               /* EXIT_...; EXIT_ANSWERED unless it is a problem */
	note_level level;
	const char *kind;       /* the format of the text, which is equal for notes that differ only in names and
				 * numbers */
	const char *text;       /* one line */
} note;

typedef struct {
	note *v;
	size_t n, room;
	arena texts;
} notes;

void notes_add(notes *to, note_level level, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
#define notes_answer(to, ...) notes_add(to, NOTE_ANSWER, __VA_ARGS__)
#define notes_warn(to, ...) notes_add(to, NOTE_WARNING, __VA_ARGS__)
#define notes_remark(to, ...) notes_add(to, NOTE_REMARK, __VA_ARGS__)
#define notes_detail(to, ...) notes_add(to, NOTE_DETAIL, __VA_ARGS__)

/* Always returns false, so that callers can write `return notes_problem(...)`. */
bool notes_problem(notes *to, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Add a copy of a note to the end of a list. */
void notes_copy(notes *to, const note *n);

/* Move all notes of `from` to the end of `to`. */
void notes_move_all(notes *from, notes *to);

/* The largest code in the list; EXIT_ANSWERED if there is no problem in it. */
int notes_code(const notes *n);

void notes_free(notes *n);
