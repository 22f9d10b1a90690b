/*
 * results - a folder with what a pipeline printed for each of many traces, so that a later run need not do it again.
 *
 *     notes say = { 0 };
 *     results all = { .pipeline = "nsq-window {} | nsq-overlap" };
 *     if (results_open(&all, "kept", &say) && results_add(&all, "run.sqlite")) {
 *         results_look(&all, &all.v[0], true);   // an earlier run may have done it
 *         printf("%d %s\n", all.v[0].done, all.v[0].table);
 *     }
 *     results_free(&all);
 *     notes_free(&say);
 *
 * Each trace has three files: NAME.table with the output, NAME.messages with the messages, and NAME.done, written last,
 * with the exit code, the pipeline and the state of the trace.  A file appears only when it is complete, so several
 * programs, also on other machines that share the folder, may work in the folder at the same time.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"
#include "base/child.h"

typedef struct {
	const char *trace;              /* the path of the trace */
	const char *table, *messages, *ended;   /* the three files of the trace */
	const char *state;              /* size and modification time of the trace when the pipeline began */
	const char *log;                /* the log of the task on another machine; or NULL */
	bool done;                      /* there is a result */
	int code;                       /* exit code of the pipeline, if done */
} result;

typedef struct {
	const char *folder;             /* the absolute path of the folder */
	const char *pipeline;
	bool cached;                    /* the folder is in the cache; otherwise the user named it */
	result *v;                      /* in the order of the traces */
	size_t n, room;
	uint64_t run;                   /* a number that no other run has, on any machine */
	int lock;                       /* the lock of the folder in the cache, or -1 */
	str_pool names;                 /* NAME of each trace; its id is the number of the trace */
	arena texts;
} results;

/* Open a folder, and make it if it is missing.  folder NULL: the one in the user's cache for this pipeline and the
 * working folder.  False after a problem. */
bool results_open(results *all, const char *folder, notes *say);

/* Add a trace; false: it was added before. */
bool results_add(results *all, const char *trace);

/* If the folder has a result of this version and pipeline for the trace, set `code` and `done`.  same: set `done` only
 * if the exit code is 0 and the trace has not changed since. */
void results_look(const results *all, result *r, bool same);

/* Look in the folder for new results, and add their number to *done.  False: there are none. */
bool results_scan(results *all, size_t *done);

/* Open a new file to write.  Anything with that name is removed first, so that no planted link is followed.  NULL:
 * errno says why. */
FILE *results_create_file(const char *path);

/* Open the files for the output and the messages of a run, as io->out and io->err, which the caller closes.  False
 * after a problem. */
bool results_begin(results *all, result *r, child_io *io, notes *say);

/* Keep the output of a run that has ended.  False after a problem: there is no result. */
bool results_finish(const results *all, result *r, int code, notes *say);

/* Remove the incomplete files of a run that was stopped. */
void results_drop(const results *all, const result *r);

/* Remove the result of a trace. */
void results_forget(const result *r);

/* Remove all results, if the folder is in the cache.  A folder that the user named stays as it is. */
void results_remove(const results *all);

void results_free(results *all);
