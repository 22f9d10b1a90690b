#include "relate/projection.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"
#include "base/sort.h"
#include "relate/launched.h"

enum { BLOCK = 64, STRETCH = 1 << 10 };  /* launches of a block; blocks that a thread looks at */

struct projection {
	const trace *t;
	int64_t gpu;            /* the device asked about; -1: all */
	const ival_set *without;        /* by process: when launched work is left out; NULL: never */
	size_t *first;          /* by process: where its launches begin, and at the end where the last ones end */
	uint32_t *work;         /* in order of process, then launch */
	int64_t *kernel_ns;     /* by process: kernel and graph time of all its work */
	size_t blocks;          /* at least 1 */
	int64_t *launch;        /* when the first of each block was launched */
	int64_t *sum;           /* kernel and graph time before each block, */
	uint32_t *kernels;      /* and how many of them */
	ival *tree;             /* tree[blocks + i]: extremes of block i; others: of their children, 2j and 2j + 1 */
};

static ival of_work(const projection *p, size_t i)
{
	return (ival){ p->t->work.start[p->work[i]], p->t->work.end[p->work[i]] };
}

/* When a piece of work was launched. */
static int64_t launched_at(const projection *p, size_t i)
{
	return p->t->calls.start[p->t->work.launch[p->work[i]]];
}

static bool left_out(const projection *p, size_t work)
{
	const trace *t = p->t;
	uint32_t call = t->work.launch[work];

	return p->without && call != NONE &&
		ival_touches(&p->without[t->streams[t->work.stream[work]].proc], t->calls.start[call],
			     t->calls.start[call]);
}

static bool counts(const projection *p, size_t work)
{
	const trace_work *w = &p->t->work;

	return (p->gpu < 0 || p->t->streams[w->stream[work]].gpu == p->gpu) && !left_out(p, work);
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

typedef struct {
	projection *p;
	const uint32_t *work;   /* in order of launch; */
	size_t n;
	uint32_t *proc;         /* of each its process, of what does not count one more than there are */
} building;

static size_t stretch_end(size_t which, size_t n)
{
	return (which + 1) * STRETCH * BLOCK < n ? (which + 1) * STRETCH * BLOCK : n;
}

static void find_processes(void *ctx, size_t which)
{
	building *b = ctx;
	const trace *t = b->p->t;

	for (size_t i = which * STRETCH * BLOCK; i < stretch_end(which, b->n); i++)
		b->proc[i] = !counts(b->p, b->work[i]) ? (uint32_t)t->nprocs :
			t->streams[t->work.stream[b->work[i]]].proc;
}

/* p->work is where the work is in order of launch, and becomes the work. */
static void fill_blocks(void *ctx, size_t which)
{
	building *b = ctx;
	projection *p = b->p;
	const trace *t = p->t;

	for (size_t i = which * STRETCH * BLOCK; i < stretch_end(which, b->n); i++) {
		size_t w = p->work[i] = b->work[p->work[i]], block = i / BLOCK;
		if (i % BLOCK == 0)
			p->launch[block] = launched_at(p, i);
		p->sum[block + 1] = ns_add(p->sum[block + 1], kernel_time(t, w));
		p->kernels[block + 1] += t->work.kind[w] <= WORK_GRAPH;
		p->tree[p->blocks + block] = ival_hull(p->tree[p->blocks + block], of_work(p, i));
	}
}

static projection *build(trace *t, int64_t gpu, const ival_set *by_process)
{
	projection *p = mem_new(projection, 1);
	building b = { .p = p };

	p->t = t;
	p->gpu = gpu;
	p->without = by_process;
	p->first = mem_new(size_t, t->nprocs + 2);
	p->kernel_ns = sum_kernels(p);
	b.work = launched_all(launched_of(t), &b.n);
	b.proc = mem_grow(NULL, b.n, sizeof *b.proc);
	par_do(t->workers, b.n / (STRETCH * BLOCK) + 1, find_processes, &b);
	p->work = sort_groups(b.proc, b.n, t->nprocs + 1, t->workers, p->first);
	free(b.proc);
	b.n = p->first[t->nprocs];
	p->blocks = b.n / BLOCK + 1;
	p->launch = mem_new(int64_t, p->blocks);
	p->sum = mem_new(int64_t, p->blocks + 1);
	p->kernels = mem_new(uint32_t, p->blocks + 1);
	p->tree = mem_new(ival, 2 * p->blocks);
	for (size_t i = 0; i < 2 * p->blocks; i++)
		p->tree[i] = IVAL_NOWHERE;
	par_do(t->workers, b.n / (STRETCH * BLOCK) + 1, fill_blocks, &b);
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
 * The extremes of the blocks [lo,hi), and of what x covers, from the tree.
 *
 * The tree has B = blocks leaves, the nodes B..2B-1, whether or not B is a power of two.  Why the query is
 * right nevertheless: let S(j) be the set of blocks that node j stands for, S(B + i) = { i } and
 * S(j) = S(2j) u S(2j + 1) for 1 <= j < B; tree[j] has the extremes of S(j) by construction.  We show that
 * before each iteration 1 <= l <= r <= 2B, and that what x covers together with the union of
 * S(j) over all l <= j < r is what was asked for.
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
static ival extremes(const projection *p, size_t lo, size_t hi, ival x)
{
	for (size_t l = p->blocks + lo, r = p->blocks + hi; l < r; l /= 2, r /= 2) {
		if (l & 1)
			x = ival_hull(x, p->tree[l++]);
		if (r & 1)
			x = ival_hull(x, p->tree[--r]);
	}
	return x;
}

static void add_piece(const projection *p, size_t i, projection_sum *s, ival *x)
{
	s->gpu_ns = ns_add(s->gpu_ns, kernel_time(p->t, p->work[i]));
	s->kernels += p->t->work.kind[p->work[i]] <= WORK_GRAPH;
	*x = ival_hull(*x, of_work(p, i));
}

/* Of [lo,hi), which are of one process, the first that was launched at that moment or later. */
static size_t launched_from(const projection *p, size_t lo, size_t hi, int64_t moment)
{
	size_t block, i;

	search_first(block, (lo + BLOCK - 1) / BLOCK, (hi + BLOCK - 1) / BLOCK, p->launch[block] >= moment);
	search_first(i, block * BLOCK > lo + BLOCK ? (block - 1) * BLOCK : lo, block * BLOCK < hi ? block * BLOCK : hi,
		     launched_at(p, i) >= moment);
	return i;
}

/* Partial blocks piece by piece, whole blocks together. */
projection_sum projection_of(const projection *p, uint32_t proc, int64_t from, int64_t to)
{
	projection_sum s = { 0 };
	size_t lo = launched_from(p, p->first[proc], p->first[proc + 1], from);
	size_t hi = launched_from(p, lo, p->first[proc + 1], to);
	ival x = IVAL_NOWHERE;

	s.work = hi - lo;
	for (; lo < hi && lo % BLOCK; lo++)
		add_piece(p, lo, &s, &x);
	for (; lo < hi && hi % BLOCK; hi--)
		add_piece(p, hi - 1, &s, &x);
	if (lo < hi) {
		s.gpu_ns = ns_add(s.gpu_ns, p->sum[hi / BLOCK] - p->sum[lo / BLOCK]);
		s.kernels += p->kernels[hi / BLOCK] - p->kernels[lo / BLOCK];
		x = extremes(p, lo / BLOCK, hi / BLOCK, x);
	}
	s.first = x.a;
	s.last = x.b;
	return s;
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
	mem_free(p->first, p->work, p->launch, p->sum, p->kernels, p->kernel_ns, p->tree, p);
}
