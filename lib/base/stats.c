#include "base/stats.h"
#include "base/interval.h"
#include "base/parallel.h"
#include "base/sort.h"

#include <string.h>

enum { MANY = 1 << 14 };        /* with more values than this, threads pay off */

void stats_reserve(stats *s, size_t n)
{
	vec_reserve(&s->group, s->group.n + n);
	vec_reserve(&s->value, s->value.n + n);
}

/* Values are kept as numbers that rise with them: first those far below zero, from NEAR on those around it, which are
 * most durations, from FAR on the others.  The number of a far one is its place among all far ones in order; until
 * these are together, FAR and its place in the part. */
#define NEAR ((uint32_t)1 << 30)
#define ZERO (NEAR + NEAR / 2)
#define FAR ((uint32_t)3 << 30)

static bool is_near(int64_t value)
{
	return value >= -(int64_t)(ZERO - NEAR) && value < FAR - ZERO;
}

static __attribute__((noinline)) void add_any(stats *s, size_t group, int64_t value)
{
	bool near = is_near(value);

	vec_push(&s->group, (uint32_t)group);
	vec_push(&s->value, near ? (uint32_t)(value + ZERO) : FAR + (uint32_t)s->far.n);
	if (!near)
		vec_push(&s->far, value);
}

void stats_add(stats *s, size_t group, int64_t value)
{
	if (!is_near(value) || s->group.n == s->group.room || s->value.n == s->value.room) {
		add_any(s, group, value);
		return;
	}
	s->group.v[s->group.n++] = (uint32_t)group;
	s->value.v[s->value.n++] = (uint32_t)(value + ZERO);
}

void stats_close(stats *s)
{
	uint32_t *sorted, last = 0, at = 0;

	if (s->end)
		return;
	for (size_t i = 0; i < s->group.n; i++)
		last = s->group.v[i] > last ? s->group.v[i] : last;
	s->groups = s->group.n ? (size_t)last + 1 : 0;
	s->end = mem_new(uint32_t, s->groups);
	for (size_t i = 0; i < s->group.n; i++)
		s->end[s->group.v[i]]++;
	for (size_t g = 0; g < s->groups; g++) {        /* for now, where it begins */
		uint32_t n = s->end[g];
		s->end[g] = at;
		at += n;
	}
	sorted = mem_grow(NULL, at, sizeof *sorted);
	for (size_t i = 0; i < s->group.n; i++)
		sorted[s->end[s->group.v[i]]++] = s->value.v[i];
	free(s->value.v);
	s->value.v = sorted;
	s->value.room = s->value.n;
	vec_free(&s->group);
}

static int64_t value_of(uint32_t v, const int64_t *far)
{
	return v < NEAR ? far[v] : v < FAR ? (int64_t)v - ZERO : far[v - FAR];
}

/* A random index of [lo,hi): at fixed positions, durations that rise and fall regularly would give bad pivots. */
static size_t any_of(size_t lo, size_t hi, uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return lo + (*seed >> 33) % (hi - lo);
}

static int64_t middle_of(int64_t a, int64_t b, int64_t c)
{
	return a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
}

/* Put those of v[lo..hi) that are below a limit before the others; where these begin.  There is no branch, which would
 * be guessed wrong every other time. */
static size_t move_below(uint32_t *v, size_t lo, size_t hi, uint64_t limit)
{
	for (size_t i = lo; i < hi; i++) {
		uint32_t x = v[i];
		v[i] = v[lo];
		v[lo] = x;
		lo += x < limit;
	}
	return lo;
}

/* Put the k-th smallest element of v[lo..hi) at v[k], with none larger before it: quickselect with the median of three
 * as the pivot.  The range shrinks every time: it loses the elements below the pivot, or the others, or, if there are
 * none below, those equal to it. */
static void select_nth(uint32_t *v, size_t lo, size_t hi, size_t k)
{
	uint64_t seed = k;

	while (hi - lo > 1) {
		uint32_t a = v[any_of(lo, hi, &seed)], b = v[any_of(lo, hi, &seed)], c = v[any_of(lo, hi, &seed)];
		uint32_t pivot = (uint32_t)middle_of(a, b, c);
		size_t from = move_below(v, lo, hi, pivot);
		bool least = from == lo;
		if (least)
			from = move_below(v, lo, hi, (uint64_t)pivot + 1);
		if (k >= from)
			lo = from;
		else if (least)
			return;
		else
			hi = from;
	}
}

/* The value at ceil(p*n)-1, p in percent; percentiles must be asked for in rising order. */
static uint32_t nearest_rank(uint32_t *v, size_t n, size_t *done, size_t p)
{
	size_t k = stats_rank(n, p);

	select_nth(v, *done, n, k);
	*done = k;
	return v[k];
}

static stats_sum sum_of(uint32_t *v, size_t n, const int64_t *far)
{
	stats_sum s = { .count = (int64_t)n, .mean = STATS_MISSING, .p50 = STATS_MISSING, .p90 = STATS_MISSING,
		.p99 = STATS_MISSING, .min = STATS_MISSING, .max = STATS_MISSING };
	uint32_t min = UINT32_MAX, max = 0;
	size_t done = 0;

	if (!n)
		return s;
	for (size_t i = 0; i < n; i++) {
		s.total = ns_add(s.total, value_of(v[i], far));
		min = v[i] < min ? v[i] : min;
		max = v[i] > max ? v[i] : max;
	}
	s.min = value_of(min, far);
	s.max = value_of(max, far);
	s.mean = s.total / s.count + (s.total % s.count >= s.count - s.total % s.count);
	s.p50 = value_of(nearest_rank(v, n, &done, 50), far);
	s.p90 = value_of(nearest_rank(v, n, &done, 90), far);
	s.p99 = value_of(nearest_rank(v, n, &done, 99), far);
	return s;
}

typedef struct {                /* the values that a part has of a group */
	uint32_t part, from, n;
} piece;

typedef struct {
	stats *parts;
	piece *pieces;                  /* by group, */
	size_t *end;                    /* and where those of each end */
	uint32_t **rank;                /* by part and far value: its number among all; */
	int64_t *far;                   /* these, in order */
	stats_sum *sums;
} job;

static void close_part(void *ctx, size_t part)
{
	stats_close((stats *)ctx + part);
}

/* List the pieces of each group; returns how many values they have. */
static size_t list_pieces(job *j, const uint32_t *const *group, size_t n, size_t groups)
{
	size_t pieces = 0, values = 0;

	for (size_t p = 0; p < n; p++)
		for (size_t g = 0; g < j->parts[p].groups; g++)
			j->end[group ? group[p][g] : g] += j->parts[p].end[g] > (g ? j->parts[p].end[g - 1] : 0);
	for (size_t g = 0; g < groups; g++) {
		size_t count = j->end[g];
		j->end[g] = pieces;
		pieces += count;
	}
	j->pieces = mem_grow(NULL, pieces, sizeof *j->pieces);
	for (size_t p = 0; p < n; p++) {
		const stats *s = &j->parts[p];
		for (size_t g = 0, from = 0; g < s->groups; from = s->end[g++])
			if (s->end[g] > from)
				j->pieces[j->end[group ? group[p][g] : g]++] = (piece){ (uint32_t)p, (uint32_t)from,
					s->end[g] - (uint32_t)from };
		values += s->value.n;
	}
	return values;
}

/* The values of a piece as they compare with those of others. */
static uint32_t *number_piece(const job *j, const piece *p)
{
	uint32_t *v = j->parts[p->part].value.v + p->from, *rank = j->rank[p->part];

	for (size_t i = 0; rank && i < p->n; i++)
		v[i] = v[i] < FAR ? v[i] : rank[v[i] - FAR];
	return v;
}

static void sum_group(void *ctx, size_t g)
{
	job *j = ctx;
	const piece *first = &j->pieces[g ? j->end[g - 1] : 0], *end = &j->pieces[j->end[g]];
	uint32_t *v;
	size_t n = 0;

	if (end - first == 1) {
		j->sums[g] = sum_of(number_piece(j, first), first->n, j->far);
		return;
	}
	for (const piece *p = first; p < end; p++)
		n += p->n;
	v = mem_grow(NULL, n, sizeof *v);
	n = 0;
	for (const piece *p = first; p < end; n += p++->n)
		memcpy(v + n, number_piece(j, p), p->n * sizeof *v);
	j->sums[g] = sum_of(v, n, j->far);
	free(v);
}

static int by_value(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return sort_3way(v[a], v[b]);
}

/* Number the far values of n parts in order. */
static void rank_far(job *j, size_t n)
{
	vec(int64_t) all = { 0 };
	uint32_t *order, *rank;

	j->rank = mem_new(uint32_t *, n + 1);
	for (size_t p = 0; p < n; p++)
		for (size_t i = 0; i < j->parts[p].far.n; i++)
			vec_push(&all, j->parts[p].far.v[i]);
	if (!all.n)
		return;
	order = sort_order(all.n, by_value, all.v);
	rank = mem_new(uint32_t, all.n);
	for (uint32_t i = 0; i < all.n; i++) {
		uint32_t of = order ? order[i] : i;
		rank[of] = all.v[of] < 0 ? i : FAR + i;
	}
	sort_apply(all.v, order, all.n);
	free(order);
	j->far = all.v;
	for (size_t p = 0; p < n; p++) {
		j->rank[p] = rank;
		rank += j->parts[p].far.n;
		vec_free(&j->parts[p].far);
	}
}

stats_sum *stats_finish_parts(stats *parts, const uint32_t *const *group, size_t n, size_t groups, par threads)
{
	job j = { .parts = parts, .end = mem_new(size_t, groups), .sums = mem_new(stats_sum, groups) };

	par_do(threads, n, close_part, parts);
	rank_far(&j, n);
	par_do(list_pieces(&j, group, n, groups) > MANY ? threads : PAR_ALONE, groups, sum_group, &j);
	for (size_t p = 0; p < n; p++) {
		vec_free(&parts[p].value);
		free(parts[p].end);
		parts[p] = (stats){ 0 };
	}
	mem_free(j.pieces, j.end, j.rank[0], j.rank, j.far);
	return j.sums;
}

stats_sum *stats_finish(stats *s, size_t groups, par threads)
{
	return stats_finish_parts(s, NULL, 1, groups, threads);
}

int64_t stats_median(const int64_t *v, size_t n)
{
	stats s = { 0 };
	stats_sum *sum;
	int64_t median;

	stats_reserve(&s, n);
	for (size_t i = 0; i < n; i++)
		stats_add(&s, 0, v[i]);
	sum = stats_finish(&s, 1, PAR_ALONE);
	median = sum->p50;
	free(sum);
	return median;
}

/* The smallest value that with those below it has this weight: select_nth with weights for numbers. */
static int64_t reach_weight(stats_weighed *v, size_t n, double weight)
{
	size_t lo = 0, hi = n;
	uint64_t seed = n;
	int64_t pivot = v[0].value;

	while (hi > lo) {
		int64_t a = v[any_of(lo, hi, &seed)].value, b = v[any_of(lo, hi, &seed)].value;
		size_t less = lo, i = lo, more = hi;
		double below = 0, equal = 0;
		pivot = middle_of(a, b, v[any_of(lo, hi, &seed)].value);
		while (i < more) {
			stats_weighed x = v[i];
			if (x.value < pivot) {
				below += x.weight;
				v[i++] = v[less];
				v[less++] = x;
			} else if (x.value > pivot) {
				v[i] = v[--more];
				v[more] = x;
			} else {
				equal += x.weight;
				i++;
			}
		}
		if (less > lo && weight <= below) {
			hi = less;
		} else if (weight <= below + equal) {
			return pivot;
		} else {
			weight -= below + equal;
			lo = more;
		}
	}
	return pivot;           /* rounding left a little weight that no value has */
}

stats_weighted stats_weigh(stats_weighed *v, size_t n)
{
	stats_weighted s = { .max = v[0].value };
	double total = 0;

	for (size_t i = 0; i < n; i++) {
		s.weight += v[i].weight;
		total += v[i].weight * (double)v[i].value;
		s.max = v[i].value > s.max ? v[i].value : s.max;
	}
	s.mean = total / s.weight;
	s.p50 = reach_weight(v, n, s.weight * 50 / 100);
	s.p90 = reach_weight(v, n, s.weight * 90 / 100);
	return s;
}
