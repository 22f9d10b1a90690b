/*
 * sync_calls - which API calls wait for the GPU, make a stream wait, record events, or capture a stream, by their
 * names.
 *
 *     const uint8_t *kind = sync_calls(t);       // enum sync_call of call i: kind[t->calls.kind[i]]
 *     bool waits = sync_call("cudaStreamSynchronize_v3020") == SYNC_CALL_STREAM;
 *
 * nsys's own syncType is not reliable: the same number stands for a stream that waits and for a thread that waits.
 */
#pragma once

#include "trace/trace.h"

enum sync_call {
	SYNC_CALL_OTHER,
	SYNC_CALL_STREAM_WAIT,  /* it makes a stream, and not its thread, wait for an event */
	SYNC_CALL_STREAM,       /* its thread waits for a stream */
	SYNC_CALL_EVENT,        /* its thread waits for an event */
	SYNC_CALL_DEVICE,       /* its thread waits for all work of its process */
	SYNC_CALL_COPY,         /* its thread waits for the copy that it makes */
	SYNC_CALL_COPY_ASYNC,   /* it copies, and its thread waits for the copy if the memory is pageable */
	SYNC_CALL_RECORD,       /* it records an event, or launches a graph, which may record events */
	SYNC_CALL_BEGIN_CAPTURE, SYNC_CALL_END_CAPTURE  /* a thread's calls between these two are captured */
};

enum sync_call sync_call(const char *name);
const uint8_t *sync_calls(trace *t);    /* the enum sync_call of each element of t->calls.kinds; freed with the trace */

/* Is this the id of a context, a stream or an event?  TRACE_UNKNOWN and UINT32_MAX stand for none. */
static inline bool sync_is_known_id(int64_t id)
{
	return id != TRACE_UNKNOWN && id != UINT32_MAX;
}

/* Does a call of this kind make its thread wait? */
static inline bool sync_call_waits(enum sync_call kind)
{
	return kind >= SYNC_CALL_STREAM && kind <= SYNC_CALL_COPY_ASYNC;
}

/* Does a synchronization in trace_syncs say what a call of this kind waits for, or makes a stream wait for?  Other
 * calls wait for nothing, or for something that is known without it. */
static inline bool sync_call_has_row(uint8_t kind)
{
	return kind == SYNC_CALL_STREAM_WAIT || kind == SYNC_CALL_STREAM || kind == SYNC_CALL_EVENT;
}
