#include "base/sort.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"

#include <stdatomic.h>
#include <string.h>

enum { MANY_ITEMS = 1 << 14 };  /* with more than this, several threads pay off */
enum { MUCH = 8 };              /* a run that is so many times as long as another is much longer */

/* Does a come before b?  Where there are keys, they decide, and only equal ones are compared. */
static inline bool before(uint32_t a, uint32_t b, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	return key && key[a] != key[b] ? key[a] < key[b] : cmp(a, b, ctx) < 0;
}

/* The first item of in[lo,hi) that does not come before x; with `after` that comes after it.  It is near lo. */
static size_t skip(const uint32_t *in, size_t lo, size_t hi, uint32_t x, bool after, const int64_t *key, sort_cmp *cmp,
		   const void *ctx)
{
	size_t step = 1, i;

	for (; hi - lo > step; step *= 2) {
		if (after ? before(x, in[lo + step], key, cmp, ctx) : !before(in[lo + step], x, key, cmp, ctx))
			break;
		lo += step;
	}
	search_first(i, lo, hi - lo > step ? lo + step : hi,
		     after ? before(x, in[i], key, cmp, ctx) : !before(in[i], x, key, cmp, ctx));
	return i;
}

/* Merge two runs.  Each item of one that is much shorter is looked for in the other, and what is between two of them is
 * copied as it is. */
static void merge(const uint32_t *in, size_t lo, size_t mid, size_t hi, uint32_t *out, const int64_t *key,
		  sort_cmp *cmp, const void *ctx)
{
	size_t i = lo, j = mid, k = lo, to;

	for (; (hi - mid) * MUCH < mid - lo && j < hi; out[k++] = in[j++], i = to) {
		to = skip(in, i, mid, in[j], true, key, cmp, ctx);
		memcpy(out + k, in + i, (to - i) * sizeof *in);
		k += to - i;
	}
	for (; (mid - lo) * MUCH < hi - mid && i < mid; out[k++] = in[i++], j = to) {
		to = skip(in, j, hi, in[i], false, key, cmp, ctx);
		memcpy(out + k, in + j, (to - j) * sizeof *in);
		k += to - j;
	}
	while (i < mid && j < hi)
		out[k++] = before(in[j], in[i], key, cmp, ctx) ? in[j++] : in[i++];
	memcpy(out + k, in + i, (mid - i) * sizeof *in);
	memcpy(out + k + (mid - i), in + j, (hi - j) * sizeof *in);
}

/* Merge v[mid,hi) in place into the run before it, which is much longer: from the last item on, each goes where it
 * belongs, and what comes after it moves up. */
static void merge_short(uint32_t *v, size_t mid, size_t hi, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	size_t n = hi - mid, i;
	uint32_t *own = mem_grow(NULL, n, sizeof *own);

	memcpy(own, v + mid, n * sizeof *own);
	for (; n--; mid = i) {
		size_t lo = mid, end = mid;
		for (size_t step = 1; lo && before(own[n], v[lo - 1], key, cmp, ctx); step *= 2) {
			end = lo - 1;
			lo = end > step ? end - step : 0;
		}
		search_first(i, lo, end, before(own[n], v[i], key, cmp, ctx));
		memmove(v + i + n + 1, v + i, (mid - i) * sizeof *v);
		v[i + n] = own[n];
	}
	free(own);
}

typedef vec(size_t) ends;

/* Do that with the first run and those after it, while there are few and they are much shorter: mostly events of
 * another kind. */
static void merge_few(uint32_t *v, ends *of, const int64_t *key, sort_cmp *cmp, const void *ctx)
{
	enum { FEW = 4 };

	while (of->n > 1 && of->n <= FEW && (of->v[1] - of->v[0]) * MUCH < of->v[0]) {
		merge_short(v, of->v[0], of->v[1], key, cmp, ctx);
		of->n--;
		memmove(of->v, of->v + 1, of->n * sizeof *of->v);
	}
}

typedef struct {
	const uint32_t *in;
	uint32_t *out;
	size_t n, stretches;
	const int64_t *key;
	sort_cmp *cmp;
	const void *ctx;
	ends *of;                       /* by stretch: where runs end in it; then those of all in the first */
} merging;

static void find_ends(void *ctx, size_t which)
{
	const merging m = *(const merging *)ctx;
	size_t lo = m.n * which / m.stretches, hi = m.n * (which + 1) / m.stretches;

	for (size_t i = lo ? lo : 1; i < hi; i++)
		if (before(m.in[i], m.in[i - 1], m.key, m.cmp, m.ctx))
			vec_push(&m.of[which], i);
}

/* Merge the runs 2 i and 2 i + 1, if there is one. */
static void merge_runs(void *ctx, size_t i)
{
	const merging *m = ctx;
	const size_t *end = m->of->v + 2 * i;
	bool two = 2 * i + 1 < m->of->n;

	merge(m->in, i ? end[-1] : 0, end[0], end[two], m->out, m->key, m->cmp, m->ctx);
}

void sort_items_by(uint32_t *items, size_t n, const int64_t *key, sort_cmp *cmp, const void *ctx, par threads)
{
	size_t stretches = n > MANY_ITEMS ? par_stretches(threads) : 1;
	ends one = { 0 }, *of = stretches > 1 ? mem_new(ends, stretches) : &one;
	merging m = { items, NULL, n, stretches, key, cmp, ctx, of };
	uint32_t *spare = NULL;

	par_do(threads, stretches, find_ends, &m);
	for (size_t s = 1; s < stretches; s++) {
		for (size_t i = 0; i < of[s].n; i++)
			vec_push(of, of[s].v[i]);
		vec_free(&of[s]);
	}
	if (of->n)
		vec_push(of, n);
	merge_few(items, of, key, cmp, ctx);
	if (of->n > 1)
		m.out = spare = mem_grow(NULL, n, sizeof *spare);
	while (of->n > 1) {
		par_do(stretches > 1 ? threads : PAR_ALONE, (of->n + 1) / 2, merge_runs, &m);
		for (size_t r = 0; r < of->n; r += 2)
			of->v[r / 2] = of->v[r + 1 < of->n ? r + 1 : r];
		of->n = (of->n + 1) / 2;
		m.in = m.out;
		m.out = m.in == items ? spare : items;
	}
	if (m.in != items)
		memcpy(items, m.in, n * sizeof *items);
	vec_free(of);
	mem_free(spare, of == &one ? NULL : of);
}

void sort_items(uint32_t *items, size_t n, sort_cmp *cmp, const void *ctx)
{
	sort_items_by(items, n, NULL, cmp, ctx, PAR_ALONE);
}

static int by_number(uint32_t a, uint32_t b, const void *unused UNNEEDED)
{
	return sort_3way(a, b);
}

void sort_numbers(uint32_t *v, size_t n)
{
	sort_items(v, n, by_number, NULL);
}

/* Data that is nearly in order: each thread sorts one stretch. */
typedef struct {
	size_t n, stretches;
	const int64_t *key;
	sort_cmp *cmp;
	void (*swap)(uint32_t a, uint32_t b, void *ctx);
	void *ctx;
	atomic_bool too_far;
} nearly;

static void sort_stretch(void *ctx, size_t which)
{
	nearly *x = ctx;
	size_t lo = x->n * which / x->stretches, hi = x->n * (which + 1) / x->stretches, left = hi - lo;

	for (size_t i = lo + 1; i < hi; i++)
		for (size_t k = i; k > lo && before((uint32_t)k, (uint32_t)k - 1, x->key, x->cmp, x->ctx); k--) {
			if (!left--) {
				x->too_far = true;
				return;
			}
			x->swap((uint32_t)k, (uint32_t)k - 1, x->ctx);
		}
}

bool sort_nearly(size_t n, const int64_t *key, sort_cmp *cmp, void (*swap)(uint32_t a, uint32_t b, void *ctx),
		 void *ctx, par threads)
{
	nearly x = { .n = n, .stretches = n > MANY_ITEMS ? par_stretches(threads) : 1, .key = key, .cmp = cmp,
		.swap = swap, .ctx = ctx };
	bool in_order = true;

	par_do(threads, x.stretches, sort_stretch, &x);
	for (size_t i = 1; i < x.stretches; i++) {
		uint32_t first = (uint32_t)(n * i / x.stretches);
		in_order &= !before(first, first - 1, key, cmp, ctx);
	}
	x.stretches = 1;
	if (!in_order && !x.too_far)
		sort_stretch(&x, 0);
	return !x.too_far;
}

uint32_t *sort_all(size_t n, sort_cmp *cmp, const void *ctx)
{
	uint32_t *order = mem_new(uint32_t, n);

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sort_items(order, n, cmp, ctx);
	return order;
}

uint32_t *sort_order(size_t n, sort_cmp *cmp, const void *ctx)
{
	size_t i = 1;

	while (i < n && cmp((uint32_t)i, (uint32_t)i - 1, ctx) >= 0)
		i++;
	return i < n ? sort_all(n, cmp, ctx) : NULL;
}

/* The group of an item is of[group[i]] or, if of is NULL, group[i].  Each thread goes through several stretches side by
 * side: neighbours are mostly of one group, and a count that was just stored is slow to read again. */
enum { AT_ONCE = 4 };

typedef struct {
	const uint32_t *group;
	const uint32_t *of;
	size_t n, groups, stretches;
	size_t *next;                   /* by stretch and group: how many, and then where the next one goes */
	uint32_t *order;
} grouping;

static inline void group_item(const grouping *g, size_t i, size_t *next, bool place)
{
	size_t at = next[g->of ? g->of[g->group[i]] : g->group[i]]++;

	if (place)
		g->order[at] = (uint32_t)i;
}

static inline __attribute__((always_inline)) void group_stretches(const grouping *g, size_t which, bool place)
{
	size_t *next = &g->next[which * AT_ONCE * g->groups], from[AT_ONCE + 1];
	size_t each = g->stretches > 1 ? g->n / g->stretches : 0;

	for (size_t s = 0; s <= AT_ONCE; s++)
		from[s] = g->stretches > 1 ? g->n * (which * AT_ONCE + s) / g->stretches : s ? g->n : 0;
	for (size_t i = 0; i < each; i++)
#pragma GCC unroll 4
		for (size_t s = 0; s < AT_ONCE; s++)
			group_item(g, from[s] + i, next + s * g->groups, place);
	for (size_t s = 0; s < AT_ONCE; s++)    /* what is left of each */
		for (size_t i = from[s] + each; i < from[s + 1]; i++)
			group_item(g, i, next + s * g->groups, place);
}

static void count_stretches(void *ctx, size_t which)
{
	group_stretches(ctx, which, false);
}

static void place_stretches(void *ctx, size_t which)
{
	group_stretches(ctx, which, true);
}

uint32_t *sort_groups_of(const uint32_t *group, const uint32_t *of, size_t n, size_t groups, par threads, size_t *first)
{
	enum { MANY_GROUPS = 1 << 12 };
	grouping g = { .group = group, .of = of, .n = n, .groups = groups };
	size_t at = 0;

	g.stretches = g.n > MANY_ITEMS && groups < MANY_GROUPS ? AT_ONCE * par_stretches(threads) : 1;
	g.next = mem_new(size_t, g.stretches * groups);
	g.order = mem_grow(NULL, g.n, sizeof *g.order);
	par_do(threads, (g.stretches + AT_ONCE - 1) / AT_ONCE, count_stretches, &g);
	for (size_t k = 0; k < groups; k++) {
		first[k] = at;
		for (size_t s = 0; s < g.stretches; s++) {
			size_t count = g.next[s * groups + k];
			g.next[s * groups + k] = at;
			at += count;
		}
	}
	first[groups] = at;
	par_do(threads, (g.stretches + AT_ONCE - 1) / AT_ONCE, place_stretches, &g);
	free(g.next);
	return g.order;
}

uint32_t *sort_groups(const uint32_t *group, size_t n, size_t groups, par threads, size_t *first)
{
	return sort_groups_of(group, NULL, n, groups, threads, first);
}

void sort_gather(void *to, const void *from, size_t size, const uint32_t *order, size_t lo, size_t hi)
{
	switch (size) {
	case 8:
		for (size_t i = lo; i < hi; i++)
			((int64_t *)to)[i] = ((const int64_t *)from)[order[i]];
		break;
	case 4:
		for (size_t i = lo; i < hi; i++)
			((uint32_t *)to)[i] = ((const uint32_t *)from)[order[i]];
		break;
	case 1:
		for (size_t i = lo; i < hi; i++)
			((char *)to)[i] = ((const char *)from)[order[i]];
		break;
	default:
		for (size_t i = lo; i < hi; i++)
			memcpy((char *)to + i * size, (const char *)from + order[i] * size, size);
	}
}

void *sort_applied(void *array, size_t size, const uint32_t *order, size_t n)
{
	void *to;

	if (!order || !array)
		return array;
	to = mem_grow(NULL, n, size);
	sort_gather(to, array, size, order, 0, n);
	free(array);
	return to;
}
