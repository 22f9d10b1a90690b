/*
 * export_events - the events of a trace in a file of Chrome's format: tracks, arrows and counters.
 *
 *     chrome_json json = chrome_begin(stdout);
 *     export_ids ids = { 0 };
 *     export_drawing d = { .t = t, .p = scene_build(t, all, AROUND_WORK), .all = all, .j = &json, .ids = &ids };
 *     if (export_counters_load(&d)) {
 *         export_events(&d);
 *         export_counters(&d);
 *     }
 *     export_drawing_free(&d);
 *     scene_free(d.p);
 *     export_ids_free(&ids);
 *     chrome_end(&json);
 */
#ifndef EXPORT_EVENTS_H
#define EXPORT_EVENTS_H

#include "relate/labels.h"
#include "picture/scene.h"
#include "picture/chrome_json.h"
#include "trace/gpu_cards.h"
#include "trace/memory_events.h"

typedef struct {                /* numbers that are taken in the file: several traces may use the same */
	dict pids, tids;
	int64_t processes;      /* how many there are */
	int64_t tracks;         /* of GPUs */
	int64_t arrows, crossing;
} export_ids;

typedef struct {
	trace *t;
	scene *p;
	const windows *all;
	chrome_json *j;
	export_ids *ids;
	labels *categories;     /* or NULL */
	void (*progress)(void *ctx);    /* called now and then; or NULL */
	void *ctx;

	int64_t *pid, *tid;     /* by process, thread: what the file calls it; -1: not in it yet */
	int64_t first_track;
	uint32_t *base;         /* by string: the name of a call without its suffix */
	memory_events memory;
	gpu_numbers numbers;
	arena texts;
} export_drawing;

void export_ids_free(export_ids *ids);

/* Ranges, calls, work and arrows. */
void export_events(export_drawing *d);

/* Metrics and memory in use.  Load before the rest, also to count them; false after a problem. */
bool export_counters_load(export_drawing *d);
void export_counters(export_drawing *d);

void export_drawing_free(export_drawing *d);    /* but not its scene */

/* How many values of counters are in a window. */
size_t export_counters_in(const export_drawing *d, const window *w);

/* What the file calls a process (NONE: those of the trace's GPUs); its name is written when it is first asked for. */
int64_t export_pid(export_drawing *d, uint32_t proc);

#endif
