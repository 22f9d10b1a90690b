/*
 * report - .nsys-rep and .qdrep reports, and traces of torch.profiler, exported to SQLite once.
 *
 *     arena texts = { 0 };
 *     notes say = { 0 };
 *     report_how how = { 0 };
 *     const char *file;
 *     int ended_by = 0;
 *     if (report_ready("run.nsys-rep", &how, &file, &texts, &say) && !file)
 *         file = report_export("run.nsys-rep", &how, NULL, &ended_by, &texts, &say);
 *     if (ended_by) {                            // a signal asked us to stop; all is cleaned up
 *         signal(ended_by, SIG_DFL);
 *         raise(ended_by);
 *     }
 *     puts(file ? file : "say has the reason");  // run.sqlite
 *     arena_free(&texts);
 *     notes_free(&say);
 *
 * The export goes beside the report, where it replaces an older export of that report but nothing else.  If there is
 * something else, or the folder is not writable, it goes into the folder nsq of the user's cache ($XDG_CACHE_HOME, else
 * ~/.cache).  nsys writes it under a temporary name and it is renamed when nsys is done, so a file with the final name
 * is always complete.  When the report changes, it is exported again.  A trace of torch.profiler is treated as a
 * report; nsq writes its export itself (import/import.h).
 */
#pragma once

#include "base/arena.h"
#include "base/notes.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
	const char *nsys;       /* the program; NULL: report_nsys */
	const char *folder;     /* where exports go; NULL: $NSQ_EXPORT_TO, else as said above */
	bool beside;            /* there, whatever the environment says */
	const char *to;         /* the name of the export, of report_export alone; NULL: chosen as said above */
	bool anew;              /* replace an export of this report even if it is up to date */
	bool stacks;            /* of a trace of torch.profiler: Python functions too */
} report_how;

/* Find the SQLite file for a trace: the path itself, or a report's up-to-date export (allocated in a).
 * *file is NULL if the report must be exported first.  False after a problem; *file is then NULL too. */
bool report_ready(const char *path, const report_how *how, const char **file, arena *a, notes *say);

/* Is it a trace of torch.profiler? */
bool report_is_torch(const char *path);

/* The nsys that report_export will run: the one given, else $NSQ_NSYS, else "nsys", which is looked up in PATH. */
const char *report_nsys(const char *nsys);

/* Called each second, with how much of it is done: as nsys says, in percent, or 0 of 0. */
typedef void report_progress(const char *doing, size_t done, size_t of);

/* Export a report, even if it has an export.  Returns the name of the new one (allocated in a).  Of what nsys prints,
 * the last line is in the message if it fails.  progress: or NULL.
 *
 * NULL after a problem, or, without one, when SIGINT, SIGTERM, SIGHUP or SIGQUIT arrived: then nsys has been
 * stopped too, nothing is left behind, the signal mask is as it was, and *ended_by is the signal, for the
 * caller to raise again.  Otherwise *ended_by is 0. */
const char *report_export(const char *path, const report_how *how, report_progress *progress, int *ended_by, arena *a,
			  notes *say);
