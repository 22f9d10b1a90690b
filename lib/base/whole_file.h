/*
 * whole_file - a file that appears under its name only when it is complete.
 *
 *     notes say = { 0 };
 *     whole_file w;
 *     if (whole_begin(&w, "view.html", false, &say)) {      // false: an existing file is left alone
 *         fputs("<!DOCTYPE html>\n", w.to);
 *         whole_end(&w);                                      // or whole_drop(&w)
 *     }
 *     notes_free(&say);
 *
 * It is written without a name, where the file system can do that, so that nothing is left of it if the program is
 * interrupted, else under one beside its own, which is removed then; at the end it gets its name, so that nobody reads
 * half of it and a failed write leaves what was there.  A trace is never replaced, nor what has come to be there
 * meanwhile unless an existing file may be.
 */
#pragma once

#include "base/ending_signals.h"
#include "base/notes.h"

#include <stdio.h>

enum whole_replace { WHOLE_NEVER, WHOLE_FILES, WHOLE_SLICES };   /* slices of traces too, which are marked as such */

typedef struct {
	FILE *to;               /* write here */
	const char *path;
	const char *beside;     /* the name until it is complete */
	notes *say;
	enum whole_replace replace;
	int fd;
	bool nameless;          /* it has no name yet */
	int reason;             /* errno of the first write that failed, or 0 */
	ending_file unfinished;
	arena texts;
} whole_file;

/* Is it a report of nsys, a SQLite file such as its export, or a trace of torch.profiler?  slice, unless NULL: is it
 * marked as one that is a slice? */
bool whole_is_trace(const char *path, bool *slice);
enum { WHOLE_SLICE_ID = 0x6e737173 };   /* the mark: SQLite's application_id, "nsqs" */

/* Is it a place for files?  False after a problem: it is in /dev or /proc, or a link there. */
bool whole_place(const char *path, notes *say);

/* A name beside a file or folder for what is to take its place.  Nobody can guess it; whoever makes it takes nothing
 * that is there (O_EXCL, mkdir), so that no planted link is followed. */
const char *whole_beside(arena *a, const char *path);

/* Rename a file or folder, and unless it may replace what is there, fail with EEXIST. */
bool whole_rename(const char *from, const char *to, bool replace);

/* May a file be written there?  False after a problem. */
bool whole_may(const char *path, enum whole_replace replace, notes *say);

/* w stays where it is until the end.  False after a problem: there is such a file and it may not be replaced, or
 * none can be written there. */
bool whole_begin(whole_file *w, const char *path, enum whole_replace replace, notes *say);

/* Give it its name.  False after a problem, and nothing is left of it. */
bool whole_end(whole_file *w);

/* Leave nothing of it. */
void whole_drop(whole_file *w);
