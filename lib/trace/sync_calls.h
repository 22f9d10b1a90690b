/*
 * sync_calls - which API calls wait for the GPU, tell a stream to wait, or record events, by their names.
 *
 *     const uint8_t *kind = sync_calls(t);       // by t->calls.kind[i]: enum sync_call
 *     bool waits = sync_call("cudaStreamSynchronize_v3020") == SYNC_CALL_STREAM;
 *
 * What nsys says of a synchronization (syncType) is not reliable: the same number
 * stands for a stream that waits and for a thread that does.
 */
#pragma once

#include "trace/trace.h"

enum sync_call {
	SYNC_CALL_OTHER,
	SYNC_CALL_TELL,         /* a stream waits for an event */
	SYNC_CALL_STREAM,       /* the thread waits for a stream, */
	SYNC_CALL_EVENT,        /* an event, */
	SYNC_CALL_DEVICE,       /* all work of its process, */
	SYNC_CALL_COPY,         /* or the copy that it makes; */
	SYNC_CALL_COPY_ASYNC,   /* if the copy's memory is pageable; */
	SYNC_CALL_RECORD,       /* it records an event, or a graph that does */
	SYNC_CALL_BEGIN_CAPTURE, SYNC_CALL_END_CAPTURE  /* between these, no call of its thread does anything yet */
};

enum sync_call sync_call(const char *name);
const uint8_t *sync_calls(trace *t);

/* Is it the number of a context, a stream or an event, and not the sign that there is none? */
static inline bool sync_known(int64_t id)
{
	return id != TRACE_UNKNOWN && id != UINT32_MAX;
}

/* Does the thread wait that makes such a call? */
static inline bool sync_call_waits(enum sync_call kind)
{
	return kind >= SYNC_CALL_STREAM && kind <= SYNC_CALL_COPY_ASYNC;
}

/* Does a row of synchronizations say what such a call waits for?  What others wait for is known without, or nothing. */
static inline bool sync_call_has_row(uint8_t kind)
{
	return kind == SYNC_CALL_TELL || kind == SYNC_CALL_STREAM || kind == SYNC_CALL_EVENT;
}
