/*
 * slice_write - a new export that holds part of a trace, and of that only what may be shared (share/slice).
 *
 *     slice_how how = { .path = "small.sqlite" };
 *     slice_made made = { 0 };
 *     notes say = { 0 };
 *     if (slice_write(t, NULL, &how, &made, &say))         // all its events; false after a problem
 *         printf("%zu tables\n", made.n);
 *     slice_made_free(&made);
 *     notes_free(&say);
 *
 * Rows are copied by SQLite in the order of the trace, so the same trace gives the same bytes.  The file is made
 * without a name and gets one when it is complete and on the disk.
 */
#pragma once

#include "trace/rules.h"
#include "trace/slice_keep.h"

typedef struct {
	const char *path;       /* the file; NULL: it is only worked out what it would hold */
	bool replace;
	bool list;              /* list the texts too */
	unsigned keep;          /* SLICE_ENV and so on: what --keep adds */
	const rules *names;     /* new names of ranges, kernels and other strings; NULL: as they are */
} slice_how;

typedef struct {                /* a table of the trace */
	const char *name;
	int64_t rows, kept;     /* in the trace, and in the slice */
	const char *left;       /* its columns that were left out, separated by blanks, or NULL; */
	const char *unknown;    /* those of them that are not in the new table, as they are not known */
} slice_part;

typedef struct {                /* a text that the slice holds */
	const char *where, *text;       /* where: table.column */
	int64_t count;          /* how often */
} slice_shown;

typedef struct {
	slice_part *v;          /* in the order of names; kept -1: left out whole */
	size_t n, room;
	vec(slice_shown) texts; /* if they are asked for, by where and text: what it shows */
	vec(const char *) secrets;      /* and the values of the trace that are left out, to be looked for in those */
	arena names;
} slice_made;

bool slice_write(trace *t, slice_keep *k, const slice_how *how, slice_made *made, notes *say);
void slice_made_free(slice_made *m);
