#include "answer/nccl_parts.h"
#include "base/group.h"
#include "base/sort.h"

#include <string.h>

/* Set nccl_window.step: find the windows of different processes that belong together.  If all processes that have
 * windows have equally many, those with the same index belong together.  Otherwise the first windows with a name belong
 * together, the second windows with that name, and so on. */
static void nccl_stragglers_find_steps(nccl_job *all)
{
	size_t *count = mem_new(size_t, all->job->procs.n), most = 0;
	group steps = { .width = 2 }, occurrences = { .width = 2 };     /* keys of `occurrences`: process, name */
	vec(int64_t) met = { 0 };       /* by key of `occurrences`: how many windows had this key so far */
	str_pool names = { 0 };
	bool equal = true;

	for (size_t i = 0; i < all->windows.n; i++)
		most = ++count[all->windows.v[i].proc] > most ? count[all->windows.v[i].proc] : most;
	for (size_t i = 0; i < all->job->procs.n; i++)
		equal &= !count[i] || count[i] == most;
	for (size_t i = 0; i < all->windows.n; i++) {
		nccl_window *w = &all->windows.v[i];
		const char *name = equal || !w->each_name ? "" : w->each_name;
		int64_t id = str_id(&names, name, strlen(name));
		size_t o = group_of(&occurrences, (int64_t[]){ w->proc, id });
		if (o == met.n)
			vec_push(&met, 0);
		w->step = (uint32_t)group_of(&steps, (int64_t[]){ id, met.v[o]++ });
	}
	mem_free(count, met.v);
	group_free(&steps);
	group_free(&occurrences);
	str_free(&names);
}

/* Is the operation matched, and does no other process arrive later than its own? */
static bool nccl_stragglers_is_last(const job *j, uint32_t op)
{
	const job_op *o = &j->ops.v[op];
	const job_party *p = o->party == NONE ? NULL : &j->parties.v[o->party];
	uint32_t latest;

	if (!p)
		return false;
	latest = j->partners.v[p->first + p->n - 1];
	return job_arrival(j, op) == job_arrival(j, latest);
}

static void nccl_stragglers_set_late(const nccl_ctx *x, const nccl_window *w)
{
	late_sum steps = late_sum_in(x->all->late, w->proc, &w->side);
	const late_rank *verdict = late_of(x->all->late, w->proc);

	table_int(x->out, EXPLAINED_NS, steps.explained);
	if (steps.steps)
		table_pct(x->out, STEPS_PCT, (int64_t)steps.late, (int64_t)steps.steps);
	table_text(x->out, CAUSE, verdict->cause);
	table_text(x->out, WHERE, verdict->where);
}

static void nccl_stragglers_add_row(const nccl_ctx *x, const nccl_window *w, int64_t caused)
{
	group ops = { .width = 1 };
	int64_t gpu = -1, last = 0, wait = 0, comm = 0; /* gpu -1: no kernel yet; -2: several GPUs */

	for (size_t i = 0; i < w->n; i++) {
		nccl_part p = nccl_part_of(x, w, &x->all->picks.v[w->first + i]);
		int64_t own_gpu = x->j->streams.v[p.k->stream].gpu;
		size_t before = ops.n;
		group_of(&ops, (int64_t[]){ p.k->op });
		last += ops.n > before && nccl_stragglers_is_last(x->j, p.k->op);
		gpu = gpu == -1 || gpu == own_gpu ? own_gpu : -2;
		wait = ns_add(wait, p.wait);
		comm = ns_add(comm, p.dur);
	}
	nccl_begin_row(x, w, window_hull(&w->side), w->name);
	if (gpu >= 0)
		table_int(x->out, COL_GPU, gpu);
	table_ints(x->out, { OPS, (int64_t)ops.n }, { LAST_OPS, last }, { CAUSED_NS, caused }, { WAIT_NS, wait },
		   { TRANSFER_NS, comm - wait }, { COMM_NS, comm });
	if (x->p->mode == NCCL_STRAGGLERS)
		nccl_stragglers_set_late(x, w);
	group_free(&ops);
}

static int nccl_stragglers_compare_steps(uint32_t a, uint32_t b, const void *ctx)
{
	const nccl_window *v = ctx;

	return v[a].step != v[b].step ? sort_3way(v[a].step, v[b].step) : sort_3way(a, b);
}

/* Add a row for each window.  Windows that belong together form a group of rows. caused: for each window, how long
 * others wait for its process, ns. */
static void nccl_stragglers_add_rows(const nccl_ctx *x, const int64_t *caused)
{
	const nccl_window *v = x->all->windows.v;
	size_t n = x->all->windows.n;
	uint32_t *order = sort_order(n, nccl_stragglers_compare_steps, v);

	for (size_t i = 0; i < n; i++) {
		size_t at = order ? order[i] : i, next = i + 1 == n ? at : order ? order[i + 1] : i + 1;
		nccl_stragglers_add_row(x, &v[at], caused[at]);
		if (i + 1 == n || v[next].step != v[at].step)
			table_group(x->out);
	}
	free(order);
}

void nccl_add_straggler_rows(const nccl_ctx *x, notes *say)
{
	nccl_job *all = x->all;
	group culprits = { .width = 2 };        /* keys: step, process; the first keys are those of the windows, in
						 * their order */
	vec(int64_t) caused = { 0 };
	int64_t unseen = 0;

	if (x->p->mode == NCCL_STRAGGLERS)
		late_decide(all->late, x->j);
	nccl_stragglers_find_steps(all);
	for (size_t i = 0; i < all->windows.n; i++) {
		group_of(&culprits, (int64_t[]){ all->windows.v[i].step, all->windows.v[i].proc });
		vec_push(&caused, 0);
	}
	for (size_t i = 0; i < all->windows.n; i++) {
		const nccl_window *w = &all->windows.v[i];
		for (size_t k = 0; k < w->n; k++) {
			nccl_part p = nccl_part_of(x, w, &all->picks.v[w->first + k]);
			if (!p.matched || p.k->last == w->proc)
				continue;
			size_t c = group_of(&culprits, (int64_t[]){ w->step, p.k->last });
			if (c < caused.n)
				caused.v[c] = ns_add(caused.v[c], p.wait);
			else
				unseen = ns_add(unseen, p.wait);
		}
	}
	nccl_stragglers_add_rows(x, caused.v);
	if (unseen)
		notes_remark(say, "%.3f ms were spent waiting for processes that no window covers",
			     (double)unseen / 1e6);
	group_free(&culprits);
	vec_free(&caused);
}
