/*
 * join - work and the API calls that launched it.
 *
 *     join *j = join_build(t, process_of_stream, false);      // work.launch[i]: number of its correlation id
 *     const join_ids *ids = join_of(j, global_tid >> 24);     // for each call that is read
 *     uint32_t k = ids ? join_number(ids, correlation_id) : NONE;  // NONE: it launched none of that work
 *     join_calls(t, j, number);                               // number: by call, once calls are in order
 *     join_end(t, j);                                         // work.launch[i]: the call, or NONE
 *
 * Work was launched by the call of the same process with the same correlation
 * id; of several, the one that starts first.  The ids of the work are numbered
 * before calls are read, so that the other calls need not be kept.
 */
#ifndef JOIN_H
#define JOIN_H

#include "trace/trace.h"

/* The correlation ids of a process's work, numbered.  CUPTI counts ids up, with gaps: a bit for each id
 * there is, and how many come before each word of bits, number them without the gaps.  Where ids are
 * too sparse for that a dictionary does. */
typedef struct {
	int64_t process;        /* global id >> 24 */
	size_t from, to;        /* its work */
	int64_t low, high;
	uint64_t *bits;
	uint32_t *before;
	dict ids;
	size_t n;               /* how many */
	uint32_t *first;        /* by number: the call */
} join_ids;

typedef struct {
	join_ids *v;            /* by process */
	size_t n;
	bool comm;
} join;

/* process: by stream, the global id of its process >> 24; work of one process stands together.
 * comm: of communication kernels alone, as if nothing else had been launched. */
join *join_build(trace *t, const int64_t *process, bool comm);

/* The ids of a process, NULL if it has none. */
join_ids *join_of(const join *j, int64_t process);

static inline uint32_t join_number(const join_ids *x, int64_t id)
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
	return x->before[at / 64] + (uint32_t)__builtin_popcountll(word & (((uint64_t)1 << at % 64) - 1));
}

/* Forget what calls were met. */
void join_clear(const join *j);

/* Find the first call of each id; number: by call, NONE for one that launched nothing. */
void join_calls(const trace *t, const join *j, const uint32_t *number);

/* Put the calls into work.launch, and free j. */
void join_end(trace *t, join *j);

#endif
