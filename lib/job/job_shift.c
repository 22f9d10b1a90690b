#include "job/job_shift.h"

#include <math.h>

enum { CANDIDATES = 64 };       /* at most so many shifts are judged by time: the smallest ones under which all items
				 * agree */
enum { COMPARISONS = 200 };     /* the search gives up after so many comparisons per item of both processes */

static bool job_shift_is_same_op(const job_item *x, const job_item *y)
{
	return x->mixed || y->mixed || (x->name == y->name && x->bytes == y->bytes);
}

/* The first position of b that has a counterpart in a. */
static size_t job_shift_find_first_shared(int64_t shift)
{
	return shift < 0 ? (size_t)-shift : 0;
}

static size_t job_shift_find_end_of_shared(job_sequence a, job_sequence b, int64_t shift)
{
	int64_t most = (int64_t)a.n - shift;

	return most < (int64_t)b.n ? (size_t)(most > 0 ? most : 0) : b.n;
}

/* The number of shared positions before the first at which a and b differ. */
static size_t job_shift_count_agreeing(job_sequence a, job_sequence b, int64_t shift)
{
	size_t i = job_shift_find_first_shared(shift), end = job_shift_find_end_of_shared(a, b, shift);

	while (i < end && job_shift_is_same_op(&a.v[(int64_t)i + shift], &b.v[i]))
		i++;
	return i - job_shift_find_first_shared(shift);
}

/* The number of shared positions. */
static size_t job_shift_count_overlap(job_sequence a, job_sequence b, int64_t shift)
{
	return job_shift_find_end_of_shared(a, b, shift) > job_shift_find_first_shared(shift) ?
		job_shift_find_end_of_shared(a, b, shift) - job_shift_find_first_shared(shift) :
		0;
}

bool job_items_agree(job_sequence a, job_sequence b, int64_t shift)
{
	size_t n = job_shift_count_overlap(a, b, shift);

	return n && job_shift_count_agreeing(a, b, shift) == n;
}

typedef struct {
	job_fit fit;
	size_t judged;          /* shared operations that can be judged by time */
	size_t met;             /* how many of `judged` run at the same time */
	double apart;           /* the sum of the distances between their ends, ns */
} trial;

/* Is this pair of operations judged by time?  A broadcast or a reduction may be over in one process before it begins in
 * another.  So with only_all, only operations that need all processes, and are not mixed, are judged. */
static bool job_shift_is_judged(const job_item *x, const job_item *y, bool only_all)
{
	return !only_all || (x->needs_all && !x->mixed && !y->mixed);
}

/* Is a shift wrong, because too many of n pairs of operations miss each other, that is, do not overlap in time?  A
 * tenth of them may; without only_all, half of them. */
static bool job_shift_misses_too_many(size_t missed, size_t n, bool only_all)
{
	return missed * (only_all ? 10 : 2) > n;
}

/* Judges a shift by time.  Stops once too many operations miss each other. */
static trial job_shift_judge(job_sequence a, job_sequence b, int64_t ahead, int64_t shift, bool only_all)
{
	trial t = { .fit.shift = shift };
	size_t n = job_shift_count_overlap(a, b, shift);

	for (size_t i = job_shift_find_first_shared(shift), stop = i + n;
	     i < stop && !job_shift_misses_too_many(t.judged - t.met, n, only_all); i++) {
		const job_item *x = &a.v[(int64_t)i + shift], *y = &b.v[i];
		int64_t start = ns_add(y->start, ahead), end = ns_add(y->end, ahead);
		if (!job_shift_is_judged(x, y, only_all))
			continue;
		t.judged++;
		t.met += x->start <= ns_add(end, JOB_TOLERANCE) && start <= ns_add(x->end, JOB_TOLERANCE);
		t.apart += fabs((double)x->end - (double)end);
		t.fit.pairs += only_all;
		t.fit.impossible += only_all && (x->start > end || start > x->end);
	}
	return t;
}

static bool job_shift_any_needs_all(job_sequence a)
{
	for (size_t i = 0; i < a.n; i++)
		if (a.v[i].needs_all)
			return true;
	return false;
}

/* Do enough of the judged operations run at the same time? */
static bool job_shift_is_in_time(const trial *t, bool only_all)
{
	return !job_shift_misses_too_many(t->judged - t->met, t->judged, only_all);
}

/*
 * Among the shifts under which operations and sizes agree and enough operations run at the same time, takes the one
 * under which the ends differ least: the processes of a collective leave it together.  It is not enough that kernels
 * overlap, because the next operation may begin within the tolerance.  If both processes have equally many operations,
 * and none is impossible with shift 0, the captures hold the same operations, and no other shift is tried.
 */
bool job_best_shift(job_sequence a, job_sequence b, int64_t ahead, job_fit *best)
{
	int64_t far = (int64_t)(a.n > b.n ? a.n : b.n);
	bool only_all = job_shift_any_needs_all(a) && job_shift_any_needs_all(b);
	uint64_t comparisons_left = (uint64_t)COMPARISONS * (a.n + b.n);
	double least = -1;

	*best = (job_fit){ 0 };
	for (int64_t i = 0, tried = 0; i < 2 * far && tried < CANDIDATES && comparisons_left; i++) {
		int64_t shift = i % 2 ? (i + 1) / 2 : -i / 2;
		size_t n = job_shift_count_overlap(a, b, shift), agree = job_shift_count_agreeing(a, b, shift);
		trial t;
		comparisons_left -= agree + 1 < comparisons_left ? agree + 1 : comparisons_left;
		if (!n || agree < n)
			continue;
		tried++;
		t = job_shift_judge(a, b, ahead, shift, only_all);
		if (!t.judged || !job_shift_is_in_time(&t, only_all))
			continue;
		if (least < 0 || t.apart / (double)t.judged < least) {
			least = t.apart / (double)t.judged;
			*best = t.fit;
		}
		if (shift == 0 && a.n == b.n && !t.fit.impossible)
			break;
	}
	return least >= 0;
}

job_fit job_fit_of(job_sequence a, job_sequence b, int64_t ahead, int64_t shift)
{
	return job_shift_judge(a, b, ahead, shift, true).fit;
}
