#include "call.h"
#include "mem.h"
#include "sort.h"

#include <string.h>

enum { START, END, TID, CORR, NAME };

bool call_scan(trace *t, call_raw *raw)
{
	static const scan_col ask[CALL_COLS] = {
		[START] = { .names = "start", .type = SCAN_INT, .from_zero = true },
		[END] = { .names = "end", .type = SCAN_INT },
		[TID] = { .names = "globalTid", .type = SCAN_KEY, .null = -1 },
		[CORR] = { .names = "correlationId", .type = SCAN_INT },
		[NAME] = { .names = "nameId|name", .type = SCAN_KEY, .null = -1 },
	};

	memcpy(raw->col, ask, sizeof ask);
	return scan_table(t->db, db_find(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME"), raw->col, CALL_COLS,
			  &t->names, &raw->n) && trace_names(t, &raw->col[NAME], raw->n);
}

void call_ids(const call_raw *raw, dict *processes, dict *threads)
{
	const dict *d = &raw->col[TID].dict;

	for (size_t i = 0; i < d->n; i++) {
		dict_key(processes, d->value[i] >> 24);
		dict_key(threads, d->value[i]);
	}
}

static int by_time(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;
	const trace_calls *c = &t->calls;

	if (c->start[a] != c->start[b])
		return sort_3way(c->start[a], c->start[b]);
	if (c->end[a] != c->end[b])
		return -sort_3way(c->end[a], c->end[b]);   /* the outer call first */
	if (c->thread[a] != c->thread[b])
		return sort_3way(c->thread[a], c->thread[b]);
	if (c->name[a] != c->name[b])
		return str_cmp(&t->names, c->name[a], c->name[b]);
	return sort_3way(c->corr[a], c->corr[b]);
}

void call_build(trace *t, call_raw *raw)
{
	trace_calls *c = &t->calls;
	const scan_col *tid = &raw->col[TID];
	uint32_t *thread = mem_new(uint32_t, tid->dict.n), *order;

	c->n = raw->n;
	c->start = raw->col[START].ints;
	c->end = raw->col[END].ints;
	c->corr = raw->col[CORR].ints;
	c->thread = raw->col[TID].keys;
	c->name = raw->col[NAME].keys;
	raw->col[START].ints = raw->col[END].ints = raw->col[CORR].ints = NULL;
	raw->col[TID].keys = raw->col[NAME].keys = NULL;
	for (size_t i = 0; i < tid->dict.n; i++)
		thread[i] = trace_thread_of(t, tid->dict.value[i]);
	for (size_t i = 0; i < c->n; i++) {
		c->thread[i] = thread[c->thread[i]];
		if (c->end[i] < c->start[i])
			c->end[i] = c->start[i];
	}
	free(thread);
	order = sort_order(c->n, by_time, t);
	sort_apply(c->start, sizeof *c->start, order, c->n);
	sort_apply(c->end, sizeof *c->end, order, c->n);
	sort_apply(c->corr, sizeof *c->corr, order, c->n);
	sort_apply(c->thread, sizeof *c->thread, order, c->n);
	sort_apply(c->name, sizeof *c->name, order, c->n);
	free(order);
	c->reach = trace_reach(c->end, c->n);
}

/* First call by correlation id, for one process: a plain array where the ids are dense, as
 * CUPTI counts them up, and a dictionary where they are not. */
typedef struct {
	int64_t low, high;
	size_t calls;
	uint32_t *dense;    /* call + 1 at id - low */
	dict ids;           /* else: call of ids.value[k] in of[k] */
	uint32_t *of;
	size_t room;
} first_call;

static void note_call(first_call *f, int64_t corr, uint32_t call)
{
	uint32_t k;

	if (f->dense) {
		if (!f->dense[corr - f->low])
			f->dense[corr - f->low] = call + 1;
		return;
	}
	k = dict_key(&f->ids, corr);
	if (k >= f->room) {
		size_t room = f->room ? f->room * 2 : 64;
		f->of = mem_grow(f->of, room, sizeof *f->of);
		memset(f->of + f->room, 0xff, (room - f->room) * sizeof *f->of);
		f->room = room;
	}
	if (f->of[k] == NONE)
		f->of[k] = call;
}

static uint32_t look_up(const first_call *f, int64_t corr)
{
	uint32_t k;

	if (f->dense)
		return corr < f->low || corr > f->high ? NONE : f->dense[corr - f->low] - 1;
	k = dict_find(&f->ids, corr);
	return k == DICT_NONE ? NONE : f->of[k];
}

void call_join(trace *t)
{
	trace_calls *c = &t->calls;
	trace_work *w = &t->work;
	first_call *of = mem_new(first_call, t->nprocs);

	w->launch = mem_new(uint32_t, w->n);
	for (size_t i = 0; i < c->n; i++) {
		first_call *f = &of[t->threads[c->thread[i]].proc];
		if (!c->corr[i])
			continue;           /* CUPTI's mark for no correlation */
		if (!f->calls++)
			f->low = f->high = c->corr[i];
		f->low = c->corr[i] < f->low ? c->corr[i] : f->low;
		f->high = c->corr[i] > f->high ? c->corr[i] : f->high;
	}
	for (size_t p = 0; p < t->nprocs; p++) {
		uint64_t width = (uint64_t)of[p].high - (uint64_t)of[p].low;
		if (of[p].calls && width / 8 <= of[p].calls)
			of[p].dense = mem_new(uint32_t, width + 1);
	}
	for (size_t i = 0; i < c->n; i++)
		if (c->corr[i])
			note_call(&of[t->threads[c->thread[i]].proc], c->corr[i], (uint32_t)i);
	for (size_t i = 0; i < w->n; i++)
		w->launch[i] = w->corr[i] ? look_up(&of[t->streams[w->stream[i]].proc], w->corr[i]) : NONE;
	for (size_t p = 0; p < t->nprocs; p++) {
		free(of[p].dense);
		free(of[p].of);
		dict_free(&of[p].ids);
	}
	free(of);
	free(c->corr);
	c->corr = NULL;
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

uint8_t *call_classes(const trace *t)
{
	uint8_t *class = mem_new(uint8_t, t->names.n);

	for (size_t i = 0; i < t->names.n; i++)
		class[i] = (uint8_t)call_class(t->names.text[i]);
	return class;
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
	call_threads out = { mem_new(uint32_t, c->n), mem_new(size_t, t->nthreads + 1) };
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
	scan_free(raw->col, CALL_COLS);
}
