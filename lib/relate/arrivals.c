#include "relate/arrivals.h"
#include "relate/job_match.h"

struct arrivals {
	job *job;
	bool added, said;       /* by this one, whoever else shares the job: some trace; what the match has to say */
	vec(owner_arrival) v;   /* of the trace that was set last */
};

arrivals *arrivals_new(job *of)
{
	arrivals *a = mem_new(arrivals, 1);

	a->job = job_share(of);
	return a;
}

void arrivals_free(arrivals *a)
{
	vec_free(&a->v);
	job_free(a->job);
	free(a);
}

static bool communicates(trace *t)
{
	return nccl_ops_of(t)->kernels.n > 0;
}

void arrivals_add(arrivals *a, trace *t, notes *say)
{
	a->added |= job_add(a->job, t, communicates(t) ? say : NULL) != SIZE_MAX;
}

static void list(arrivals *a, trace *t, size_t at)
{
	uint32_t *kernel = job_kernels(a->job, at, t);

	for (size_t i = 0; i < t->work.n; i++)
		if (kernel[i] != NONE) {
			const job_kernel *k = &a->job->kernels.v[kernel[i]];
			vec_push(&a->v, (owner_arrival){ (uint32_t)i, k->last == NONE ? INT64_MIN : k->arrival,
				 a->job->ops.v[k->op].bytes });
		}
	free(kernel);
}

void arrivals_set(arrivals *a, trace *t, owners_params *p, notes *say)
{
	size_t at;

	if (!a->added)
		arrivals_add(a, t, say);
	if (!a->said && a->job->kernels.n)
		job_match(a->job, JOB_CLOCK_BEST, say);
	a->added = a->said = true;
	at = job_find(a->job, t);
	a->v.n = 0;
	if (at != SIZE_MAX && communicates(t))
		list(a, t, at);
	p->arrivals = a->v.v;
	p->narrivals = a->v.n;
}

const job *arrivals_job(const arrivals *a)
{
	return a->job;
}

size_t arrivals_first(const arrivals *a, trace *t)
{
	size_t at = job_find(a->job, t);

	return at == SIZE_MAX || !communicates(t) ? SIZE_MAX : a->job->traces.v[at].first_proc;
}
