#include "trace/load_work.h"
#include "base/group.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "sqlite/rows.h"
#include "base/kernel_name.h"

#include <stdio.h>
#include <string.h>

enum { START, END, PID, GPU, CTX, STREAM, CORR, BYTES, COPY, FROM, TO, SRC, DST, NODE, NAME, FULL, GRID,
	BLOCK = GRID + 3, REGISTERS = BLOCK + 3, STATIC, DYNAMIC, COLS };
enum { TYPE_COLUMNS = COLS - NAME };    /* how many columns say what the work is */
_Static_assert((int)COLS <= (int)ROWS_COLS, "a batch has no room for all columns");
enum { TABLES = 4 };
enum { UNKNOWN_KIND = 254, NO_KIND = 255 };     /* values of copy_kind, src_kind and dst_kind.
						 * UNKNOWN_KIND: the table has a number outside 0..253;
						 * NO_KIND: it has NULL */
enum { ARRAY_TO_ARRAY = 5, DEVICE_TO_DEVICE = 8, PEER_TO_PEER = 10 };   /* values of copyKind.  6: array to device; 7:
									 * device to array */

static const char *const tables[] = {
	[WORK_KERNEL] = "CUPTI_ACTIVITY_KIND_KERNEL",
	[WORK_GRAPH] = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	[WORK_COPY] = "CUPTI_ACTIVITY_KIND_MEMCPY",
	[WORK_SET] = "CUPTI_ACTIVITY_KIND_MEMSET",
};

/* The work that one worker reads.  The places and types of its rows have numbers of their own in each part. */
typedef struct {
	rows_part rows;
	group places;                   /* numbers the distinct (globalPid, gpu, context, stream) */
	group types;                    /* numbers the distinct values of NAME and the columns after it */
	uint32_t *place;                /* by number of the place: index into work_raw.places */
	uint32_t *type;                 /* by number of the type: index into trace.work.types */
} part;

typedef struct {
	trace *t;
	unsigned need;
	enum work_kind kind;            /* the table that is being read */
	size_t more;                    /* the largest possible number of rows of the tables that are read after this
					 * one */
	size_t room;                    /* number of rows that the arrays have room for */
	group types;                    /* numbers the distinct types so far, by the members of work_type */
	rows_parts parts;
} load_work_ctx;

static part *load_work_part_at(const load_work_ctx *r, size_t i)
{
	return rows_part_at(part, &r->parts, i);
}

/* Choose the columns of a table that are read.  If the table lacks a column, or has NULL in it, the value is
 * rows_col.null, which is 0 unless it is given here. */
static void load_work_choose_columns(rows_col *c, enum work_kind kind, unsigned need)
{
	static const rows_col base[COLS] = {
		[START] = { .names = "start", .from_zero = true },
		[END] = { .names = "end" },
		[PID] = { .names = "globalPid", .null = -1 },
		[GPU] = { .names = "deviceId" },
		[CTX] = { .names = "contextId", .null = TRACE_UNKNOWN },
		[STREAM] = { .names = "streamId", .null = TRACE_UNKNOWN },
		[CORR] = { .names = "correlationId" },
		[NAME] = { .null = -1 },
		[FULL] = { .null = -1 },
		[BYTES] = { .null = -1 },
		[COPY] = { .null = NO_KIND },
		[FROM] = { .null = -1 },
		[TO] = { .null = -1 },
		[SRC] = { .null = NO_KIND },
		[DST] = { .null = NO_KIND },
	};
	static const char *const shape[] = { "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ" };
	static const char *const resources[] = { "registersPerThread", "staticSharedMemory", "dynamicSharedMemory" };

	memcpy(c, base, sizeof base);
	for (int i = 0; i < 6; i++)
		c[GRID + i] = (rows_col){ .names = kind == WORK_KERNEL && need & TRACE_SHAPE ? shape[i] : NULL,
			.null = TRACE_UNKNOWN };
	for (int i = 0; i < 3; i++)
		c[REGISTERS + i] = (rows_col){ .names = kind == WORK_KERNEL && need & TRACE_RESOURCES ? resources[i] :
			NULL, .null = TRACE_UNKNOWN };
	c[NODE] = (rows_col){ .names = kind != WORK_GRAPH && need & TRACE_CAPTURES ? "graphNodeId" : NULL };
	if (kind == WORK_KERNEL) {
		c[NAME].names = "shortName|demangledName|mangledName|nameId|name";
		if (need & TRACE_FULL)
			c[FULL].names = "demangledName|shortName|mangledName|nameId|name";
	} else if (kind == WORK_GRAPH) {
		c[NAME].names = "graphId|graphExecId";
	} else {
		c[COPY].names = kind == WORK_COPY ? "copyKind" : NULL;
		c[FROM].names = kind == WORK_COPY ? "srcDeviceId" : NULL;
		c[TO].names = kind == WORK_COPY ? "dstDeviceId" : NULL;
		c[BYTES].names = "bytes";
		c[SRC].names = kind == WORK_COPY ? "srcKind" : NULL;
		c[DST].names = kind == WORK_COPY ? "dstKind" : "memKind";
	}
}

void load_work_get_columns(trace_work *w, column c[LOAD_WORK_COLUMNS])
{
	const column all[] = { COLUMN(w->start), COLUMN(w->end), COLUMN(w->stream), COLUMN(w->type), COLUMN(w->kind),
		COLUMN(w->corr), COLUMN(w->bytes), COLUMN(w->copy_kind), COLUMN(w->src_kind), COLUMN(w->dst_kind),
		COLUMN(w->node) };

	memcpy(c, all, sizeof all);
}

static const db_table *load_work_find_table(const trace *t, int kind)
{
	const db_table *found = db_find(t->db, tables[kind]);

	if (!found && kind == WORK_KERNEL)
		found = db_find(t->db, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
	return found;
}

/* Make room for n pieces of work of the tables so far, and at once for those of later tables, so that large arrays do
 * not grow again, which would copy them. */
static void load_work_make_room(void *ctx, size_t n)
{
	load_work_ctx *r = ctx;
	trace_work *w = &r->t->work;
	const column always[] = { COLUMN(w->start), COLUMN(w->end), COLUMN(w->stream), COLUMN(w->type), COLUMN(w->kind),
		COLUMN(w->corr) };
	const column node = COLUMN(w->node);
	const column copies[] = { COLUMN(w->bytes), COLUMN(w->copy_kind), COLUMN(w->src_kind), COLUMN(w->dst_kind) };

	if (r->room && n <= r->room)
		return;
	r->room = n += r->more;
	column_grow(always, 6, n);
	column_grow(&node, r->need & TRACE_CAPTURES ? 1 : 0, n);
	column_grow(copies, r->need & TRACE_COPIES ? 4 : 0, n);
}

static void load_work_free_part(void *which)
{
	part *p = which;

	group_free(&p->places);
	group_free(&p->types);
	mem_free(p->place, p->type);
}

static uint8_t load_work_pack_kind(int64_t v)
{
	return v == NO_KIND || (v >= 0 && v < UNKNOWN_KIND) ? (uint8_t)v : UNKNOWN_KIND;
}

static void load_work_take_kinds(uint8_t *to, const int64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = load_work_pack_kind(v ? v[i] : NO_KIND);
}

static inline void load_work_number_rows(group *g, size_t width, uint32_t *to, const int64_t *const *columns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t key[TYPE_COLUMNS];
		for (size_t c = 0; c < width; c++)
			key[c] = columns[c][i];
		to[i] = (uint32_t)group_of_width(g, width, key);
	}
}

/* Number the types of the rows, from the columns that are read.  The loop is faster with a constant width; 1, 2 and 8
 * columns are the most common. */
static void load_work_take_types(part *p, uint32_t *to, const int64_t *name, const rows_batch *b)
{
	const int64_t *columns[TYPE_COLUMNS] = { name };
	size_t width = 1;

	for (int c = FULL; c < COLS; c++)
		if (b->ints[c])
			columns[width++] = b->ints[c];
	p->types.width = width;
	if (width == 1)
		load_work_number_rows(&p->types, 1, to, columns, b->n);
	else if (width == 2)
		load_work_number_rows(&p->types, 2, to, columns, b->n);
	else if (width == 8)
		load_work_number_rows(&p->types, 8, to, columns, b->n);
	else
		load_work_number_rows(&p->types, width, to, columns, b->n);
}

/* Number the places of the rows.  A row mostly has the same place as the row before. */
static void load_work_take_places(part *p, uint32_t *to, const rows_batch *b)
{
	const int64_t *pid = b->ints[PID], *gpu = b->ints[GPU], *ctx = b->ints[CTX], *stream = b->ints[STREAM];
	uint32_t place = 0;

	p->places.width = 4;
	for (size_t i = 0; i < b->n; i++) {
		size_t k = i ? i - 1 : 0;
		if (!i || (pid[i] ^ pid[k]) | (gpu[i] ^ gpu[k]) | (ctx[i] ^ ctx[k]) | (stream[i] ^ stream[k]))
			place = (uint32_t)group_of_width(&p->places, 4,
				(int64_t[]){ pid[i], gpu[i], ctx[i], stream[i] });
		to[i] = place;
	}
}

/* Find the kind (a value of copyKind) after which each copy is named.  A copy between device memory or arrays is named
 * peer-to-peer if it goes from one GPU to another. */
static void load_work_find_copy_kinds(const rows_batch *b, int64_t *key)
{
	for (size_t i = 0; i < b->n; i++) {
		int64_t kind = b->ints[COPY][i], from = b->ints[FROM][i], to = b->ints[TO][i];
		bool leaves = from >= 0 && to >= 0 && from != to;
		key[i] = leaves && kind >= ARRAY_TO_ARRAY && kind <= DEVICE_TO_DEVICE ? PEER_TO_PEER : kind;
	}
}

static void load_work_take_rows(void *ctx, void *to, const rows_batch *b)
{
	load_work_ctx *r = ctx;
	part *p = to;
	trace_work *w = &r->t->work;
	size_t row = p->rows.first + p->rows.n;
	int64_t key[ROWS_BATCH] = { 0 };

	memcpy(w->start + row, b->ints[START], b->n * sizeof *w->start);
	for (size_t i = 0; i < b->n; i++)
		w->end[row + i] = b->ints[END][i] < b->ints[START][i] ? b->ints[START][i] : b->ints[END][i];
	if (r->kind == WORK_COPY)
		load_work_find_copy_kinds(b, key);
	load_work_take_types(p, w->type + row, b->ints[NAME] ? b->ints[NAME] : key, b);
	load_work_take_places(p, w->stream + row, b);
	memcpy(w->corr + row, b->ints[CORR], b->n * sizeof *w->corr);
	for (size_t i = 0; w->node && i < b->n; i++)
		w->node[row + i] = b->ints[NODE] ? b->ints[NODE][i] : 0;
	for (size_t i = 0; w->bytes && i < b->n; i++)
		w->bytes[row + i] = b->ints[BYTES] ? b->ints[BYTES][i] : -1;
	if (w->copy_kind) {
		load_work_take_kinds(w->copy_kind + row, b->ints[COPY], b->n);
		load_work_take_kinds(w->src_kind + row, b->ints[SRC], b->n);
		load_work_take_kinds(w->dst_kind + row, b->ints[DST], b->n);
	}
	p->rows.n += b->n;
}

/* An array with an element for each number in `numbers`: the string that names a graph with this id, a copy of this
 * kind (a value of copyKind), or a set.  The caller frees it. */
static uint32_t *load_work_make_names(trace *t, const dict *numbers, enum work_kind kind)
{
	char text[40];
	uint32_t *name = mem_new(uint32_t, numbers->n);

	for (size_t i = 0; i < numbers->n; i++) {
		int64_t v = numbers->value[i];
		const char *copy = work_copy_kind(load_work_pack_kind(v), WORK_COPY);
		if (kind == WORK_GRAPH)
			snprintf(text, sizeof text, "graph %lld", (long long)v);
		else if (kind == WORK_SET)
			snprintf(text, sizeof text, "memset");
		else
			snprintf(text, sizeof text, "memcpy%s%s", copy ? " " : "", copy ? copy : "");
		name[i] = str_id(&t->names, text, strlen(text));
	}
	return name;
}

/* The string of a shape, such as "128x1x1"; STR_NONE unless x, y and z are known. */
static uint32_t load_work_shape_name(trace *t, const int64_t *v)
{
	char text[80];

	if (v[0] == TRACE_UNKNOWN || v[1] == TRACE_UNKNOWN || v[2] == TRACE_UNKNOWN)
		return STR_NONE;
	snprintf(text, sizeof text, "%lldx%lldx%lld", (long long)v[0], (long long)v[1], (long long)v[2]);
	return str_id(&t->names, text, strlen(text));
}

static bool load_work_is_vague_name(const trace *t, uint32_t name)
{
	return name != STR_NONE && kernel_name_is_vague(str_at(&t->names, name), strlen(str_at(&t->names, name)));
}

/* The short name of a kernel: nsys's or, if that says nothing, a part of the demangled name (kernel_name.h). */
static uint32_t load_work_short_name(trace *t, uint32_t name, uint32_t full)
{
	size_t n;
	const char *telling;

	if (!load_work_is_vague_name(t, name))
		return name;
	telling = kernel_name_short(str_at(&t->names, full), &n);
	return str_id(&t->names, telling, n);
}

/* The sum of two sizes; TRACE_UNKNOWN: one of them is not known or negative, or the sum overflows. */
static int64_t load_work_add_sizes(int64_t a, int64_t b)
{
	return a < 0 || b < 0 || a > INT64_MAX - b ? TRACE_UNKNOWN : a + b;
}

/* Find the index into trace.work.types of each type of a part; new types are added.  `name` has strings, by key of
 * `ids`; the first `nnames` columns of a type are names. */
static void load_work_number_types(load_work_ctx *r, part *p, const dict *ids, const uint32_t *name, size_t nnames)
{
	trace_work *w = &r->t->work;

	p->type = mem_new(uint32_t, p->types.n);
	for (size_t k = 0; k < p->types.n; k++) {
		const int64_t *key = &p->types.key[p->types.width * k];
		size_t triples = (p->types.width - nnames) / 3;         /* grid, block and resources have three columns
									 * each */
		work_type type = { .name = name[dict_find(ids, key[0])], .grid = STR_NONE, .block = STR_NONE };
		type.full = nnames > 1 ? name[dict_find(ids, key[1])] : STR_NONE;
		type.full = type.full == STR_NONE ? type.name : type.full;
		if (nnames > 1 && type.name != STR_NONE)
			type.name = load_work_short_name(r->t, type.name, type.full);
		type.grid = triples > 0 ? load_work_shape_name(r->t, &key[nnames]) : STR_NONE;
		type.block = triples > 1 ? load_work_shape_name(r->t, &key[nnames + 3]) : STR_NONE;
		type.registers = triples > 2 ? key[nnames + 6] : TRACE_UNKNOWN;
		type.shared = triples > 2 ? load_work_add_sizes(key[nnames + 7], key[nnames + 8]) : TRACE_UNKNOWN;
		p->type[k] = (uint32_t)group_of(&r->types, (int64_t[]){ type.name, type.full, type.grid, type.block,
						type.registers, type.shared });
		if (p->type[k] == w->types.n)
			vec_push(&w->types, type);
	}
}

/* Find the strings of the names of all parts, and number their types.  If a short name of a kernel says nothing and
 * demangled names were not read, *again is set, and the table must be read again with TRACE_FULL; few traces need
 * that. */
static bool load_work_name_types(load_work_ctx *r, bool *again)
{
	size_t nnames = r->kind == WORK_KERNEL && r->need & TRACE_FULL ? 2 : 1;
	dict ids = { 0 };
	uint32_t *name;
	bool ok;

	for (size_t i = 0; i < r->parts.n; i++) {
		const group *g = &load_work_part_at(r, i)->types;
		for (size_t k = 0; k < g->n; k++)
			for (size_t c = 0; c < nnames; c++)
				dict_key(&ids, g->key[g->width * k + c]);
	}
	name = r->kind == WORK_KERNEL ? trace_find_strings(r->t, &ids) : load_work_make_names(r->t, &ids, r->kind);
	for (size_t i = 0; name && nnames == 1 && r->kind == WORK_KERNEL && i < ids.n; i++)
		*again |= load_work_is_vague_name(r->t, name[i]);
	for (size_t i = 0; name && !*again && i < r->parts.n; i++)
		load_work_number_types(r, load_work_part_at(r, i), &ids, name, nnames);
	ok = name;
	free(name);
	dict_free(&ids);
	return ok;
}

/* Find the index into raw->places of each place of a part; new places are added. */
static void load_work_number_places(part *p, group *all, work_raw *raw)
{
	p->place = mem_new(uint32_t, p->places.n);
	for (size_t k = 0; k < p->places.n; k++) {
		const int64_t *key = &p->places.key[4 * k];
		p->place[k] = (uint32_t)group_of(all, key);
		if (p->place[k] == raw->places.n)
			vec_push(&raw->places, (work_place){ .global_pid = key[0], .gpu = key[1], .ctx = key[2],
				.stream = key[3] });
	}
}

static void load_work_renumber_rows(load_work_ctx *r, const part *p)
{
	trace_work *w = &r->t->work;

	for (size_t i = p->rows.first; i < p->rows.first + p->rows.n; i++) {
		w->stream[i] = p->place[w->stream[i]];
		w->type[i] = p->type[w->type[i]];
	}
	memset(w->kind + p->rows.first, (int)r->kind, p->rows.n);
}

static bool load_work_read_rows(load_work_ctx *r, const db_table *table, rows_col *c)
{
	const rows_reader reader = { .part_size = sizeof(part),
				     .free_part = load_work_free_part,
				     .take = load_work_take_rows,
				     .kept = "pieces of GPU work",
				     .room = load_work_make_room };

	r->parts.base = r->t->work.n;
	return rows_read(r->t->db, table, c, COLS, &reader, r, r->t->workers, &r->parts);
}

static bool load_work_read_table(load_work_ctx *r, group *places, work_raw *raw)
{
	const db_table *table = load_work_find_table(r->t, (int)r->kind);
	column all[LOAD_WORK_COLUMNS];
	rows_col c[COLS];
	bool ok, again = false;

	load_work_choose_columns(c, r->kind, r->need);
	ok = load_work_read_rows(r, table, c) && load_work_name_types(r, &again);
	if (ok && again) {
		rows_parts_free(&r->parts);
		r->need |= TRACE_FULL;
		return load_work_read_table(r, places, raw);
	}
	for (size_t i = 0; ok && i < r->parts.n; i++)
		load_work_number_places(load_work_part_at(r, i), places, raw);
	if (r->kind == WORK_KERNEL)
		raw->kernels = r->t->work.types.n;
	if (ok) {
		for (size_t i = 0; i < r->parts.n; i++)
			load_work_renumber_rows(r, load_work_part_at(r, i));
		load_work_get_columns(&r->t->work, all);
		r->t->work.n = rows_close_gaps(&r->parts, all, LOAD_WORK_COLUMNS);
	}
	rows_parts_free(&r->parts);
	return ok;
}

static bool load_work_is_read(unsigned need, int kind)
{
	return need & (kind <= WORK_GRAPH ? TRACE_KERNELS : TRACE_COPIES);
}

bool load_work(trace *t, unsigned need, work_raw *raw)
{
	size_t most[TABLES];
	load_work_ctx r = { .t = t, .need = need, .types = { .width = 6 } };
	group places = { .width = 4 };
	bool ok = true;

	for (int k = 0; k < TABLES; k++)
		most[k] = k && load_work_is_read(need, k) ? rows_at_most(t->db, load_work_find_table(t, k)) : 0;
	for (int k = 0; ok && k < TABLES; k++) {
		r.kind = (enum work_kind)k;
		r.more = 0;
		for (int i = k + 1; i < TABLES; i++)
			r.more += most[i];
		if (load_work_is_read(need, k))
			ok = load_work_read_table(&r, &places, raw);
		else
			ok = event_span_read_table(t->db, load_work_find_table(t, k), "globalPid", t->workers,
					      &raw->spans[k]);
	}
	group_free(&places);
	group_free(&r.types);
	return ok;
}

void load_work_free(work_raw *raw)
{
	vec_free(&raw->places);
	for (int k = 0; k < TABLES; k++)
		event_span_free(&raw->spans[k]);
}

const char *work_copy_kind(uint8_t copy_kind, enum work_kind kind)
{
	static const char *const names[] = {
		[1] = "h2d", [3] = "h2d", [2] = "d2h", [4] = "d2h", [5] = "d2d", [6] = "d2d",
		[7] = "d2d", [8] = "d2d", [9] = "h2h", [10] = "p2p", [11] = "um_h2d",
		[12] = "um_d2h", [13] = "um_d2d",
	};

	if (kind == WORK_SET)
		return "memset";
	if (copy_kind == NO_KIND)
		return NULL;
	if (copy_kind < sizeof names / sizeof *names && names[copy_kind])
		return names[copy_kind];
	return "unknown";
}

const char *work_nsys_name(const char *name)
{
	static const char *const names[][2] = {
		{ "memset", "[CUDA memset]" }, { "memcpy", "[CUDA memcpy]" },
		{ "memcpy unknown", "[CUDA memcpy Unknown]" },
		{ "memcpy h2d", "[CUDA memcpy Host-to-Device]" }, { "memcpy d2h", "[CUDA memcpy Device-to-Host]" },
		{ "memcpy d2d", "[CUDA memcpy Device-to-Device]" }, { "memcpy h2h", "[CUDA memcpy Host-to-Host]" },
		{ "memcpy p2p", "[CUDA memcpy Peer-to-Peer]" },
		{ "memcpy um_h2d", "[CUDA memcpy Unified Host-to-Device]" },
		{ "memcpy um_d2h", "[CUDA memcpy Unified Device-to-Host]" },
		{ "memcpy um_d2d", "[CUDA memcpy Unified Device-to-Device]" },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i][0]) == 0)
			return names[i][1];
	return name;
}

const char *work_mem_kind(uint8_t mem_kind)
{
	static const char *const names[] = {
		"pageable", "pinned", "device", "array", "managed", "device", "managed",
	};

	return mem_kind == NO_KIND ? NULL : mem_kind < sizeof names / sizeof *names ? names[mem_kind] : "unknown";
}

bool work_is_copy(const trace *t, size_t work, const char *name)
{
	return t->work.kind[work] == WORK_COPY && strcmp(str_at(&t->names, work_name(&t->work, work)), name) == 0;
}

bool work_is_pageable(const trace *t, size_t work)
{
	const char *src, *dst;

	if (t->work.kind[work] != WORK_COPY)
		return false;
	src = work_mem_kind(t->work.src_kind[work]);
	dst = work_mem_kind(t->work.dst_kind[work]);
	return (src && strcmp(src, "pageable") == 0) || (dst && strcmp(dst, "pageable") == 0);
}

const char *work_class(const trace *t, size_t work)
{
	return trace_is_comm(t, work) ? "comm" : t->work.kind[work] >= WORK_COPY ? "copy" :
		t->work.kind[work] == WORK_GRAPH ? "graph" : "compute";
}

const char *work_stream_class(const trace_stream *s)
{
	return s->class == 'm' ? "comm" : s->class == 'y' ? "copy" : "compute";
}
