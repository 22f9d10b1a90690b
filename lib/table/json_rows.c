#include "table/json_rows.h"
#include "table/allowed.h"

#include <string.h>

typedef struct {
	size_t line;            /* number of the line that is read, from 1 */
	const char *name;       /* the file's name in messages */
	text_rows *r;
	notes *say;
	sqlite3_stmt *members;  /* the prepared members_query */
} json_rows_ctx;

/* Selects the keys and values of a line.  A number that SQLite might write differently keeps its text, unless its key
 * cannot be written in a JSON path. */
static const char members_query[] = "SELECT key, type, CASE WHEN (typeof(atom) = 'real' OR (atom = 0 AND type = "
	"'integer')) AND key NOT GLOB '*[\"\\]*' THEN ?1 -> fullkey ELSE atom END FROM json_each(?1) WHERE "
	"json_valid(?1)";

enum { KEY, TYPE, VALUE };      /* the columns of members_query */

static const char absent[] = "";        /* its address marks a field whose key the line has not had so far */

static bool json_rows_say_wrong(const json_rows_ctx *p, const char *why)
{
	return notes_problem(p->say, EXIT_WRONG, "%s line %zu is not one flat JSON object: %s; pass the output of "
			     "-f jsonl, or a TSV or CSV", p->name, p->line, why);
}

bool json_rows_has_nul(const char *json, size_t n)
{
	for (size_t i = 0; i < n; i += json[i] == '\\' ? 2 : 1)
		if (strncmp(json + i, "\\u0000", 6) == 0)
			return true;
	return false;
}

sqlite3_stmt *json_rows_query(const char *query, const char *json, const char *second)
{
	sqlite3 *sql = NULL;
	sqlite3_stmt *s = NULL;

	if (allowed_open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX, ALLOWED_READ,
			 &sql) != SQLITE_OK ||
	    sqlite3_prepare_v2(sql, query, -1, &s, NULL) != SQLITE_OK ||
	    (json && sqlite3_bind_text(s, 1, json, -1, SQLITE_STATIC) != SQLITE_OK) ||
	    (second && sqlite3_bind_text(s, 2, second, -1, SQLITE_STATIC) != SQLITE_OK))
		mem_exhausted(1, 1);
	return s;
}

void json_rows_end(sqlite3_stmt *s)
{
	sqlite3 *sql = sqlite3_db_handle(s);

	sqlite3_finalize(s);
	sqlite3_close(sql);
}

int json_rows_step(sqlite3_stmt *s)
{
	int rc = sqlite3_step(s);

	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	return rc;
}

const char *json_rows_text(arena *to, sqlite3_stmt *s, int col)
{
	char *copy = arena_copy(to, (const char *)sqlite3_column_text(s, col));

	for (char *at = copy; at && (at = strchr(at, '\xed')); at++)
		if ((unsigned char)at[1] >= 0xa0 && at[2])
			memcpy(at, "\xef\xbf\xbd", 3);
	return copy;
}

/* The position of a key in the first line; the number of keys there if the first line lacks it.  expected: the key's
 * position in its own line, which is usually the same. */
static size_t json_rows_find_key(const text_rows *r, const char *key, size_t expected)
{
	size_t width = text_rows_width(r, 0), i = 0;

	if (expected < width && strcmp(r->fields.v[expected], key) == 0)
		return expected;
	while (i < width && strcmp(r->fields.v[i], key) != 0)
		i++;
	return i;
}

/* Store the value of a key in the row that begins at field `row`. */
static bool json_rows_store_value(json_rows_ctx *p, size_t row, size_t expected, const char *key)
{
	text_rows *r = p->r;
	size_t i = json_rows_find_key(r, key, expected);
	const char *type = (const char *)sqlite3_column_text(p->members, TYPE);

	if (i == text_rows_width(r, 0))
		return notes_problem(p->say, EXIT_WRONG, "%s line %zu has the key '%s', which the first line "
				     "lacks; every line of a table has the same", p->name, p->line, key);
	if (r->fields.v[row + i] != absent)
		return notes_problem(p->say, EXIT_WRONG, "%s line %zu has the key '%s' twice; rename one", p->name,
				     p->line, key);
	r->quoted[i] |= strcmp(type, "text") == 0;
	if (strcmp(type, "object") == 0 || strcmp(type, "array") == 0)
		return json_rows_say_wrong(p, "one of its values is an object or an array");
	r->fields.v[row + i] = json_rows_text(&r->texts, p->members, VALUE);
	return true;
}

/* Read a line as a row: its values or, with `keys`, its keys.  The first line is read both ways. */
static bool json_rows_read_line(json_rows_ctx *p, const char *text, size_t n, bool keys)
{
	text_rows *r = p->r;
	size_t row = r->fields.n, width = keys ? 0 : text_rows_width(r, 0), i = 0;
	int rc;

	for (size_t k = 0; k < width; k++)
		vec_push(&r->fields, absent);
	sqlite3_reset(p->members);
	sqlite3_bind_text64(p->members, 1, text, n, SQLITE_STATIC, SQLITE_UTF8);
	for (; (rc = json_rows_step(p->members)) == SQLITE_ROW; i++) {
		const char *key = json_rows_text(&r->texts, p->members, KEY);
		if (keys)
			vec_push(&r->fields, key);
		else if (!json_rows_store_value(p, row, i, key))
			return false;
	}
	if (rc != SQLITE_DONE || (keys && !i))
		return json_rows_say_wrong(p, "it is no JSON, or cut, or empty");
	for (size_t k = 0; k < width; k++)
		if (r->fields.v[row + k] == absent)
			return notes_problem(p->say, EXIT_WRONG, "%s line %zu lacks the key '%s' of the first line; "
					     "every line of a table has the same", p->name, p->line, r->fields.v[k]);
	vec_push(&r->ends, r->fields.n);
	vec_push(&r->lines, p->line);
	return true;
}

static bool json_rows_read_lines(json_rows_ctx *p, const char *at)
{
	bool ok = true;

	for (size_t n; ok && *at; at += n + (at[n] == '\n'), p->line++) {
		at += strspn(at, " \t\r");
		n = strcspn(at, "\n");
		if (n && *at != '{')
			return json_rows_say_wrong(p, "it does not begin with {");
		if (json_rows_has_nul(at, n))
			return json_rows_say_wrong(p, "it has the escape \\u0000, and a text holds no NUL");
		if (n && !p->r->ends.n) {
			ok = json_rows_read_line(p, at, n, true);
			p->r->quoted = mem_new(bool, p->r->fields.n + 1);
		}
		ok = ok && (!n || json_rows_read_line(p, at, n, false));
	}
	return ok;
}

bool json_rows_split(const char *text, const char *name, text_rows *r, notes *say)
{
	json_rows_ctx p = {
		.line = 1, .name = name, .r = r, .say = say, .members = json_rows_query(members_query, NULL, NULL)
	};
	bool ok = json_rows_read_lines(&p, text);

	json_rows_end(p.members);
	return ok;
}
