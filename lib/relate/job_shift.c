#include "relate/job_shift.h"
#include "base/memory.h"
#include "base/sort.h"

#include <math.h>

enum { CANDIDATES = 64 };       /* agreeing shifts that are tried, the smallest first */

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

/* How many of them are the same before two differ. */
static size_t agreeing(job_sequence a, job_sequence b, int64_t shift)
{
	size_t i = from(shift), end = to(a, b, shift);

	while (i < end && same(&a.v[(int64_t)i + shift], &b.v[i]))
		i++;
	return i - from(shift);
}

/* How many there are to compare. */
static size_t overlap(job_sequence a, job_sequence b, int64_t shift)
{
	return to(a, b, shift) > from(shift) ? to(a, b, shift) - from(shift) : 0;
}

bool job_agree(job_sequence a, job_sequence b, int64_t shift)
{
	size_t n = overlap(a, b, shift);

	return n && agreeing(a, b, shift) == n;
}

/*
 * Sequences that are alike up to their ends would be compared in full at each of as many shifts as there are
 * operations.  So hashes of their parts are compared first: h[i] is that of the first i operations, a polynomial in
 * FACTOR, and of those from i up to k it is h[k] - h[i] * FACTOR^(k - i).  Mixed operations agree with any and have no
 * hash; with them, the comparisons are counted, and when there have been too many it is given up.
 */
enum { LOOKS = 1000 };          /* comparisons for each operation */
#define FACTOR 0x9e3779b97f4a7c15u

typedef struct {
	uint64_t *a, *b, *power;        /* NULL: there are mixed operations */
	uint64_t looks;                 /* how many are left */
} comparing;

static uint64_t *hashes(job_sequence s)
{
	uint64_t *h = mem_new(uint64_t, s.n + 1);

	for (size_t i = 0; i < s.n; i++) {
		uint64_t key = ((uint64_t)s.v[i].bytes * 31 + s.v[i].name + 1) * 0xff51afd7ed558ccdu;
		if (s.v[i].mixed) {
			free(h);
			return NULL;
		}
		h[i + 1] = h[i] * FACTOR + (key ^ key >> 32);
	}
	return h;
}

static comparing compare_begin(job_sequence a, job_sequence b)
{
	comparing c = { hashes(a), hashes(b), NULL, (uint64_t)LOOKS * (a.n + b.n) };
	size_t most = a.n > b.n ? a.n : b.n;

	if (!c.a || !c.b)
		return c;
	c.power = mem_new(uint64_t, most + 1);
	c.power[0] = 1;
	for (size_t i = 0; i < most; i++)
		c.power[i + 1] = c.power[i] * FACTOR;
	return c;
}

static void compare_end(comparing *c)
{
	mem_free(c->a, c->b, c->power);
}

/* False: they do not agree.  True: they do, or if there are hashes, those do. */
static bool may_agree(comparing *c, job_sequence a, job_sequence b, int64_t shift)
{
	size_t n = overlap(a, b, shift), i = from(shift), k = (size_t)((int64_t)i + shift), looked;

	if (!n || c->power)
		return n && c->a[k + n] - c->a[k] * c->power[n] == c->b[i + n] - c->b[i] * c->power[n];
	looked = agreeing(a, b, shift);
	c->looks -= looked + 1 < c->looks ? looked + 1 : c->looks;
	return looked == n;
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
	return x->at != UINT32_MAX && y->at != UINT32_MAX && (!only_all || (x->needs_all && !x->mixed && !y->mixed));
}

/* Do too many of n operations miss each other for the shift to be right?  A tenth may; half, where operations do not
 * need all processes. */
static bool too_many(size_t missed, size_t n, bool only_all)
{
	return missed * (only_all ? 10 : 2) > n;
}

/* Stops when it is too late in time anyway. */
static trial try_shift(job_sequence a, job_sequence b, int64_t ahead, int64_t shift, bool only_all)
{
	trial t = { .fit.shift = shift };
	size_t n = overlap(a, b, shift);

	for (size_t i = from(shift), stop = i + n; i < stop && !too_many(t.judged - t.met, n, only_all); i++) {
		const job_item *x = &a.v[(int64_t)i + shift], *y = &b.v[i];
		int64_t start = ns_add(y->start, ahead), end = ns_add(y->end, ahead);
		if (!is_judged(x, y, only_all))
			continue;
		t.judged++;
		t.met += x->start <= ns_add(end, JOB_TOLERANCE) && start <= ns_add(x->end, JOB_TOLERANCE);
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
	return !too_many(t->judged - t->met, t->judged, only_all);
}

/*
 * Of the shifts for which operations and sizes agree, the one that is right in time.  Ends decide: the processes of a
 * collective leave it together.  That kernels overlap is not enough, because the next operation may begin within the
 * tolerance.  Where both have equally many operations and none is impossible, they were captured over the same stretch.
 */
bool job_best_shift(job_sequence a, job_sequence b, int64_t ahead, job_fit *best)
{
	int64_t far = (int64_t)(a.n > b.n ? a.n : b.n);
	bool only_all = any_needs_all(a) && any_needs_all(b);
	comparing c = compare_begin(a, b);
	double least = -1;

	*best = (job_fit){ 0 };
	for (int64_t i = 0, tried = 0; i < 2 * far && tried < CANDIDATES && c.looks; i++) {
		int64_t shift = i % 2 ? (i + 1) / 2 : -i / 2;
		trial t;
		if (!may_agree(&c, a, b, shift))
			continue;
		tried++;
		t = try_shift(a, b, ahead, shift, only_all);
		if (!t.judged || !in_time(&t, only_all) || !job_agree(a, b, shift))
			continue;
		if (least < 0 || t.apart / (double)t.judged < least) {
			least = t.apart / (double)t.judged;
			*best = t.fit;
		}
		if (shift == 0 && a.n == b.n && !t.fit.impossible)
			break;
	}
	compare_end(&c);
	return least >= 0;
}

job_fit job_fit_of(job_sequence a, job_sequence b, int64_t ahead, int64_t shift)
{
	return try_shift(a, b, ahead, shift, true).fit;
}

/* ---- by names alone */

typedef vec(int64_t) shifts;

/* The shifts under which at least half of the shorter sequence agrees, the smallest first; unless sure, those too that
 * only have the same hash. */
static shifts agreeing_shifts(job_sequence a, job_sequence b, size_t most, bool sure)
{
	size_t shorter = a.n < b.n ? a.n : b.n, longer = a.n < b.n ? b.n : a.n;
	comparing c = compare_begin(a, b);
	shifts found = { 0 };

	for (size_t i = 0; shorter && i < 2 * longer && found.n < most && c.looks; i++) {
		int64_t shift = i % 2 ? (int64_t)(i + 1) / 2 : -(int64_t)i / 2;
		if (2 * overlap(a, b, shift) >= shorter && may_agree(&c, a, b, shift) &&
		    (!sure || job_agree(a, b, shift)))
			vec_push(&found, shift);
	}
	compare_end(&c);
	return found;
}

/* Does an operation that needs all processes not run at the same time as the other? */
static bool is_apart(const job_item *x, const job_item *y, int64_t ahead)
{
	return x->needs_all && (ns_sub(x->start, ns_add(y->end, ahead)) > JOB_TOLERANCE ||
				ns_sub(ns_add(y->start, ahead), x->end) > JOB_TOLERANCE);
}

/* How far apart the ends are under a shift: the mean. */
static double ends_off(job_sequence a, job_sequence b, int64_t ahead, int64_t shift)
{
	double off = 0;

	for (size_t i = from(shift), end = to(a, b, shift); i < end; i++)
		off += fabs((double)ns_sub(ns_add(b.v[i].end, ahead), a.v[(int64_t)i + shift].end));
	return off / (double)overlap(a, b, shift);
}

/* Sequences of steps agree at as many shifts as there are steps: their ends are looked at, and they are compared in
 * full, only at those that are no worse in time, which few are. */
bool job_align_by_time(job_sequence a, job_sequence b, int64_t ahead, job_alignment *out)
{
	shifts all = agreeing_shifts(a, b, SIZE_MAX, false);
	double fewest = INFINITY;

	for (size_t k = 0; k < all.n; k++) {
		int64_t shift = all.v[k];
		double off, n = (double)overlap(a, b, shift);
		size_t apart = 0, most = isfinite(fewest) ? (size_t)(fewest * n) : SIZE_MAX;
		for (size_t i = from(shift), end = to(a, b, shift); i < end && apart <= most; i++)
			apart += is_apart(&a.v[(int64_t)i + shift], &b.v[i], ahead);
		if (apart > most)
			continue;
		off = ends_off(a, b, ahead, shift);
		if (((double)apart < fewest * n || off < out->off) && job_agree(a, b, shift)) {
			fewest = (double)apart / n;
			*out = (job_alignment){ shift, ahead, 0, off };
		}
	}
	vec_free(&all);
	return isfinite(fewest);
}

enum { ENOUGH = 20 };           /* operations */

typedef struct {                /* how much later an operation ends in one sequence than in the other */
	uint32_t name;
	int64_t by;
} delay;

static int by_delay(const void *x, const void *y)
{
	const delay *a = x, *b = y;

	return a->name != b->name ? sort_3way(a->name, b->name) : sort_3way(a->by, b->by);
}

/* The lower median of n sorted delays, and then the same of how far each is from it, by which they are sorted
 * afterwards. */
static job_alignment centre(delay *v, size_t n, int64_t shift)
{
	job_alignment a = { shift, v[(n - 1) / 2].by, n, 0 };

	for (size_t i = 0; i < n; i++)
		v[i].by = v[i].by > a.ahead ? ns_sub(v[i].by, a.ahead) : ns_sub(a.ahead, v[i].by);
	qsort(v, n, sizeof *v, by_delay);
	a.off = (double)v[(n - 1) / 2].by;
	return a;
}

/* Under one shift, in the class whose ends agree best of those with at least so many operations; off is negative if
 * there is none. */
static job_alignment ends_agree(job_sequence a, job_sequence b, int64_t shift, size_t least)
{
	size_t first = from(shift), n = 0;
	delay *v = mem_new(delay, overlap(a, b, shift));
	job_alignment best = { .shift = shift, .off = -1 };

	for (size_t i = first; i < to(a, b, shift); i++) {
		const job_item *x = &a.v[(int64_t)i + shift], *y = &b.v[i];
		if (x->needs_all)
			v[n++] = (delay){ x->name, ns_sub(x->end, y->end) };
	}
	qsort(v, n, sizeof *v, by_delay);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i; end < n && v[end].name == v[i].name; end++)
			;
		if (end - i >= least) {
			job_alignment one = centre(&v[i], end - i, shift);
			best = best.off < 0 || one.off < best.off ? one : best;
		}
	}
	free(v);
	return best;
}

/* The same in the class with the most operations, if all have fewer. */
bool job_align_at(job_sequence a, job_sequence b, int64_t shift, job_alignment *out)
{
	for (size_t least = ENOUGH / 2; least > 0; least--) {
		*out = ends_agree(a, b, shift, least);
		if (out->off >= 0)
			return true;
	}
	return false;
}

bool job_align_by_ends(job_sequence a, job_sequence b, job_alignment *out)
{
	enum { CLEARLY = 4 };
	shifts all = agreeing_shifts(a, b, CANDIDATES, true);
	double next = INFINITY;

	out->off = -1;
	for (size_t k = 0; k < all.n; k++) {
		job_alignment one = ends_agree(a, b, all.v[k], ENOUGH / 2);
		if (all.n == 1)
			job_align_at(a, b, all.v[k], &one);
		if (one.off >= 0 && (out->off < 0 || one.off < out->off)) {
			next = out->off < 0 ? next : out->off;
			*out = one;
		} else if (one.off >= 0 && one.off < next) {
			next = one.off;
		}
	}
	bool alone = all.n == 1;
	vec_free(&all);
	return out->off >= 0 && (alone || (out->rests >= ENOUGH && next > 0 && next >= CLEARLY * out->off));
}
