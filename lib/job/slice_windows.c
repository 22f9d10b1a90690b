#include "job/slice_windows.h"
#include "trace/global_id.h"

typedef struct {
	trace *t;
	vec(ival) *parts;       /* by 2 * process + side (0: CPU, 1: GPU): the kept parts; freed after all rows are
				 * read */
	ival_set *kept;         /* by 2 * process + side: the union of these parts */
	ival first;             /* the first part of GPU time that was read; IVAL_NOWHERE: the trace is no slice */
} kept_times;

static void slice_windows_add_row(sqlite3_stmt *s, void *ctx)
{
	kept_times *x = ctx;
	uint32_t p = trace_proc_of(x->t, global_first(sqlite3_column_int64(s, 0)));
	ival part = { sqlite3_column_int64(s, 2), sqlite3_column_int64(s, 3) };
	bool gpu = sqlite3_column_int(s, 1);

	if (p == NONE || part.a >= part.b)
		return;
	if (gpu && x->first.a > x->first.b)
		x->first = part;
	vec_push(&x->parts[2 * p + gpu], part);
}

static void *slice_windows_build(trace *t, int64_t unused UNNEEDED)
{
	kept_times *x = mem_new(kept_times, 1);
	const db_table *table = db_find_with(t->db, "NSQ_SLICE", "process gpu start end");

	*x = (kept_times){ .t = t, .parts = mem_alloc(2 * t->nprocs, sizeof *x->parts),
		.kept = mem_new(ival_set, 2 * t->nprocs), .first = IVAL_NOWHERE };
	if (table)
		db_each(t->db, slice_windows_add_row, x, "SELECT process, gpu, start, end FROM \"%w\"", table->name);
	for (size_t i = 0; i < 2 * t->nprocs; i++) {
		x->kept[i] = ival_union(x->parts[i].v, x->parts[i].n);
		ival_index(&x->kept[i]);
		vec_free(&x->parts[i]);
	}
	free(x->parts);
	return x;
}

static void slice_windows_free(void *made)
{
	kept_times *x = made;

	for (size_t i = 0; i < 2 * x->t->nprocs; i++)
		ival_free(&x->kept[i]);
	mem_free(x->kept, x);
}

static const kept_times *slice_windows_times_of(trace *t)
{
	return trace_keep(t, slice_windows_build, 0, slice_windows_free);
}

static bool slice_windows_holds_side(const ival_set *kept, const ival_set *side)
{
	bool ok = true;

	for (size_t i = 0; ok && i < side->n; i++)
		ok = kept->n && ival_holds(kept, side->v[i].a, side->v[i].b);
	return ok;
}

bool slice_windows_is_slice(trace *t)
{
	return slice_windows_times_of(t)->first.a < slice_windows_times_of(t)->first.b;
}

bool slice_windows_hold(trace *t, uint32_t proc, const ival_set *gpu, const ival_set *cpu)
{
	const kept_times *x = slice_windows_times_of(t);
	bool ok = true;

	for (uint32_t p = 0; ok && slice_windows_is_slice(t) && p < t->nprocs; p++)
		ok = (proc != NONE && proc != p) ||
			(slice_windows_holds_side(&x->kept[2 * p + 1], gpu) &&
			 slice_windows_holds_side(&x->kept[2 * p], cpu));
	return ok;
}

void slice_windows_say(trace *t, const windows *all, bool chosen, notes *say)
{
	ival first = slice_windows_times_of(t)->first;
	size_t i = 0;

	if (!slice_windows_is_slice(t))
		return;
	while (chosen && i < all->n && slice_windows_hold(t, all->v[i].proc, &all->v[i].gpu, &all->v[i].cpu))
		i++;
	if (chosen && i < all->n)
		notes_warn(say, "'%s' is a slice and lacks part of %lld..%lld ns: it holds windows such as "
			   "%lld..%lld ns", t->path, (long long)window_hull(&all->v[i].gpu).a,
			   (long long)window_hull(&all->v[i].gpu).b, (long long)first.a, (long long)first.b);
	else if (!chosen)
		notes_remark(say, "'%s' is a slice: it holds windows such as %lld..%lld ns, and little else; -w asks "
			     "about these", t->path, (long long)first.a, (long long)first.b);
}
