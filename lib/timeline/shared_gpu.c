#include "timeline/shared_gpu.h"
#include "base/memory.h"
#include "base/sort.h"
#include "base/text.h"
#include "trace/gpu_cards.h"
#include "trace/session.h"

typedef struct {                /* a lane is the work of one process on one GPU (trace_lane) */
	const trace *t;
	uint32_t *next;         /* by lane: the next lane on the same GPU, or NONE */
	bool *shares;           /* by lane: does its work overlap in time with that of another process on the GPU? */
} shared_gpu_ctx;

/* Does work of both lanes run at the same time?  The pieces of both are visited in order of start.  A piece overlaps
 * with the other lane if it starts before the latest end (`until`) of those pieces of the other lane that were visited
 * before it.  Work of zero length is ignored. */
static bool shared_gpu_run_at_same_time(const trace *t, const trace_lane *a, const trace_lane *b)
{
	const trace_work *w = &t->work;
	const size_t end[] = { a->first + a->n, b->first + b->n };
	size_t at[] = { a->first, b->first };
	int64_t until[] = { INT64_MIN, INT64_MIN };

	while (at[0] < end[0] || at[1] < end[1]) {
		int which = at[0] == end[0] || (at[1] < end[1] && w->start[at[1]] < w->start[at[0]]);
		size_t i = at[which]++;
		if (w->end[i] <= w->start[i])
			continue;
		if (w->start[i] < until[!which])
			return true;
		until[which] = w->end[i] > until[which] ? w->end[i] : until[which];
	}
	return false;
}

/* Returns an array with an element for each lane: the next lane on the same GPU, or NONE.  first[l] is the first lane
 * on the GPU of lane l (gpu_find_first_lanes). */
static uint32_t *shared_gpu_link_lanes(const uint32_t *first, size_t lanes)
{
	uint32_t *next = mem_none(uint32_t, lanes), *last = mem_grow(NULL, lanes, sizeof *last);

	for (uint32_t l = 0; l < lanes; l++) {
		if (first[l] == NONE)
			continue;
		if (first[l] != l)
			next[last[first[l]]] = l;
		last[first[l]] = l;
	}
	free(last);
	return next;
}

static int shared_gpu_compare_starts(uint32_t a, uint32_t b, const void *ctx)
{
	const trace *t = ctx;

	return sort_3way(t->work.start[t->lanes[a].first], t->work.start[t->lanes[b].first]);
}

/* Do processes share the GPU whose first lane is `first`?  Sets s->shares of their lanes.  Lanes whose spans do not
 * overlap are not compared.  The span of a lane ends at its reach.latest[1]. */
static bool shared_gpu_compare_lanes(shared_gpu_ctx *s, uint32_t first)
{
	const trace *t = s->t;
	vec(uint32_t) lanes = { 0 };
	bool any = false;

	for (uint32_t l = first; l != NONE; l = s->next[l])
		vec_push(&lanes, l);
	sort_items(lanes.v, lanes.n, shared_gpu_compare_starts, t);
	for (size_t i = 0; i < lanes.n; i++) {
		const trace_lane *a = &t->lanes[lanes.v[i]];
		for (size_t k = i + 1; k < lanes.n; k++) {
			const trace_lane *b = &t->lanes[lanes.v[k]];
			if (t->work.start[b->first] >= a->reach.latest[1])
				break;
			if (a->proc != b->proc && !(s->shares[lanes.v[i]] && s->shares[lanes.v[k]]) &&
			    shared_gpu_run_at_same_time(t, a, b))
				any = s->shares[lanes.v[i]] = s->shares[lanes.v[k]] = true;
		}
	}
	vec_free(&lanes);
	return any;
}

/* A clause that names the processes that share a GPU, such as "processes 7, 9 share GPU 0".  first: the first lane on
 * this GPU. */
static const char *shared_gpu_describe(const shared_gpu_ctx *s, uint32_t first, arena *texts)
{
	char *list;
	size_t n;
	FILE *f = text_open(&list, &n);
	uint32_t last = NONE;
	int64_t gpu = s->t->lanes[first].gpu;
	bool same = true;

	for (uint32_t l = first; l != NONE; l = s->next[l]) {
		const trace_lane *lane = &s->t->lanes[l];
		if (!s->shares[l])
			continue;
		same &= lane->gpu == gpu;
		if (lane->proc != last)
			fprintf(f, "%s%s", last == NONE ? "processes " : ", ", s->t->procs[lane->proc].shown);
		last = lane->proc;
	}
	if (same)
		fprintf(f, " share GPU %lld", (long long)gpu);
	else
		fputs(" share one GPU under different numbers", f);
	return text_close_into(f, &list, texts);
}

bool shared_gpu_find(const trace *t, void (*report)(void *ctx, const char *text), void *ctx)
{
	uint32_t *first = gpu_find_first_lanes(t);
	shared_gpu_ctx s = { t, first ? shared_gpu_link_lanes(first, t->nlanes) : NULL, mem_new(bool, t->nlanes) };
	arena texts = { 0 };
	bool ok = first;

	for (uint32_t l = 0; first && l < t->nlanes; l++)
		if (first[l] == l && shared_gpu_compare_lanes(&s, l))
			report(ctx, shared_gpu_describe(&s, l, &texts));
	mem_free(s.shares, s.next, first);
	arena_free(&texts);
	return ok;
}

static const char consequence[] = "so kernel times include waiting (unless MPS runs)";

typedef struct {
	const trace *t;
	notes *say;
} shared_gpu_warn_ctx;

static void shared_gpu_warn_in_trace(void *ctx, const char *text)
{
	const shared_gpu_warn_ctx *w = ctx;

	notes_warn(w->say, "%s in '%s', %s", text, w->t->path, consequence);
}

bool shared_gpu_warn(const trace *t, notes *say)
{
	return shared_gpu_find(t, shared_gpu_warn_in_trace, &(shared_gpu_warn_ctx){ t, say });
}

/* ---- in several traces */

typedef struct {                /* a process on a GPU */
	uint32_t card;          /* the id of the GPU's name in shared_gpus.cards */
	uint32_t trace;         /* the number of the trace, in order of shared_gpus_add */
	const char *shown;      /* how texts name the process: its rank, or PID@FILE */
	bool rank;              /* `shown` is the rank */
	ival_set busy;          /* busy time in UTC, small gaps included (shared_gpu_busy_time) */
} gpu_user;

enum { SPAN_PARTS = 512 };      /* a gap of at most 1 / SPAN_PARTS of its lane's span counts as busy time */

struct shared_gpus {
	vec(gpu_user) v;        /* trace by trace */
	uint32_t traces;        /* the number of traces added */
	str_pool cards;         /* the names of GPUs (gpu_cards_list_names) */
	arena texts;
};

shared_gpus *shared_gpus_new(void)
{
	return mem_new(shared_gpus, 1);
}

void shared_gpus_free(shared_gpus *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->v.n; i++)
		ival_free(&s->v.v[i].busy);
	str_free(&s->cards);
	arena_free(&s->texts);
	mem_free(s->v.v, s);
}

/* The time in which work runs on a lane, in UTC.  Gaps up to 1 / SPAN_PARTS of the span of the lane count as busy, too,
 * so that the set stays small.  utc: the time in UTC at time 0 of the trace, ns. */
static ival_set shared_gpu_busy_time(const trace *t, const trace_lane *lane, int64_t utc)
{
	const trace_work *w = &t->work;
	int64_t longest_small = (lane->reach.latest[1] - w->start[lane->first]) / SPAN_PARTS;
	ival_set busy = { 0 };
	ival busy_now = { w->start[lane->first], w->end[lane->first] };

	for (size_t i = lane->first; i < lane->first + lane->n; i++) {
		if (w->start[i] - busy_now.b > longest_small) {
			ival_add(&busy, ns_add(busy_now.a, utc), ns_add(busy_now.b, utc));
			busy_now.a = w->start[i];
		}
		busy_now.b = w->end[i] > busy_now.b ? w->end[i] : busy_now.b;
	}
	ival_add(&busy, ns_add(busy_now.a, utc), ns_add(busy_now.b, utc));
	return busy;
}

bool shared_gpus_add(shared_gpus *s, trace *t)
{
	session when = { 0 };
	const char **names = session_read(t, &when) ? gpu_cards_list_names(t, when.host, &s->texts) : NULL;

	for (size_t l = 0; names && when.has_utc && l < t->nlanes; l++) {
		const trace_proc *p = &t->procs[t->lanes[l].proc];
		bool rank = p->rank >= 0;
		const char *shown = rank ? arena_printf(&s->texts, "%lld", (long long)p->rank) :
			arena_printf(&s->texts, "%s@%s", p->shown, text_base(t->path));
		if (names[l])
			vec_push(&s->v, (gpu_user){ str_id(&s->cards, names[l], strlen(names[l])), s->traces, shown,
				 rank, shared_gpu_busy_time(t, &t->lanes[l], when.utc) });
	}
	s->traces++;
	if (!names)
		return false;
	free(names);
	return true;
}

static bool shared_gpu_overlaps(const ival_set *x, const ival_set *y)
{
	for (size_t i = 0, k = 0; i < x->n && k < y->n;) {
		if (x->v[i].a < y->v[k].b && y->v[k].a < x->v[i].b)
			return true;
		if (x->v[i].b < y->v[k].b)
			i++;
		else
			k++;
	}
	return false;
}

/* Divides the users of GPUs into groups.  Returns an array with an element for each user: the first user of its group.
 * Two users are in one group if they are on one GPU, come from different traces and have work at the same time, or if
 * both are in one group with a third user. */
static size_t *shared_gpu_find_groups(const shared_gpus *s)
{
	size_t *first = mem_new(size_t, s->v.n);

	for (size_t a = 0; a < s->v.n; a++)
		first[a] = a;
	for (size_t a = 0; a < s->v.n; a++)
		for (size_t b = a + 1; b < s->v.n; b++) {
			size_t from = first[a] > first[b] ? first[a] : first[b];
			size_t to = first[a] < first[b] ? first[a] : first[b];
			if (from == to || s->v.v[a].trace == s->v.v[b].trace || s->v.v[a].card != s->v.v[b].card ||
			    !shared_gpu_overlaps(&s->v.v[a].busy, &s->v.v[b].busy))
				continue;
			for (size_t k = from; k < s->v.n; k++)
				first[k] = first[k] == from ? to : first[k];
		}
	return first;
}

void shared_gpus_find(const shared_gpus *s, void (*report)(void *ctx, const char *text, size_t trace), void *ctx)
{
	size_t *group = shared_gpu_find_groups(s);
	arena texts = { 0 };

	for (size_t i = 0; i < s->v.n; i++) {
		const gpu_user *first = &s->v.v[i];
		const char *list = NULL;
		size_t n = 0;
		for (size_t k = i; group[i] == i && k < s->v.n; k++)
			if (group[k] == i) {
				list = arena_printf(&texts, "%s%s%s", n ? list : first->rank ? "ranks " : "processes ",
						    n ? ", " : "", s->v.v[k].shown);
				n++;
			}
		if (n > 1)
			report(ctx, arena_printf(&texts, "%s of different traces share one GPU", list), first->trace);
	}
	free(group);
	arena_free(&texts);
}

static void shared_gpu_warn_across_traces(void *say, const char *text, size_t first UNNEEDED)
{
	notes_warn(say, "%s, %s", text, consequence);
}

void shared_gpus_warn(const shared_gpus *s, notes *say)
{
	shared_gpus_find(s, shared_gpu_warn_across_traces, say);
}
