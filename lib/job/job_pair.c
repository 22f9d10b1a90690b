#include "job/job_parts.h"
#include "base/search.h"
#include "base/sort.h"

/* Nanoseconds to add to times of b to get times of a, by the clocks for pairing. */
static int64_t job_pair_compare_clocks(const job *j, const job_member *a, const job_member *b)
{
	return ns_sub(j->traces.v[j->procs.v[b->proc].trace].pairing, j->traces.v[j->procs.v[a->proc].trace].pairing);
}

/* ---- collectives */

/* Numbers the operations of a communicator's processes.  The process with the most operations is the reference, and the
 * others are shifted to agree with it.  The earliest operation of all gets number 0.  Returns how many processes are
 * left out because no shift fits. */
static size_t job_pair_number_ops(job *j, job_comm *c)
{
	job_member *all = &j->members.v[c->first], *most = all;
	int64_t least = 0;
	size_t left_out = 0;

	if (c->by_order)
		return 0;
	for (size_t i = 1; i < c->n; i++)
		most = all[i].items.n > most->items.n ? &all[i] : most;
	for (size_t i = 0; i < c->n; i++) {
		job_fit fit = { 0 };
		all[i].aligned = &all[i] == most || !all[i].items.n ||
			job_best_shift(job_items(most), job_items(&all[i]), job_pair_compare_clocks(j, most, &all[i]),
				       &fit);
		all[i].shift = all[i].aligned ? fit.shift : 0;
		least = all[i].shift < least ? all[i].shift : least;
		left_out += !all[i].aligned;
	}
	for (size_t i = 0; i < c->n; i++)
		all[i].shift -= all[i].aligned ? least : 0;
	for (size_t i = 0; i < c->n; i++)
		for (size_t k = 0; k < all[i].items.n; k++)
			if (!all[i].items.v[k].mixed)
				j->ops.v[all[i].items.v[k].at].seq = (int64_t)k + all[i].shift;
	return left_out;
}

/* The process's collective or group with this number, or NONE. */
static uint32_t job_pair_find_op(const job_member *m, int64_t seq)
{
	int64_t k = seq - m->shift;

	return m->aligned && k >= 0 && k < (int64_t)m->items.n ? m->items.v[k].at : NONE;
}

/* Joins the operations of a communicator that have the same number into a party, unless there is only one. */
static void job_pair_join_collectives(job *j, const job_comm *c)
{
	const job_member *all = &j->members.v[c->first];
	size_t ranks = (size_t)job_ranks(j, (uint32_t)(c - j->comms.v));
	int64_t end = 0;

	for (size_t i = 0; i < c->n; i++)
		end = ns_max(end, all[i].shift + (int64_t)all[i].items.n);
	for (int64_t seq = 0; seq < end; seq++) {
		job_party p = { .first = j->partners.n };
		for (size_t i = 0; i < c->n; i++) {
			uint32_t op = job_pair_find_op(&all[i], seq);
			if (op != NONE && !j->ops.v[op].mixed)
				vec_push(&j->partners, op);
		}
		p.n = j->partners.n - p.first;
		p.missing = ranks > p.n ? ranks - p.n : 0;
		if (p.n < 2) {
			j->partners.n = p.first;
			continue;
		}
		for (size_t i = 0; i < p.n; i++)
			j->ops.v[j->partners.v[p.first + i]].party = (uint32_t)j->parties.n;
		vec_push(&j->parties, p);
	}
}

/* ---- sends and receives */

static job_member *job_pair_member_of(const job *j, uint32_t comm, uint32_t proc)
{
	const job_comm *c = &j->comms.v[comm];
	size_t i;

	search_first(i, c->first, c->first + c->n, j->members.v[i].proc >= proc);
	return &j->members.v[i];
}

static void job_pair_find_peers(job *j)
{
	for (size_t i = 0; i < j->messages.n; i++) {
		const job_message *m = &j->messages.v[i];
		const job_op *op = &j->ops.v[m->op];
		if (op->comm == NONE)
			continue;
		int64_t *peer = &job_pair_member_of(j, op->comm, op->proc)->peer;
		*peer = *peer == JOB_NOBODY || *peer == m->peer ? m->peer : JOB_SEVERAL;
	}
}

/* Finds the ranks in a communicator of two: each process talks to the other, so the rank of one is the peer of the
 * other. */
static void job_pair_set_ranks_of_two(job_member *m)
{
	int64_t first = m[1].peer >= 0 ? m[1].peer : m[0].peer >= 0 ? 1 - m[0].peer : -1;

	if (first < 0 || first > 1 || (m[0].peer >= 0 && m[0].peer != 1 - first))
		return;
	m[0].rank = first;
	m[1].rank = 1 - first;
}

static bool job_pair_knows_ranks(const job *j, const job_comm *c)
{
	for (size_t i = 0; i < c->n; i++)
		if (j->members.v[c->first + i].rank == TRACE_UNKNOWN)
			return false;
	return true;
}

/* The number of a communicator's processes that have a rank (job_proc.rank). */
static size_t job_pair_count_ranks(const job *j, const job_comm *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += j->procs.v[j->members.v[c->first + i].proc].rank >= 0;
	return n;
}

/* Finds the ranks in communicators whose creation was not captured.  In a communicator of two processes, the peers show
 * the ranks.  Otherwise, if the processes of the communicator are exactly those that have a job_proc.rank, these ranks
 * are taken. */
static void job_pair_find_ranks(job *j)
{
	size_t labelled = 0;

	for (size_t i = 0; i < j->procs.n; i++)
		labelled += j->procs.v[i].rank >= 0;
	for (size_t i = 0; i < j->comms.n; i++) {
		job_comm *c = &j->comms.v[i];
		job_member *all = &j->members.v[c->first];
		if (!job_pair_knows_ranks(j, c) && c->n == 2 && (c->size == TRACE_UNKNOWN || c->size == 2))
			job_pair_set_ranks_of_two(all);
		if (!job_pair_knows_ranks(j, c) && job_pair_count_ranks(j, c) == c->n && labelled == c->n)
			for (size_t k = 0; k < c->n; k++)
				all[k].rank = j->procs.v[all[k].proc].rank;
	}
}

typedef struct {                /* a message, that is, a send or a receive, with both processes */
	uint32_t message;       /* index in job.messages */
	uint32_t comm;
	uint32_t from, to;      /* the process that sends, and the process that receives */
	bool send;              /* is it a send? */
} addressed_message;

static int job_pair_compare_addresses(const void *x, const void *y)
{
	const addressed_message *a = x, *b = y;

	return a->comm != b->comm ? sort_3way(a->comm, b->comm) : a->from != b->from ? sort_3way(a->from, b->from) :
		a->to != b->to ? sort_3way(a->to, b->to) : a->send != b->send ? b->send - a->send :
		sort_3way(a->message, b->message);
}

static int job_pair_compare_ranks(uint32_t a, uint32_t b, const void *ctx)
{
	const job *j = ctx;
	const job_member *x = &j->members.v[a], *y = &j->members.v[b];

	return x->comm != y->comm ? sort_3way(x->comm, y->comm) : x->rank != y->rank ? sort_3way(x->rank, y->rank) :
		sort_3way(a, b);
}

/* The process with this rank in a communicator, or NONE.  by_rank: the indices of members in the order of
 * job_pair_compare_ranks; NULL: job.members has this order already. */
static uint32_t job_pair_proc_of_rank(const job *j, const uint32_t *by_rank, uint32_t comm, int64_t rank)
{
	const job_comm *c = &j->comms.v[comm];
	size_t i, end = c->first + c->n;

	search_first(i, c->first, end, j->members.v[by_rank ? by_rank[i] : i].rank >= rank);
	if (i == end || rank < 0 || j->members.v[by_rank ? by_rank[i] : i].rank != rank)
		return NONE;
	return j->members.v[by_rank ? by_rank[i] : i].proc;
}

typedef vec(addressed_message) addressed_messages;

static addressed_messages job_pair_address_messages(job *j)
{
	addressed_messages all = { 0 };
	uint32_t *by_rank = sort_order(j->members.n, job_pair_compare_ranks, j);

	for (size_t i = 0; i < j->messages.n; i++) {
		const job_message *m = &j->messages.v[i];
		const job_op *op = &j->ops.v[m->op];
		uint32_t peer = op->comm == NONE ? NONE : job_pair_proc_of_rank(j, by_rank, op->comm, m->peer);
		if (peer != NONE && peer != op->proc &&
		    job_pair_member_of(j, op->comm, op->proc)->rank != TRACE_UNKNOWN)
			vec_push(&all, (addressed_message){ (uint32_t)i, op->comm, m->send ? op->proc : peer,
				 m->send ? peer : op->proc, m->send });
	}
	free(by_rank);
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, job_pair_compare_addresses);
	return all;
}

typedef vec(job_item) job_items_vec;

static job_items_vec job_pair_items_of(const job *j, const addressed_message *l, size_t n)
{
	job_items_vec items = { 0 };

	for (size_t i = 0; i < n; i++) {
		const job_message *m = &j->messages.v[l[i].message];
		const job_op *op = &j->ops.v[m->op];
		vec_push(&items, (job_item){ .at = l[i].message, .bytes = m->bytes, .start = op->start,
			 .end = op->end });
	}
	return items;
}

/* Matches the sends of one process with the receives of another, which follow the sends in `l`.  The k-th send is
 * matched with the k-th receive or, if a capture lacks some messages, with one a fixed number of positions away. */
static void job_pair_match_sends(job *j, const addressed_message *l, size_t sends, size_t receives)
{
	const job_member *from = job_pair_member_of(j, l->comm, l->from), *to = job_pair_member_of(j, l->comm, l->to);
	job_items_vec a = job_pair_items_of(j, l, sends), b = job_pair_items_of(j, l + sends, receives);
	job_fit fit;
	bool ok = job_best_shift((job_sequence){ a.v, a.n }, (job_sequence){ b.v, b.n },
				 job_pair_compare_clocks(j, from, to), &fit);

	for (size_t i = 0; ok && i < b.n; i++) {
		int64_t k = (int64_t)i + fit.shift;
		if (k < 0 || k >= (int64_t)a.n)
			continue;
		j->messages.v[a.v[k].at].partner = j->messages.v[b.v[i].at].op;
		j->messages.v[b.v[i].at].partner = j->messages.v[a.v[k].at].op;
	}
	mem_free(a.v, b.v);
}

static void job_pair_match_messages(job *j)
{
	addressed_messages all = job_pair_address_messages(j);

	for (size_t i = 0, end; i < all.n; i = end) {
		size_t sends = 0;
		for (end = i; end < all.n && all.v[end].comm == all.v[i].comm && all.v[end].from == all.v[i].from &&
		     all.v[end].to == all.v[i].to; end++)
			sends += all.v[end].send;
		job_pair_match_sends(j, &all.v[i], sends, end - i - sends);
	}
	vec_free(&all);
}

/* Joins the operation `at` and the operations that its messages are matched with into an exchange.  A message without a
 * partner counts as missing.  met[x]: 1 + the operation to whose exchange operation x was added last, so that x is
 * added to each exchange only once. */
static void job_pair_join_exchange(job *j, uint32_t at, uint32_t *met)
{
	job_op *op = &j->ops.v[at];
	job_party p = { .first = j->partners.n };

	vec_push(&j->partners, at);
	met[at] = at + 1;
	for (size_t i = 0; i < op->nmessages; i++) {
		uint32_t partner = j->messages.v[op->first_message + i].partner;
		p.missing += partner == NONE;
		if (partner == NONE || met[partner] == at + 1)
			continue;
		vec_push(&j->partners, partner);
		met[partner] = at + 1;
	}
	p.n = j->partners.n - p.first;
	if (p.n < 2) {
		j->partners.n = p.first;
		return;
	}
	op->party = (uint32_t)j->parties.n;
	vec_push(&j->parties, p);
}

void job_pair(job *j, notes *say)
{
	uint32_t *met = mem_new(uint32_t, j->ops.n);
	size_t left_out = 0, comms = 0;

	job_pair_find_peers(j);
	job_pair_find_ranks(j);
	for (size_t i = 0; i < j->comms.n; i++) {
		size_t left = job_pair_number_ops(j, &j->comms.v[i]);
		left_out += left;
		comms += left > 0;
		job_pair_join_collectives(j, &j->comms.v[i]);
	}
	job_pair_match_messages(j);
	for (size_t i = 0; i < j->ops.n; i++)
		if (j->ops.v[i].messages_only && j->ops.v[i].comm != NONE)
			job_pair_join_exchange(j, (uint32_t)i, met);
	free(met);
	if (left_out)
		notes_warn(say, "on %zu communicators %zu processes match no other: operations, sizes or times "
			   "disagree", comms, left_out);
}
