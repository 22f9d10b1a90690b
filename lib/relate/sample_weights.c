#include "relate/sample_weights.h"
#include "base/search.h"

static void add(sample_weights *to, size_t sample, double share)
{
	if (!to->n || to->v[to->n - 1].sample != sample)
		vec_push(to, (sample_weight){ sample, 0 });
	to->v[to->n - 1].share += share;
	to->sum += share;
}

/* Go through runs and samples, both in order of time. */
void sample_weights_find(const int64_t *time, size_t n, const ival_set *runs, const ival_set *side, sample_weights *out)
{
	size_t i = 1;

	out->n = 0;
	out->sum = 0;
	for (size_t k = 0; k < runs->n && i < n; k++) {
		ival run = runs->v[k];
		search_first(i, i, n, time[i] > run.a);
		for (; i < n && time[i - 1] < run.b; i++) {
			int64_t from = time[i - 1], to = time[i];
			int64_t part = (run.b < to ? run.b : to) - (run.a > from ? run.a : from);
			if (part > 0 && ival_touches(side, to, to))
				add(out, i, (double)part / (double)(to - from));
			if (to > run.b)
				break;          /* the next run may begin in the same interval */
		}
	}
}
