/*
 * export_events - a timeline as a file in Chrome's trace format, which Perfetto reads, and the writer of that format.
 * The file holds rows of events, arrows and counters.
 *
 *     chrome_json json = chrome_begin(stdout);
 *     export_ids ids = { 0 };
 *     export_events(tl, &(export_how){ 0 }, &ids, &json);          // for each trace
 *     export_ids_free(&ids);
 *     chrome_end(&json, NULL);
 */
#pragma once

#include "base/dict.h"
#include "base/json.h"
#include "picture/marked.h"
#include "picture/timeline.h"
#include "launch/labels.h"

#include <stdio.h>

/* ---- the format: chrome_begin, events one by one, chrome_end.
 *
 * Times are written as microseconds with three decimals, without rounding, and Perfetto reads them exactly.  To find ts
 * and dur, Perfetto reads an event from its first member on, and gives up at a \u escape.  So times come first, and
 * texts have no \u escapes: control characters and invalid UTF-8 are written as the text \xNN, as in messages. */

typedef struct {
	json_writer j;
	size_t events;          /* the number of events written so far, including the names of processes and rows */
	int64_t ahead;          /* nanoseconds added to each ts; set by the caller */
	bool args;              /* the args of an event are open, and need another closing brace */
} chrome_json;

chrome_json chrome_begin(FILE *to);
void chrome_end(chrome_json *c, const char *clock);     /* clock: a sentence about the clock, written as metadata; or
							 * NULL */

/* Begin an event of this phase (a letter of Chrome's format), with its pid, tid and ts.  ts is in ns, before `ahead`
 * is added; a negative ts is not written.  chrome_close ends the event. */
void chrome_event(chrome_json *c, char phase, int64_t pid, int64_t tid, int64_t ts);
void chrome_close(chrome_json *c);

/* Write a member of the event or, after chrome_args, a member of the event's args. */
void chrome_args(chrome_json *c);
void chrome_time(chrome_json *c, const char *member, int64_t ns);
void chrome_int(chrome_json *c, const char *member, int64_t value);
void chrome_micro(chrome_json *c, const char *member, int64_t millionths);   /* millionths of a unit; written as a
									      * decimal number of units */
void chrome_text(chrome_json *c, const char *member, const char *text);      /* text NULL: writes nothing */

/* Write the event that names a process or thread.  what: the name of this event in Chrome's format, for example
 * "thread_name". */
void chrome_put_name(chrome_json *c, const char *what, int64_t pid, int64_t tid, const char *name);

/* Write the event that gives a process or thread its place in the order of all.  what: the name of this event in
 * Chrome's format, for example "thread_sort_index". */
void chrome_put_order(chrome_json *c, const char *what, int64_t pid, int64_t tid, int64_t index);

/* ---- the timeline */

typedef struct {                /* a process of a trace in the file */
	const char *path;
	int64_t pid, sub;       /* as in trace_proc; sub tells processes with the same pid apart */
	int64_t in_file;        /* its pid in the file */
	int64_t ahead;          /* how far the file's clock is ahead of the trace's clock, ns */
	int64_t findings;       /* the tid of the row of its findings; 0: the row was not begun yet */
	ival hull;              /* the time from the first to the last window of the trace */
} export_process;

typedef struct {                /* numbers that the file has used, so that no two things get the same number */
	dict pids;              /* the pids in the file */
	dict tids;              /* the tids of threads in the file */
	vec(export_process) written;    /* the processes of the traces that have a pid in the file */
	int64_t processes;      /* the number of processes in the file; the GPUs of a trace count as one */
	int64_t rows;           /* the number of rows in the file that are not threads: rows of GPUs, of OS calls, of
				 * MPI calls and of findings */
	int64_t arrows;         /* the number of arrows, which is the id of the next one */
	int64_t asyncs;         /* the number of asynchronous events, which is the id of the next one */
} export_ids;

void export_ids_free(export_ids *ids);

typedef struct {
	const rules *categories;        /* rules that give kernels their categories; NULL: the owners of kernels (enum
					 * owner, step/owners.h) are written */
	void (*progress)(void *ctx);    /* called now and then; or NULL */
	void *ctx;
} export_how;

/* Add the events of a trace. */
void export_events(const timeline *tl, const export_how *how, export_ids *ids, chrome_json *to);

/* Add the findings whose process and time are in the file.  Call it after all traces were added. */
void export_findings(const marked *m, export_ids *ids, chrome_json *to);
