#include "relate/job_shift.h"

#include <math.h>

enum {
	TOLERANCE = 20000,      /* ns: ends and arrivals on different clocks are known no better than that */
	CANDIDATES = 64         /* agreeing shifts that are tried, the smallest first */
};

/* Can it be the same operation? */
static bool same(const job_item *x, const job_item *y)
{
	return x->mixed || y->mixed || (x->name == y->name && x->bytes == y->bytes);
}

/* The positions of b that lie in a after a shift. */
static size_t from(int64_t shift)
{
	return shift < 0 ? (size_t)-shift : 0;
}

static size_t to(job_sequence a, job_sequence b, int64_t shift)
{
	int64_t most = (int64_t)a.n - shift;

	return most < (int64_t)b.n ? (size_t)(most > 0 ? most : 0) : b.n;
}

bool job_agree(job_sequence a, job_sequence b, int64_t shift)
{
	size_t i = from(shift), end = to(a, b, shift);
	bool any = i < end;

	while (i < end && same(&a.v[(int64_t)i + shift], &b.v[i]))
		i++;
	return any && i == end;
}

typedef struct {
	job_fit fit;
	size_t judged;          /* operations that both have and that can be judged by time, */
	size_t met;             /* those of them that run at the same time, */
	double apart;           /* and how far apart their ends are: the sum */
} trial;

/* A broadcast or a reduction may be over for one process before another begins, so operations that need all
 * processes are judged if there are any. */
static bool is_judged(const job_item *x, const job_item *y, bool only_all)
{
	return !only_all || (x->needs_all && !x->mixed && !y->mixed);
}

static trial try_shift(job_sequence a, job_sequence b, int64_t ahead, int64_t shift, bool only_all)
{
	trial t = { .fit.shift = shift };

	for (size_t i = from(shift); i < to(a, b, shift); i++) {
		const job_item *x = &a.v[(int64_t)i + shift], *y = &b.v[i];
		int64_t start = job_plus(y->start, ahead), end = job_plus(y->end, ahead);
		if (!is_judged(x, y, only_all))
			continue;
		t.judged++;
		t.met += x->start <= job_plus(end, TOLERANCE) && start <= job_plus(x->end, TOLERANCE);
		t.apart += fabs((double)x->end - (double)end);
		t.fit.pairs += only_all;
		t.fit.impossible += only_all && (x->start > end || start > x->end);
	}
	return t;
}

static bool any_needs_all(job_sequence a)
{
	for (size_t i = 0; i < a.n; i++)
		if (a.v[i].needs_all)
			return true;
	return false;
}

/* Do the operations run at the same times? */
static bool in_time(const trial *t, bool only_all)
{
	return only_all ? t->met * 10 >= t->judged * 9 : t->met * 2 >= t->judged;
}

/*
 * Of the shifts for which operations and sizes agree, the one that is right in time.  Ends decide: the processes
 * of a collective leave it together.  That kernels overlap is not enough, because the next operation may
 * begin within the tolerance.  Where both have equally many operations and none is impossible, they were captured
 * over the same stretch.
 */
bool job_best_shift(job_sequence a, job_sequence b, int64_t ahead, job_fit *best)
{
	int64_t far = (int64_t)(a.n > b.n ? a.n : b.n);
	bool only_all = any_needs_all(a) && any_needs_all(b);
	double least = -1;

	*best = (job_fit){ 0 };
	for (int64_t i = 0, tried = 0; i < 2 * far && tried < CANDIDATES; i++) {
		int64_t shift = i % 2 ? (i + 1) / 2 : -i / 2;
		trial t;
		if (!job_agree(a, b, shift))
			continue;
		tried++;
		t = try_shift(a, b, ahead, shift, only_all);
		if (!t.judged || !in_time(&t, only_all))
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
