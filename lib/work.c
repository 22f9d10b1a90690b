#include "work.h"
#include "err.h"
#include "mem.h"
#include "sort.h"

#include <string.h>

enum { START, END, PID, GPU, CTX, STREAM, CORR, NAME, FULL, BYTES, COPY, SRC, DST };

static const char *const tables[WORK_TABLES] = {
	[WORK_KERNEL] = "CUPTI_ACTIVITY_KIND_KERNEL",
	[WORK_GRAPH] = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
	[WORK_COPY] = "CUPTI_ACTIVITY_KIND_MEMCPY",
	[WORK_SET] = "CUPTI_ACTIVITY_KIND_MEMSET",
};

enum { UNKNOWN_KIND = 255 };

/* The columns of each table; those that it lacks, or that nobody needs, read as one value. */
static void ask(scan_col *c, enum work_kind kind, unsigned need)
{
	static const scan_col base[WORK_COLS] = {
		[START] = { .names = "start", .type = SCAN_INT, .from_zero = true },
		[END] = { .names = "end", .type = SCAN_INT },
		[PID] = { .names = "globalPid", .type = SCAN_KEY, .null = -1 },
		[GPU] = { .names = "deviceId", .type = SCAN_KEY },
		[CTX] = { .names = "contextId", .type = SCAN_KEY },
		[STREAM] = { .names = "streamId", .type = SCAN_KEY },
		[CORR] = { .names = "correlationId", .type = SCAN_INT },
		[NAME] = { .names = "", .type = SCAN_KEY, .null = -1 },
		[FULL] = { .names = "", .type = SCAN_KEY, .null = -1 },
		[BYTES] = { .names = "", .type = SCAN_INT },
		[COPY] = { .names = "", .type = SCAN_KEY, .null = UNKNOWN_KIND },
		[SRC] = { .names = "", .type = SCAN_KEY, .null = UNKNOWN_KIND },
		[DST] = { .names = "", .type = SCAN_KEY, .null = UNKNOWN_KIND },
	};

	memcpy(c, base, sizeof base);
	if (kind == WORK_KERNEL) {
		c[NAME].names = "shortName|demangledName|mangledName|nameId|name";
		if (need & TRACE_FULL)
			c[FULL].names = "demangledName|shortName|mangledName|nameId|name";
	} else if (kind == WORK_GRAPH) {
		c[NAME].names = "graphId|graphExecId";
	} else {
		c[COPY].names = kind == WORK_COPY ? "copyKind" : "";
		if (need & TRACE_BYTES) {
			c[BYTES].names = "bytes";
			c[SRC].names = kind == WORK_COPY ? "srcKind" : "";
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

bool work_scan(trace *t, unsigned need, work_raw *raw)
{
	bool ok = true;

	for (int k = 0; ok && k < WORK_TABLES; k++) {
		const db_table *table = find_table(t, k);
		ask(raw->col[k], (enum work_kind)k, need);
		ok = scan_table(t->db, table, raw->col[k], WORK_COLS, &t->names, &raw->n[k]);
		if (ok && k == WORK_KERNEL)
			ok = trace_names(t, &raw->col[k][NAME], raw->n[k]) &&
				(!(need & TRACE_FULL) || trace_names(t, &raw->col[k][FULL], raw->n[k]));
	}
	return ok;
}

void work_ids(const work_raw *raw, dict *processes)
{
	for (int k = 0; k < WORK_TABLES; k++) {
		const dict *d = &raw->col[k][PID].dict;
		for (size_t i = 0; i < d->n; i++)
			if (d->value[i] != -1)
				dict_key(processes, d->value[i] >> 24);
	}
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

/* Names for the kinds of work that have none in the trace, one for each distinct number. */
static void name_work(trace *t, work_raw *raw)
{
	scan_col *kernel = &raw->col[WORK_KERNEL][NAME], *full = &raw->col[WORK_KERNEL][FULL];

	for (size_t i = 0; i < raw->n[WORK_KERNEL]; i++) {
		if (kernel->keys[i] == STR_NONE)
			kernel->keys[i] = str_id(&t->names, "-", 1);
		if (*full->names && full->keys[i] == STR_NONE)
			full->keys[i] = kernel->keys[i];
	}
	for (int k = WORK_GRAPH; k < WORK_TABLES; k++) {
		scan_col *number = &raw->col[k][k == WORK_GRAPH ? NAME : COPY], *name = &raw->col[k][NAME];
		uint32_t *id = mem_new(uint32_t, number->dict.n);
		for (size_t i = 0; i < number->dict.n; i++) {
			int64_t v = number->dict.value[i];
			const char *s = k == WORK_GRAPH ? mem_printf("graph %lld", (long long)v) :
				k == WORK_SET ? "memset" :
				mem_printf("memcpy %s", work_copy_kind((uint8_t)(v < 0 || v > 255 ? UNKNOWN_KIND : v), WORK_COPY));
			id[i] = str_id(&t->names, s, strlen(s));
		}
		for (size_t i = 0; i < raw->n[k]; i++)
			name->keys[i] = id[number->keys[i]];
		free(id);
	}
}

/* Old exports have no globalPid: such work belongs to the one process that made CUDA calls. */
static uint32_t only_process(const trace *t)
{
	for (size_t i = 0; i < t->calls.n; i++)
		return t->threads[t->calls.thread[i]].proc;
	return t->nprocs ? 0 : NONE;
}

static const trace_stream *compared;

static int by_place(const void *x, const void *y)
{
	const trace_stream *a = &compared[*(const uint32_t *)x], *b = &compared[*(const uint32_t *)y];

	return a->proc != b->proc ? sort_3way(a->proc, b->proc) :
		a->gpu != b->gpu ? sort_3way(a->gpu, b->gpu) :
		a->ctx != b->ctx ? sort_3way(a->ctx, b->ctx) : sort_3way(a->stream, b->stream);
}

/* Number the streams of all tables: t->streams sorted, and work.stream of every row. */
static void number_streams(trace *t, work_raw *raw)
{
	vec(trace_stream) found = { 0 };
	uint32_t *order, *rank, *to = t->work.stream;
	size_t at = 0;

	for (int k = 0; k < WORK_TABLES; k++) {
		scan_col *c = raw->col[k];
		dict combined = { 0 };
		size_t base = found.n;
		for (size_t i = 0; i < raw->n[k]; i++) {
			/* four dense keys packed into one number, to be numbered again */
			int64_t packed = (((int64_t)c[PID].keys[i] * (int64_t)c[GPU].dict.n +
				c[GPU].keys[i]) * (int64_t)c[CTX].dict.n + c[CTX].keys[i]) *
				(int64_t)c[STREAM].dict.n + c[STREAM].keys[i];
			uint32_t key = dict_key(&combined, packed);
			if (key + base == found.n) {
				int64_t id = c[PID].dict.value[c[PID].keys[i]];
				vec_push(&found, (trace_stream){
					.proc = id == -1 ? only_process(t) : trace_proc_of(t, id),
					.gpu = c[GPU].dict.value[c[GPU].keys[i]],
					.ctx = c[CTX].dict.value[c[CTX].keys[i]],
					.stream = c[STREAM].dict.value[c[STREAM].keys[i]] });
			}
			to[at++] = (uint32_t)(key + base);
		}
		dict_free(&combined);
	}
	order = mem_new(uint32_t, found.n);
	rank = mem_new(uint32_t, found.n);
	for (size_t i = 0; i < found.n; i++)
		order[i] = (uint32_t)i;
	compared = found.v;
	qsort(order, found.n, sizeof *order, by_place);
	t->streams = mem_new(trace_stream, found.n);
	for (size_t i = 0; i < found.n; i++) {
		if (i == 0 || by_place(&order[i - 1], &order[i]) != 0)
			t->streams[t->nstreams++] = found.v[order[i]];
		rank[order[i]] = (uint32_t)t->nstreams - 1;
	}
	for (size_t i = 0; i < at; i++)
		to[i] = rank[to[i]];
	free(order);
	free(rank);
	vec_free(&found);
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
	return sort_3way(w->corr[a], w->corr[b]);
}

static void reorder(trace_work *w, const uint32_t *order)
{
	sort_apply(w->start, sizeof *w->start, order, w->n);
	sort_apply(w->end, sizeof *w->end, order, w->n);
	sort_apply(w->corr, sizeof *w->corr, order, w->n);
	sort_apply(w->stream, sizeof *w->stream, order, w->n);
	sort_apply(w->name, sizeof *w->name, order, w->n);
	sort_apply(w->full, sizeof *w->full, order, w->n);
	sort_apply(w->bytes, sizeof *w->bytes, order, w->n);
	sort_apply(w->copy_kind, 1, order, w->n);
	sort_apply(w->src_kind, 1, order, w->n);
	sort_apply(w->dst_kind, 1, order, w->n);
	sort_apply(w->kind, 1, order, w->n);
}

/* Group the work, sorted by time, into lanes: a stable counting sort. */
static void make_lanes(trace *t)
{
	trace_work *w = &t->work;
	uint32_t *lane_of = mem_new(uint32_t, t->nstreams), *order;
	size_t *next;
	bool grouped = true;

	t->lanes = mem_new(trace_lane, t->nstreams);
	for (size_t s = 0; s < t->nstreams; s++) {
		const trace_stream *st = &t->streams[s];
		trace_lane *last = t->nlanes ? &t->lanes[t->nlanes - 1] : NULL;
		if (!last || last->proc != st->proc || last->gpu != st->gpu)
			t->lanes[t->nlanes++] = (trace_lane){ .proc = st->proc, .gpu = st->gpu };
		lane_of[s] = (uint32_t)t->nlanes - 1;
	}
	for (size_t i = 0; i < w->n; i++) {
		t->lanes[lane_of[w->stream[i]]].n++;
		grouped &= i == 0 || lane_of[w->stream[i - 1]] <= lane_of[w->stream[i]];
	}
	next = mem_new(size_t, t->nlanes);
	for (size_t l = 0, at = 0; l < t->nlanes; at += t->lanes[l++].n)
		next[l] = t->lanes[l].first = at;
	if (!grouped) {
		order = mem_new(uint32_t, w->n);
		for (size_t i = 0; i < w->n; i++)
			order[next[lane_of[w->stream[i]]]++] = (uint32_t)i;
		reorder(w, order);
		free(order);
	}
	free(next);
	free(lane_of);
	for (size_t l = 0; l < t->nlanes; l++)
		t->lanes[l].reach = trace_reach(w->end + t->lanes[l].first, t->lanes[l].n);
}

static void copy_kinds(uint8_t *to, const scan_col *c, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t v = c->dict.value[c->keys[i]];
		to[i] = v >= 0 && v < UNKNOWN_KIND ? (uint8_t)v : UNKNOWN_KIND;
	}
}

void work_build(trace *t, unsigned need, work_raw *raw)
{
	trace_work *w = &t->work;
	uint32_t *order;
	size_t at = 0;

	for (int k = 0; k < WORK_TABLES; k++)
		w->n += raw->n[k];
	if (w->n >= NONE)
		die(EXIT_FAILED, "'%s' holds %zu pieces of GPU work; nsq reads at most %u",
		    t->path, w->n, NONE - 1);
	name_work(t, raw);
	w->start = mem_new(int64_t, w->n);
	w->end = mem_new(int64_t, w->n);
	w->corr = mem_new(int64_t, w->n);
	w->stream = mem_new(uint32_t, w->n);
	w->name = mem_new(uint32_t, w->n);
	w->kind = mem_new(uint8_t, w->n);
	if (need & TRACE_FULL)
		w->full = mem_new(uint32_t, w->n);
	if (need & TRACE_BYTES) {
		w->bytes = mem_new(int64_t, w->n);
		w->copy_kind = mem_new(uint8_t, w->n);
		w->src_kind = mem_new(uint8_t, w->n);
		w->dst_kind = mem_new(uint8_t, w->n);
	}
	for (int k = 0; k < WORK_TABLES; at += raw->n[k++]) {
		scan_col *c = raw->col[k];
		size_t n = raw->n[k];
		if (!n)
			continue;
		memcpy(w->start + at, c[START].ints, n * sizeof *w->start);
		memcpy(w->corr + at, c[CORR].ints, n * sizeof *w->corr);
		memcpy(w->name + at, c[NAME].keys, n * sizeof *w->name);
		memset(w->kind + at, k, n);
		for (size_t i = 0; i < n; i++)
			w->end[at + i] = c[END].ints[i] > c[START].ints[i] ? c[END].ints[i] : c[START].ints[i];
		if (need & TRACE_FULL)
			memcpy(w->full + at, c[k == WORK_KERNEL ? FULL : NAME].keys, n * sizeof *w->full);
		if (need & TRACE_BYTES) {
			memcpy(w->bytes + at, c[BYTES].ints, n * sizeof *w->bytes);
			copy_kinds(w->copy_kind + at, &c[COPY], n);
			copy_kinds(w->src_kind + at, &c[SRC], n);
			copy_kinds(w->dst_kind + at, &c[DST], n);
		}
	}
	number_streams(t, raw);
	order = sort_order(w->n, by_time, t);
	reorder(w, order);
	free(order);
	make_lanes(t);
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
	for (int k = 0; k < WORK_TABLES; k++)
		scan_free(raw->col[k], WORK_COLS);
}
