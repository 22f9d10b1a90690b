#include "base/near.h"
#include "base/search.h"

enum { SHARE = 8 };             /* if more than one in so many is far, all are kept whole */
enum { STRETCH = 1 << 16 };     /* how many a thread looks at */

typedef struct {
	const uint32_t *v;
	size_t n;
	uint16_t *back;
	uint32_t *far;          /* by stretch: how many are */
} looking;

static size_t stretch_end(size_t n, size_t which)
{
	return n - which * STRETCH < STRETCH ? n : (which + 1) * STRETCH;
}

static void look(void *ctx, size_t which)
{
	const looking *l = ctx;
	const uint32_t *v = l->v;
	uint16_t *to = l->back;
	uint32_t far = 0;

	for (uint32_t i = (uint32_t)which * STRETCH, end = (uint32_t)stretch_end(l->n, which); i < end; i++) {
		uint32_t back = v[i] < i ? i - v[i] : NEAR_FAR;
		back = v[i] == UINT32_MAX ? NEAR_NONE : back < NEAR_FAR ? back : NEAR_FAR;
		to[i] = (uint16_t)back;
		far += back == NEAR_FAR;
	}
	l->far[which] = far;
}

near near_of(uint32_t *v, size_t n, par threads)
{
	size_t stretches = n / STRETCH + 1, far = 0;
	looking l = { v, n, v ? mem_grow(NULL, n, sizeof *l.back) : NULL, mem_new(uint32_t, stretches) };
	near all = { .back = l.back };

	if (v)
		par_do(threads, stretches, look, &l);
	for (size_t i = 0; i < stretches; i++)
		far += l.far[i];
	if (far > n / SHARE) {
		mem_free(l.back, l.far);
		return (near){ .whole = v };
	}
	for (size_t k = 0; k < stretches; k++)
		for (size_t i = k * STRETCH, end = stretch_end(n, k); l.far[k] && i < end; i++)
			if (l.back[i] == NEAR_FAR)
				vec_push(&all.far, (near_far){ (uint32_t)i, v[i] });
	mem_free(v, l.far);
	return all;
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
