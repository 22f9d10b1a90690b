#include "answer/advise_parts.h"
#include "answer/api.h"
#include "answer/copies.h"
#include "answer/gaps.h"
#include "answer/metrics.h"
#include "answer/nvtx.h"
#include "answer/overlap.h"
#include "answer/stalls.h"
#include "answer/window.h"

const advise_finding advise_findings[ADVISE_KINDS] = {
	[ADVISE_LOST] = { find_lost, NULL, "capture again, with nsys profile --cuda-flush-interval=100" },
	[ADVISE_SHARED] = { find_shared, NULL, "capture with a GPU for each process" },
	[ADVISE_UNKNOWN] = { find_unknown, NULL, "capture again with a newer nsys, from the start of the program; until then, what is not found may be "
		"there all the same" },
	[ADVISE_SYNC] = { find_sync, NULL, "remove the synchronization (.item(), .cpu(), printing a loss), or do it every so many steps" },
	[ADVISE_ALLOCATION] = { find_allocation, NULL, "allocate before the loop, or keep memory with a caching allocator" },
	[ADVISE_MODULES] = { find_modules, NULL, "warm up every shape and kernel before the loop, or set CUDA_MODULE_LOADING=EAGER" },
	[ADVISE_PAGEABLE] = { find_pageable, NULL, "copy from pinned memory, asynchronously and on a stream of its own (pin_memory=True, "
		"non_blocking=True)" },
	[ADVISE_GRAPH] = { find_graph, NULL, "capture the step, or what is still launched outside graphs, in CUDA graphs (torch.cuda.graph, "
		"torch.compile with mode='reduce-overhead'), or fuse kernels" },
	[ADVISE_HOST] = { find_host, NULL, "make the CPU run ahead: less host code between launches, fewer and larger kernels, CUDA graphs" },
	[ADVISE_COMM] = { find_comm, NULL, "start it earlier or on a stream of its own, so that compute can run meanwhile; send less, in larger "
		"messages" },
	[ADVISE_LATE] = { NULL, find_late, "look at what this rank does before its collectives: more work, a slower GPU, a busier CPU" },
	[ADVISE_STAGES] = { NULL, find_stages, "move layers or batches from this rank to those that compute less" },
	[ADVISE_LONG] = { find_long, NULL, NULL },
	[ADVISE_TENSOR] = { find_tensor, NULL, "use bf16, fp16 or fp8 with sizes that are multiples of 8, and fuse what runs besides the "
		"matrix products" },
	[ADVISE_UNANNOTATED] = { find_unannotated, NULL, "put NVTX ranges around the parts of a step (torch.cuda.nvtx.range)" },
};

static const gaps_params by_cause = { .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE | GAPS_BY_NVTX };
static const api_params by_name = { .mode = API_SUMS, .keys = API_BY_NAME, .class = API_ALL_CLASSES };

question advise_question(const advise_params *p)
{
	const question all[] = {
		window_question(&(window_params){ .mode = WINDOW_PICK, .match = p->match }), gaps_question(&by_cause),
		api_question(&by_name), api_question(&(api_params){ .mode = API_LAUNCH, .class = API_ALL_CLASSES }),
		overlap_question(&(overlap_params){ .mode = OVERLAP_TOTAL }), copies_question(&(copies_params){ .mode = COPIES_EACH }),
		nccl_question(&(nccl_params){ .mode = NCCL_EACH }), nvtx_question(&(nvtx_params){ .mode = NVTX_SUMS }),
		metrics_question(&(metrics_params){ .mode = METRICS_SUMS }),
		stalls_question(&(stalls_params){ .mode = STALLS_SUMS, .keys = STALLS_BY_STAGE }),
	};
	question q = { .must = MUST_CUDA | (p->match ? MUST_NVTX : 0), .scope = WINDOW_GPU_WORK, .comm = p->comm, .warn_lost = true,
		.warn_shared = true, .mention_graphs = true, .replayed = REPLAYED_KERNELS, .captured = p->captured,
		.empty = p->match ? "no range has such a name and work of its own, so there are no steps to look at (nsq-window --list shows the "
			"names)" : "there is nothing to advise" };

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		q.need |= all[i].need | all[i].need_asked;
	return q;
}

advise_job *advise_begin(void)
{
	advise_job *j = mem_new(advise_job, 1);

	j->nccl = nccl_begin();
	return j;
}

void advise_end(advise_job *j)
{
	nccl_end(j->nccl);
	vec_free(&j->traces);
	vec_free(&j->units);
	vec_free(&j->steps);
	vec_free(&j->found);
	vec_free(&j->rest);
	arena_free(&j->texts);
	free(j);
}

/* ---- one trace */

nccl_params advise_nccl(const advise_params *p)
{
	return (nccl_params){ .mode = NCCL_EACH, .comm = p->comm, .job = p->job->nccl };
}

/* The answers that several findings read. */
static bool ask_all(advise_trace *x)
{
	gaps_params causes = by_cause;
	nccl_params nccl = advise_nccl(x->p);
	const stalls_params stalls = { .mode = STALLS_SUMS, .keys = STALLS_BY_STAGE, .rules = x->p->stages, .comm = x->p->comm,
		.captured = x->p->captured };
	bool ok;

	causes.captured = x->p->captured;
	ok = gaps_answer(x->t, &x->steps, &causes, &x->causes, NULL) && api_answer(x->t, &x->idle, &by_name, &x->calls, NULL) &&
		overlap_answer(x->t, &x->steps, &(overlap_params){ .mode = OVERLAP_TOTAL, .comm = x->p->comm }, &x->total, NULL) &&
		stalls_answer(x->t, &x->steps, &stalls, &x->stalls, NULL) && nccl_add(x->t, &x->steps, &nccl, x->say);
	if (ok) {
		int64_t *compute = advise_by_step(x, &x->total, "compute_ns", NULL, NULL);
		for (size_t i = 0; i < advise_units(x); i++)
			x->job->units.v[x->first_unit + i].compute = advise_median(x, compute, i);
		free(compute);
	}
	return ok;
}

bool advise_add(trace *t, const windows *all, const advise_params *p, notes *say)
{
	advise_job *j = p->job;
	advise_trace x = { .job = j, .p = p, .t = t, .all = all, .first_unit = j->units.n, .first_step = j->steps.n, .steps.asked = true,
		.idle.asked = true, .say = say };
	bool ok;

	vec_push(&j->traces, arena_copy(&j->texts, t->path));
	ok = advise_steps(&x);
	if (ok && x.steps.n) {
		advise_idle(&x);
		ok = ask_all(&x);
		for (size_t i = 0; ok && i < ADVISE_KINDS; i++)
			ok = !advise_findings[i].of_trace || advise_findings[i].of_trace(&x);
		if (ok)
			advise_add_rest(&x);
	}
	find_lost_without_work(&x);
	window_free(&x.steps);
	advise_idle_free(&x);
	table_free(&x.causes);
	table_free(&x.stalls);
	table_free(&x.total);
	table_free(&x.own);
	table_free(&x.calls);
	vec_free(&x.names);
	free(x.lane);
	return ok;
}
