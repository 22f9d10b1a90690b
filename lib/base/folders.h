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
 *     puts(folders_allow("/etc/passwd") ? "inside" : "outside");
 *     folders_free(&f);
 *     arena_free(&texts);
 *
 * A name is followed to the file that it means, over `..` and symbolic links, before it is compared.  What somebody
 * else does to the folders between that and the reading of the file is not seen.
 */
#pragma once

#include "base/arena.h"
#include "base/text.h"

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

/* NSQ_FOLDERS in the environment, separated by colons, says the same to programs that are started: each lets only them
 * be read. */
void folders_hand_on(const folders *f);
bool folders_limited(void);
bool folders_allow(const char *path);
