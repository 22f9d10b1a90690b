#include "work.h"
#include "err.h"
#include "mem.h"
#include "par.h"
#include "sort.h"

#include <string.h>

enum { START, END, PID, GPU, CTX, STREAM, CORR, NAME, FULL, BYTES, COPY, SRC, DST, COLS };

static const char *const tables[] = {
	[WORK_KERNEL] = "CUPTI_ACTIVITY_KIND_KERNEL",
	[WORK_GRAPH] = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	[WORK_COPY] = "CUPTI_ACTIVITY_KIND_MEMCPY",
	[WORK_SET] = "CUPTI_ACTIVITY_KIND_MEMSET",
};

enum { TABLES = 4, UNKNOWN_KIND = 255 };

/* The columns of each table that are needed; one that it lacks reads as one value. */
static void ask(scan_col *c, enum work_kind kind, unsigned need)
{
	static const scan_col base[COLS] = {
		[START] = { .names = "start", .type = SCAN_INT, .from_zero = true },
		[END] = { .names = "end", .type = SCAN_INT },
		[PID] = { .names = "globalPid", .type = SCAN_KEY, .null = -1 },
		[GPU] = { .names = "deviceId", .type = SCAN_KEY },
		[CTX] = { .names = "contextId", .type = SCAN_KEY },
		[STREAM] = { .names = "streamId", .type = SCAN_KEY },
		[CORR] = { .names = "correlationId", .type = SCAN_SMALL },
		[NAME] = { .names = "", .type = SCAN_KEY, .null = -1 },
		[FULL] = { .type = SCAN_KEY, .null = -1 },
		[BYTES] = { .type = SCAN_INT },
		[COPY] = { .type = SCAN_KEY, .null = UNKNOWN_KIND },
		[SRC] = { .type = SCAN_KEY, .null = UNKNOWN_KIND },
		[DST] = { .type = SCAN_KEY, .null = UNKNOWN_KIND },
	};

	memcpy(c, base, sizeof base);
	if (kind == WORK_KERNEL) {
		c[NAME].names = "shortName|demangledName|mangledName|nameId|name";
		if (need & TRACE_FULL)
			c[FULL].names = "demangledName|shortName|mangledName|nameId|name";
	} else if (kind == WORK_GRAPH) {
		c[NAME].names = "graphId|graphExecId";
	} else {
		c[COPY].names = kind == WORK_COPY ? "copyKind" : NULL;
		if (need & TRACE_BYTES) {
			c[BYTES].names = "bytes";
			c[SRC].names = kind == WORK_COPY ? "srcKind" : NULL;
			c[DST].names = kind == WORK_COPY ? "dstKind" : "memKind";
		}
	}
}

static const db_table *find_table(const trace *t, int kind)
{
	const db_table *found = db_find(t->db, tables[kind]);

	if (!found && kind == WORK_KERNEL)
		found = db_find(t->db, "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL");
	return found;
}

/* Kernels are named in the trace; the other kinds get a name for each distinct number. */
static bool name_work(trace *t, enum work_kind kind, scan_col *c, size_t n, unsigned need)
{
	scan_col *number = &c[kind == WORK_COPY ? COPY : NAME];
	uint32_t *id;

	if (kind == WORK_KERNEL) {
		uint32_t unnamed = str_id(&t->names, "-", 1);
		if (!trace_names(t, &c[NAME], n) || (need & TRACE_FULL && !trace_names(t, &c[FULL], n)))
			return false;
		for (size_t i = 0; i < n; i++) {
			if (c[NAME].keys[i] == STR_NONE)
				c[NAME].keys[i] = unnamed;
			if (need & TRACE_FULL && c[FULL].keys[i] == STR_NONE)
				c[FULL].keys[i] = c[NAME].keys[i];
		}
		return true;
	}
	id = mem_new(uint32_t, number->dict.n);
	for (size_t i = 0; i < number->dict.n; i++) {
		int64_t v = number->dict.value[i];
		uint8_t copy = (uint8_t)(v < 0 || v > 255 ? UNKNOWN_KIND : v);
		const char *s = kind == WORK_GRAPH ? mem_printf("graph %lld", (long long)v) :
			kind == WORK_SET ? "memset" : mem_printf("memcpy %s", work_copy_kind(copy, WORK_COPY));
		id[i] = str_id(&t->names, s, strlen(s));
	}
	for (size_t i = 0; i < n; i++)
		c[NAME].keys[i] = id[number->keys[i]];
	free(id);
	return true;
}

/* Number the places of a table's rows: in c[STREAM].keys, with the places found so far. */
static void number_places(work_raw *raw, scan_col *c, size_t n)
{
	dict device = { 0 }, queue = { 0 }, combined = { 0 };
	size_t base = raw->places.n;

	for (size_t i = 0; i < n; i++) {
		/* two dense keys packed into one number, which is numbered again */
		uint32_t on = dict_key(&device, (int64_t)c[PID].keys[i] << 32 | c[GPU].keys[i]);
		uint32_t in = dict_key(&queue, (int64_t)c[CTX].keys[i] << 32 | c[STREAM].keys[i]);
		uint32_t key = dict_key(&combined, (int64_t)on << 32 | in);
		if (key + base == raw->places.n)
			vec_push(&raw->places, (work_place){ c[PID].dict.value[c[PID].keys[i]],
				c[GPU].dict.value[c[GPU].keys[i]], c[CTX].dict.value[c[CTX].keys[i]],
				c[STREAM].dict.value[c[STREAM].keys[i]] });
		c[STREAM].keys[i] = (uint32_t)(key + base);
	}
	dict_free(&device);
	dict_free(&queue);
	dict_free(&combined);
	scan_free(&c[PID], 3);          /* PID, GPU, CTX */
}

/* Append n elements; the first table's column is taken as it is. */
static void *append(void *to, size_t had, void **from, size_t n, size_t size)
{
	if (!had) {
		free(to);
		to = *from;
		*from = NULL;
		return to;
	}
	if (to)
		to = mem_grow(to, had + n, size);
	else
		to = mem_alloc(had + n, size);
	if (*from)
		memcpy((char *)to + had * size, *from, n * size);
	else
		memset((char *)to + had * size, 0, n * size);
	return to;
}

#define APPEND(to, from) ((to) = append((to), w->n, (void **)&(from), n, sizeof *(to)))

static void append_ids(trace_ids *to, size_t had, scan_col *c, size_t n)
{
	if ((c->ints || to->wide) && had + n) {     /* one wide column makes all of it wide */
		int64_t *wide = mem_new(int64_t, had + n);
		for (size_t i = 0; i < had; i++)
			wide[i] = trace_id(to, i);
		for (size_t i = 0; i < n; i++)
			wide[had + i] = c->ints ? c->ints[i] : c->keys[i];
		free(to->small);
		free(to->wide);
		*to = (trace_ids){ .wide = wide };
		return;
	}
	to->small = append(to->small, had, (void **)&c->keys, n, sizeof *to->small);
}

static uint8_t *kinds_of(const scan_col *c, size_t n)
{
	uint8_t *kind = mem_new(uint8_t, n);

	for (size_t i = 0; i < n; i++) {
		int64_t v = c->keys ? c->dict.value[c->keys[i]] : UNKNOWN_KIND;
		kind[i] = v >= 0 && v < UNKNOWN_KIND ? (uint8_t)v : UNKNOWN_KIND;
	}
	return kind;
}

static void append_table(trace_work *w, enum work_kind kind, scan_col *c, size_t n, unsigned need)
{
	uint8_t *kinds = mem_new(uint8_t, n);

	if (w->n + n >= NONE)
		die(EXIT_FAILED, "a trace holds more than %u pieces of GPU work, which is more than nsq reads", NONE - 1);
	memset(kinds, kind, n);
	for (size_t i = 0; i < n; i++)
		if (c[END].ints[i] < c[START].ints[i])
			c[END].ints[i] = c[START].ints[i];
	if (need & TRACE_FULL)
		APPEND(w->full, c[kind == WORK_KERNEL ? FULL : NAME].keys);
	if (need & TRACE_FULL && kind != WORK_KERNEL && !c[NAME].keys) {
		c[NAME].keys = mem_new(uint32_t, n);     /* taken above: the name is its own full name */
		memcpy(c[NAME].keys, w->full, n * sizeof *w->full);
	}
	if (need & TRACE_BYTES) {
		uint8_t *copy = kinds_of(&c[COPY], n), *src = kinds_of(&c[SRC], n), *dst = kinds_of(&c[DST], n);
		APPEND(w->bytes, c[BYTES].ints);
		APPEND(w->copy_kind, copy);
		APPEND(w->src_kind, src);
		APPEND(w->dst_kind, dst);
		free(copy);
		free(src);
		free(dst);
	}
	append_ids(&w->corr, w->n, &c[CORR], n);
	APPEND(w->start, c[START].ints);
	APPEND(w->end, c[END].ints);
	APPEND(w->stream, c[STREAM].keys);
	APPEND(w->name, c[NAME].keys);
	APPEND(w->kind, kinds);
	free(kinds);
	w->n += n;
}

void work_ids(const work_raw *raw, dict *processes)
{
	bool nameless = false;

	for (size_t i = 0; i < raw->places.n; i++)
		if (raw->places.v[i].global_pid != -1)
			dict_key(processes, raw->places.v[i].global_pid >> 24);
	for (int k = 0; k < TABLES; k++)
		for (size_t i = 0; i < raw->spans[k].ids.n; i++)
			if (raw->spans[k].ids.value[i] != -1)
				dict_key(processes, raw->spans[k].ids.value[i] >> 24);
	for (int k = 0; k < TABLES; k++)
		nameless |= raw->spans[k].ids.n > 0;
	if ((raw->places.n || nameless) && !processes->n)
		dict_key(processes, 0);         /* work of no process is of a nameless one */
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
	if (copy_kind < sizeof names / sizeof *names && names[copy_kind])
		return names[copy_kind];
	return "unknown";
}

const char *work_mem_kind(uint8_t mem_kind)
{
	static const char *const names[] = {
		"pageable", "pinned", "device", "array", "managed", "device", "managed",
	};

	return mem_kind < sizeof names / sizeof *names ? names[mem_kind] : "unknown";
}

/* Old exports have no globalPid: such work belongs to the process that made CUDA calls, the first
 * of them where there are several. */
static uint32_t only_process(const trace *t)
{
	for (size_t i = 0; i < t->nprocs; i++)
		if (t->procs[i].calls)
			return (uint32_t)i;
	return t->nprocs ? 0 : NONE;
}

static int by_place(uint32_t x, uint32_t y, const void *ctx)
{
	const work_place *a = (const work_place *)ctx + x, *b = (const work_place *)ctx + y;
	int64_t p = a->global_pid >> 24, q = b->global_pid >> 24;

	/* as processes are sorted: by pid, then by the whole id */
	return p != q && (p & 0xffffff) != (q & 0xffffff) ? sort_3way(p & 0xffffff, q & 0xffffff) :
		p != q ? sort_3way(p, q) : a->gpu != b->gpu ? sort_3way(a->gpu, b->gpu) :
		a->ctx != b->ctx ? sort_3way(a->ctx, b->ctx) : sort_3way(a->stream, b->stream);
}

/* Sort the places of all tables, each once, and number the work's streams by them. */
static void make_streams(trace *t, work_raw *raw)
{
	size_t n = raw->places.n, kept = 0;
	work_place *sorted = mem_new(work_place, n);
	uint32_t *order = mem_new(uint32_t, n), *stream = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sort_items(order, n, by_place, raw->places.v);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || by_place(order[i - 1], order[i], raw->places.v) != 0)
			sorted[kept++] = raw->places.v[order[i]];
		stream[order[i]] = (uint32_t)kept - 1;
	}
	for (size_t i = 0; i < t->work.n; i++)
		t->work.stream[i] = stream[t->work.stream[i]];
	free(raw->places.v);
	raw->places.v = sorted;
	raw->places.n = raw->places.room = kept;
	t->streams = mem_new(trace_stream, kept);
	t->nstreams = kept;
	for (size_t i = 0; i < kept; i++)
		t->streams[i] = (trace_stream){ .gpu = sorted[i].gpu, .ctx = sorted[i].ctx, .stream = sorted[i].stream };
	free(order);
	free(stream);
}

static int by_time(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;
	const trace_work *w = &t->work;

	if (w->start[a] != w->start[b])
		return sort_3way(w->start[a], w->start[b]);
	if (w->end[a] != w->end[b])
		return sort_3way(w->end[a], w->end[b]);
	if (w->stream[a] != w->stream[b])
		return sort_3way(w->stream[a], w->stream[b]);
	if (w->kind[a] != w->kind[b])
		return sort_3way(w->kind[a], w->kind[b]);
	if (w->name[a] != w->name[b])
		return str_cmp(&t->names, w->name[a], w->name[b]);
	return sort_3way(trace_id(&w->corr, a), trace_id(&w->corr, b));
}

/* Lanes, and the order of the work in them: a stable counting sort by lane, then by time within
 * each, which finds the tables' own order and merges it. */
static uint32_t *make_lanes(trace *t, const work_raw *raw)
{
	trace_work *w = &t->work;
	uint32_t *lane_of = mem_new(uint32_t, t->nstreams), *order = mem_new(uint32_t, w->n);
	size_t *next = mem_new(size_t, t->nstreams);

	t->lanes = mem_new(trace_lane, t->nstreams);
	for (size_t s = 0; s < t->nstreams; s++) {
		const work_place *p = &raw->places.v[s];
		if (s == 0 || p->gpu != p[-1].gpu || p->global_pid >> 24 != p[-1].global_pid >> 24)
			t->lanes[t->nlanes++] = (trace_lane){ .gpu = p->gpu };
		lane_of[s] = (uint32_t)t->nlanes - 1;
	}
	for (size_t i = 0; i < w->n; i++)
		t->lanes[lane_of[w->stream[i]]].n++;
	for (size_t l = 0, at = 0; l < t->nlanes; at += t->lanes[l++].n)
		next[l] = t->lanes[l].first = at;
	for (size_t i = 0; i < w->n; i++)
		order[next[lane_of[w->stream[i]]]++] = (uint32_t)i;
	for (size_t l = 0; l < t->nlanes; l++)
		sort_items(order + t->lanes[l].first, t->lanes[l].n, by_time, t);
	free(next);
	free(lane_of);
	return order;
}

typedef struct {
	trace_work *w;
	const uint32_t *order;
} reorder_job;

/* One column after the other, so that few copies live at a time. */
static void reorder(void *ctx, size_t column)
{
	reorder_job *j = ctx;
	trace_work *w = j->w;
	void *columns[] = { w->start, w->end, w->corr.small, w->corr.wide, w->stream, w->name, w->full,
		w->bytes, w->copy_kind, w->src_kind, w->dst_kind, w->kind };
	static const size_t sizes[] = { 8, 8, 4, 8, 4, 4, 4, 8, 1, 1, 1, 1 };

	sort_apply(columns[column], sizes[column], j->order, w->n);
}

bool work_scan(trace *t, unsigned need, work_raw *raw)
{
	bool ok = true;
	uint32_t *order;

	for (int k = 0; ok && k < TABLES; k++) {
		const db_table *table = find_table(t, k);
		scan_col c[COLS];
		size_t n;
		if (!(need & (k <= WORK_GRAPH ? TRACE_KERNELS : TRACE_COPIES))) {
			ok = span_table(t->db, table, "globalPid", &raw->spans[k]);
			continue;
		}
		ask(c, (enum work_kind)k, need);
		ok = scan_table(t->db, table, c, COLS, &t->names, &n);
		if (ok && n && (ok = name_work(t, (enum work_kind)k, c, n, need))) {
			number_places(raw, c, n);
			append_table(&t->work, (enum work_kind)k, c, n, need);
		}
		scan_free(c, COLS);
	}
	if (ok) {
		make_streams(t, raw);
		order = make_lanes(t, raw);
		par_do(t->db->threads, 12, reorder, &(reorder_job){ &t->work, order });
		free(order);
	}
	return ok;
}

/* The span of a lane: its work is sorted by start, and reach knows the latest end. */
static ival lane_span(const trace_work *w, const trace_lane *lane)
{
	int64_t last = w->start[lane->first + lane->n - 1];
	ival span = { w->start[lane->first], lane->reach[(lane->n - 1) / REACH_BLOCK] };

	if (last == span.b && span.b < INT64_MAX)
		span.b++;               /* of no length, at the very end */
	return span;
}

void work_number(trace *t, const work_raw *raw)
{
	const trace_work *w = &t->work;

	for (size_t i = 0; i < t->nstreams; i++) {
		int64_t id = raw->places.v[i].global_pid;
		t->streams[i].proc = id == -1 ? only_process(t) : trace_proc_of(t, id);
	}
	for (size_t l = 0; l < t->nlanes; l++) {
		trace_lane *lane = &t->lanes[l];
		lane->proc = t->streams[w->stream[lane->first]].proc;
		lane->reach = trace_reach(w->end + lane->first, lane->n);
		trace_widen(t, t->procs[lane->proc].id * (1 << 24), lane_span(w, lane), true);
	}
	for (int k = 0; k < TABLES; k++)
		for (size_t i = 0; i < raw->spans[k].ids.n; i++) {
			int64_t id = raw->spans[k].ids.value[i];
			if (id == -1)
				id = t->procs[only_process(t)].id * (1 << 24);
			trace_widen(t, id, raw->spans[k].span[i], true);
		}
}

void work_classify(trace *t)
{
	for (size_t s = 0; s < t->nstreams; s++)
		t->streams[s].class = 'y';
	for (size_t i = 0; i < t->work.n; i++) {
		char *class = &t->streams[t->work.stream[i]].class;
		if (trace_is_compute(t, i))
			*class = 'c';
		else if (*class == 'y' && trace_is_comm(t, i))
			*class = 'm';
	}
}

void work_raw_free(work_raw *raw)
{
	vec_free(&raw->places);
	for (int k = 0; k < TABLES; k++)
		span_free(&raw->spans[k]);
}
