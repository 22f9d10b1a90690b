/*
 * captured_launches - counts launches that a thread makes while it captures a stream.  They add graph nodes and run
 * nothing.
 *
 *     const size_t *n = captured_launches(t);
 *     printf("%zu launches of the first process were captured\n", n[0]);
 */
#pragma once

#include "trace/trace.h"

/* An array with an element for each process: the number of its captured launches.  Calls need not be loaded.
 * If any process captures, the launches of all processes are read from the file again, which takes time. */
const size_t *captured_launches(trace *t);
