#include "answer/facts.h"
#include "answer/question.h"
#include "timeline/clock_offset.h"
#include "timeline/failed_calls.h"
#include "timeline/lost_events.h"
#include "timeline/shared_gpu.h"
#include "sqlite/page.h"

#include <string.h>
#include <sys/mman.h>

/* ---- how the trace was captured */

enum { VERSION, SCHEMA, TRACED, GRAPHS };

static const struct {
	const char *key, *name;
	bool off_if_unnamed;    /* if a trace states what was traced but does not name this setting, it was off */
} settings[CAPTURE_SETTINGS] = {
	[VERSION] = { "nsys.version", "EXPORT_PRODUCT_VERSION", false },
	[SCHEMA] = { "nsys.schema", "EXPORT_SCHEMA_VERSION", false },
	[TRACED] = { "capture.traced", "CAPTURE_EVENT_TYPE", false },
	[GRAPHS] = { "capture.graphs", "PROCESS_0:CUDA_GRAPH_TRACE_OPTIONS:MODE", false },
	{ "capture.cuda_backtraces", "PROCESS_0:CUDA_BACKTRACE_OPTIONS:COLLECT_KERNEL_BACKTRACES", true },
	{ "capture.memory_usage", "PROCESS_0:COLLECT_GPU_MEMORY_USAGE", true },
	{ "capture.uvm_cpu_faults", "PROCESS_0:COLLECT_UVM_CPU_PAGE_FAULTS", true },
	{ "capture.uvm_gpu_faults", "PROCESS_0:COLLECT_UVM_GPU_PAGE_FAULTS", true },
	{ "capture.gpu_switches", "COLLECT_GPU_CTX_SW_TRACE", true },
	{ "capture.gpu_metrics_hz", "GPU_METRICS_OPTIONS:SAMPLING_FREQUENCY", true },
	{ "capture.cpu_samples", "LINUX_PERF_OPTIONS:COLLECT_IP_BACKTRACE_SAMPLES", true },
	{ "capture.cpu_switches", "LINUX_PERF_OPTIONS:COLLECT_CPU_CTXSW_TRACE", true },
};

typedef struct {
	capture *to;
	size_t setting;         /* index of `settings` */
} setting_ctx;

static void facts_store_setting(sqlite3_stmt *s, void *ctx)
{
	setting_ctx *r = ctx;
	const char *v = (const char *)sqlite3_column_text(s, 0);

	if (v && *v)
		r->to->value[r->setting] = arena_copy(&r->to->texts, v);
}

/* Read a setting from a table, if the trace has that table.  Several values are joined, in order.  False after a
 * problem. */
static bool facts_read_setting(capture *to, const trace *t, const char *from, size_t setting)
{
	const db_table *in = db_find_with(t->db, from, "name value");

	return !in || strcmp(in->name, from) != 0 ||
		db_each(t->db, facts_store_setting, &(setting_ctx){ to, setting },
			"SELECT group_concat(value, ' ') FROM (SELECT DISTINCT "
			"value FROM %s WHERE name = %Q ORDER BY value LIMIT 50)",
			from, settings[setting].name);
}

/* If the trace does not state GRAPHS or TRACED, infer them from its events. */
static void facts_infer_settings(capture *to, const trace *t)
{
	bool whole = false;

	for (size_t i = 0; i < t->work.n && !whole; i++)
		whole = t->work.kind[i] == WORK_GRAPH;
	if (!to->value[GRAPHS] && whole)
		to->value[GRAPHS] = "Graph";
	if (!to->value[TRACED])
		to->value[TRACED] = arena_printf(&to->texts, "%s%s%s", t->has_cuda ? "Cuda" : "",
						 t->has_nvtx ? " NvtxEvents" : "", db_find(t->db, "OSRT_API") ?
						 " OSRuntime" : "");
}

bool capture_read(capture *to, const trace *t)
{
	static const char *const tables[] = { "META_DATA_EXPORT", "EXPORT_META_DATA", "META_DATA_CAPTURE" };
	bool ok = true;

	for (size_t i = 0; ok && i < CAPTURE_SETTINGS; i++)
		for (size_t k = 0; ok && k < sizeof tables / sizeof *tables; k++)
			ok = facts_read_setting(to, t, tables[k], i);
	to->stated = to->value[TRACED] != NULL;
	facts_infer_settings(to, t);
	return ok;
}

void capture_free(capture *c)
{
	arena_free(&c->texts);
}

/* The value of a setting; "false" if it was off because the trace does not name it; NULL: unknown. */
static const char *facts_value_of(const capture *c, size_t setting)
{
	return c->value[setting] || !settings[setting].off_if_unnamed || !c->stated ? c->value[setting] : "false";
}

const char *capture_difference(capture *a, const capture *b)
{
	const char *all = NULL;

	for (size_t i = 0; i < CAPTURE_SETTINGS; i++) {
		const char *x = facts_value_of(a, i), *y = facts_value_of(b, i);
		bool ignored = i == SCHEMA || (i == TRACED && a->stated != b->stated);
		if (x && y && !ignored && strcmp(x, y) != 0)
			all = arena_printf(&a->texts, "%s%s%s '%s' and '%s'", all ? all : "", all ? ", " : "",
					   settings[i].key, x, y);
	}
	return all;
}

/* ---- facts */

#define COLUMNS(X) \
	X(KEY, "key", 't', NULL, "name of the fact") \
	X(VALUE, "value", 't', NULL, "value of the fact")

enum { TABLE_IDS(COLUMNS) };
static const table_col columns[] = { TABLE_COLS(COLUMNS) };

void facts_columns(table *out)
{
	table_add(out, KEY, &columns[KEY - COL_OWN]);
	table_add(out, VALUE, &columns[VALUE - COL_OWN]);
	table_add_common(out, COL_TRACE);
}

typedef struct {
	trace *t;
	table *out;
	arena texts;
	capture how;
	const char *key;        /* the key of the facts that facts_add_query_row adds */
	bool ok;                /* no read has failed */
	bool suspicious;        /* a fact suspicious.* was added */
} facts;

static void facts_add_fact(facts *f, const char *key, const char *value)
{
	f->suspicious |= strncmp(key, "suspicious.", 11) == 0;
	table_row(f->out);
	table_text(f->out, KEY, key);
	table_text(f->out, VALUE, value);
	table_text(f->out, COL_TRACE, f->t->path);
}

/* The text in a column; NULL if it is empty or missing. */
static const char *facts_read_text(sqlite3_stmt *s, int col)
{
	const char *v = (const char *)sqlite3_column_text(s, col);

	return v && *v ? v : NULL;
}

static void facts_add_query_row(sqlite3_stmt *s, void *ctx)
{
	facts *f = ctx;

	if (facts_read_text(s, 0))
		facts_add_fact(f, f->key, facts_read_text(s, 0));
}

/* Add a fact for each row of a query that gives one column.  Do nothing unless the trace has the table `in` with the
 * column `column`. */
static void facts_add_query(facts *f, const char *key, const char *in, const char *column, const char *sql)
{
	const db_table *have = db_find(f->t->db, in);

	f->key = key;
	if (have && strcmp(have->name, in) == 0 && db_column(have, column) >= 0)
		f->ok &= db_each(f->t->db, facts_add_query_row, f, "%s", sql);
}

static void facts_add_capture(facts *f)
{
	f->ok &= capture_read(&f->how, f->t);
	for (size_t i = 0; i < CAPTURE_SETTINGS; i++)
		if (f->how.value[i])
			facts_add_fact(f, settings[i].key, f->how.value[i]);
	facts_add_query(f, "capture.command", "META_DATA_CAPTURE", "name",
			"SELECT group_concat(value, ' ') FROM (SELECT value FROM META_DATA_CAPTURE "
			"WHERE name = 'PROCESS_0:COMMAND' OR name LIKE 'PROCESS_0:ARGUMENT\\_%' ESCAPE '\\' "
			"ORDER BY name != 'PROCESS_0:COMMAND', CAST(substr(name, 20) AS INTEGER))");
	facts_add_query(f, "capture.duration_ns", "ANALYSIS_DETAILS", "duration",
			"SELECT duration FROM ANALYSIS_DETAILS");
	facts_add_query(f, "capture.start_utc", "TARGET_INFO_SESSION_START_TIME", "utcTime",
			"SELECT utcTime FROM TARGET_INFO_SESSION_START_TIME");
	if (f->t->span.a < f->t->span.b)
		facts_add_fact(f, "capture.events_ns", arena_printf(&f->texts, "%lld..%lld", (long long)f->t->span.a,
							 (long long)f->t->span.b));
}

static void facts_add_overhead_row(sqlite3_stmt *s, void *ctx)
{
	facts *f = ctx;

	if (facts_read_text(s, 0))
		facts_add_fact(f, "overhead.kind",
			       arena_printf(&f->texts, "%lld ns in %lld: %s", (long long)sqlite3_column_int64(s, 1),
					    (long long)sqlite3_column_int64(s, 2), facts_read_text(s, 0)));
}

/* Add the time that nsys itself takes in the program, in all and by kind.  Its events may be nested.  Each nanosecond
 * of a thread counts once in overhead.ns, but for overhead.kind it counts in every event. */
static void facts_add_overhead(facts *f)
{
	const db *d = f->t->db;
	const db_table *in = db_find_with(d, "PROFILER_OVERHEAD", "start end");
	const db_table *names = db_find_with(d, "StringIds", "id value");

	if (!in)
		return;
	f->key = "overhead.ns";
	f->ok &= db_each(d, facts_add_query_row, f,
			 "SELECT sum(max(0, b - max(a, coalesce(before, a)))) FROM (SELECT a, b, max(b) "
			 "OVER (PARTITION BY thread ORDER BY a ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "
			 "before FROM (SELECT start AS a, end AS b, %s AS thread FROM \"%w\"))",
			 db_column(in, "globalTid") < 0 ? "0" : "globalTid", in->name);
	if (names && db_column(in, "nameId") >= 0)
		f->ok &= db_each(d, facts_add_overhead_row, f,
				 "SELECT (SELECT value FROM \"%w\" s WHERE s.id = o.nameId), ns, "
				 "n FROM (SELECT nameId, sum(end - start) AS ns, count(*) AS n FROM (SELECT nameId, "
				 "start, end FROM \"%w\") GROUP BY 1) o ORDER BY ns DESC, nameId LIMIT 20",
				 names->name, in->name);
}

static void facts_add_host(facts *f)
{
	static const struct { const char *key, *name; } env[] = {
		{ "host.name", "Hostname" }, { "host.os", "OsDescription" }, { "host.cpu", "CpuDescription" },
		{ "host.cores", "CpuCores" }, { "host.driver", "NvDriverVersion" },
		{ "host.cuda", "CudaDriverVersion" },
	};

	for (size_t i = 0; i < sizeof env / sizeof *env; i++)
		facts_add_query(f, env[i].key, "TARGET_INFO_SYSTEM_ENV", "name",
				arena_printf(&f->texts,
					     "SELECT value FROM "
					     "TARGET_INFO_SYSTEM_ENV WHERE name = '%s' LIMIT 1",
					     env[i].name));
}

static void facts_add_gpu_row(sqlite3_stmt *s, void *ctx)
{
	facts *f = ctx;

	for (int i = 1; facts_read_text(s, 0) && i < sqlite3_column_count(s); i++)
		if (facts_read_text(s, i))
			facts_add_fact(
				f,
				arena_printf(&f->texts, "gpu.%s.%s", facts_read_text(s, 0), sqlite3_column_name(s, i)),
				facts_read_text(s, i));
}

static void facts_add_gpus(facts *f)
{
	static const struct { const char *column, *fact; } want[] = {
		{ "name", "name" }, { "chipName", "chip" }, { "smCount", "sms" }, { "clockRate", "clock_hz" },
		{ "totalMemory", "memory_bytes" }, { "memoryBandwidth", "bandwidth_bytes_per_s" },
		{ "l2CacheSize", "l2_bytes" }, { "busLocation", "bus" }, { "computeMajor", "compute_major" },
		{ "computeMinor", "compute_minor" }, { "maxShmemPerSm", "shared_per_sm_bytes" },
		{ "maxRegistersPerSm", "registers_per_sm" }, { "maxWarpsPerSm", "warps_per_sm" },
	};
	const db_table *t = db_find(f->t->db, "TARGET_INFO_GPU");
	const char *q = "SELECT id";

	if (!t || db_column(t, "id") < 0)
		return;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		if (db_column(t, want[i].column) >= 0)
			q = arena_printf(&f->texts, "%s, %s AS %s", q, want[i].column, want[i].fact);
	f->ok &= db_each(f->t->db, facts_add_gpu_row, f, "%s FROM %s", q, t->name);
}

/* Does the trace say that this setting was on? */
static bool facts_is_on(const facts *f, const char *key)
{
	size_t i = 0;

	while (i < CAPTURE_SETTINGS && strcmp(settings[i].key, key) != 0)
		i++;
	return i < CAPTURE_SETTINGS && f->how.value[i] && strcmp(f->how.value[i], "true") == 0;
}

static void facts_add_missing(facts *f)
{
	static const struct { const char *table, *key, *flag, *setting; } kinds[] = {
		{ "OSRT_API", "missing.osrt", "nsys profile --trace=osrt", "" },
		{ "GPU_METRICS", "missing.gpu_metrics", "nsys profile --gpu-metrics-devices=all", "" },
		{ "CUDA_GPU_MEMORY_USAGE_EVENTS", "missing.memory_usage", "nsys profile --cuda-memory-usage=true",
		  "capture.memory_usage" },
		{ "SCHED_EVENTS", "missing.cpu_switches", "nsys profile --cpuctxsw=process-tree",
		  "capture.cpu_switches" },
		{ "COMPOSITE_EVENTS", "missing.cpu_samples", "nsys profile --sample=process-tree",
		  "capture.cpu_samples" },
	};

	if (!f->t->has_cuda)
		facts_add_fact(f, "missing.cuda", "nsys profile --trace=cuda");
	else if (f->t->work.n && !trace_has_launches(f->t))
		facts_add_fact(f, "missing.launches", "nsys profile --trace=cuda");
	if (!f->t->has_nvtx)
		facts_add_fact(f, "missing.nvtx", "nsys profile --trace=nvtx");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (!db_find(f->t->db, kinds[i].table))
			facts_add_fact(
				f, kinds[i].key,
				!facts_is_on(f, kinds[i].setting) ?
					kinds[i].flag :
					arena_printf(&f->texts,
						     "asked for, but nsys recorded none, or the export left out %s",
						     kinds[i].table));
}

static void facts_add_lost(void *ctx, const trace_proc *p, const char *sign)
{
	facts *f = ctx;

	facts_add_fact(f, "suspicious.lost", arena_printf(&f->texts, "process %s: %s (%s)", p->shown, sign,
							  lost_events_cure(f->t)));
}

static void facts_add_failed(void *ctx, const trace_proc *p, const char *text)
{
	facts *f = ctx;

	facts_add_fact(f, "suspicious.failed",
		       arena_printf(&f->texts, "process %s: CUDA calls failed: %s", p->shown, text));
}

static void facts_add_clocks(void *ctx, const trace_proc *p, const char *text)
{
	facts *f = ctx;

	facts_add_fact(f, "suspicious.clocks",
		       arena_printf(&f->texts, "process %s: %s: the clocks of CPU and GPU disagree", p->shown, text));
}

static void facts_add_shared(void *ctx, const char *text)
{
	facts *f = ctx;

	facts_add_fact(f, "suspicious.shared_gpu",
		       arena_printf(&f->texts,
				    "%s; without MPS they take turns, and a kernel's time "
				    "includes the others' turns",
				    text));
}

static void facts_add_diagnostic_row(sqlite3_stmt *s, void *ctx)
{
	facts *f = ctx;

	if (facts_read_text(s, 0))
		facts_add_fact(f, "suspicious.diagnostic", !facts_read_text(s, 1) ? facts_read_text(s, 0) :
			       arena_printf(&f->texts, "process %s: %s", facts_read_text(s, 1), facts_read_text(s, 0)));
}

/* Add the warnings (level 2) and errors (level 3) of nsys, with their processes.  The message that not all events may
 * have been collected is added at any level, although nsys writes it even for healthy captures. */
static void facts_add_diagnostics(facts *f)
{
	const db_table *in = db_find_with(f->t->db, "DIAGNOSTIC_EVENT", "text");

	if (in)
		f->ok &= db_each(f->t->db, facts_add_diagnostic_row, f,
				 "SELECT DISTINCT text, pid FROM (SELECT text, %s AS "
				 "level, %s AS pid FROM \"%w\") WHERE level IN (2, 3) OR text LIKE 'not "
				 "all%%' ORDER BY text, pid",
				 db_column(in, "severity") >= 0 ? "severity" : "0",
				 db_column(in, "globalPid") >= 0 ? "nullif(globalPid >> 24 & 0xffffff, 0)" : "NULL",
				 in->name);
}

static void facts_add_suspicious(facts *f)
{
	trace *t = f->t;
	size_t launchable = 0, unlaunched = 0, graphs = 0;

	for (size_t i = 0; i < t->work.n; i++) {
		launchable += !trace_is_migration(t, i);
		unlaunched += !trace_is_migration(t, i) && t->work.launch[i] == NONE;
		graphs += t->work.kind[i] == WORK_GRAPH;
	}
	if (unlaunched && trace_has_launches(t))
		facts_add_fact(f, "suspicious.unlaunched", arena_printf(&f->texts, "%zu of %zu pieces of GPU work have "
							     "no launching call in the trace", unlaunched, launchable));
	if (graphs)
		facts_add_fact(f, "suspicious.graphs",
			       arena_printf(&f->texts,
					    "%zu CUDA graphs were traced whole; to see "
					    "inside them, use nsys profile --cuda-graph-trace=node",
					    graphs));
	if (t->has_cuda && !t->work.n)
		facts_add_fact(f, "suspicious.no_work", "CUDA was traced but no GPU work was seen");
	if (question_count_silent(t))
		facts_add_fact(f, "suspicious.no_comm", arena_printf(&f->texts, "%zu processes have kernels, and none "
								     "communicates", question_count_silent(t)));
	failed_calls_find(t, facts_add_failed, f);
	lost_events_find(t, facts_add_lost, f);
	clock_offset_find(t, facts_add_clocks, f);
	f->ok &= shared_gpu_find(t, facts_add_shared, f);
}

/* The number of rows that the pages of a table state; SIZE_MAX: the pages cannot be read directly. */
static size_t facts_count_rows_of_pages(const page_file *file, uint32_t root)
{
	page_list leaves = { 0 };
	size_t n = file && root && page_list_leaves(file, root, &leaves) ? 0 : SIZE_MAX;

	for (size_t i = 0, to; i < leaves.n && n != SIZE_MAX; i = to) {
		size_t more;
		to = i + PAGE_RELEASE < leaves.n ? i + PAGE_RELEASE : leaves.n;
		more = page_count(file, leaves.v + i, to - i);
		n = more == SIZE_MAX ? SIZE_MAX : n + more;
		page_advise(file, leaves.v, i, to, MADV_DONTNEED);
	}
	vec_free(&leaves);
	return n;
}

static void facts_add_row_count(facts *f, const db_table *in)
{
	const db *d = f->t->db;
	size_t n = facts_count_rows_of_pages(d->file, in->root);

	f->key = arena_printf(&f->texts, "table.%s", in->name);
	if (n < SIZE_MAX)
		facts_add_fact(f, f->key, arena_printf(&f->texts, "%zu", n));
	else
		f->ok &= db_each(d, facts_add_query_row, f, DB_COUNT, in->name);
}

static void facts_add_tables(facts *f)
{
	const db *d = f->t->db;
	int left_out = 0;

	for (int i = 0; i < d->ntables; i++) {
		if (strncmp(d->tables[i].name, "ENUM_", 5) == 0) {
			left_out++;
			continue;
		}
		facts_add_row_count(f, db_table_at(d, i));
	}
	if (left_out)
		facts_add_fact(f, "tables",
			       arena_printf(&f->texts,
					    "%d of %d are listed, without those of enumerations "
					    "(ENUM_*)",
					    d->ntables - left_out, d->ntables));
}

bool facts_add_rows(trace *t, table *out)
{
	facts f = { .t = t, .out = out, .ok = true };

	facts_add_capture(&f);
	facts_add_host(&f);
	facts_add_gpus(&f);
	facts_add_overhead(&f);
	facts_add_tables(&f);
	facts_add_missing(&f);
	facts_add_diagnostics(&f);
	facts_add_suspicious(&f);
	if (!f.suspicious)
		facts_add_fact(&f, "suspicious", "nothing: no sign of lost events, no GPU is shared, all work has its "
			       "launching call");
	table_group(out);
	capture_free(&f.how);
	arena_free(&f.texts);
	return f.ok;
}
