#include "trace/graph_nodes.h"
#include "base/group.h"
#include "base/memory.h"
#include "trace/global_id.h"

/* Values of graph_node.first besides an index and NONE (the creation is not in the trace).  UNKNOWN: not looked for
 * yet.  FOLLOWED: the current search has passed this node. */
enum { UNKNOWN = UINT32_MAX - 1, FOLLOWED = UINT32_MAX - 2 };

typedef struct {
	int64_t at;             /* its creation: the time of its earliest row */
	int64_t thread;         /* global id of the thread in that row */
	int64_t cloned_at;      /* the time of the earliest row that names its original */
	uint32_t from;          /* index of the node from which it was cloned, or NONE */
	uint32_t first;         /* index of the first node of its chain, NONE, UNKNOWN or FOLLOWED */
	bool seen;              /* does it have a row of its own?  if not, it is only the original of others, or named
				 * by work */
} graph_node;

struct graph_nodes {
	group ids;              /* numbers the nodes, by process and graphNodeId */
	vec(graph_node) v;      /* by number of the node */
};

const db_table *graph_nodes_find_table(const trace *t)
{
	static const char columns[] = "start globalTid graphNodeId originalGraphNodeId";
	const db_table *nodes = db_find_with(t->db, "CUDA_GRAPH_NODE_EVENTS", columns);

	return nodes ? nodes : db_find_with(t->db, "CUDA_GRAPH_EVENTS", columns);       /* name in schema 2.9 */
}

static void graph_nodes_set_found(sqlite3_stmt *s UNNEEDED, void *found)
{
	*(bool *)found = true;
}

bool graph_nodes_lacks_table(const trace *t)
{
	static const char *const works[] = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
		"CUPTI_ACTIVITY_KIND_MEMSET" };
	bool found = false;

	if (graph_nodes_find_table(t))
		return false;
	for (size_t i = 0; !found && i < sizeof works / sizeof *works; i++)
		if (db_find_with(t->db, works[i], "graphNodeId"))
			db_each(t->db, graph_nodes_set_found, &found,
				"SELECT 1 FROM \"%w\" WHERE graphNodeId <> 0 LIMIT 1", works[i]);
	return found;
}

static uint32_t graph_nodes_number_node(graph_nodes *nodes, int64_t process, int64_t id)
{
	size_t k = group_of(&nodes->ids, (int64_t[]){ process, id });

	if (k == nodes->v.n)
		vec_push(&nodes->v, (graph_node){ .from = NONE, .first = UNKNOWN });
	return (uint32_t)k;
}

/* Take a row.  A node may have two kinds of rows: some say when it was created, others of which node it is a clone.
 * The result must not depend on the order of the rows in the table. */
static void graph_nodes_take_row(sqlite3_stmt *s, void *ctx)
{
	graph_nodes *nodes = ctx;
	int64_t at = sqlite3_column_int64(s, 0), thread = sqlite3_column_int64(s, 1);
	int64_t id = sqlite3_column_int64(s, 2), original = sqlite3_column_int64(s, 3);
	uint32_t from = original && original != id ? graph_nodes_number_node(nodes, global_process(thread), original) :
						     NONE;
	uint32_t node = graph_nodes_number_node(nodes, global_process(thread), id);
	graph_node *n = &nodes->v.v[node];

	if (!n->seen || at < n->at || (at == n->at && thread < n->thread)) {
		n->at = at;
		n->thread = thread;
		n->seen = true;
	}
	if (from != NONE && (n->from == NONE || at < n->cloned_at ||
			     (at == n->cloned_at && original < nodes->ids.key[2 * n->from + 1]))) {
		n->cloned_at = at;
		n->from = from;
	}
}

graph_nodes *graph_nodes_read(trace *t)
{
	graph_nodes *nodes = mem_new(graph_nodes, 1);

	nodes->ids.width = 2;
	if (db_each(t->db, graph_nodes_take_row, nodes,
		    "SELECT start, ifnull(globalTid, -1), graphNodeId, originalGraphNodeId "
		    "FROM \"%w\"",
		    graph_nodes_find_table(t)->name))
		return nodes;
	graph_nodes_free(nodes);
	return NULL;
}

/* The first node of the chain of `node`.  NONE: the trace does not hold the creation of that first node, because it
 * precedes time 0 or was not recorded; or the chain is a circle.  The answer is stored in every node on the way, so all
 * searches together pass each node at most twice. */
static uint32_t graph_nodes_find_origin(graph_nodes *nodes, uint32_t node)
{
	graph_node *v = nodes->v.v;
	uint32_t here = node, first;

	while (v[here].first == UNKNOWN && v[here].from != NONE) {
		v[here].first = FOLLOWED;
		here = v[here].from;
	}
	if (v[here].first == UNKNOWN)
		v[here].first = v[here].seen && v[here].at >= 0 ? here : NONE;
	first = v[here].first == FOLLOWED ? NONE : v[here].first;
	for (here = node; v[here].first == FOLLOWED; here = v[here].from)
		v[here].first = first;
	return first;
}

void graph_nodes_set_captures(trace *t, graph_nodes *nodes)
{
	trace_captures *c = &t->captures;
	trace_work *w = &t->work;

	c->n = nodes->v.n;
	c->at = mem_new(int64_t, c->n);
	c->thread = mem_new(uint32_t, c->n);
	for (size_t i = 0; i < c->n; i++) {
		const graph_node *n = &nodes->v.v[i];
		c->at[i] = n->at;
		c->thread[i] = n->seen ? trace_thread_of(t, n->thread) : NONE;
	}
	w->capture = mem_grow(NULL, w->n, sizeof *w->capture);
	for (size_t i = 0; i < w->n; i++) {
		uint32_t first = NONE;
		if (w->node[i])
			first = graph_nodes_find_origin(
				nodes,
				graph_nodes_number_node(nodes, t->procs[t->streams[w->stream[i]].proc].id, w->node[i]));
		w->capture[i] = !w->node[i] ? NONE : first == NONE ? CAPTURE_OUTSIDE : first;
	}
	free(w->node);
	w->node = NULL;
}

void graph_nodes_free(graph_nodes *nodes)
{
	group_free(&nodes->ids);
	mem_free(nodes->v.v, nodes);
}
