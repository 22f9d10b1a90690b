#include "trace/slice_parts.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "sqlite/rows.h"
#include "trace/global_id.h"
#include "trace/load_nvtx.h"

#include <stdbool.h>
#include <string.h>

/* ---- which rows are kept */

static int64_t slice_rows_int_or(int64_t v, int64_t null)
{
	return v == TRACE_UNKNOWN ? null : v;
}

static int64_t slice_rows_process_of(int64_t id)
{
	return id == TRACE_UNKNOWN ? id : global_process(id);
}

/* Is a row of work kept?  Here and in the next functions, v[i] is the row's value of row_rule.columns[i].  Events that
 * start before 0 precede the capture, and are left out. */
static bool slice_rows_keeps_work(const slice_ctx *x, const int64_t *v)
{
	return v[2] >= 0 &&
		slice_keeps_work(x->k, slice_rows_process_of(v[0]), slice_rows_int_or(v[1], 0), v[2],
				 slice_rows_int_or(v[3], v[2]));
}

static bool slice_rows_keeps_call(const slice_ctx *x, const int64_t *v)
{
	return v[2] >= 0 &&
		slice_keeps_call(x->k, slice_rows_int_or(v[0], -1), slice_rows_int_or(v[1], 0), v[2],
				 slice_rows_int_or(v[3], v[2]));
}

static bool slice_rows_keeps_sync(const slice_ctx *x, const int64_t *v)
{
	return group_find(&x->calls, (int64_t[]){ v[0] == TRACE_UNKNOWN ? x->k->adopter : slice_rows_process_of(v[0]),
		slice_rows_int_or(v[1], 0) }) != GROUP_NONE;
}

static bool slice_rows_keeps_event(const slice_ctx *x, const int64_t *v)
{
	return v[1] >= 0 && slice_keeps_event(x->k, slice_rows_int_or(v[0], -1), v[1], slice_rows_int_or(v[2], v[1]));
}

/* Is an NVTX row kept?  Rows that name threads, domains and categories are kept whatever their time, and so is the
 * setup label (trace_proc.label).  A range that was never closed ends with its process. */
static bool slice_rows_keeps_nvtx(const slice_ctx *x, const int64_t *v)
{
	enum { CATEGORY = 33 };
	int64_t thread = slice_rows_int_or(v[0], -1), start = v[1], end = slice_rows_int_or(v[2], start),
		type = slice_rows_int_or(v[3], NVTX_PUSH_POP);
	uint32_t proc = trace_proc_of(x->t, thread);

	if (type == NVTX_THREAD_NAME || type == NVTX_CREATE_DOMAIN || type == CATEGORY)
		return proc != NONE;
	if (v[2] == TRACE_UNKNOWN && proc != NONE && (type == NVTX_PUSH_POP || type == NVTX_START_END))
		end = x->t->procs[proc].events.b;
	return start >= 0 && (slice_keeps_range(x->k, thread, start, end) ||
			      (proc != NONE && x->t->procs[proc].rank >= 0 && x->t->procs[proc].label == start));
}

static bool slice_rows_keeps_switch(const slice_ctx *x, const int64_t *v)
{
	return slice_keeps_switch(x->k, slice_rows_int_or(v[0], -1), slice_rows_int_or(v[1], -1));
}

static bool slice_rows_keeps_metric(const slice_ctx *x, const int64_t *v)
{
	return v[0] >= 0 && ival_touches(&x->k->samples, v[0], v[0]);
}

static bool slice_rows_keeps_memory(const slice_ctx *x, const int64_t *v)
{
	return dict_find(&x->memory, v[0]) != DICT_NONE;
}

static bool slice_rows_keeps_node(const slice_ctx *x, const int64_t *v)
{
	return group_find(&x->nodes, (int64_t[]){ slice_rows_process_of(v[0]), slice_rows_int_or(v[1], 0) }) !=
		GROUP_NONE;
}

static bool slice_rows_keeps_chain(const slice_ctx *x, const int64_t *v)
{
	return dict_find(&x->chains, v[0]) != DICT_NONE;
}

static bool slice_rows_keeps_process(const slice_ctx *x, const int64_t *v)
{
	return dict_find(&x->processes, slice_rows_process_of(v[0])) != DICT_NONE;
}

static bool slice_rows_keeps_thread(const slice_ctx *x, const int64_t *v)
{
	return dict_find(&x->threads, slice_rows_int_or(v[0], -1)) != DICT_NONE;
}

static bool slice_rows_keeps_pid(const slice_ctx *x, const int64_t *v)
{
	return v[0] == TRACE_UNKNOWN || dict_find(&x->pids, v[0]) != DICT_NONE;
}

enum { VALUES = 4 };
#define TID "globalTid|globalPid"

typedef struct {
	const char *rows;               /* the rule is for all kinds of rows (slice_table.rows) that begin so */
	const char *columns[VALUES];    /* the columns that `keeps` needs; "a|b": the first of these that the table has
					 * (rows_col.names); "": the row id.  TRACE_UNKNOWN stands for a NULL in them */
	bool (*keeps)(const slice_ctx *x, const int64_t *v);    /* is a row kept?  NULL: SQL decides
								 * (slice_write_make_condition) */
	bool needs_k;                   /* it needs slice_ctx.k; if k is NULL, all such rows are kept */
	bool last;                      /* slice_rows_come_last */
} row_rule;

static const row_rule row_rules[] = {
	{ "work", { "globalPid", "correlationId", "start", "end" }, slice_rows_keeps_work, .needs_k = true },
	{ "call", { TID, "correlationId", "start", "end" }, slice_rows_keeps_call, .needs_k = true },
	{ "sync", { "globalPid", "correlationId" }, slice_rows_keeps_sync, .needs_k = true, .last = true },
	{ "thread", { TID, "start", "end" }, slice_rows_keeps_event, .needs_k = true },
	{ "nvtx", { TID, "start", "end", "eventType" }, slice_rows_keeps_nvtx, .needs_k = true },
	{ "switch", { TID, "start" }, slice_rows_keeps_switch, .needs_k = true },
	{ "metric", { "timestamp|rawTimestamp" }, slice_rows_keeps_metric, .needs_k = true },
	{ "memory", { "" }, slice_rows_keeps_memory, .needs_k = true },
	{ "node", { TID, "graphNodeId" }, slice_rows_keeps_node, .needs_k = true, .last = true },
	{ "chain ", { "id" }, slice_rows_keeps_chain, .last = true },
	{ "process", { TID }, slice_rows_keeps_process, .last = true },
	{ "tid", { TID }, slice_rows_keeps_thread, .last = true },
	{ "pid", { "pid|processId" }, slice_rows_keeps_pid, .last = true },
	{ "domain", { "domainId" }, NULL, .last = true },
	{ "type", { "typeId" }, NULL, .last = true },
};

static const row_rule *slice_rows_find_rule(const char *rows)
{
	for (size_t i = 0; i < sizeof row_rules / sizeof *row_rules; i++)
		if (strncmp(row_rules[i].rows, rows, strlen(row_rules[i].rows)) == 0)
			return &row_rules[i];
	return NULL;
}

bool slice_rows_come_last(const char *rows)
{
	const row_rule *r = slice_rows_find_rule(rows);

	return r && r->last;
}

bool slice_rows_are_chosen(const slice_ctx *x, const char *rows)
{
	const row_rule *r = slice_rows_find_rule(rows);

	return r && r->keeps && (x->k || !r->needs_k);
}

typedef struct {
	rows_part rows;         /* as each part of a table begins (rows.h); not used here */
	slice_runs runs;        /* the kept rows of this part */
	bool kept;              /* was the previous row kept? */
} chosen_part;

typedef struct {
	const slice_ctx *x;
	const row_rule *rule;
} slice_rows_ctx;

static void slice_rows_take_rows(void *ctx, void *part, const rows_batch *b)
{
	const slice_rows_ctx *c = ctx;
	chosen_part *p = part;
	slice_runs *runs = &p->runs;

	for (size_t i = 0; i < b->n; i++) {
		int64_t v[VALUES], id = b->ints[VALUES][i];
		for (int k = 0; k < VALUES; k++)
			v[k] = b->ints[k] ? b->ints[k][i] : id;
		if (!c->rule->keeps(c->x, v)) {
			p->kept = false;
			continue;
		}
		if (!p->kept)
			vec_push(runs, (slice_run){ .first = id });
		runs->v[runs->n - 1].last = id;
		p->kept = true;
	}
	p->runs.rows += (int64_t)b->n;
}

static void slice_rows_free_chosen(void *part)
{
	vec_free(&((chosen_part *)part)->runs);
}

slice_runs slice_rows_choose(slice_ctx *x, const db_table *t, const char *rows)
{
	static const rows_reader reader = { .part_size = sizeof(chosen_part), .free_part = slice_rows_free_chosen,
		.take = slice_rows_take_rows };
	slice_rows_ctx c = { x, slice_rows_find_rule(rows) };
	rows_col cols[VALUES + 1] = { [VALUES] = { .id = true } };
	rows_parts parts = { 0 };
	slice_runs all = { 0 };

	for (int i = 0; i < VALUES; i++)
		if (c.rule->columns[i] && *c.rule->columns[i])
			cols[i] = (rows_col){ .names = c.rule->columns[i], .null = TRACE_UNKNOWN };
	x->ok = x->ok && rows_read(x->t->db, t, cols, VALUES + 1, &reader, &c, x->t->workers, &parts);
	for (size_t i = 0; i < parts.n; i++) {
		const slice_runs *r = &rows_part_at(chosen_part, &parts, i)->runs;
		for (size_t k = 0; k < r->n; k++)
			vec_push(&all, r->v[k]);
		all.rows += r->rows;
	}
	rows_parts_free(&parts);
	return all;
}

/* ---- texts that may reveal persons or places: pseudonyms, and paths without their folders */

/* What follows the last slash or backslash in a text; if there is none, all of the text.  The slash in the name of
 * C++'s operator/ does not count. */
static const char *slice_rows_after_folders(const char *text)
{
	const char *after = text;

	for (const char *p = text; (p = strpbrk(p, "/\\")); p++)
		if (p - text < 8 || strncmp(p - 8, "operator", 8) != 0)
			after = p + 1;
	return after;
}

/* What is written in place of the folders of a path, which are its first n bytes: "", or the folder by which
 * share/rules/frames.tsv tells whose code it is. */
static const char *slice_rows_kept_folder(const char *path, size_t n)
{
	if (memmem(path, n, "/site-packages/", 15) || memmem(path, n, "/dist-packages/", 15))
		return "site-packages/";
	return memmem(path, n, "/lib/python3", 12) ? "lib/python/" : "";
}

/* A text without what stands before its last slash, except slice_rows_kept_folder.  All of it is dropped because nobody
 * knows where in the text a path begins, or whether a blank is part of it.  With `program`, the text is a command, and
 * its arguments, which follow a blank, are dropped as well. */
static const char *slice_rows_without_folders(const char *text, bool program, arena *texts)
{
	const char *end = program ? strstr(text, " -") : NULL, *name;

	text = end ? arena_text(texts, text, (size_t)(end - text)) : text;
	name = slice_rows_after_folders(text);
	return arena_printf(texts, "%s%.*s", slice_rows_kept_folder(text, (size_t)(name - text)),
			    (int)(program ? strcspn(name, " \t\n") : strlen(name)), name);
}

/* A pseudonym for the uuid of a GPU: a hash, which is the same in every trace and does not reveal the uuid.  A uuid
 * that is empty or consists of zeros stays. */
static const char *slice_rows_replace_uuid(const char *uuid, arena *texts)
{
	const char *prefix = strncmp(uuid, "GPU-", 4) == 0 ? "GPU-" : "", *digits = uuid + strlen(prefix);
	char text[SHA256_TEXT];
	const char *d;

	if (!digits[strspn(digits, "0-")])
		return uuid;
	d = sha256(digits, strlen(digits), text);
	return arena_printf(texts, "%s%.8s-%.4s-%.4s-%.4s-%.12s", prefix, d, d + 8, d + 12, d + 16, d + 20);
}

/* The pseudonym of a host: "host" and its number, in the order in which hosts are met.  A hash would reveal the host's
 * name to anyone who tries names. */
static const char *slice_rows_host_number(slice_ctx *x, const char *host, arena *texts)
{
	return arena_printf(texts, "host%u", str_id(&x->hosts, host, strlen(host)) + 1);
}

/* ---- SQL functions of the statements */

static int64_t slice_rows_int_of(sqlite3_value *v, int64_t null)
{
	return sqlite3_value_type(v) == SQLITE_NULL ? null : sqlite3_value_int64(v);
}

/* A value as text.  NULL: it is an SQL NULL, or contains a NUL character, after which no tool would look. */
static const char *slice_rows_text_of(const slice_ctx *x, sqlite3_value *v)
{
	const char *text = (const char *)sqlite3_value_text(v);
	int n = sqlite3_value_bytes(v);

	db_walk_count_texts(x->t->db, n);
	return text && strlen(text) == (size_t)n ? text : NULL;
}

/* The SQL function slice_enum(table, id, name, label): does nsys itself write this row (slice_list_has_enum_row)? */
static void slice_rows_run_enum(sqlite3_context *c, int n UNNEEDED, sqlite3_value **v)
{
	const slice_ctx *x = sqlite3_user_data(c);
	const char *text[] = { slice_rows_text_of(x, v[0]), slice_rows_text_of(x, v[2]), slice_rows_text_of(x, v[3]) };

	sqlite3_result_int(c, text[0] && text[1] && text[2] &&
			   slice_list_has_enum_row(x->list, text[0], slice_rows_int_of(v[1], -1), text[1], text[2]));
}

static void slice_rows_return_text(sqlite3_context *c, const char *text)
{
	sqlite3_result_text(c, text, -1, SQLITE_TRANSIENT);
}

/* The SQL function slice_named(table, name, value): what may be written in place of the value; NULL: nothing. */
static void slice_rows_run_named(sqlite3_context *c, int n UNNEEDED, sqlite3_value **v)
{
	slice_ctx *x = sqlite3_user_data(c);
	const char *table = slice_rows_text_of(x, v[0]), *name = slice_rows_text_of(x, v[1]),
		   *value = slice_rows_text_of(x, v[2]);
	arena texts = { 0 };
	bool numbered;

	if (!table || !name || !value || !slice_list_allows_value(x->list, table, name, value, x->how->keep, &numbered))
		return;
	slice_rows_return_text(c, numbered ? slice_rows_host_number(x, value, &texts) : value);
	arena_free(&texts);
}

/* What may be shown of a text of a column with this role (slice_column.role), or of a string without its folders (role
 * "last"); NULL: nothing. */
static const char *slice_rows_shown_text(slice_ctx *x, const char *role, const char *text, arena *texts)
{
	uint32_t label;

	if (strcmp(role, "uuid") == 0)
		return x->how->keep & SLICE_HOST ? text : slice_rows_replace_uuid(text, texts);
	if ((strcmp(role, "last") == 0 || strcmp(role, "program") == 0) && !(x->how->keep & SLICE_PATHS))
		text = slice_rows_without_folders(text, *role == 'p', texts);
	else if (!text_is_listed_word(role, strlen(role), "text last program"))
		return slice_list_fits_role(x->list, role, text) ? text : NULL;
	if (!x->how->names)
		return text;
	label = rules_label(x->how->names, text, &x->names);
	return label == STR_NONE ? text : str_at(&x->names, label);
}

/* The SQL function slice_text(role, value): what may be shown of the value; NULL: nothing. */
static void slice_rows_run_text(sqlite3_context *c, int n UNNEEDED, sqlite3_value **v)
{
	slice_ctx *x = sqlite3_user_data(c);
	const char *role = slice_rows_text_of(x, v[0]), *text = NULL;
	arena texts = { 0 };

	db_walk_count_texts(x->t->db, sqlite3_value_bytes(v[1]));
	if (strcmp(role, "blob") == 0)
		sqlite3_result_value(c, v[1]);
	else if (sqlite3_value_type(v[1]) == SQLITE_TEXT)       /* up to its first NUL, as tools read it */
		text = slice_rows_shown_text(x, role, (const char *)sqlite3_value_text(v[1]), &texts);
	if (text)
		slice_rows_return_text(c, text);
	arena_free(&texts);
}

static void slice_rows_add_functions(slice_ctx *x)
{
	static const struct {
		const char *name;
		int args;
		void (*func)(sqlite3_context *c, int n, sqlite3_value **v);
	} all[] = {
		{ "slice_enum", 4, slice_rows_run_enum },
		{ "slice_named", 3, slice_rows_run_named }, { "slice_text", 2, slice_rows_run_text },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		x->ok &= sqlite3_create_function(x->sql, all[i].name, all[i].args, SQLITE_UTF8, x, all[i].func, NULL,
						 NULL) == SQLITE_OK;
}

void slice_prepare(slice_ctx *x)
{
	x->calls.width = x->nodes.width = 2;
	slice_rows_add_functions(x);
	if (x->k)
		slice_memory_choose(x);
}

/* ---- what the kept events refer to */

static void slice_rows_take_thread(sqlite3_stmt *s, slice_ctx *x)
{
	int64_t id = sqlite3_column_int64(s, 0);

	dict_key(&x->threads, id);
	dict_key(&x->processes, global_process(id));
	dict_key(&x->pids, global_pid(id));
}

static void slice_rows_take_call(sqlite3_stmt *s, slice_ctx *x)
{
	group_of(&x->calls, (int64_t[]){ sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1) });
}

void slice_collect_references(slice_ctx *x)
{
	const db_table *calls = db_find_with(x->t->db, "CUPTI_ACTIVITY_KIND_RUNTIME", "correlationId globalTid");

	for (size_t i = 0; i < x->made->n; i++) {
		const db_table *t = x->made->v[i].kept > 0 ? db_find(x->t->db, x->made->v[i].name) : NULL;
		const char *id = t && db_column(t, "globalTid") >= 0 ? "globalTid" : "globalPid";
		if (t && db_column(t, id) >= 0 && slice_list_find_column(slice_list_find_table(x->list, t->name), id))
			slice_each(x, slice_rows_take_thread,
				   "SELECT DISTINCT \"%w\" FROM main.\"%w\" WHERE \"%w\" NOT NULL", id, t->name, id);
	}
	if (x->k && calls)
		slice_each(x, slice_rows_take_call, "SELECT globalTid >> 24, correlationId FROM main.\"%w\"",
			   calls->name);
	slice_nodes_choose(x);
}

void slice_parts_free(slice_ctx *x)
{
	group_free(&x->calls);
	group_free(&x->nodes);
	dict_free(&x->memory);
	dict_free(&x->chains);
	dict_free(&x->threads);
	dict_free(&x->processes);
	dict_free(&x->pids);
	str_free(&x->names);
	str_free(&x->hosts);
}
