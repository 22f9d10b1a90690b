#include "step/steady.h"
#include "base/interval.h"
#include "base/memory.h"
#include "base/sort.h"

static int by_value(uint32_t a, uint32_t b, const void *ctx)
{
	const int64_t *v = ctx;

	return v[a] != v[b] ? sort_3way(v[a], v[b]) : sort_3way(a, b);
}

/* The places of [from,to) that have a value, in order of that. */
static uint32_t *in_order(const int64_t *v, size_t from, size_t to, size_t *n)
{
	uint32_t *order = mem_new(uint32_t, to - from);

	*n = 0;
	for (size_t i = from; i < to; i++)
		if (v[i] != STEADY_NONE)
			order[(*n)++] = (uint32_t)i;
	sort_items(order, *n, by_value, v);
	return order;
}

/* The place of the lower median of those that have a value; to if there is none. */
static size_t median(const int64_t *v, size_t from, size_t to)
{
	size_t n;
	uint32_t *order = in_order(v, from, to, &n);
	size_t at = n ? order[(n - 1) / 2] : to;

	free(order);
	return at;
}

/* The values as a list in their order, from which the steps are taken one by one, from the first: so the median of all
 * later ones is never more than one place away from that of the step before. */
typedef struct {
	size_t *rank, *before, *after;  /* by place: its rank, 1 to n; by rank: its neighbours that are left, 0 and
					 * n + 1 the ends */
	uint32_t *order;                /* by rank - 1: the place */
	size_t n, left, median;         /* the median's rank */
} later;

static later all_later(const int64_t *v, size_t n)
{
	later l;

	l.order = in_order(v, 0, n, &l.n);
	l.left = l.n;
	l.median = (l.n + 1) / 2;
	l.rank = mem_new(size_t, n);
	l.before = mem_new(size_t, l.n + 2);
	l.after = mem_new(size_t, l.n + 2);
	for (size_t i = 1; i <= l.n; i++) {
		l.rank[l.order[i - 1]] = i;
		l.before[i] = i - 1;
		l.after[i] = i + 1;
	}
	l.after[0] = 1;
	l.before[l.n + 1] = l.n;
	return l;
}

/* Take a step out.  The lower median of n values has (n - 1) / 2 before it.  So of an even number it is the next one if
 * it goes itself or one before it does; of an odd number it is the one before, unless one before it goes. */
static void take_out(later *l, size_t place)
{
	size_t r = l->rank[place], m = l->median;

	if (l->left % 2)
		l->median = r >= m ? l->before[m] : m;
	else
		l->median = r <= m ? l->after[m] : m;
	l->after[l->before[r]] = l->after[r];
	l->before[l->after[r]] = l->before[r];
	l->left--;
}

static size_t count_warm_up(const int64_t *period, size_t n)
{
	later l = all_later(period, n);
	size_t lead = 0;

	for (; lead < n && 3 * lead <= n && period[lead] != STEADY_NONE; lead++) {
		take_out(&l, lead);
		if (!l.left || (double)period[lead] <= 1.3 * (double)period[l.order[l.median - 1]])
			break;
	}
	mem_free(l.order, l.rank, l.before, l.after);
	return 3 * lead <= n ? lead : 0;
}

static steady of_one(const int64_t *period, const int64_t *length, size_t n, bool steadily)
{
	steady s = { .end = n };

	if (median(period, 0, n) == n) {
		s.typical = median(length, 0, n);
		return s;
	}
	if (steadily) {
		s.first = count_warm_up(period, n);
		s.end -= period[n - 1] == STEADY_NONE;
	}
	s.typical = median(period, s.first, s.end);
	return s;
}

/* The sums over processes of what the steps of one number have, where each has it. */
static int64_t *sums(const steady_list *lists, size_t n, bool periods)
{
	int64_t *sum = mem_new(int64_t, lists->n);

	for (size_t p = 0; p < n; p++)
		for (size_t i = 0; i < lists->n; i++) {
			int64_t x = periods ? lists[p].period[i] : lists[p].length[i];
			sum[i] = x == STEADY_NONE || sum[i] == STEADY_NONE ? STEADY_NONE : ns_add(sum[i], x);
		}
	return sum;
}

void steady_find(const steady_list *lists, size_t n, steady *out, bool steadily)
{
	bool alike = n > 0;
	int64_t *period, *length;

	for (size_t i = 0; i < n; i++) {
		out[i] = of_one(lists[i].period, lists[i].length, lists[i].n, steadily);
		alike &= lists[i].n == lists[0].n;
	}
	if (!alike || n < 2)
		return;
	period = sums(lists, n, true);
	length = sums(lists, n, false);
	*out = of_one(period, length, lists->n, steadily);
	for (size_t i = 1; i < n; i++)
		out[i] = *out;
	mem_free(period, length);
}

void steady_list_free(steady_list *l)
{
	mem_free(l->period, l->length);
}
