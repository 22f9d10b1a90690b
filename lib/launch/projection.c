#include "launch/projection.h"
#include "base/memory.h"
#include "base/search.h"
#include "base/sort.h"

enum { BLOCK = 64 };            /* pieces of work in a block */

struct projection {
	const trace *t;
	int64_t gpu;            /* the device; -1: all */
	const ival_set *without;        /* by process: the work launched in these intervals is left out; NULL: none
					 * is */
	size_t *first;          /* by process: where its work begins in `work`; the last entry is the number of
				 * pieces */
	uint32_t *work;         /* work with a launch, in order of process, then launch */
	int64_t *kernel_ns;     /* by process: what projection_kernel_ns returns */
	bool lent;              /* do `first`, `work` and `kernel_ns` belong to the projection that projection_order
				 * keeps? */
	size_t blocks;          /* number of blocks, at least 1 */
	int64_t *launch;        /* by block: when its first piece was launched */
	int64_t *sum;           /* by block: ns of the kernels and graphs before it */
	uint32_t *kernels;      /* by block: number of kernels and graphs before it */
	ival *tree;             /* tree[blocks + i]: the extremes of block i, its first start and last end; tree[j] for
				 * j < blocks: the extremes of its children, 2j and 2j + 1 */
};

static ival projection_span_of_work(const projection *p, size_t i)
{
	return (ival){ p->t->work.start[p->work[i]], p->t->work.end[p->work[i]] };
}

/* When the piece p->work[i] was launched. */
static int64_t projection_time_of_launch(const projection *p, size_t i)
{
	return p->t->calls.start[p->t->work.launch[p->work[i]]];
}

static bool projection_is_in_intervals(const projection *p, size_t work)
{
	const trace *t = p->t;
	uint32_t call = t->work.launch[work];

	return call != NONE &&
		ival_touches(&p->without[t->streams[t->work.stream[work]].proc], t->calls.start[call],
			     t->calls.start[call]);
}

static inline bool projection_leaves_out(const projection *p, size_t work)
{
	return p->without && projection_is_in_intervals(p, work);
}

/* The time of a kernel or whole graph, ns; 0 for other work. */
static int64_t projection_time_of_kernel(const trace *t, size_t work)
{
	return t->work.kind[work] <= WORK_GRAPH ? t->work.end[work] - t->work.start[work] : 0;
}

/* Sorts the work of each call of a process by start.  On each GPU it is in this order already, so there is nothing to
 * do for a process with one GPU. */
static void projection_order_launches(projection *p, uint32_t proc)
{
	const trace_work *w = &p->t->work;
	size_t end, l = trace_find_lanes(p->t, proc, &end);

	for (size_t i = p->first[proc], k; end - l > 1 && i < p->first[proc + 1]; i = k) {
		for (k = i + 1; k < p->first[proc + 1] && w->launch[p->work[k]] == w->launch[p->work[i]]; k++)
			;
		sort_items(p->work + i, k - i, trace_compare_starts, w);
	}
}

/* Called twice for each process.  First, with `counted` false, it adds to next[call] how many pieces each call of the
 * process launched.  Then, when next[call] is the index in p->work for the first of these pieces, it writes them there.
 * Both times it sets kernel_ns. */
static void projection_order_process(projection *p, size_t proc, uint32_t *next, bool counted)
{
	const trace *t = p->t;
	int64_t ns = 0;
	size_t n = 0, end, lane = trace_find_lanes(t, (uint32_t)proc, &end);

	for (const trace_lane *l = t->lanes + lane; l < t->lanes + end; l++)
		for (size_t i = l->first; i < l->first + l->n && (p->gpu < 0 || l->gpu == p->gpu); i++) {
			uint32_t call = t->work.launch[i];
			if (projection_leaves_out(p, i))
				continue;
			ns = ns_add(ns, projection_time_of_kernel(t, i));
			if (call == NONE)
				continue;
			n++;
			if (counted)
				p->work[next[call]] = (uint32_t)i;
			next[call]++;
		}
	p->kernel_ns[proc] = ns;
	if (counted)
		projection_order_launches(p, (uint32_t)proc);
	else
		p->first[proc + 1] = n;
}

/* Fills `first`, `work` and `kernel_ns`: puts the work in order of launch by counting. */
static void projection_order_work(projection *p)
{
	const trace *t = p->t;
	uint32_t *next = mem_new(uint32_t, t->calls.n);
	size_t *at = mem_new(size_t, t->nprocs + 1);

	for (size_t i = 0; i < t->nprocs; i++)
		projection_order_process(p, i, next, false);
	for (size_t i = 0; i < t->nprocs; i++)
		at[i + 1] = p->first[i + 1] += p->first[i];
	for (size_t c = 0; c < t->calls.n; c++) {
		size_t *to = &at[t->threads[calls_thread(&t->calls, c)].proc];
		uint32_t n = next[c];
		next[c] = (uint32_t)*to;
		*to += n;
	}
	p->work = mem_grow(NULL, p->first[t->nprocs], sizeof *p->work);
	for (size_t i = 0; i < t->nprocs; i++)
		projection_order_process(p, i, next, true);
	mem_free(next, at);
}

/* Sets sum[block + 1] and kernels[block + 1] to those of this block alone; projection_add_sums adds them up. */
static void projection_fill_blocks(projection *p)
{
	const trace_work *work = &p->t->work;
	size_t n = p->first[p->t->nprocs];

	for (size_t block = 0; block * BLOCK < n; block++) {
		size_t i = block * BLOCK, end = n - i < BLOCK ? n : i + BLOCK;
		ival span = IVAL_NOWHERE;
		int64_t sum = 0;
		uint32_t kernels = 0;
		p->launch[block] = projection_time_of_launch(p, i);
		for (; i < end; i++) {
			sum = ns_add(sum, projection_time_of_kernel(p->t, p->work[i]));
			kernels += work->kind[p->work[i]] <= WORK_GRAPH;
			span = ival_hull(span, projection_span_of_work(p, i));
		}
		p->sum[block + 1] = sum;
		p->kernels[block + 1] = kernels;
		p->tree[p->blocks + block] = span;
	}
}

static projection *projection_new_order(trace *t, int64_t gpu, const ival_set *by_process)
{
	projection *p = mem_new(projection, 1);

	*p = (projection){ .t = t, .gpu = gpu, .without = by_process, .first = mem_new(size_t, t->nprocs + 1),
		.kernel_ns = mem_new(int64_t, t->nprocs) };
	projection_order_work(p);
	return p;
}

/* Fills the members below `lent`, for which it needs `first` and `work`. */
static projection *projection_add_sums(trace *t, projection *p)
{
	p->blocks = p->first[t->nprocs] / BLOCK + 1;
	p->launch = mem_new(int64_t, p->blocks);
	p->sum = mem_new(int64_t, p->blocks + 1);
	p->kernels = mem_new(uint32_t, p->blocks + 1);
	p->tree = mem_new(ival, 2 * p->blocks);
	for (size_t i = 0; i < 2 * p->blocks; i++)
		p->tree[i] = IVAL_NOWHERE;
	projection_fill_blocks(p);
	for (size_t i = 0; i < p->blocks; i++) {
		p->sum[i + 1] = ns_add(p->sum[i + 1], p->sum[i]);
		p->kernels[i + 1] += p->kernels[i];
	}
	for (size_t i = p->blocks; i-- > 1;)
		p->tree[i] = ival_hull(p->tree[2 * i], p->tree[2 * i + 1]);
	p->without = NULL;
	return p;
}

projection *projection_without(trace *t, const ival_set *by_process)
{
	return projection_add_sums(t, projection_new_order(t, -1, by_process));
}

static void projection_release(void *made)
{
	projection_free(made);
}

static void *projection_build_order(trace *t, int64_t unused UNNEEDED)
{
	return projection_new_order(t, -1, NULL);
}

const projection *projection_order(trace *t)
{
	return trace_keep(t, projection_build_order, 0, projection_release);
}

static void *projection_build(trace *t, int64_t gpu)
{
	projection *p;

	if (gpu >= 0)
		return projection_add_sums(t, projection_new_order(t, gpu, NULL));
	p = mem_new(projection, 1);
	*p = *projection_order(t);
	p->lent = true;
	return projection_add_sums(t, p);
}

const projection *projection_on(trace *t, int64_t gpu)
{
	return trace_keep(t, projection_build, gpu, projection_release);
}

int64_t projection_gpu(const projection *p)
{
	return p->gpu;
}

/*
 * The extremes of x and of the blocks [lo,hi), from the tree.
 *
 * The tree has B = blocks leaves, the nodes B..2B-1, whether or not B is a power of two.  Why the query is right
 * nevertheless: let S(j) be the set of blocks that node j stands for, S(B + i) = { i } and S(j) = S(2j) u S(2j + 1) for
 * 1 <= j < B; tree[j] has the extremes of S(j) by construction.  We show that before each iteration 1 <= l <= r <= 2B,
 * and that what x covers together with the union of S(j) over all l <= j < r is what was asked for.
 *
 * - At the start [l,r) are the leaves that were asked for, B <= l <= r < 2B, and B >= 1.
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
static ival projection_hull_of_work(const projection *p, size_t lo, size_t hi, ival x)
{
	for (size_t l = p->blocks + lo, r = p->blocks + hi; l < r; l /= 2, r /= 2) {
		if (l & 1)
			x = ival_hull(x, p->tree[l++]);
		if (r & 1)
			x = ival_hull(x, p->tree[--r]);
	}
	return x;
}

static void projection_add_piece(const projection *p, size_t i, projection_sum *s, ival *x)
{
	s->gpu_ns = ns_add(s->gpu_ns, projection_time_of_kernel(p->t, p->work[i]));
	s->kernels += p->t->work.kind[p->work[i]] <= WORK_GRAPH;
	*x = ival_hull(*x, projection_span_of_work(p, i));
}

/* The first piece in [lo,hi) that was launched at the moment or later; hi: there is none.  All these pieces belong to
 * one process. */
static size_t projection_first_launch_from(const projection *p, size_t lo, size_t hi, int64_t moment)
{
	size_t block, i;

	search_first(block, (lo + BLOCK - 1) / BLOCK, (hi + BLOCK - 1) / BLOCK, p->launch[block] >= moment);
	search_first(i, block * BLOCK > lo + BLOCK ? (block - 1) * BLOCK : lo, block * BLOCK < hi ? block * BLOCK : hi,
		     projection_time_of_launch(p, i) >= moment);
	return i;
}

/* Adds partial blocks piece by piece, and whole blocks by the sums and the tree. */
projection_sum projection_of(const projection *p, uint32_t proc, int64_t from, int64_t to)
{
	projection_sum s = { 0 };
	size_t lo = projection_first_launch_from(p, p->first[proc], p->first[proc + 1], from);
	size_t hi = projection_first_launch_from(p, lo, p->first[proc + 1], to);
	ival x = IVAL_NOWHERE;

	s.work = hi - lo;
	for (; lo < hi && lo % BLOCK; lo++)
		projection_add_piece(p, lo, &s, &x);
	for (; lo < hi && hi % BLOCK; hi--)
		projection_add_piece(p, hi - 1, &s, &x);
	if (lo < hi) {
		s.gpu_ns = ns_add(s.gpu_ns, p->sum[hi / BLOCK] - p->sum[lo / BLOCK]);
		s.kernels += p->kernels[hi / BLOCK] - p->kernels[lo / BLOCK];
		x = projection_hull_of_work(p, lo / BLOCK, hi / BLOCK, x);
	}
	s.first = x.a;
	s.last = x.b;
	return s;
}

int64_t projection_kernel_ns(const projection *p, uint32_t proc)
{
	return p->kernel_ns[proc];
}

const uint32_t *projection_all(const projection *p, size_t *n)
{
	*n = p->first[p->t->nprocs];
	return p->work;
}

const uint32_t *projection_launched(const projection *p, uint32_t proc, size_t *n)
{
	*n = p->first[proc + 1] - p->first[proc];
	return p->work + p->first[proc];
}

void projection_free(projection *p)
{
	if (!p->lent)
		mem_free(p->first, p->work, p->kernel_ns);
	mem_free(p->launch, p->sum, p->kernels, p->tree, p);
}
