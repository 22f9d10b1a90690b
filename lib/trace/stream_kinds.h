/*
 * stream_kinds - which streams wait for the legacy default stream, and how many queues a process has for its work.
 *
 *     enum stream_kind *kind = stream_kinds(t);  // kind[i] is that of t->streams[i]; NULL after a problem
 *     if (kind && t->nstreams && kind[0] == STREAM_DEFAULT)
 *         puts("work of stream 0 waits for all blocking streams");
 *     free(kind);
 *     if (stream_count_connections(t) == 1)
 *         puts("all streams share a queue");
 */
#pragma once

#include "trace/trace.h"

enum stream_kind {
	STREAM_UNKNOWN,
	STREAM_BLOCKING,        /* it and the default stream wait for each other */
	STREAM_FREE,            /* it does not wait for the default stream (cudaStreamNonBlocking) */
	STREAM_DEFAULT          /* the legacy default stream */
};

/* An array with the kind of each element of t->streams; STREAM_UNKNOWN if the trace does not say.  The caller frees it.
 * NULL after a problem. */
enum stream_kind *stream_kinds(trace *t);

/* The value of CUDA_DEVICE_MAX_CONNECTIONS in the environment that nsys or nsq-capture recorded.  TRACE_UNKNOWN: it was
 * not set, or not recorded. */
int64_t stream_count_connections(trace *t);
