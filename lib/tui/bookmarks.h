/*
 * bookmarks - places in a trace that a user wants to come back to, kept from one session to the next.
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
 * They are kept in a file: a window table (share/conventions.md) with a row for each bookmark, so that every tool reads
 * it (nsq-kernels -w FILE).  It lies in the folder bookmarks of $XDG_STATE_HOME/nsq (~/.local/state/nsq), and its name
 * has a digest of the trace's contents.  So a trace that was moved, renamed or copied keeps its bookmarks.  If
 * bookmarks were made when the trace at this path had other contents, a remark names their file.
 *
 * The file is read, changed and replaced under a lock, so that sessions side by side keep each other's bookmarks.  A
 * file that is no window table is left alone, with a remark.  In that case, or if neither $XDG_STATE_HOME nor $HOME
 * names a folder, bookmarks are lost at the end of the session.
 */
#pragma once

#include "base/notes.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	int64_t pid, sub;       /* the process, as in window_filter; pid -1: none; sub -1: any process with this pid */
	int64_t start, end;     /* the window: the time that was shown or marked */
	int64_t at;             /* the time of the cursor */
	int64_t gpu, ctx, stream;       /* the GPU that was shown, and the selected stream; TABLE_MISSING: none */
	const char *kernel;     /* the kernel at the cursor, or NULL */
	const char *nvtx;       /* the ranges around that kernel, from the outermost, or NULL */
	const char *name;       /* the name of the window */
} bookmark;

typedef struct {
	bookmark *v;            /* in the order in which they were made */
	size_t n, room;
	const char *file;       /* the path of the file; NULL: the bookmarks are lost at the end of the session */
	const char *trace;      /* the path of the trace, as the rows of the file name it */
	arena texts;
} bookmarks;

/* Read the bookmarks of a trace.  trace: its path as the user named it; sqlite: its SQLite file.  If the file
 * of bookmarks cannot be read, a remark says why. */
void bookmarks_open(bookmarks *b, const char *trace, const char *sqlite, notes *say);

/* Add or remove a bookmark, in b and in the file, and take over bookmarks that other sessions added to the file.  False
 * after a problem with the file; the change is then made in b only.  i: an index into b->v. */
bool bookmarks_add(bookmarks *b, const bookmark *new, notes *say);
bool bookmarks_remove(bookmarks *b, size_t i, notes *say);

/* The index of an equal bookmark; b->n if there is none. */
size_t bookmarks_find(const bookmarks *b, const bookmark *m);

void bookmarks_free(bookmarks *b);
