#include "relate/warm_up.h"
#include "base/memory.h"

#include <strings.h>

bool warm_up_says(const char *name)
{
	for (; *name; name++)
		if (strncasecmp(name, "warm", 4) == 0 &&
		    (strncasecmp(name + 4, "up", 2) == 0 || (name[4] && strncasecmp(name + 5, "up", 2) == 0)))
			return true;
	return false;
}

typedef vec(ival) spans;

/* By process: the ranges that say so. */
static bool take_ranges(const trace *t, spans *of)
{
	const trace_ranges *r = &t->pushpop;
	uint8_t *known = mem_new(uint8_t, t->names.n);         /* by name: 0 not asked yet, 1 no, 2 yes */
	bool any = false;

	for (size_t i = 0; i < r->n; i++) {
		if (r->name[i] == STR_NONE || t->domains[r->domain[i]].nccl)
			continue;
		uint8_t *says = &known[r->name[i]];
		if (!*says)
			*says = warm_up_says(str_at(&t->names, r->name[i])) ? 2 : 1;
		if (*says == 2) {
			vec_push(&of[t->threads[r->thread[i]].proc], (ival){ r->start[i], r->end[i] });
			any = true;
		}
	}
	free(known);
	return any;
}

static bool any_kernel_outside(const trace *t, const ival_set *warm)
{
	const trace_work *w = &t->work;

	for (size_t i = 0; i < w->n; i++) {
		int64_t at = w->launch[i] == NONE ? 0 : t->calls.start[w->launch[i]];
		const ival_set *of = &warm[t->streams[w->stream[i]].proc];
		if (w->kind[i] <= WORK_GRAPH && (w->launch[i] == NONE || !ival_touches(of, at, at)))
			return true;
	}
	return false;
}

ival_set *warm_up_find(const trace *t)
{
	spans *of = mem_new(spans, t->nprocs);
	ival_set *warm = take_ranges(t, of) ? mem_new(ival_set, t->nprocs) : NULL;

	for (size_t i = 0; i < t->nprocs; i++) {
		if (warm && of[i].n)
			warm[i] = ival_union(of[i].v, of[i].n);
		vec_free(&of[i]);
	}
	free(of);
	if (warm && !any_kernel_outside(t, warm)) {
		warm_up_free(t, warm);
		return NULL;
	}
	return warm;
}

void warm_up_free(const trace *t, ival_set *by_process)
{
	for (size_t i = 0; by_process && i < t->nprocs; i++)
		ival_free(&by_process[i]);
	free(by_process);
}
