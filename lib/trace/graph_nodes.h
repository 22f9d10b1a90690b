/*
 * graph_nodes - when the nodes of CUDA graphs were created that work replays.
 *
 *     graph_nodes *nodes = graph_nodes_table(t) ? graph_nodes_read(t) : NULL;
 *     if (nodes) {
 *         graph_nodes_captures(t, nodes);        // once processes, threads and work are numbered
 *         graph_nodes_free(nodes);
 *     }
 *
 * Instantiating a graph clones its nodes, and clones can be cloned again.  Work
 * names the last clone; the node that was created while the program ran its code,
 * with its ranges open, is the first of the chain.
 */
#pragma once

#include "trace/trace.h"

typedef struct graph_nodes graph_nodes;

/* The table of creations; NULL: the trace has none. */
const db_table *graph_nodes_table(const trace *t);

/* Does work name nodes in a trace without that table? */
bool graph_nodes_unknown(const trace *t);

/* NULL after a problem. */
graph_nodes *graph_nodes_read(trace *t);

/* Set trace.captures and work.capture.  work.node is used up. */
void graph_nodes_captures(trace *t, graph_nodes *nodes);

void graph_nodes_free(graph_nodes *nodes);
