/*
 * slice_keep - which rows of a trace a slice keeps, in terms of what the rows say.
 *
 *     slice_keep *k = slice_keep_new(t);
 *     slice_keep_time(k, 0, (ival){ 100, 200 }, (ival){ 100, 200 });     // of the first process: GPU, CPU
 *     slice_keep_piece(k, 0, 17, 90);            // besides: the work with this correlation id and start
 *     slice_keep_end(k);
 *     puts(slice_keeps_work(k, t->procs[0].id, 17, 90, 95) ? "kept" : "left out");
 *     slice_keep_free(k);
 *
 * Rows are told by their process, times and correlation ids, and not by where they are in a table: the same question
 * is asked of loaded events and of rows.  Rows that agree in these are kept together.
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
	ival_set *gpu, *cpu;    /* by process: what touches these is kept: work, and events of threads */
	ival hull;              /* of all of them */
	vec(slice_time) times;  /* until slice_keep_end */
	group pieces;           /* process, correlation id, start: other work */
	group calls;            /* process, correlation id: calls that launched kept work, and others, */
	group launchers;        /* and calls all of whose work is kept */
	group moments;          /* thread, start: other calls */
	group ranges;           /* thread, start: push/pop and start/end ranges */
	group switches;         /* thread, time: context switches */
	ival_set samples;       /* of GPU metrics, whoever runs */
	int64_t adopter;        /* the process of work that names none */
} slice_keep;

slice_keep *slice_keep_new(const trace *t);
void slice_keep_free(slice_keep *k);

/* Keep what touches these times of a process. */
void slice_keep_time(slice_keep *k, uint32_t proc, ival gpu, ival cpu);
void slice_keep_end(slice_keep *k);     /* no more times come */

/* Keep single events: id as in trace_proc, or of a thread. */
void slice_keep_piece(slice_keep *k, uint32_t proc, int64_t correlation, int64_t start);
void slice_keep_call(const slice_keep *k, group *to, uint32_t proc, int64_t correlation);       /* calls or launchers */
void slice_keep_at(const slice_keep *k, group *to, uint32_t thread, int64_t time);      /* moments, ranges, switches */

/* Does it touch the times of a process's threads, or begin where they end? */
bool slice_keep_in_reach(const slice_keep *k, uint32_t proc, int64_t start, int64_t end);

/* Are they kept?  process is that of global_id.h, TRACE_UNKNOWN where the row names none. */
bool slice_keeps_work(const slice_keep *k, int64_t process, int64_t correlation, int64_t start, int64_t end);
bool slice_keeps_call(const slice_keep *k, int64_t thread, int64_t correlation, int64_t start, int64_t end);
bool slice_keeps_event(const slice_keep *k, int64_t thread, int64_t start, int64_t end);
bool slice_keeps_range(const slice_keep *k, int64_t thread, int64_t start, int64_t end);
bool slice_keeps_switch(const slice_keep *k, int64_t thread, int64_t time);
