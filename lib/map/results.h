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
 * programs, also on other machines that share the folder, may work in it at once.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"
#include "base/child.h"

typedef struct {
	const char *trace;              /* as given */
	const char *table, *messages, *ended;   /* the files */
	const char *state;              /* size and time of the trace when its run began */
	const char *log;                /* the log of the task on another machine; or NULL */
	bool done;
	int code;                       /* exit code of the pipeline, if done */
} result;

typedef struct {
	const char *folder;             /* its whole path */
	const char *pipeline;
	bool cached;                    /* the folder is in the cache, and not one that the user named */
	result *v;                      /* in the order of the traces */
	size_t n, room;
	uint64_t run;                   /* a number that no other run has, on any machine */
	int lock;                       /* the lock of the folder in the cache, or -1 */
	str_pool names;                 /* names of the files, by number of the trace */
	arena texts;
} results;

/* Use a folder, which is made if missing; NULL: one in the user's cache for this pipeline and the working folder.
 * False after a problem. */
bool results_open(results *all, const char *folder, notes *say);

/* Add a trace; false: it was added before. */
bool results_add(results *all, const char *trace);

/* Look in the folder whether a trace is done.  same: only if this version did it without failing, and the trace has not
 * changed since. */
void results_look(const results *all, result *r, bool same);

/* Look in the folder for traces that others have done meanwhile, and count them.  False: there are none. */
bool results_scan(results *all, size_t *done);

/* Open a new file to write.  Anything of that name is removed first, so that no planted link is followed.  NULL: see
 * errno. */
FILE *results_file(const char *path);

/* Open the files that a run is to write, for io.  False after a problem. */
bool results_begin(results *all, result *r, child_io *io, notes *say);

/* The run has ended: keep its output.  False after a problem; then there is no result. */
bool results_finish(const results *all, result *r, int code, notes *say);

/* The run was stopped: remove its files. */
void results_drop(const results *all, const result *r);

/* Remove the files of an earlier run for a trace; results_remove: the whole folder in the cache. */
void results_forget(const result *r);
void results_remove(const results *all);

void results_free(results *all);
