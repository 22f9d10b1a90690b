/*
 * folders - the folders that a program may read traces in and write to, for one that others send names of files to.
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
 * A name is followed to the file that it means, over `..` and symbolic links, before it is compared.
 */
#pragma once

#include "base/arena.h"
#include "base/text.h"

#include <sys/stat.h>

typedef struct {
	text_list all;          /* as realpath has them */
	arena texts;
} folders;

enum folders_place { FOLDERS_ABSENT, FOLDERS_INSIDE, FOLDERS_OUTSIDE };

/* False: it is no folder, or has a colon in its name; errno says why. */
bool folders_add(folders *f, const char *path);

/* Where is what the path means?  One that is not absolute is looked for in each folder; *real: without links. */
enum folders_place folders_find(const folders *f, const char *path, arena *to, const char **real);

/* The name in the first folder of what is in it; of others, as they are. */
const char *folders_short(const folders *f, const char *real, arena *to);

/* Where a file of that name may be written, which need not be there yet; a name that is not absolute is one in the
 * first folder.  NULL: nowhere. */
const char *folders_output(const folders *f, const char *path, arena *to);

/* A table of the traces in them, and in the folders that they hold: trace bytes modified.  Links and hidden folders are
 * not followed; it ends with a line that says so if not all was looked at. */
const char *folders_traces(const folders *f, arena *to);

void folders_free(folders *f);

/* ---- the files that others name: on the command line, in a table, beside a trace
 *
 * Each is opened here and nowhere else.  NSQ_FOLDERS in the environment, separated by colons, says to programs that are
 * started which folders these are; without it every file may be read.  What is not in them is refused with EACCES,
 * whether it is there or not.  A table that was handed on as a descriptor (/dev/fd/3), a pipe or in memory, is in no
 * folder and is read. */
void folders_hand_on(const folders *f);
bool folders_limited(void);

/* A descriptor, or a file, to read; -1 or NULL: errno says why.  The first does not wait for somebody to write to a
 * pipe. */
int folders_open(const char *path);
FILE *folders_file(const char *path);

/* The whole text, for free(), and its length. */
char *folders_text(const char *path, size_t *n);

/* As stat(2); NULL: only whether it is there. */
int folders_stat(const char *path, struct stat *st);
