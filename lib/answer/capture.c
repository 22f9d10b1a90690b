#include "answer/capture.h"

#include <string.h>

enum { VERSION, SCHEMA, TRACED, GRAPHS };

static const struct {
	const char *key, *name;
	bool flag;              /* is it off where a capture does not name it? */
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
	size_t setting;
} reading;

static void take(sqlite3_stmt *s, void *ctx)
{
	reading *r = ctx;
	const char *v = (const char *)sqlite3_column_text(s, 0);

	if (v && *v)
		r->to->value[r->setting] = arena_copy(&r->to->texts, v);
}

/* The values of a setting, which may have several, in order. */
static bool read_setting(capture *to, const trace *t, const char *table, size_t setting)
{
	const db_table *in = db_find(t->db, table);
	char *q;
	bool ok;

	if (!in || strcmp(in->name, table) != 0 || db_column(in, "name") < 0 || db_column(in, "value") < 0)
		return true;
	q = db_query("SELECT group_concat(value, ' ') FROM (SELECT DISTINCT value FROM %s WHERE name = %Q "
		     "ORDER BY value LIMIT 50)", table, settings[setting].name);
	ok = db_each(t->db, q, take, &(reading){ to, setting });
	sqlite3_free(q);
	return ok;
}

/* What a trace that does not say it shows by what is in it. */
static void read_events(capture *to, const trace *t)
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
			ok = read_setting(to, t, tables[k], i);
	to->stated = to->value[TRACED] != NULL;
	read_events(to, t);
	return ok;
}

void capture_free(capture *c)
{
	arena_free(&c->texts);
}

const char *capture_key(size_t setting)
{
	return settings[setting].key;
}

static const char *value_of(const capture *c, size_t setting)
{
	return c->value[setting] || !settings[setting].flag || !c->stated ? c->value[setting] : "false";
}

const char *capture_difference(capture *a, const capture *b)
{
	const char *all = NULL;

	for (size_t i = 0; i < CAPTURE_SETTINGS; i++) {
		const char *x = value_of(a, i), *y = value_of(b, i);
		bool no_matter = i == SCHEMA || (i == TRACED && a->stated != b->stated);
		if (x && y && !no_matter && strcmp(x, y) != 0)
			all = arena_printf(&a->texts, "%s%s%s '%s' and '%s'", all ? all : "", all ? ", " : "",
					   settings[i].key, x, y);
	}
	return all;
}
