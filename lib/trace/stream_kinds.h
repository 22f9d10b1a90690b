/*
 * stream_kinds - which streams wait for the legacy default stream, and in how many queues a process puts its work.
 *
 *     enum stream_kind *kind = stream_kinds(t);  // by stream; NULL after a problem
 *     if (kind && t->nstreams && kind[0] == STREAM_DEFAULT)
 *         puts("work of stream 0 waits for all blocking streams");
 *     free(kind);
 *     if (stream_connections(t) == 1)
 *         puts("all streams share a queue");
 */
#pragma once

#include "trace/trace.h"

enum stream_kind {
	STREAM_UNKNOWN,
	STREAM_BLOCKING,        /* it waits for the default stream, and that for it */
	STREAM_FREE,            /* it does not (cudaStreamNonBlocking) */
	STREAM_DEFAULT          /* the legacy default stream */
};

/* What the trace says of each stream.  The caller frees it.  NULL after a problem. */
enum stream_kind *stream_kinds(trace *t);

/* CUDA_DEVICE_MAX_CONNECTIONS of the environment that nsys or nsq-capture wrote down, or TRACE_UNKNOWN. */
int64_t stream_connections(trace *t);
