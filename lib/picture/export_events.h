/*
 * export_events - a timeline in a file of Chrome's format: events on tracks, arrows and counters.
 *
 *     chrome_json json = chrome_begin(stdout);
 *     export_ids ids = { 0 };
 *     export_events(tl, &(export_how){ 0 }, &ids, &json);          // for each trace
 *     export_ids_free(&ids);
 *     chrome_end(&json, NULL);
 */
#pragma once

#include "base/dict.h"
#include "picture/chrome_json.h"
#include "picture/marked.h"
#include "picture/timeline.h"
#include "relate/labels.h"

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
	const rules *categories;        /* of kernels; NULL: not shown */
	void (*progress)(void *ctx);    /* called now and then; or NULL */
	void *ctx;
} export_how;

void export_events(const timeline *tl, const export_how *how, export_ids *ids, chrome_json *to);

/* After all traces: what was found, for those processes that the file holds. */
void export_findings(const marked *m, export_ids *ids, chrome_json *to);
