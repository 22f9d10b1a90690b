/*
 * stretches - cuts a sequence of work into stretches, and finds those that are alike.
 *
 *     series s = series_build(t, work, n, keys, nkeys);                  // n pieces; like pieces have equal keys
 *     stretches x = stretches_cut(&s, at, 5);                            // at[0] to at[1], and so on to at[5]
 *     if (stretches_judge(&x, &s, 0))
 *         printf("%zu pieces, %zu of %zu agree\n", x.length, x.agree, x.n);
 *     stretches_free(&x);
 *     series_free(&s);
 *
 * Each stretch is a sequence of keys.  The commonest sequence is the one that most stretches hold; on a tie, the first.
 * A stretch agrees if
 *
 * - it can be a step (series_may_be_step),
 * - its length differs by at most a tenth from that of the commonest sequence, and
 * - the differences between its count of each key and the wanted count of that key add up to at most a tenth of the
 *   length of the commonest sequence.
 *
 * The wanted counts are those of the commonest sequence.  If fewer than half of the stretches hold that sequence, the
 * wanted count of a key is the median of its counts in the stretches that are about as long as that sequence.
 */
#pragma once

#include "base/memory.h"
#include "trace/trace.h"

typedef struct {                /* a sequence of pieces of work */
	size_t n, nkeys;
	const uint32_t *key;    /* for each piece: its key, below nkeys */
	bool *is_kernel;        /* for each key: does it stand for a kernel or a whole graph? */
	uint64_t *hash;         /* hash[i]: a hash of the keys of the first 8 i pieces */
	int64_t *time;          /* time[i]: ns of the kernels and graphs among the first i pieces */
	uint32_t *kernels;      /* kernels[i]: number of kernels and graphs among the first i pieces */
	uint32_t *to_host;      /* to_host[i]: number of copies to the host among the first i pieces */
	int64_t *count;         /* for each key: scratch space for comparisons; all 0 before and after a comparison */
} series;

/* Build the series of n pieces of work.  work: their indices in t->work.  keys: for each piece, its key, below nkeys.
 * The keys must live as long as the series. */
series series_build(const trace *t, const uint32_t *work, size_t n, const uint32_t *keys, size_t nkeys);
void series_free(series *s);

int64_t series_time(const series *s, size_t a, size_t b);       /* ns of kernels and graphs in pieces [a,b) */
size_t series_kernels(const series *s, size_t a, size_t b);     /* number of kernels and graphs in [a,b) */
size_t series_host_copies(const series *s, size_t a, size_t b); /* number of copies to the host in [a,b) */

/* Can the pieces [a,b) be a step?  It needs two kernels, or one kernel and a copy to the host. */
bool series_may_be_step(const series *s, size_t a, size_t b);

typedef struct {
	uint32_t key;
	int64_t count;          /* how many pieces have the key */
} stretches_count;

typedef struct {
	const uint32_t *at;     /* the start of each stretch, and the end of the last; the caller's */
	size_t n;
	size_t from;            /* the start of the first stretch that holds the commonest sequence */
	size_t length;          /* the length of the commonest sequence */
	bool is_majority;       /* do at least half of the stretches hold the commonest sequence? */
	vec(stretches_count) wanted;    /* the wanted counts that are not 0 */
	bool *agrees;           /* after stretches_judge, for each stretch: does it agree? */
	size_t agree;           /* after stretches_judge: number of stretches that agree */
} stretches;

/* Cut a series into n stretches, from at[i] to at[i + 1] each, and find the commonest sequence.  n is at least 1.  `at`
 * must live as long as the result. */
stretches stretches_cut(const series *s, const uint32_t *at, size_t n);

/* Is this number of agreeing stretches enough: nine tenths of n, or all but one? */
bool stretches_are_enough(size_t agree, size_t n);

/* Does this length differ by at most a tenth from that of the commonest sequence? */
bool stretches_is_about_length(const stretches *x, size_t length);

/* Find the stretches that agree.  Returns false as soon as it is certain that they hold less kernel time than least_ns;
 * `agrees` and `agree` are then incomplete. */
bool stretches_judge(stretches *x, const series *s, int64_t least_ns);

/* Do the kernels of the pieces [a,b) agree with the wanted counts?  The differences may add up to a tenth of the number
 * of kernels in the commonest sequence; copies and memsets do not matter.  Call this after stretches_judge. */
bool stretches_kernels_agree(const stretches *x, const series *s, size_t a, size_t b);

/* Do the pieces [a,b) hold at least the wanted count of each key, and are they more than the commonest sequence has?
 * Call this after stretches_judge. */
bool stretches_is_extended(const stretches *x, const series *s, size_t a, size_t b);

void stretches_free(stretches *x);
