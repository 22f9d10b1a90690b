/*
 * bookmarks - places of a trace that a user wants to come back to, kept from one session to the next.
 *
 *     notes say = { 0 };
 *     bookmarks b = { 0 };
 *     bookmarks_open(&b, "run.sqlite", "run.sqlite", &say);
 *     bookmark here = { .pid = 693, .sub = -1, .start = 100, .end = 200, .at = 150, .gpu = 0, .ctx = 1, .stream = 7,
 *         .kernel = "gemm", .nvtx = "step 3 > forward", .name = "forward" };
 *     if (bookmarks_add(&b, &here, &say))
 *         printf("%zu in %s\n", b.n, b.file);
 *     bookmarks_free(&b);
 *     notes_free(&say);
 *
 * They are a window table, a row each, so that every tool reads them (nsq-kernels -w FILE), in the folder bookmarks of
 * $XDG_STATE_HOME/nsq (~/.local/state/nsq).  The file is found by what is in the trace, not by its path: a trace that
 * was moved, renamed or copied has its bookmarks, and one with other contents, as of another run of the same name, does
 * not get those of the old one, which it is said where to find.  A file is read, changed and replaced under a lock, so
 * that sessions side by side keep each other's bookmarks.  One that is no such table is said to be so and left alone;
 * then, as without a folder, bookmarks live as long as the session.
 */
#pragma once

#include "base/notes.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	int64_t pid, sub;       /* the process; pid -1: none; sub -1: any with this pid */
	int64_t start, end;     /* the window: what was seen, or the range that was marked */
	int64_t at;             /* where the cursor was */
	int64_t gpu, ctx, stream;       /* TABLE_MISSING: not of a stream */
	const char *kernel;     /* what ran there, or NULL */
	const char *nvtx;       /* the ranges around it, or NULL */
	const char *name;       /* of the window */
} bookmark;

typedef struct {
	bookmark *v;            /* in the order in which they were made */
	size_t n, room;
	const char *file;       /* where they are kept; NULL: nowhere */
	const char *trace;      /* what the rows call the trace */
	arena texts;
} bookmarks;

/* Read those of a trace: its name, and the SQLite file that it is read from, of which nothing is kept.  What is wrong
 * with them is a remark. */
void bookmarks_open(bookmarks *b, const char *trace, const char *sqlite, notes *say);

/* Add or remove one, here and in the file, from which those of other sessions come too.  False after a problem with the
 * file: here it is done all the same. */
bool bookmarks_add(bookmarks *b, const bookmark *new, notes *say);
bool bookmarks_remove(bookmarks *b, size_t i, notes *say);

/* The number of one that is the same; b->n if there is none. */
size_t bookmarks_find(const bookmarks *b, const bookmark *m);

void bookmarks_free(bookmarks *b);
