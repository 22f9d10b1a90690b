/*
 * report - exports .nsys-rep and .qdrep reports, and traces of torch.profiler, to SQLite.
 *
 *     arena texts = { 0 };
 *     notes say = { 0 };
 *     report_how how = { 0 };
 *     const char *file;
 *     int ended_by = 0;
 *     if (report_find_file("run.nsys-rep", &how, &file, &texts, &say) && !file)
 *         file = report_export("run.nsys-rep", &how, NULL, &ended_by, &texts, &say);
 *     if (ended_by) {                            // a signal asked us to stop; all is cleaned up
 *         signal(ended_by, SIG_DFL);
 *         raise(ended_by);
 *     }
 *     puts(file ? file : "say has the reason");  // run.sqlite
 *     arena_free(&texts);
 *     notes_free(&say);
 *
 * The export goes beside the report, where it replaces an older export of that report but no other file.  If another
 * file has the name, or the folder is not writable, the export goes into the folder nsq of the user's cache
 * ($XDG_CACHE_HOME, otherwise ~/.cache).  nsys writes the export under a temporary name.  When nsys is done, the export
 * is renamed, so a file with the final name is always complete.  When the report changes, it is exported again.  A
 * trace of torch.profiler is treated as a report, but nsq writes its export itself (import/import.h).
 */
#pragma once

#include "base/arena.h"
#include "base/notes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *nsys;       /* the nsys to run; NULL: report_find_nsys(NULL) */
	const char *folder;     /* folder for exports; NULL: $NSQ_EXPORT_TO, otherwise beside the report or in the
				 * user's cache, as above */
	bool beside;            /* ignore $NSQ_EXPORT_TO */
	const char *to;         /* path of the export (only report_export uses this); NULL: it is chosen as above */
	bool anew;              /* replace an export of this report even if it is up to date */
	bool stacks;            /* import the Python functions of a trace of torch.profiler too */
} report_how;

/* Find the SQLite file for a trace.  For a report, *file is its export (allocated in a); NULL: the report has no
 * export that is up to date, and must be exported first.  For any other file, *file is the path itself.  False after a
 * problem; *file is then NULL. */
bool report_find_file(const char *path, const report_how *how, const char **file, arena *a, notes *say);

/* Is the file a trace of torch.profiler? */
bool report_is_torch(const char *path);

/* The nsys that report_export will run: the given one, otherwise $NSQ_NSYS, otherwise "nsys" from PATH. */
const char *report_find_nsys(const char *nsys);

/* Called each second while nsys exports, but not while a trace of torch.profiler is imported.  `doing` says in words
 * what is done.  `done` and `total` are nsys's percentage and 100, or 0 and 0 if the percentage is not known. */
typedef void report_progress(const char *doing, size_t done, size_t total);

/* Export a report, even if it has an export.  Returns the path of the export (allocated in a).  If an up-to-date export
 * is found there at the end, perhaps made meanwhile by another process, it stays unless how->anew is set.  If nsys
 * fails, the message quotes the last line that nsys printed.  progress may be NULL.
 *
 * NULL after a problem, or if SIGINT, SIGTERM, SIGHUP or SIGQUIT arrived.  After such a signal, nsys has been stopped,
 * nothing is left behind, the signal mask is as it was, and *ended_by is the signal, which the caller must raise again.
 * Otherwise *ended_by is 0. */
const char *report_export(const char *path, const report_how *how, report_progress *progress, int *ended_by, arena *a,
			  notes *say);
