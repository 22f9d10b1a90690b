#include "step/stretches.h"
#include "trace/load_work.h"

/* Polynomial hashes modulo 2^64: the hash of the keys of [a,b) follows from those of [0,a) and [0,b). */
enum { MULTIPLIER = 0x2545f491 };
enum { HASH_EVERY = 8 };        /* a hash is kept before every piece whose index is a multiple of this */

static uint64_t stretches_power_of_multiplier(size_t n)
{
	uint64_t result = 1, square = MULTIPLIER;

	for (; n; n >>= 1, square *= square)
		if (n & 1)
			result *= square;
	return result;
}

static uint64_t stretches_mix_hash(uint64_t x)
{
	x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
	return x ^ x >> 31;
}

static uint64_t stretches_hash_before(const series *s, size_t at)
{
	uint64_t hash = s->hash[at / HASH_EVERY];

	for (size_t i = at - at % HASH_EVERY; i < at; i++)
		hash = hash * MULTIPLIER + stretches_mix_hash(s->key[i]);
	return hash;
}

/* A number that identifies the sequence [a,b).  *hash is the hash of the keys before a, and becomes that before b. */
static int64_t stretches_identify(const series *s, size_t a, size_t b, uint64_t *hash)
{
	uint64_t before = *hash;

	*hash = stretches_hash_before(s, b);
	return (int64_t)((*hash - before * stretches_power_of_multiplier(b - a)) ^ stretches_mix_hash(b - a));
}

series series_build(const trace *t, const uint32_t *work, size_t n, const uint32_t *keys, size_t nkeys)
{
	const trace_work *w = &t->work;
	series s = { .n = n, .nkeys = nkeys, .key = keys };
	uint64_t hash = 0;

	s.is_kernel = mem_new(bool, nkeys);
	s.count = mem_new(int64_t, nkeys);
	s.hash = mem_new(uint64_t, n / HASH_EVERY + 1);
	s.time = mem_new(int64_t, n + 1);
	s.kernels = mem_new(uint32_t, n + 1);
	s.to_host = mem_new(uint32_t, n + 1);
	for (size_t i = 0; i < n; i++) {
		bool kernel = w->kind[work[i]] <= WORK_GRAPH;
		s.is_kernel[keys[i]] = kernel;
		hash = hash * MULTIPLIER + stretches_mix_hash(keys[i]);
		if ((i + 1) % HASH_EVERY == 0)
			s.hash[(i + 1) / HASH_EVERY] = hash;
		s.time[i + 1] = ns_add(s.time[i], kernel ? w->end[work[i]] - w->start[work[i]] : 0);
		s.kernels[i + 1] = s.kernels[i] + kernel;
		s.to_host[i + 1] = s.to_host[i] + work_is_copy(t, work[i], "memcpy d2h");
	}
	return s;
}

void series_free(series *s)
{
	mem_free(s->is_kernel, s->count, s->hash, s->time, s->kernels, s->to_host);
}

int64_t series_time(const series *s, size_t a, size_t b)
{
	return s->time[b] - s->time[a];
}

size_t series_kernels(const series *s, size_t a, size_t b)
{
	return s->kernels[b] - s->kernels[a];
}

size_t series_host_copies(const series *s, size_t a, size_t b)
{
	return s->to_host[b] - s->to_host[a];
}

bool series_may_be_step(const series *s, size_t a, size_t b)
{
	size_t kernels = series_kernels(s, a, b);

	return kernels > 1 || (kernels && series_host_copies(s, a, b));
}

stretches stretches_cut(const series *s, const uint32_t *at, size_t n)
{
	stretches x = { .at = at, .n = n };
	dict seen = { 0 };
	vec(size_t) count = { 0 }, first = { 0 };       /* for each sequence: how many stretches hold it; the first */
	uint64_t hash = stretches_hash_before(s, at[0]);
	size_t best = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = dict_key(&seen, stretches_identify(s, at[i], at[i + 1], &hash));
		if (k == count.n) {
			vec_push(&count, 0);
			vec_push(&first, i);
		}
		count.v[k]++;
	}
	for (size_t k = 0; k < count.n; k++)
		best = count.v[k] > count.v[best] ? k : best;
	x.from = at[first.v[best]];
	x.length = at[first.v[best] + 1] - x.from;
	x.is_majority = 2 * count.v[best] >= n;
	dict_free(&seen);
	mem_free(count.v, first.v);
	return x;
}

bool stretches_are_enough(size_t agree, size_t n)
{
	return 10 * agree >= 9 * n || agree + 1 >= n;
}

bool stretches_is_about_length(const stretches *x, size_t length)
{
	return 10 * (length > x->length ? length - x->length : x->length - length) <= x->length;
}

/* Adds each key that occurs in [a,b) to x->wanted, with its count there. */
static void stretches_add_counts(stretches *x, const series *s, size_t a, size_t b)
{
	for (size_t i = a; i < b; i++)
		s->count[s->key[i]]++;
	for (size_t i = a; i < b; i++) {
		uint32_t k = s->key[i];
		if (s->count[k]) {
			vec_push(&x->wanted, (stretches_count){ k, s->count[k] });
			s->count[k] = 0;
		}
	}
}

/* The lower median of n counts and `zeros` zeros taken together.  times[c] is scratch space for how many of the n
 * counts are c.  It is all 0 before and after the call. */
static int64_t stretches_median_count(const stretches_count *v, size_t n, size_t zeros, uint32_t *times)
{
	size_t left = (n + zeros - 1) / 2;
	int64_t most = 0, at = 0;

	for (size_t i = 0; i < n; i++) {
		times[v[i].count]++;
		most = v[i].count > most ? v[i].count : most;
	}
	if (left >= zeros)
		for (left -= zeros, at = 1; left >= times[at]; at++)
			left -= times[at];
	memset(times, 0, ((size_t)most + 1) * sizeof *times);
	return at;
}

/* Sets the wanted counts to the median count of each key over the stretches of about the commonest length.  A stretch
 * without the key counts as 0. */
static void stretches_set_median_counts(stretches *x, const series *s)
{
	size_t counted = 0, n, *first = mem_new(size_t, s->nkeys + 2);
	uint32_t *times = mem_new(uint32_t, 2 * x->length + 2);
	stretches_count *by_key;        /* the counts of keys in these stretches, sorted by key; in the end those of k
					 * begin at first[k] */

	for (size_t i = 0; i < x->n; i++)
		if (stretches_is_about_length(x, x->at[i + 1] - x->at[i])) {
			stretches_add_counts(x, s, x->at[i], x->at[i + 1]);
			counted++;
		}
	n = x->wanted.n;
	by_key = mem_new(stretches_count, n);
	for (size_t i = 0; i < n; i++)
		first[x->wanted.v[i].key + 2]++;
	for (size_t k = 0; k < s->nkeys; k++)
		first[k + 2] += first[k + 1];
	for (size_t i = 0; i < n; i++)
		by_key[first[x->wanted.v[i].key + 1]++] = x->wanted.v[i];
	x->wanted.n = 0;
	for (size_t k = 0; k < s->nkeys; k++) {
		size_t have = first[k + 1] - first[k];
		int64_t median = have ? stretches_median_count(by_key + first[k], have, counted - have, times) : 0;
		if (median)
			vec_push(&x->wanted, (stretches_count){ (uint32_t)k, median });
	}
	mem_free(by_key, first, times);
}

/* The sum of the differences between the counts in [a,b) and the wanted counts. */
static size_t stretches_count_differences(const stretches *x, const series *s, size_t a, size_t b, bool kernels_only)
{
	size_t differ = 0;

	for (size_t i = a; i < b; i++)
		s->count[s->key[i]]++;
	for (size_t i = 0; i < x->wanted.n; i++) {
		uint32_t k = x->wanted.v[i].key;
		int64_t d = s->count[k] - x->wanted.v[i].count;
		differ += kernels_only && !s->is_kernel[k] ? 0 : (size_t)(d < 0 ? -d : d);
		s->count[k] = 0;
	}
	for (size_t i = a; i < b; i++) {
		uint32_t k = s->key[i];
		differ += kernels_only && !s->is_kernel[k] ? 0 : (size_t)s->count[k];
		s->count[k] = 0;
	}
	return differ;
}

static bool stretches_agrees(const stretches *x, const series *s, size_t a, size_t b)
{
	return stretches_is_about_length(x, b - a) && series_may_be_step(s, a, b) &&
		10 * stretches_count_differences(x, s, a, b, false) <= x->length;
}

bool stretches_judge(stretches *x, const series *s, int64_t least_ns)
{
	dict seen = { 0 };
	vec(bool) known = { 0 };        /* for each sequence: do the stretches that hold it agree? */
	int64_t open = 0;               /* kernel time of the stretches that agree or may still be found to agree */
	uint64_t hash = stretches_hash_before(s, x->at[0]);

	x->agrees = mem_new(bool, x->n);
	for (size_t i = 0; i < x->n; i++)
		if (stretches_is_about_length(x, x->at[i + 1] - x->at[i]))
			open = ns_add(open, series_time(s, x->at[i], x->at[i + 1]));
	if (open >= least_ns && x->is_majority)
		stretches_add_counts(x, s, x->from, x->from + x->length);
	else if (open >= least_ns)
		stretches_set_median_counts(x, s);
	for (size_t i = 0; i < x->n && open >= least_ns; i++) {
		size_t a = x->at[i], b = x->at[i + 1], k = dict_key(&seen, stretches_identify(s, a, b, &hash));
		if (k == known.n)
			vec_push(&known, stretches_agrees(x, s, a, b));
		x->agrees[i] = known.v[k];
		x->agree += known.v[k];
		open -= !known.v[k] && stretches_is_about_length(x, b - a) ? series_time(s, a, b) : 0;
	}
	dict_free(&seen);
	vec_free(&known);
	return open >= least_ns;
}

bool stretches_kernels_agree(const stretches *x, const series *s, size_t a, size_t b)
{
	size_t kernels = series_kernels(s, x->from, x->from + x->length);

	return 10 * stretches_count_differences(x, s, a, b, true) <= kernels;
}

bool stretches_is_extended(const stretches *x, const series *s, size_t a, size_t b)
{
	bool all = b - a > x->length;

	for (size_t i = a; i < b; i++)
		s->count[s->key[i]]++;
	for (size_t i = 0; i < x->wanted.n; i++)
		all &= s->count[x->wanted.v[i].key] >= x->wanted.v[i].count;
	for (size_t i = a; i < b; i++)
		s->count[s->key[i]] = 0;
	return all;
}

void stretches_free(stretches *x)
{
	mem_free(x->wanted.v, x->agrees);
}
