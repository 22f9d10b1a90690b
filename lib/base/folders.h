/*
 * folders - the folders in which a program may read and write, if others send it the names of files.
 *
 *     folders f = { 0 };
 *     arena texts = { 0 };
 *     const char *real;
 *     folders_add(&f, "traces");
 *     if (folders_find(&f, "run.sqlite", &texts, &real) == FOLDERS_INSIDE)
 *         puts(real);                            // /home/me/traces/run.sqlite
 *     folders_hand_on(&f);                       // for the programs that this one starts
 *     if (folders_open("/etc/passwd") < 0)
 *         perror("outside");                     // Permission denied
 *     folders_free(&f);
 *     arena_free(&texts);
 *
 * Paths are compared as realpath returns them, without `..` and symbolic links.
 */
#pragma once

#include "base/arena.h"
#include "base/text.h"

#include <sys/stat.h>

typedef struct {
	text_list all;          /* paths as realpath returns them */
	arena texts;
} folders;

/* Where a path leads.  FOLDERS_ABSENT: nothing is there.  FOLDERS_INSIDE: into one of the folders.  FOLDERS_OUTSIDE:
 * elsewhere, or the path is a link to nothing, or it cannot be followed. */
enum folders_place { FOLDERS_ABSENT, FOLDERS_INSIDE, FOLDERS_OUTSIDE };

/* Add a folder.  False, with errno set, if it is not a folder or has a colon in its path. */
bool folders_add(folders *f, const char *path);

/* The place to which a path leads.  A relative path is looked for in each folder.  *real gets the path without links;
 * NULL unless the place is FOLDERS_INSIDE. */
enum folders_place folders_find(const folders *f, const char *path, arena *to, const char **real);

/* Make the path of a file in the first folder relative to that folder, with ./ before it if it begins with -.  Any
 * other path is returned unchanged. */
const char *folders_shorten_path(const folders *f, const char *real, arena *to);

/* The path for a file to write.  The file need not exist yet, but its folder must.  A relative path starts in the first
 * folder.  NULL: the file or its folder is in none of the folders, or the path names no file. */
const char *folders_find_output(const folders *f, const char *path, arena *to);

/* A table of the traces in the folders, down to twelve levels, with the columns trace, bytes and modified.  Links are
 * not followed; hidden folders and other file systems are not searched.  If there are deeper folders, or too many files
 * to look at, the last lines say so. */
const char *folders_list_traces(const folders *f, arena *to);

void folders_free(folders *f);

/* ---- opening files whose paths come from others: from the command line, from a table, or made from a trace's path
 *
 * All such files are opened by these functions.  If NSQ_FOLDERS is set in the environment, only files in its folders,
 * which are separated by colons, may be read.  A file outside them is refused with EACCES, whether it exists or not.  A
 * pipe or a file in memory that was passed as a descriptor (/dev/fd/3) may be read, although it is in no folder. */

/* Set NSQ_FOLDERS to these folders, for this program and those that it starts. */
void folders_hand_on(const folders *f);

/* Is NSQ_FOLDERS set? */
bool folders_limited(void);

/* Open a file to read, without waiting for the writer of a pipe.  Returns a descriptor; -1 after a failure, with errno
 * set. */
int folders_open(const char *path);

/* Open a file to read.  Returns a stream; NULL after a failure, with errno set. */
FILE *folders_file(const char *path);

/* The whole text of a file, which the caller frees, and its length.  NULL after a failure, with errno set. */
char *folders_text(const char *path, size_t *n);

/* Like stat(2); with st NULL it only checks that the file exists. */
int folders_stat(const char *path, struct stat *st);
