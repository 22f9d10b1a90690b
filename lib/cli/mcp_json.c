#include "base/printable.h"
#include "cli/mcp.h"
#include "table/json_rows.h"

struct mcp_json {
	sqlite3 *sql;
	sqlite3_stmt *valid, *each;
};

static sqlite3_stmt *prepare(sqlite3 *sql, const char *query)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(sql, query, -1, &s, NULL) != SQLITE_OK)
		mem_exhausted(1, 1);
	return s;
}

mcp_json *mcp_json_new(void)
{
	mcp_json *j = mem_new(mcp_json, 1);

	if (sqlite3_open_v2(":memory:", &j->sql, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
			    NULL) != SQLITE_OK)
		mem_exhausted(1, 1);
	j->valid = prepare(j->sql, "SELECT json_valid(?1)");
	/* An id that SQLite would write in another way stays as it is. */
	j->each = prepare(j->sql, "SELECT key, type, CASE WHEN typeof(atom) = 'real' AND key IN ('id', 'requestId') "
			  "THEN ?1 -> fullkey ELSE value END FROM json_each(?1, ?2) WHERE key IS NOT NULL");
	return j;
}

void mcp_json_free(mcp_json *j)
{
	sqlite3_finalize(j->valid);
	sqlite3_finalize(j->each);
	sqlite3_close(j->sql);
	free(j);
}

static void bind(sqlite3_stmt *s, const char *json, const char *path)
{
	sqlite3_reset(s);
	sqlite3_bind_text(s, 1, json, -1, SQLITE_STATIC);
	if (path)
		sqlite3_bind_text(s, 2, path, -1, SQLITE_STATIC);
}

const char *mcp_json_wrong(const char *json, mcp_json *j)
{
	for (const char *p = json; *p;) {
		size_t n = printable_utf8(p);
		if (!n)
			return "it is not UTF-8";
		p += n;
	}
	bind(j->valid, json, NULL);
	if (sqlite3_step(j->valid) != SQLITE_ROW || !sqlite3_column_int(j->valid, 0))
		return "it is no JSON, or nested too deeply";
	return json_rows_has_nul(json, strlen(json)) ? "it has the escape \\u0000, and a text holds no NUL" : NULL;
}

mcp_members mcp_json_members(mcp_json *j, const char *json, const char *path, arena *texts)
{
	mcp_members all = { 0 };
	int rc;

	bind(j->each, json, path);
	while ((rc = sqlite3_step(j->each)) == SQLITE_ROW)
		vec_push(&all, (mcp_member){ json_rows_text(texts, j->each, 0), json_rows_text(texts, j->each, 1),
					     json_rows_text(texts, j->each, 2) });
	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	return all;
}

const mcp_member *mcp_json_find(const mcp_members *m, const char *key)
{
	for (size_t i = 0; i < m->n; i++)
		if (strcmp(m->v[i].key, key) == 0)
			return &m->v[i];
	return NULL;
}

const char *mcp_json_text(const mcp_members *m, const char *key)
{
	const mcp_member *found = mcp_json_find(m, key);

	return found && strcmp(found->type, "text") == 0 ? found->text : NULL;
}
