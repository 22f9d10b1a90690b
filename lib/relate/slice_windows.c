#include "relate/slice_windows.h"
#include "trace/slice_facts.h"

/* What was kept of a process (NONE: of all of them).  On the CPU that is both sides of the windows. */
static ival_set kept(trace *t, uint32_t proc, bool cpu)
{
	const slice_facts *f = slice_facts_of(t);
	vec(ival) parts = { 0 };
	ival_set out;

	for (const slice_fact *x = slice_facts_first(f, "window"); x; x = slice_facts_next(f, x)) {
		if (x->v[4] && (proc == NONE || t->procs[proc].id != x->v[4]))
			continue;
		vec_push(&parts, (ival){ x->v[0], x->v[1] });
		if (cpu)
			vec_push(&parts, (ival){ x->v[2], x->v[3] });
	}
	out = ival_union(parts.v, parts.n);
	ival_index(&out);
	vec_free(&parts);
	return out;
}

static bool holds(trace *t, uint32_t proc, const ival_set *side, bool cpu)
{
	ival_set all = kept(t, proc, cpu);
	bool ok = all.n;

	for (size_t i = 0; ok && i < side->n; i++)
		ok = ival_holds(&all, side->v[i].a, side->v[i].b);
	ival_free(&all);
	return ok;
}

bool slice_windows_any(trace *t)
{
	return slice_facts_first(slice_facts_of(t), "window");
}

bool slice_windows_hold(trace *t, uint32_t proc, const ival_set *gpu, const ival_set *cpu)
{
	return !slice_windows_any(t) || (holds(t, proc, gpu, false) && holds(t, proc, cpu, true));
}

void slice_windows_say(trace *t, const windows *all, bool asked, notes *say)
{
	const slice_fact *first = slice_facts_first(slice_facts_of(t), "window");
	size_t i = 0;

	if (first && !asked)
		notes_remark(say, "'%s' is a slice, which holds what happened in its windows, such as %lld..%lld ns, "
			     "and little else; ask only about these, as with -w", t->path, (long long)first->v[0],
			     (long long)first->v[1]);
	while (first && asked && i < all->n && slice_windows_hold(t, all->v[i].proc, &all->v[i].gpu, &all->v[i].cpu))
		i++;
	if (first && asked && i < all->n)
		notes_remark(say, "'%s' is a slice, which holds only its windows, such as %lld..%lld ns: of "
			     "%lld..%lld ns some or all is missing, so the answer is not that of the trace", t->path,
			     (long long)first->v[0], (long long)first->v[1],
			     (long long)window_hull(&all->v[i].gpu).a, (long long)window_hull(&all->v[i].gpu).b);
}
