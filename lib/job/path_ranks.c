#include "job/path_ranks.h"
#include "base/group.h"
#include "base/search.h"

typedef struct {                /* a trace, which is a rank of the walks */
	trace *t;
	const path_facts *p;
	size_t first_kernel;    /* index of its first kernel in job.kernels */
	uint32_t *name;         /* by string of the trace: the same text as a string of path_ranks.names; STR_NONE: not
				 * met yet */
} path_trace;

struct path_ranks {
	const job *job;         /* or NULL */
	vec(path_trace) v;      /* by rank */
	vec(uint32_t) first;    /* by operation of the job: the index of its first kernel in job.kernels, or NONE */
	group keys;             /* keys of path_walk.totals: kind, and string of `names` or -1 */
	str_pool names;
};

path_ranks *path_ranks_new(const job *j)
{
	path_ranks *all = mem_new(path_ranks, 1);

	all->job = j;
	all->keys.width = 2;
	return all;
}

void path_ranks_free(path_ranks *all)
{
	for (size_t i = 0; i < all->v.n; i++)
		free(all->v.v[i].name);
	mem_free(all->v.v, all->first.v);
	group_free(&all->keys);
	str_free(&all->names);
	free(all);
}

/* Finds the first kernel of each operation of a trace.  If several start first, it is the first of them in order of
 * work. */
static void path_ranks_find_first_kernels(path_ranks *all, const path_trace *at)
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
	path_trace at = { .t = t, .p = path_facts_of(t, all->job) };

	at.name = str_array(&t->names);
	if (all->job) {
		at.first_kernel = all->job->traces.v[all->v.n].first;
		path_ranks_find_first_kernels(all, &at);
	}
	vec_push(&all->v, at);
}

enum path_kind path_ranks_describe_key(const path_ranks *all, size_t key, const char **name)
{
	const int64_t *k = &all->keys.key[2 * key];

	*name = k[1] < 0 ? NULL : str_at(&all->names, (uint32_t)k[1]);
	return (enum path_kind)k[0];
}

/* ---- one walk */

void path_walk_free(path_walk *w)
{
	mem_free(w->links.v, w->totals.v);
}

static void path_ranks_append_link(void *ctx, const path_link *link)
{
	path_walk *w = ctx;

	vec_push(&w->links, *link);
}

static uint32_t path_ranks_key_of(path_ranks *all, const path_link *link)
{
	const path_trace *r = &all->v.v[link->rank];
	const str_pool *from = &r->t->names;
	uint32_t *name = link->name == STR_NONE ? NULL : &r->name[link->name];

	if (name && *name == STR_NONE)
		*name = str_id(&all->names, str_at(from, link->name), str_len(from, link->name));
	return (uint32_t)group_of(&all->keys, (int64_t[]){ link->kind, name ? (int64_t)*name : -1 });
}

static void path_ranks_sum_link(void *ctx, const path_link *link)
{
	path_walk *w = ctx;
	uint32_t key = path_ranks_key_of(w->all, link);

	while (w->totals.n <= key)
		vec_push(&w->totals, (path_total){ 0 });
	w->totals.v[key] = (path_total){ ns_add(w->totals.v[key].ns, link->b - link->a), w->totals.v[key].edges + 1,
		++w->seen };
}

static int64_t path_ranks_shift_of(const path_walk *w, uint32_t rank)
{
	return w->all->job ? w->all->job->traces.v[rank].shift : 0;
}

/* The operation of the process that arrived last at the collective or exchange of a kernel.  NONE: the kernel waits for
 * nobody; or that process arrived only at `at.until` or later, which happens if clocks are wrong. */
static uint32_t path_ranks_find_last_op(const path_walk *w, uint32_t kernel)
{
	const job *j = w->all->job;
	const job_kernel *own = &j->kernels.v[kernel];
	const job_op *op = &j->ops.v[own->op];
	int64_t shift = path_ranks_shift_of(w, w->at.rank), arrival = ns_add(own->arrival, shift);
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

/* Continues the walk in another process, of the same trace or another. */
static void path_ranks_enter_process(path_walk *w, uint32_t rank, uint32_t proc)
{
	int64_t from = path_ranks_shift_of(w, w->at.rank), to = path_ranks_shift_of(w, rank);

	w->at.time.a = ns_sub(ns_add(w->at.time.a, from), to);
	w->at.time.b = ns_sub(ns_add(w->at.time.b, from), to);
	w->at.before = ns_sub(ns_add(w->at.before, from), to);
	w->at.rank = rank;
	w->at.proc = proc;
}

/* Continues the walk to its end.  The walk ends, because it can make each of its three kinds of moves only so often:
 * - Within a process (path_step_back), it goes to work that starts earlier than the current work.
 * - Into another rank, it goes to a kernel that starts, on the common clock, before `at.until`.  That moment is no
 *   later than the start of the work that the walk came from.
 * - From a launch, it goes through a call that waited to the work that the call waited for, which may start later
 *   (though at most 20 us after that call ended).  The next such call must have ended by `at.before`, which is before
 *   this one ended.  So there are at most as many moves from launches as calls.
 * Between two moves from launches, the start of the current work only decreases, so at most as many moves lie between
 * them as there are pieces of work.  Time is charged backwards, from the walk's current moment to an earlier one, so
 * the links cover it without gaps. */
static void path_ranks_continue_walk(path_walk *w, const path_taker *to)
{
	const job *j = w->all->job;
	uint32_t own;

	while ((own = path_nccl_kernel_of(w->all->v.v[w->at.rank].p, w->at.work)) != NONE &&
	       w->at.time.a < w->at.time.b) {
		const path_trace *r = &w->all->v.v[w->at.rank];
		uint32_t kernel = (uint32_t)r->first_kernel + own, op = path_ranks_find_last_op(w, kernel);
		path_charge(r->p, &w->at, op == NONE ? j->kernels.v[kernel].start : j->kernels.v[kernel].arrival, to);
		if (op != NONE) {
			const job_proc *proc = &j->procs.v[j->ops.v[op].proc];
			path_ranks_enter_process(w, proc->trace,
						 (uint32_t)(j->ops.v[op].proc - j->traces.v[proc->trace].first_proc));
			r = &w->all->v.v[proc->trace];
			w->at.work = nccl_ops_of(r->t)->kernels.v[w->all->first.v[op] - r->first_kernel].work;
		}
		path_step_back(r->p, &w->at, to);
		path_walk_on(r->p, &w->at, to);
	}
}

void path_walk_go(path_walk *w, bool adds_up)
{
	const path_facts *p = w->all->v.v[w->from.rank].p;
	path_taker to = { adds_up ? path_ranks_sum_link : path_ranks_append_link, w };

	w->at = path_at(w->from.rank, w->from.proc, w->from.time);
	path_start(p, &w->at, w->from.gpu, &to);
	path_walk_on(p, &w->at, &to);
	path_ranks_continue_walk(w, &to);
	path_ranks_enter_process(w, w->from.rank, w->from.proc);
	if (w->at.time.a < w->at.time.b && w->at.time.b < w->from.time.b) {     /* the rest of the time is unresolved */
		w->early = ns_add(w->early, w->at.time.b - w->at.time.a);
		to.take(w, &(path_link){ PATH_UNRESOLVED, STR_NONE, w->at.rank, w->at.time.a, w->at.time.b, NONE, NONE,
			w->at.proc });
	}
}
