#include "relate/repeats.h"
#include "base/dict.h"
#include "base/memory.h"
#include "base/sort.h"

#include <string.h>

enum { LEAST_STRETCHES = 3, MANY_STRETCHES = 5, LEAST_KERNELS = 2 };

/* The kernels of a process as a sequence of names. */
typedef struct {
	const trace *t;
	const uint32_t *kernels;
	size_t n;
	uint32_t *name;         /* by kernel: number of its name */
	dict names;             /* strings by number */
	size_t *first, *at;     /* at[first[name]..first[name + 1]): where the name occurs */
	int64_t *time;          /* kernel time before each */
	uint64_t *hash;         /* of all names before each: see hash_of */
	int64_t total;          /* all kernel time of the process, launched in the trace or not */
	int64_t *count;         /* by name, of the commonest sequence at hand */
	int64_t *other;         /* by name, of the stretch that is compared; all 0 between comparisons */
} sequence;

typedef struct {                /* an anchor that may do */
	uint32_t name;
	size_t length;          /* of its commonest sequence, */
	size_t from;            /* which begins here */
	size_t n;               /* stretches, with the one that the last occurrence opens */
	size_t agree;           /* of them */
	int64_t time;           /* in those that agree */
} candidate;

/* Polynomial hashes, modulo 2^64: that of names [a,b) follows from those of [0,a) and [0,b). */
enum { MULTIPLIER = 0x2545f491 };

static uint64_t power(size_t n)
{
	uint64_t result = 1, square = MULTIPLIER;

	for (; n; n >>= 1, square *= square)
		if (n & 1)
			result *= square;
	return result;
}

static uint64_t hash_of(const sequence *s, size_t a, size_t b)
{
	return s->hash[b] - s->hash[a] * power(b - a);
}

static uint64_t mixed(uint64_t x)
{
	x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 31;
}

static void number_names(sequence *s)
{
	const trace_work *w = &s->t->work;
	size_t *next;

	s->name = mem_new(uint32_t, s->n);
	s->time = mem_new(int64_t, s->n + 1);
	s->hash = mem_new(uint64_t, s->n + 1);
	for (size_t i = 0; i < s->n; i++) {
		uint32_t k = s->kernels[i];
		s->name[i] = dict_key(&s->names, w->name[k]);
		s->time[i + 1] = ns_add(s->time[i], w->end[k] - w->start[k]);
		s->hash[i + 1] = s->hash[i] * MULTIPLIER + mixed(s->name[i]);
	}
	s->first = mem_new(size_t, s->names.n + 1);
	s->at = mem_new(size_t, s->n);
	for (size_t i = 0; i < s->n; i++)
		s->first[s->name[i] + 1]++;
	for (size_t k = 0; k < s->names.n; k++)
		s->first[k + 1] += s->first[k];
	next = mem_new(size_t, s->names.n);
	memcpy(next, s->first, s->names.n * sizeof *next);
	for (size_t i = 0; i < s->n; i++)
		s->at[next[s->name[i]]++] = i;
	free(next);
	s->count = mem_new(int64_t, s->names.n);
	s->other = mem_new(int64_t, s->names.n);
}

static void free_sequence(sequence *s)
{
	free(s->name);
	free(s->time);
	free(s->hash);
	free(s->first);
	free(s->at);
	free(s->count);
	free(s->other);
	dict_free(&s->names);
}

/* The commonest sequence between occurrences of the anchor; of equally common ones, that launched first. */
static void find_commonest(const sequence *s, candidate *c)
{
	const size_t *at = &s->at[s->first[c->name]];
	dict seen = { 0 };
	vec(size_t) count = { 0 }, from = { 0 };        /* by sequence, in order of first appearance */
	size_t best = 0;

	for (size_t i = 0; i < c->n; i++) {
		size_t k = dict_key(&seen, (int64_t)(hash_of(s, at[i], at[i + 1]) ^ mixed(at[i + 1] - at[i])));
		if (k == count.n) {
			vec_push(&count, 0);
			vec_push(&from, i);
		}
		count.v[k]++;
	}
	for (size_t k = 0; k < count.n; k++)
		best = count.v[k] > count.v[best] ? k : best;
	c->from = at[from.v[best]];
	c->length = at[from.v[best] + 1] - c->from;
	dict_free(&seen);
	vec_free(&count);
	vec_free(&from);
}

/* Do the counts of names in [a,b) differ from the commonest sequence's by at most a tenth of its length in all? */
static bool agrees(const sequence *s, const candidate *c, size_t a, size_t b)
{
	size_t differ = 0;

	if (b - a == c->length && hash_of(s, a, b) == hash_of(s, c->from, c->from + c->length))
		return true;
	if (10 * (b - a > c->length ? b - a - c->length : c->length - (b - a)) > c->length)
		return false;
	for (size_t i = a; i < b; i++)
		s->other[s->name[i]]++;
	for (size_t i = a; i < b; i++) {
		uint32_t k = s->name[i];
		int64_t d = s->other[k] - s->count[k];
		if (s->other[k]) {      /* the first of its name */
			differ += (size_t)(d < 0 ? -d : d);
			s->other[k] = 0;
		}
	}
	/* names that the stretch lacks: what the commonest sequence has more in all */
	for (size_t i = a; i < b; i++)
		s->other[s->name[i]] = 1;
	for (size_t i = c->from; i < c->from + c->length; i++)
		differ += !s->other[s->name[i]];
	for (size_t i = a; i < b; i++)
		s->other[s->name[i]] = 0;
	return 10 * differ <= c->length;
}

static void set_counts(sequence *s, const candidate *c, int64_t by)
{
	for (size_t i = c->from; i < c->from + c->length; i++)
		s->count[s->name[i]] += by;
}

/* Could nine tenths of the stretches agree, by their lengths alone, and do they hold enough time? */
static bool promising(const sequence *s, const candidate *c)
{
	const size_t *at = &s->at[s->first[c->name]];
	size_t like = 0, end = at[c->n] + c->length < s->n ? at[c->n] + c->length : s->n;

	for (size_t i = 0; i < c->n; i++) {
		size_t length = at[i + 1] - at[i];
		like += 10 * (length > c->length ? length - c->length : c->length - length) <= c->length;
	}
	return c->length >= LEAST_KERNELS && 10 * (like + 1) >= 9 * (c->n + 1) &&
		(double)(s->time[end] - s->time[at[0]]) >= 0.8 * (double)s->total;
}

/* Count the stretches that agree, the one that the last occurrence opens too; false if they are too few or hold
 * too little time. */
static bool judge(sequence *s, candidate *c)
{
	const size_t *at = &s->at[s->first[c->name]];
	size_t end = at[c->n];

	set_counts(s, c, 1);
	for (size_t i = 0; i < c->n; i++)
		if (agrees(s, c, at[i], at[i + 1])) {
			c->agree++;
			c->time = ns_add(c->time, s->time[at[i + 1]] - s->time[at[i]]);
		}
	if (end + c->length <= s->n && agrees(s, c, end, end + c->length)) {
		c->n++;
		c->agree++;
		c->time = ns_add(c->time, s->time[end + c->length] - s->time[end]);
		end += c->length;
	}
	set_counts(s, c, -1);
	return 10 * c->agree >= 9 * c->n && (double)(s->time[end] - s->time[at[0]]) >= 0.8 * (double)s->total;
}

/* Is a the better anchor? */
static bool better(const sequence *s, const candidate *a, const candidate *b)
{
	bool many = a->agree >= MANY_STRETCHES;

	if (many != (b->agree >= MANY_STRETCHES))
		return many;
	if (a->length != b->length)
		return a->length > b->length;
	return a->time != b->time ? a->time > b->time : s->at[s->first[a->name]] < s->at[s->first[b->name]];
}

static int longest_first(const void *x, const void *y)
{
	const candidate *a = x, *b = y;

	return a->length != b->length ? -sort_3way(a->length, b->length) : sort_3way(a->name, b->name);
}

/* The best anchor; its n is 0 if there is none. */
static candidate find_anchor(sequence *s)
{
	vec(candidate) v = { 0 };
	candidate best = { 0 };

	for (uint32_t k = 0; k < s->names.n; k++) {
		candidate c = { .name = k, .n = s->first[k + 1] - s->first[k] - 1 };
		if (c.n < LEAST_STRETCHES)
			continue;
		find_commonest(s, &c);
		if (promising(s, &c))
			vec_push(&v, c);
	}
	if (v.n)
		qsort(v.v, v.n, sizeof *v.v, longest_first);
	for (size_t i = 0; i < v.n; i++) {
		if (best.agree >= MANY_STRETCHES && v.v[i].length < best.length)
			break;
		if (judge(s, &v.v[i]) && (!best.n || better(s, &v.v[i], &best)))
			best = v.v[i];
	}
	vec_free(&v);
	return best;
}

/* The kernels and graphs of a process in order of launch, and all its kernel time. */
static void take_kernels(const trace *t, const projection *p, uint32_t proc, repeats *out, int64_t *total)
{
	size_t n;
	const uint32_t *work = projection_launched(p, proc, &n);

	out->kernels = mem_grow(NULL, n, sizeof *out->kernels);
	for (size_t i = 0; i < n; i++)
		if (t->work.kind[work[i]] <= WORK_GRAPH)
			out->kernels[out->nkernels++] = work[i];
	*total = projection_kernel_ns(p, proc);
}

bool repeats_find(const trace *t, const projection *p, uint32_t proc, repeats *out)
{
	sequence s = { .t = t };
	candidate best;

	*out = (repeats){ 0 };
	take_kernels(t, p, proc, out, &s.total);
	s.kernels = out->kernels;
	s.n = out->nkernels;
	number_names(&s);
	best = find_anchor(&s);
	if (best.n) {
		const size_t *at = &s.at[s.first[best.name]];
		size_t occurrences = s.first[best.name + 1] - s.first[best.name];
		out->anchor = (uint32_t)s.names.value[best.name];
		out->length = best.length;
		out->n = best.n;
		out->agree = best.agree;
		out->first = mem_new(size_t, best.n + 1);
		memcpy(out->first, at, occurrences * sizeof *at);
		out->closed = best.n < occurrences;
		if (!out->closed)
			out->first[best.n] = at[occurrences - 1] + best.length;
	} else {
		repeats_free(out);
	}
	free_sequence(&s);
	return best.n;
}

void repeats_free(repeats *r)
{
	free(r->kernels);
	free(r->first);
	*r = (repeats){ 0 };
}
