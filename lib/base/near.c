#include "base/near.h"
#include "base/search.h"
#include "base/sort.h"

near near_new(size_t n)
{
	return (near){ .back = mem_zeros(uint16_t, n) };
}

void near_put_far(near_fars *far, uint32_t of, uint32_t at)
{
	vec_push(far, (near_far){ of, at });
}

static int by_of(uint32_t a, uint32_t b, const void *ctx)
{
	const near_far *far = ctx;

	return sort_3way(far[a].of, far[b].of);
}

void near_end(near *all, near_fars *far)
{
	uint32_t *order = sort_order(far->n, by_of, far->v);

	sort_apply(far->v, order, far->n);
	free(order);
	all->far = *far;
}

uint32_t near_far_at(const near *all, size_t i)
{
	size_t after;

	search_first(after, 0, all->far.n, all->far.v[after].of > i);
	return all->far.v[after - 1].at;
}

void near_free(near *all)
{
	mem_free(all->back, all->far.v);
}
