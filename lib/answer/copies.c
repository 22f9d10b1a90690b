#include "answer/answers.h"
#include "base/pattern.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/sums.h"
#include "launch/cpu_waiters.h"
#include "launch/ranges_around.h"
#include "trace/load_work.h"
#include "trace/memory_events.h"
#include "trace/page_faults.h"

#include <math.h>
#include <string.h>

#define COLUMNS(X) \
	X(DUR_NS, "dur_ns", 'i', "ns", "time in the window") \
	X(COUNT, "count", 'i', NULL, "copies or sets in the window; with --faults, page faults") \
	X(BYTES, "bytes", 'i', "bytes", "bytes that the copies moved; a copy counts with all its bytes") \
	X(TOTAL_NS, "total_ns", 'i', "ns", "total time in the window") \
	X(P50_NS, "p50_ns", 'i', "ns", "median time") \
	X(MAX_NS, "max_ns", 'i', "ns", "longest time") \
	X(GBPS, "gbps", 'd', "GB/s", "bytes divided by time, of whole copies") \
	X(CALL_NS, "call_ns", 'i', "ns", "time that the call took") \
	X(WAIT_NS, "wait_ns", 'i', "ns", "time that the waiter took; it may have waited for other work too, so do " \
	  "not add up") \
	X(PEAK_BYTES, "peak_bytes", 'i', "bytes", "most memory that is allocated at one moment in the window") \
	X(PEAK_NS, "peak_ns", 'i', "ns", "first moment at which peak_bytes is reached") \
	X(END_BYTES, "end_bytes", 'i', "bytes", "memory that is allocated when the window ends") \
	X(ALLOCS, "allocs", 'i', NULL, "allocations in the window") \
	X(FREES, "frees", 'i', NULL, "frees in the window") \
	X(BYTES_ALLOCATED, "bytes_allocated", 'i', "bytes", "sum of these allocations") \
	X(KIND, "kind", 't', NULL, "h2d d2h d2d h2h p2p um_* memset; with --usage the kind of memory, with " \
	  "--faults cpu or gpu") \
	X(SRC, "src", 't', NULL, "memory read from: pageable pinned device array managed") \
	X(DST, "dst", 't', NULL, "memory written to") \
	X(CALL, "call", 't', NULL, "call that made the copy, without its version suffix") \
	X(WAITER, "waiter", 't', NULL, "call that waited for the copy: a synchronization or a blocking copy") \
	X(NVTX, "nvtx", 't', NULL, "innermost range around the launch, the allocation at the peak, or the fault; " \
	  "folded in sums")

enum { TABLE_IDS(COLUMNS) };
static const table_col all_columns[] = { TABLE_COLS(COLUMNS) };

static void copies_list_columns(const void *params, table *out)
{
	const copies_params *p = params;
	bool by_stream = p->keys & COPIES_BY_STREAM;

	if (p->mode == COPIES_EACH) {
		table_columns(out, all_columns, COL_CTX, COL_STREAM, COL_LAUNCH, DUR_NS, BYTES, GBPS, CALL_NS,
			      WAIT_NS, KIND, SRC, DST, CALL, WAITER, NVTX);
		return;
	}
	if (p->mode == COPIES_USAGE) {
		table_columns(out, all_columns, PEAK_BYTES, PEAK_NS, END_BYTES, ALLOCS, FREES, BYTES_ALLOCATED, KIND,
			      NVTX);
		out->given_order = true;        /* kinds have an order of their own */
		return;
	}
	if (p->mode == COPIES_FAULTS) {
		table_columns(out, all_columns, COUNT, TOTAL_NS, KIND, NVTX);
		table_sort(out, COUNT, true);
		return;
	}
	table_columns(out, all_columns, by_stream ? COL_CTX : 0, by_stream ? COL_STREAM : 0, COUNT, BYTES,
		      TOTAL_NS, P50_NS, MAX_NS, GBPS, p->keys & COPIES_BY_KIND ? KIND : 0,
		      p->keys & COPIES_BY_SRC ? SRC : 0, p->keys & COPIES_BY_DST ? DST : 0,
		      p->keys & COPIES_BY_CALL ? CALL : 0, p->keys & COPIES_BY_NVTX ? NVTX : 0);
	table_sort(out, TOTAL_NS, true);
}

static bool copies_needs_ranges(const copies_params *p)
{
	return p->mode == COPIES_EACH || p->keys & COPIES_BY_NVTX;
}

static bool copies_needs_waits(const copies_params *p)
{
	return p->mode == COPIES_EACH && !p->no_waits;
}

/* The kind of memory that a copy reads; NULL: it is a set, which reads none. */
static const char *copies_name_source(const trace_work *w, size_t i)
{
	return w->kind[i] == WORK_SET ? NULL : work_mem_kind(w->src_kind[i]);
}

/* The kind, source and destination of a copy as one text, which -m matches. */
static const char *copies_describe_ends(arena *texts, const trace_work *w, size_t i)
{
	const char *src = copies_name_source(w, i);

	return arena_printf(texts, "%s %s %s",
			    work_copy_kind(w->copy_kind[i], (enum work_kind)w->kind[i]),
			    src ? src : "-", work_mem_kind(w->dst_kind[i]));
}

/* The number that `ends` gives to a copy's combination of kind, source and destination. */
static size_t copies_number_ends(group *ends, const trace_work *w, size_t i)
{
	return group_of(ends, (int64_t[]){ w->kind[i], w->copy_kind[i], w->src_kind[i], w->dst_kind[i] });
}

static void copies_list_names(trace *t, question_names *to)
{
	group ends = { .width = 4 };
	size_t met = 0;
	bool go_on = true;

	for (size_t i = 0; go_on && i < t->work.n; i++)
		if (t->work.kind[i] >= WORK_COPY && copies_number_ends(&ends, &t->work, i) == met) {
			const char *text = copies_describe_ends(&to->texts, &t->work, i);
			met++;
			go_on = question_match(to, text, text);
		}
	group_free(&ends);
}

static question copies_make_question(const void *params)
{
	const copies_params *p = params;

	if (p->mode == COPIES_USAGE)
		return (question){ .need = TRACE_RANGES, .must = MUST_CUDA | MUST_MEMORY,
			.scope = WINDOW_TRACE,
			.warn_lost = true, .empty = "no GPU memory was allocated" };
	if (p->mode == COPIES_FAULTS)
		return (question){ .need = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES, .must = MUST_CUDA,
			.scope = WINDOW_TRACE, .warn_lost = true,
			.empty = "no page fault was recorded; nsys profile --cuda-um-gpu-page-faults=true "
				"records them" };
	return (question){
		.need = TRACE_COPIES | (copies_needs_waits(p) ? TRACE_WORK | TRACE_SYNCS : 0) |
			(p->mode == COPIES_SUMS && p->keys & COPIES_BY_CALL ? TRACE_LAUNCH : 0) |
			(copies_needs_ranges(p) ? TRACE_LAUNCH | TRACE_RANGES | TRACE_CAPTURES : 0),
		.must = MUST_CUDA, .scope = WINDOW_TRACE, .warn_lost = true,
		.match = p->match, .names = copies_list_names, .named = "copy",
		.replayed = copies_needs_ranges(p) ? REPLAYED_COPIES : 0, .captured = p->captured,
		.empty = p->match ? "no copy or set has such a kind" :
			"nothing was copied or set",
	};
}

typedef struct {
	int64_t bytes;          /* sum over the copies whose size is known */
	int64_t whole_ns;       /* whole times of these copies, ns */
	bool known;             /* the size of at least one copy is known */
	size_t last;            /* the copy or set that was added last */
} sum;

typedef struct {                /* state while the rows of a trace are made */
	answer_ctx *a;
	const copies_params *p;
	const around *around;   /* the ranges around work; NULL: they are not asked for */
	const cpu_waiters *waits; /* the calls that waited for copies; NULL: they are not asked for */
	const uint32_t *base;   /* for each string that names a call: that name without its suffix (call_base_names);
				 * NULL: these names are not asked for */
	group ends;             /* with -m: the combinations of kind, source and destination met so far */
	vec(bool) wanted;       /* for each combination in `ends`: does -m match it? */

	sums totals;            /* a sum for each key in the current window; keys: KEY_... */
} copies_ctx;

static double copies_compute_rate(int64_t bytes, int64_t ns)
{
	return ns && bytes >= 0 ? (double)bytes / (double)ns : NAN;   /* a byte per ns is a GB per s */
}

/* Set the columns kind, src and dst. */
static void copies_set_ends(copies_ctx *x, size_t i)
{
	const trace_work *w = &x->a->t->work;
	table *out = x->a->out;

	table_word(out, KIND, work_copy_kind(w->copy_kind[i], (enum work_kind)w->kind[i]));
	table_word(out, SRC, copies_name_source(w, i));
	table_word(out, DST, work_mem_kind(w->dst_kind[i]));
}

static uint32_t copies_name_call(const copies_ctx *x, uint32_t call)
{
	uint32_t name = call == NONE ? STR_NONE : calls_name(&x->a->t->calls, call);

	return name == STR_NONE ? STR_NONE : x->base[name];
}

static void copies_set_call(copies_ctx *x, size_t i)
{
	const trace_calls *c = &x->a->t->calls;
	uint32_t call = x->a->t->work.launch[i], waiter = cpu_waiter(x->waits, i);

	table_set_name(x->a->out, CALL, copies_name_call(x, call));
	table_set_name(x->a->out, WAITER, copies_name_call(x, waiter));
	if (call != NONE)
		table_int(x->a->out, CALL_NS, c->end[call] - c->start[call]);
	if (waiter != NONE)
		table_int(x->a->out, WAIT_NS, c->end[waiter] - c->start[waiter]);
}

static void copies_add_copy_row(copies_ctx *x, size_t i)
{
	const trace_work *w = &x->a->t->work;
	table *out = x->a->out;

	answer_add_row_of_work(x->a, i);
	table_int(out, DUR_NS, ival_within(&x->a->w->gpu, w->start[i], w->end[i]));
	if (w->bytes[i] >= 0)
		table_int(out, BYTES, w->bytes[i]);
	table_num(out, GBPS, copies_compute_rate(w->bytes[i], w->end[i] - w->start[i]));
	copies_set_ends(x, i);
	if (x->waits)
		copies_set_call(x, i);
	table_set_name(out, NVTX, around_name(x->around, i));
}

enum { KEY_PROC, KEY_PLACE, KEY_KIND, KEY_SRC, KEY_DST, KEY_CALL, KEY_NVTX, KEYS };

static void copies_add_sum_rows(copies_ctx *x, const stats_summary *times)
{
	const trace *t = x->a->t;
	table *out = x->a->out;

	for (size_t i = 0; i < x->totals.g.n; i++) {
		const int64_t *key = sums_key(&x->totals, i);
		const sum *s = sums_at(sum, &x->totals, i);
		const trace_stream *st = &t->streams[t->work.stream[s->last]];
		answer_add_row_of(x->a, (uint32_t)key[KEY_PROC]);
		if (x->p->keys & COPIES_BY_STREAM)
			answer_set_stream(x->a, st);
		else if (x->p->keys & COPIES_BY_GPU)
			table_int(out, COL_GPU, st->gpu);
		table_stats(out, (table_stats_ids){ .count = COUNT, .total = TOTAL_NS, .p50 = P50_NS, .max = MAX_NS },
			    &times[i]);
		table_int(out, BYTES, s->known ? s->bytes : TABLE_MISSING);
		table_num(out, GBPS, copies_compute_rate(s->known ? s->bytes : -1, s->whole_ns));
		copies_set_ends(x, s->last);
		table_set_name(out, CALL, (uint32_t)key[KEY_CALL]);
		table_set_name(out, NVTX, (uint32_t)key[KEY_NVTX]);
	}
}

/* The key for a kind of memory: the id of its name, so that kinds with one name count as one; STR_NONE for NULL. */
static int64_t copies_make_memory_key(trace *t, const char *kind)
{
	return kind ? str_id(&t->names, kind, strlen(kind)) : STR_NONE;
}

static void copies_add_bytes(sum *to, int64_t bytes, int64_t ns)
{
	if (bytes < 0)
		return;
	to->known = true;
	to->bytes = ns_add(to->bytes, bytes);
	to->whole_ns = ns_add(to->whole_ns, ns);
}

static void copies_add_work(copies_ctx *x, const trace_lane *lane, size_t i)
{
	trace *t = x->a->t;
	const trace_work *w = &t->work;
	unsigned keys = x->p->keys;
	sum *to = sums_of(&x->totals, (int64_t[]){
		[KEY_PROC] = keys & (COPIES_BY_PID | COPIES_BY_STREAM) ? lane->proc : x->a->w->proc,
		[KEY_PLACE] = keys & COPIES_BY_STREAM ? w->stream[i] : keys & COPIES_BY_GPU ? lane->gpu : 0,
		[KEY_KIND] = keys & COPIES_BY_KIND ? work_name(w, i) : 0,
		[KEY_SRC] = keys & COPIES_BY_SRC ? copies_make_memory_key(t, copies_name_source(w, i)) : 0,
		[KEY_DST] = keys & COPIES_BY_DST ? copies_make_memory_key(t, work_mem_kind(w->dst_kind[i])) : 0,
		[KEY_CALL] = keys & COPIES_BY_CALL ? copies_name_call(x, w->launch[i]) : STR_NONE,
		[KEY_NVTX] = keys & COPIES_BY_NVTX ? str_fold(&t->names, around_name(x->around, i)) : STR_NONE });

	to->last = i;
	copies_add_bytes(to, w->bytes[i], w->end[i] - w->start[i]);
	sums_add_time(&x->totals, ival_within(&x->a->w->gpu, w->start[i], w->end[i]));
}

static bool copies_is_wanted(copies_ctx *x, size_t i)
{
	const trace_work *w = &x->a->t->work;
	arena texts = { 0 };
	size_t k;

	if (!x->p->match)
		return true;
	k = copies_number_ends(&x->ends, w, i);
	if (k == x->wanted.n)
		vec_push(&x->wanted, pattern_matches(x->p->match, copies_describe_ends(&texts, w, i)));
	arena_free(&texts);
	return x->wanted.v[k];
}

static void copies_add_window_moves(copies_ctx *x)
{
	trace *t = x->a->t;
	stats_summary *times;
	window_walk k = { 0 };

	x->totals = sums_by(KEYS, sizeof(sum));
	while (window_next(t, x->a->w, &k)) {
		if (t->work.kind[k.work] < WORK_COPY || !copies_is_wanted(x, k.work))
			continue;
		if (x->p->mode == COPIES_EACH)
			copies_add_copy_row(x, k.work);
		else
			copies_add_work(x, &t->lanes[k.lane], k.work);
	}
	times = sums_times(&x->totals);
	copies_add_sum_rows(x, times);
	free(times);
	sums_free(&x->totals);
}

/* ---- how much memory is allocated at most, and by whom */

typedef struct {                /* the memory of one kind that a process has on a GPU, in a window */
	const memory_place *place;
	size_t window;          /* the index of the window */
	int64_t peak;           /* the most bytes that are allocated at one moment */
	int64_t peak_ns;        /* the first such moment; TRACE_UNKNOWN: no moment was looked at */
	int64_t end;            /* the bytes that are allocated when the window ends */
	int64_t allocs, frees;  /* numbers of allocations and frees */
	int64_t allocated;      /* the bytes of these allocations */
	uint32_t nvtx;          /* the name of the innermost range around the allocation that made the peak; or
				 * STR_NONE */
} memory_sums;

typedef struct {
	memory_events events;
	vec(memory_sums) sums;          /* window by window */
	vec(memory_call) calls;         /* the calls of the allocations that made the peaks */
	vec(size_t) call_of;            /* by index in `sums`: the index in `calls`; SIZE_MAX: no allocation in the
					 * window made the peak */
} memory_usage;

/* If the bytes that are live at the moment `at` exceed the peak so far, make them the peak, and set *maker to made_by:
 * the allocation that led to them; NULL: none in the window did. */
static void copies_raise_peak(memory_sums *s, const memory_event **maker, int64_t live, int64_t at,
			      const memory_event *made_by)
{
	if (s->peak_ns != TRACE_UNKNOWN && live <= s->peak)
		return;
	s->peak = live;
	s->peak_ns = at;
	*maker = made_by;
}

/* Add the events in one part of a window to the sums.  The memory is looked at after all events of a moment and, if no
 * event occurs at the start of the part, at that start.  The peak is the most that is seen.  *maker: the largest
 * allocation at the moment of the peak, which is the first event of that moment; NULL: there is none. */
static void copies_sum_part(memory_sums *s, const memory_event **maker, ival part)
{
	const memory_place *p = s->place;
	size_t i;

	search_first(i, 0, p->n, p->v[i].start >= part.a);
	s->end = i ? p->v[i - 1].live : p->before;
	if (i == p->n || p->v[i].start > part.a)
		copies_raise_peak(s, maker, s->end, part.a, NULL);
	for (size_t first = i; i < p->n && p->v[i].start < part.b; i++) {
		const memory_event *e = &p->v[i];
		s->allocs += !e->freed;
		s->frees += e->freed;
		s->allocated = ns_add(s->allocated, e->freed ? 0 : e->bytes);
		s->end = e->live;
		if (i + 1 < p->n && e[1].start == e->start)
			continue;
		copies_raise_peak(s, maker, e->live, e->start, p->v[first].freed ? NULL : &p->v[first]);
		first = i + 1;
	}
}

static void copies_sum_place(memory_usage *u, const memory_place *p, const window *w, size_t window_index)
{
	memory_sums s = { .place = p, .window = window_index, .peak_ns = TRACE_UNKNOWN, .nvtx = STR_NONE };
	const memory_event *maker = NULL;

	for (size_t k = 0; k < w->cpu.n; k++)
		copies_sum_part(&s, &maker, w->cpu.v[k]);
	vec_push(&u->sums, s);
	vec_push(&u->call_of, maker ? u->calls.n : SIZE_MAX);
	if (maker)
		vec_push(&u->calls, (memory_call){ .proc = p->proc, .corr = maker->corr });
}

static int copies_compare_calls(uint32_t a, uint32_t b, const void *ctx)
{
	const memory_call *calls = ctx;

	return sort_3way(calls[a].corr, calls[b].corr);
}

/* Find the calls of the allocations.  memory_events_find_calls gets a copy of u->calls that is sorted by correlation
 * id, as it requires.  False after a problem. */
static bool copies_find_calls(const trace *t, memory_usage *u)
{
	size_t n = u->calls.n;
	uint32_t *order = sort_order(n, copies_compare_calls, u->calls.v);
	memory_call *sorted = mem_new(memory_call, n);
	bool ok;

	for (size_t i = 0; i < n; i++)
		sorted[i] = u->calls.v[order ? order[i] : i];
	ok = memory_events_find_calls(t, sorted, n);
	for (size_t i = 0; i < n; i++)
		u->calls.v[order ? order[i] : i] = sorted[i];
	mem_free(sorted, order);
	return ok;
}

/* The name of the innermost range around a call on its thread; if there is none and `adopt` is set, on the main thread;
 * or STR_NONE. */
static uint32_t copies_name_range_of_call(const around *a, const memory_call *c, bool adopt)
{
	uint32_t range = c->thread == NONE ? NONE : around_at(a, c->thread, c->start), main_thread;

	if (range == NONE && adopt && c->thread != NONE) {
		main_thread = around_main_thread(a->t, c->proc);
		range = main_thread == NONE ? NONE : around_at(a, main_thread, c->start);
	}
	return range == NONE ? STR_NONE : a->t->pushpop.name[range];
}

static void copies_name_ranges(trace *t, memory_usage *u, bool adopt)
{
	const around *a = around_of(t, AROUND_RANGES);

	for (size_t i = 0; i < u->sums.n; i++)
		if (u->call_of.v[i] != SIZE_MAX)
			u->sums.v[i].nvtx = copies_name_range_of_call(a, &u->calls.v[u->call_of.v[i]], adopt);
}

/* Sum the memory in each window by process, GPU and kind.  False after a problem. */
static bool copies_find_usage(const answer_ctx *a, bool adopt, memory_usage *u)
{
	if (!memory_events_load(a->t, &u->events))
		return false;
	for (size_t i = 0; i < a->all->n; i++)
		for (size_t k = 0; k < u->events.nplaces; k++) {
			const window *w = &a->all->v[i];
			const memory_place *p = &u->events.places[k];
			if ((w->proc == NONE || w->proc == p->proc) && (w->device < 0 || w->device == p->gpu))
				copies_sum_place(u, p, w, i);
		}
	if (!copies_find_calls(a->t, u))
		return false;
	copies_name_ranges(a->t, u, adopt);
	return true;
}

static void copies_add_usage_row(answer_ctx *a, const memory_sums *s)
{
	table *out = a->out;

	answer_add_row_of(a, s->place->proc);
	table_ints(out, { COL_GPU, s->place->gpu }, { PEAK_BYTES, s->peak }, { PEAK_NS, s->peak_ns },
		   { END_BYTES, s->end }, { ALLOCS, s->allocs }, { FREES, s->frees },
		   { BYTES_ALLOCATED, s->allocated });
	table_word(out, KIND, memory_kind_name(s->place->kind));
	table_set_name(out, NVTX, s->nvtx);
}

static bool copies_add_usage(copies_ctx *x)
{
	memory_usage u = { 0 };
	bool ok = copies_find_usage(x->a, x->p->adopt, &u);

	for (size_t i = 0, next = 0; ok && answer_next_window(x->a); i++)
		for (; next < u.sums.n && u.sums.v[next].window == i; next++)
			copies_add_usage_row(x->a, &u.sums.v[next]);
	memory_events_free(&u.events);
	mem_free(u.sums.v, u.calls.v, u.call_of.v);
	return ok;
}

/* ---- page faults of unified memory */

/* The name of the innermost range around the launch of the kernel that runs on the GPU when the fault starts.  If
 * several kernels run then, the one that started last counts.  Only the last REACH_BLOCK pieces of work that have
 * started by then are looked at.  STR_NONE: there is no such kernel or range. */
static uint32_t copies_name_range_on_gpu(const copies_ctx *x, const page_fault *f)
{
	const trace *t = x->a->t;
	const trace_lane *l = NULL;
	size_t i;

	for (size_t k = 0; k < t->nlanes; k++)
		if (t->lanes[k].proc == f->proc && t->lanes[k].gpu == f->gpu)
			l = &t->lanes[k];
	if (!l)
		return STR_NONE;
	search_first(i, l->first, l->first + l->n, t->work.start[i] > f->start);
	for (size_t first = i > l->first + REACH_BLOCK ? i - REACH_BLOCK : l->first; i-- > first;)
		if (t->work.kind[i] == WORK_KERNEL && t->work.end[i] > f->start)
			return around_name(x->around, i);
	return STR_NONE;
}

/* The name of the main thread's innermost range at the fault, or STR_NONE.  A fault of the CPU names no thread. */
static uint32_t copies_name_range_on_cpu(const copies_ctx *x, const page_fault *f)
{
	uint32_t thread = around_main_thread(x->a->t, f->proc);
	uint32_t range = thread == NONE ? NONE : around_at(x->around, thread, f->start);

	return range == NONE ? STR_NONE : x->a->t->pushpop.name[range];
}

typedef struct {
	int64_t count, ns;
} fault_sum;

static void copies_add_window_faults(copies_ctx *x, const page_faults *all)
{
	const window *w = x->a->w;
	table *out = x->a->out;
	sums totals = sums_by(3, sizeof(fault_sum));    /* keys: process, GPU, name of the range */

	for (size_t i = 0; i < all->n; i++) {
		const page_fault *f = &all->v[i];
		const ival_set *side = f->gpu < 0 ? &w->cpu : &w->gpu;
		fault_sum *s;
		if ((w->proc != NONE && w->proc != f->proc) || (w->device >= 0 && w->device != f->gpu) ||
		    !window_has(w, side, f->start, f->end))
			continue;
		s = sums_of(&totals, (int64_t[]){ f->proc, f->gpu, str_fold(&x->a->t->names, f->gpu < 0 ?
			copies_name_range_on_cpu(x, f) : copies_name_range_on_gpu(x, f)) });
		s->count = ns_add(s->count, f->faults);
		s->ns = ns_add(s->ns, ival_within(side, f->start, f->end));
	}
	for (size_t i = 0; i < totals.g.n; i++) {
		const int64_t *key = sums_key(&totals, i);
		const fault_sum *s = sums_at(fault_sum, &totals, i);
		answer_add_row_of(x->a, (uint32_t)key[0]);
		table_int(out, COL_GPU, key[1] < 0 ? TABLE_MISSING : key[1]);
		table_int(out, COUNT, s->count);
		table_int(out, TOTAL_NS, key[1] < 0 ? TABLE_MISSING : s->ns);
		table_word(out, KIND, key[1] < 0 ? "cpu" : "gpu");
		table_set_name(out, NVTX, (uint32_t)key[2]);
	}
	sums_free(&totals);
}

static bool copies_add_faults(copies_ctx *x)
{
	page_faults all = { 0 };
	bool ok = page_faults_load(x->a->t, &all);

	x->around = around_of(x->a->t, around_flags(x->p->adopt, false));
	while (ok && answer_next_window(x->a))
		copies_add_window_faults(x, &all);
	vec_free(&all);
	return ok;
}

static bool copies_add_rows(answer_ctx *a, const void *params)
{
	const copies_params *p = params;
	copies_ctx x = { .a = a, .p = p, .ends.width = 4 };

	if (p->mode == COPIES_USAGE)
		return copies_add_usage(&x);
	if (p->mode == COPIES_FAULTS)
		return copies_add_faults(&x);
	if (copies_needs_ranges(p))
		x.around = around_of(a->t, around_flags(p->adopt, p->captured));
	if (copies_needs_waits(p))
		x.waits = cpu_waiters_of(a->t);
	if (copies_needs_waits(p) || p->keys & COPIES_BY_CALL)
		x.base = call_base_names(a->t);
	while (answer_next_window(a))
		copies_add_window_moves(&x);
	group_free(&x.ends);
	vec_free(&x.wanted);
	return true;
}

const answer copies_answer = {
	.all = all_columns, .columns = copies_list_columns, .question = copies_make_question, .rows = copies_add_rows
};
