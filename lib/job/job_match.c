#include "job/job_match.h"
#include "base/group.h"
#include "base/search.h"
#include "base/sort.h"
#include "job/job_parts.h"

/* ---- communicators and their processes */

static int job_match_compare_comms(uint32_t a, uint32_t b, const void *ctx)
{
	const job *j = ctx;
	uint64_t x = j->op_comms.v[a].comm, y = j->op_comms.v[b].comm;
	uint32_t p = j->ops.v[j->op_comms.v[a].op].proc, q = j->ops.v[j->op_comms.v[b].op].proc;

	return x != y ? sort_3way(x, y) : p != q ? sort_3way(p, q) :
		sort_3way(j->op_comms.v[a].op, j->op_comms.v[b].op);
}

/* Finds the communicators that operations name, the processes on each, and their operations. */
static void job_match_find_comms(job *j)
{
	uint32_t *order = sort_order(j->op_comms.n, job_match_compare_comms, j);

	for (size_t i = 0; i < j->op_comms.n; i++) {
		size_t at = order ? order[i] : i;
		uint32_t op = j->op_comms.v[at].op;
		job_op *o = &j->ops.v[op];
		uint64_t id = j->op_comms.v[at].comm;
		if (!j->comms.n || j->comms.v[j->comms.n - 1].id != id)
			vec_push(&j->comms, (job_comm){ .id = id, .size = TRACE_UNKNOWN, .first = j->members.n });
		uint32_t comm = (uint32_t)j->comms.n - 1;
		job_comm *c = &j->comms.v[comm];
		if (!c->n || j->members.v[j->members.n - 1].proc != o->proc) {
			vec_push(&j->members, (job_member){ .comm = comm, .proc = o->proc, .rank = TRACE_UNKNOWN,
				 .peer = JOB_NOBODY });
			c->n++;
		}
		if (!o->mixed)
			o->comm = comm;
		if (!o->messages_only)
			vec_push(&j->members.v[j->members.n - 1].items, job_item_of(j, op));
	}
	free(order);
}

/* Takes the size of a communicator, and the rank of a process in it, from its creations. */
static void job_match_apply_creations(job *j)
{
	for (size_t i = 0; i < j->creations.n; i++) {
		const nccl_creation *k = &j->creations.v[i];
		job_comm *of;
		size_t c, m;
		search_first(c, 0, j->comms.n, j->comms.v[c].id >= k->comm);
		if (c == j->comms.n || j->comms.v[c].id != k->comm)
			continue;
		of = &j->comms.v[c];
		of->size = k->size;
		search_first(m, of->first, of->first + of->n, j->members.v[m].proc >= k->proc);
		if (m < of->first + of->n && j->members.v[m].proc == k->proc)
			j->members.v[m].rank = k->rank;
	}
}

/* Warns of the first rank that two traces have on one communicator.  One trace is a copy of the other, so operations
 * are matched with themselves. */
static void job_match_say_copies(const job *j, notes *say)
{
	group ranks = { .width = 2 };           /* keys: communicator, rank */
	vec(uint32_t) first = { 0 };
	bool said = false;

	for (size_t i = 0; i < j->members.n && !said; i++) {
		const job_proc *p = &j->procs.v[j->members.v[i].proc];
		size_t k;
		if (p->rank < 0)
			continue;
		k = group_of(&ranks, (int64_t[]){ j->members.v[i].comm, p->rank });
		if (k == first.n)
			vec_push(&first, p->trace);
		said = first.v[k] != p->trace;
		if (said)
			notes_warn(say, "rank %lld is in '%s' and in '%s', so waits are wrong; give each rank once",
				   (long long)p->rank, j->traces.v[first.v[k]].path, j->traces.v[p->trace].path);
	}
	group_free(&ranks);
	vec_free(&first);
}

/* ---- who waits for whom */

/* Sets last and arrival of a matched kernel.  If other processes arrive after the kernel starts and before it ends, the
 * last process is the one of them that arrives last; of several that arrive at the same moment, the first in
 * job.partners.  Otherwise, it is the kernel's own process. */
static void job_match_find_last_arrival(job *j, job_kernel *k)
{
	const job_op *own = &j->ops.v[k->op];
	const uint32_t *partners;
	int64_t end, arrival;
	size_t i;

	if (own->party == NONE)
		return;
	end = job_on_clock(j, k->op, k->end);
	k->last = own->proc;
	k->arrival = k->start;
	partners = &j->partners.v[j->parties.v[own->party].first];
	search_first(i, 0, j->parties.v[own->party].n, job_arrival(j, partners[i]) >= end);
	if (i == 0)
		return;
	arrival = job_arrival(j, partners[i - 1]);
	if (arrival <= job_on_clock(j, k->op, k->start))
		return;
	while (i > 1 && job_arrival(j, partners[i - 2]) == arrival)
		i--;
	k->last = j->ops.v[partners[i - 1]].proc;
	k->arrival = ns_sub(arrival, j->traces.v[j->procs.v[own->proc].trace].shift);
}

/* Finds the process that arrives last for each kernel, and the transfer time of matched operations. */
static void job_match_find_waits(job *j)
{
	if (!j->parties.n)
		return;
	for (job_kernel *k = j->kernels.v; k < j->kernels.v + j->kernels.n; k++) {
		job_match_find_last_arrival(j, k);
		if (k->last != NONE)
			j->ops.v[k->op].transfer = ns_add(j->ops.v[k->op].transfer,
							  k->end - k->start - job_wait(k));
	}
}

static int job_match_compare_arrivals(uint32_t a, uint32_t b, const void *ctx)
{
	const job *j = ctx;
	int64_t x = job_arrival(j, a), y = job_arrival(j, b);

	return x != y ? sort_3way(x, y) : sort_3way(j->ops.v[a].proc, j->ops.v[b].proc);
}

static void job_match_sort_parties(job *j)
{
	for (size_t i = 0; i < j->parties.n; i++)
		sort_items(&j->partners.v[j->parties.v[i].first], j->parties.v[i].n, job_match_compare_arrivals, j);
}

/* Does an operation that needs all its processes end before its last process arrives?  Parties are sorted by
 * arrival. */
static bool job_match_is_contradicted(const job *j)
{
	for (size_t i = 0; i < j->parties.n; i++) {
		const uint32_t *partners = &j->partners.v[j->parties.v[i].first];
		uint32_t last = partners[j->parties.v[i].n - 1];
		for (size_t k = 0; j->ops.v[last].needs_all && k < j->parties.v[i].n; k++)
			if (job_on_clock(j, partners[k], j->ops.v[partners[k]].end) < job_arrival(j, last))
				return true;
	}
	return false;
}

static void job_match_set_clock(job *j, enum job_clock clock)
{
	for (size_t i = 0; i < j->traces.n; i++) {
		job_trace *t = &j->traces.v[i];
		t->shift = clock == JOB_CLOCK_NONE ? 0 : clock == JOB_CLOCK_UTC ? job_compare_utc(j->traces.v, t) :
			t->pairing;
	}
}

static void job_match_forget_matches(job *j)
{
	for (size_t i = 0; i < j->ops.n; i++)
		j->ops.v[i].party = NONE;
	for (size_t i = 0; i < j->messages.n; i++)
		j->messages.v[i].partner = NONE;
	j->parties.n = j->partners.n = 0;
}

static void job_match_repeat_notes(const notes *from, notes *to)
{
	for (size_t i = 0; i < from->n; i++)
		notes_copy(to, &from->v[i]);
}

/* Aligns the clocks again, by the ends of collectives, and pairs again. */
static void job_match_pair_by_ends(job *j)
{
	job_match_forget_matches(j);
	job_align_clocks(j, true, &j->clocks);
	job_match_repeat_notes(&j->clocks, &j->said);
	job_match_set_clock(j, JOB_CLOCK_ENDS);
	job_pair(j, &j->said);
	job_match_sort_parties(j);
}

static void job_match_say_unknown_start(const job *j, notes *say)
{
	for (size_t i = 0; i < j->traces.n && j->traces.n > 1; i++)
		if (!j->traces.v[i].has_utc)
			notes_warn(say, "'%s' does not say when its capture began; its times are taken as they are",
				   j->traces.v[i].path);
}

/* In distributed runs that do not name communicators, matches operations by their order. */
static void job_match_order_worlds(job *j, notes *say)
{
	bool *named = mem_new(bool, j->worlds);

	for (size_t i = 0; i < j->traces.n; i++)
		named[j->traces.v[i].world] |= j->traces.v[i].named;
	for (uint32_t i = 0; i < j->worlds; i++)
		if (!named[i])
			job_order(j, i, say);
	free(named);
}

static void job_match_pair_and_align(job *j, enum job_clock clock)
{
	notes first = { 0 };            /* the remarks of the first try, dropped if there is a second */
	notes *say = &j->said;
	bool right;

	job_match_forget_matches(j);
	job_match_order_worlds(j, say);
	right = job_align_clocks(j, false, say);
	job_match_set_clock(j, clock);
	job_pair(j, &first);
	job_match_sort_parties(j);
	if (clock == JOB_CLOCK_ENDS || (clock == JOB_CLOCK_BEST && (!right || job_match_is_contradicted(j)))) {
		notes_free(&first);
		job_match_pair_by_ends(j);
	}
	notes_move_all(&first, say);
	if (clock == JOB_CLOCK_UTC) {
		job_match_say_unknown_start(j, &j->clocks);
		job_match_repeat_notes(&j->clocks, say);
	}
	if ((clock == JOB_CLOCK_UTC || clock == JOB_CLOCK_NONE) && job_match_is_contradicted(j))
		notes_warn(say, "collectives end before their last process arrives, so the clock and the waits are "
			   "wrong; drop --clock");
}

static void job_match_all(job *j, enum job_clock clock)
{
	job_name_procs(j);
	job_match_find_comms(j);
	job_match_apply_creations(j);
	job_match_say_copies(j, &j->said);
	job_find_worlds(j);
	job_match_pair_and_align(j, clock);
	job_match_find_waits(j);
}

static void job_match_once(job *j, enum job_clock clock)
{
	pthread_mutex_lock(&j->changing);
	if (!j->matched)
		job_match_all(j, clock);
	j->matched = true;
	pthread_mutex_unlock(&j->changing);
}

void job_match(job *j, enum job_clock clock, notes *say)
{
	job_match_once(j, clock);
	job_match_repeat_notes(&j->said, say);
}

void job_set_clocks(job *j, enum job_clock clock, notes *say)
{
	job_match_once(j, clock);
	job_match_repeat_notes(&j->clocks, say);
}
