#include "picture/view_columns.h"
#include "base/memory.h"
#include "picture/work_category.h"
#include "trace/call_class.h"

#include <string.h>

struct view_columns_writer {    /* the columns of a trace */
	view_data *data;
	const timeline *tl;
	uint32_t *name;         /* for each string of the trace: its id in view_data.names + 1; 0: not there yet */
	const uint32_t *base;   /* for each string of the trace that names a call: the string of that name without its
				 * suffixes (call_base_names) */
	uint32_t *path;         /* for each push/pop range: its path (an index of view_data.paths) + 1; 0: none yet */
	int64_t *open;          /* for each push/pop range with a path: the earliest end of the ranges around it;
				 * INT64_MAX: no range is around it */
	FILE *to;
	bool comma;             /* a comma is needed before the next column */
};

/* ---- bytes */

void view_data_put(view_data *d, uint64_t x)
{
	for (; x > 127; x >>= 7)
		vec_push(&d->bytes, (uint8_t)(x | 128));
	vec_push(&d->bytes, (uint8_t)x);
}

void view_data_free(view_data *d)
{
	str_free(&d->names);
	group_free(&d->paths);
	mem_free(d->category.v, d->ranges.v, d->bytes.v);
}

/* Turn a signed number near zero into a small unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3. */
static uint64_t view_columns_unsigned(int64_t x)
{
	return (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0);
}

static void view_columns_put_column(view_columns_writer *c, const char *name, const uint64_t *v, size_t n)
{
	size_t same = 1;

	while (same < n && v[same] == v[0])
		same++;
	fprintf(c->to, "%s\"%s\":", c->comma ? "," : "", name);
	c->comma = true;
	if (same >= n) {
		fprintf(c->to, "{\"is\":%llu}", n ? (unsigned long long)v[0] : 0);
		return;
	}
	fprintf(c->to, "{\"at\":%zu}", c->data->bytes.n);
	for (size_t i = 0; i < n; i++)
		view_data_put(c->data, v[i]);
}

/* Write a column of n values.  `value` is an expression in i that gives the i-th value. */
#define COLUMN(c, name, n, value) do { \
	uint64_t *values = mem_new(uint64_t, (n)); \
	for (size_t i = 0; i < (n); i++) \
		values[i] = (uint64_t)(value); \
	view_columns_put_column(c, name, values, n); \
	free(values); \
} while (0)

/* Write the columns of starts and lengths.  A start is written as its distance from the start before it, the first
 * one as its distance from the start of tl->hull. */
static void view_columns_put_times(view_columns_writer *c, const ival *at, size_t n)
{
	int64_t before = c->tl->hull.a;

	fprintf(c->to, ",\"n\":%zu,\"columns\":{\"start\":{\"at\":%zu}", n, c->data->bytes.n);
	for (size_t i = 0; i < n; i++) {
		view_data_put(c->data, view_columns_unsigned(at[i].a - before));
		before = at[i].a;
	}
	fprintf(c->to, ",\"dur\":{\"at\":%zu}", c->data->bytes.n);
	for (size_t i = 0; i < n; i++)
		view_data_put(c->data, (uint64_t)(at[i].b - at[i].a));
	c->comma = true;
}

/* ---- names and paths */

/* The id of a string of the trace in view_data.names, plus one; 0: the string is STR_NONE. */
static uint64_t view_columns_number_name(view_columns_writer *c, uint32_t name)
{
	const char *s = str_at(&c->tl->t->names, name);

	if (!s)
		return 0;
	if (!c->name[name])
		c->name[name] = str_id(&c->data->names, s, strlen(s)) + 1;
	return c->name[name];
}

static uint32_t view_columns_add_path(view_columns_writer *c, uint32_t outer, uint32_t name)
{
	return (uint32_t)group_of(&c->data->paths, (int64_t[]){ outer, (int64_t)view_columns_number_name(c, name) }) +
		1;
}

/* The path of a push/pop range, plus one. */
static uint32_t view_columns_path_of_range(view_columns_writer *c, uint32_t range)
{
	const trace_ranges *r = &c->tl->t->pushpop;
	vec(uint32_t) chain = { 0 };
	uint32_t path = 0;

	for (uint32_t i = range; i != NONE && !c->path[i]; i = c->tl->around->parent[i])
		vec_push(&chain, i);
	while (chain.n) {
		uint32_t i = chain.v[--chain.n], up = c->tl->around->parent[i];
		path = view_columns_add_path(c, up == NONE ? 0 : c->path[up], r->name[i]);
		c->path[i] = path;
		c->open[i] = up == NONE ? INT64_MAX : r->end[up] < c->open[up] ? r->end[up] : c->open[up];
	}
	vec_free(&chain);
	return c->path[range];
}

/* The path of the ranges that are open at a moment, plus one; 0: none is open.  range: the innermost of them, or
 * NONE.  If ranges cross, ranges around the innermost one may have ended before the moment.  They are left out. */
static uint32_t view_columns_path_at(view_columns_writer *c, uint32_t range, int64_t moment)
{
	const trace_ranges *r = &c->tl->t->pushpop;
	vec(uint32_t) inner = { 0 };    /* open ranges inside a range that has ended; the paths of these ranges would
					 * name the ended one */
	uint32_t path = 0;

	while (range != NONE && (path = view_columns_path_of_range(c, range), moment >= c->open[range])) {
		vec_push(&inner, range);
		do
			range = c->tl->around->parent[range];
		while (range != NONE && r->end[range] <= moment);
		path = 0;
	}
	while (inner.n)
		path = view_columns_add_path(c, path, r->name[inner.v[--inner.n]]);
	vec_free(&inner);
	return path;
}

/* Add a name to a set of names.  number: the id of the name plus one; 0: there is no name.  Returns `number`. */
static uint64_t view_columns_add_to_set(uint64_t number, view_names *set)
{
	while (set->n < number)
		vec_push(set, false);
	if (number)
		set->v[number - 1] = true;
	return number;
}

/* The id of a work's full name, plus one; 0: it has none.  If the name is new, also find its category. */
static uint64_t view_columns_number_full_name(view_columns_writer *c, uint32_t work)
{
	view_data *d = c->data;
	uint64_t name = view_columns_number_name(c, work_full(&c->tl->t->work, work));

	while (d->category.n < name)
		vec_push(&d->category, 0);
	if (name && !d->category.v[name - 1]) {
		uint32_t label = work_category(c->tl->t, work, d->own, &d->names);
		d->category.v[name - 1] = label == STR_NONE ? NONE : label + 1;
	}
	return name;
}

static uint64_t view_columns_number_shown_name(view_columns_writer *c, uint32_t work)
{
	return work == NONE ? 0 : view_columns_number_name(c, work_name(&c->tl->t->work, work));
}

static uint32_t view_columns_path_of_work(view_columns_writer *c, uint32_t work)
{
	const around *a = c->tl->around;
	around_walk at = around_work(a, work);
	vec(uint32_t) inner = { 0 };
	uint32_t path = 0;

	if (!a->main && !a->captured)
		return view_columns_path_at(c, at.range, at.at);
	for (; at.range != NONE; around_next(a, &at))           /* the ranges may be those of several threads, so
								 * they have no common parents */
		vec_push(&inner, at.range);
	while (inner.n)
		path = view_columns_add_path(c, path, a->t->pushpop.name[inner.v[--inner.n]]);
	vec_free(&inner);
	return path;
}

/* ---- the columns of each kind of track.  e[i]: event i, as an index into the array of its kind; at[i]: the time of
 * event i, cut to the windows */

static void view_columns_put_work(view_columns_writer *c, const uint32_t *e, size_t n, const ival *at)
{
	const trace_work *w = &c->tl->t->work;
	const trace_calls *calls = &c->tl->t->calls;

	COLUMN(c, "kind", n, w->kind[e[i]]);
	COLUMN(c, "name", n, view_columns_number_shown_name(c, e[i]));
	COLUMN(c, "full", n, view_columns_number_full_name(c, e[i]));
	COLUMN(c, "stream", n, w->stream[e[i]]);
	COLUMN(c, "launch", n,
	       w->launch[e[i]] == NONE ? 0 : view_columns_unsigned(at[i].a - calls->start[w->launch[e[i]]]) + 1);
	COLUMN(c, "thread", n, w->launch[e[i]] == NONE ? 0 : (uint64_t)calls_thread(calls, w->launch[e[i]]) + 1);
	COLUMN(c, "path", n, view_columns_path_of_work(c, e[i]));
	COLUMN(c, "grid", n, view_columns_number_name(c, work_grid(w, e[i])));
	COLUMN(c, "block", n, view_columns_number_name(c, work_block(w, e[i])));
	COLUMN(c, "bytes", n, w->kind[e[i]] < WORK_COPY || w->bytes[e[i]] < 0 ? 0 : (uint64_t)w->bytes[e[i]] + 1);
}

static void view_columns_put_ranges(view_columns_writer *c, const timeline_track *k, const uint32_t *e)
{
	const trace *t = c->tl->t;
	const around *a = c->tl->around;
	const trace_ranges *r = k->kind == TIMELINE_RANGES ? &t->pushpop : &t->startend;
	size_t n = k->events.n;

	COLUMN(c, "name", n, view_columns_add_to_set(view_columns_number_name(c, r->name[e[i]]), &c->data->ranges));
	COLUMN(c, "domain", n, view_columns_number_name(c, t->domains[ranges_domain(r, e[i])].name));
	COLUMN(c, "path", n,
	       view_columns_path_at(c, r == &t->pushpop ? a->parent[e[i]] : around_at(a, k->thread, r->start[e[i]]),
				    r->start[e[i]]));
}

/* Write the columns of ranges on the GPU, with columns about the same range on the CPU: its thread plus one (0: the
 * range is not in the page), its level there, and the time from its start on the CPU to its start on the GPU. */
static void view_columns_put_projected(view_columns_writer *c, const uint32_t *e, size_t n, const ival *at)
{
	const timeline *tl = c->tl;
	const trace_ranges *r = &tl->t->pushpop;
	uint32_t *ranges = mem_new(uint32_t, n);
	bool *here = mem_new(bool, n);
	int64_t *cpu = mem_new(int64_t, n);

	for (size_t i = 0; i < n; i++) {
		uint32_t range = ranges[i] = tl->spans.v[e[i]].of;
		const shown_times *side = &tl->shown->procs[tl->t->threads[ranges_thread(r, range)].proc];
		here[i] = shown_has(side, r->start[range], r->end[range]);
		cpu[i] = here[i] ? window_clip(&side->parts, r->start[range], r->end[range]).a : at[i].a;
	}
	COLUMN(c, "name", n, view_columns_add_to_set(view_columns_number_name(c, r->name[ranges[i]]),
					       &c->data->ranges));
	COLUMN(c, "domain", n, view_columns_number_name(c, tl->t->domains[ranges_domain(r, ranges[i])].name));
	COLUMN(c, "path", n, view_columns_path_at(c, c->tl->around->parent[ranges[i]], r->start[ranges[i]]));
	COLUMN(c, "thread", n, here[i] ? ranges_thread(r, ranges[i]) + 1 : 0);
	COLUMN(c, "depth", n, tl->depth[ranges[i]] < TIMELINE_LEVELS ? tl->depth[ranges[i]] : TIMELINE_LEVELS - 1);
	COLUMN(c, "cpu", n, view_columns_unsigned(at[i].a - cpu[i]));
	mem_free(cpu, ranges, here);
}

static void view_columns_put_exposed(view_columns_writer *c, const uint32_t *e, size_t n)
{
	COLUMN(c, "name", n, view_columns_number_shown_name(c, c->tl->spans.v[e[i]].of));
	COLUMN(c, "path", n, view_columns_path_of_work(c, c->tl->spans.v[e[i]].of));
}

static void view_columns_put_calls(view_columns_writer *c, const uint32_t *e, size_t n)
{
	const trace_calls *calls = &c->tl->t->calls;

	COLUMN(c, "name", n, view_columns_number_name(c, calls_name(calls, e[i]) == STR_NONE ? STR_NONE :
						      c->base[calls_name(calls, e[i])]));
	COLUMN(c, "class", n, calls_class(calls, e[i]));
	COLUMN(c, "path", n,
	       view_columns_path_at(c, around_at(c->tl->around, calls_thread(calls, e[i]), calls->start[e[i]]),
				    calls->start[e[i]]));
}

static void view_columns_put_events(view_columns_writer *c, const trace_thread_events *a, const timeline_track *k,
				    const uint32_t *e)
{
	size_t n = k->events.n;

	COLUMN(c, "name", n, view_columns_number_name(c, a->name[e[i]]));
	COLUMN(c, "path", n,
	       view_columns_path_at(c, around_at(c->tl->around, k->thread, a->start[e[i]]), a->start[e[i]]));
}

/* Write how many events each merged event stands for, and the sum of their times.  Both are 0 for a single event. */
static void view_columns_put_bundles(view_columns_writer *c, const timeline_track *k)
{
	const timeline_bundle *b = c->tl->bundles.v;
	const uint32_t *e = k->events.v;

	COLUMN(c, "count", k->events.n, e[i] & TIMELINE_BUNDLE ? b[e[i] & ~TIMELINE_BUNDLE].n : 0);
	COLUMN(c, "busy", k->events.n, e[i] & TIMELINE_BUNDLE ? b[e[i] & ~TIMELINE_BUNDLE].busy : 0);
}

/* Write the columns of a track other than its times.  A merged event is described by the longest of its events. */
static void view_columns_put_track(view_columns_writer *c, const timeline_track *k, const ival *at)
{
	size_t n = k->events.n;
	uint32_t *e = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++) {
		uint32_t event = k->events.v[i];
		e[i] = event & TIMELINE_BUNDLE ? c->tl->bundles.v[event & ~TIMELINE_BUNDLE].longest : event;
	}
	if (c->tl->bundles.n)
		view_columns_put_bundles(c, k);

	if (k->kind != TIMELINE_IDLE)
		COLUMN(c, "level", n, k->levels.v[i]);
	switch (k->kind) {
	case TIMELINE_IDLE:
		COLUMN(c, "cause", n, c->tl->parts.v[e[i]].cause - OWNER_TURNAROUND);
		COLUMN(c, "gap", n, c->tl->parts.v[e[i]].gap);
		break;
	case TIMELINE_EXPOSED: view_columns_put_exposed(c, e, n); break;
	case TIMELINE_PROJECTED: view_columns_put_projected(c, e, n, at); break;
	case TIMELINE_WORK: view_columns_put_work(c, e, n, at); break;
	case TIMELINE_CALLS: view_columns_put_calls(c, e, n); break;
	case TIMELINE_MARKS: view_columns_put_events(c, &c->tl->t->marks, k, e); break;
	case TIMELINE_OS: view_columns_put_events(c, &c->tl->t->os, k, e); break;
	case TIMELINE_MPI: view_columns_put_events(c, &c->tl->t->mpi, k, e); break;
	default: view_columns_put_ranges(c, k, e);
	}
	free(e);
	fputc('}', c->to);
}

/* Write "cuts", a list of the events that windows cut.  These are too few for a column of the track. */
static void view_columns_put_cuts(view_columns_writer *c, const timeline_track *k, const ival *at)
{
	vec(struct { size_t event; ival missing; }) cuts = { 0 };

	for (size_t i = 0; i < k->events.n; i++) {
		ival whole = timeline_whole(c->tl, k, i), missing = { at[i].a - whole.a, whole.b - at[i].b };
		if (missing.a || missing.b) {
			vec_reserve(&cuts, cuts.n + 1);
			cuts.v[cuts.n].event = i;
			cuts.v[cuts.n++].missing = missing;
		}
	}
	if (cuts.n) {
		fprintf(c->to, ",\"cuts\":{\"n\":%zu,\"columns\":{", cuts.n);
		c->comma = false;
		COLUMN(c, "event", cuts.n, cuts.v[i].event);
		COLUMN(c, "before", cuts.n, cuts.v[i].missing.a);
		COLUMN(c, "after", cuts.n, cuts.v[i].missing.b);
		fputs("}}", c->to);
	}
	vec_free(&cuts);
}

void view_columns_track(view_columns_writer *c, const timeline_track *k, FILE *to)
{
	ival *at = mem_new(ival, k->events.n);

	c->to = to;
	for (size_t i = 0; i < k->events.n; i++)
		at[i] = timeline_cut(c->tl, k, i);
	view_columns_put_times(c, at, k->events.n);
	view_columns_put_track(c, k, at);
	view_columns_put_cuts(c, k, at);
	free(at);
}

void view_columns_counter(view_columns_writer *c, const timeline_counter *k, FILE *to)
{
	c->to = to;
	view_columns_put_times(c, k->at.v, k->at.n);
	COLUMN(c, "value", k->at.n, view_columns_unsigned(k->values.v[i]));
	fputc('}', to);
}

void view_columns_gaps(view_columns_writer *c, FILE *to)
{
	const timeline_gap *gap = c->tl->gaps.v;
	size_t n = c->tl->gaps.n;
	ival *at = mem_new(ival, n);

	c->to = to;
	for (size_t i = 0; i < n; i++)
		at[i] = gap[i].at;
	fputs(",\n\"gaps\":{\"kind\":\"gaps\"", to);
	view_columns_put_times(c, at, n);
	COLUMN(c, "cause", n, gap[i].cause - OWNER_TURNAROUND);
	COLUMN(c, "synced", n, gap[i].synced);
	COLUMN(c, "api", n, view_columns_number_name(c, gap[i].api));
	COLUMN(c, "nvtx", n, view_columns_number_name(c, gap[i].nvtx));
	COLUMN(c, "prev", n, view_columns_number_shown_name(c, gap[i].prev));
	COLUMN(c, "next", n, view_columns_number_shown_name(c, gap[i].next));
	fputs("}}", to);
	free(at);
}

view_columns_writer *view_columns_begin(view_data *d, const timeline *tl)
{
	view_columns_writer *c = mem_new(view_columns_writer, 1);

	*c = (view_columns_writer){ .data = d, .tl = tl };
	c->base = call_base_names(tl->t);
	c->name = mem_new(uint32_t, tl->t->names.n);
	c->path = mem_new(uint32_t, tl->t->pushpop.n);
	c->open = mem_new(int64_t, tl->t->pushpop.n);
	return c;
}

void view_columns_end(view_columns_writer *c)
{
	mem_free(c->name, c->path, c->open, c);
}
