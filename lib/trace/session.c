#include "trace/session.h"

typedef struct {
	trace *t;
	session *out;
} session_ctx;

static void session_take_utc(sqlite3_stmt *s, void *ctx)
{
	session *out = ((session_ctx *)ctx)->out;

	out->has_utc = sqlite3_column_type(s, 0) == SQLITE_INTEGER;
	out->utc = sqlite3_column_int64(s, 0);
}

static void session_take_host(sqlite3_stmt *s, void *ctx)
{
	session_ctx *r = ctx;

	r->out->host = arena_copy(&r->t->texts, (const char *)sqlite3_column_text(s, 0));
}

/* Call `row` for the column `value` of the first row that meets the condition, if the table is there and has these
 * columns. */
static bool session_read_value(session_ctx *r, const char *table, const char *columns, const char *value,
			       const char *condition, void (*row)(sqlite3_stmt *s, void *ctx))
{
	const db_table *t = db_find_with(r->t->db, table, columns);

	return !t || db_each(r->t->db, row, r, "SELECT \"%w\" FROM \"%w\" WHERE %s LIMIT 1", value, t->name, condition);
}

bool session_read(trace *t, session *out)
{
	session_ctx r = { t, out };

	return session_read_value(&r, "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", "utcEpochNs",
				  "utcEpochNs NOT NULL ORDER BY 1", session_take_utc) &&
		session_read_value(&r, "TARGET_INFO_SYSTEM_ENV", "name value", "value", "name = 'Hostname' ORDER BY 1",
				   session_take_host);
}

static void session_take_wsl(sqlite3_stmt *s, void *ctx)
{
	*(bool *)ctx = sqlite3_column_int(s, 0) != 0;
}

bool session_is_wsl(const trace *t)
{
	bool wsl = false;

	return db_find_with(t->db, "TARGET_INFO_SYSTEM_ENV", "name value") && db_each(t->db, session_take_wsl, &wsl,
		"SELECT max(name IN ('SoftwareReleaseVersion', 'KernelVersion') AND (value LIKE '%%microsoft%%' OR "
		"value LIKE '%%WSL%%')) OR max(name = 'SoftwarePlatform' AND value = 'L4X') "
		"AND max(name = 'SupportsGpuCtxsw' AND value = '0') AND "
		"max(name = 'NvDriverVersion' AND value GLOB '[0-9][0-9][0-9].[0-9][0-9]') "
		"FROM (SELECT name, value FROM TARGET_INFO_SYSTEM_ENV LIMIT 1000)") && wsl;
}
