/*
 * slice_keep - which rows of a trace a slice keeps, by what the rows say.
 *
 *     slice_keep *k = slice_keep_new(t);
 *     slice_keep_time(k, 0, (ival){ 100, 200 }, (ival){ 100, 200 });     // of the first process: GPU, CPU
 *     slice_keep_piece(k, 0, 17, 90);            // besides: the work with this correlation id and start
 *     slice_keep_end(k);
 *     puts(slice_keeps_work(k, t->procs[0].id, 17, 90, 95) ? "kept" : "left out");
 *     slice_keep_free(k);
 *
 * A row is known by its process, times and correlation id, not by its place in a table, so that loaded events and rows
 * are treated alike.  Rows that agree in these values are kept together.
 */
#pragma once

#include "base/group.h"
#include "base/memory.h"
#include "trace/trace.h"

typedef struct {
	uint32_t proc;
	ival gpu, cpu;
} slice_time;

typedef struct {
	const trace *t;
	ival_set *gpu, *cpu;    /* by process: times whose work (gpu) and thread events (cpu) are kept */
	ival hull;              /* from the first to the last of all these times */
	vec(slice_time) times;  /* collected until slice_keep_end */
	group pieces;           /* further work that is kept: process, correlation id, start */
	group calls;            /* further calls that are kept, such as the launches of kept work: process, correlation
				 * id */
	group launchers;        /* calls all of whose work is kept: process, correlation id */
	group moments;          /* further calls that are kept: thread, start */
	group ranges;           /* further push/pop and start/end ranges that are kept: thread, start */
	group switches;         /* further context switches that are kept: thread, time */
	ival_set samples;       /* times whose samples of GPU metrics are kept, for all processes */
	int64_t adopter;        /* the process that owns work without a globalPid */
} slice_keep;

slice_keep *slice_keep_new(const trace *t);
void slice_keep_free(slice_keep *k);

/* Keep the events of a process that touch these times. */
void slice_keep_time(slice_keep *k, uint32_t proc, ival gpu, ival cpu);
void slice_keep_end(slice_keep *k);     /* call it after the last slice_keep_time */

/* Keep a single event, by its process or thread. */
void slice_keep_piece(slice_keep *k, uint32_t proc, int64_t correlation, int64_t start);
void slice_keep_call(const slice_keep *k, group *to, uint32_t proc, int64_t correlation);       /* `to` is &k->calls or
												 * &k->launchers */
void slice_keep_at(const slice_keep *k, group *to, uint32_t thread, int64_t time);      /* `to` is &k->moments,
											 * &k->ranges or &k->switches */

/* Is the row kept?  `process` is as in global_id.h, or TRACE_UNKNOWN if the row names none. */
bool slice_keeps_work(const slice_keep *k, int64_t process, int64_t correlation, int64_t start, int64_t end);
bool slice_keeps_call(const slice_keep *k, int64_t thread, int64_t correlation, int64_t start, int64_t end);
bool slice_keeps_event(const slice_keep *k, int64_t thread, int64_t start, int64_t end);
bool slice_keeps_range(const slice_keep *k, int64_t thread, int64_t start, int64_t end);
bool slice_keeps_switch(const slice_keep *k, int64_t thread, int64_t time);
