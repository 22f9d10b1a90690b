/*
 * slice_keep - decides which rows of a trace a slice (a part of the trace as a new export, slice_write.h) keeps.
 *
 *     slice_keep *k = slice_keep_new(t);
 *     slice_keep_time(k, 0, (ival){ 100, 200 }, (ival){ 100, 200 });     // of the first process: GPU, CPU
 *     slice_keep_piece(k, 0, 17, 90);            // besides: the work with this correlation id and start
 *     slice_keep_end(k);
 *     puts(slice_keeps_work(k, t->procs[0].id, 17, 90, 95) ? "kept" : "left out");
 *     slice_keep_free(k);
 *
 * Rows are told apart by their process or thread, times and correlation id, not by their row id, so that loaded events
 * and rows can be compared.  If several rows agree in these values, all of them are kept, or none.
 */
#pragma once

#include "base/group.h"
#include "base/memory.h"
#include "trace/trace.h"

typedef struct {                /* a time that a slice keeps of one process */
	uint32_t proc;
	ival gpu;               /* work that touches this time is kept */
	ival cpu;               /* events of threads that touch this time are kept */
} slice_time;

typedef struct {
	const trace *t;
	ival_set *gpu, *cpu;    /* for each process: the union of its slice_time.gpu, and of its slice_time.cpu */
	ival hull;              /* the shortest interval that holds all these times */
	vec(slice_time) times;  /* what slice_keep_time was called for */
	/* keys of further rows that are kept; processes are as in global_id.h, threads are global ids */
	group pieces;           /* work: process, correlation id, start */
	group calls;            /* calls, such as the launches of kept work: process, correlation id */
	group launchers;        /* calls whose work is kept: process, correlation id */
	group moments;          /* calls: thread, start */
	group ranges;           /* push/pop and start/end ranges: thread, start */
	group switches;         /* context switches: thread, time */
	ival_set samples;       /* times whose samples of GPU metrics are kept, for all processes */
	int64_t adopter;        /* the process that owns work without a globalPid */
} slice_keep;

slice_keep *slice_keep_new(const trace *t);
void slice_keep_free(slice_keep *k);

/* Keep the work of a process that touches `gpu`, and the events of its threads that touch `cpu`. */
void slice_keep_time(slice_keep *k, uint32_t proc, ival gpu, ival cpu);
void slice_keep_end(slice_keep *k);     /* must be called after the last slice_keep_time */

/* Keep one piece of work (slice_keep_piece), one call or all work that it launched (slice_keep_call), or the events of
 * a thread at a moment (slice_keep_at).  slice_keep_call ignores correlation id 0, which means none. */
void slice_keep_piece(slice_keep *k, uint32_t proc, int64_t correlation, int64_t start);
void slice_keep_call(const slice_keep *k, group *to, uint32_t proc, int64_t correlation);       /* `to` is &k->calls or
												 * &k->launchers */
void slice_keep_at(const slice_keep *k, group *to, uint32_t thread, int64_t time);      /* `to` is &k->moments,
											 * &k->ranges or &k->switches */

/* Is the row kept?  `process` is as in global_id.h; TRACE_UNKNOWN: the row names none.  `thread` is a global id. */
bool slice_keeps_work(const slice_keep *k, int64_t process, int64_t correlation, int64_t start, int64_t end);
bool slice_keeps_call(const slice_keep *k, int64_t thread, int64_t correlation, int64_t start, int64_t end);
bool slice_keeps_event(const slice_keep *k, int64_t thread, int64_t start, int64_t end);
bool slice_keeps_range(const slice_keep *k, int64_t thread, int64_t start, int64_t end);
bool slice_keeps_switch(const slice_keep *k, int64_t thread, int64_t time);
