/*
 * whole_folder - a folder of files that appears under its name only when it is complete.
 *
 *     static const whole_folder_mark mark = { "list.json", "{\"made_by\":\"me\",", "\"files\":[" };
 *     notes say = { 0 };
 *     whole_folder w;
 *     if (whole_folder_begin(&w, "run.report", false, &mark, &say)) {     // false: an existing one is left alone
 *         whole_folder_file(&w, "list.json");
 *         if (w.to)
 *             fputs("{\"made_by\":\"me\",\"files\":[\"list.json\",\"tables/kernels.csv\"]}\n", w.to);
 *         whole_folder_file(&w, "tables/kernels.csv");
 *         whole_folder_end(&w);
 *     }
 *     notes_free(&say);
 *
 * It is written beside its name and then renamed, so that nobody sees half of it and a failed write leaves what was
 * there.  From the beginning to the end the signals that end a program are held back; after each file, if one came,
 * nothing is left and it takes its course.  Nothing is left after a crash either.  What is replaced is never a
 * stranger's: a folder must be empty, or its list, which the mark tells from other files, must name all files in it,
 * and none of them may be a link or a trace.
 */
#pragma once

#include "base/memory.h"
#include "base/whole_file.h"

#include <signal.h>

typedef struct {
	const char *list;       /* a JSON file that names all files of the folder */
	const char *begins;     /* and begins so; */
	const char *names;      /* after this come their names: "NAME","FOLDER/NAME"] */
} whole_folder_mark;

typedef struct {
	FILE *to;               /* write here; NULL: not now */
	const char *path;
	const char *beside;     /* the name until it is complete */
	const whole_folder_mark *mark;
	bool replace;
	int reason;             /* errno of the first thing that failed, or 0 */
	whole_file file;        /* the current one */
	sigset_t ending, before;        /* signals held back, and the mask to go back to */
	ending_file unfinished;
	vec(ending_file *) parts;       /* its folders and files */
	notes *say;
	arena texts;
} whole_folder;

/* May a folder be written there?  False after a problem. */
bool whole_folder_may(const char *path, bool replace, const whole_folder_mark *mark, notes *say);

/* False after a problem. */
bool whole_folder_begin(whole_folder *w, const char *path, bool replace, const whole_folder_mark *mark, notes *say);

/* Go on to the next file, NAME or FOLDER/NAME.  After something has failed there is none. */
void whole_folder_file(whole_folder *w, const char *name);

/* Give it its name.  False after a problem, and nothing is left of it. */
bool whole_folder_end(whole_folder *w);
