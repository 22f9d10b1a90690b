#include "base/near.h"
#include "base/search.h"

/* If more than one in so many is far, all are kept whole. */
enum { SHARE = 8 };

near near_of(uint32_t *v, size_t n)
{
	near all = { .back = v ? mem_grow(NULL, n, sizeof *all.back) : NULL };
	size_t i;

	for (i = 0; v && i < n && all.far.n <= n / SHARE; i++) {
		size_t back = v[i] == UINT32_MAX ? NEAR_NONE : v[i] < i && i - v[i] < NEAR_FAR ? i - v[i] : NEAR_FAR;
		all.back[i] = (uint16_t)back;
		if (back == NEAR_FAR)
			vec_push(&all.far, (near_far){ (uint32_t)i, v[i] });
	}
	if (all.far.n <= n / SHARE) {
		free(v);
		return all;
	}
	near_free(&all);
	return (near){ .whole = v };
}

uint32_t near_far_at(const near *all, size_t i)
{
	size_t k;

	if (!all->back)
		return all->whole ? all->whole[i] : UINT32_MAX;
	search_first(k, 0, all->far.n, all->far.v[k].of >= i);
	return all->far.v[k].at;
}

void near_free(near *all)
{
	mem_free(all->back, all->far.v, all->whole);
}
