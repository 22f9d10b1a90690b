#include "relate/critical_path.h"
#include "base/search.h"
#include "relate/cpu_waits.h"
#include "relate/lost_events.h"
#include "relate/process_work.h"

#include <string.h>

typedef struct {                /* a trace */
	trace *t;
	const depends *depends;
	const cpu_waits *waits;
	const process_work *near;
	const bool *lost;       /* by process: did it lose events? */
	uint32_t *kernel;       /* by work: its kernel of the job; NULL: there is none */
	int64_t shift;          /* its time plus this is that of the first trace */
} path_rank;

struct path_ranks {
	const job *job;
	vec(path_rank) v;
	uint32_t *first;        /* by operation of the job: its first kernel, as work of its trace, or NONE */
};

path_ranks *path_ranks_new(const job *j)
{
	path_ranks *all = mem_new(path_ranks, 1);

	all->job = j;
	return all;
}

void path_ranks_free(path_ranks *all)
{
	for (size_t i = 0; i < all->v.n; i++)
		free(all->v.v[i].kernel);
	vec_free(&all->v);
	free(all->first);
	free(all);
}

void path_ranks_add(path_ranks *all, trace *t, uint32_t *kernel)
{
	path_rank to = { .t = t, .depends = depends_of(t), .waits = cpu_waits_of(t), .near = process_work_of(t),
		.lost = lost_events_of(t), .kernel = kernel };

	vec_push(&all->v, to);
}

/* Find the first kernels of operations, and the clocks. */
static void use_job(path_ranks *all)
{
	const job *j = all->job;

	all->first = mem_new(uint32_t, j->ops.n);
	memset(all->first, 0xff, j->ops.n * sizeof *all->first);
	for (size_t r = 0; r < all->v.n; r++) {
		path_rank *at = &all->v.v[r];
		at->shift = j->traces.v[r].shift;
		for (size_t i = 0; i < at->t->work.n; i++) {
			uint32_t k = at->kernel[i], op = k == NONE ? NONE : j->kernels.v[k].op;
			if (op != NONE && all->first[op] == NONE && at->t->work.start[i] == j->ops.v[op].start)
				all->first[op] = (uint32_t)i;
		}
	}
}

/* ---- one walk */

typedef struct {
	const path_ranks *all;
	uint32_t rank;          /* where it is, and what is of that trace: */
	const path_rank *at;
	uint32_t proc;
	ival time;              /* what is left to explain, on that clock */
	int64_t before;         /* only calls that ended by then can lead on */
	path_chain *out;
} walk;

typedef struct {                /* where it goes on: with a piece of work that counts up to a moment */
	uint32_t work;          /* NONE: nowhere, all is explained */
	int64_t until;
} place;

static const place nowhere = { NONE, 0 };

static int64_t least(int64_t x, int64_t y)
{
	return x < y ? x : y;
}

/* Charge what is left to explain from the moment on. */
static void charge(walk *k, int64_t moment, path_link link)
{
	if (moment >= k->time.b || k->time.a >= k->time.b)
		return;
	link.a = moment > k->time.a ? moment : k->time.a;
	link.b = k->time.b;
	link.rank = k->rank;
	link.proc = k->proc;
	k->time.b = link.a;
	vec_push(k->out, link);
}

static void charge_work(walk *k, uint32_t work, int64_t moment)
{
	const trace *t = k->at->t;
	uint32_t call = t->work.launch[work];
	enum path_kind kind = trace_is_comm(t, work) ? PATH_COMM : t->work.kind[work] == WORK_KERNEL ? PATH_COMPUTE :
		t->work.kind[work] == WORK_GRAPH ? PATH_GRAPH : PATH_COPY;

	charge(k, moment, (path_link){ .kind = kind, .work = work, .thread = call == NONE ? NONE : t->calls.thread[call], .call = NONE });
}

/* How far back the walk can go here: before the first event of another rank's trace nothing is known of it. */
static int64_t earliest(const walk *k)
{
	return k->at->t->span.a > k->time.a ? k->at->t->span.a : k->time.a;
}

/* From a launch back to the end of the latest call before it that waited for work, and on to that work. */
static place from_launch(walk *k, uint32_t call)
{
	const trace_calls *c = &k->at->t->calls;
	const cpu_wait *w = cpu_waits_before(k->at->waits, c->thread[call], least(c->start[call], k->before));

	charge(k, w ? c->end[w->call] : earliest(k), (path_link){ .kind = PATH_CPU, .work = NONE, .thread = c->thread[call], .call = NONE });
	if (!w)
		return nowhere;
	charge(k, w->end, (path_link){ .kind = PATH_SYNC, .work = NONE, .thread = c->thread[w->call], .call = w->call });
	k->before = c->end[w->call] - 1;
	return (place){ w->work, w->end };
}

typedef struct {                /* what ended last before a moment, of what a piece of work had to wait for */
	enum path_kind kind;
	int64_t end;
	uint32_t work;          /* NONE: its launch */
	bool known;
	bool missing;           /* it waited for an event whose record is not in the trace, too */
} reason;

/* Work that ends later counts as ending at the moment, if it started before it. */
static void consider(const trace *t, reason *best, enum path_kind kind, uint32_t work, int64_t moment)
{
	int64_t end = work == NONE ? 0 : least(t->work.end[work], moment);

	if (work != NONE && t->work.start[work] < moment && (!best->known || end > best->end))
		*best = (reason){ kind, end, work, true, best->missing };
}

static void consider_launch(const path_rank *at, reason *best, uint32_t work, int64_t moment)
{
	const trace_calls *c = &at->t->calls;
	uint32_t call = at->t->work.launch[work];
	int64_t end;

	if (call == NONE || c->start[call] >= moment)
		return;
	end = cpu_waits_for_copy(at->waits, work) ? c->start[call] : least(c->end[call], moment);
	if (!best->known || end > best->end)
		*best = (reason){ PATH_LAUNCH, end, NONE, true, best->missing };
}

static reason reason_of(const path_rank *at, uint32_t work, int64_t moment)
{
	const trace *t = at->t;
	reason best = { .missing = depends_streamless(at->depends, work) };

	if (trace_is_migration(t, work))
		return best;
	consider(t, &best, PATH_INFERRED, depends_replayed(at->depends, work), moment);
	consider(t, &best, PATH_STREAM, depends_previous(at->depends, work), moment);
	for (const depends_wait *w = depends_waits(at->depends, work); w; w = depends_next(w)) {
		consider(t, &best, PATH_EVENT, w->on.work, moment);
		best.missing |= w->on.unresolved;
	}
	consider_launch(at, &best, work, moment);
	return best;
}

typedef struct {
	const trace_work *work;
	int64_t moment;
} limit;

/* What both starts and ends at the moment does not lead back.  To pass over it costs little: a moment is asked
 * about once. */
static bool starts_before(const void *ctx, size_t work)
{
	const limit *s = ctx;

	return s->work->start[work] < s->moment;
}

/* From the start of a piece of work to what it had to wait for. */
static place from_work(walk *k, uint32_t work)
{
	const path_rank *at = k->at;
	int64_t moment = at->t->work.start[work];
	uint32_t call = at->t->work.launch[work];
	reason why = reason_of(at, work, moment);
	path_link link = { .kind = why.kind, .work = work, .thread = NONE, .call = NONE };

	if (!why.known) {
		why.work = process_work_ended(at->near, k->proc, (ival){ INT64_MIN, moment }, starts_before,
					      &(limit){ &at->t->work, moment });
		why.end = why.work == NONE ? earliest(k) : at->t->work.end[why.work];
	}
	if (why.known && why.work == NONE) {
		link.thread = at->t->calls.thread[call];
		link.call = call;
	}
	if (!why.known || why.missing || (at->lost[k->proc] && (why.kind == PATH_STREAM || why.kind == PATH_LAUNCH)) ||
	    (why.kind == PATH_STREAM && wait_counts_blind(depends_counts(at->depends), k->proc)))
		link.kind = PATH_UNRESOLVED;
	charge(k, why.end, link);
	return why.known && why.work == NONE ? from_launch(k, call) : (place){ why.work, why.end };
}

/* Of the rank that came last to a collective or exchange: its operation; NONE if that, which counts up to `until`, waits for
 * nobody, or only after that, where clocks that disagree can put it. */
static uint32_t last_op(const walk *k, uint32_t work, int64_t until)
{
	const job *j = k->all->job;
	const job_kernel *own = j && k->at->kernel[work] != NONE ? &j->kernels.v[k->at->kernel[work]] : NULL;
	const job_op *op = own ? &j->ops.v[own->op] : NULL;
	int64_t arrival = own ? ns_add(own->arrival, k->at->shift) : 0;
	const job_party *p;
	size_t i;

	if (!op || own->last == NONE || own->last == op->proc || arrival >= ns_add(until, k->at->shift))
		return NONE;
	p = &j->parties.v[op->party];
	search_first(i, p->first, p->first + p->n, job_arrival(j, j->partners.v[i]) >= arrival);
	while (i < p->first + p->n && j->ops.v[j->partners.v[i]].proc != own->last)
		i++;
	return i < p->first + p->n && k->all->first[j->partners.v[i]] != NONE ? j->partners.v[i] : NONE;
}

/* A moment of the trace where the walk is, on the clock of another. */
static int64_t on_clock(const walk *k, const path_rank *to, int64_t moment)
{
	return ns_sub(ns_add(moment, k->at->shift), to->shift);
}

/* Go on in a process of another trace, or of the same. */
static void enter(walk *k, uint32_t rank, uint32_t proc)
{
	const path_rank *to = &k->all->v.v[rank];

	k->time = (ival){ on_clock(k, to, k->time.a), on_clock(k, to, k->time.b) };
	k->before = on_clock(k, to, k->before);
	k->rank = rank;
	k->at = to;
	k->proc = proc;
}

/* Go on in another rank, with its part of a collective. */
static place enter_op(walk *k, uint32_t op)
{
	const job *j = k->all->job;
	uint32_t rank = j->procs.v[j->ops.v[op].proc].trace, work = k->all->first[op];
	const trace *t = k->all->v.v[rank].t;

	enter(k, rank, t->streams[t->work.stream[work]].proc);
	return from_work(k, work);
}

/* Where the walk begins: with the work that runs at the end or, if none does, with what the next work waited for.  After
 * the last work there is only the CPU.  Without any work on the GPU there is no path. */
static place beginning(walk *k, int64_t gpu)
{
	const trace_work *w = &k->at->t->work;
	uint32_t last = process_work_last(k->at->near, k->proc, gpu, k->time.b), next;

	if (last != NONE && w->end[last] >= k->time.b)
		return (place){ last, w->end[last] };
	next = process_work_next(k->at->near, k->proc, gpu, k->time.b);
	if (next != NONE)
		return (place){ next, w->end[next] };
	if (last == NONE)
		return nowhere;
	charge(k, w->end[last], (path_link){ .kind = PATH_CPU, .work = NONE, .thread = NONE, .call = NONE });
	return (place){ last, w->end[last] };
}

/*
 * Why the walk ends.
 *
 * A step to other work of the same process always goes to work that starts earlier: consider and process_work_ended return
 * nothing else.  A step into another rank goes to a kernel that starts, on the common clock, before the moment up to which the
 * rank's own kernel counts, and that moment is no later than the start of the work the walk came from.  So between two launches
 * the start of the current work only ever decreases, and there are at most as many steps as pieces of work.  A launch can lead,
 * through a call that waited, to work that starts later, though at most 20 us after that call ended; but each such call ended
 * before the previous one (`before`), so there are at most as many of these steps as calls.
 *
 * Time is charged backwards, from the walk's current moment to an earlier one, so the links cover it without gaps.
 */
void path_walk(path_ranks *all, const path_from *from, path_chain *out)
{
	walk k = { .all = all, .rank = from->rank, .at = &all->v.v[from->rank], .proc = from->proc, .time = from->time,
		.before = INT64_MAX, .out = out };
	size_t first = out->n;
	place to;

	if (all->job && !all->first)
		use_job(all);
	to = beginning(&k, from->gpu);
	while (to.work != NONE && k.time.a < k.time.b) {
		uint32_t op = last_op(&k, to.work, to.until);
		charge_work(&k, to.work, op == NONE ? k.at->t->work.start[to.work] : all->job->kernels.v[k.at->kernel[to.work]].arrival);
		to = op == NONE ? from_work(&k, to.work) : enter_op(&k, op);
	}
	if (out->n > first && k.time.a < k.time.b) {
		enter(&k, from->rank, from->proc);
		charge(&k, k.time.a, (path_link){ .kind = PATH_UNRESOLVED, .work = NONE, .thread = NONE, .call = NONE });
	}
	for (size_t i = first, j = out->n; i + 1 < j; i++) {
		path_link swap = out->v[i];
		out->v[i] = out->v[--j];
		out->v[j] = swap;
	}
}

const char *path_kind_name(enum path_kind k)
{
	static const char *const names[] = {
		[PATH_COMPUTE] = "compute", [PATH_COMM] = "comm", [PATH_COPY] = "copy", [PATH_GRAPH] = "graph",
		[PATH_STREAM] = "stream", [PATH_EVENT] = "event", [PATH_LAUNCH] = "launch", [PATH_SYNC] = "sync", [PATH_CPU] = "cpu",
		[PATH_INFERRED] = "inferred", [PATH_UNRESOLVED] = "unresolved",
	};

	return names[k];
}
