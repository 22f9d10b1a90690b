#include "timeline/failed_calls.h"
#include "trace/call_class.h"

void failed_calls_find(const trace *t, void (*report)(void *ctx, const trace_proc *p, const char *text), void *ctx)
{
	arena texts = { 0 };

	for (const trace_proc *p = t->procs; p < t->procs + t->nprocs; p++) {
		const trace_failed *f = &p->failed;
		const char *first, *many;
		if (!f->calls)
			continue;
		first = str_at(&t->names, f->name);
		many = f->launches == f->calls ? arena_printf(&texts, "%zu of %zu launches", f->launches, p->launches) :
			arena_printf(&texts, "%zu that launch, copy, set or wait", f->calls);
		report(ctx, p, arena_printf(&texts, "%s, first %.*s with error %lld", many,
					    (int)call_base_length(first), first, (long long)f->returned));
	}
	arena_free(&texts);
}
