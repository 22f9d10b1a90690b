#include "trace/cpu_time.h"
#include "base/sort.h"
#include "trace/global_id.h"

typedef struct {
	ival span;              /* only waits in this time count */
	bool known;             /* has the thread had a switch? */
	int64_t since;          /* when the thread left the CPU; TRACE_UNKNOWN: it is on a CPU, or had no switch so
				 * far */
	vec(int64_t) waits;     /* lengths of the waits, in nanoseconds */
} cpu_time_ctx;

/* If the thread is off the CPU, its wait ends at `now`.  Add the part of the wait that lies in w->span. */
static void cpu_time_end_wait(cpu_time_ctx *w, int64_t now)
{
	int64_t a = w->since > w->span.a ? w->since : w->span.a, b = now < w->span.b ? now : w->span.b;

	if (w->since != TRACE_UNKNOWN && b > a)
		vec_push(&w->waits, b - a);
}

/* Take a switch of the thread.  If its first switch is onto a CPU, the thread waited until then. */
static void cpu_time_take_switch(sqlite3_stmt *s, void *ctx)
{
	cpu_time_ctx *w = ctx;
	int64_t now = sqlite3_column_int64(s, 0);
	bool on = sqlite3_column_int64(s, 1) > 0;

	if (!w->known && on)
		w->since = w->span.a;
	w->known = true;
	if (on)
		cpu_time_end_wait(w, now);
	w->since = on ? TRACE_UNKNOWN : w->since == TRACE_UNKNOWN ? now : w->since;
}

static int cpu_time_compare_longest_first(const void *x, const void *y)
{
	return sort_3way(*(const int64_t *)y, *(const int64_t *)x);
}

cpu_time cpu_time_find_waits(const trace *t, uint32_t thread, ival span, size_t n)
{
	const db_table *in = db_find_with(t->db, "SCHED_EVENTS", "start globalTid isSchedIn");
	cpu_time_ctx w = { .span = span, .since = TRACE_UNKNOWN };
	int64_t id = global_first(t->procs[t->threads[thread].proc].id) | t->threads[thread].tid;
	cpu_time sum = { 0 };

	if (in &&
	    db_each(t->db, cpu_time_take_switch, &w,
		    "SELECT start, isSchedIn FROM \"%w\" WHERE globalTid = %lld AND "
		    "start >= 0 ORDER BY start",
		    in->name, (long long)id)) {
		sum.known = w.known;
		cpu_time_end_wait(&w, span.b);
	}
	if (w.waits.n)
		qsort(w.waits.v, w.waits.n, sizeof *w.waits.v, cpu_time_compare_longest_first);
	for (size_t i = 0; i < w.waits.n; i++) {
		sum.waits += w.waits.v[i];
		sum.longest += i < n ? w.waits.v[i] : 0;
	}
	vec_free(&w.waits);
	return sum;
}
