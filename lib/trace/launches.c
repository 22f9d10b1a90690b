#include "trace/launches.h"
#include "base/memory.h"
#include "base/search.h"
#include "trace/global_id.h"

/* If the ids of a process span more than SPAN_PER_WORK times its pieces of work, plus SPAN_ALWAYS, they go to a
 * dictionary, with which nsq-nvtx takes a tenth longer.  SPAN_PER_WORK is large because eight processes of a machine
 * may share one counter, so that each has only one id in eight. */
enum { SPAN_PER_WORK = 32, SPAN_ALWAYS = 1 << 14 };

static void launches_set_bits(const trace_work *w, launches_ids *x)
{
	uint32_t ids = 0;

	x->met = mem_new(uint32_t, x->n / 32 + 1);
	x->before = mem_new(uint32_t, x->n / 32 + 1);
	for (size_t i = x->from; i < x->to; i++)
		if (w->corr[i])
			x->met[(w->corr[i] - x->low) / 32] |= UINT32_C(1) << (w->corr[i] - x->low) % 32;
	for (size_t i = 0; i < x->n / 32 + 1; i++) {
		x->before[i] = ids;
		ids += (uint32_t)__builtin_popcount(x->met[i]);
	}
	x->call = mem_none(uint32_t, ids);
}

static void launches_collect_process_ids(const trace_work *w, launches_ids *x)
{
	int64_t low = INT64_MAX, high = INT64_MIN;

	for (size_t i = x->from; i < x->to; i++)
		if (w->corr[i]) {
			low = ns_min(low, w->corr[i]);
			high = ns_max(high, w->corr[i]);
		}
	if (low > high)
		return;
	if ((uint64_t)high - (uint64_t)low < SPAN_PER_WORK * (x->to - x->from) + SPAN_ALWAYS) {
		x->low = low;
		x->n = (size_t)(high - low) + 1;
		launches_set_bits(w, x);
	} else {
		for (size_t i = x->from; i < x->to; i++)
			if (w->corr[i])
				dict_key(&x->ids, w->corr[i]);
		x->n = x->ids.n;
		x->call = mem_none(uint32_t, x->n);
	}
}

launches *launches_build(const trace *t, const int64_t *process)
{
	launches *l = mem_new(launches, 1);

	l->v = mem_new(launches_ids, t->nlanes);
	for (size_t i = 0; i < t->nlanes; i++) {
		const trace_lane *lane = &t->lanes[i];
		int64_t p = process[t->work.stream[lane->first]];
		if (!l->n || l->v[l->n - 1].process != p)
			l->v[l->n++] = (launches_ids){ .process = p, .from = lane->first };
		l->v[l->n - 1].to = lane->first + lane->n;
	}
	return l;
}

void launches_collect_ids(const trace *t, const launches *l)
{
	for (size_t i = 0; i < l->n; i++)
		launches_collect_process_ids(&t->work, &l->v[i]);
}

launches_ids *launches_of(const launches *l, int64_t process)
{
	size_t i;

	search_first(i, 0, l->n, global_order(l->v[i].process, process) >= 0);
	return i < l->n && l->v[i].process == process && l->v[i].n ? &l->v[i] : NULL;
}

void launches_find_calls(const trace *t, const launches *l, const int64_t *corr)
{
	launches_ids **ids_of = mem_new(launches_ids *, t->nthreads);

	for (size_t i = 0; i < t->nthreads; i++)
		ids_of[i] = launches_of(l, t->procs[t->threads[i].proc].id);
	for (size_t i = 0; i < t->calls.n; i++) {
		const launches_ids *x = ids_of[calls_thread(&t->calls, i)];
		uint32_t *call = x ? launches_find_slot(x, corr[i]) : NULL;
		if (call && (*call == NONE || launches_precedes(&t->calls, i, *call)))
			*call = (uint32_t)i;
	}
	free(ids_of);
}

static void launches_store_calls(const trace_work *w, launches_ids *x)
{
	for (size_t i = x->from; x->n && i < x->to; i++) {
		const uint32_t *call = launches_find_slot(x, w->corr[i]);
		if (call)
			w->launch[i] = *call;
	}
	mem_free(x->met, x->before, x->call);
	dict_free(&x->ids);
}

void launches_store(trace *t, launches *l)
{
	t->work.launch = mem_none(uint32_t, t->work.n);
	for (size_t i = 0; i < l->n; i++)
		launches_store_calls(&t->work, &l->v[i]);
	mem_free(l->v, l);
}
