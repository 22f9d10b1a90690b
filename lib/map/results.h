/*
 * results - a folder with what a pipeline printed for each of many traces, so that a later run can reuse it.
 *
 *     notes say = { 0 };
 *     results all = { .pipeline = "nsq-window {} | nsq-overlap" };
 *     if (results_open(&all, "kept", &say) && results_add(&all, "run.sqlite")) {
 *         results_read_record(&all, &all.v[0], true);   // if an earlier run has done it
 *         printf("%d %s\n", all.v[0].done, all.v[0].table);
 *     }
 *     results_free(&all);
 *     notes_free(&say);
 *
 * Each trace has three files, where NAME is a digest of its path: NAME.table with the output, NAME.messages with the
 * messages, and NAME.done, written last, with the exit code, the pipeline and the state of the trace (its size and
 * modification time).  A file appears only when it is complete, so several programs, also on other machines that share
 * the folder, may work in the folder at the same time.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"
#include "base/child.h"

typedef struct {
	const char *trace;              /* the path of the trace */
	const char *table;              /* the path of NAME.table */
	const char *messages;           /* the path of NAME.messages */
	const char *record;             /* the path of NAME.done */
	const char *state;              /* the state of the trace, as a text, when its pipeline began; NULL: this run
					 * has not begun the pipeline for it */
	const char *log;                /* the path of the log of the Slurm task that got the trace; or NULL */
	bool done;                      /* the folder has a result */
	int code;                       /* exit code of the pipeline, if done */
} result;

typedef struct {
	const char *folder;             /* the absolute path of the folder */
	const char *pipeline;
	bool cached;                    /* the folder is in the cache; false: the user named it */
	result *v;                      /* in the order in which the traces were added */
	size_t n, room;
	uint64_t run;                   /* a random number, in the names of the incomplete files of this run; other
					 * runs, on any machine, have others */
	int lock;                       /* the descriptor that holds the lock of the folder; -1: there is none */
	str_pool names;                 /* NAME of each trace, a digest of its path; its id is the index of the trace in
					 * v */
	arena texts;
} results;

/* Open a folder, and make it if it is missing.  folder NULL: the folder in the user's cache for all->pipeline and the
 * working folder.  False after a problem. */
bool results_open(results *all, const char *folder, notes *say);

/* Add a trace, given by its path, which must live as long as `all`.  False: it was added before. */
bool results_add(results *all, const char *trace);

/* Read NAME.done of a trace.  If it was written by this version for this pipeline and trace, and NAME.table has the
 * size that it states, set `code` and `done`.  only_reusable: set `done` only if the exit code is 0 and the trace has
 * not changed since. */
void results_read_record(const results *all, result *r, bool only_reusable);

/* Look in the folder for results of traces that are not done, set their `code` and `done`, and add their number to
 * *done.  False: no trace has a new result. */
bool results_scan(results *all, size_t *done);

/* Open a new file to write.  Anything with that name is removed first, so that no planted link is followed.  NULL:
 * errno says why. */
FILE *results_create_file(const char *path);

/* Open the incomplete files for the output and the messages of the pipeline, as io->out and io->err, which the caller
 * closes.  False after a problem. */
bool results_begin(results *all, result *r, child_io *io, notes *say);

/* Turn the files that results_begin opened into the result of the trace.  code: the exit code of the pipeline.  False
 * after a problem: there is no result. */
bool results_finish(const results *all, result *r, int code, notes *say);

/* Remove the incomplete files of a pipeline that was stopped. */
void results_remove_partial(const results *all, const result *r);

/* Remove the files of the result of a trace. */
void results_remove_one(const result *r);

/* Remove all files in the folder, if it is in the cache.  A folder that the user named stays as it is. */
void results_remove_cached(const results *all);

void results_free(results *all);
