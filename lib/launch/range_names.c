#include "launch/range_names.h"
#include "base/memory.h"

static void *range_names_build(trace *t, int64_t unused UNNEEDED)
{
	range_names *r = mem_new(range_names, 1);
	vec(uint32_t) met = { 0 };
	uint32_t *of_folded;    /* by folded name: its number; 0: none yet */

	r->number = mem_new(uint32_t, t->names.n);
	for (size_t i = 0; i < t->pushpop.n; i++) {
		uint32_t name = t->pushpop.name[i];
		if (name != STR_NONE && !r->number[name]) {
			r->number[name] = 1;    /* met; the number follows below */
			vec_push(&met, name);
			str_fold(&t->names, name);
		}
	}
	vec_push(r, STR_NONE);
	of_folded = mem_new(uint32_t, t->names.n);
	for (size_t i = 0; i < met.n; i++) {
		uint32_t name = str_fold(&t->names, met.v[i]);
		if (!of_folded[name]) {
			of_folded[name] = (uint32_t)r->n;
			vec_push(r, name);
		}
		r->number[met.v[i]] = of_folded[name];
	}
	free(of_folded);
	vec_free(&met);
	return r;
}

static void range_names_release(void *made)
{
	range_names *r = made;

	mem_free(r->number, r->v, r);
}

const range_names *range_names_of(trace *t)
{
	return trace_keep(t, range_names_build, 0, range_names_release);
}
