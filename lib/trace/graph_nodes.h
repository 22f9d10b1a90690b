/*
 * graph_nodes - when the CUDA graph nodes that work replays were created.
 *
 *     graph_nodes *nodes = graph_nodes_find_table(t) ? graph_nodes_read(t) : NULL;
 *     if (nodes) {
 *         graph_nodes_set_captures(t, nodes);        // once processes, threads and work are numbered
 *         graph_nodes_free(nodes);
 *     }
 *
 * Instantiating a graph clones its nodes, and clones can be cloned again.  Work names the last clone.  Its original,
 * the original of that, and so on form a chain.  The first node of the chain was created by the program's own code
 * (such as a captured launch), in whatever ranges were open then.
 */
#pragma once

#include "trace/trace.h"

typedef struct graph_nodes graph_nodes;

/* The table that says when nodes were created; NULL: the trace has none. */
const db_table *graph_nodes_find_table(const trace *t);

/* Does the trace lack that table although work names graph nodes? */
bool graph_nodes_lacks_table(const trace *t);

/* Read the table, which must be there (graph_nodes_find_table).  NULL after a problem. */
graph_nodes *graph_nodes_read(trace *t);

/* Set trace.captures and trace.work.capture, and free trace.work.node.  Processes, threads and work must be
 * numbered. */
void graph_nodes_set_captures(trace *t, graph_nodes *nodes);

void graph_nodes_free(graph_nodes *nodes);
