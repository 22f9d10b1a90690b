#include "picture/timeline_parts.h"
#include "base/search.h"
#include "base/sort.h"

static ival timeline_hull_of(const windows *all)
{
	ival hull = IVAL_NOWHERE;

	for (size_t i = 0; i < all->n; i++) {
		const ival_set *sides[] = { &all->v[i].gpu, &all->v[i].cpu };
		for (int s = 0; s < 2; s++)
			hull = sides[s]->n ? ival_hull(hull, window_hull(sides[s])) : hull;
	}
	return hull;
}

/* ---- events */

enum { CALL = 1 };              /* the lowest bit of a nested event: set for a call, clear for a range */

bool timeline_is_call(uint32_t event, size_t *index)
{
	*index = event >> 1;
	return event & CALL;
}

static ival timeline_span_of_event(const timeline *tl, const timeline_track *k, uint32_t e)
{
	const trace *t = tl->t;
	size_t i;

	if (k->kind != TIMELINE_NESTED && e & TIMELINE_BUNDLE)
		return tl->bundles.v[e & ~TIMELINE_BUNDLE].at;
	switch (k->kind) {
	case TIMELINE_IDLE: return (ival){ tl->parts.v[e].a, tl->parts.v[e].b };
	case TIMELINE_EXPOSED: case TIMELINE_PROJECTED: return tl->spans.v[e].at;
	case TIMELINE_WORK: return (ival){ t->work.start[e], t->work.end[e] };
	case TIMELINE_RANGES: return (ival){ t->pushpop.start[e], t->pushpop.end[e] };
	case TIMELINE_STARTEND: return (ival){ t->startend.start[e], t->startend.end[e] };
	case TIMELINE_CALLS: return (ival){ t->calls.start[e], t->calls.end[e] };
	case TIMELINE_MARKS: return (ival){ t->marks.start[e], thread_events_end(&t->marks, e) };
	case TIMELINE_MPI: return (ival){ t->mpi.start[e], thread_events_end(&t->mpi, e) };
	case TIMELINE_NESTED:
		return timeline_is_call(e, &i) ? (ival){ t->calls.start[i], t->calls.end[i] } :
			(ival){ t->pushpop.start[i], t->pushpop.end[i] };
	default: break;         /* TIMELINE_OS */
	}
	return (ival){ t->os.start[e], thread_events_end(&t->os, e) };
}

/* The times in which a track's events are shown. */
static const shown_times *timeline_times_of(const timeline *tl, const timeline_track *k)
{
	return k->kind <= TIMELINE_WORK ? &tl->shown->lanes[k->lane] : &tl->shown->procs[k->proc];
}

ival timeline_whole(const timeline *tl, const timeline_track *k, size_t i)
{
	return timeline_span_of_event(tl, k, k->events.v[i]);
}

ival timeline_cut(const timeline *tl, const timeline_track *k, size_t i)
{
	ival x = timeline_span_of_event(tl, k, k->events.v[i]);

	return window_clip(&timeline_times_of(tl, k)->parts, x.a, x.b);
}

static void timeline_put_on_level(timeline_track *k, uint32_t level)
{
	k->crowded += level >= TIMELINE_LEVELS;
	vec_push(&k->levels, level < TIMELINE_LEVELS ? level : TIMELINE_LEVELS - 1);
}

uint32_t timeline_place_event(timeline_levels *l, timeline_track *k, ival at, uint32_t least)
{
	uint32_t level = least;

	while (level < TIMELINE_LEVELS && l->until[level] > at.a)
		level++;
	timeline_put_on_level(k, level);
	level = k->levels.v[k->levels.n - 1];
	l->until[level] = at.b > l->until[level] ? at.b : l->until[level];
	return level;
}

/* Put each event on the free level with the smallest number.  Level 0 is drawn on top, so an event inside another
 * one comes below it. */
static void timeline_set_levels(const timeline *tl, timeline_track *k)
{
	timeline_levels levels = { 0 };

	for (size_t i = 0; i < k->events.n; i++)
		timeline_place_event(&levels, k, timeline_cut(tl, k, i), 0);
}

timeline_track *timeline_begin_track(timeline *tl, enum timeline_kind kind, uint32_t lane, uint32_t thread)
{
	vec_push(&tl->tracks, (timeline_track){ .kind = kind, .lane = lane, .stream = NONE, .thread = thread,
		 .proc = lane == NONE ? tl->t->threads[thread].proc : tl->t->lanes[lane].proc });
	return &tl->tracks.v[tl->tracks.n - 1];
}

void timeline_end_track(timeline *tl)
{
	timeline_track *k = &tl->tracks.v[tl->tracks.n - 1];

	if (!k->events.n) {
		tl->tracks.n--;
		return;
	}
	if (!k->levels.n)
		timeline_set_levels(tl, k);
	tl->events += k->events.n;
}

/* ---- idle time */

typedef struct {
	timeline *tl;
	const ival_set *side;   /* the times in which the lane is shown */
} idle_track_ctx;

/* Add a piece of a gap as parts, cut to the lane's times, which become events of the last track.  The gap itself is
 * added after all its parts, and will have the index tl->gaps.n. */
static void timeline_add_parts(void *ctx, const owner_piece *piece)
{
	const idle_track_ctx *cut = ctx;
	timeline *tl = cut->tl;

	for (size_t i = ival_after(cut->side, piece->at.a); i < cut->side->n && cut->side->v[i].a < piece->at.b; i++) {
		ival x = ival_cut(piece->at, cut->side->v[i]);
		timeline_part *last = tl->parts.n ? &tl->parts.v[tl->parts.n - 1] : NULL;
		if (last && last->gap == tl->gaps.n && last->b == x.a && last->cause == piece->owner) {
			last->b = x.b;          /* the cause stays the same at x.a, where only the call or the range
						 * changes, so one part holds both pieces */
			continue;
		}
		vec_push(&tl->tracks.v[tl->tracks.n - 1].events, (uint32_t)tl->parts.n);
		vec_push(&tl->parts, (timeline_part){ x.a, x.b, piece->owner, (uint32_t)tl->gaps.n });
	}
}

static void timeline_add_gap(const idle_track_ctx *cut, idle_gap *gap)
{
	timeline *tl = cut->tl;
	idle_judged judged = idle_owners_judge(tl->owners, gap, cut->side);
	owner_piece all = { .at = { gap->in.a, gap->in.b }, .work = gap->in.next };
	timeline_gap g = { .at = window_clip(cut->side, gap->in.a, gap->in.b), .next = gap->in.next };

	idle_owners_cut(tl->owners, gap, &all, timeline_add_parts, (void *)cut);
	g.cause = judged.owner;
	g.synced = judged.synced;
	g.api = judged.api;
	g.nvtx = idle_range(tl->idle, gap);
	g.prev = lane_gaps_work_before(idle_gaps(tl->idle), &gap->in);
	vec_push(&tl->gaps, g);
}

static void timeline_add_idle_track(timeline *tl, uint32_t lane)
{
	idle_track_ctx cut = { tl, &tl->shown->lanes[lane].parts };
	ival hull = window_hull(cut.side);
	idle_gap gap = { 0 };
	const lane_gaps *gaps = idle_gaps(tl->idle);
	bool more = lane_gaps_from(gaps, lane, hull.a, &gap.in);

	timeline_begin_track(tl, TIMELINE_IDLE, lane, NONE);
	for (; more && gap.in.a < hull.b; more = lane_gaps_next(gaps, &gap.in))
		if (ival_within(cut.side, gap.in.a, gap.in.b))
			timeline_add_gap(&cut, &gap);
	timeline_end_track(tl);
}

/* ---- work */

/* Add a track for each stream with work that is not small, and a last one for all small streams. */
static void timeline_add_work_tracks(timeline *tl, uint32_t lane)
{
	const trace *t = tl->t;
	const shown_times *side = &tl->shown->lanes[lane];
	small_streams streams = small_streams_find(t, lane, side);
	timeline_events *events = mem_new(timeline_events, streams.n + 1);

	for (size_t i = 0, end = 0; i < end || window_next_in_lane(t, &t->lanes[lane], &side->parts, &i, &end); i++)
		if (shown_has(side, t->work.start[i], t->work.end[i])) {
			size_t s = t->work.stream[i] - streams.first;
			vec_push(&events[streams.small[s] ? streams.n : s], (uint32_t)i);
		}
	for (size_t s = 0; s <= streams.n; s++)
		if (events[s].n) {
			bool shared = s == streams.n;
			timeline_track *k = timeline_begin_track(tl, TIMELINE_WORK, lane, NONE);
			k->events = events[s];
			k->stream = shared ? NONE : (uint32_t)(streams.first + s);
			k->streams = shared ? streams.shared : 1;
			timeline_end_track(tl);
			for (size_t i = 0; i < k->events.n; i++) {
				tl->track[k->events.v[i]] = (uint32_t)tl->tracks.n - 1;
				tl->level[k->events.v[i]] = k->levels.v[i];
			}
		}
	free(events);
	small_streams_free(&streams);
}

/* ---- threads */

typedef struct {
	timeline *tl;
	unsigned kinds;         /* the kinds of tracks to add, as bits */
	uint32_t *calls;        /* the calls, in order of thread */
	size_t *first;          /* for each thread: where its calls begin in `calls`; then the number of calls */
} thread_tracks_ctx;

/* Set tl->depth: the number of a range's parents, up to the outermost.  All ranges that are open when a range starts
 * are among its parents, so ranges of one depth do not overlap.  If ranges cross, ranges that have ended are among
 * them, too.  nsq-nvtx counts open ranges only (around_depths). */
static void timeline_set_depths(timeline *tl)
{
	tl->depth = mem_new(uint32_t, tl->t->pushpop.n);
	for (size_t i = 0; i < tl->t->pushpop.n; i++)
		tl->depth[i] = tl->around->parent[i] == NONE ? 0 : tl->depth[tl->around->parent[i]] + 1;
}

static void timeline_add_event(timeline *tl, timeline_track *k, uint32_t e)
{
	ival x = timeline_span_of_event(tl, k, e);

	if (shown_has(&tl->shown->procs[k->proc], x.a, x.b))
		vec_push(&k->events, e);
}

/* Add a track with the events of thread th.  first: where each thread's events begin; NULL: the trace has no such
 * events.  order: the indices of all events, in order of thread; NULL: the events themselves are in this order. */
static void timeline_add_event_track(timeline *tl, enum timeline_kind kind, uint32_t th, const size_t *first,
				     const uint32_t *order)
{
	timeline_track *k = timeline_begin_track(tl, kind, NONE, th);

	for (size_t i = first ? first[th] : 0; first && i < first[th + 1]; i++)
		timeline_add_event(tl, k, order ? order[i] : (uint32_t)i);
	for (size_t i = 0; kind == TIMELINE_RANGES && i < k->events.n; i++)
		timeline_put_on_level(k, tl->depth[k->events.v[i]]);
	timeline_end_track(tl);
}

static void timeline_add_startend_track(timeline *tl, uint32_t thread)
{
	const trace_ranges *r = &tl->t->startend;
	timeline_track *k = timeline_begin_track(tl, TIMELINE_STARTEND, NONE, thread);
	size_t i;

	search_first(i, 0, r->n, ranges_thread(r, i) >= thread);
	for (; i < r->n && ranges_thread(r, i) == thread; i++)
		timeline_add_event(tl, k, (uint32_t)i);
	timeline_end_track(tl);
}

/* Does a range come before a call?  The one that starts earlier comes first; if both start at once, the one that
 * ends later; if both also end at once, the range. */
static bool timeline_is_range_first(const trace *t, size_t range, size_t call)
{
	int64_t r = t->pushpop.start[range], c = t->calls.start[call];

	return r != c ? r < c : t->pushpop.end[range] >= t->calls.end[call];
}

/* Set the levels of the events of TIMELINE_NESTED: 1 for an event that begins inside an event of level 0 and ends
 * after it; 0 for all other events.  Also set tl->arrow_calls for the calls. */
static void timeline_set_nested_levels(timeline *tl, timeline_track *k)
{
	vec(int64_t) open = { 0 };      /* the ends of the events of level 0 that are around the next event */

	for (size_t i = 0; i < k->events.n; i++) {
		ival x = timeline_cut(tl, k, i);
		bool crosses;
		size_t call;
		while (open.n && open.v[open.n - 1] <= x.a)
			open.n--;
		crosses = open.n && open.v[open.n - 1] < x.b;
		if (!crosses)
			vec_push(&open, x.b);
		if (timeline_is_call(k->events.v[i], &call))
			tl->arrow_calls[call] = !crosses;
		vec_push(&k->levels, crosses);
	}
	vec_free(&open);
}

static void timeline_add_nested_track(const thread_tracks_ctx *e, uint32_t thread)
{
	timeline *tl = e->tl;
	timeline_track *k = timeline_begin_track(tl, TIMELINE_NESTED, NONE, thread);
	size_t range = tl->around->first[thread], range_end = tl->around->first[thread + 1];
	size_t call = e->first[thread], call_end = e->first[thread + 1];

	while (range < range_end || call < call_end)
		if (call == call_end || (range < range_end && timeline_is_range_first(tl->t, range, e->calls[call])))
			timeline_add_event(tl, k, (uint32_t)range++ << 1);
		else
			timeline_add_event(tl, k, e->calls[call++] << 1 | CALL);
	timeline_set_nested_levels(tl, k);
	timeline_end_track(tl);
}

static void timeline_add_thread_tracks(const thread_tracks_ctx *e, uint32_t thread)
{
	timeline *tl = e->tl;

	if (e->kinds & 1 << TIMELINE_RANGES)
		timeline_add_event_track(tl, TIMELINE_RANGES, thread, tl->around->first, NULL);
	if (e->kinds & 1 << TIMELINE_NESTED)
		timeline_add_nested_track(e, thread);
	timeline_add_startend_track(tl, thread);
	timeline_add_event_track(tl, TIMELINE_MARKS, thread, tl->t->marks.first, NULL);
	if (e->kinds & 1 << TIMELINE_CALLS)
		timeline_add_event_track(tl, TIMELINE_CALLS, thread, e->first, e->calls);
	timeline_add_event_track(tl, TIMELINE_MPI, thread, tl->t->mpi.first, NULL);
	timeline_add_event_track(tl, TIMELINE_OS, thread, tl->t->os.first, NULL);
}

static void timeline_add_tracks(timeline *tl, unsigned kinds)
{
	const trace *t = tl->t;
	thread_tracks_ctx e = { .tl = tl, .kinds = kinds, .first = mem_new(size_t, t->nthreads + 1) };

	timeline_set_depths(tl);
	e.calls = trace_group_calls(t, e.first);
	for (uint32_t p = 0; p < t->nprocs; p++) {
		size_t lanes;
		uint32_t threads;
		for (uint32_t l = (uint32_t)trace_find_lanes(t, p, &lanes); l < lanes; l++)
			if (tl->shown->lanes[l].parts.n) {
				if (kinds & 1 << TIMELINE_PROJECTED)
					timeline_add_projected_track(tl, l);
				timeline_add_work_tracks(tl, l);
				if (kinds & 1 << TIMELINE_EXPOSED)
					timeline_add_exposed_track(tl, l);
				if (kinds & 1 << TIMELINE_IDLE)
					timeline_add_idle_track(tl, l);
			}
		for (uint32_t th = trace_find_threads(t, p, &threads); th < threads; th++)
			if (tl->shown->procs[p].parts.n)
				timeline_add_thread_tracks(&e, th);
	}
	tl->events += tl->gaps.n;
	mem_free(e.calls, e.first);
}

/* Cut the shown times of lanes as nsq-gaps does, to the time from the first to the last CUDA or NVTX event of the
 * trace. */
static void timeline_cut_lanes(const timeline *tl)
{
	ival_set span = { 0 };

	ival_add(&span, tl->t->cuda_nvtx_span.a, tl->t->cuda_nvtx_span.b);
	for (size_t l = 0; l < tl->shown->nlanes; l++) {
		ival_set parts = ival_and(&tl->shown->lanes[l].parts, &span);
		ival_free(&tl->shown->lanes[l].parts);
		tl->shown->lanes[l].parts = parts;
	}
	ival_free(&span);
}

timeline *timeline_build(trace *t, const windows *all, unsigned what, unsigned kinds)
{
	timeline *tl = mem_new(timeline, 1);

	*tl = (timeline){ .t = t, .all = all, .shown = shown_build(t, all), .hull = timeline_hull_of(all),
		.around = around_of(t, what) };
	tl->track = mem_none(uint32_t, t->work.n);
	tl->level = mem_new(uint32_t, t->work.n);
	tl->arrow_calls = mem_new(bool, t->calls.n);
	if (kinds & 1 << TIMELINE_IDLE) {
		timeline_cut_lanes(tl);
		tl->idle = idle_of(t, IDLE_PARTS | (tl->around->captured ? IDLE_CAPTURED : 0));
		tl->of = (owners_params){ .adopt = (what & AROUND_ADOPT) == AROUND_ADOPT, .owners_alone = true };
		tl->owners = idle_owners_build(t, &tl->of);
	}
	timeline_add_tracks(tl, kinds);
	if (timeline_add_counters(tl)) {
		tl->kept = tl->events;
		return tl;
	}
	timeline_free(tl);
	return NULL;
}

/* Count event i of a track, if it is in the window. */
static void timeline_count_event(const timeline *tl, const timeline_track *k, size_t i, const window *w,
				  size_t n[TIMELINE_KINDS])
{
	ival x = timeline_whole(tl, k, i);
	size_t unused;
	enum timeline_kind kind = k->kind != TIMELINE_NESTED ? k->kind :
		timeline_is_call(k->events.v[i], &unused) ? TIMELINE_CALLS : TIMELINE_RANGES;

	n[kind] += window_has(w, k->kind == TIMELINE_WORK ? &w->gpu : &w->cpu, x.a, x.b);
}

static bool timeline_counts_track(const timeline *tl, const timeline_track *k, const window *w)
{
	return k->kind == TIMELINE_WORK ? window_has_lane(w, &tl->t->lanes[k->lane]) :
		k->kind > TIMELINE_WORK && (w->proc == NONE || w->proc == k->proc);
}

static timeline_time_index timeline_index_events(const timeline *tl, bool work)
{
	vec(uint32_t) track = { 0 }, event = { 0 };
	vec(ival) at = { 0 };
	overlap_index found;

	for (size_t k = 0; k < tl->tracks.n; k++) {
		const timeline_track *from = &tl->tracks.v[k];
		if (work ? from->kind != TIMELINE_WORK : from->kind <= TIMELINE_WORK)
			continue;
		for (size_t i = 0; i < from->events.n; i++) {
			vec_push(&at, timeline_whole(tl, from, i));
			vec_push(&track, (uint32_t)k);
			vec_push(&event, (uint32_t)i);
		}
	}
	found = overlap_index_build(at.v, at.n);
	vec_free(&at);
	return (timeline_time_index){ found, track.v, event.v };
}

static void timeline_count_indexed(const timeline *tl, const timeline_time_index *index, const window *w, ival hull,
			      size_t n[TIMELINE_KINDS])
{
	overlap_hits hits = { 0 };

	overlap_index_find(&index->at, hull, &hits);
	for (size_t i = 0; i < hits.n; i++) {
		const timeline_track *k = &tl->tracks.v[index->track[hits.v[i]]];
		if (timeline_counts_track(tl, k, w))
			timeline_count_event(tl, k, index->event[hits.v[i]], w, n);
	}
	vec_free(&hits);
}

void timeline_count(timeline *tl, const window *w, size_t n[TIMELINE_KINDS])
{
	enum { MANY_WINDOWS = 16 };

	bool many = tl->all->n >= MANY_WINDOWS;

	for (int i = 0; i < 2 && many; i++) {
		if (!tl->timed)
			tl->times[i] = timeline_index_events(tl, i == 0);
		timeline_count_indexed(tl, &tl->times[i], w, window_hull(i == 0 ? &w->gpu : &w->cpu), n);
	}
	tl->timed = many;
	for (size_t k = 0; !many && k < tl->tracks.n; k++)
		for (size_t i = 0; timeline_counts_track(tl, &tl->tracks.v[k], w) && i < tl->tracks.v[k].events.n; i++)
			timeline_count_event(tl, &tl->tracks.v[k], i, w, n);
}

bool timeline_arrow(const timeline *tl, size_t work, ival *arrow)
{
	const trace *t = tl->t;
	uint32_t call = t->work.launch[work], track = tl->track[work];
	ival from, to;

	if (track == NONE || tl->level[work] >= TIMELINE_ROWS || call == NONE || !tl->arrow_calls[call])
		return false;
	from = window_clip(&tl->shown->procs[t->threads[calls_thread(&t->calls, call)].proc].parts,
			   t->calls.start[call], t->calls.end[call]);
	to = window_clip(&tl->shown->lanes[tl->tracks.v[track].lane].parts, t->work.start[work], t->work.end[work]);
	*arrow = (ival){ from.a, to.a > from.a ? to.a : from.a };
	return arrow->b == to.a || arrow->b < to.b;
}

void timeline_free(timeline *tl)
{
	if (!tl)
		return;
	for (size_t k = 0; k < tl->tracks.n; k++) {
		mem_free(tl->tracks.v[k].events.v, tl->tracks.v[k].levels.v);
	}
	for (size_t c = 0; c < tl->counters.n; c++) {
		mem_free(tl->counters.v[c].at.v, tl->counters.v[c].values.v, tl->counters.v[c].since.v);
	}
	for (int i = 0; i < 2; i++) {
		overlap_index_free(&tl->times[i].at);
		mem_free(tl->times[i].track, tl->times[i].event);
	}
	shown_free(tl->shown);
	if (tl->owners)
		idle_owners_free(tl->owners);
	mem_free(tl->tracks.v, tl->counters.v, tl->parts.v, tl->gaps.v, tl->spans.v, tl->bundles.v);
	memory_events_free(&tl->memory);
	mem_free(tl->numbers.v, tl->track, tl->level, tl->depth, tl->arrow_calls, tl);
}
