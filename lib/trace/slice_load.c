#include "trace/slice_load.h"
#include "trace/global_id.h"
#include "trace/slice_facts.h"

#include <string.h>

typedef const slice_fact fact;

void slice_load_ids(trace *t, dict *processes, dict *threads)
{
	const slice_facts *f = slice_facts_of(t);

	for (fact *x = slice_facts_first(f, "process"); x; x = slice_facts_next(f, x))
		dict_key(processes, x->v[0]);
	for (fact *x = slice_facts_first(f, "thread"); x; x = slice_facts_next(f, x))
		if (dict_find(processes, global_process(x->v[0])) != DICT_NONE)
			dict_key(threads, x->v[0]);
}

static void widen(trace *t, const char *what, bool gpu)
{
	const slice_facts *f = slice_facts_of(t);

	for (fact *x = slice_facts_first(f, what); x; x = slice_facts_next(f, x))
		trace_widen(t, global_first(x->v[0]), (ival){ x->v[1], x->v[2] }, gpu);
}

void slice_load_counts(trace *t)
{
	const slice_facts *f = slice_facts_of(t);

	for (fact *x = slice_facts_first(f, "process"); x; x = slice_facts_next(f, x)) {
		uint32_t p = trace_proc_of(t, global_first(x->v[0]));
		if (p == NONE)
			continue;
		t->procs[p].launches = (size_t)x->v[1];
		t->procs[p].kernels = (size_t)x->v[2];
		t->procs[p].calls = x->v[3];
	}
	widen(t, "events", false);
	widen(t, "gpu", true);
}

/* The counts of threads are known only once ranges and calls are in order. */
static void count_threads(trace *t)
{
	const slice_facts *f = slice_facts_of(t);

	for (fact *x = slice_facts_first(f, "thread"); x; x = slice_facts_next(f, x)) {
		uint32_t th = trace_thread_of(t, x->v[0]);
		if (th == NONE)
			continue;
		t->threads[th].calls = (size_t)x->v[1];
		t->threads[th].nccl_ranges = (size_t)x->v[2];
		t->threads[th].ranges = (size_t)x->v[3];
	}
}

void slice_load_spans(trace *t, unsigned need)
{
	const slice_facts *f = slice_facts_of(t);
	fact *m = need & TRACE_METRICS ? slice_facts_first(f, "metrics") : NULL;

	count_threads(t);
	if (need & TRACE_MARKS)
		widen(t, "marks", false);
	if (need & TRACE_CPU)
		widen(t, "cpu", false);
	if (m && m->v[1] < t->span.a)
		t->span.a = m->v[1];
	if (m && m->v[2] >= t->span.b)
		t->span.b = m->v[2] + 1;
}

void slice_load_classes(trace *t)
{
	const slice_facts *f = slice_facts_of(t);

	for (fact *x = slice_facts_first(f, "stream"); x; x = slice_facts_next(f, x))
		for (size_t i = 0; i < t->nstreams; i++) {
			trace_stream *s = &t->streams[i];
			if (strchr("cmy", (int)(x->v[4] & 0x7f)) && t->procs[s->proc].id == x->v[0] &&
			    s->gpu == x->v[1] && s->ctx == x->v[2] && s->stream == x->v[3])
				s->class = (char)x->v[4];
		}
}
