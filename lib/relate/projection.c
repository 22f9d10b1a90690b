#include "relate/projection.h"
#include "base/memory.h"
#include "base/search.h"
#include "relate/launched.h"

enum { BLOCK = 64 };

struct projection {
	const trace *t;
	int64_t gpu;            /* the device asked about; -1: all */
	const ival_set *without;        /* by process: when launched work is left out; NULL: never */
	size_t *first;          /* by process: where its launches begin, and at the end where the last ones end */
	uint32_t *work;         /* in order of process, then launch */
	int64_t *launch;        /* launch_ns of each */
	int64_t *sum;           /* kernel and graph time before each, */
	uint32_t *kernels;      /* and how many of them */
	int64_t *kernel_ns;     /* by process: that time of all its work */
	size_t blocks;          /* at least 1 */
	ival *tree;             /* tree[blocks + i]: extremes of block i; others: of their children, 2j and 2j + 1 */
};

static ival wider(ival x, ival y)
{
	return (ival){ x.a < y.a ? x.a : y.a, x.b > y.b ? x.b : y.b };
}

static ival of_work(const projection *p, size_t i)
{
	return (ival){ p->t->work.start[p->work[i]], p->t->work.end[p->work[i]] };
}

static bool left_out(const projection *p, size_t work)
{
	const trace *t = p->t;
	uint32_t call = t->work.launch[work];

	return p->without && call != NONE &&
		ival_touches(&p->without[t->streams[t->work.stream[work]].proc], t->calls.start[call], t->calls.start[call]);
}

static bool counts(const projection *p, size_t work)
{
	const trace_work *w = &p->t->work;

	return (p->gpu < 0 || p->t->streams[w->stream[work]].gpu == p->gpu) && !left_out(p, work);
}

/* Work is in order of launch; that order is kept in each process. */
static void order(projection *p, const launched *l)
{
	const trace *t = p->t;
	size_t *at = mem_new(size_t, t->nprocs), n;
	const uint32_t *work = launched_all(l, &n);

	for (size_t i = 0; i < n; i++)
		if (counts(p, work[i]))
			p->first[t->streams[t->work.stream[work[i]]].proc + 1]++;
	for (size_t i = 0; i < t->nprocs; i++) {
		p->first[i + 1] += p->first[i];
		at[i] = p->first[i];
	}
	for (size_t i = 0; i < n; i++)
		if (counts(p, work[i]))
			p->work[at[t->streams[t->work.stream[work[i]]].proc]++] = work[i];
	free(at);
}

static int64_t kernel_time(const trace *t, size_t work)
{
	return t->work.kind[work] <= WORK_GRAPH ? t->work.end[work] - t->work.start[work] : 0;
}

/* Kernel and graph time by process. */
static int64_t *sum_kernels(const projection *p)
{
	const trace *t = p->t;
	int64_t *sum = mem_new(int64_t, t->nprocs);

	for (size_t l = 0; l < t->nlanes; l++) {
		const trace_lane *lane = &t->lanes[l];
		for (size_t i = lane->first; (p->gpu < 0 || lane->gpu == p->gpu) && i < lane->first + lane->n; i++)
			if (!left_out(p, i))
				sum[lane->proc] = ns_add(sum[lane->proc], kernel_time(t, i));
	}
	return sum;
}

static projection *build(trace *t, int64_t gpu, const ival_set *by_process)
{
	projection *p = mem_new(projection, 1);
	size_t n;

	p->t = t;
	p->gpu = gpu;
	p->without = by_process;
	p->first = mem_new(size_t, t->nprocs + 1);
	p->work = mem_new(uint32_t, t->work.n);
	p->kernel_ns = sum_kernels(p);
	order(p, launched_of(t));
	n = p->first[t->nprocs];
	p->launch = mem_new(int64_t, n);
	p->sum = mem_new(int64_t, n + 1);
	p->kernels = mem_new(uint32_t, n + 1);
	p->blocks = n / BLOCK + 1;
	p->tree = mem_new(ival, 2 * p->blocks);
	for (size_t i = 0; i < 2 * p->blocks; i++)
		p->tree[i] = IVAL_NOWHERE;
	for (size_t i = 0; i < n; i++) {
		size_t w = p->work[i];
		ival *block = &p->tree[p->blocks + i / BLOCK];
		p->launch[i] = t->calls.start[t->work.launch[w]];
		p->sum[i + 1] = ns_add(p->sum[i], kernel_time(t, w));
		p->kernels[i + 1] = p->kernels[i] + (t->work.kind[w] <= WORK_GRAPH);
		*block = wider(*block, of_work(p, i));
	}
	for (size_t i = p->blocks; i-- > 1;)
		p->tree[i] = wider(p->tree[2 * i], p->tree[2 * i + 1]);
	p->without = NULL;
	return p;
}

projection *projection_without(trace *t, const ival_set *by_process)
{
	return build(t, -1, by_process);
}

static void *make(trace *t, int64_t gpu)
{
	return build(t, gpu, NULL);
}

static void drop(void *made)
{
	projection_free(made);
}

const projection *projection_on(trace *t, int64_t gpu)
{
	return trace_keep(t, make, gpu, drop);
}

int64_t projection_gpu(const projection *p)
{
	return p->gpu;
}

/*
 * The extremes of the work in [lo,hi): partial blocks piece by piece, whole blocks from the tree.
 *
 * The tree has B = blocks leaves, the nodes B..2B-1, whether or not B is a power of two.  Why the query is
 * right nevertheless: let S(j) be the set of blocks that node j stands for, S(B + i) = { i } and
 * S(j) = S(2j) u S(2j + 1) for 1 <= j < B; tree[j] has the extremes of S(j) by construction.  We show that
 * before each iteration 1 <= l <= r <= 2B, and that what x covers together with the union of
 * S(j) over all l <= j < r is what was asked for.
 *
 * - At the start [l,r) are the leaves that were asked for, B <= l <= r < 2B, and B >= 1.  (Where the loops
 *   over pieces left nothing, lo = hi and l = r.)
 * - In an iteration l < r.  An odd l is taken into x and raised; an odd r is lowered and taken into x.  Both can
 *   be odd only if r >= l + 2, so no node is taken twice and l <= r still.  Now both are even, so the nodes
 *   left form pairs { 2j, 2j + 1 } with l/2 <= j < r/2, and each pair is replaced by j.  That S(j) is the
 *   union of the pair's sets needs 1 <= j < B: l is even and at least 1, so j >= l/2 >= 1; r <= 2B, so
 *   j < r/2 <= B.  The union is unchanged, and the bounds hold for l/2 and r/2.
 *
 * When l = r, x covers everything.  If B is not a power of two, some nodes stand for blocks that are not
 * neighbours: for B = 5, node 2 stands for blocks 3, 4 and 0.  The argument does not need them to be, and the
 * extremes do not depend on the order in which blocks are taken.
 */
static ival extremes(const projection *p, size_t lo, size_t hi)
{
	ival x = IVAL_NOWHERE;

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

projection_sum projection_of(const projection *p, uint32_t proc, int64_t from, int64_t to)
{
	size_t lo, hi;
	ival x;

	search_first(lo, p->first[proc], p->first[proc + 1], p->launch[lo] >= from);
	search_first(hi, lo, p->first[proc + 1], p->launch[hi] >= to);
	x = extremes(p, lo, hi);
	return (projection_sum){ .work = hi - lo, .gpu_ns = p->sum[hi] - p->sum[lo], .kernels = p->kernels[hi] - p->kernels[lo], .first = x.a, .last = x.b };
}

int64_t projection_kernel_ns(const projection *p, uint32_t proc)
{
	return p->kernel_ns[proc];
}

const uint32_t *projection_launched(const projection *p, uint32_t proc, size_t *n)
{
	*n = p->first[proc + 1] - p->first[proc];
	return p->work + p->first[proc];
}

void projection_free(projection *p)
{
	free(p->first);
	free(p->work);
	free(p->launch);
	free(p->sum);
	free(p->kernels);
	free(p->kernel_ns);
	free(p->tree);
	free(p);
}
