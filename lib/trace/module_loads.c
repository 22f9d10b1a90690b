#include "trace/module_loads.h"
#include "base/memory.h"

typedef struct {
	const trace *t;
	int64_t *last;
} finding;

static void load_row(sqlite3_stmt *s, void *ctx)
{
	finding *f = ctx;
	uint32_t proc = trace_proc_of(f->t, sqlite3_column_int64(s, 0));
	int64_t at = sqlite3_column_int64(s, 1);

	if (proc != NONE && at > f->last[proc])
		f->last[proc] = at;
}

int64_t *module_loads_last(const trace *t)
{
	const db_table *calls = db_find_with(t->db, "CUPTI_ACTIVITY_KIND_RUNTIME", "nameId globalTid start");
	const db_table *strings = db_find_with(t->db, "StringIds", "id value");
	finding f = { t, mem_new(int64_t, t->nprocs) };

	for (size_t i = 0; i < t->nprocs; i++)
		f.last[i] = TRACE_UNKNOWN;
	if (calls && strings)
		db_each(t->db, load_row, &f, "SELECT globalTid, max(start) FROM \"%w\" WHERE start >= 0 AND nameId IN "
			"(SELECT id FROM \"%w\" WHERE value LIKE 'cu%%ModuleLoad%%' OR value LIKE "
			"'cu%%LibraryLoad%%') GROUP BY globalTid", calls->name, strings->name);
	return f.last;
}
