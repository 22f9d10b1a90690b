#include "answer/unprofiled.h"

#include <math.h>

#define NS_PER_S 1e9
#define NOISE 0.01              /* two runs of a program differ by up to this share of their time anyway */
#define LAUNCH_NS 18000         /* the most time that recording a launch adds to it, ns (as in cpu_own.h) */

static void unprofiled_read_cell(sqlite3_stmt *s, void *ctx)
{
	if (sqlite3_column_type(s, 0) != SQLITE_NULL)
		*(double *)ctx = sqlite3_column_double(s, 0);
}

/* The value of an SQL expression over a table; `otherwise` if it is NULL, or if the trace lacks the table or one of the
 * columns. */
static double unprofiled_read_number(const trace *t, const char *table, const char *columns, const char *expression,
				     double otherwise)
{
	const db_table *in = db_find_with(t->db, table, columns);
	double v = otherwise;

	if (in)
		db_each(t->db, unprofiled_read_cell, &v, "SELECT %s FROM (SELECT * FROM \"%w\" LIMIT -1)", expression,
			in->name);
	return v;
}

bool unprofiled_find_excess(trace *t, const char *manifest_name, int64_t *ns, notes *say)
{
	static const char instead[] = "give --step-time TIME, from your own log";
	manifest m;
	double took_s, nsys_s, excess_s;
	size_t launches = 0;

	if (!manifest_read(manifest_name, t, &m, say))
		return false;
	if (isnan(m.baseline_s))
		return notes_problem(say, EXIT_WRONG, "the manifest of '%s' has no time without a profiler; capture it "
				     "with nsq-capture --baseline, or %s", t->path, instead);
	if (m.part)
		return notes_problem(say, EXIT_WRONG, "'%s' is a part of its run, and how long the whole took without "
				     "a profiler does not tell what its steps took; %s", t->path, instead);
	took_s = fmin(m.wall_s,
		      unprofiled_read_number(t, "ANALYSIS_DETAILS", "duration", "max(duration)", INFINITY) / NS_PER_S);
	nsys_s = unprofiled_read_number(t, "PROFILER_OVERHEAD", "end", "sum(end - start)", 0) / NS_PER_S;
	excess_s = took_s - nsys_s - m.baseline_s;
	if (excess_s < NOISE * m.baseline_s)
		return notes_problem(say, EXIT_WRONG, "the run of '%s' took %.3f s under the profiler and %.3f s "
				     "without, no more than two runs differ; leave --step-time out", t->path,
				     took_s - nsys_s, m.baseline_s);
	for (size_t p = 0; p < t->nprocs; p++)
		launches = t->procs[p].launches > launches ? t->procs[p].launches : launches;
	if (excess_s * NS_PER_S > LAUNCH_NS * (double)launches)
		return notes_problem(say, EXIT_WRONG, "the run of '%s' took %.3f s longer under the profiler, more "
				     "than its %zu launches explain (18 us each at most): that is start-up and not the "
				     "steps; %s", t->path, excess_s, launches, instead);
	*ns = (int64_t)(excess_s * NS_PER_S);
	return true;
}

int64_t unprofiled_step_excess(int64_t excess, double launches, int64_t all)
{
	return (int64_t)(launches * fmin(LAUNCH_NS, all > 0 ? (double)excess / (double)all : 0));
}
