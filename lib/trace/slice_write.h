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
 * Rows keep the order that they have in the trace, so the same slice of the same trace has the same bytes.  The file
 * gets its name only when it is complete and on the disk.
 */
#pragma once

#include "trace/rules.h"
#include "trace/slice_keep.h"

typedef struct {
	const char *path;       /* the file; NULL: write nothing, only find out what it would hold */
	bool replace;           /* replace an older slice at this path */
	bool list;              /* also fill slice_made.texts and slice_made.secrets */
	unsigned keep;          /* what --keep names: SLICE_ENV | SLICE_HOST and so on (slice_list.h) */
	const rules *names;     /* new names for ranges, kernels and other strings; NULL: names stay */
} slice_how;

typedef struct {                /* a table of the trace */
	const char *name;
	int64_t rows;           /* number of its rows in the trace */
	int64_t kept;           /* number of its rows in the slice; -1: the whole table is left out */
	const char *left;       /* all columns that are left out, separated by blanks; NULL: none */
	const char *unknown;    /* those columns that share/slice does not list, separated by blanks; NULL: none */
} slice_part;

typedef struct {                /* a text that the slice holds */
	const char *where;              /* TABLE.COLUMN */
	const char *text;
	int64_t count;          /* how often it occurs */
} slice_shown;

typedef struct {
	slice_part *v;          /* all tables of the trace, sorted by name */
	size_t n, room;
	vec(slice_shown) texts; /* if slice_how.list: the texts that the slice shows, sorted by where and text */
	vec(const char *) secrets;      /* if slice_how.list: values of the trace that are left out, so that they can be
					 * searched for in texts */
	arena names;
} slice_made;

/* Write what k keeps of the trace; k NULL: all events.  False after a problem. */
bool slice_write(trace *t, slice_keep *k, const slice_how *how, slice_made *made, notes *say);
void slice_made_free(slice_made *m);
