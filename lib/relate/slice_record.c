#include "relate/slice_choose.h"
#include "base/memory.h"
#include "base/sums.h"
#include "relate/depends.h"
#include "relate/steps.h"

static void record_span(slice_facts *f, const char *fact, int64_t process, ival span)
{
	if (span.a <= span.b)
		SLICE_FACT(f, fact, process, span.a, span.b);
}

static void record_processes(const trace *t, slice_facts *f)
{
	for (size_t i = 0; i < t->nprocs; i++) {
		const trace_proc *p = &t->procs[i];
		SLICE_FACT(f, "process", p->id, (int64_t)p->launches, (int64_t)p->kernels, p->calls);
		record_span(f, "events", p->id, p->spans.base);
		record_span(f, "gpu", p->id, p->gpu);
		record_span(f, "marks", p->id, p->spans.marks);
		record_span(f, "cpu", p->id, p->spans.cpu);
	}
	for (uint32_t i = 0; i < t->nthreads; i++)
		SLICE_FACT(f, "thread", slice_thread_id(t, i), (int64_t)t->threads[i].calls,
			   (int64_t)t->threads[i].nccl_ranges, (int64_t)t->threads[i].ranges);
	for (size_t i = 0; i < t->nstreams; i++) {
		const trace_stream *s = &t->streams[i];
		SLICE_FACT(f, "stream", t->procs[s->proc].id, s->gpu, s->ctx, s->stream, s->class);
	}
}

/* Are all parts of the window kept of a process? */
static bool is_kept(const slice_keep *k, const window *w, size_t proc)
{
	bool ok = k->cpu[proc].n && k->gpu[proc].n;

	for (size_t i = 0; ok && i < w->gpu.n; i++)
		ok = ival_holds(&k->gpu[proc], w->gpu.v[i].a, w->gpu.v[i].b);
	for (size_t i = 0; ok && i < w->cpu.n; i++)
		ok = ival_holds(&k->cpu[proc], w->cpu.v[i].a, w->cpu.v[i].b);
	return ok;
}

/* A row for each part, of both sides if both have so many; process 0: all of them. */
static void record_window(const window *w, int64_t process, slice_facts *f)
{
	const ival none = { 0, 0 };

	for (size_t i = 0; i < w->gpu.n || i < w->cpu.n; i++) {
		ival gpu = i < w->gpu.n ? w->gpu.v[i] : none, cpu = i < w->cpu.n ? w->cpu.v[i] : none;
		SLICE_FACT(f, "window", gpu.a, gpu.b, cpu.a, cpu.b, process);
	}
}

static void record_windows(const trace *t, const windows *all, const slice_keep *k, slice_facts *f)
{
	for (size_t i = 0; i < all->n; i++) {
		const window *w = &all->v[i];
		if (w->proc == NONE)
			record_window(w, 0, f);
		for (size_t p = 0; w->proc != NONE && p < t->nprocs; p++)
			if (is_kept(k, w, p))
				record_window(w, t->procs[p].id, f);
	}
}

/* ---- in terms of the work that is kept, numbered in the order that it will have there */

typedef struct {
	trace *t;
	const slice_keep *k;
	slice_facts *f;
	uint32_t *number;       /* by work: its number in the slice, or NONE */
} recording;

static void number_work(recording *r)
{
	const trace *t = r->t;
	uint32_t n = 0;

	r->number = mem_new(uint32_t, t->work.n);
	for (size_t i = 0; i < t->work.n; i++) {
		int64_t process = t->procs[t->streams[work_stream(&t->work, i)].proc].id;
		bool kept = slice_keeps_work(r->k, process, t->work.corr[i], t->work.start[i],
					     work_end(&t->work, i));
		r->number[i] = kept ? n++ : NONE;
	}
}

/* A number from 1, as 0 is none. */
static int64_t number_of(const recording *r, uint32_t work)
{
	return work == NONE || r->number[work] == NONE ? 0 : (int64_t)r->number[work] + 1;
}

/* Is the work kept, and does anybody ask what it waited for? */
static bool is_asked(const recording *r, size_t work)
{
	const trace_work *w = &r->t->work;

	return r->number[work] != NONE &&
		slice_keep_near(r->k, r->t->streams[work_stream(w, work)].proc, w->start[work], work_end(w, work));
}

/* What each piece of work waited for. */
static void record_depends(recording *r)
{
	const depends *d = depends_of(r->t);

	for (uint32_t i = 0; i < r->t->work.n; i++)
		if (is_asked(r, i)) {
			int64_t before = number_of(r, depends_previous(d, i));
			SLICE_FACT(r->f, "after", r->number[i], before, number_of(r, depends_replayed(d, i)));
		}
	for (uint32_t i = 0; i < r->t->work.n; i++)
		for (const depends_wait *w = is_asked(r, i) ? depends_waits(d, i) : NULL; w; w = depends_next(w))
			SLICE_FACT(r->f, "awaits", r->number[i], number_of(r, w->on.work), w->on.unresolved);
}

/* What calls that synchronize waited for: their rows are told by the thread and the start of the call. */
static void record_syncs(recording *r)
{
	const trace *t = r->t;
	const trace_calls *c = &t->calls;
	const depends *d = depends_of(r->t);
	const uint8_t *kind = sync_calls(r->t);

	for (size_t i = 0; i < t->syncs.n; i++) {
		uint32_t call = t->syncs.call[i], thread = calls_thread(c, call);
		depends_on on = depends_sync(d, i);
		if (t->syncs.record[i] || kind[calls_kind(c, call)] == SYNC_CALL_TELL ||
		    (i && t->syncs.call[i - 1] == call) ||
		    !slice_keep_near(r->k, t->threads[thread].proc, c->start[call], calls_end(c, call)))
			continue;
		SLICE_FACT(r->f, "sync", slice_thread_id(t, thread), c->start[call], number_of(r, on.work),
			   on.unresolved);
	}
	wait_counts_record(depends_counts(d), r->f);
}

/* The first kernel of each operation in the slice, as number_of has it. */
static int64_t *number_ops(const recording *r, const job *j, const uint32_t *kernel)
{
	int64_t *first = mem_new(int64_t, j->ops.n);

	for (uint32_t i = 0; i < r->t->work.n; i++)
		if (kernel[i] != NONE && j->kernels.v[kernel[i]].leads)
			first[j->kernels.v[kernel[i]].op] = number_of(r, i);
	return first;
}

/* The numbers of messages among those of the same process, peer and direction. */
static void record_messages(recording *r, const job *j, const int64_t *first)
{
	sums before = sums_by(4, sizeof(int64_t));

	for (size_t i = 0; i < j->messages.n; i++) {
		const job_message *m = &j->messages.v[i];
		const job_op *op = &j->ops.v[m->op];
		int64_t *n = sums_of(&before, (int64_t[]){ op->comm, op->proc, m->peer, m->send });
		++*n;
		if (first[m->op] && op->comm != NONE)
			SLICE_FACT(r->f, "message", first[m->op], (int64_t)(i - op->first_message), *n);
	}
	sums_free(&before);
}

/* Whom each operation is matched with, and its number.  Parties are numbered from 1, in the order of operations. */
static void record_ops(recording *r, const job *j, const uint32_t *kernel)
{
	int64_t *first = number_ops(r, j, kernel), *party = mem_new(int64_t, j->parties.n), n = 0;

	for (size_t i = 0; i < j->ops.n; i++) {
		uint32_t p = first[i] ? j->ops.v[i].party : NONE;
		if (p != NONE && !party[p]) {
			party[p] = ++n;
			for (size_t k = j->parties.v[p].first; k < j->parties.v[p].first + j->parties.v[p].n; k++)
				if (first[j->partners.v[k]])
					SLICE_FACT(r->f, "partner", n, first[j->partners.v[k]],
						   (int64_t)j->parties.v[p].missing);
		}
	}
	for (size_t i = 0; i < j->ops.n; i++)
		if (first[i])
			SLICE_FACT(r->f, "operation", first[i], j->ops.v[i].seq,
				   j->ops.v[i].party == NONE ? 0 : party[j->ops.v[i].party]);
	record_messages(r, j, first);
	for (size_t i = 0; i < j->comms.n; i++)
		if (!j->comms.v[i].by_order)
			SLICE_FACT(r->f, "communicator", (int64_t)j->comms.v[i].id,
				   j->comms.v[i].size == TRACE_UNKNOWN ? -(int64_t)j->comms.v[i].n :
				   job_ranks(j, (uint32_t)i));
	mem_free(party, first);
}

/* ---- steps */

/* What steps are called that no range is: a piece of work has that name. */
static void record_anchor(recording *r, int64_t process, uint32_t name)
{
	uint32_t i = 0;

	while (i < r->t->work.n && (r->number[i] == NONE || work_name(&r->t->work, i) != name))
		i++;
	if (i < r->t->work.n)
		SLICE_FACT(r->f, "anchor", process, r->number[i]);
}

static void record_steps(recording *r)
{
	step_set all = steps_find(r->t, projection_on(r->t, -1), NULL, false);

	SLICE_FACT(r->f, "rule", all.rule);
	for (size_t p = 0; p < all.n; p++)
		for (size_t i = 0; all.of[p].rule != STEPS_PROCESS && i < all.of[p].n; i++) {
			const step *s = &all.of[p].v[i];
			SLICE_FACT(r->f, "step", r->t->procs[p].id, s->cpu.a, s->cpu.b, s->gpu.a, s->gpu.b,
			     s->on_cpu ? -1 : (int64_t)s->work);
		}
	for (size_t p = 0; p < all.n && all.rule == STEPS_REPEAT; p++) {
		const step *after = &all.of[p].after;
		if (all.of[p].n && all.of[p].rule == STEPS_REPEAT)
			record_anchor(r, r->t->procs[p].id, all.of[p].v[0].name);
		if (after->name != STR_NONE)
			SLICE_FACT(r->f, "last step", r->t->procs[p].id, after->cpu.a, after->gpu.a);
	}
	steps_free(&all);
}

void slice_record(trace *t, const windows *all, const slice_keep *k, const job *j, const uint32_t *kernel,
		  slice_facts *f)
{
	recording r = { t, k, f, NULL };
	ival metrics = IVAL_NOWHERE;

	record_windows(t, all, k, f);
	record_processes(t, f);
	for (size_t i = 0; i < t->nmetrics; i++) {
		const trace_metric *m = &t->metrics[i];
		metrics = ival_hull(metrics, (ival){ m->time[0], m->time[m->n - 1] });
	}
	record_span(f, "metrics", 0, metrics);
	number_work(&r);
	record_depends(&r);
	record_syncs(&r);
	if (kernel)
		record_ops(&r, j, kernel);
	record_steps(&r);
	free(r.number);
}
