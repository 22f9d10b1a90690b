#include "trace/order_work.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "trace/global_id.h"

enum { TABLES = 4 };    /* tables of work, by enum work_kind */

typedef struct {                /* the best process found so far to own work without a globalPid */
	int64_t process;        /* as in global_id.h */
	bool found;
} adopter;

/* Make a process the adopter if there is none yet, or if it precedes that one in the order of processes. */
static void order_work_consider_process(adopter *a, int64_t process)
{
	if (!a->found || global_order(process, a->process) < 0)
		*a = (adopter){ process, true };
}

static void order_work_consider_ids(adopter *a, const dict *ids)
{
	for (size_t i = 0; i < ids->n; i++)
		if (ids->value[i] != -1)
			order_work_consider_process(a, global_process(ids->value[i]));
}

/*
 * Find the process to which work without a globalPid, as in old exports, belongs.  It is the first process that makes
 * API calls or, if none does, the first process of all.  If no event names a process, it is process -1, to which calls
 * and ranges without an id belong, or process 0 if there are no such calls or ranges.
 */
static bool order_work_find_adopter(trace *t, const dict *nvtx, work_raw *raw)
{
	const db_table *table = db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");
	event_spans calls = { 0 };
	adopter a = { 0 };
	bool ok = event_span_read_table(t->db, table, "globalTid", t->workers, &calls);

	order_work_consider_ids(&a, &calls.ids);
	if (!a.found) {
		for (size_t i = 0; i < nvtx->n; i++)
			if (nvtx->value[i] != -1)
				order_work_consider_process(&a, nvtx->value[i]);
		for (size_t i = 0; i < raw->places.n; i++)
			if (raw->places.v[i].global_pid != -1)
				order_work_consider_process(&a, global_process(raw->places.v[i].global_pid));
		for (int k = 0; k < TABLES; k++)
			order_work_consider_ids(&a, &raw->spans[k].ids);
	}
	raw->adopter = a.found ? a.process : calls.ids.n || nvtx->n ? -1 : 0;
	event_span_free(&calls);
	return ok;
}

static int64_t order_work_process_of(const work_raw *raw, int64_t global_pid)
{
	return global_pid == -1 ? raw->adopter : global_process(global_pid);
}

bool order_work_has_orphans(const work_raw *raw)
{
	bool orphans = false;

	for (size_t i = 0; i < raw->places.n; i++)
		orphans |= raw->places.v[i].global_pid == -1;
	for (int k = 0; k < TABLES; k++)
		orphans |= dict_find(&raw->spans[k].ids, -1) != DICT_NONE;
	return orphans;
}

bool order_work_adopt(trace *t, const dict *nvtx, work_raw *raw)
{
	if (order_work_has_orphans(raw) && !order_work_find_adopter(t, nvtx, raw))
		return false;
	for (size_t i = 0; i < raw->places.n; i++)
		raw->places.v[i].process = order_work_process_of(raw, raw->places.v[i].global_pid);
	return true;
}

void order_work_add_ids(const work_raw *raw, dict *processes)
{
	for (size_t i = 0; i < raw->places.n; i++)
		dict_key(processes, raw->places.v[i].process);
	for (int k = 0; k < TABLES; k++)
		for (size_t i = 0; i < raw->spans[k].ids.n; i++)
			dict_key(processes, order_work_process_of(raw, raw->spans[k].ids.value[i]));
}

static int order_work_compare_places(uint32_t x, uint32_t y, const void *ctx)
{
	const work_place *a = (const work_place *)ctx + x, *b = (const work_place *)ctx + y;
	int process = global_order(a->process, b->process);

	return process ? process : a->gpu != b->gpu ? sort_3way(a->gpu, b->gpu) :
		a->ctx != b->ctx ? sort_3way(a->ctx, b->ctx) : sort_3way(a->stream, b->stream);
}

/* Make trace.streams: the distinct places, sorted.  They replace raw->places, which then has one element for each
 * stream.  Returns an array with an element for each old place: the index of its stream.  The caller frees it. */
static uint32_t *order_work_make_streams(trace *t, work_raw *raw)
{
	size_t n = raw->places.n, kept = 0;
	work_place *sorted = mem_new(work_place, n);
	uint32_t *order = mem_new(uint32_t, n), *stream = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sort_items(order, n, order_work_compare_places, raw->places.v);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || order_work_compare_places(order[i - 1], order[i], raw->places.v) != 0)
			sorted[kept++] = raw->places.v[order[i]];
		stream[order[i]] = (uint32_t)kept - 1;
	}
	free(raw->places.v);
	raw->places.v = sorted;
	raw->places.n = raw->places.room = kept;
	t->streams = mem_new(trace_stream, kept);
	t->nstreams = kept;
	for (size_t i = 0; i < kept; i++)
		t->streams[i] = (trace_stream){ .gpu = sorted[i].gpu, .ctx = sorted[i].ctx,
			.stream = sorted[i].stream };
	free(order);
	return stream;
}

static int order_work_compare_times(uint32_t a, uint32_t b, const void *ctx)
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
	if (work_name(w, a) != work_name(w, b))
		return str_cmp(&t->names, work_name(w, a), work_name(w, b));
	if (w->corr[a] != w->corr[b])
		return sort_3way(w->corr[a], w->corr[b]);
	return w->node ? sort_3way(w->node[a], w->node[b]) : 0;
}

typedef struct {
	trace *t;
	uint32_t *lane_of;              /* by stream: index of its lane */
	uint32_t *order;                /* the indices of all work, in its new order */
} order_work_ctx;

static void order_work_make_lanes(order_work_ctx *j, const work_raw *raw)
{
	trace *t = j->t;

	t->lanes = mem_new(trace_lane, t->nstreams);
	j->lane_of = mem_new(uint32_t, t->nstreams);
	for (size_t s = 0; s < t->nstreams; s++) {
		const work_place *p = &raw->places.v[s];
		if (s == 0 || p->gpu != p[-1].gpu || p->process != p[-1].process)
			t->lanes[t->nlanes++] = (trace_lane){ .gpu = p->gpu };
		j->lane_of[s] = (uint32_t)t->nlanes - 1;
	}
}

/* Find the order of the work: first a stable counting sort by lane, then a sort by time within each lane.  The second
 * one merges runs that are sorted already; each table of work mostly is one run. */
static void order_work_find_order(order_work_ctx *j)
{
	trace *t = j->t;
	size_t *first = mem_new(size_t, t->nlanes + 1);

	if (t->nlanes == 1) {
		t->lanes[0].n = t->work.n;
		j->order = sort_order_by(t->work.n, t->work.start, order_work_compare_times, t);
	} else {
		j->order = sort_groups_of(t->work.stream, j->lane_of, t->work.n, t->nlanes, first);
		for (size_t l = 0; l < t->nlanes; l++) {
			t->lanes[l].first = first[l];
			t->lanes[l].n = first[l + 1] - first[l];
			sort_items_by(j->order + first[l], t->lanes[l].n, t->work.start, order_work_compare_times, t);
		}
	}
	free(first);
}

void order_work_build(trace *t, work_raw *raw)
{
	uint32_t *of_place = order_work_make_streams(t, raw);
	order_work_ctx j = { .t = t };
	trace_work *w = &t->work;
	column c[LOAD_WORK_COLUMNS];

	for (size_t i = 0; i < w->n; i++)
		w->stream[i] = of_place[w->stream[i]];
	order_work_make_lanes(&j, raw);
	order_work_find_order(&j);
	load_work_get_columns(w, c);
	column_order(c, LOAD_WORK_COLUMNS, j.order, w->n);
	mem_free(of_place, j.lane_of, j.order);
}

/* The span of a lane, from the start of its first work to the latest end of its work. */
static ival order_work_lane_span(const trace_work *w, const trace_lane *lane)
{
	int64_t last = w->start[lane->first + lane->n - 1];
	ival span = { w->start[lane->first], lane->reach.latest[1] };

	if (last == span.b && span.b < INT64_MAX)
		span.b++;               /* work of zero length at the end of the lane counts as 1 ns long */
	return span;
}

void order_work_number(trace *t, const work_raw *raw)
{
	const trace_work *w = &t->work;

	for (size_t i = 0; i < t->nstreams; i++)
		t->streams[i].proc = trace_proc_of(t, global_first(raw->places.v[i].process));
	for (size_t l = 0; l < t->nlanes; l++) {
		trace_lane *lane = &t->lanes[l];
		lane->proc = t->streams[w->stream[lane->first]].proc;
		lane->reach = trace_reach_build(w->end + lane->first, lane->n);
		trace_widen_process(t, global_first(t->procs[lane->proc].id), order_work_lane_span(w, lane), true);
		for (size_t i = lane->first; i < lane->first + lane->n; i++)
			t->procs[lane->proc].kernels += w->kind[i] <= WORK_GRAPH;
	}
	for (int k = 0; k < TABLES; k++)
		for (size_t i = 0; i < raw->spans[k].ids.n; i++) {
			int64_t id = global_first(order_work_process_of(raw, raw->spans[k].ids.value[i]));
			trace_widen_process(t, id, raw->spans[k].span[i], true);
			if (k <= WORK_GRAPH)
				t->procs[trace_proc_of(t, id)].kernels += raw->spans[k].count[i];
		}
}

/* The classes of streams are 'c' compute, 'm' communication and 'y' copies only (trace_stream.class). */
void order_work_classify(trace *t)
{
	for (size_t s = 0; s < t->nstreams; s++)
		t->streams[s].class = 'y';
	for (size_t i = 0; i < t->work.n; i++) {
		char *class = &t->streams[t->work.stream[i]].class;
		if (*class != 'c' && trace_is_compute(t, i))
			*class = 'c';
		else if (*class == 'y' && trace_is_comm_kernel(t, i))
			*class = 'm';
	}
}
