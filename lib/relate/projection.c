#include "relate/projection.h"
#include "base/memory.h"

enum { BLOCK = 64 };

struct project {
	const trace *t;
	int64_t gpu;            /* the device asked about, -1: all */
	size_t *first;          /* by process: where its launches begin; one more for the end */
	uint32_t *work;         /* in order of process, launch */
	int64_t *launch;        /* launch_ns of each */
	int64_t *sum;           /* kernel and graph time before each */
	size_t blocks;
	ival *tree;             /* extremes of block i at tree[blocks + i], of a node's children at it */
};

static ival wider(ival x, ival y)
{
	return (ival){ x.a < y.a ? x.a : y.a, x.b > y.b ? x.b : y.b };
}

static ival of_work(const project *p, size_t i)
{
	return (ival){ p->t->work.start[p->work[i]], p->t->work.end[p->work[i]] };
}

static bool counts(const project *p, size_t work)
{
	const trace_work *w = &p->t->work;

	return w->launch[work] != NONE && (p->gpu < 0 || p->t->streams[w->stream[work]].gpu == p->gpu);
}

/* Work in order of its call, which is the order of launch; then by process.  Two counting sorts. */
static void order(project *p)
{
	const trace *t = p->t;
	const trace_work *w = &t->work;
	uint32_t *next = mem_new(uint32_t, t->calls.n + 1), *by_call = mem_new(uint32_t, w->n);
	size_t *at = mem_new(size_t, t->nprocs), n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (counts(p, i))
			next[w->launch[i] + 1]++;
	for (size_t i = 0; i < t->calls.n; i++)
		next[i + 1] += next[i];
	for (size_t i = 0; i < w->n; i++)
		if (counts(p, i)) {
			by_call[next[w->launch[i]]++] = (uint32_t)i;
			p->first[t->streams[w->stream[i]].proc + 1]++;
			n++;
		}
	for (size_t i = 0; i < t->nprocs; i++) {
		p->first[i + 1] += p->first[i];
		at[i] = p->first[i];
	}
	for (size_t i = 0; i < n; i++)
		p->work[at[t->streams[w->stream[by_call[i]]].proc]++] = by_call[i];
	free(next);
	free(by_call);
	free(at);
}

project *project_build(const trace *t, int64_t gpu)
{
	project *p = mem_new(project, 1);
	size_t n;

	p->t = t;
	p->gpu = gpu;
	p->first = mem_new(size_t, t->nprocs + 1);
	p->work = mem_new(uint32_t, t->work.n);
	order(p);
	n = p->first[t->nprocs];
	p->launch = mem_new(int64_t, n);
	p->sum = mem_new(int64_t, n + 1);
	p->blocks = n / BLOCK + 1;
	p->tree = mem_new(ival, 2 * p->blocks);
	for (size_t i = 0; i < 2 * p->blocks; i++)
		p->tree[i] = (ival){ INT64_MAX, INT64_MIN };
	for (size_t i = 0; i < n; i++) {
		size_t w = p->work[i];
		ival *block = &p->tree[p->blocks + i / BLOCK];
		p->launch[i] = t->calls.start[t->work.launch[w]];
		p->sum[i + 1] = ns_add(p->sum[i], t->work.kind[w] <= WORK_GRAPH ?
				       t->work.end[w] - t->work.start[w] : 0);
		*block = wider(*block, of_work(p, i));
	}
	for (size_t i = p->blocks; i-- > 1;)
		p->tree[i] = wider(p->tree[2 * i], p->tree[2 * i + 1]);
	return p;
}

static ival extremes(const project *p, size_t lo, size_t hi)
{
	ival x = { INT64_MAX, INT64_MIN };

	for (; lo < hi && lo % BLOCK; lo++)
		x = wider(x, of_work(p, lo));
	for (; lo < hi && hi % BLOCK; hi--)
		x = wider(x, of_work(p, hi - 1));
	for (size_t l = p->blocks + lo / BLOCK, r = p->blocks + hi / BLOCK; l < r; l /= 2, r /= 2) {
		if (l & 1)
			x = wider(x, p->tree[l++]);
		if (r & 1)
			x = wider(x, p->tree[--r]);
	}
	return x;
}

/* The first launch of [lo,hi) that is not before t. */
static size_t launched_from(const project *p, size_t lo, size_t hi, int64_t t)
{
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (p->launch[mid] < t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

project_sum project_of(const project *p, uint32_t proc, int64_t from, int64_t to)
{
	size_t end = p->first[proc + 1];
	size_t lo = launched_from(p, p->first[proc], end, from);
	size_t hi = launched_from(p, lo, end, to);
	ival x = extremes(p, lo, hi);

	return (project_sum){ .work = hi - lo, .gpu_ns = p->sum[hi] - p->sum[lo], .first = x.a, .last = x.b };
}

void project_free(project *p)
{
	free(p->first);
	free(p->work);
	free(p->launch);
	free(p->sum);
	free(p->tree);
	free(p);
}
