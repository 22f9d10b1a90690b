#include "answer/answers.h"
#include "base/name_match.h"
#include "launch/ranges_around.h"
#include "timeline/overlap_index.h"

#define COLUMNS(X) \
	X(KIND, "kind", 't', NULL, "kernel graph copy set call range mark os mpi") \
	X(DUR_NS, "dur_ns", 'i', "ns", "time of the event in the window; with --at, its whole time") \
	X(TID, "tid", 'i', NULL, "thread of the event; for work, the launching thread") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the event on that thread; for work, around the launch") \
	X(NAME, "name", 't', NULL, "name of the event")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

enum { WORK = FIND_KERNEL | FIND_GRAPH | FIND_COPY | FIND_SET };

/* An array with an element for each enum work_kind: its bit in find_params.kinds, and its name in the column `kind`. */
static const struct {
	unsigned kind;
	const char *name;
} work_kinds[] = { { FIND_KERNEL, "kernel" }, { FIND_GRAPH, "graph" }, { FIND_COPY, "copy" }, { FIND_SET, "set" } };

static void find_list_columns(const void *params, table *out)
{
	const find_params *p = params;

	table_columns(out, all_columns, KIND, DUR_NS, COL_STREAM, TID, COL_LAUNCH, NVTX, NAME);
	table_sort(out, COL_START, false);
	if (p->mode == FIND_AT)
		table_sort(out, COL_END, true);
}

static question find_make_question(const void *params)
{
	const find_params *p = params;
	unsigned k = p->kinds;

	return (question){
		.need = TRACE_LAUNCH | TRACE_RANGES | (k & WORK ? TRACE_CAPTURES : 0u) |
			(k & (FIND_KERNEL | FIND_GRAPH) ? TRACE_KERNELS : 0u) | (k & FIND_KERNEL ? TRACE_FULL : 0u) |
			(k & (FIND_COPY | FIND_SET) ? TRACE_COPIES : 0u) |
			(k & FIND_CALL ? TRACE_CALLS : 0u) |
			(k & FIND_MARK ? TRACE_MARKS : 0u) | (k & FIND_OS ? TRACE_OS : 0u) |
			(k & FIND_MPI ? TRACE_MPI_SPAN : 0u),
		.must = MUST_ANY | (k & (WORK | FIND_CALL) ? MUST_CUDA : 0u) |
			(k & (FIND_RANGE | FIND_MARK) ? MUST_NVTX : 0u) | (k & FIND_OS ? MUST_OS : 0u),
		.scope = WINDOW_TRACE,
		.warn_lost = true,
		.replayed = (k & (FIND_KERNEL | FIND_GRAPH) ? REPLAYED_KERNELS : 0u) |
			(k & (FIND_COPY | FIND_SET) ? REPLAYED_COPIES : 0u),
		.captured = p->captured,
		.empty = p->mode == FIND_AT ? "nothing runs or is open then" : "no event has such a name",
	};
}

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const find_params *p;
	const around *around;   /* the ranges around events */
	const uint32_t *base;   /* for each string that names a call: that name without its suffix (call_base_names);
				 * NULL: calls are not asked for */
	name_match matches;     /* which names match; with FIND_AT, all do */
	const window *searched; /* the window that events must touch or, with FIND_AT, the moment */
} find_ctx;

typedef struct {                /* an event that may be a row */
	const char *kind;
	int64_t start, end;
	uint32_t name;
	uint32_t full;          /* the demangled name of a kernel; STR_NONE: the event is no kernel */
	uint32_t thread;        /* NONE: unknown */
	uint32_t nvtx;          /* the name of the range around it; or STR_NONE */
	uint32_t proc;
	const trace_stream *stream;     /* the stream of work; NULL: the event is no work */
	int64_t launch;         /* start of the launching call, ns; TABLE_MISSING: unknown, or no work */
} event;

/* Does the event pass --inside, if that is given?  It must lie in the user's window, even if x->searched is just a
 * moment. */
static bool find_is_inside(const find_ctx *x, const ival_set *side, const event *e)
{
	return !x->a->w->inside || ival_holds(side, e->start, e->end);
}

/* Add an event as a row, if its name matches and it passes --inside. */
static void find_add_row(find_ctx *x, const event *e)
{
	const ival_set *side = e->stream ? &x->a->w->gpu : &x->a->w->cpu;
	bool whole = x->p->mode == FIND_AT;
	ival part = whole ? (ival){ e->start, e->end } : window_clip(side, e->start, e->end);
	table *out = x->a->out;

	if (!(name_match_of(&x->matches, e->name) || name_match_of(&x->matches, e->full)) ||
	    !find_is_inside(x, side, e))
		return;
	answer_add_row_at(x->a, e->proc, part.a, part.b);
	table_word(out, KIND, e->kind);
	table_int(out, DUR_NS, whole ? e->end - e->start : ival_within(side, e->start, e->end));
	if (e->stream)
		answer_set_stream(x->a, e->stream);
	if (e->thread != NONE)
		table_int(out, TID, x->a->t->threads[e->thread].tid);
	table_int(out, COL_LAUNCH, e->launch);
	table_set_name(out, NVTX, e->nvtx);
	table_set_name(out, NAME, e->name);
}

/* The name of a push/pop range; STR_NONE for NONE. */
static uint32_t find_range_name(const find_ctx *x, uint32_t range)
{
	return range == NONE ? STR_NONE : x->a->t->pushpop.name[range];
}

static bool find_is_of_process(const find_ctx *x, uint32_t thread)
{
	return x->searched->proc == NONE || x->a->t->threads[thread].proc == x->searched->proc;
}

/* Add an event of a thread as a row, if it is in x->searched and find_add_row accepts it.  range: the range around it,
 * or NONE. */
static void find_add_on_thread(find_ctx *x, const char *kind, uint32_t thread, ival span, uint32_t name, uint32_t range)
{
	if (find_is_of_process(x, thread) && window_has(x->searched, &x->searched->cpu, span.a, span.b))
		find_add_row(x, &(event){ .kind = kind, .start = span.a, .end = span.b, .name = name, .full = STR_NONE,
			     .thread = thread, .proc = x->a->t->threads[thread].proc, .nvtx = find_range_name(x, range),
			     .launch = TABLE_MISSING });
}

static void find_work(find_ctx *x)
{
	trace *t = x->a->t;
	const trace_work *w = &t->work;
	window_walk k = { 0 };

	while (window_next(t, x->searched, &k)) {
		const trace_stream *st = &t->streams[w->stream[k.work]];
		uint32_t call = w->launch[k.work];
		if (x->p->kinds & work_kinds[w->kind[k.work]].kind)
			find_add_row(x, &(event){ .kind = work_kinds[w->kind[k.work]].name, .start = w->start[k.work],
				     .end = w->end[k.work], .name = work_name(w, k.work),
				     .full = w->kind[k.work] == WORK_KERNEL ? work_full(w, k.work) : STR_NONE,
				     .thread = call == NONE ? NONE : calls_thread(&t->calls, call),
				     .nvtx = around_name(x->around, k.work), .proc = st->proc, .stream = st,
				     .launch = call == NONE ? TABLE_MISSING : t->calls.start[call] });
	}
}

static void find_calls(find_ctx *x)
{
	const trace_calls *c = &x->a->t->calls;

	/* time is tested first, because finding the range around a call takes longer */
	for (size_t i = 0, end = 0; i < end || window_next_calls(x->a->t, &x->searched->cpu, &i, &end); i++)
		if (window_has(x->searched, &x->searched->cpu, c->start[i], c->end[i]))
			find_add_on_thread(x, "call", calls_thread(c, i), (ival){ c->start[i], c->end[i] },
					   calls_name(c, i) == STR_NONE ? STR_NONE : x->base[calls_name(c, i)],
					   around_at(x->around, calls_thread(c, i), c->start[i]));
}

/* Is the range an MPI call?  Older versions of nsys write MPI calls as ranges. */
static bool find_is_mpi(const find_ctx *x, uint32_t range)
{
	const trace *t = x->a->t;

	return !t->has_mpi && t->domains[ranges_domain(&t->pushpop, range)].mpi;
}

static void find_range(void *ctx, size_t range)
{
	find_ctx *x = ctx;
	const trace_ranges *r = &x->a->t->pushpop;

	if (!(x->p->kinds & FIND_MPI) || !find_is_mpi(x, (uint32_t)range))
		find_add_on_thread(x, "range", ranges_thread(r, range), (ival){ r->start[range], r->end[range] },
				   r->name[range], x->around->parent[range]);
}

static void find_startend(find_ctx *x)
{
	const trace_ranges *r = &x->a->t->startend;
	overlap_hits hits = { 0 };

	overlap_index_find(overlap_index_of_startend(x->a->t), window_hull(&x->searched->cpu), &hits);
	for (size_t k = 0; k < hits.n; k++) {
		uint32_t i = hits.v[k];
		find_add_on_thread(x, "range", ranges_thread(r, i), (ival){ r->start[i], r->end[i] }, r->name[i],
				   around_at(x->around, ranges_thread(r, i), r->start[i]));
	}
	vec_free(&hits);
}

static void find_thread_events(find_ctx *x, const char *kind, const trace_thread_events *events)
{
	uint32_t end, i = trace_find_threads(x->a->t, x->searched->proc, &end);

	for (; events->n && i < end; i++)
		for (window_thread_events k = window_thread_events_of(x->searched, events, i);
		     window_next_thread_event(x->searched, events, &k);) {
			uint32_t range = around_at(x->around, i, events->start[k.event]);
			while (events == &x->a->t->mpi && range != NONE && find_is_mpi(x, range))
				range = x->around->parent[range];       /* the MPI call was read from this range */
			find_add_on_thread(x, kind, i,
					   (ival){ events->start[k.event], thread_events_end(events, k.event) },
					   events->name[k.event], range);
		}
}

static void find_all_in(find_ctx *x, const window *w)
{
	unsigned kinds = x->p->kinds;

	x->searched = w;
	if (kinds & WORK && w->gpu.n)
		find_work(x);
	if (!w->cpu.n)
		return;
	if (kinds & FIND_CALL)
		find_calls(x);
	if (kinds & FIND_RANGE) {
		around_each(x->around, w->proc, window_hull(&w->cpu), find_range, x);
		find_startend(x);
	}
	if (kinds & FIND_MARK)
		find_thread_events(x, "mark", &x->a->t->marks);
	if (kinds & FIND_OS)
		find_thread_events(x, "os", &x->a->t->os);
	if (kinds & FIND_MPI)
		find_thread_events(x, "mpi", &x->a->t->mpi);
}

/* The moment as a side of a window: an interval of one nanosecond.  With FIND_AT_TIME, it is empty if the time is not
 * in this side of the user's window. */
static ival_set find_narrow_to_moment(const find_ctx *x, const ival_set *side)
{
	const find_params *p = x->p;
	ival hull = window_hull(side);
	int64_t at = p->at == FIND_AT_START ? hull.a : p->at == FIND_AT_END ? hull.b : p->time_ns;
	ival_set out = { 0 };

	if (p->at != FIND_AT_TIME || ival_touches(side, at, at))
		ival_add(&out, at, at < INT64_MAX ? at + 1 : at);
	return out;
}

/* Find the events at a moment, which counts as a window of one nanosecond.  False after a problem. */
static bool find_at(find_ctx *x)
{
	const window *w = x->a->w;
	bool ok = true;
	window moment = { .gpu = find_narrow_to_moment(x, &w->gpu),
			  .cpu = find_narrow_to_moment(x, &w->cpu),
			  .proc = w->proc,
			  .device = w->device };

	if (!moment.gpu.n && !moment.cpu.n && x->a->all->chosen)
		notes_answer(x->a->say, "%lld ns is not in the window %lld..%lld ns of '%s'",
			     (long long)x->p->time_ns, (long long)window_hull(&w->gpu).a,
			     (long long)window_hull(&w->gpu).b, x->a->t->path);
	else if (!moment.gpu.n && !moment.cpu.n)
		ok = notes_problem(x->a->say, EXIT_WRONG, "the time %lld ns lies outside '%s', which spans "
				   "%lld..%lld ns", (long long)x->p->time_ns, x->a->t->path, (long long)x->a->t->span.a,
				   (long long)x->a->t->span.b);
	find_all_in(x, &moment);
	ival_free(&moment.gpu);
	ival_free(&moment.cpu);
	return ok;
}

static bool find_add_rows(answer_ctx *a, const void *params)
{
	const find_params *p = params;
	find_ctx x = { .a = a, .p = p, .matches = { .re = p->mode == FIND_AT ? NULL : p->match,
		.names = &a->t->names } };
	bool ok = true;

	x.base = p->kinds & FIND_CALL ? call_base_names(a->t) : NULL;
	x.around = around_of(a->t, around_flags(false, p->captured));
	while (answer_next_window(a))
		if (p->mode == FIND_AT)
			ok &= find_at(&x);
		else
			find_all_in(&x, a->w);
	name_match_free(&x.matches);
	return ok;
}

const answer find_answer = {
	.all = all_columns, .columns = find_list_columns, .question = find_make_question, .rows = find_add_rows
};
