#include "launch/wait_counts.h"
#include "base/sums.h"

typedef struct {
	int64_t waits, found;
} counts;

struct wait_counts {
	trace *t;
	sums contexts;          /* by process and context; waits: the waits with a row; found: those with a record */
	counts *of_lane;        /* by lane: the sums of the contexts of its streams */
	counts *of_proc;        /* by process; waits: the calls that tell a stream to wait; found: those with a row */
};

wait_counts *wait_counts_build(trace *t)
{
	wait_counts *c = mem_new(wait_counts, 1);
	const uint8_t *kind = sync_calls(t);
	size_t *captures = mem_new(size_t, t->nthreads), row = 0;       /* by thread: number of captures under way */

	*c = (wait_counts){ .t = t, .contexts = sums_by(2, sizeof(counts)), .of_lane = mem_new(counts, t->nlanes),
		.of_proc = mem_new(counts, t->nprocs) };
	for (size_t i = 0; i < t->calls.n; i++) {
		enum sync_call what = (enum sync_call)kind[t->calls.kind[i]];
		uint32_t thread;
		counts *to;
		bool has_row;
		if (what != SYNC_CALL_STREAM_WAIT && what != SYNC_CALL_BEGIN_CAPTURE && what != SYNC_CALL_END_CAPTURE)
			continue;
		thread = calls_thread(&t->calls, i);
		to = &c->of_proc[t->threads[thread].proc];
		while (row < t->syncs.n && t->syncs.call[row] < i)
			row++;
		has_row = row < t->syncs.n && t->syncs.call[row] == i && !t->syncs.record[row];
		if (what == SYNC_CALL_BEGIN_CAPTURE)
			captures[thread]++;
		else if (what == SYNC_CALL_END_CAPTURE && captures[thread])
			captures[thread]--;
		else if (what == SYNC_CALL_STREAM_WAIT && (has_row || !captures[thread]))
			*to = (counts){ to->waits + 1, to->found + has_row };
	}
	free(captures);
	return c;
}

void wait_counts_free(wait_counts *c)
{
	sums_free(&c->contexts);
	mem_free(c->of_lane, c->of_proc, c);
}

void wait_counts_add(wait_counts *c, uint32_t proc, int64_t ctx, int64_t waits, int64_t found)
{
	counts *to = sums_of(&c->contexts, (int64_t[]){ proc, ctx });

	to->waits += waits;
	to->found += found;
}

/* Sums the contexts of each lane.  Streams are sorted by process, GPU and context, lanes by process and GPU. */
void wait_counts_sum_lanes(wait_counts *c)
{
	const trace *t = c->t;
	size_t lane = 0;

	for (size_t i = 0; i < t->nstreams; i++) {
		const trace_stream *st = &t->streams[i];
		bool same = i && st[-1].proc == st->proc && st[-1].gpu == st->gpu;
		const counts *sum = sums_of(&c->contexts, (int64_t[]){ st->proc, st->ctx });
		lane += i && !same;
		if (same && st[-1].ctx == st->ctx)
			continue;
		c->of_lane[lane].waits += sum->waits;
		c->of_lane[lane].found += sum->found;
	}
}

static int64_t wait_counts_count_without_row(const wait_counts *c, uint32_t proc)
{
	return c->of_proc[proc].waits - c->of_proc[proc].found;
}

void wait_counts_of(const wait_counts *c, size_t lane, int64_t *waits, int64_t *found)
{
	*waits = c->of_lane[lane].waits + wait_counts_count_without_row(c, c->t->lanes[lane].proc);
	*found = c->of_lane[lane].found;
}

bool wait_counts_lacks_rows(const wait_counts *c, uint32_t proc)
{
	return c->of_proc[proc].found < wait_counts_count_without_row(c, proc);
}

static void wait_counts_warn_of_missing_rows(const wait_counts *c, notes *say, uint32_t proc)
{
	notes_warn(say,
		   "%lld of %lld waits for events by process %s in '%s' name no event; time that depends on one "
		   "is unresolved",
		   (long long)wait_counts_count_without_row(c, proc), (long long)c->of_proc[proc].waits,
		   c->t->procs[proc].shown, c->t->path);
}

void wait_counts_warn(const wait_counts *c, notes *say)
{
	const trace *t = c->t;
	counts all = { 0 };

	for (size_t l = 0; l < t->nlanes; l++) {
		uint32_t proc = t->lanes[l].proc;
		bool first = !l || t->lanes[l - 1].proc != proc;
		all.waits += c->of_lane[l].waits;
		all.found += c->of_lane[l].found;
		if (first && wait_counts_lacks_rows(c, proc))
			wait_counts_warn_of_missing_rows(c, say, proc);
		else if (first)
			all.waits += wait_counts_count_without_row(c, proc);
	}
	if (all.found < all.waits)
		notes_warn(say, "%lld of %lld waits for events in '%s' (%.2f %%) have no record in the trace; such "
			   "time is unresolved", (long long)(all.waits - all.found), (long long)all.waits, t->path,
			   100.0 * (double)(all.waits - all.found) / (double)all.waits);
}
