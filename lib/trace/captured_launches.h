/*
 * captured_launches - launches while their thread captures a stream: they make nodes of a graph, and run nothing.
 *
 *     const size_t *n = captured_launches(t);
 *     printf("%zu launches of the first process were captured\n", n[0]);
 */
#pragma once

#include "trace/trace.h"

/* By process.  Calls need not be loaded: those of a process that captures are read again, so ask only where it
 * matters. */
const size_t *captured_launches(trace *t);
