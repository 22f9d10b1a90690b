#include "trace/order_work.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/sort.h"

enum { TABLES = 4, MANY_LANES = 1 << 12 };

/* Of some ids and what was first so far (-1: none), the first as processes are sorted: by pid, then by the
 * whole id.  Work without a process has id -1, which does not count. */
static int64_t first_process(int64_t first, const dict *ids, int shift)
{
	for (size_t i = 0; i < ids->n; i++) {
		int64_t id = ids->value[i] >> shift, pid = id & 0xffffff;
		if (ids->value[i] != -1 && (first == -1 || pid < (first & 0xffffff) ||
		    (pid == (first & 0xffffff) && id < first)))
			first = id;
	}
	return first;
}

bool lane_adopt(const trace *t, const dict *others, work_raw *raw)
{
	span_set calls = { 0 };
	dict own = { 0 };
	int64_t first;
	bool ok = true;

	for (size_t i = 0; i < raw->places.n; i++)
		dict_key(&own, raw->places.v[i].global_pid);
	if (dict_find(&own, -1) != DICT_NONE) {
		ok = span_table(t->db, db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME"), "globalTid", &calls);
		first = first_process(-1, &calls.ids, 24);
		if (first == -1) {
			first = first_process(first_process(-1, others, 0), &own, 24);
			for (int k = 0; k < TABLES; k++)
				first = first_process(first, &raw->spans[k].ids, 24);
		}
		for (size_t i = 0; i < raw->places.n && first != -1; i++)
			if (raw->places.v[i].global_pid == -1)
				raw->places.v[i].global_pid = first * (1 << 24);
		span_free(&calls);
	}
	dict_free(&own);
	return ok;
}

void lane_ids(const work_raw *raw, dict *processes)
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

/* Sort the places of all tables, each once: by place, the number of its stream, for the caller to free. */
static uint32_t *make_streams(trace *t, work_raw *raw)
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
	free(raw->places.v);
	raw->places.v = sorted;
	raw->places.n = raw->places.room = kept;
	t->streams = mem_new(trace_stream, kept);
	t->nstreams = kept;
	for (size_t i = 0; i < kept; i++)
		t->streams[i] = (trace_stream){ .gpu = sorted[i].gpu, .ctx = sorted[i].ctx, .stream = sorted[i].stream };
	free(order);
	return stream;
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

/* How work is put in order.  A stretch of it is numbered, counted and placed by one thread. */
typedef struct {
	trace *t;
	const uint32_t *stream;         /* by place */
	uint32_t *lane_of;              /* by stream */
	size_t stretches;
	size_t *next;                   /* by stretch and lane: how many, then where the next one goes */
	uint32_t *order;
} order_job;

static size_t stretch_at(const order_job *j, size_t which)
{
	return j->t->work.n * which / j->stretches;
}

static void count_stretch(void *ctx, size_t which)
{
	order_job *j = ctx;
	uint32_t *stream = j->t->work.stream;
	size_t *count = &j->next[which * j->t->nlanes];

	for (size_t i = stretch_at(j, which); i < stretch_at(j, which + 1); i++) {
		stream[i] = j->stream[stream[i]];
		count[j->lane_of[stream[i]]]++;
	}
}

static void place_stretch(void *ctx, size_t which)
{
	order_job *j = ctx;
	size_t *next = &j->next[which * j->t->nlanes];

	for (size_t i = stretch_at(j, which); i < stretch_at(j, which + 1); i++)
		j->order[next[j->lane_of[j->t->work.stream[i]]]++] = (uint32_t)i;
}

static void sort_lane(void *ctx, size_t l)
{
	order_job *j = ctx;

	sort_items(j->order + j->t->lanes[l].first, j->t->lanes[l].n, by_time, j->t);
}

static void make_lanes(order_job *j, const work_raw *raw)
{
	trace *t = j->t;

	t->lanes = mem_new(trace_lane, t->nstreams);
	j->lane_of = mem_new(uint32_t, t->nstreams);
	for (size_t s = 0; s < t->nstreams; s++) {
		const work_place *p = &raw->places.v[s];
		if (s == 0 || p->gpu != p[-1].gpu || p->global_pid >> 24 != p[-1].global_pid >> 24)
			t->lanes[t->nlanes++] = (trace_lane){ .gpu = p->gpu };
		j->lane_of[s] = (uint32_t)t->nlanes - 1;
	}
}

/* The order of the work: a stable counting sort by lane, then by time within each lane, which finds
 * the tables' own order and merges it. */
static void find_order(order_job *j)
{
	trace *t = j->t;
	size_t at = 0;

	j->stretches = t->nlanes < MANY_LANES ? (size_t)t->db->threads : 1;
	j->next = mem_new(size_t, j->stretches * t->nlanes);
	par_do(t->db->threads, j->stretches, count_stretch, j);
	for (size_t l = 0; l < t->nlanes; l++) {
		t->lanes[l].first = at;
		for (size_t s = 0; s < j->stretches; s++) {
			size_t n = j->next[s * t->nlanes + l];
			j->next[s * t->nlanes + l] = at;
			at += n;
		}
		t->lanes[l].n = at - t->lanes[l].first;
	}
	if (t->nlanes <= 1) {
		j->order = sort_order(t->work.n, by_time, t);
		return;
	}
	j->order = mem_grow(NULL, t->work.n, sizeof *j->order);
	par_do(t->db->threads, j->stretches, place_stretch, j);
	par_do(t->db->threads, t->nlanes, sort_lane, j);
}

void lane_build(trace *t, work_raw *raw)
{
	uint32_t *stream = make_streams(t, raw);
	order_job j = { .t = t, .stream = stream };
	column c[WORK_COLUMNS];

	make_lanes(&j, raw);
	find_order(&j);
	work_columns(&t->work, c);
	column_order(c, WORK_COLUMNS, j.order, t->work.n, t->db->threads);
	free(stream);
	free(j.lane_of);
	free(j.next);
	free(j.order);
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

void lane_number(trace *t, const work_raw *raw)
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

void lane_classify(trace *t)
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
