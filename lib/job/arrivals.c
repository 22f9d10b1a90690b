#include "job/arrivals.h"
#include "timeline/comm_work.h"
#include "job/job_match.h"
#include "job/nccl_ops.h"

struct arrivals {
	job *job;
	bool added;             /* was a trace added? */
	bool said;              /* were the remarks of the match passed on? */
	vec(owner_arrival) v;   /* the arrivals of the trace that was set last */
};

arrivals *arrivals_new(job *shared)
{
	arrivals *a = mem_new(arrivals, 1);

	a->job = job_share(shared);
	return a;
}

void arrivals_unset(arrivals *a)
{
	vec_free(&a->v);
}

void arrivals_free(arrivals *a)
{
	arrivals_unset(a);
	job_free(a->job);
	free(a);
}

static bool arrivals_has_communication(trace *t)
{
	return nccl_ops_of(t)->kernels.n > 0;
}

void arrivals_add(arrivals *a, trace *t, notes *say)
{
	a->added |= job_add(a->job, t, arrivals_has_communication(t) ? say : NULL) != SIZE_MAX;
}

/* Lists the arrivals of a trace's communication kernels in order of work.  comm_work_of has this order, but contains
 * copies, too; their entries are dropped at the end. */
static void arrivals_list_kernels(arrivals *a, trace *t, size_t at)
{
	const nccl_ops *ops = nccl_ops_of(t);
	size_t all = comm_work_of(t)->n;

	vec_reserve(&a->v, all);
	for (size_t i = 0; i < all; i++)
		a->v.v[i].work = NONE;
	for (size_t i = 0; i < ops->kernels.n; i++) {
		const job_kernel *k = &a->job->kernels.v[a->job->traces.v[at].first + i];
		a->v.v[ops->kernels.v[i].comm] = (owner_arrival){ ops->kernels.v[i].work,
			k->last == NONE ? INT64_MIN : k->arrival, a->job->ops.v[k->op].bytes };
	}
	for (size_t i = 0; i < all; i++)
		if (a->v.v[i].work != NONE)
			a->v.v[a->v.n++] = a->v.v[i];
}

void arrivals_set(arrivals *a, trace *t, owners_params *p, notes *say)
{
	size_t at;

	if (!a->added) {
		arrivals_add(a, t, say);
		mem_trim();             /* the match needs the memory */
	}
	if (a->job->kernels.n && (!a->said || !a->job->matched))
		job_match(a->job, JOB_CLOCK_BEST, a->said ? NULL : say);
	a->added = a->said = true;
	at = job_find(a->job, t);
	a->v.n = 0;
	if (at != SIZE_MAX && arrivals_has_communication(t))
		arrivals_list_kernels(a, t, at);
	p->arrivals = a->v.v;
	p->narrivals = a->v.n;
}

const job *arrivals_job(const arrivals *a)
{
	return a->job;
}

size_t arrivals_first_proc(const arrivals *a, trace *t)
{
	size_t at = job_find(a->job, t);

	return at == SIZE_MAX || !arrivals_has_communication(t) ? SIZE_MAX : a->job->traces.v[at].first_proc;
}
