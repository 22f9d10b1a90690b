/*
 * slice_write - writes a part of a trace as a new export, with only what may be shared (share/slice).
 *
 *     slice_how how = { .path = "small.sqlite" };
 *     slice_made made = { 0 };
 *     notes say = { 0 };
 *     if (slice_write(t, NULL, &how, &made, &say))         // all its events; false after a problem
 *         printf("%zu tables\n", made.n);
 *     slice_made_free(&made);
 *     notes_free(&say);
 *
 * SQLite copies rows in the order of the trace, so the same trace gives the same bytes.  The file is created without a
 * name, and gets its name when it is complete and on the disk.
 */
#pragma once

#include "trace/rules.h"
#include "trace/slice_keep.h"

typedef struct {
	const char *path;       /* the file; NULL: write nothing, only find out what it would hold */
	bool replace;
	bool list;              /* fill slice_made.texts and secrets too */
	unsigned keep;          /* what --keep adds: SLICE_ENV and so on */
	const rules *names;     /* new names for ranges, kernels and other strings; NULL: names stay */
} slice_how;

typedef struct {                /* a table of the trace */
	const char *name;
	int64_t rows, kept;     /* number of rows in the trace, and in the slice */
	const char *left;       /* columns that were left out, separated by blanks, or NULL */
	const char *unknown;    /* columns that were left out because share/slice does not list them */
} slice_part;

typedef struct {                /* a text that the slice holds */
	const char *where, *text;       /* where is table.column */
	int64_t count;          /* how often it occurs */
} slice_shown;

typedef struct {
	slice_part *v;          /* sorted by name; kept -1: the whole table is left out */
	size_t n, room;
	vec(slice_shown) texts; /* sorted by where and text: what the slice shows, if slice_how.list */
	vec(const char *) secrets;      /* values of the trace that are left out, to be searched for in texts */
	arena names;
} slice_made;

bool slice_write(trace *t, slice_keep *k, const slice_how *how, slice_made *made, notes *say);
void slice_made_free(slice_made *m);
