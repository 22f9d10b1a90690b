#include "relate/path_ranks.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "relate/window.h"

#include <pthread.h>

enum { ROUNDS = 3 };            /* after so many, traces that are loaded again stay */

typedef struct {                /* a trace */
	trace *t;               /* NULL: it is loaded if need be */
	bool owned;             /* it was loaded here */
	size_t first;           /* its first stretch: that of its first kernel */
	size_t first_kernel;    /* of the job */
} path_rank;

enum { ASK_RANK, ASK_STRETCH, ASK_FROM, ASK_TO, ASK_BEFORE, ASKS };

struct path_ranks {
	const job *job;
	bool adds_up;
	vec(path_rank) v;
	vec(uint32_t) first;    /* by operation of the job: its first kernel, or NONE */
	vec(path_stretch) stretches;    /* kernel is the job's, next and first are those of path_ranks */
	vec(path_sum) sums;
	group keys;             /* kind, and string of names or -1 */
	str_pool names;
	group asked;            /* for stretches between these moments, */
	vec(uint32_t) answered; /* and the stretches that answer the first of them */
	size_t rounds;
	pthread_mutex_t adding;
};

path_ranks *path_ranks_new(const job *j, bool adds_up)
{
	path_ranks *all = mem_new(path_ranks, 1);

	all->job = j;
	all->adds_up = adds_up;
	all->keys.width = 2;
	all->asked.width = ASKS;
	pthread_mutex_init(&all->adding, NULL);
	return all;
}

void path_ranks_free(path_ranks *all)
{
	for (size_t i = 0; i < all->v.n; i++)
		if (all->v.v[i].owned)
			trace_free(all->v.v[i].t);
	mem_free(all->v.v, all->first.v, all->stretches.v, all->sums.v, all->answered.v);
	group_free(&all->keys);
	group_free(&all->asked);
	str_free(&all->names);
	pthread_mutex_destroy(&all->adding);
	free(all);
}

/* ---- what is kept of a trace */

static uint32_t key_of(path_ranks *all, enum path_kind kind, const str_pool *names, uint32_t name)
{
	int64_t id = name == STR_NONE ? -1 : (int64_t)str_id(&all->names, str_at(names, name), str_len(names, name));

	return (uint32_t)group_of(&all->keys, (int64_t[]){ kind, id });
}

/* Keep stretches of a trace, in terms that hold in all: the number of the first. */
static uint32_t keep(path_ranks *all, uint32_t rank, trace *t, const path_stretches *from)
{
	uint32_t first = (uint32_t)all->stretches.n, first_sum = (uint32_t)all->sums.n;
	const path_trace *p = path_trace_of(t, true);
	uint32_t *met = from->sums.n > path_keys(p) ? mem_none(uint32_t, path_keys(p)) : NULL;  /* keys of many sums */

	for (size_t i = 0; i < from->v.n; i++) {
		path_stretch s = from->v.v[i];
		s.kernel += s.kernel == NONE ? 0 : (uint32_t)all->v.v[rank].first_kernel;
		s.next += s.next == NONE ? 0 : first;
		s.first += first_sum;
		vec_push(&all->stretches, s);
	}
	for (size_t i = 0; i < from->sums.n; i++) {
		path_sum s = from->sums.v[i];
		uint32_t key = met && met[s.key] != NONE ? met[s.key] :
			key_of(all, path_kind_of(s.key), &t->names, path_name(p, s.key));
		if (met)
			met[s.key] = key;
		s.key = key;
		vec_push(&all->sums, s);
	}
	free(met);
	return first;
}

/* Of kernels that start with their operation the first one in order of work. */
static void find_first(path_ranks *all, const path_rank *at)
{
	const job *j = all->job;
	const nccl_ops *ops = nccl_ops_of(at->t);

	while (all->first.n < j->ops.n)
		vec_push(&all->first, NONE);
	for (size_t i = 0; i < ops->kernels.n; i++) {
		const job_kernel *k = &j->kernels.v[at->first_kernel + i];
		uint32_t *to = &all->first.v[k->op];
		if (k->start == j->ops.v[k->op].start &&
		    (*to == NONE || ops->kernels.v[i].work < ops->kernels.v[*to - at->first_kernel].work))
			*to = (uint32_t)(at->first_kernel + i);
	}
}

void path_ranks_add(path_ranks *all, trace *t)
{
	path_rank at = { .t = t, .first = all->stretches.n };

	if (all->job)
		at.first_kernel = all->job->traces.v[all->v.n].first;
	vec_push(&all->v, at);
	if (all->job)
		find_first(all, &at);
	if (all->job && all->adds_up)
		keep(all, (uint32_t)all->v.n - 1, t, path_stretches_of(t));
}

uint32_t path_ranks_from(path_ranks *all, const path_from *from)
{
	path_stretches s = { 0 };
	trace *t = all->v.v[from->rank].t;
	uint32_t at;

	path_stretches_add(&s, t, path_at(from->rank, from->proc, from->time), from->gpu);
	at = keep(all, from->rank, t, &s);
	path_stretches_free(&s);
	return at;
}

void path_ranks_drop(path_ranks *all, uint32_t rank)
{
	all->v.v[rank].t = NULL;
}

enum path_kind path_ranks_key(const path_ranks *all, int64_t key, const char **name)
{
	const int64_t *k = &all->keys.key[2 * key];

	*name = k[1] < 0 ? NULL : str_at(&all->names, (uint32_t)k[1]);
	return (enum path_kind)k[0];
}

/* ---- one walk */

void path_walk_free(path_walk *w)
{
	path_chain_free(&w->out);
	sums_free(&w->totals);
}

static path_total *total_of(path_walk *w, uint32_t key)
{
	return sums_of(&w->totals, (int64_t[]){ key });
}

static void add_total(path_walk *w, uint32_t key, int64_t ns, size_t edges)
{
	path_total_add(total_of(w, key), (path_total){ ns, edges, 1 }, w->seen++);
}

/* It has come to a piece of work of its trace, or to the end.  Sums are added to the totals; walks of one trace may be
 * made side by side. */
static void come_to(path_walk *w, const path_trace *p)
{
	const trace *t = w->all->v.v[w->at.rank].t;
	uint32_t kernel = path_kernel(p, w->at.work);

	w->kernel = kernel == NONE ? NONE : (uint32_t)w->all->v.v[w->at.rank].first_kernel + kernel;
	if (!w->adds_up)
		return;
	pthread_mutex_lock(&w->all->adding);
	for (size_t i = 0; i < w->out.met.n; i++) {
		uint32_t own = w->out.met.v[i], key = key_of(w->all, path_kind_of(own), &t->names, path_name(p, own));
		path_total_add(total_of(w, key), w->out.totals[own], w->seen);
	}
	pthread_mutex_unlock(&w->all->adding);
	w->seen += w->out.seen;
	path_sums_free(p, &w->out);
}

static void pass(path_walk *w, const path_stretch *s)
{
	for (size_t i = s->first; i < (size_t)s->first + s->n; i++)
		add_total(w, w->all->sums.v[i].key, w->all->sums.v[i].ns, w->all->sums.v[i].edges);
	w->at.time.b = s->bottom;
	w->at.before = s->before == INT64_MAX ? w->at.before : s->before;
	w->at.until = s->until;
	w->kernel = s->kernel;
}

/* Does the walk pass it as it is? */
static bool fits(const path_walk *w, const path_stretch *s)
{
	return w->at.time.b == s->top && w->at.time.a <= s->bottom && w->at.before >= s->asked;
}

/* What was answered of a stretch for this walk; NULL: it is asked for. */
static const path_stretch *answered(path_walk *w, uint32_t stretch)
{
	size_t k = group_of(&w->all->asked, (int64_t[]){ [ASK_RANK] = w->at.rank, [ASK_STRETCH] = stretch,
		[ASK_FROM] = w->at.time.a, [ASK_TO] = w->at.time.b, [ASK_BEFORE] = w->at.before });

	return k < w->all->answered.n ? &w->all->stretches.v[w->all->answered.v[k]] : NULL;
}

/* From the start of a kernel to the next, in its trace. */
static void go_in_trace(path_walk *w, uint32_t work)
{
	trace *t = w->all->v.v[w->at.rank].t;
	const path_trace *p = path_trace_of(t, w->all->job);

	w->at.work = work;
	if (w->adds_up)
		w->out = path_sums(p);
	path_back(p, &w->at, &w->out);
	path_go(p, &w->at, &w->out, INT64_MIN);
	come_to(w, p);
}

/* The same with what is known of it, and of the ways that it goes on; false: it is not known. */
static bool go_by_sums(path_walk *w, uint32_t stretch)
{
	for (; stretch != NONE; stretch = w->all->stretches.v[stretch].next) {
		const path_stretch *s = &w->all->stretches.v[stretch];
		if (!fits(w, s) && w->all->v.v[w->at.rank].t) {
			go_in_trace(w, s->work);
			return true;
		}
		if (!fits(w, s)) {
			s = answered(w, stretch);
			if (s)
				pass(w, s);
			return s;
		}
		pass(w, s);
	}
	return true;
}

static bool go_on(path_walk *w, uint32_t kernel)
{
	const path_rank *r = &w->all->v.v[w->at.rank];

	if (w->adds_up)
		return go_by_sums(w, (uint32_t)(r->first + kernel - r->first_kernel));
	go_in_trace(w, (uint32_t)nccl_ops_of(r->t)->kernels.v[kernel - r->first_kernel].work);
	return true;
}

static int64_t shift_of(const path_walk *w, uint32_t rank)
{
	return w->all->job ? w->all->job->traces.v[rank].shift : 0;
}

/* Of the rank that came last to a collective or exchange: its operation.  NONE if the kernel waits for nobody, or only
 * after the moment up to which it counts, where clocks that disagree can put it. */
static uint32_t last_op(const path_walk *w)
{
	const job *j = w->all->job;
	const job_kernel *own = &j->kernels.v[w->kernel];
	const job_op *op = &j->ops.v[own->op];
	int64_t shift = shift_of(w, w->at.rank), arrival = ns_add(own->arrival, shift);
	const job_party *p;
	size_t i;

	if (own->last == NONE || own->last == op->proc || arrival >= ns_add(w->at.until, shift))
		return NONE;
	p = &j->parties.v[op->party];
	search_first(i, p->first, p->first + p->n, job_arrival(j, j->partners.v[i]) >= arrival);
	while (i < p->first + p->n && j->ops.v[j->partners.v[i]].proc != own->last)
		i++;
	return i < p->first + p->n && w->all->first.v[j->partners.v[i]] != NONE ? j->partners.v[i] : NONE;
}

/* Go on in a process of another trace, or of the same. */
static void enter(path_walk *w, uint32_t rank, uint32_t proc)
{
	int64_t from = shift_of(w, w->at.rank), to = shift_of(w, rank);

	w->at.time.a = ns_sub(ns_add(w->at.time.a, from), to);
	w->at.time.b = ns_sub(ns_add(w->at.time.b, from), to);
	w->at.before = ns_sub(ns_add(w->at.before, from), to);
	w->at.rank = rank;
	w->at.proc = proc;
}

static uint32_t proc_of(const path_walk *w, uint32_t kernel)
{
	const path_rank *r = &w->all->v.v[w->at.rank];
	const trace *t = r->t;

	if (w->adds_up)
		return w->all->stretches.v[r->first + kernel - r->first_kernel].proc;
	return t->streams[work_stream(&t->work, nccl_ops_of(r->t)->kernels.v[kernel - r->first_kernel].work)].proc;
}

/* Charge the kernel that the walk has come to, from the moment on. */
static void charge_kernel(path_walk *w, int64_t moment)
{
	const job *j = w->all->job;
	int64_t a = moment > w->at.time.a ? moment : w->at.time.a;
	trace *t = w->all->v.v[w->at.rank].t;

	if (!w->adds_up) {
		path_charge(path_trace_of(t, true), &w->at, moment, &w->out);
	} else if (a < w->at.time.b) {
		uint32_t key = key_of(w->all, PATH_COMM, &j->names, j->kernels.v[w->kernel].name);
		add_total(w, key, w->at.time.b - a, 1);
		w->at.time.b = a;
	}
}

/* The rest of a path is unresolved. */
static void leave(path_walk *w)
{
	ival rest = w->at.time;

	w->early = ns_add(w->early, rest.b - rest.a);
	if (w->adds_up)
		add_total(w, key_of(w->all, PATH_UNRESOLVED, NULL, STR_NONE), rest.b - rest.a, 1);
	else
		vec_push(&w->out.links, (path_link){ PATH_UNRESOLVED, w->at.rank, rest.a, rest.b, NONE, NONE,
			w->at.proc });
}

/*
 * Why the walk ends.
 *
 * A step to other work of the same process always goes to work that starts earlier: path_back finds nothing else.  A
 * step into another rank goes to a kernel that starts, on the common clock, before the moment up to which the rank's
 * own kernel counts, and that moment is no later than the start of the work the walk came from.  So between two
 * launches the start of the current work only ever decreases, and there are at most as many steps as pieces of work.  A
 * launch can lead, through a call that waited, to work that starts later, though at most 20 us after that call ended;
 * but each such call ended before the previous one (`before`), so there are at most as many of these steps as calls.
 *
 * Time is charged backwards, from the walk's current moment to an earlier one, so the links cover it without gaps.
 */
static void walk_on(path_walk *w)
{
	const job *j = w->all->job;

	while (w->kernel != NONE && w->at.time.a < w->at.time.b) {
		uint32_t kernel = w->kernel, op = last_op(w);
		charge_kernel(w, op == NONE ? j->kernels.v[kernel].start : j->kernels.v[kernel].arrival);
		if (op != NONE) {
			kernel = w->all->first.v[op];
			enter(w, j->procs.v[j->ops.v[op].proc].trace, 0);
			w->at.proc = proc_of(w, kernel);
		}
		if (!go_on(w, kernel))
			return;
	}
	enter(w, w->from.rank, w->from.proc);
	if (w->at.time.a < w->at.time.b && w->at.time.b < w->from.time.b)
		leave(w);
}

/*
 * ---- a long walk in one trace
 *
 * Wherever walks begin, they soon come to the same work: the latest that others waited for.  So a long one is cut, and
 * its parts are walked side by side, each from work that starts a little after it.  Where the walk itself then comes
 * down to a part, it takes over what was found there if it is in the same place; if not, it walks through the part.
 */
enum { BEGIN_AFTER = 64 };      /* pieces of work after a part */

typedef struct {
	const path_trace *p;
	path_place begin, at;   /* of what is added up: the first and the last place */
	path_chain out;
	ival in;
} walk_part;

static void walk_down(void *ctx, size_t i)
{
	walk_part *part = &((walk_part *)ctx)[i];

	path_go(part->p, &part->at, &part->out, part->in.b);
	part->begin = part->at;
	path_chain_free(&part->out);
	part->out = path_sums(part->p);
	path_go(part->p, &part->at, &part->out, part->in.a);
}

/* Is the walk where the part begins, and does it lead on from there as that does? */
static bool is_at(const path_walk *w, const walk_part *part)
{
	const path_place *at = &w->at, *to = &part->begin;

	return at->work == to->work && at->time.b == to->time.b && (at->before == to->before ||
		(to->before == INT64_MAX && at->before >= part->at.asked));
}

static void take_over(path_walk *w, const walk_part *part)
{
	int64_t before = part->at.before == INT64_MAX ? w->at.before : part->at.before;

	for (size_t i = 0; i < part->out.met.n; i++)
		path_sums_add(&w->out, part->out.met.v[i], part->out.totals[part->out.met.v[i]]);
	w->out.seen += part->out.seen;
	w->at = part->at;
	w->at.before = before;
}

/* Of the process the GPU with the most work, at whose work parts are cut. */
static const trace_lane *busiest(const trace *t, uint32_t proc)
{
	const trace_lane *most = NULL;

	for (size_t end, i = trace_lanes(t, proc, &end); i < end; i++)
		most = !most || t->lanes[i].n > most->n ? &t->lanes[i] : most;
	return most;
}

/* Where the walk of a part begins that ends at the moment. */
static path_place place_after(const trace *t, const trace_lane *lane, int64_t moment, const path_walk *w)
{
	path_place at = path_at(w->at.rank, w->at.proc, w->at.time);
	size_t end = lane->first + lane->n, i;

	search_first(i, lane->first, end, t->work.start[i] >= moment);
	i = i + BEGIN_AFTER < end ? i + BEGIN_AFTER : end - 1;
	at.work = (uint32_t)i;
	at.time.b = t->work.start[i];
	return at;
}

static void go_side_by_side(path_walk *w, const path_trace *p)
{
	enum { MANY = 4 };      /* parts for each thread */
	const trace *t = w->all->v.v[w->from.rank].t;
	const trace_lane *lane = busiest(t, w->from.proc);
	ival_set all = { .v = &w->from.time, .n = 1 };
	size_t n = lane && t->workers.n > 1 ? window_parts(t, lane, &all) : 1, most = MANY * par_stretches(t->workers);
	walk_part *parts;

	if (n == 1)
		return;
	parts = mem_new(walk_part, n = n < most ? n : most);
	for (size_t i = 0; i < n; i++) {
		ival in = window_part(t, lane, &all, i, n);
		parts[i] = (walk_part){ .p = p, .in = in, .at = i + 1 < n ? place_after(t, lane, in.b, w) : w->at };
	}
	par_do(t->workers, n, walk_down, parts);
	for (size_t i = n; i-- > 0;) {
		path_go(p, &w->at, &w->out, parts[i].in.b);
		if (is_at(w, &parts[i]))
			take_over(w, &parts[i]);
		else
			path_go(p, &w->at, &w->out, parts[i].in.a);
		path_sums_free(p, &parts[i].out);
	}
	free(parts);
}

void path_walk_go(path_walk *w, bool adds_up)
{
	trace *t = w->all->v.v[w->from.rank].t;

	w->at = path_at(w->from.rank, w->from.proc, w->from.time);
	w->kernel = NONE;
	w->adds_up = adds_up;
	w->totals.g.width = 1;
	w->totals.size = sizeof(path_total);
	if (w->all->adds_up) {
		pass(w, &w->all->stretches.v[w->from.begin]);
	} else {
		const path_trace *p = path_trace_of(t, w->all->job);
		if (adds_up)
			w->out = path_sums(p);
		path_start(p, &w->at, w->from.gpu, &w->out);
		if (adds_up)
			go_side_by_side(w, p);
		path_go(p, &w->at, &w->out, INT64_MIN);
		come_to(w, p);
	}
	walk_on(w);
}

/* ---- what was asked for */

typedef struct {
	uint32_t rank;
	size_t number;          /* of path_ranks.asked */
	path_place from;
} ask;

typedef struct {
	path_ranks *all;
	path_load *load;
	void *ctx;
	vec(ask) asks;          /* by rank */
	vec(size_t) first;      /* the first of each rank, and at the end how many there are */
	bool failed;
} resolving;

static void resolve_rank(void *ctx, size_t i)
{
	resolving *r = ctx;
	path_ranks *all = r->all;
	const ask *first = &r->asks.v[r->first.v[i]], *end = &r->asks.v[r->first.v[i + 1]];
	trace *t = r->load(r->ctx, first->rank);
	path_stretches s = { 0 };

	for (const ask *k = first; t && k < end; k++)
		path_stretches_add(&s, t, k->from, -1);
	pthread_mutex_lock(&all->adding);
	r->failed |= !t;
	if (t) {
		uint32_t at = keep(all, first->rank, t, &s);
		for (const ask *k = first; k < end; k++)
			all->answered.v[k->number] = at++;
	}
	if (all->rounds > ROUNDS && t) {
		all->v.v[first->rank].t = t;
		all->v.v[first->rank].owned = true;
		t = NULL;
	}
	pthread_mutex_unlock(&all->adding);
	if (t)
		trace_free(t);
	path_stretches_free(&s);
}

static int by_rank(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *key = ctx;

	return key[a * ASKS + ASK_RANK] != key[b * ASKS + ASK_RANK] ?
		sort_3way(key[a * ASKS + ASK_RANK], key[b * ASKS + ASK_RANK]) : sort_3way(a, b);
}

/* What is new, by rank. */
static void list_asks(resolving *r)
{
	path_ranks *all = r->all;
	size_t before = all->answered.n, n = all->asked.n - before;
	const int64_t *key = n ? &all->asked.key[before * ASKS] : NULL;
	uint32_t *order = sort_order(n, by_rank, key);

	for (size_t i = 0; i < n; i++) {
		size_t number = order ? order[i] : i;
		const int64_t *k = &key[number * ASKS];
		const path_stretch *of = &all->stretches.v[k[ASK_STRETCH]];
		ask a = { (uint32_t)k[ASK_RANK], before + number,
			path_at((uint32_t)k[ASK_RANK], of->proc, (ival){ k[ASK_FROM], k[ASK_TO] }) };
		a.from.before = k[ASK_BEFORE];
		a.from.work = of->work;
		if (!i || r->asks.v[i - 1].rank != a.rank)
			vec_push(&r->first, i);
		vec_push(&r->asks, a);
		vec_push(&all->answered, 0);
	}
	vec_push(&r->first, n);
	free(order);
}

bool path_resolve(path_ranks *all, par threads, path_load *load, void *ctx)
{
	resolving r = { .all = all, .load = load, .ctx = ctx };
	size_t n;

	list_asks(&r);
	n = r.asks.n;
	all->rounds++;
	par_do(threads, r.first.n - 1, resolve_rank, &r);
	mem_free(r.asks.v, r.first.v);
	return n && !r.failed;
}
