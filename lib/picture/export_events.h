/*
 * export_events - a timeline in a file of Chrome's trace format, which Perfetto reads: events on tracks, arrows and
 * counters; and the writer of that format.
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
 * Perfetto takes times as text, so that they are exact.  It looks for ts and dur by reading the members of an event in
 * order, and gives up at a \u escape: times come first, and texts have no such escapes; what is not printable (control
 * characters, invalid UTF-8) is written as the text \xNN, as in messages. */

typedef struct {
	json_writer j;
	size_t events;
	int64_t ahead;          /* what is added to each ts; set by the caller */
	bool args;              /* inside args: close with another brace */
} chrome_json;

chrome_json chrome_begin(FILE *to);
void chrome_end(chrome_json *j, const char *clock);     /* what is said of the clock; or NULL */

/* Begin an event of a phase: its pid, tid and ts.  ts negative: it has none. */
void chrome_event(chrome_json *j, char phase, int64_t pid, int64_t tid, int64_t ts);
void chrome_close(chrome_json *j);

/* Members of an event; after chrome_args, of its args. */
void chrome_args(chrome_json *j);
void chrome_time(chrome_json *j, const char *member, int64_t ns);
void chrome_int(chrome_json *j, const char *member, int64_t value);
void chrome_micro(chrome_json *j, const char *member, int64_t millionths);   /* a decimal number */
void chrome_text(chrome_json *j, const char *member, const char *text);      /* NULL: no such member */

/* A whole event that names a process or thread, and one that says where it stands among others. */
void chrome_name(chrome_json *j, const char *what, int64_t pid, int64_t tid, const char *name);
void chrome_sort(chrome_json *j, const char *what, int64_t pid, int64_t tid, int64_t index);

/* ---- the timeline */

typedef struct {                /* where a process of a trace stands in the file */
	const char *path;
	int64_t pid, sub;
	int64_t in_file, ahead; /* its pid there, and how much later the file's clock is; */
	int64_t findings;       /* and the track of its findings, or 0: none yet */
	ival hull;              /* what the file holds of the trace */
} export_home;

typedef struct {                /* numbers that are taken in the file: several traces may use the same */
	dict pids, tids;
	vec(export_home) homes;
	int64_t processes;      /* how many there are */
	int64_t tracks;         /* of GPUs */
	int64_t arrows, crossing;
} export_ids;

void export_ids_free(export_ids *ids);

typedef struct {
	const rules *categories;        /* of kernels; NULL: owners are shown */
	void (*progress)(void *ctx);    /* called now and then; or NULL */
	void *ctx;
} export_how;

void export_events(const timeline *tl, const export_how *how, export_ids *ids, chrome_json *to);

/* After all traces: what was found, for those processes that the file holds. */
void export_findings(const marked *m, export_ids *ids, chrome_json *to);
