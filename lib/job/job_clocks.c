#include "job/job_parts.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/stats.h"

#include <string.h>

/*
 * The clocks are aligned trace by trace, breadth first from the first trace, along the collectives that two traces
 * share.  If the operations of two traces do not fit by UTC, there are several explanations: UTC is right and one
 * capture lacks some operations; both captures hold the same operations and UTC is wrong; or the captures differ and
 * UTC is wrong.  The explanation with the highest score wins; if scores are equal, the first in this order.  An
 * explanation by a wrong clock must also be convincing (job_clocks_is_convincing) and, if UTC is a possible explanation
 * too, score more than twice as much as UTC (job_clocks_try_ends).
 */

typedef struct {                /* two processes, one of each of two traces, on the same communicator */
	const job_member *a, *b;
	bool by_order;          /* was the communicator found by the order of operations?  If so, the items of a and b
				 * are aligned already */
} meeting;

typedef vec(meeting) meetings;

typedef struct {
	int64_t ahead;          /* b's time plus this is a's time, ns */
	int64_t score;          /* the number of pairs that are possible, minus the number of impossible ones */
	size_t pairs, impossible;       /* as in job_fit, over all meetings */
	bool partial;           /* has some meeting no shift that fits? */
	bool shifted;           /* is some shift not 0, or has one process of a meeting more operations than the
				 * other? */
} explanation;

typedef struct {                /* how the clock of a trace was corrected against that of another */
	uint32_t against, trace;
	int64_t by;             /* how far the clock is shifted from where UTC puts it, ns */
	int64_t left;           /* after the correction, half of the ends still differ by at most this, ns */
	size_t pairs, impossible;       /* as in job_fit, over all meetings */
} correction;

typedef struct {
	job *j;
	bool by_ends;           /* do the ends of collectives decide, whatever UTC says? (job_align_clocks) */
	bool doubt;             /* is UTC unknown or wrong for two traces, or do their hosts differ? */
	notes *say;
	bool *aligned;          /* by trace: is it aligned? */
	bool *met;              /* by trace: does it share a communicator with the current trace? */
	uint32_t *by_trace;     /* indices of members, sorted by trace */
	size_t *first;          /* by trace: where its members begin in by_trace; the last entry is the number of
				 * members */
	bool *comm_done;        /* by communicator: are all its traces aligned? */
	vec(uint32_t) queue;    /* aligned traces, in the order in which they are visited */
	vec(correction) corrections;
	vec(int64_t) shared;    /* by trace: an upper bound of the operations that it shares with the current trace
				 * (job_clocks_update_shared) */
} job_clocks_ctx;

static uint32_t job_clocks_trace_of(const job *j, const job_member *m)
{
	return j->procs.v[m->proc].trace;
}

/* The meetings of two traces: for each communicator that they share, the first process of each. */
static meetings job_clocks_find_meetings(const job_clocks_ctx *x, uint32_t a, uint32_t b)
{
	const job *j = x->j;
	meetings found = { 0 };

	for (size_t i = x->first[a]; i < x->first[a + 1]; i++) {
		const job_member *m = &j->members.v[x->by_trace[i]];
		const job_comm *c = &j->comms.v[m->comm];
		size_t k, end = c->first + c->n;
		if (i > x->first[a] && j->members.v[x->by_trace[i - 1]].comm == m->comm)
			continue;
		search_first(k, c->first, end, job_clocks_trace_of(j, &j->members.v[k]) >= b);
		if (k < end && job_clocks_trace_of(j, &j->members.v[k]) == b)
			vec_push(&found, (meeting){ m, &j->members.v[k], c->by_order });
	}
	return found;
}

/* Measures how far b's clock is behind a's.  *ahead gets the median distance, ns, between the ends of the operations
 * that need all processes and that a and b share under these shifts.  Half of these distances differ from the median by
 * at most *left.  Only meetings with use[] count.  False: there is no such operation. */
static bool job_clocks_measure_ends(const meetings *l, const int64_t *shift, const bool *use, int64_t *ahead,
				    int64_t *left)
{
	vec(int64_t) d = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		const job_member *a = l->v[i].a, *b = l->v[i].b;
		for (size_t k = 0; use[i] && k < b->items.n; k++) {
			int64_t at = (int64_t)k + shift[i];
			const job_item *x = at >= 0 && at < (int64_t)a->items.n ? &a->items.v[at] : NULL;
			const job_item *y = &b->items.v[k];
			if (x && x->needs_all && !x->mixed && !y->mixed)
				vec_push(&d, ns_sub(x->end, y->end));
		}
	}
	if (d.n) {
		*ahead = stats_median(d.v, d.n);
		for (size_t i = 0; i < d.n; i++)
			d.v[i] = d.v[i] > *ahead ? ns_sub(d.v[i], *ahead) : ns_sub(*ahead, d.v[i]);
		*left = stats_median(d.v, d.n);
	}
	bool any = d.n;
	vec_free(&d);
	return any;
}

typedef struct {
	const meetings *l;
	int64_t *shift;         /* by meeting: its shift, as in job_fit */
	bool *use;              /* by meeting: does it count?  Only a meeting with a shift that fits does */
} shifts;

/* Finds the shift of a meeting for clocks that differ by `ahead`.  False if there is none. */
static bool job_clocks_find_shift(const meeting *m, int64_t ahead, job_fit *fit)
{
	job_sequence a = job_items(m->a), b = job_items(m->b);

	if (m->by_order)
		*fit = job_fit_of(a, b, ahead, m->b->shift - m->a->shift);
	return m->by_order ? fit->pairs : job_best_shift(a, b, ahead, fit);
}

/* How well the operations of all meetings fit, for clocks that differ by `ahead`.  Sets the shift of each meeting. */
static explanation job_clocks_judge_distance(shifts *s, int64_t ahead)
{
	explanation e = { .ahead = ahead };

	for (size_t i = 0; i < s->l->n; i++) {
		const meeting *m = &s->l->v[i];
		job_fit fit = { 0 };
		s->use[i] = job_clocks_find_shift(m, ahead, &fit);
		s->shift[i] = fit.shift;
		e.pairs += s->use[i] ? fit.pairs : 0;
		e.impossible += s->use[i] ? fit.impossible : 0;
		e.partial |= !s->use[i];
		e.shifted |= !m->by_order && s->use[i] && (fit.shift || m->a->items.n != m->b->items.n);
	}
	e.score = (int64_t)e.pairs - 2 * (int64_t)e.impossible;
	return e;
}

/* The meeting in which b has the most operations. */
static size_t job_clocks_find_longest_meeting(const meetings *l)
{
	size_t best = 0;

	for (size_t i = 1; i < l->n; i++)
		if (l->v[i].b->items.n > l->v[best].b->items.n)
			best = i;
	return best;
}

/* The most operations that need all processes and that the two traces can share. */
static int64_t job_clocks_count_most_shared(const meetings *l)
{
	int64_t n = 0;

	for (size_t i = 0; i < l->n; i++) {
		const job_member *m = l->v[i].a->items.n < l->v[i].b->items.n ? l->v[i].a : l->v[i].b;
		for (size_t k = 0; k < m->items.n; k++)
			n += m->items.v[k].needs_all;
	}
	return n;
}

/* Is the explanation good enough to believe that a clock is wrong?  If it says that the captures differ, its score must
 * be at least FEW, and at least half of the operations that the captures can share.  Otherwise two captures that merely
 * follow each other would fit somewhere. */
static bool job_clocks_is_convincing(const shifts *s, const explanation *e)
{
	enum { FEW = 4 };

	return !e->shifted || (e->score >= FEW && 2 * e->score >= job_clocks_count_most_shared(s->l));
}

/* Tries clocks under which ends agree: first the ends of all meetings, unshifted; then those of the longest meeting
 * alone, under each shift from 1 - FAR to FAR.  Meetings found by order keep their own shifts.  best: at first, the
 * explanation by UTC.  UTC fits if it gives each meeting a shift and makes nothing impossible.  Other clocks must then
 * score more than twice as much, because steps that are all alike also fit one step later. */
static void job_clocks_try_ends(shifts *s, explanation *best)
{
	enum { FAR = 16 };
	size_t longest = job_clocks_find_longest_meeting(s->l);
	int64_t least = best->impossible || best->partial ? best->score : 2 * best->score;

	for (int64_t i = -1; i < 2 * FAR; i++) {
		int64_t shift = i <= 0 ? 0 : i % 2 ? (i + 1) / 2 : -i / 2, ahead, left;
		explanation e;
		for (size_t k = 0; k < s->l->n; k++) {
			const meeting *m = &s->l->v[k];
			s->shift[k] = m->by_order ? m->b->shift - m->a->shift : shift;
			s->use[k] = (i < 0 || k == longest) &&
				job_items_agree(job_items(m->a), job_items(m->b), s->shift[k]);
		}
		if (!job_clocks_measure_ends(s->l, s->shift, s->use, &ahead, &left))
			continue;
		e = job_clocks_judge_distance(s, ahead);
		if (e.score > best->score && e.score > least && job_clocks_is_convincing(s, &e))
			*best = e;
	}
}

int64_t job_compare_utc(const job_trace *a, const job_trace *b)
{
	return a->has_utc && b->has_utc ? ns_sub(b->utc, a->utc) : 0;
}

static bool job_clocks_may_share_host(const job_trace *a, const job_trace *b)
{
	return !a->host || !b->host || strcmp(a->host, b->host) == 0;
}

static const char *job_clocks_format_time(arena *texts, int64_t ns)
{
	double size = ns < 0 ? -(double)ns : (double)ns;

	return size >= 1e6 ? arena_printf(texts, "%.3f ms", (double)ns / 1e6) :
		arena_printf(texts, "%.1f us", (double)ns / 1e3);
}

/* Aligns the clock of trace b to that of a, by setting job_trace.pairing.  False: nothing that they share can be
 * matched. */
static bool job_clocks_align_two(job_clocks_ctx *x, uint32_t index_a, uint32_t index_b)
{
	job_trace *a = &x->j->traces.v[index_a], *b = &x->j->traces.v[index_b];
	meetings l = job_clocks_find_meetings(x, index_a, index_b);
	shifts s = { &l, mem_new(int64_t, l.n), mem_new(bool, l.n) };
	int64_t utc = job_compare_utc(a, b), ahead, left;
	explanation best = job_clocks_judge_distance(&s, utc);
	bool doubt_utc = !a->has_utc || !b->has_utc || !job_clocks_may_share_host(a, b) || best.impossible;

	if (best.shifted || best.impossible || best.partial)
		job_clocks_try_ends(&s, &best);
	doubt_utc |= best.ahead != utc;         /* by UTC, their operations do not run at the same times */
	x->doubt |= doubt_utc && best.pairs;
	job_clocks_judge_distance(&s, best.ahead);
	if ((doubt_utc || x->by_ends) && job_clocks_measure_ends(&l, s.shift, s.use, &ahead, &left)) {
		best = job_clocks_judge_distance(&s, ahead);
		vec_push(&x->corrections, (correction){ index_a, index_b, ns_sub(ahead, utc), left, best.pairs,
			 best.impossible });
	}
	b->pairing = ns_add(a->pairing, best.ahead);
	mem_free(s.shift, s.use, l.v);
	return best.pairs;
}

/* With `add`: for each trace, adds up an upper bound of the operations that it shares with this one, on communicators
 * that are not `comm_done` yet.  Without `add`: clears these sums, and `met`. */
static void job_clocks_update_shared(job_clocks_ctx *x, uint32_t at, bool add)
{
	const job *j = x->j;

	for (size_t i = x->first[at]; i < x->first[at + 1]; i++) {
		const job_member *m = &j->members.v[x->by_trace[i]];
		const job_comm *c = &j->comms.v[m->comm];
		for (size_t k = c->first; !x->comm_done[m->comm] && k < c->first + c->n; k++) {
			const job_member *other = &j->members.v[k];
			size_t both = m->items.n < other->items.n ? m->items.n : other->items.n;
			if (add) {
				x->shared.v[job_clocks_trace_of(j, other)] += (int64_t)both;
				continue;
			}
			x->shared.v[job_clocks_trace_of(j, other)] = 0;
			x->met[job_clocks_trace_of(j, other)] = false;
		}
	}
}

static int job_clocks_compare_shared(uint32_t a, uint32_t b, const void *ctx)
{
	const job_clocks_ctx *x = ctx;

	return x->shared.v[a] != x->shared.v[b] ? sort_3way(x->shared.v[b], x->shared.v[a]) : sort_3way(a, b);
}

/* Aligns the traces that share a communicator with this one.  Those that may share most operations come first. */
static void job_clocks_visit_trace(job_clocks_ctx *x, uint32_t at)
{
	const job *j = x->j;
	vec(uint32_t) next = { 0 };
	bool all = true;

	job_clocks_update_shared(x, at, true);
	for (size_t i = x->first[at]; i < x->first[at + 1]; i++) {
		uint32_t comm = j->members.v[x->by_trace[i]].comm;
		const job_comm *c = &j->comms.v[comm];
		for (size_t k = c->first; !x->comm_done[comm] && k < c->first + c->n; k++) {
			uint32_t other = job_clocks_trace_of(j, &j->members.v[k]);
			if (!x->aligned[other] && !x->met[other])
				vec_push(&next, other);
			x->met[other] = true;
		}
	}
	sort_items(next.v, next.n, job_clocks_compare_shared, x);
	job_clocks_update_shared(x, at, false);
	for (size_t i = 0; i < next.n; i++) {
		x->aligned[next.v[i]] = job_clocks_align_two(x, at, next.v[i]);
		if (x->aligned[next.v[i]])
			vec_push(&x->queue, next.v[i]);
		else
			all = false;
	}
	for (size_t i = x->first[at]; all && i < x->first[at + 1]; i++)
		x->comm_done[j->members.v[x->by_trace[i]].comm] = true;
	vec_free(&next);
}

/* Sorts the members by trace; those of one trace stay in order of communicator. */
static void job_clocks_sort_members(job_clocks_ctx *x)
{
	const job *j = x->j;
	uint32_t *of = mem_new(uint32_t, j->members.n);

	for (size_t i = 0; i < j->members.n; i++)
		of[i] = job_clocks_trace_of(j, &j->members.v[i]);
	x->first = mem_new(size_t, j->traces.n + 1);
	x->by_trace = sort_groups(of, j->members.n, j->traces.n, x->first);
	free(of);
}

static const char *job_clocks_describe_impossible(arena *texts, size_t n)
{
	return n ? arena_printf(texts, "; %zu still end before both have arrived", n) : "";
}

/* Remarks on how much clocks were corrected: one for each trace if there are few, otherwise one with the extremes. */
static void job_clocks_say_corrections(const job_clocks_ctx *x)
{
	enum { FEW = 8 };
	const job_trace *traces = x->j->traces.v;
	arena texts = { 0 };
	correction all = { .by = INT64_MAX };
	int64_t most = INT64_MIN;

	for (size_t i = 0; i < x->corrections.n; i++) {
		const correction *c = &x->corrections.v[i];
		if (x->corrections.n <= FEW)
			notes_remark(x->say,
				     "the clock of '%s' is shifted by %s against '%s': half of %zu "
				     "collectives then end within %s%s",
				     traces[c->trace].path, job_clocks_format_time(&texts, c->by),
				     traces[c->against].path, c->pairs, job_clocks_format_time(&texts, c->left),
				     job_clocks_describe_impossible(&texts, c->impossible));
		all.by = c->by < all.by ? c->by : all.by;
		most = c->by > most ? c->by : most;
		all.left = c->left > all.left ? c->left : all.left;
		all.impossible += c->impossible;
	}
	if (x->corrections.n > FEW)
		notes_remark(x->say, "the clocks of %zu traces are shifted by %s to %s: half of their collectives "
			     "then end within %s%s", x->corrections.n, job_clocks_format_time(&texts, all.by),
			     job_clocks_format_time(&texts, most), job_clocks_format_time(&texts, all.left),
			     job_clocks_describe_impossible(&texts, all.impossible));
	arena_free(&texts);
}

bool job_align_clocks(job *j, bool by_ends, notes *say)
{
	job_clocks_ctx x = { .j = j, .by_ends = by_ends, .say = say, .aligned = mem_new(bool, j->traces.n),
		.met = mem_new(bool, j->traces.n),
		.comm_done = mem_new(bool, j->comms.n) };

	for (size_t i = 0; i < j->traces.n; i++)
		vec_push(&x.shared, 0);
	job_clocks_sort_members(&x);
	for (uint32_t root = 0; root < j->traces.n; root++) {
		if (x.aligned[root])
			continue;
		x.aligned[root] = true;         /* nothing of it can be matched with earlier traces */
		j->traces.v[root].pairing = job_compare_utc(&j->traces.v[0], &j->traces.v[root]);
		vec_push(&x.queue, root);
		for (size_t i = x.queue.n - 1; i < x.queue.n; i++)
			job_clocks_visit_trace(&x, x.queue.v[i]);
	}
	if (by_ends)
		job_clocks_say_corrections(&x);
	mem_free(x.corrections.v, x.aligned, x.met, x.comm_done, x.first, x.by_trace, x.queue.v, x.shared.v);
	return !x.doubt;
}
