#include "base/printable.h"
#include "cli/mcp.h"
#include "table/json_rows.h"

struct mcp_json {
	sqlite3_stmt *valid, *each;
};

mcp_json *mcp_json_new(void)
{
	mcp_json *j = mem_new(mcp_json, 1);

	j->valid = json_rows_query("SELECT json_valid(?1)", NULL, NULL);
	j->each = json_rows_query("SELECT key, type, value FROM json_each(?1, ?2) WHERE key IS NOT NULL", NULL, NULL);
	return j;
}

void mcp_json_free(mcp_json *j)
{
	json_rows_end(j->valid);
	json_rows_end(j->each);
	free(j);
}

static void mcp_json_bind_text(sqlite3_stmt *s, const char *json, const char *path)
{
	sqlite3_reset(s);
	sqlite3_bind_text(s, 1, json, -1, SQLITE_STATIC);
	if (path)
		sqlite3_bind_text(s, 2, path, -1, SQLITE_STATIC);
}

const char *mcp_json_check(const char *json, mcp_json *j)
{
	for (const char *p = json; *p;) {
		size_t n = printable_utf8(p);
		if (!n)
			return "it is not UTF-8";
		p += n;
	}
	mcp_json_bind_text(j->valid, json, NULL);
	if (json_rows_step(j->valid) != SQLITE_ROW || !sqlite3_column_int(j->valid, 0))
		return "it is no JSON, or nested too deeply";
	return json_rows_has_nul(json, strlen(json)) ? "it has the escape \\u0000, and a text holds no NUL" : NULL;
}

mcp_members mcp_json_members(mcp_json *j, const char *json, const char *path, arena *texts)
{
	mcp_members all = { 0 };

	mcp_json_bind_text(j->each, json, path);
	while (json_rows_step(j->each) == SQLITE_ROW)
		vec_push(&all, (mcp_member){ json_rows_text(texts, j->each, 0), json_rows_text(texts, j->each, 1),
					     json_rows_text(texts, j->each, 2) });
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
