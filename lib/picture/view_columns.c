#include "picture/view_columns.h"
#include "base/memory.h"
#include "trace/call_class.h"

#include <string.h>

struct view_columns_of {        /* the columns of a trace */
	view_data *data;
	const timeline *tl;
	uint32_t *name;         /* by string: its number in the page plus one, or 0: not met yet */
	const uint32_t *base;   /* by string: the name of a call without its suffix */
	uint32_t *path;         /* by range: its path plus one, or 0: not met yet */
	int64_t *open;          /* by range: when the first of the ranges that it is in ends */
	const timeline_track *k;
	const timeline_counter *counter;
	vec(size_t) cuts;       /* events of the track that windows cut */
	FILE *to;
	bool comma;
};

typedef uint64_t value(view_columns_of *c, size_t i);

/* ---- bytes */

/* Small numbers of either sign as small numbers. */
static uint64_t zigzag(int64_t x)
{
	return (uint64_t)x << 1 ^ (x < 0 ? UINT64_MAX : 0);
}

static void column(view_columns_of *c, const char *name, size_t n, value *f)
{
	uint64_t first = n ? f(c, 0) : 0;
	size_t same = 1;

	while (same < n && f(c, same) == first)
		same++;
	fprintf(c->to, "%s\"%s\":", c->comma ? "," : "", name);
	c->comma = true;
	if (same >= n) {
		fprintf(c->to, "{\"is\":%llu}", (unsigned long long)first);
		return;
	}
	fprintf(c->to, "{\"at\":%zu}", c->data->bytes.n);
	for (size_t i = 0; i < n; i++)
		view_data_put(c->data, f(c, i));
}

/* Starts count from the one before, so they are written in order; lengths are times too. */
static void times(view_columns_of *c, size_t n, ival (*at)(const view_columns_of *c, size_t i))
{
	int64_t before = c->tl->hull.a;

	fprintf(c->to, ",\"n\":%zu,\"columns\":{\"start\":{\"at\":%zu}", n, c->data->bytes.n);
	for (size_t i = 0; i < n; i++) {
		int64_t a = at(c, i).a;
		view_data_put(c->data, zigzag(a - before));
		before = a;
	}
	fprintf(c->to, ",\"dur\":{\"at\":%zu}", c->data->bytes.n);
	for (size_t i = 0; i < n; i++)
		view_data_put(c->data, (uint64_t)(at(c, i).b - at(c, i).a));
	c->comma = true;
}

static ival span_of(const view_columns_of *c, size_t i)
{
	return timeline_span(c->tl, c->k, i);
}

static ival counter_at(const view_columns_of *c, size_t i)
{
	return c->counter->at.v[i];
}

static ival gap_at(const view_columns_of *c, size_t i)
{
	return c->tl->gaps.v[i].at;
}

/* ---- names and paths */

static uint64_t name_number(view_columns_of *c, uint32_t name)
{
	const char *s = str_at(&c->tl->t->names, name);

	if (!s)
		return 0;
	if (!c->name[name])
		c->name[name] = str_id(&c->data->names, s, strlen(s)) + 1;
	return c->name[name];
}

static uint32_t path_add(view_columns_of *c, uint32_t outer, uint32_t name)
{
	return (uint32_t)group_of(&c->data->paths, (int64_t[]){ outer, (int64_t)name_number(c, name) }) + 1;
}

/* The path of a range, from the outermost in, along its parents. */
static uint32_t path_of_range(view_columns_of *c, uint32_t range)
{
	const trace_ranges *r = &c->tl->t->pushpop;
	vec(uint32_t) chain = { 0 };
	uint32_t path = 0;

	for (uint32_t i = range; i != NONE && !c->path[i]; i = c->tl->around->parent[i])
		vec_push(&chain, i);
	while (chain.n) {
		uint32_t i = chain.v[--chain.n], up = c->tl->around->parent[i];
		path = path_add(c, up == NONE ? 0 : c->path[up], r->name[i]);
		c->path[i] = path;
		c->open[i] = up == NONE ? INT64_MAX : r->end[up] < c->open[up] ? r->end[up] : c->open[up];
	}
	vec_free(&chain);
	return c->path[range];
}

/* The ranges open at a moment, of which this is the innermost.  Where ranges cross, a parent may have ended. */
static uint32_t path_at(view_columns_of *c, uint32_t range, int64_t moment)
{
	const trace_ranges *r = &c->tl->t->pushpop;
	vec(uint32_t) inner = { 0 };    /* those inside one that has ended, which their own paths would name */
	uint32_t path = 0;

	while (range != NONE && (path = path_of_range(c, range), moment >= c->open[range])) {
		vec_push(&inner, range);
		do
			range = c->tl->around->parent[range];
		while (range != NONE && r->end[range] <= moment);
		path = 0;
	}
	while (inner.n)
		path = path_add(c, path, r->name[inner.v[--inner.n]]);
	vec_free(&inner);
	return path;
}

static uint32_t event_at(const view_columns_of *c, size_t i)
{
	return c->k->events.v[i];
}

static uint64_t level(view_columns_of *c, size_t i)
{
	return c->k->levels.v[i];
}

/* ---- idle time */

static uint64_t part_cause(view_columns_of *c, size_t i)
{
	return c->tl->parts.v[event_at(c, i)].cause;
}

static uint64_t part_gap(view_columns_of *c, size_t i)
{
	return c->tl->parts.v[event_at(c, i)].gap;
}

static uint64_t gap_cause(view_columns_of *c, size_t i)
{
	return c->tl->gaps.v[i].cause;
}

static uint64_t gap_synced(view_columns_of *c, size_t i)
{
	return c->tl->gaps.v[i].synced;
}

static uint64_t gap_api(view_columns_of *c, size_t i)
{
	return name_number(c, c->tl->gaps.v[i].api);
}

static uint64_t gap_nvtx(view_columns_of *c, size_t i)
{
	return name_number(c, c->tl->gaps.v[i].nvtx);
}

static uint64_t work_name(view_columns_of *c, uint32_t work)
{
	return work == NONE ? 0 : name_number(c, c->tl->t->work.name[work]);
}

static uint64_t gap_prev(view_columns_of *c, size_t i)
{
	return work_name(c, c->tl->gaps.v[i].prev);
}

static uint64_t gap_next(view_columns_of *c, size_t i)
{
	return work_name(c, c->tl->gaps.v[i].next);
}

static uint64_t counter_value(view_columns_of *c, size_t i)
{
	return zigzag(c->counter->values.v[i]);
}

/* ---- work */

static uint64_t work_kind(view_columns_of *c, size_t i)
{
	return c->tl->t->work.kind[event_at(c, i)];
}

static uint64_t short_name(view_columns_of *c, size_t i)
{
	return work_name(c, event_at(c, i));
}

static uint64_t full_name(view_columns_of *c, size_t i)
{
	uint64_t name = name_number(c, c->tl->t->work.full[event_at(c, i)]);

	view_data_note(&c->data->work, name);
	view_data_note(&c->data->comm, trace_is_comm(c->tl->t, event_at(c, i)) ? name : 0);
	return name;
}

static uint64_t stream(view_columns_of *c, size_t i)
{
	return c->tl->t->work.stream[event_at(c, i)];
}

static uint64_t launch(view_columns_of *c, size_t i)
{
	const trace *t = c->tl->t;
	uint32_t call = t->work.launch[event_at(c, i)];

	return call == NONE ? 0 : zigzag(span_of(c, i).a - t->calls.start[call]) + 1;
}

static uint64_t launching(view_columns_of *c, size_t i)
{
	uint32_t call = c->tl->t->work.launch[event_at(c, i)];

	return call == NONE ? 0 : (uint64_t)c->tl->t->calls.thread[call] + 1;
}

static uint64_t work_path(view_columns_of *c, size_t i)
{
	const around *a = c->tl->around;
	around_walk at = around_work(a, event_at(c, i));
	vec(uint32_t) inner = { 0 };
	uint32_t path = 0;

	if (!a->main && !a->captured)
		return path_at(c, at.range, at.at);
	for (; at.range != NONE; around_next(a, &at))           /* ranges of several threads */
		vec_push(&inner, at.range);
	while (inner.n)
		path = path_add(c, path, a->t->pushpop.name[inner.v[--inner.n]]);
	vec_free(&inner);
	return path;
}

static uint64_t grid(view_columns_of *c, size_t i)
{
	return name_number(c, c->tl->t->work.grid[event_at(c, i)]);
}

static uint64_t block(view_columns_of *c, size_t i)
{
	return name_number(c, c->tl->t->work.block[event_at(c, i)]);
}

static uint64_t bytes(view_columns_of *c, size_t i)
{
	int64_t n = c->tl->t->work.kind[event_at(c, i)] >= WORK_COPY ? c->tl->t->work.bytes[event_at(c, i)] : -1;

	return n < 0 ? 0 : (uint64_t)n + 1;
}

/* ---- threads */

static uint64_t call_name(view_columns_of *c, size_t i)
{
	uint32_t name = c->tl->t->calls.name[event_at(c, i)];

	return name_number(c, name == STR_NONE ? name : c->base[name]);
}

static uint64_t call_path(view_columns_of *c, size_t i)
{
	return path_at(c, c->tl->around->inner[event_at(c, i)], c->tl->t->calls.start[event_at(c, i)]);
}

static uint64_t class(view_columns_of *c, size_t i)
{
	return c->tl->t->calls.class[event_at(c, i)];
}

static const trace_ranges *ranges_of(const view_columns_of *c)
{
	return c->k->kind == TIMELINE_RANGES ? &c->tl->t->pushpop : &c->tl->t->startend;
}

static uint64_t range_name(view_columns_of *c, size_t i)
{
	uint64_t name = name_number(c, ranges_of(c)->name[event_at(c, i)]);

	view_data_note(&c->data->ranges, name);
	return name;
}

static uint64_t range_domain(view_columns_of *c, size_t i)
{
	return name_number(c, c->tl->t->domains[ranges_of(c)->domain[event_at(c, i)]].name);
}

static uint64_t range_path(view_columns_of *c, size_t i)
{
	const around *a = c->tl->around;
	int64_t start = ranges_of(c)->start[event_at(c, i)];

	return path_at(c, c->k->kind == TIMELINE_RANGES ? a->parent[event_at(c, i)] : around_at(a, c->k->thread, start), start);
}

static const trace_acts *acts_of(const view_columns_of *c)
{
	return c->k->kind == TIMELINE_MARKS ? &c->tl->t->marks : &c->tl->t->os;
}

static uint64_t act_name(view_columns_of *c, size_t i)
{
	return name_number(c, acts_of(c)->name[event_at(c, i)]);
}

static uint64_t act_path(view_columns_of *c, size_t i)
{
	int64_t start = acts_of(c)->start[event_at(c, i)];

	return path_at(c, around_at(c->tl->around, c->k->thread, start), start);
}

/* ---- the columns of each kind */

typedef struct {
	const char *name;
	value *f;
} named;

static const named of_idle[] = { { "cause", part_cause }, { "gap", part_gap }, { 0 } };
static const named of_work[] = { { "level", level }, { "kind", work_kind }, { "name", short_name }, { "full", full_name },
	{ "stream", stream }, { "launch", launch }, { "thread", launching }, { "path", work_path }, { "grid", grid },
	{ "block", block }, { "bytes", bytes }, { 0 } };
static const named of_ranges[] = { { "level", level }, { "name", range_name }, { "domain", range_domain },
	{ "path", range_path }, { 0 } };
static const named of_calls[] = { { "level", level }, { "name", call_name }, { "class", class }, { "path", call_path }, { 0 } };
static const named of_acts[] = { { "level", level }, { "name", act_name }, { "path", act_path }, { 0 } };

static const named *const of_kind[] = { [TIMELINE_IDLE] = of_idle, [TIMELINE_WORK] = of_work, [TIMELINE_RANGES] = of_ranges,
	[TIMELINE_STARTEND] = of_ranges, [TIMELINE_CALLS] = of_calls, [TIMELINE_MARKS] = of_acts, [TIMELINE_OS] = of_acts };

static void columns(view_columns_of *c, size_t n, const named *of)
{
	for (; of->name; of++)
		column(c, of->name, n, of->f);
	fputc('}', c->to);
}

/* ---- what windows cut */

static uint64_t cut_event(view_columns_of *c, size_t i)
{
	return c->cuts.v[i];
}

static uint64_t cut_before(view_columns_of *c, size_t i)
{
	size_t e = c->cuts.v[i];

	return (uint64_t)(span_of(c, e).a - timeline_whole(c->tl, c->k, e).a);
}

static uint64_t cut_after(view_columns_of *c, size_t i)
{
	size_t e = c->cuts.v[i];

	return (uint64_t)(timeline_whole(c->tl, c->k, e).b - span_of(c, e).b);
}

/* Few events are cut, so how much of them is missing is listed, not a column. */
static void cuts(view_columns_of *c)
{
	static const named of[] = { { "event", cut_event }, { "before", cut_before }, { "after", cut_after }, { 0 } };

	c->cuts.n = 0;
	for (size_t i = 0; i < c->k->events.n; i++) {
		ival whole = timeline_whole(c->tl, c->k, i), span = span_of(c, i);
		if (whole.a != span.a || whole.b != span.b)
			vec_push(&c->cuts, i);
	}
	if (!c->cuts.n)
		return;
	fprintf(c->to, ",\"cuts\":{\"n\":%zu,\"columns\":{", c->cuts.n);
	c->comma = false;
	columns(c, c->cuts.n, of);
	fputc('}', c->to);
}

void view_columns_track(view_columns_of *c, const timeline_track *k, FILE *to)
{
	c->k = k;
	c->to = to;
	times(c, k->events.n, span_of);
	columns(c, k->events.n, of_kind[k->kind]);
	cuts(c);
}

void view_columns_counter(view_columns_of *c, const timeline_counter *k, FILE *to)
{
	static const named of[] = { { "value", counter_value }, { 0 } };

	c->counter = k;
	c->to = to;
	times(c, k->at.n, counter_at);
	columns(c, k->at.n, of);
}

void view_columns_gaps(view_columns_of *c, FILE *to)
{
	static const named of[] = { { "cause", gap_cause }, { "synced", gap_synced }, { "api", gap_api }, { "nvtx", gap_nvtx },
		{ "prev", gap_prev }, { "next", gap_next }, { 0 } };

	c->to = to;
	fputs(",\n\"gaps\":{\"kind\":\"gaps\"", to);
	times(c, c->tl->gaps.n, gap_at);
	columns(c, c->tl->gaps.n, of);
	fputc('}', to);
}

view_columns_of *view_columns_begin(view_data *d, const timeline *tl)
{
	view_columns_of *c = mem_new(view_columns_of, 1);

	*c = (view_columns_of){ .data = d, .tl = tl };
	c->base = call_base_names(tl->t);
	c->name = mem_new(uint32_t, tl->t->names.n);
	c->path = mem_new(uint32_t, tl->t->pushpop.n);
	c->open = mem_new(int64_t, tl->t->pushpop.n);
	return c;
}

void view_columns_end(view_columns_of *c)
{
	vec_free(&c->cuts);
	free(c->name);
	free(c->path);
	free(c->open);
	free(c);
}
