/*
 * call_sources - which function of the program made a CUDA call, if call chains were captured (TRACE_CALL_CHAINS).
 *
 *     const call_sources *s = call_sources_of(t);
 *     const char *where = str_at(&t->names, call_sources_name(s, t->work.launch[0]));
 *     puts(where ? where : "-");                 // train_step (libmodel.so)
 *
 * The source of a call is its innermost frame of the program's own code, by share/rules/frames.tsv.  Without such a
 * frame, it is the outermost frame of a library.
 */
#pragma once

#include "trace/trace.h"

typedef struct call_sources call_sources;

const call_sources *call_sources_of(trace *t);

/* The source of a call: a string of trace.names, or STR_NONE if it is not known.  call may be NONE. */
uint32_t call_sources_name(const call_sources *s, uint32_t call);

typedef struct {                /* sums over calls or work, to see for how much of the time no source is known */
	int64_t all;            /* ns of all of them */
	int64_t none;           /* ns of those without a source */
} call_sources_times;

/* Add the time of a call or of a piece of work, whose source may be STR_NONE. */
void call_sources_add(call_sources_times *to, uint32_t source, int64_t ns);

/* Remark on two shortcomings.  First: at least 1 % of the time has no source, and calls without a chain exist.  This
 * remark names the API function whose calls without a chain take the most time or, with `launched`, whose work does.
 * Second: no chain has a frame of the program's own code. */
void call_sources_mention(const call_sources *s, const call_sources_times *times, bool launched, notes *say);
