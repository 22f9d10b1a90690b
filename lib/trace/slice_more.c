/* Chooses allocations and graph nodes, which depend on other rows, and lists the texts that a slice shows. */
#include "trace/slice_parts.h"
#include "base/sums.h"
#include "trace/global_id.h"

#include <string.h>

/* ---- allocations */

typedef struct {                /* a row of the table of allocations and frees */
	int64_t row;            /* row id */
	int64_t start;
	int64_t place;          /* number of its process, GPU and kind of memory; the group x->nodes, which is not in
				 * use for graph nodes yet, numbers them */
	int64_t address;
	int64_t correlation;
	int64_t process;        /* as in global_id.h */
	int64_t bytes;
	bool is_free;           /* true: a free; false: an allocation */
	bool left_out;          /* it is left out, together with its free or its allocation */
} allocation;

typedef vec(allocation) allocations;

static void slice_more_take_allocation(sqlite3_stmt *s, slice_ctx *x)
{
	allocations *all = x->copying;
	allocation a = { .row = sqlite3_column_int64(s, 0), .start = sqlite3_column_int64(s, 1),
		.process = global_process(sqlite3_column_int64(s, 2)), .address = sqlite3_column_int64(s, 3),
		.is_free = sqlite3_column_int64(s, 4) == 1, .correlation = sqlite3_column_int64(s, 5),
		.bytes = sqlite3_column_int64(s, 8) };

	a.place = (int64_t)group_of(&x->nodes, (int64_t[]){ a.process, sqlite3_column_int64(s, 6) * 256 +
		sqlite3_column_int64(s, 7) });
	vec_push(all, a);
}

/* May the allocation `alloc` and its free `freed` be left out?  They may if their sizes agree and no kept time of their
 * process touches the time between them, because no answer shows such a pair. */
static bool slice_more_never_shows(const slice_ctx *x, const allocation *alloc, const allocation *freed)
{
	uint32_t proc = trace_proc_of(x->t, global_first(alloc->process));

	return alloc->bytes == freed->bytes &&
		(proc == NONE || !ival_touches(&x->k->cpu[proc], alloc->start, freed->start + 1));
}

static void slice_more_keep_allocation(slice_ctx *x, const allocation *a)
{
	uint32_t proc = trace_proc_of(x->t, global_first(a->process));

	if (proc == NONE || !x->k->cpu[proc].n)
		return;
	dict_key(&x->memory, a->row);
	if (a->correlation)
		group_of(&x->k->calls, (int64_t[]){ a->process, a->correlation });
}

/* Keep all allocations and frees of processes with kept times, except pairs that never show.  The first pair of each
 * process, GPU and kind of memory is kept in any case, so that this kind remains known. */
static void slice_more_choose_allocations(slice_ctx *x, allocations *all)
{
	sums open = sums_by(3, sizeof(size_t)); /* by process, place and address: 1 + index of the allocation that is
						 * not freed yet, or 0 */
	bool *met = mem_new(bool, x->nodes.n);  /* for each place: has it had an allocation and its free? */

	for (size_t i = 0; i < all->n; i++) {
		allocation *a = &all->v[i];
		size_t *last = sums_of(&open, (int64_t[]){ a->process, a->place, a->address });
		if (a->is_free && *last) {
			allocation *alloc = &all->v[*last - 1];
			a->left_out = alloc->left_out = met[a->place] && slice_more_never_shows(x, alloc, a);
			met[a->place] = true;
			*last = 0;
		} else if (!a->is_free) {
			*last = i + 1;
		}
	}
	for (size_t i = 0; i < all->n; i++)
		if (!all->v[i].left_out)
			slice_more_keep_allocation(x, &all->v[i]);
	free(met);
	sums_free(&open);
}

void slice_memory_choose(slice_ctx *x)
{
	const db_table *t = db_find_with(x->t->db, "CUDA_GPU_MEMORY_USAGE_EVENTS", "start globalPid address bytes "
					 "memoryOperationType correlationId deviceId memKind");
	allocations all = { 0 };

	x->copying = &all;
	if (t)
		slice_each(x, slice_more_take_allocation,
			   "SELECT rowid, start, globalPid, address, memoryOperationType, ifnull(correlationId, 0), "
			   "ifnull(deviceId, 0), ifnull(memKind, -1), bytes FROM src.\"%w\" WHERE start >= 0 "
			   "ORDER BY start, memoryOperationType, rowid", t->name);
	slice_more_choose_allocations(x, &all);
	group_free(&x->nodes);
	x->copying = NULL;
	vec_free(&all);
}

/* ---- graph nodes */

static void slice_more_take_node(sqlite3_stmt *s, slice_ctx *x)
{
	group_of(&x->nodes, (int64_t[]){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1) });
}

static void slice_more_take_origin(sqlite3_stmt *s, slice_ctx *x)
{
	int64_t process = sqlite3_column_int64(s, 0), node = sqlite3_column_int64(s, 1);
	int64_t original = sqlite3_column_int64(s, 2);

	if (original && original != node && group_find(&x->nodes, (int64_t[]){ process, node }) != GROUP_NONE)
		group_of(&x->nodes, (int64_t[]){ process, original });
}

/* Keep the graph nodes that kept work replays, and all nodes from which these were cloned, at any depth. */
void slice_nodes_choose(slice_ctx *x)
{
	static const char *const works[] = { "CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
		"CUPTI_ACTIVITY_KIND_MEMSET" };
	const db_table *nodes = db_find_with(x->t->db, "CUDA_GRAPH_NODE_EVENTS", "originalGraphNodeId globalTid");

	for (size_t i = 0; x->k && nodes && i < sizeof works / sizeof *works; i++) {
		const db_table *t = db_find_with(x->t->db, works[i], "graphNodeId globalPid");
		if (t)
			slice_each(x, slice_more_take_node,
				   "SELECT DISTINCT globalPid >> 24, graphNodeId FROM main.\"%w\" WHERE "
				   "graphNodeId NOT NULL",
				   t->name);
	}
	for (size_t before = 0; x->ok && x->k && nodes && x->nodes.n > before;) {
		before = x->nodes.n;
		slice_each(x, slice_more_take_origin,
			   "SELECT globalTid >> 24, graphNodeId, originalGraphNodeId FROM src.\"%w\"", nodes->name);
	}
}

/* ---- the texts that a slice shows */

static void slice_more_take_text(sqlite3_stmt *s, slice_ctx *x)
{
	const char *text = (const char *)sqlite3_column_text(s, 0);

	if (text && *text)
		vec_push(&x->made->texts, (slice_shown){ x->left, arena_copy(&x->made->names, text),
			sqlite3_column_int64(s, 1) });
}

static void slice_more_take_secret(sqlite3_stmt *s, slice_ctx *x)
{
	enum { SHORTEST = 4 };          /* shorter texts occur in too many other texts */
	const char *text = (const char *)sqlite3_column_text(s, 0);

	if (text && strlen(text) >= SHORTEST && text[strspn(text, "0123456789.-")] && strcmp(text, "true") != 0 &&
	    strcmp(text, "false") != 0)
		vec_push(&x->made->secrets, arena_copy(&x->made->names, text));
}

/* List the texts that the slice has in a column, if the column has a role that keeps any text.  Other roles keep only
 * harmless texts.  A column with role id or path has ids of strings. */
static void slice_more_list_column(slice_ctx *x, const char *table, const slice_column *col, const db_table *strings)
{
	static const char *const roles[] = { "text", "blob", "program", "id", "path", NULL };
	int role = 0;

	while (roles[role] && (!col->role || strcmp(roles[role], col->role) != 0))
		role++;
	x->left = arena_printf(&x->made->names, "%s.%s", table, col->name);
	if (role >= 3 && roles[role] && strings)
		slice_each(x, slice_more_take_text,
			   "SELECT v.value, count(*) FROM main.\"%w\" AS s JOIN main.\"%w\" AS v ON "
			   "v.id = s.\"%w\" GROUP BY 1 ORDER BY 1",
			   table, strings->name, col->name);
	else if (roles[role])
		slice_each(x, slice_more_take_text, "SELECT \"%w\", count(*) FROM main.\"%w\" WHERE typeof(\"%w\") IN "
			   "('text', 'blob') GROUP BY 1 ORDER BY 1", col->name, table, col->name);
}

void slice_collect_texts(slice_ctx *x)
{
	const db_table *strings = trace_strings_table(x->t->db);

	for (size_t i = 0; i < x->made->n; i++) {
		const db_table *t = db_find(x->t->db, x->made->v[i].name);
		const slice_table *listed = x->made->v[i].kept < 0 ? NULL : slice_list_find_table(x->list, t->name);
		bool shows_texts = listed && strcmp(listed->rows, "string") != 0;
		for (size_t c = 0; shows_texts && c < listed->columns.n; c++)
			if (db_column(t, listed->columns.v[c].name) >= 0)
				slice_more_list_column(x, t->name, &listed->columns.v[c], strings);
		if (shows_texts && strcmp(listed->rows, "named") == 0)
			slice_each(x, slice_more_take_secret,
				   "SELECT DISTINCT value FROM src.\"%w\" WHERE slice_named(%Q, name, "
				   "value) IS NULL ORDER BY 1",
				   t->name, t->name);
	}
}
