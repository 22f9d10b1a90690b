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
 * Of each trace there are NAME.table and NAME.messages, its output and what it said, and, written last, NAME.done: the
 * exit code, and what was done to which file.  Each appears complete, so several programs, also on other machines that
 * share the folder, may work in it at once; what two of them do for one trace is the same.
 */
#pragma once

#include "base/notes.h"
#include "base/strings.h"
#include "base/child.h"

typedef struct {
	const char *trace;              /* as it was given */
	const char *table, *messages, *ended;   /* the files */
	const char *state;              /* size and time of the trace when its run began */
	const char *log;                /* of the task that was to do it elsewhere; or NULL */
	bool done;
	int code;                       /* of the pipeline, if done */
} result;

typedef struct {
	const char *folder;             /* its whole path */
	const char *pipeline;
	bool cached;                    /* the folder is one of the user's cache, and ours */
	result *v;                      /* in the order of the traces */
	size_t n, room;
	uint64_t run;                   /* a number that no other run has, on any machine */
	int lock;                       /* of the folder in the cache, or -1 */
	str_pool names;                 /* of the files, by number of the trace */
	arena texts;
} results;

/* Use a folder, made if it is not there; NULL: one in the user's cache for this pipeline and the folder where we are.
 * False after a problem. */
bool results_open(results *all, const char *folder, notes *say);

/* Add a trace; false: it is there already. */
bool results_add(results *all, const char *trace);

/* Look whether it is done.  same: by this version, without failing, and the trace is what it was then. */
void results_look(const results *all, result *r, bool same);

/* Look in the folder what is done meanwhile, by others, and count it.  False: nothing new. */
bool results_scan(results *all, size_t *done);

/* A new file to write.  What has its name is removed first, so that no planted link is followed.  NULL: see errno. */
FILE *results_file(const char *path);

/* Open the files that a run is to write, for io.  False after a problem. */
bool results_begin(results *all, result *r, child_io *io, notes *say);

/* It has run: keep what it wrote.  False after a problem, and it has no result. */
bool results_finish(const results *all, result *r, int code, notes *say);

/* It was stopped: leave nothing of it. */
void results_drop(const results *all, const result *r);

/* Remove what an earlier run left of it; or, of the cache, all that is there. */
void results_forget(const result *r);
void results_remove(const results *all);

void results_free(results *all);
