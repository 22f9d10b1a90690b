#include "relate/arrivals.h"
#include "base/memory.h"
#include "relate/job_match.h"

typedef struct {
	size_t number;          /* of the trace */
	vec(owner_arrival) v;   /* in order of work; before the match, at is the number of the kernel */
} list;

struct arrivals {
	job *job;
	vec(list) traces;
	bool matched;
};

arrivals *arrivals_new(void)
{
	arrivals *a = mem_new(arrivals, 1);

	a->job = job_new();
	return a;
}

void arrivals_free(arrivals *a)
{
	for (size_t i = 0; i < a->traces.n; i++)
		vec_free(&a->traces.v[i].v);
	vec_free(&a->traces);
	job_free(a->job);
	free(a);
}

static bool communicates(const trace *t)
{
	for (size_t i = 0; i < t->work.n; i++)
		if (trace_is_comm_kernel(t, i))
			return true;
	return false;
}

void arrivals_add(arrivals *a, trace *t, notes *say)
{
	list one = { .number = t->number };
	uint32_t *kernel = NULL;

	if (!communicates(t) || job_add(a->job, t, &kernel, say) == SIZE_MAX)
		return;
	for (size_t i = 0; i < t->work.n; i++)
		if (kernel[i] != NONE)
			vec_push(&one.v, (owner_arrival){ (uint32_t)i, kernel[i], TRACE_UNKNOWN });
	free(kernel);
	vec_push(&a->traces, one);
}

static void match(arrivals *a, notes *say)
{
	a->matched = true;
	job_match(a->job, JOB_CLOCK_BEST, say);
	for (size_t i = 0; i < a->traces.n; i++)
		for (size_t k = 0; k < a->traces.v[i].v.n; k++) {
			owner_arrival *one = &a->traces.v[i].v.v[k];
			const job_kernel *of = &a->job->kernels.v[one->at];
			one->bytes = a->job->ops.v[of->op].bytes;
			one->at = of->last == NONE ? INT64_MIN : of->arrival;
		}
}

void arrivals_set(arrivals *a, trace *t, owners_params *p, notes *say)
{
	if (!a->traces.n && !a->matched)
		arrivals_add(a, t, say);
	if (!a->matched && a->traces.n)
		match(a, say);
	p->arrivals = NULL;
	p->narrivals = 0;
	for (size_t i = 0; i < a->traces.n; i++)
		if (a->traces.v[i].number == t->number) {
			p->arrivals = a->traces.v[i].v.v;
			p->narrivals = a->traces.v[i].v.n;
		}
}

const job *arrivals_job(const arrivals *a)
{
	return a->job;
}

size_t arrivals_first(const arrivals *a, const trace *t)
{
	for (size_t i = 0; i < a->traces.n; i++)
		for (size_t p = 0; a->traces.v[i].number == t->number && p < a->job->procs.n; p++)
			if (a->job->procs.v[p].trace == i)
				return p;
	return SIZE_MAX;
}
