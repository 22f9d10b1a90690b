#include "call.h"
#include "mem.h"
#include "sort.h"

#include <string.h>

enum { START, END, TID, CORR, NAME, COLS };

/* What is known of each thread once its calls are read. */
static void count_calls(trace *t, call_raw *raw, const scan_col *c, size_t n)
{
	size_t nids = raw->ids.n;
	uint8_t *class = mem_new(uint8_t, t->names.n);

	raw->calls = mem_new(size_t, nids);
	raw->launches = mem_new(size_t, nids);
	raw->span = mem_new(ival, nids);
	for (size_t k = 0; k < nids; k++)
		raw->span[k] = (ival){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < t->names.n; i++)
		class[i] = (uint8_t)call_class(t->names.text[i]);
	for (size_t i = 0; i < n; i++) {
		uint32_t k = c[TID].keys[i];
		if (c[END].ints[i] < c[START].ints[i])
			c[END].ints[i] = c[START].ints[i];
		span_widen(&raw->span[k], c[START].ints[i], c[END].ints[i]);
		raw->calls[k]++;
		uint8_t what = c[NAME].keys[i] == STR_NONE ? CALL_OTHER : class[c[NAME].keys[i]];
		raw->launches[k] += what == CALL_LAUNCH;
		if (t->calls.class)
			t->calls.class[i] = what;
	}
	free(class);
}

bool call_scan(trace *t, unsigned need, call_raw *raw)
{
	static const scan_col ask[COLS] = {
		[START] = { .names = "start", .type = SCAN_INT, .from_zero = true },
		[END] = { .names = "end", .type = SCAN_INT },
		[TID] = { .names = "globalTid", .type = SCAN_KEY, .null = -1 },
		[CORR] = { .names = "correlationId", .type = SCAN_SMALL },
		[NAME] = { .names = "nameId|name", .type = SCAN_KEY, .null = -1 },
	};
	const db_table *table = db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");
	trace_calls *calls = &t->calls;
	scan_col c[COLS];

	if (!(need & TRACE_CALLS))
		return span_table(t->db, table, "globalTid", &raw->spans);
	memcpy(c, ask, sizeof ask);
	if (!scan_table(t->db, table, c, COLS, &t->names, &calls->n) || !trace_names(t, &c[NAME], calls->n)) {
		scan_free(c, COLS);
		return false;
	}
	raw->ids = c[TID].dict;
	c[TID].dict = (dict){ 0 };
	if (need & TRACE_CALL_TIMES)
		calls->class = mem_new(uint8_t, calls->n);
	count_calls(t, raw, c, calls->n);
	calls->start = c[START].ints;
	calls->thread = c[TID].keys;
	calls->corr = (trace_ids){ c[CORR].keys, c[CORR].ints };
	c[START].ints = c[CORR].ints = NULL;
	c[TID].keys = c[CORR].keys = NULL;
	if (need & TRACE_CALL_TIMES) {
		calls->end = c[END].ints;
		c[END].ints = NULL;
	}
	if (need & TRACE_CALL_NAMES) {
		calls->name = c[NAME].keys;
		c[NAME].keys = NULL;
	}
	scan_free(c, COLS);
	return true;
}

void call_ids(const call_raw *raw, dict *processes, dict *threads)
{
	for (size_t i = 0; i < raw->ids.n; i++) {
		dict_key(processes, raw->ids.value[i] >> 24);
		dict_key(threads, raw->ids.value[i]);
	}
	for (size_t i = 0; i < raw->spans.ids.n; i++)
		dict_key(processes, raw->spans.ids.value[i] >> 24);
}

static int by_time(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;
	const trace_calls *c = &t->calls;

	if (c->start[a] != c->start[b])
		return sort_3way(c->start[a], c->start[b]);
	if (c->end && c->end[a] != c->end[b])
		return -sort_3way(c->end[a], c->end[b]);   /* the outer call first */
	if (c->thread[a] != c->thread[b])
		return sort_3way(c->thread[a], c->thread[b]);
	if (c->name && c->name[a] != c->name[b])
		return str_cmp(&t->names, c->name[a], c->name[b]);
	if (c->class && c->class[a] != c->class[b])
		return sort_3way(c->class[a], c->class[b]);
	return sort_3way(trace_id(&c->corr, a), trace_id(&c->corr, b));
}

#define SWAP(v) \
	do { \
		if (v) { \
			__typeof__(*(v)) kept = (v)[a]; \
			(v)[a] = (v)[b]; \
			(v)[b] = kept; \
		} \
	} while (0)

static void exchange(uint32_t a, uint32_t b, void *ctx)
{
	trace_calls *c = &((trace *)ctx)->calls;

	SWAP(c->start);
	SWAP(c->end);
	SWAP(c->corr.small);
	SWAP(c->corr.wide);
	SWAP(c->thread);
	SWAP(c->name);
	SWAP(c->class);
}

/* The export is in order of start but for ties; where it is not, sort in earnest. */
void call_sort(trace *t)
{
	trace_calls *c = &t->calls;
	uint32_t *order = sort_nearly(c->n, by_time, exchange, t) ? NULL : sort_order(c->n, by_time, t);
	sort_apply(c->start, sizeof *c->start, order, c->n);
	sort_apply(c->end, sizeof *c->end, order, c->n);
	sort_apply(c->corr.small, sizeof *c->corr.small, order, c->n);
	sort_apply(c->corr.wide, sizeof *c->corr.wide, order, c->n);
	sort_apply(c->thread, sizeof *c->thread, order, c->n);
	sort_apply(c->name, sizeof *c->name, order, c->n);
	sort_apply(c->class, 1, order, c->n);
	free(order);
	if (c->end)
		c->reach = trace_reach(c->end, c->n);
}

void call_number(trace *t, call_raw *raw)
{
	trace_calls *c = &t->calls;
	uint32_t *thread = mem_new(uint32_t, raw->ids.n);

	for (size_t i = 0; i < raw->ids.n; i++) {
		thread[i] = trace_thread_of(t, raw->ids.value[i]);
		t->threads[thread[i]].calls = raw->calls[i];
		t->procs[t->threads[thread[i]].proc].launches += raw->launches[i];
		t->procs[t->threads[thread[i]].proc].calls = true;
		trace_widen(t, raw->ids.value[i], raw->span[i], false);
	}
	for (size_t i = 0; i < raw->spans.ids.n; i++) {
		t->procs[trace_proc_of(t, raw->spans.ids.value[i])].calls = true;
		trace_widen(t, raw->spans.ids.value[i], raw->spans.span[i], false);
	}
	for (size_t i = 0; i < c->n; i++)
		c->thread[i] = thread[c->thread[i]];
	free(thread);
}

static const struct { const char *name, *words[6]; } classes[] = {
	[CALL_LAUNCH] = { "launch", { "Launch" } },
	[CALL_SYNC] = { "sync", { "Synchronize" } },
	[CALL_MEMORY] = { "memory", { "Mem", "Malloc", "Free", "HostAlloc", "HostRegister" } },
	[CALL_GRAPH] = { "graph", { "Graph", "Capture" } },
	[CALL_EVENT] = { "event", { "Event" } },
	[CALL_STREAM] = { "stream", { "Stream" } },
	[CALL_MODULE] = { "module", { "Module", "Library", "Kernel", "Func" } },
	[CALL_OTHER] = { "other", { "" } },
};

enum call_class call_class(const char *name)
{
	for (int c = 0; c < CALL_OTHER; c++)
		for (int w = 0; classes[c].words[w]; w++)
			if (strstr(name, classes[c].words[w]))
				return (enum call_class)c;
	return CALL_OTHER;
}

const char *call_class_name(enum call_class c)
{
	return classes[c].name;
}

enum call_class call_class_named(const char *s)
{
	int c = 0;

	while (c <= CALL_OTHER && strcmp(classes[c].name, s) != 0)
		c++;
	return (enum call_class)c;
}

size_t call_base_length(const char *name)
{
	size_t n = strlen(name), before;

	do {
		before = n;
		if (n > 5 && (memcmp(name + n - 5, "_ptsz", 5) == 0 || memcmp(name + n - 5, "_ptds", 5) == 0))
			n -= 5;
		size_t digits = n;
		while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
			digits--;
		if (digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
			n = digits - 2;
	} while (n < before);
	return n;
}

call_threads call_outermost(const trace *t)
{
	const trace_calls *c = &t->calls;
	call_threads out = { NULL, mem_new(size_t, t->nthreads + 1) };
	int64_t *until = mem_new(int64_t, t->nthreads);
	size_t *next = mem_new(size_t, t->nthreads);

	for (int pass = 0; pass < 2; pass++) {   /* count, then place */
		for (size_t i = 0; i < t->nthreads; i++) {
			until[i] = INT64_MIN;
			next[i] = out.first[i];
		}
		for (size_t i = 0; i < c->n; i++) {
			uint32_t th = c->thread[i];
			if (c->start[i] < until[th])
				continue;
			until[th] = c->end[i];
			if (pass)
				out.calls[next[th]++] = (uint32_t)i;
			else
				out.first[th + 1]++;
		}
		for (size_t i = 0; !pass && i < t->nthreads; i++)
			out.first[i + 1] += out.first[i];
		if (!pass)
			out.calls = mem_new(uint32_t, out.first[t->nthreads]);
	}
	free(until);
	free(next);
	return out;
}

void call_threads_free(call_threads *c)
{
	free(c->calls);
	free(c->first);
}

size_t call_after(const trace *t, const call_threads *c, uint32_t thread, int64_t moment)
{
	size_t lo = c->first[thread], hi = c->first[thread + 1];

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (t->calls.end[c->calls[mid]] > moment)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void call_raw_free(call_raw *raw)
{
	dict_free(&raw->ids);
	free(raw->calls);
	free(raw->launches);
	free(raw->span);
	span_free(&raw->spans);
}
