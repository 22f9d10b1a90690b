/*
 * call_sources - which function of the program made a CUDA call, where call chains were captured (TRACE_CALL_CHAINS)?
 *
 *     const call_sources *s = call_sources_of(t);
 *     const char *where = str_at(&t->names, call_sources_name(s, t->work.launch[0]));
 *     puts(where ? where : "-");                 // train_step (libmodel.so)
 *
 * The innermost frame that is the program's own, by share/rules/frames.tsv; where none is, the outermost of a library.
 */
#pragma once

#include "trace/trace.h"

typedef struct call_sources call_sources;

const call_sources *call_sources_of(trace *t);

/* The source of a call, which may be NONE: a string of trace.names, or STR_NONE if it is not known. */
uint32_t call_sources_name(const call_sources *s, uint32_t call);

typedef struct {                /* what times were added up by source */
	int64_t all, none;      /* all of them, and those without one */
} call_sources_times;

void call_sources_add(call_sources_times *to, uint32_t source, int64_t ns);

/* Say so if no chain has a frame of the program's own, or if the times without a source are many, and which calls have
 * no chain: of those that launched work, or of all. */
void call_sources_mention(const call_sources *s, const call_sources_times *of, bool launched, notes *say);
