#include "trace/page_faults.h"

typedef struct {
	const trace *t;
	page_faults *out;
} page_faults_ctx;

static void page_faults_take_row(sqlite3_stmt *s, void *ctx)
{
	page_faults_ctx *r = ctx;
	page_fault f = { .proc = trace_proc_of(r->t, sqlite3_column_int64(s, 2)), .start = sqlite3_column_int64(s, 0),
		.end = sqlite3_column_int64(s, 1), .gpu = sqlite3_column_int64(s, 3),
		.faults = sqlite3_column_int64(s, 4) };

	f.end = f.end > f.start ? f.end : f.start;
	if (f.start >= 0 && f.faults > 0 && f.proc != NONE)
		vec_push(r->out, f);
}

bool page_faults_load(const trace *t, page_faults *out)
{
	static const char *const tables[] = { "CUDA_UM_CPU_PAGE_FAULT_EVENTS", "CUDA_UM_GPU_PAGE_FAULT_EVENTS" };
	bool ok = true;

	for (int gpu = 0; ok && gpu < 2; gpu++) {
		const db_table *in = db_find_with(t->db, tables[gpu], "start globalPid");
		ok = !in ||
			db_each(t->db, page_faults_take_row, &(page_faults_ctx){ t, out },
				"SELECT start, %s, globalPid, %s, %s FROM "
				"\"%w\"",
				db_column_or(in, "end", "start"), gpu ? db_column_or(in, "deviceId", "0") : "-1",
				db_column_or(in, "numberOfPageFaults", "1"), in->name);
	}
	return ok;
}
