/*
 * launches - work and the API calls that launched it.
 *
 *     launches *l = launches_build(t, process_of_stream, TRACE_LAUNCH);
 *     const launches_ids *ids = launches_of(l, global_process(thread_id));
 *     uint32_t k = ids ? launches_number(ids, correlation_id) : NONE;    // of each call that is read
 *     printf("%s\n", k == NONE ? "it launched none of this work" : "it launched some of it");
 *     launches_calls(t, l, corr);                                        // once calls are in order
 *     launches_end(t, l);                                                // work.launch: the call, or NONE
 *
 * Work was launched by the call of the same process that has the same correlation
 * id; if there are several, by the one that starts first.  The ids of the work are
 * numbered before calls are read, so that the other calls need not be kept.
 */
#pragma once

#include "base/bits.h"
#include "trace/trace.h"

/* The distinct correlation ids of a process's work, numbered from 0.  CUPTI counts ids up, with gaps, so
 * there is a bit for each id from low to high, set if the id occurs, and for each word of bits the number
 * of set bits before it.  The number of an id is then the number of set bits below its own.  Ids that are
 * too sparse for that are numbered by a dictionary. */
typedef struct {
	int64_t process;        /* as in global_id.h */
	size_t from, to;        /* the slice that is its work */
	int64_t low, high;
	uint64_t *bits;         /* NULL: the dictionary numbers them */
	uint32_t *before;
	dict ids;
	size_t n;               /* how many ids */
	uint32_t *first;        /* by number: the call that launched it + 1; 0: none */
} launches_ids;

typedef struct {
	launches_ids *v;        /* by process, in their order */
	size_t n;
	bool comm;              /* only communication is asked about, */
	bool keep;              /* and ids are kept */
} launches;

/* Number the ids of work.corr.  process is by stream (global_id.h); work must be sorted by process.  With only
 * TRACE_COMM_LAUNCH of TRACE_LAUNCH, the ids of communication kernels alone are numbered, as if nothing else had been
 * launched. */
launches *launches_build(trace *t, const int64_t *process, unsigned need);

/* The ids of a process, NULL if it has none. */
launches_ids *launches_of(const launches *l, int64_t process);

static inline uint32_t launches_number(const launches_ids *x, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)x->low, word;

	if (!id)
		return NONE;            /* CUPTI's mark for no correlation */
	if (!x->bits)
		return dict_find(&x->ids, id);
	if (id < x->low || id > x->high)
		return NONE;
	word = x->bits[at / 64];
	if (!(word >> at % 64 & 1))
		return NONE;
	return x->before[at / 64] + bits_set(word & (((uint64_t)1 << at % 64) - 1));
}

/* Does it have a number?  The bit is not branched on here, since it is hard to predict. */
static inline bool launches_has(const launches_ids *x, int64_t id)
{
	uint64_t at = (uint64_t)id - (uint64_t)x->low;

	return x->bits ? at <= (uint64_t)x->high - (uint64_t)x->low && x->bits[at / 64] >> at % 64 & 1 :
		launches_number(x, id) != NONE;
}

/* Forget the calls that were found. */
void launches_clear(const launches *l);

/* Find the first call of each id; those of calls are given. */
void launches_calls(const trace *t, const launches *l, const int64_t *corr);

/* Of calls with one id the one that starts first counts; of those that start together, the one on the lowest thread. */
static inline bool launches_before(const trace_calls *c, size_t a, size_t b)
{
	return c->start[a] != c->start[b] ? c->start[a] < c->start[b] :
		calls_thread(c, a) != calls_thread(c, b) ? calls_thread(c, a) < calls_thread(c, b) : a < b;
}

/* Put the calls in work.launch, which takes the place of work.corr unless TRACE_CORRELATIONS was needed; free l. */
void launches_end(trace *t, launches *l);
