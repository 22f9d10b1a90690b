/*
 * whole_file - a file that appears under its name only when it is complete.
 *
 *     notes say = { 0 };
 *     whole_file w;
 *     if (whole_begin(&w, "view.html", WHOLE_NEVER, &say)) {        // an existing file is left alone
 *         fputs("<!DOCTYPE html>\n", w.to);
 *         whole_end(&w);                                      // or whole_drop(&w)
 *     }
 *     notes_free(&say);
 *
 * The file is written without a name if the file system allows that, so that nothing is left if the program is
 * interrupted.  Otherwise it has a temporary name beside its own, and an interrupted program removes it.  It gets its
 * name at the end, so that nobody reads half of it, and a failed write leaves the old file.  A trace is never replaced,
 * except, with WHOLE_SLICES, a slice: a trace that nsq has cut from another.  A file that has appeared meanwhile is
 * replaced only if an existing file may be.
 */
#pragma once

#include "base/ending_signals.h"
#include "base/notes.h"

#include <stdio.h>

/* Which existing files may be replaced.  WHOLE_FILES: all but traces.  WHOLE_SLICES: also traces that are marked as
 * slices of others. */
enum whole_replace { WHOLE_NEVER, WHOLE_FILES, WHOLE_SLICES };

typedef struct {
	FILE *to;               /* write here */
	const char *path;       /* the file's own name */
	const char *beside;     /* the temporary name */
	notes *say;
	enum whole_replace replace;
	int fd;
	bool nameless;          /* was the file opened without a name? */
	int reason;             /* the errno value of the first failure, or 0 */
	ending_file unfinished;
	arena texts;
} whole_file;

/* Is the file a report of nsys, a SQLite file such as an export of nsys, or a trace of torch.profiler?  Unless slice is
 * NULL, *slice says whether the file is marked as a slice. */
bool whole_file_holds_trace(const char *path, bool *slice);
enum { WHOLE_SLICE_ID = 0x6e737173 };   /* the mark of a slice: SQLite's application_id, "nsqs" */

/* Is the path a place for files?  False after a problem: the path is in /proc, or in /dev outside /dev/shm, or is a
 * link into one of them. */
bool whole_is_place_for_files(const char *path, notes *say);

/* A temporary name beside a file or folder.  Nobody can guess it, and the caller must create it exclusively (O_EXCL,
 * mkdir), so that no planted link is followed. */
const char *whole_temporary_name(arena *a, const char *path);

/* Rename a file or folder.  If `replace` is false and the new name exists, the call fails. */
bool whole_rename(const char *from, const char *to, bool replace);

/* May a file be written at this path?  False after a problem. */
bool whole_may_write(const char *path, enum whole_replace replace, notes *say);

/* Begin to write.  w and path must stay where they are until whole_end or whole_drop.  False after a problem: the file
 * exists and may not be replaced, or cannot be written. */
bool whole_begin(whole_file *w, const char *path, enum whole_replace replace, notes *say);

/* Give the file its name.  False after a problem: nothing is left of it. */
bool whole_end(whole_file *w);

/* Discard the file. */
void whole_drop(whole_file *w);
