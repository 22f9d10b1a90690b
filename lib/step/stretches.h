/*
 * stretches - do the stretches of a sequence, cut at some places, agree with each other?
 *
 *     series s = series_build(t, work, n, keys, nkeys);                  // as many pieces, and what tells them apart
 *     stretches x = stretches_cut(&s, at, 5);                            // at[0] to at[1], and so on to at[5]
 *     if (stretches_judge(&x, &s, 0))
 *         printf("%zu pieces, %zu of %zu agree\n", x.length, x.agree, x.n);
 *     stretches_free(&x);
 *     series_free(&s);
 *
 * Stretches agree when the counts of their pieces differ from those of the commonest sequence by at most a
 * tenth of its length in all; where that is less than half of them, from the median count of each piece over
 * the stretches of about its length.
 */
#pragma once

#include "base/memory.h"
#include "trace/trace.h"

typedef struct {                /* a sequence of pieces of work */
	size_t n, nkeys;
	const uint32_t *key;    /* by piece: what it is, below nkeys */
	bool *is_kernel;        /* by key: a kernel or a whole graph */
	uint64_t *hash;         /* of the keys before some of the pieces */
	int64_t *time;          /* kernel time before each, */
	uint32_t *kernels;      /* how many kernels and graphs, */
	uint32_t *to_host;      /* and copies to the host */
	int64_t *count;         /* by key: for comparing; all 0 in between */
} series;

/* Some pieces of work, each with its key; the keys must live as long as the series. */
series series_build(const trace *t, const uint32_t *work, size_t n, const uint32_t *keys, size_t nkeys);
void series_free(series *s);

int64_t series_time(const series *s, size_t a, size_t b);       /* kernel time in [a,b) */

size_t series_kernels(const series *s, size_t a, size_t b);     /* kernels and graphs there, */
size_t series_to_host(const series *s, size_t a, size_t b);     /* and copies to the host */

/* May [a,b) be a step?  It holds two kernels, or one and a copy to the host. */
bool series_may_be(const series *s, size_t a, size_t b);

typedef struct {
	uint32_t key;
	int64_t count;
} stretches_count;

typedef struct {
	const uint32_t *at;     /* where each stretch begins, and where the last ends */
	size_t n;               /* how many */
	size_t from, length;    /* the commonest sequence: of equally common ones the first */
	bool common;            /* is it at least half of them? */
	vec(stretches_count) wanted;    /* what stretches are compared with */
	bool *agrees;           /* by stretch, after stretches_judge */
	size_t agree;           /* how many do */
} stretches;

/* Cut a sequence into at least one stretch, and find the commonest. */
stretches stretches_cut(const series *s, const uint32_t *at, size_t n);

/* Do so many of n stretches agree: nine tenths, or all but one? */
bool stretches_enough(size_t agree, size_t n);

/* Is a length within a tenth of that of the commonest sequence? */
bool stretches_between(const stretches *x, size_t length);

/* Find out which agree.  False as soon as those that may still agree hold less kernel time than this. */
bool stretches_judge(stretches *x, const series *s, int64_t least_ns);

/* Do the kernels of [a,b), copies and sets aside, agree with the commonest sequence?  After stretches_judge. */
bool stretches_like(const stretches *x, const series *s, size_t a, size_t b);

/* Does [a,b) hold all that the commonest sequence does, and more? */
bool stretches_extended(const stretches *x, const series *s, size_t a, size_t b);

void stretches_free(stretches *x);
