/*
 * whole_folder - a folder of files that appears under its name only when it is complete.
 *
 *     static const whole_folder_mark mark = { "list.json", "{\"made_by\":\"me\",", "\"files\":[" };
 *     notes say = { 0 };
 *     whole_folder w;
 *     if (whole_folder_begin(&w, "run.report", false, &mark, &say)) {     // false: an existing one is left alone
 *         whole_folder_begin_file(&w, "list.json");
 *         if (w.to)
 *             fputs("{\"made_by\":\"me\",\"files\":[\"list.json\",\"tables/kernels.csv\"]}\n", w.to);
 *         whole_folder_begin_file(&w, "tables/kernels.csv");
 *         whole_folder_end(&w);
 *     }
 *     notes_free(&say);
 *
 * The folder is written under a temporary name and then renamed, so that nobody sees half of it and a failed write
 * leaves the old one.  The signals that end a program are blocked until whole_folder_end.  If one comes before the last
 * file is finished, whole_folder_end removes everything, and then the signal ends the program.  Nothing is left after a
 * crash either.  A folder that another program made is never replaced: an old folder must be empty, or have a list with
 * the mark below.  The list must name all files in the folder, and none of them may be a link or a trace.
 */
#pragma once

#include "base/memory.h"
#include "base/whole_file.h"

#include <signal.h>

typedef struct {
	const char *list;       /* the name of a JSON file that lists all files of the folder */
	const char *begins;     /* the beginning of that file */
	const char *names;      /* the text before the names, which are written as "NAME","FOLDER/NAME"]} */
} whole_folder_mark;

typedef struct {
	FILE *to;               /* write here; NULL: no file is open */
	const char *path;
	const char *beside;     /* the temporary name */
	const whole_folder_mark *mark;
	bool replace;
	int reason;             /* errno of the first failure, or 0 */
	whole_file file;        /* the file that is being written */
	sigset_t ending, before;        /* ending: the signals that are blocked; before: the mask before that */
	ending_file unfinished;
	vec(ending_file *) parts;       /* the folders and files in it that were begun */
	notes *say;
	arena texts;
} whole_folder;

/* May a folder be written at this path?  False after a problem. */
bool whole_folder_may_write(const char *path, bool replace, const whole_folder_mark *mark, notes *say);

/* Begin to write.  w and mark must stay where they are until whole_folder_end.  False after a problem. */
bool whole_folder_begin(whole_folder *w, const char *path, bool replace, const whole_folder_mark *mark, notes *say);

/* Finish the open file, if there is one, and begin the next: NAME or FOLDER/NAME.  After a failure, w->to is NULL. */
void whole_folder_begin_file(whole_folder *w, const char *name);

/* Give the folder its name.  False after a problem: nothing is left of it. */
bool whole_folder_end(whole_folder *w);
