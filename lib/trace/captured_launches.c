#include "trace/captured_launches.h"
#include "trace/call_class.h"
#include "trace/load_calls.h"
#include "trace/sync_calls.h"

typedef struct {
	const trace *t;
	size_t *n;              /* by process: number of captured launches so far */
	bool *capturing;        /* by thread: does it capture a stream now? */
} captured_launches_ctx;

static void captured_launches_count_call(sqlite3_stmt *s, void *ctx)
{
	captured_launches_ctx *c = ctx;
	uint32_t thread = trace_thread_of(c->t, sqlite3_column_int64(s, 0));
	const char *name = (const char *)sqlite3_column_text(s, 1);
	enum sync_call kind = name ? sync_call(name) : SYNC_CALL_OTHER;

	if (!name || thread == NONE)
		return;
	if (kind == SYNC_CALL_BEGIN_CAPTURE || kind == SYNC_CALL_END_CAPTURE)
		c->capturing[thread] = kind == SYNC_CALL_BEGIN_CAPTURE;
	else if (c->capturing[thread] && call_launches_work(name))
		c->n[c->t->threads[thread].proc]++;
}

static bool captured_launches_has_begin_capture(const trace *t)
{
	for (size_t i = 0; i < t->calls.nkinds; i++)
		if (t->calls.kinds[i].name != STR_NONE &&
		    sync_call(str_at(&t->names, t->calls.kinds[i].name)) == SYNC_CALL_BEGIN_CAPTURE)
			return true;
	return false;
}

static void *captured_launches_build(trace *t, int64_t unused UNNEEDED)
{
	captured_launches_ctx c = { t, mem_new(size_t, t->nprocs), mem_new(bool, t->nthreads) };
	const db_table *calls = db_find_with(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME", "start globalTid");
	const db_table *strings = trace_strings_table(t->db);

	/* If db_each fails, it has reported the problem, and the launches counted so far are kept. */
	if (calls && strings && captured_launches_has_begin_capture(t))
		db_each(t->db, captured_launches_count_call, &c,
			"SELECT c.globalTid, s.value FROM \"%w\" c JOIN \"%w\" s ON s.id = c.%s "
			"WHERE (s.value GLOB '*Launch*' OR s.value GLOB '*Capture*') AND %s <> %d ORDER BY c.start",
			calls->name, strings->name, db_column_or(calls, "nameId", "name"),
			db_column_or(calls, "eventClass", "0"), CALLS_BACKTRACE);
	free(c.capturing);
	return c.n;
}

const size_t *captured_launches(trace *t)
{
	return trace_keep(t, captured_launches_build, 0, free);
}
