#include "trace/slice_parts.h"
#include "base/memory.h"
#include "trace/global_id.h"
#include "trace/load_nvtx.h"
#include "trace/slice_text.h"

#include <string.h>

/* ---- the functions of the conditions */

static int64_t int_of(sqlite3_value *v, int64_t null)
{
	return sqlite3_value_type(v) == SQLITE_NULL ? null : sqlite3_value_int64(v);
}

static int64_t process_of(sqlite3_value *v)
{
	return sqlite3_value_type(v) == SQLITE_NULL ? TRACE_UNKNOWN : global_process(sqlite3_value_int64(v));
}

static const slicing *slicing_of(sqlite3_context *c)
{
	return sqlite3_user_data(c);
}

/* What starts before 0 precedes the capture; definitions hold whatever their time. */
static void is_work(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t start = int_of(v[2], -1);

	(void)n;
	sqlite3_result_int(c, start >= 0 && slice_keeps_work(slicing_of(c)->k, process_of(v[0]), int_of(v[1], 0), start,
							     int_of(v[3], start)));
}

static void is_call(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t start = int_of(v[2], -1);

	(void)n;
	sqlite3_result_int(c, start >= 0 && slice_keeps_call(slicing_of(c)->k, int_of(v[0], -1), int_of(v[1], 0), start,
							     int_of(v[3], start)));
}

static void is_sync(sqlite3_context *c, int n, sqlite3_value **v)
{
	const slicing *x = slicing_of(c);
	int64_t process = process_of(v[0]);

	(void)n;
	sqlite3_result_int(c, group_find(&x->calls, (int64_t[]){ process == TRACE_UNKNOWN ? x->k->adopter : process,
		int_of(v[1], 0) }) != GROUP_NONE);
}

static void is_event(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t start = int_of(v[1], -1), end = int_of(v[2], start);

	(void)n;
	sqlite3_result_int(c, start >= 0 && slice_keeps_event(slicing_of(c)->k, int_of(v[0], -1), start, end));
}

/* A range that was never closed ends with its process. */
static void is_nvtx(sqlite3_context *c, int n, sqlite3_value **v)
{
	enum { CATEGORY = 33 };
	const slicing *x = slicing_of(c);
	int64_t thread = int_of(v[0], -1), start = int_of(v[1], -1), type = int_of(v[3], NVTX_PUSH_POP);
	uint32_t proc = trace_proc_of(x->t, thread);
	bool range = type == NVTX_PUSH_POP || type == NVTX_START_END, unclosed = sqlite3_value_type(v[2]) ==
		SQLITE_NULL;
	bool kept;

	(void)n;
	if (type == NVTX_THREAD_NAME || type == NVTX_CREATE_DOMAIN || type == CATEGORY)
		kept = proc != NONE;
	else
		kept = start >= 0 && (slice_keeps_range(x->k, thread, start, !unclosed ? int_of(v[2], 0) : range &&
							proc != NONE ?
							x->t->procs[proc].events.b : start) ||
				      group_find(&x->k->labels, (int64_t[]){ global_process(thread), start }) !=
					GROUP_NONE);
	sqlite3_result_int(c, kept);
}

static void is_switch(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	sqlite3_result_int(c, slice_keeps_switch(slicing_of(c)->k, int_of(v[0], -1), int_of(v[1], -1)));
}

static void is_metric(sqlite3_context *c, int n, sqlite3_value **v)
{
	int64_t time = int_of(v[0], -1);

	(void)n;
	sqlite3_result_int(c, time >= 0 && ival_touches(&slicing_of(c)->k->samples, time, time));
}

static void is_memory(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	sqlite3_result_int(c, dict_find(&slicing_of(c)->memory, int_of(v[0], -1)) != DICT_NONE);
}

static void is_node(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	sqlite3_result_int(c, group_find(&slicing_of(c)->nodes, (int64_t[]){ process_of(v[0]), int_of(v[1], 0) }) !=
			   GROUP_NONE);
}

static void is_process(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	sqlite3_result_int(c, dict_find(&slicing_of(c)->processes, process_of(v[0])) != DICT_NONE);
}

static void is_thread(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	sqlite3_result_int(c, dict_find(&slicing_of(c)->threads, int_of(v[0], -1)) != DICT_NONE);
}

static void is_pid(sqlite3_context *c, int n, sqlite3_value **v)
{
	(void)n;
	sqlite3_result_int(c, sqlite3_value_type(v[0]) == SQLITE_NULL ||
			   dict_find(&slicing_of(c)->pids, int_of(v[0], -1)) != DICT_NONE);
}

static void is_enum(sqlite3_context *c, int n, sqlite3_value **v)
{
	const char *text[] = { (const char *)sqlite3_value_text(v[0]), (const char *)sqlite3_value_text(v[2]),
		(const char *)sqlite3_value_text(v[3]) };

	(void)n;
	sqlite3_result_int(c, text[0] && text[1] && text[2] &&
			   slice_list_enum(slicing_of(c)->list, text[0], int_of(v[1], -1), text[1], text[2]));
}

/* ---- the functions of the columns */

static void give_text(sqlite3_context *c, const char *text)
{
	sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* The value of a name, if it is harmless. */
static void named_value(sqlite3_context *c, int n, sqlite3_value **v)
{
	slicing *x = sqlite3_user_data(c);
	const char *table = (const char *)sqlite3_value_text(v[0]), *name = (const char *)sqlite3_value_text(v[1]);
	const char *value = (const char *)sqlite3_value_text(v[2]);
	arena texts = { 0 };
	bool pseudonym;

	(void)n;
	if (!table || !name || !value || !slice_list_named(x->list, table, name, value, x->how->keep, &pseudonym))
		return;
	give_text(c, pseudonym ? slice_text_host(value, &texts) : value);
	arena_free(&texts);
}

/* What is shown of a text of a role. */
static const char *shown(slicing *x, const char *role, const char *text, arena *texts)
{
	uint32_t label;

	if (strcmp(role, "uuid") == 0)
		return x->how->keep & SLICE_HOST ? text : slice_text_uuid(text, texts);
	if (strcmp(role, "last") == 0 && !(x->how->keep & SLICE_PATHS))
		text = slice_text_last(text, texts);
	else if (strcmp(role, "text") != 0 && strcmp(role, "last") != 0)
		return slice_list_fits(x->list, role, text) ? text : NULL;
	if (!x->how->names)
		return text;
	label = rules_label(x->how->names, text, &x->names);
	return label == STR_NONE ? text : str_at(&x->names, label);
}

static void text_value(sqlite3_context *c, int n, sqlite3_value **v)
{
	slicing *x = sqlite3_user_data(c);
	const char *role = (const char *)sqlite3_value_text(v[0]), *text = NULL;
	arena texts = { 0 };

	(void)n;
	if (role && sqlite3_value_type(v[1]) == SQLITE_TEXT)
		text = shown(x, role, (const char *)sqlite3_value_text(v[1]), &texts);
	if (text)
		give_text(c, text);
	arena_free(&texts);
}

static void add_functions(slicing *x)
{
	static const struct {
		const char *name;
		int args;
		void (*func)(sqlite3_context *c, int n, sqlite3_value **v);
	} all[] = {
		{ "slice_work", 4, is_work }, { "slice_call", 4, is_call }, { "slice_sync", 2, is_sync },
			{ "slice_event", 3, is_event },
		{ "slice_nvtx", 4, is_nvtx }, { "slice_switch", 2, is_switch }, { "slice_metric", 1, is_metric },
		{ "slice_memory", 1, is_memory }, { "slice_node", 2, is_node }, { "slice_process", 1, is_process },
		{ "slice_tid", 1, is_thread }, { "slice_pid", 1, is_pid }, { "slice_enum", 4, is_enum },
		{ "slice_named", 3, named_value }, { "slice_text", 2, text_value },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		x->ok &= sqlite3_create_function(x->sql, all[i].name, all[i].args, SQLITE_UTF8, x, all[i].func, NULL,
						 NULL) ==
			SQLITE_OK;
}

/* ---- what has to be known first */

static void label_row(sqlite3_stmt *s, slicing *x)
{
	group_of(&x->k->labels, (int64_t[]){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1) });
}

/* The first event of each process that is called like a setup label. */
static void find_labels(slicing *x)
{
	const db_table *nvtx = db_find(x->t->db, "NVTX_EVENTS"), *strings = trace_strings_table(x->t->db);
	bool text = nvtx && db_column(nvtx, "text") >= 0, id = nvtx && strings && db_column(nvtx, "textId") >= 0;
	char *by_id = id ? db_query(" OR textId IN (SELECT id FROM src.\"%w\" WHERE value GLOB 'rank=[0-9]*;*')",
				    strings->name) : NULL;

	if (nvtx && (text || id) && db_column(nvtx, "globalTid") >= 0 && db_column(nvtx, "start") >= 0)
		slice_each(x, label_row,
			   "SELECT globalTid >> 24, min(start) FROM src.\"%w\" WHERE start >= 0 AND (%s%s) GROUP BY 1",
			   nvtx->name, text ? "text GLOB 'rank=[0-9]*;*'" : "0", id ? by_id : "");
	sqlite3_free(by_id);
}

void slice_prepare(slicing *x)
{
	x->calls.width = x->nodes.width = 2;
	add_functions(x);
	if (!x->k)
		return;
	find_labels(x);
	slice_memory_prepare(x);
}

/* ---- what the events that are kept tell */

static void thread_row(sqlite3_stmt *s, slicing *x)
{
	int64_t id = sqlite3_column_int64(s, 0);

	dict_key(&x->threads, id);
	dict_key(&x->processes, global_process(id));
	dict_key(&x->pids, global_pid(id));
}

static void call_row(sqlite3_stmt *s, slicing *x)
{
	group_of(&x->calls, (int64_t[]){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1) });
}

void slice_collect(slicing *x)
{
	const db_table *calls = db_find(x->t->db, "CUPTI_ACTIVITY_KIND_RUNTIME");

	for (size_t i = 0; i < x->made->n; i++) {
		const db_table *t = x->made->v[i].kept > 0 ? db_find(x->t->db, x->made->v[i].name) : NULL;
		const char *id = t && db_column(t, "globalTid") >= 0 ? "globalTid" : "globalPid";
		if (t && db_column(t, id) >= 0 && slice_list_column(slice_list_table(x->list, t->name), id))
			slice_each(x, thread_row, "SELECT DISTINCT \"%w\" FROM main.\"%w\" WHERE \"%w\" NOT NULL", id,
				   t->name, id);
	}
	if (x->k && calls && db_column(calls, "correlationId") >= 0 && db_column(calls, "globalTid") >= 0)
		slice_each(x, call_row, "SELECT globalTid >> 24, correlationId FROM main.\"%w\"", calls->name);
	slice_nodes_collect(x);
}

void slicing_end(slicing *x)
{
	group_free(&x->calls);
	group_free(&x->nodes);
	dict_free(&x->memory);
	dict_free(&x->threads);
	dict_free(&x->processes);
	dict_free(&x->pids);
	str_free(&x->names);
}
