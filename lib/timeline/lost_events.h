/*
 * lost_events - signs that the capture lost events of a process.
 *
 *     lost_events_warn(t, -1, -1, say);          // a warning for each process with a sign
 *
 * The numbers of such a process are too low, so every tool that counts its events warns.
 */
#pragma once

#include "base/notes.h"
#include "trace/trace.h"

/* Call report for each sign.  text: the sign in words, valid until report returns. */
void lost_events_find(trace *t, void (*report)(void *ctx, const trace_proc *p, const char *text), void *ctx);

/* How to capture the lost events: a clause such as "capture again with nsys profile --cuda-flush-interval=100". */
const char *lost_events_cure(const trace *t);

/* An array with an element for each process: is there a sign that it lost events?  The trace keeps the array. */
const bool *lost_events_of(trace *t);

/* Add a warning for each process with a sign, and a remark that says how to capture the lost events.  pid -1: for all
 * processes; otherwise only for those with this pid and sub, which tells processes with the same pid apart
 * (trace_is_process). */
void lost_events_warn(trace *t, int64_t pid, int64_t sub, notes *say);
