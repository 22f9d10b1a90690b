#include "relate/idle_causes.h"
#include "trace/call_class.h"
#include "base/memory.h"
#include "relate/ranges_around.h"
#include "base/parallel.h"

#include <string.h>

struct blame {
	trace *t;
	bool kernels;
	ival_set *busy;         /* by lane */
	call_threads calls;     /* outermost calls by thread */
	nest *nest;
};

/* When each lane is busy. */
static void find_busy(blame *b)
{
	const trace *t = b->t;

	for (size_t l = 0; l < t->nlanes; l++) {
		for (size_t i = t->lanes[l].first; i < t->lanes[l].first + t->lanes[l].n; i++)
			if (!b->kernels || t->work.kind[i] <= WORK_GRAPH)
				ival_add(&b->busy[l], t->work.start[i], t->work.end[i]);
		ival_fit(&b->busy[l]);
	}
}

static void build(void *ctx, size_t which)
{
	blame *b = ctx;

	if (which == 0)
		b->calls = call_outermost(b->t);
	else if (which == 1)
		find_busy(b);
	else
		b->nest = nest_build(b->t, NEST_RANGES);
}

blame *blame_build(trace *t, bool kernels)
{
	blame *b = mem_new(blame, 1);

	b->t = t;
	b->kernels = kernels;
	b->busy = mem_new(ival_set, t->nlanes);
	par_do(t->db->threads, 3, build, b);
	return b;
}

void blame_free(blame *b)
{
	for (size_t l = 0; l < b->t->nlanes; l++)
		ival_free(&b->busy[l]);
	free(b->busy);
	call_threads_free(&b->calls);
	nest_free(b->nest);
	free(b);
}

const ival_set *blame_busy(const blame *b, size_t lane)
{
	return &b->busy[lane];
}

const char *blame_cause_name(enum blame_cause c)
{
	static const char *const names[] = {
		[BLAME_QUEUED] = "queued", [BLAME_LAUNCH] = "launch", [BLAME_SYNC] = "sync",
		[BLAME_MEMORY] = "memory", [BLAME_API] = "api", [BLAME_HOST] = "host",
		[BLAME_UNKNOWN] = "unknown", [BLAME_EDGE] = "edge",
	};

	return names[c];
}

/* Index of the first work of the lane that starts at or after the moment. */
static size_t starting_from(const blame *b, size_t lane, int64_t moment)
{
	size_t lo = b->t->lanes[lane].first, hi = lo + b->t->lanes[lane].n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (b->t->work.start[mid] < moment)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool makes_busy(const blame *b, size_t i)
{
	return (!b->kernels || b->t->work.kind[i] <= WORK_GRAPH) && b->t->work.end[i] > b->t->work.start[i];
}

/* The work that ends the gap at b: of several that start there, the one launched first. */
static uint32_t work_at(const blame *b, size_t lane, size_t first, int64_t start)
{
	const trace_work *w = &b->t->work;
	size_t end = b->t->lanes[lane].first + b->t->lanes[lane].n;
	uint32_t best = NONE;

	for (size_t i = first; i < end && w->start[i] == start; i++)
		if (makes_busy(b, i) && (best == NONE || (w->launch && w->launch[i] < w->launch[best])))
			best = (uint32_t)i;     /* calls are in order of start, and NONE is the largest */
	return best;
}

/* Of several that end there, the one that started last. */
uint32_t blame_prev(const blame *b, const blame_gap *gap)
{
	size_t first = b->t->lanes[gap->lane].first;

	for (size_t i = starting_from(b, gap->lane, gap->a); gap->at && i-- > first;)
		if (makes_busy(b, i) && b->t->work.end[i] == gap->a)
			return (uint32_t)i;
	return NONE;
}

/* The gap before busy stretch number at; at busy.n, the one after the last. */
static bool gap_before(const blame *b, blame_gap *gap)
{
	const ival_set *busy = &b->busy[gap->lane];

	if (gap->at > busy->n)
		return false;
	gap->a = gap->at ? busy->v[gap->at - 1].b : INT64_MIN;
	gap->b = gap->at < busy->n ? busy->v[gap->at].a : INT64_MAX;
	gap->next = NONE;
	if (gap->at < busy->n) {
		while (b->t->work.start[gap->work] < gap->b)
			gap->work++;
		gap->next = work_at(b, gap->lane, gap->work, gap->b);
	}
	return true;
}

size_t blame_after(const blame *b, size_t lane, int64_t moment)
{
	const ival_set *busy = &b->busy[lane];
	size_t at = ival_after(busy, moment);

	return at < busy->n && busy->v[at].a <= moment ? at + 1 : at;
}

bool blame_first(const blame *b, size_t lane, size_t at, blame_gap *gap)
{
	*gap = (blame_gap){ .lane = lane, .at = at };
	gap->work = at ? starting_from(b, lane, b->busy[lane].v[at - 1].b) : b->t->lanes[lane].first;
	return gap_before(b, gap);
}

bool blame_next(const blame *b, blame_gap *gap)
{
	gap->at++;
	return gap_before(b, gap);
}

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

static int64_t most(int64_t x, int64_t y)
{
	return x > y ? x : y;
}

/* The first outermost call of the thread that ends after the moment, looked for where it was last. */
static size_t near_call(const blame *b, blame_gap *gap, uint32_t thread, int64_t moment)
{
	size_t *call = &gap->near[thread % 8].call;

	if (gap->near[thread % 8].thread != thread)
		*call = SIZE_MAX;
	gap->near[thread % 8].thread = thread;
	return *call = call_after(b->t, &b->calls, thread, moment, *call);
}

/* Is a synchronizing call of the thread open at the moment, outermost or inside another? */
static bool syncing(const blame *b, blame_gap *gap, uint32_t thread, int64_t moment)
{
	const trace_calls *c = &b->t->calls;
	size_t k = near_call(b, gap, thread, moment);

	if (k == b->calls.first[thread + 1] || c->start[b->calls.calls[k]] > moment)
		return false;
	if (c->class[b->calls.calls[k]] == CALL_SYNC)
		return true;
	if (!(b->calls.holds_sync[k / 8] >> k % 8 & 1))
		return false;
	for (size_t i = b->calls.calls[k]; i < c->n && c->start[i] <= moment; i++)
		if (c->thread[i] == thread && c->end[i] > moment && c->class[i] == CALL_SYNC)
			return true;
	return false;
}

typedef struct {
	int64_t whole[BLAME_CAUSES];    /* of the gap */
	int64_t *part;                  /* of the gap in the window */
	ival_set *window;
} shares;

static void give(shares *s, enum blame_cause c, int64_t a, int64_t b)
{
	if (a >= b)
		return;
	s->whole[c] = ns_add(s->whole[c], b - a);
	s->part[c] = ns_add(s->part[c], ival_within(s->window, a, b));
}

/* Before the launch: the class of the outermost call the thread is in, or its own code. */
static void give_cpu(const blame *b, blame_gap *gap, shares *s, uint32_t thread, int64_t from, int64_t to)
{
	const trace_calls *c = &b->t->calls;

	for (size_t k = near_call(b, gap, thread, from); from < to; k++) {
		uint32_t call = k < b->calls.first[thread + 1] ? b->calls.calls[k] : NONE;
		int64_t start = call == NONE ? to : least(to, c->start[call]), end;
		uint8_t class;

		give(s, BLAME_HOST, from, start);
		from = most(from, start);
		if (call == NONE || from >= to)
			break;
		class = c->class[call];
		end = least(to, c->end[call]);
		give(s, class == CALL_SYNC ? BLAME_SYNC : class == CALL_MEMORY ? BLAME_MEMORY : BLAME_API, from, end);
		from = most(from, end);
	}
}

void blame_judge(const blame *b, blame_gap *gap, ival_set *window, int64_t part[BLAME_CAUSES])
{
	shares s = { .part = part, .window = window };
	uint32_t call = gap->next == NONE ? NONE : b->t->work.launch[gap->next];

	memset(part, 0, BLAME_CAUSES * sizeof *part);
	if (!gap->at || gap->next == NONE) {
		part[BLAME_EDGE] = ival_within(window, gap->a, gap->b);
		gap->cause = BLAME_EDGE;
		return;
	}
	if (call == NONE) {
		give(&s, BLAME_UNKNOWN, gap->a, gap->b);
	} else {
		int64_t ls = b->t->calls.start[call], le = b->t->calls.end[call];
		uint32_t thread = b->t->calls.thread[call];
		if (gap->a < ls && syncing(b, gap, thread, gap->a)) {
			give(&s, BLAME_SYNC, gap->a, gap->b);
		} else {
			give_cpu(b, gap, &s, thread, gap->a, least(gap->b, ls));
			give(&s, BLAME_LAUNCH, most(gap->a, ls), least(gap->b, le));
			give(&s, BLAME_QUEUED, most(gap->a, le), gap->b);
		}
	}
	gap->cause = BLAME_QUEUED;
	for (int c = 1; c < BLAME_CAUSES; c++)
		if (s.whole[c] > s.whole[gap->cause])
			gap->cause = (enum blame_cause)c;
}

/* The thread that launched the work after the gap, NONE if it is not known. */
static uint32_t launcher(const blame *b, const blame_gap *gap)
{
	uint32_t call = gap->next == NONE ? NONE : b->t->work.launch[gap->next];

	return call == NONE ? NONE : b->t->calls.thread[call];
}

uint32_t blame_api(const blame *b, const blame_gap *gap)
{
	const trace_calls *c = &b->t->calls;
	uint32_t thread = launcher(b, gap), best = NONE;
	int64_t longest = 0;
	const char *name;

	if (thread == NONE)
		return STR_NONE;
	for (size_t k = call_after(b->t, &b->calls, thread, gap->a, SIZE_MAX); k < b->calls.first[thread + 1]; k++) {
		uint32_t i = b->calls.calls[k];
		int64_t ns = least(gap->b, c->end[i]) - most(gap->a, c->start[i]);
		if (c->start[i] >= gap->b)
			break;
		if (ns > longest) {
			longest = ns;
			best = i;
		}
	}
	if (best == NONE || c->name[best] == STR_NONE)
		return STR_NONE;
	name = str_at(&b->t->names, c->name[best]);
	return str_id(&b->t->names, name, call_base_length(name));
}

/* A range that holds more than half of the gap is open in its middle. */
uint32_t blame_range(const blame *b, const blame_gap *gap)
{
	const trace_ranges *r = &b->t->pushpop;
	uint32_t thread = launcher(b, gap);
	int64_t a = most(gap->a, b->t->span.a), middle = a + (gap->b - a) / 2;

	if (thread == NONE)
		return STR_NONE;
	for (uint32_t i = nest_at(b->nest, thread, middle); i != NONE; i = b->nest->parent[i]) {
		int64_t held = least(gap->b, r->end[i]) - most(a, r->start[i]);
		if (held > 0 && held > (gap->b - a) - held)
			return r->name[i];
	}
	return STR_NONE;
}
