#include "sqlite/query.h"
#include "base/number.h"
#include "base/suggest.h"
#include "base/text.h"
#include "sqlite/functions.h"
#include "table/allowed.h"
#include "table/read_table.h"

#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct query {
	sqlite3 *sql;
	const char *what, *advice;
	const char *missing;    /* the name of a table that is missing, or NULL */
	const char *instead;    /* what to say if a statement names that table */
	notes *say;
	vec(virtual_table *) tables;
	bool raw;               /* is a file attached? */
	bool utf16;             /* does the connection hold all text as UTF-16, like the file? */
	int64_t max_rows;       /* most rows of a statement; 0: no limit */
	int64_t memory;         /* bytes that the rows of a statement may take */
	sqlite3_int64 heap_limit;       /* the limit on SQLite's memory before this query was opened, bytes */
	const char *refused;    /* the first thing that the last statement tried to do and may not, or NULL */
	bool function_refused;  /* did the last statement call a function that is not allowed? */
	arena texts;
};

/* ---- what a statement may do */

/* The first word of a statement as written, after blanks, comments, semicolons and parentheses. */
static const char *query_copy_first_word(arena *to, const char *sql)
{
	for (;;) {
		sql += strspn(sql, " \t\r\n\f(;");
		if (strncmp(sql, "--", 2) == 0)
			sql += strcspn(sql, "\n");
		else if (strncmp(sql, "/*", 2) == 0 && strstr(sql + 2, "*/"))
			sql = strstr(sql + 2, "*/") + 2;
		else
			return arena_text(to, sql, strcspn(sql, " \t\r\n\f(;"));
	}
}

/* May a statement that only reads begin with this word? */
static bool query_begins_reading(const char *word)
{
	return text_is_listed_word(word, strlen(word), "select with values explain pragma");
}

/* SQLite calls this authorizer for every action of a statement that it prepares. */
static int query_authorize(void *ctx, int action, const char *a, const char *b, const char *schema, const char *by)
{
	query *q = ctx;

	(void)by;
	if (allowed_may_do(ALLOWED_READ, action, a, b, schema))
		return SQLITE_OK;
	q->function_refused |= action == SQLITE_FUNCTION;
	if (!q->refused)
		q->refused = action == SQLITE_FUNCTION ? arena_copy(&q->texts, b) :
			action == SQLITE_PRAGMA ? arena_printf(&q->texts, "PRAGMA %s", a) :
			action == SQLITE_INSERT ? "INSERT" : action == SQLITE_UPDATE ? "UPDATE" : "DELETE";
	return SQLITE_DENY;
}

/* Limit the memory of a query: half of the machine's memory for its rows and, in tools for which SQLite counts its
 * memory (opt_tool.queries), a quarter for SQLite itself.  When SQLite's part does not suffice, it sorts in a temporary
 * file. */
static void query_limit_memory(query *q)
{
	int64_t machine = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);

	q->memory = machine / 2;
	q->heap_limit = sqlite3_hard_heap_limit64(-1);
	if (!q->heap_limit || q->heap_limit > machine / 4)
		sqlite3_hard_heap_limit64(machine / 4);
}

query *query_open(const char *what, const char *advice, notes *say)
{
	query *q = mem_new(query, 1);
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;

	q->what = what;
	q->advice = advice;
	q->say = say;
	if (allowed_open(":memory:", flags, ALLOWED_READ, &q->sql) != SQLITE_OK)
		mem_exhausted(1, 1);
	query_limit_memory(q);
	functions_add(q->sql);
	return q;
}

void query_limit_rows(query *q, int64_t rows)
{
	q->max_rows = rows;
}

void query_explain_missing(query *q, const char *name, const char *advice)
{
	q->missing = name;
	q->instead = advice;
}

bool query_add_table(query *q, virtual_table *v)
{
	bool ok;

	v->utf16 = q->utf16;
	allowed_unrestrict(q->sql);
	ok = virtual_table_add(q->sql, v);
	allowed_restrict(q->sql, ALLOWED_READ);
	if (!ok) {
		free(v->used);
		return notes_problem(q->say, EXIT_WRONG, "SQLite takes no table '%s': %s", v->name,
				     sqlite3_errmsg(q->sql));
	}
	vec_push(&q->tables, v);
	return true;
}

/* Give the connection the encoding of the file.  All databases of a connection must have the same encoding, and a new
 * connection has none before its first table. */
static void query_set_encoding(sqlite3_stmt *s, void *ctx)
{
	query *q = ctx;
	char *set = db_format_query("PRAGMA encoding = %Q", sqlite3_column_text(s, 0));

	q->utf16 = sqlite3_stricmp((const char *)sqlite3_column_text(s, 0), "UTF-8") != 0;
	allowed_unrestrict(q->sql);
	sqlite3_exec(q->sql, set, NULL, NULL, NULL);    /* if this fails, attaching fails too */
	allowed_restrict(q->sql, ALLOWED_READ);
	sqlite3_free(set);
}

static void query_read_count(sqlite3_stmt *s, void *ctx)
{
	*(int64_t *)ctx = sqlite3_column_int64(s, 0);
}

bool query_attach(query *q, const db *d)
{
	enum { VIEWS = 100 };   /* SQLite follows views of views even if views are not allowed, and many would overflow
				 * its stack */
	int64_t views = 0;
	bool ok;

	allowed_unrestrict(d->sql);
	ok = db_each(d, query_set_encoding, q, "PRAGMA encoding");
	allowed_restrict(d->sql, ALLOWED_READ);
	if (!ok ||
	    !db_each(d, query_read_count, &views, "SELECT count(*) FROM sqlite_master WHERE type = 'view'"))
		return false;
	if (views > VIEWS)
		return notes_problem(q->say, EXIT_FAILED, "'%s' has %lld views, and nsys creates none; export the "
				     "report again", d->path, (long long)views);
	q->raw = db_attach(d, q->sql, "raw", ALLOWED_READ);
	return q->raw || notes_problem(q->say, EXIT_FAILED, "cannot open '%s' for raw: %s", d->path,
				       sqlite3_errmsg(q->sql));
}

void query_close(query *q)
{
	sqlite3_close(q->sql);
	for (size_t i = 0; i < q->tables.n; i++)
		virtual_table_free(q->tables.v[i]);
	vec_free(&q->tables);
	sqlite3_hard_heap_limit64(q->heap_limit);
	arena_free(&q->texts);
	free(q);
}

/* ---- messages about mistakes */

typedef vec(const char *) names;

static void query_add_name(names *to, query *q, const char *name)
{
	for (size_t i = 0; i < to->n; i++)
		if (strcasecmp(to->v[i], name) == 0)
			return;
	vec_push(to, arena_copy(&q->texts, name));
}

/* Add the names that a SELECT on the schema finds. */
static void query_add_names(names *to, query *q, const char *sql)
{
	sqlite3_stmt *s = NULL;

	allowed_restrict(q->sql, ALLOWED_READ);
	if (sqlite3_prepare_v2(q->sql, sql, -1, &s, NULL) == SQLITE_OK)
		while (sqlite3_step(s) == SQLITE_ROW)
			if (sqlite3_column_text(s, 0))
				query_add_name(to, q, (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
}

/* only_raw: only the tables of the attached file. */
static names query_list_tables(query *q, bool only_raw)
{
	names all = { 0 };

	for (size_t i = 0; i < q->tables.n && !only_raw; i++)
		query_add_name(&all, q, q->tables.v[i]->name);
	if (q->raw)
		query_add_names(&all, q, "SELECT name FROM raw.sqlite_master WHERE type = 'table'");
	return all;
}

/* The columns of all tables whose names occur in the statement. */
static names query_list_columns(query *q, const char *sql)
{
	names all = { 0 }, raw = { 0 };

	for (size_t i = 0; i < q->tables.n; i++)
		for (size_t c = 0; strcasestr(sql, q->tables.v[i]->name) && c < q->tables.v[i]->columns->cols.n; c++)
			query_add_name(&all, q, q->tables.v[i]->columns->cols.v[c].name);
	if (q->raw)
		raw = query_list_tables(q, true);
	for (size_t i = 0; i < raw.n; i++) {
		char *columns = strcasestr(sql, raw.v[i]) ?
			db_format_query("SELECT name FROM pragma_table_info(%Q, 'raw')", raw.v[i]) :
			NULL;
		if (columns)
			query_add_names(&all, q, columns);
		sqlite3_free(columns);
	}
	vec_free(&raw);
	return all;
}

static names query_list_functions(query *q)
{
	names all = { 0 };

	query_add_names(&all, q, "SELECT DISTINCT name FROM pragma_function_list");
	return all;
}

/* The name that SQLite did not find, from its message; NULL: the message is about something else.  The part before the
 * name's last dot is left out, unless columns have dots in their names.  `known` gets the names that may have been
 * meant. */
static const char *query_unknown_name(query *q, const char *message, const char *sql, names *known)
{
	static const char *const kinds[] = { "no such table: ", "no such column: ", "no such function: " };
	const char *name, *dot;
	int kind = 0;

	while (kind < 3 && strncmp(message, kinds[kind], strlen(kinds[kind])) != 0)
		kind++;
	if (kind == 3)
		return NULL;
	name = arena_copy(&q->texts, message + strlen(kinds[kind]));    /* copied, because the search for names replaces
									 * the message */
	dot = strrchr(name, '.');
	*known = kind == 0 ? query_list_tables(q, strncasecmp(name, "raw.", 4) == 0) :
		kind == 1	? query_list_columns(q, sql) :
			  query_list_functions(q);
	for (size_t i = 0; kind == 1 && i < known->n; i++)
		if (strpbrk(known->v[i], ". ")) {
			dot = strchr(known->v[i], '.') ? NULL : dot;    /* the part before the dot may belong to the
									 * name */
			known->v[i] = arena_printf(&q->texts, "\"%s\"", known->v[i]);
		}
	return dot ? dot + 1 : name;
}

/* Is the name in double quotes in the query? */
static bool query_is_in_quotes(query *q, const char *sql, const char *name)
{
	return strstr(sql, arena_printf(&q->texts, "\"%s\"", name));
}

/* The number that was meant by 5, 5% or 5ms: the name without a percent sign, or the time in nanoseconds.  NULL: the
 * name is none of these. */
static const char *query_suggest_number(query *q, const char *name)
{
	size_t n = strlen(name);
	const char *number = arena_text(&q->texts, name, n - (n && name[n - 1] == '%'));
	int64_t unit, ns;

	if (number_is_json(number))
		return number;
	return number_time(name, n, 1, &unit, &ns) && unit ? arena_printf(&q->texts, "%lld (ns)", (long long)ns) : NULL;
}

/* The word that makes a statement write.  It need not be the first word, which may be WITH. */
static const char *query_writing_word(const char *sql)
{
	return strcasestr(sql, "INSERT") ? "INSERT" : strcasestr(sql, "UPDATE") ? "UPDATE" :
		strcasestr(sql, "REPLACE") ? "REPLACE" : "DELETE";
}

static bool query_refuse(query *q, const char *sql)
{
	const char *word = query_copy_first_word(&q->texts, sql);

	return notes_problem(q->say, EXIT_WRONG, "'%s' is refused: a %s only reads; %s",
			     q->refused && query_begins_reading(word) ? q->refused : word, q->what,
			     q->function_refused ? "use another function" : "write one SELECT");
}

/* meant: what suggest_names returned: the known names that are close, worded for the message; ";" if none is close. */
static void query_report_wrong_name(query *q, const char *sql, const char *message, const char *name, const char *meant)
{
	bool no_table = strncmp(message, "no such table: ", 15) == 0;
	bool quoted = *meant == ';' && strncmp(message, "no such column", 14) == 0 && query_is_in_quotes(q, sql, name);

	if (quoted && query_suggest_number(q, name))
		notes_problem(q->say, EXIT_WRONG, "the %s is wrong: %s; a number takes no quotes and no unit: %s",
			      q->what, message, query_suggest_number(q, name));
	else if (quoted)
		notes_problem(q->say, EXIT_WRONG, "the %s is wrong: %s; a text takes single quotes: '%s'", q->what,
			      message, name);
	else if (no_table && q->missing && strcasecmp(message + 15, q->missing) == 0)
		notes_problem(q->say, EXIT_WRONG, "the %s is wrong: %s; %s", q->what, message, q->instead);
	else if (no_table && !q->raw && strncasecmp(message + 15, "raw.", 4) == 0)
		notes_problem(q->say, EXIT_WRONG, "the %s is wrong: %s; raw.NAME is a table of a single trace",
			      q->what, message);
	else
		notes_problem(q->say, EXIT_WRONG, "the %s is wrong: %s%s %s", q->what, message, meant, q->advice);
}

static bool query_report_mistake(query *q, const char *sql)
{
	int code = sqlite3_errcode(q->sql) & 0xff;
	const char *message = arena_copy(&q->texts, sqlite3_errmsg(q->sql)), *name;
	names known = { 0 };

	if (code == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	if (!q->refused && strstr(message, "may not be modified"))
		q->refused = query_writing_word(sql);
	if (q->refused)
		return query_refuse(q, sql);
	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_IOERR || code == SQLITE_FULL ||
	    code == SQLITE_CANTOPEN)
		return notes_problem(q->say, EXIT_FAILED, "the %s cannot be answered: %s", q->what, message);
	name = query_unknown_name(q, message, sql, &known);
	if (name) {
		const char *meant = suggest_names(&q->texts, name, known.v, known.n), *dot = strrchr(name, '.');
		query_report_wrong_name(q, sql, message, name, *meant == ';' && dot ?
				 suggest_names(&q->texts, dot + 1, known.v, known.n) : meant);
	} else
		notes_problem(q->say, EXIT_WRONG, "the %s is wrong: %s", q->what, message);
	vec_free(&known);
	return false;
}

/* Is there anything but blanks and comments in the text after a statement? */
static bool query_has_more(query *q, const char *tail)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(q->sql, tail, -1, &s, &tail);
	bool found = rc != SQLITE_OK || s;

	sqlite3_finalize(s);
	return found || (*tail && query_has_more(q, tail));
}

/* Does the statement have a parameter?  If so, report a problem.  Nothing sets the parameter, so it would be NULL, and
 * no comparison with NULL is true. */
static bool query_has_parameter(query *q, sqlite3_stmt *s)
{
	int n = sqlite3_bind_parameter_count(s);        /* the number of the last parameter; a plain ? has no name */
	const char *name = n ? sqlite3_bind_parameter_name(s, n) : NULL;

	return n && !notes_problem(q->say, EXIT_WRONG, "the %s has the parameter '%s', which nothing sets; write its "
				   "value", q->what, name ? name : "?");
}

/* Prepare a statement.  NULL after a problem. */
static sqlite3_stmt *query_prepare_statement(query *q, const char *sql)
{
	enum { LONGEST = 128 << 10 };   /* bytes; in a longer statement, common table expressions may be nested deeper
					 * than the stack allows */
	sqlite3_stmt *s = NULL;
	const char *tail;
	int rc;

	if (strlen(sql) > LONGEST) {
		notes_problem(q->say, EXIT_WRONG, "the %s has %zu bytes, more than the limit of %d; shorten it",
			      q->what, strlen(sql), LONGEST);
		return NULL;
	}
	q->refused = NULL;
	q->function_refused = false;
	sqlite3_set_authorizer(q->sql, query_authorize, q);
	rc = sqlite3_prepare_v2(q->sql, sql, -1, &s, &tail);
	if (rc != SQLITE_OK)
		query_report_mistake(q, sql);
	else if (!s)
		notes_problem(q->say, EXIT_WRONG, "the %s is empty; write a SELECT", q->what);
	else if (!sqlite3_column_count(s) || (!sqlite3_stmt_readonly(s) && !sqlite3_stmt_isexplain(s)))
		query_refuse(q, sql);
	else if (query_has_more(q, tail))
		notes_problem(q->say, EXIT_WRONG, "the %s is several statements, the second '%s'; write one", q->what,
			      tail + strspn(tail, " \t\r\n;"));
	else if (!query_has_parameter(q, s))
		return s;
	sqlite3_finalize(s);
	return NULL;
}

bool query_check(query *q, const char *sql)
{
	sqlite3_stmt *s = query_prepare_statement(q, sql);

	sqlite3_finalize(s);
	return s;
}

/* ---- rows as a table */

static uint32_t query_name_id(query *q, str_pool *pool, const char *name)
{
	char *lower = arena_copy(&q->texts, name);

	for (char *p = lower; *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return str_id(pool, lower, strlen(lower));
}

/* Add the columns of the result.  A name that repeats an earlier one gets a number at its end, as in SQLite. */
static void query_add_columns(query *q, sqlite3_stmt *s, table *out)
{
	str_pool met = { 0 };           /* names in lower case */
	vec(size_t) others = { 0 };     /* for each name in `met`: the last number that was put at its end to make a new
					 * name of it */
	const char *numbered = NULL;

	for (int i = 0; i < sqlite3_column_count(s); i++) {
		const char *name = sqlite3_column_name(s, i), *own = name;
		uint32_t first = query_name_id(q, &met, name), id = first;
		while (id < others.n) {
			own = arena_printf(&q->texts, "%s:%zu", name, ++others.v[first]);
			id = query_name_id(q, &met, own);
		}
		vec_push(&others, 0);
		numbered = numbered || own == name ? numbered : own;
		read_table_add_column(out, table_keep(out, own), 'i');
	}
	if (numbered)
		notes_remark(q->say, "the result has columns of the same name, so one is called '%s'; name them "
			     "with AS", numbered);
	str_free(&met);
	vec_free(&others);
}

static const char *query_real_text(table *out, double v)
{
	char buf[40];

	if (isinf(v))           /* infinity is written as 9e999, a number that is too large in every language */
		return v < 0 ? "-9e999" : "9e999";
	snprintf(buf, sizeof buf, "%.15g", v);
	return table_keep(out, buf);
}

/* Convert a cell to a wider type (table_col.type): 'd' (two decimals) and 'n' (a number kept as text) are wider than
 * 'i' (integer), and 't' (text) is the widest. */
static table_cell query_widen_cell(table *out, table_cell c, char from, char to)
{
	char buf[400];

	if (from == 'i' && c.i == TABLE_MISSING)
		return to == 'd' ? (table_cell){ .d = NAN } : (table_cell){ .t = NULL };
	if (from == 'i' && to == 'd')
		return (table_cell){ .d = (double)c.i };
	if (from == 'i')
		snprintf(buf, sizeof buf, "%lld", (long long)c.i);
	else if (from == 'd' && !isnan(c.d))
		snprintf(buf, sizeof buf, "%.2f", c.d);
	else
		return from == 'd' ? (table_cell){ .t = NULL } : c;
	return (table_cell){ .t = table_keep(out, buf) };
}

/* Convert a column to a wider type, because it gets a value of that type. */
static void query_widen_column(table *out, size_t col, char to)
{
	char from = out->cols.v[col].type;

	for (size_t i = col; i < out->cells.n; i += out->cols.n)
		out->cells.v[i] = query_widen_cell(out, out->cells.v[i], from, to);
	out->blank.v[col] = query_widen_cell(out, out->blank.v[col], from, to);
	out->cols.v[col].type = to;
}

/* The type (table_col.type) that a column needs to hold a value of this type of SQLite. */
static char query_find_type(const table_col *c, int value_type)
{
	bool rounded = c->unit && (strcmp(c->unit, "%") == 0 || strcmp(c->unit, "GB/s") == 0);

	if (value_type == SQLITE_NULL || c->type == 't')
		return c->type;
	if (value_type == SQLITE_TEXT || value_type == SQLITE_BLOB)
		return 't';
	return value_type == SQLITE_FLOAT && c->type == 'i' ? rounded ? 'd' : 'n' : c->type;
}

/* The SQL literal of a blob, or of a text that contains a NUL: x'...' in hexadecimal. */
static const char *query_hex_text(table *out, const unsigned char *bytes, size_t n)
{
	char *buf = mem_new(char, 2 * n + 4), *p = buf;
	const char *kept;

	p += sprintf(p, "x'");
	for (size_t i = 0; i < n; i++)
		p += sprintf(p, "%02x", bytes[i]);
	strcpy(p, "'");
	kept = table_keep(out, buf);
	free(buf);
	return kept;
}

static const char *query_text_of(table *out, sqlite3_stmt *s, int col)
{
	const char *text = sqlite3_column_type(s, col) == SQLITE_BLOB ? NULL :
		(const char *)sqlite3_column_text(s, col);
	size_t n = (size_t)sqlite3_column_bytes(s, col);

	if (text && strlen(text) == n)
		return table_keep(out, text);
	return query_hex_text(out, sqlite3_column_blob(s, col), n);
}

enum { TEXT_COST = 40 };        /* bytes that a text takes in the table besides its own */

/* Store a cell.  Returns how many bytes its text adds to the table; 0 if the table has the same text already. */
static int64_t query_store_cell(table *out, sqlite3_stmt *s, size_t col)
{
	size_t texts = out->texts.n;
	int value_type = sqlite3_column_type(s, (int)col);
	char type = query_find_type(&out->cols.v[col], value_type);
	table_cell *to;

	if (type != out->cols.v[col].type)
		query_widen_column(out, col, type);
	to = &out->cells.v[out->cells.n - out->cols.n + col];
	if (value_type == SQLITE_NULL)
		return 0;
	if (type == 'i')
		to->i = sqlite3_column_int64(s, (int)col);
	else if (type == 'd')
		to->d = sqlite3_column_double(s, (int)col);
	else if (value_type == SQLITE_FLOAT)
		to->t = query_real_text(out, sqlite3_column_double(s, (int)col));
	else
		to->t = query_text_of(out, s, (int)col);
	return out->texts.n > texts ? (int64_t)out->texts.len[texts] + TEXT_COST : 0;
}

/* May the result grow by one more row?  `texts`: the bytes of its texts.  False after a problem. */
static bool query_has_room(query *q, const table *out, int64_t texts)
{
	if (q->max_rows && (int64_t)table_rows(out) >= q->max_rows)
		return notes_problem(q->say, EXIT_FAILED, "the %s finds more than %lld rows; ask for fewer, or allow "
				     "more with --max-rows", q->what, (long long)q->max_rows);
	/* factor 3, because a growing array is copied to one of twice its size */
	if ((int64_t)((out->cells.n + out->cols.n) * sizeof *out->cells.v * 3) + texts > q->memory)
		return notes_problem(q->say, EXIT_FAILED, "out of memory: the %s finds more than %zu rows, which take "
				     "half of the memory of this machine; ask for fewer", q->what, table_rows(out));
	return true;
}

bool query_run(query *q, const char *sql, table *out)
{
	sqlite3_stmt *s = query_prepare_statement(q, sql);
	bool explained = false;         /* has loading a table, or query_has_room, reported a problem? */
	int64_t texts = 0;
	int rc;

	if (!s)
		return false;
	out->given_order = true;
	query_add_columns(q, s, out);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		if (!query_has_room(q, out, texts)) {
			explained = true;
			break;
		}
		table_row(out);
		for (size_t i = 0; i < out->cols.n; i++)
			texts += query_store_cell(out, s, i);
	}
	table_group(out);
	for (size_t i = 0; i < q->tables.n; i++)
		explained |= q->tables.v[i]->failed;
	if (rc != SQLITE_DONE && !explained)
		query_report_mistake(q, sql);
	sqlite3_finalize(s);
	return rc == SQLITE_DONE;
}
