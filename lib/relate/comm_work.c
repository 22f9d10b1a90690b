#include "relate/comm_work.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/search.h"

#include <string.h>

enum { STRETCH = 1 << 16 };     /* work that a thread looks at */

typedef vec(uint32_t) work_list;

typedef struct {
	const trace *t;
	work_list *found;       /* by stretch */
} finding;

static void look(void *ctx, size_t which)
{
	finding *f = ctx;
	const trace *t = f->t;
	work_list found = { 0 };

	for (size_t i = which * STRETCH, end = t->work.n - i < STRETCH ? t->work.n : i + STRETCH; i < end; i++)
		if (trace_is_comm(t, i))
			vec_push(&found, (uint32_t)i);
	f->found[which] = found;
}

static void *make(trace *t, int64_t unused UNNEEDED)
{
	comm_work *c = mem_new(comm_work, 1);
	size_t stretches = t->work.n / STRETCH + 1, n = 0;
	finding f = { t, mem_new(work_list, stretches) };

	par_do(t->workers, stretches, look, &f);
	for (size_t i = 0; i < stretches; i++)
		n += f.found[i].n;
	c->t = t;
	c->work = mem_new(uint32_t, n);
	for (size_t i = 0; i < stretches; i++) {
		if (f.found[i].n)       /* else it has no array */
			memcpy(c->work + c->n, f.found[i].v, f.found[i].n * sizeof *c->work);
		c->n += f.found[i].n;
		vec_free(&f.found[i]);
	}
	free(f.found);
	c->first = mem_new(size_t, t->nlanes + 1);
	for (size_t l = 0; l < t->nlanes; l++)
		search_first(c->first[l + 1], c->first[l], n,
			     c->work[c->first[l + 1]] >= t->lanes[l].first + t->lanes[l].n);
	return c;
}

static void drop(void *made)
{
	comm_work *c = made;

	mem_free(c->work, c->first, c);
}

const comm_work *comm_work_of(trace *t)
{
	return trace_keep(t, make, 0, drop);
}

bool comm_work_next(const comm_work *c, const window *w, comm_walk *k)
{
	trace *t = c->t;

	for (;;) {
		while (k->next < k->end) {
			k->work = c->work[k->next++];
			if (window_has(w, &w->gpu, t->work.start[k->work], work_end(&t->work, k->work)))
				return true;
		}
		if (!window_more(t, w, &k->all))
			return false;
		search_first(k->next, c->first[k->all.lane], c->first[k->all.lane + 1],
			     c->work[k->next] >= k->all.next);
		search_first(k->end, k->next, c->first[k->all.lane + 1], c->work[k->end] >= k->all.end);
	}
}
