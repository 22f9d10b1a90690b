/*
 * export_events - a timeline as a file in Chrome's trace format, which Perfetto reads, and the writer of that format.
 * The file holds events on tracks, arrows and counters.
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
 * Times are written as microseconds with three decimals, digit by digit, and Perfetto reads them exactly.  It looks for
 * ts and dur from the first member of an event on, and gives up at a \u escape.  So times come first, and texts have no
 * such escapes: control characters and invalid UTF-8 are written as the text \xNN, as in messages. */

typedef struct {
	json_writer j;
	size_t events;
	int64_t ahead;          /* nanoseconds added to each ts; set by the caller */
	bool args;              /* the args of an event are open, and need another closing brace */
} chrome_json;

chrome_json chrome_begin(FILE *to);
void chrome_end(chrome_json *j, const char *clock);     /* clock: a sentence about the clock; or NULL */

/* Begin an event of this phase, with its pid, tid and ts (in ns, before `ahead` is added).  A negative ts is left out.
 * chrome_close ends the event. */
void chrome_event(chrome_json *j, char phase, int64_t pid, int64_t tid, int64_t ts);
void chrome_close(chrome_json *j);

/* Write a member of the event, or after chrome_args a member of its args. */
void chrome_args(chrome_json *j);
void chrome_time(chrome_json *j, const char *member, int64_t ns);
void chrome_int(chrome_json *j, const char *member, int64_t value);
void chrome_micro(chrome_json *j, const char *member, int64_t millionths);   /* written as a decimal number of units */
void chrome_text(chrome_json *j, const char *member, const char *text);      /* NULL: writes nothing */

/* Write the event that names a process or thread, and the event that gives its position among the others.  what: what
 * Chrome's format calls such an event, for example "thread_name" and "thread_sort_index". */
void chrome_name(chrome_json *j, const char *what, int64_t pid, int64_t tid, const char *name);
void chrome_sort(chrome_json *j, const char *what, int64_t pid, int64_t tid, int64_t index);

/* ---- the timeline */

typedef struct {                /* a process of a trace in the file */
	const char *path;
	int64_t pid, sub;
	int64_t in_file;        /* its pid in the file */
	int64_t ahead;          /* how far the file's clock is ahead of the trace's, ns */
	int64_t findings;       /* the track of its findings; 0: none yet */
	ival hull;              /* the time of the trace that the file holds */
} export_home;

typedef struct {                /* numbers that the file has used, so that no two traces get the same */
	dict pids, tids;
	vec(export_home) homes;
	int64_t processes;      /* the number of processes */
	int64_t tracks;         /* the number of rows that are no threads: of GPUs, OS and MPI calls, and findings */
	int64_t arrows, crossing;       /* the number of arrows, and of events that cross others: their next ids */
} export_ids;

void export_ids_free(export_ids *ids);

typedef struct {
	const rules *categories;        /* rules for the categories of kernels; NULL: owners are shown */
	void (*progress)(void *ctx);    /* called now and then; or NULL */
	void *ctx;
} export_how;

void export_events(const timeline *tl, const export_how *how, export_ids *ids, chrome_json *to);

/* Add the findings about processes that are in the file.  Call it after all traces were added. */
void export_findings(const marked *m, export_ids *ids, chrome_json *to);
