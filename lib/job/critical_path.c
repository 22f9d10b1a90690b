#include "job/critical_path.h"
#include "base/search.h"
#include "launch/cpu_waits.h"
#include "launch/depends.h"
#include "timeline/lost_events.h"
#include "job/nccl_ops.h"
#include "timeline/process_work.h"
#include "trace/call_class.h"

struct path_facts {
	trace *t;
	const depends *depends;
	const cpu_waits *waits;
	const bool *lost;       /* for each process: did it lose events? */
	uint32_t *kernel;       /* for each piece of work: what path_nccl_kernel_of returns; NULL: built without
				 * through_ranks */
	const uint32_t *base;   /* for each name of a call, a string of the trace: the name without its version */
};

static void *critical_path_build_facts(trace *t, int64_t through_ranks)
{
	path_facts *p = mem_new(path_facts, 1);
	const nccl_ops *ops = through_ranks ? nccl_ops_of(t) : NULL;

	*p = (path_facts){ .t = t, .depends = depends_of(t), .waits = cpu_waits_of(t),
		.lost = lost_events_of(t), .base = call_base_names(t) };
	if (ops) {
		p->kernel = mem_none(uint32_t, t->work.n);
		for (size_t i = 0; i < ops->kernels.n; i++)
			p->kernel[ops->kernels.v[i].work] = (uint32_t)i;
	}
	return p;
}

static void critical_path_free_facts(void *made)
{
	path_facts *p = made;

	mem_free(p->kernel, p);
}

const path_facts *path_facts_of(trace *t, bool through_ranks)
{
	return trace_keep(t, critical_path_build_facts, through_ranks, critical_path_free_facts);
}

uint32_t path_nccl_kernel_of(const path_facts *p, uint32_t work)
{
	return p->kernel && work != NONE ? p->kernel[work] : NONE;
}

/* The name of the kernel, copy, graph or call of a link, or STR_NONE. */
static uint32_t critical_path_name_of(const path_facts *p, enum path_kind kind, uint32_t work, uint32_t call)
{
	uint32_t name = kind == PATH_DISPATCH || kind == PATH_SYNC ? calls_name(&p->t->calls, call) : STR_NONE;

	return kind <= PATH_GRAPH ? work_name(&p->t->work, work) : name == STR_NONE ? STR_NONE : p->base[name];
}

/* Charges the time from the moment, or from at->time.a if that is later, to at->time.b.  Moves at->time.b back to the
 * start of the charged time. */
static void critical_path_charge_time(const path_facts *p, path_place *at, int64_t moment, enum path_kind kind,
				      uint32_t work, uint32_t call, const path_taker *out)
{
	int64_t a = ns_max(moment, at->time.a);

	if (a >= at->time.b)
		return;
	out->take(out->ctx,
		  &(path_link){ kind, critical_path_name_of(p, kind, work, call), at->rank, a, at->time.b, work, call,
				at->proc });
	at->time.b = a;
}

void path_charge(const path_facts *p, path_place *at, int64_t moment, const path_taker *out)
{
	const trace *t = p->t;
	uint32_t work = at->work;
	enum path_kind kind = trace_is_comm(t, work) ? PATH_COMM : t->work.kind[work] == WORK_KERNEL ? PATH_COMPUTE :
		t->work.kind[work] == WORK_GRAPH ? PATH_GRAPH : PATH_COPY;

	critical_path_charge_time(p, at, moment, kind, work, t->work.launch[work], out);
}

/* The earliest moment to which the walk can go back in this rank.  Nothing is known of a rank before the first event of
 * its trace. */
static int64_t critical_path_earliest_moment(const path_facts *p, const path_place *at)
{
	return ns_max(p->t->span.a, at->time.a);
}

static void critical_path_go_to_work(path_place *at, uint32_t work, int64_t until)
{
	at->work = work;
	at->until = until;
}

/* Moves from a launch back to the end of the latest earlier call that waited for work, and on to that work. */
static void critical_path_follow_launch(const path_facts *p, path_place *at, uint32_t call, const path_taker *out)
{
	const trace_calls *c = &p->t->calls;
	const cpu_wait *w = cpu_waits_before(p->waits, calls_thread(c, call), ns_min(c->start[call], at->before));

	critical_path_charge_time(p, at, w ? c->end[w->call] : critical_path_earliest_moment(p, at), PATH_CPU, NONE,
				  call, out);
	critical_path_go_to_work(at, NONE, 0);
	if (w) {
		critical_path_charge_time(p, at, w->end, PATH_SYNC, NONE, w->call, out);
		at->before = c->end[w->call] - 1;
		critical_path_go_to_work(at, w->work, w->end);
	}
}

typedef struct {                /* of the things that a piece of work waited for, the last to end before a moment */
	enum path_kind kind;    /* PATH_UNRESOLVED: nothing ended before the moment */
	int64_t end;
	uint32_t work;          /* the work that ended last; NONE: it was the launch, or nothing ended before the
				 * moment */
	bool missing;           /* did the piece also wait for an event whose record is not in the trace, or is its
				 * stream unknown? */
} reason;

/* Sets *best to `work` if that ended later than the best so far.  Work that runs at the moment counts as ending there;
 * work that starts at that moment or later is ignored. */
static void critical_path_consider_reason(const trace *t, reason *best, enum path_kind kind, uint32_t work,
					  int64_t moment)
{
	int64_t end;

	if (work == NONE || t->work.start[work] >= moment)
		return;
	end = ns_min(t->work.end[work], moment);
	if (best->kind == PATH_UNRESOLVED || end > best->end)
		*best = (reason){ kind, end, work, best->missing };
}

/* Sets *best to the launch of `work` if that ended later than the best so far.  It ends when the launching call
 * returns, or at the moment if the call is still open then; for a copy that its call waits for, it ends when the call
 * starts. */
static void critical_path_consider_launch(const path_facts *p, reason *best, uint32_t work, int64_t moment)
{
	const trace_calls *c = &p->t->calls;
	uint32_t call = p->t->work.launch[work];
	int64_t end;

	if (call == NONE || c->start[call] >= moment)
		return;
	end = ns_min(c->end[call], moment);
	if (cpu_waits_for_copy(p->waits, work))
		end = c->start[call];
	if (end > best->end)
		*best = (reason){ PATH_DISPATCH, end, NONE, best->missing };
}

static reason critical_path_find_reason(const path_facts *p, uint32_t work, int64_t moment)
{
	const trace *t = p->t;
	bool stream_only = depends_on_stream_only(p->depends, work);
	reason best = { PATH_UNRESOLVED, INT64_MIN, NONE, !stream_only && depends_streamless(p->depends, work) };
	uint32_t replayed = depends_replayed(p->depends, work), previous = depends_previous(p->depends, work);

	if (trace_is_migration(t, work))
		return best;
	critical_path_consider_reason(t, &best, PATH_INFERRED, replayed, moment);
	if (previous != replayed)
		critical_path_consider_reason(t, &best, PATH_STREAM, previous, moment);
	for (const depends_wait *w = stream_only ? NULL : depends_waits(p->depends, work); w; w = depends_next(w)) {
		critical_path_consider_reason(t, &best, PATH_EVENT, w->on.work, moment);
		best.missing |= w->on.unresolved;
	}
	critical_path_consider_launch(p, &best, work, moment);
	return best;
}

/* Does the trace say too little about the process for a link of this kind? */
static bool critical_path_is_doubtful(const path_facts *p, enum path_kind kind, uint32_t proc)
{
	return (kind == PATH_STREAM || kind == PATH_DISPATCH) &&
		(p->lost[proc] || (kind == PATH_STREAM && wait_counts_lacks_rows(depends_counts(p->depends), proc)));
}

void path_step_back(const path_facts *p, path_place *at, const path_taker *out)
{
	const trace_work *w = &p->t->work;
	uint32_t work = at->work, call = w->launch[work];
	int64_t moment = w->start[work];
	reason why = critical_path_find_reason(p, work, moment);
	enum path_kind kind = why.kind;
	bool doubtful = why.missing || critical_path_is_doubtful(p, why.kind, at->proc);

	if (why.kind == PATH_UNRESOLVED) {      /* go to work that started and ended before the moment; the walk would
						 * never leave work of length 0 at the moment */
		why.work = process_work_ended(p->t, at->proc, (ival){ INT64_MIN, moment }, NONE, moment);
		why.end = why.work == NONE ? critical_path_earliest_moment(p, at) : w->end[why.work];
	}
	critical_path_charge_time(p, at, why.end, doubtful ? PATH_UNRESOLVED : kind, work,
				  kind == PATH_DISPATCH ? call : NONE, out);
	if (kind == PATH_DISPATCH)
		critical_path_follow_launch(p, at, call, out);
	else
		critical_path_go_to_work(at, why.work, why.end);
}

/* A walk begins with the work that runs at the end of the time.  If none runs, it begins at the start of the next work,
 * so that the path consists of what this work waited for.  If there is no next work, the time after the last work is
 * CPU time.  A process without GPU work has no path. */
void path_start(const path_facts *p, path_place *at, int64_t gpu, const path_taker *out)
{
	const trace_work *w = &p->t->work;
	uint32_t last = process_work_last(p->t, at->proc, gpu, at->time.b), begin = last;

	if (last == NONE || w->end[last] < at->time.b)
		begin = process_work_next(p->t, at->proc, gpu, at->time.b);
	if (begin == NONE && last != NONE) {
		critical_path_charge_time(p, at, w->end[last], PATH_CPU, NONE, NONE, out);
		begin = last;
	}
	critical_path_go_to_work(at, begin, begin == NONE ? 0 : w->end[begin]);
}

void path_walk_on(const path_facts *p, path_place *at, const path_taker *out)
{
	while (at->work != NONE && at->time.a < at->time.b && path_nccl_kernel_of(p, at->work) == NONE) {
		path_charge(p, at, p->t->work.start[at->work], out);
		path_step_back(p, at, out);
	}
}

uint32_t path_thread(const trace *t, const path_link *link)
{
	return link->call == NONE ? NONE : calls_thread(&t->calls, link->call);
}

const char *path_kind_name(enum path_kind k)
{
	static const char *const names[] = {
		[PATH_COMPUTE] = "compute", [PATH_COMM] = "comm", [PATH_COPY] = "copy", [PATH_GRAPH] = "graph",
		[PATH_STREAM] = "stream", [PATH_EVENT] = "event", [PATH_DISPATCH] = "dispatch", [PATH_SYNC] = "sync",
		[PATH_CPU] = "cpu", [PATH_INFERRED] = "inferred", [PATH_UNRESOLVED] = "unresolved",
	};

	return names[k];
}
