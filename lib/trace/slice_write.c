#include "trace/slice_parts.h"
#include "base/text.h"
#include "base/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- running statements */

/* If rc, a result of SQLite, is not SQLITE_OK, report the error and set x->ok to false. */
static void slice_write_check_code(slice_ctx *x, int rc)
{
	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	if (rc != SQLITE_OK) {
		bool write = rc == SQLITE_FULL || rc == SQLITE_IOERR || rc == SQLITE_READONLY || rc == SQLITE_CANTOPEN;
		int reason = sqlite3_system_errno(x->sql);
		x->ok = false;
		errno = reason ? reason : rc == SQLITE_FULL ? ENOSPC : EIO;
		if (write)
			notes_problem(x->say, EXIT_FAILED, "cannot write '%s':", x->how->path ? x->how->path :
				      "a temporary file");
		else
			db_report_failed_walk(x->t->db, x->sql, rc, "one of its tables");
	}
}

/* An SQL statement with the arguments filled in.  The caller frees it. */
static char *slice_write_format_statement(const char *fmt, va_list ap)
{
	char *q = sqlite3_vmprintf(fmt, ap);

	if (!q)
		mem_exhausted(strlen(fmt), 1);
	return q;
}

/* Run a statement, unless an earlier one has failed. */
static void slice_write_run_sql(slice_ctx *x, const char *fmt, ...)
{
	va_list ap;
	char *q;

	if (!x->ok)
		return;
	va_start(ap, fmt);
	q = slice_write_format_statement(fmt, ap);
	va_end(ap);
	db_begin_walk(x->t->db);
	slice_write_check_code(x, sqlite3_exec(x->sql, q, NULL, NULL, NULL));
	sqlite3_free(q);
}

void slice_each(slice_ctx *x, void (*row)(sqlite3_stmt *s, slice_ctx *x), const char *fmt, ...)
{
	sqlite3_stmt *s = NULL;
	va_list ap;
	char *q;
	int rc;

	if (!x->ok)
		return;
	va_start(ap, fmt);
	q = slice_write_format_statement(fmt, ap);
	va_end(ap);
	db_begin_walk(x->t->db);
	rc = sqlite3_prepare_v2(x->sql, q, -1, &s, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW || !db_walk_count_row(x->t->db, s))
			break;
		row(s, x);
	}
	if (rc != SQLITE_DONE) {
		x->ok = false;
		db_report_failed_walk(x->t->db, x->sql, rc, "one of its tables");
	}
	sqlite3_finalize(s);
	sqlite3_free(q);
}

/* The SQL expression for a column of a table of the trace.  `names` is the name of the column, or several to choose
 * from; if the table has none of them, the expression is NULL. */
static const char *slice_write_column_expression(slice_ctx *x, const db_table *t, const char *names)
{
	int c = db_column(t, names);
	char *q = c < 0 ? NULL : sqlite3_mprintf("s.\"%w\"", t->columns[c]);
	const char *text = q ? arena_copy(&x->texts, q) : "NULL";

	sqlite3_free(q);
	return text;
}

/* The SQL condition that the kept rows of a table meet, if the rows are not chosen one by one. */
static const char *slice_write_make_condition(slice_ctx *x, const db_table *t, const slice_table *listed)
{
	const char *rows = listed->rows;

	if (strcmp(rows, "named") == 0)
		return arena_printf(&x->texts, "slice_named('%s', %s, %s) NOT NULL", t->name,
				    slice_write_column_expression(x, t, "name"),
				    slice_write_column_expression(x, t, "value"));
	if (strcmp(rows, "enum") == 0)
		return arena_printf(
			&x->texts, "slice_enum('%s', %s, %s, %s)", t->name, slice_write_column_expression(x, t, "id"),
			slice_write_column_expression(x, t, "name"), slice_write_column_expression(x, t, "label"));
	if (strncmp(rows, "keep ", 5) == 0)
		return slice_list_is_kept(rows + 5, x->how->keep) ? "1" : "0";
	if (strcmp(rows, "domain") == 0)
		return x->has_nvtx ? "s.domainId IN (SELECT domainId FROM main.NVTX_EVENTS)" : "0";
	if (strcmp(rows, "type") == 0)
		return x->has_metrics ? "s.typeId IN (SELECT typeId FROM main.GPU_METRICS)" : "0";
	return "1";
}

static void slice_write_take_chain(sqlite3_stmt *s, slice_ctx *x)
{
	dict_key(&x->chains, sqlite3_column_int64(s, 0));
}

/* Set x->chains to the call chains that are kept.  listed->rows is "chain TABLE.COLUMN"; this column has the ids of
 * the chains in the slice. */
static void slice_write_find_chains(slice_ctx *x, const slice_table *listed)
{
	const char *dot = strchr(listed->rows, '.'), *table = listed->rows + strlen("chain ");
	const db_table *t = db_find(x->t->db, arena_text(&x->texts, table, (size_t)(dot - table)));

	dict_free(&x->chains);
	if (t && db_column(t, dot + 1) >= 0)
		slice_each(x, slice_write_take_chain, "SELECT DISTINCT \"%w\" FROM main.\"%w\" WHERE \"%w\" NOT NULL",
			   dot + 1, t->name, dot + 1);
}

/* ---- copying tables */

typedef struct {                /* the table that is being copied */
	const db_table *t;
	const slice_table *listed;      /* what share/slice says about it */
	sqlite3_str *into;              /* names of the columns that are written, separated by commas */
	sqlite3_str *from;              /* expressions for their values */
	sqlite3_str *create;            /* their definitions in the CREATE statement */
	const char *left, *unknown;     /* as in slice_part, so far */
	int n;                          /* number of columns that are written */
} slice_write_ctx;

static bool slice_write_omits_values(const slice_column *col)
{
	return col->role && strcmp(col->role, "none") == 0;
}

/* The SQL expression for the values that are written to a column.  `quoted` is the column's name in quotes.  `empty` is
 * an expression for what is written in place of an SQL NULL; if it is a null pointer, the column may hold SQL NULLs. */
static char *slice_write_make_expression(const slice_write_ctx *c, const slice_column *col, const char *quoted,
					 const char *empty)
{
	const char *role = col->role;
	char *value;

	if (!role || strcmp(role, "id") == 0 || strcmp(role, "path") == 0)
		value = sqlite3_mprintf("CASE WHEN typeof(s.%s) IN ('integer', 'real') THEN s.%s END", quoted, quoted);
	else if (slice_write_omits_values(col))
		value = sqlite3_mprintf("NULL");
	else if (text_is_listed_word(role, strlen(role), "key enum"))   /* only rows whose values may be written are
									 * copied (slice_write_make_condition) */
		value = sqlite3_mprintf("s.%s", quoted);
	else if (strcmp(role, "value") == 0)
		value = sqlite3_mprintf("slice_named(%Q, s.name, s.%s)", c->t->name, quoted);
	else
		value = sqlite3_mprintf("slice_text(%Q, s.%s)", role, quoted);
	if (value && empty) {
		char *whole = sqlite3_mprintf("ifnull(%s, %s)", value, empty);
		sqlite3_free(value);
		value = whole;
	}
	if (!value)
		mem_exhausted(strlen(quoted), 1);
	return value;
}

static const char *slice_write_add_word(slice_ctx *x, const char *words, const char *word)
{
	return arena_printf(&x->texts, "%s%s%s", words ? words : "", words ? " " : "", word);
}

/* Take a row of pragma_table_info: name, type, notnull, pk.  The CREATE statement of the slice has only types that are
 * listed here and names that share/slice lists, and no other text of the trace. */
static void slice_write_take_column(sqlite3_stmt *s, slice_ctx *x)
{
	static const char *const types[] = { "TEXT", "REAL", "BLOB", "INTEGER" };
	slice_write_ctx *c = x->copying;
	const char *name = (const char *)sqlite3_column_text(s, 0), *declared = (const char *)sqlite3_column_text(s, 1);
	const slice_column *col = name ? slice_list_find_column(c->listed, name) : NULL;
	bool must = sqlite3_column_int(s, 2);
	char *quoted = sqlite3_mprintf("\"%w\"", col ? col->name : ""), *value;
	int type = 0;

	if (!name || !declared) {
		sqlite3_free(quoted);
		return;
	}
	if (!col || slice_write_omits_values(col))
		c->left = slice_write_add_word(x, c->left, name);
	while (type < 3 && strcmp(types[type], declared) != 0)
		type++;
	if (!col) {
		c->unknown = slice_write_add_word(x, c->unknown, name);
		sqlite3_free(quoted);
		return;
	}
	value = slice_write_make_expression(c, col, quoted, !must ? NULL : type == 0 ? "''" : "0");
	sqlite3_str_appendf(c->into, "%s%s", c->n ? ", " : "", quoted);
	sqlite3_str_appendf(c->from, "%s%s", c->n ? ", " : "", value);
	sqlite3_str_appendf(c->create, "%s%s %s%s%s", c->n ? ", " : "", quoted, types[type], must ? " NOT NULL" : "",
			    type == 3 && sqlite3_column_int(s, 3) == 1 && x->one_key ? " PRIMARY KEY" : "");
	c->n++;
	sqlite3_free(quoted);
	sqlite3_free(value);
}

static void slice_write_take_count(sqlite3_stmt *s, slice_ctx *x)
{
	x->count = sqlite3_column_int64(s, 0);
}

/* Note in temp.used the strings to which the rows of the new table refer, and whether they may be shown whole. */
static void slice_write_mark_strings(slice_ctx *x, const slice_write_ctx *c)
{
	for (size_t i = 0; i < c->listed->columns.n; i++) {
		const slice_column *col = &c->listed->columns.v[i];
		bool id = col->role && strcmp(col->role, "id") == 0, path = col->role && strcmp(col->role, "path") == 0;
		if ((id || path) && db_column(c->t, col->name) >= 0)
			slice_write_run_sql(x,
					    "INSERT INTO temp.used SELECT DISTINCT \"%w\", %d FROM main.\"%w\" WHERE "
					    "typeof(\"%w\") = 'integer' "
					    "ON CONFLICT(id) DO UPDATE SET whole = max(whole, excluded.whole)",
					    col->name, id || x->how->keep & SLICE_PATHS, c->t->name, col->name);
	}
}

static void slice_write_copy_runs(slice_ctx *x, const char *insert, const slice_runs *runs)
{
	sqlite3_stmt *s = NULL;
	int rc = !x->ok ? SQLITE_OK : sqlite3_prepare_v2(x->sql, insert, -1, &s, NULL);

	db_begin_walk(x->t->db);
	for (size_t i = 0; s && rc == SQLITE_OK && i < runs->n; i++) {
		sqlite3_bind_int64(s, 1, runs->v[i].first);
		sqlite3_bind_int64(s, 2, runs->v[i].last);
		sqlite3_step(s);
		rc = sqlite3_reset(s);
	}
	slice_write_check_code(x, rc);
	sqlite3_finalize(s);
}

static void slice_write_copy_rows(slice_ctx *x, const slice_write_ctx *c, const char *into, const char *from)
{
	const char *rows = c->listed->rows;
	const char *insert = arena_printf(&x->texts, "INSERT INTO main.\"%s\" (%s) SELECT %s FROM src.\"%s\" AS s "
					  "WHERE ", c->t->name, into, from, c->t->name);
	slice_runs runs = { 0 };

	x->count = -1;
	if (strncmp(rows, "chain ", 6) == 0)
		slice_write_find_chains(x, c->listed);
	if (slice_rows_are_chosen(x, rows)) {
		runs = slice_rows_choose(x, c->t, rows);
		x->count = runs.rows;
		slice_write_copy_runs(x, arena_printf(&x->texts, "%ss.rowid BETWEEN ?1 AND ?2", insert), &runs);
		vec_free(&runs);
	} else {
		slice_write_run_sql(x, "%s%s", insert, slice_write_make_condition(x, c->t, c->listed));
	}
	slice_write_mark_strings(x, c);
}

/* Can the rows of the table be copied?  They must have row ids if they are chosen one by one.  nsys makes no tables
 * without row ids, but other programs may. */
static bool slice_write_can_choose(const slice_ctx *x, const slice_write_ctx *c)
{
	return !slice_rows_are_chosen(x, c->listed->rows) ||
		sqlite3_table_column_metadata(x->sql, "src", c->t->name, "rowid", NULL, NULL, NULL, NULL, NULL) ==
			SQLITE_OK;
}

static void slice_write_copy_table(slice_ctx *x, const db_table *t, const slice_table *listed)
{
	slice_write_ctx c = {
		t, listed, sqlite3_str_new(NULL), sqlite3_str_new(NULL), sqlite3_str_new(NULL), NULL, NULL, 0
	};
	char *into, *from, *create;

	x->copying = &c;
	slice_each(x, slice_write_take_count, "SELECT count(*) FROM pragma_table_info(%Q, 'src') WHERE pk > 0",
		   t->name);
	x->one_key = x->count == 1;
	slice_each(x, slice_write_take_column,
		   "SELECT name, upper(type), \"notnull\", pk FROM pragma_table_info(%Q, 'src')", t->name);
	into = sqlite3_str_finish(c.into);
	from = sqlite3_str_finish(c.from);
	create = sqlite3_str_finish(c.create);
	if (!c.n || !slice_write_can_choose(x, &c)) {
		x->copying = NULL;
	} else {
		slice_write_run_sql(x, "CREATE TABLE main.\"%w\" (%s)", t->name, create);
		slice_write_copy_rows(x, &c, into, from);
	}
	sqlite3_free(into);
	sqlite3_free(from);
	sqlite3_free(create);
	x->left = c.left;
	x->unknown = c.unknown;
}

/* Add a table to x->made.  kept: has it been copied? */
static void slice_write_count_table(slice_ctx *x, const db_table *t, bool kept)
{
	slice_part p = { .name = arena_copy(&x->made->names, t->name), .kept = -1,
		.left = kept ? arena_copy(&x->made->names, x->left) : NULL,
		.unknown = kept ? arena_copy(&x->made->names, x->unknown) : NULL };

	if (!kept || x->count < 0)
		slice_each(x, slice_write_take_count, "SELECT count(*) FROM (SELECT 1 FROM src.\"%w\" LIMIT -1)",
			   t->name);
	p.rows = x->count;
	if (kept)
		slice_each(x, slice_write_take_count, "SELECT count(*) FROM main.\"%w\"", t->name);
	p.kept = kept ? x->count : -1;
	if (x->ok)
		vec_push(x->made, p);
}

/* Copy the strings that are used.  This comes after all other tables, since they use the strings. */
static void slice_write_copy_strings(slice_ctx *x, const db_table *t)
{
	slice_write_run_sql(x, "CREATE TABLE main.\"%w\" (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)",
			    t->name);
	slice_write_run_sql(
		x,
		"INSERT INTO main.\"%w\" (id, value) SELECT s.id, slice_text(CASE u.whole WHEN 1 THEN 'text' "
		"ELSE 'last' END, s.value) FROM "
		"src.\"%w\" AS s JOIN temp.used AS u ON u.id = s.id WHERE typeof(s.value) = 'text' ORDER BY s.id",
		t->name, t->name);
	x->count = -1;
	x->left = x->unknown = NULL;
	slice_write_count_table(x, t, true);
}

/* Copy the tables.  With `last`, these are the tables whose rows depend on kept events; without it, the others.  The
 * table of strings is in neither. */
static void slice_write_copy_tables(slice_ctx *x, bool last)
{
	const db *d = x->t->db;

	for (int i = 0; i < d->ntables && x->ok; i++) {
		const db_table *t = db_table_at(d, i);
		const slice_table *listed = slice_list_find_table(x->list, t->name);
		bool strings = listed && strcmp(listed->rows, "string") == 0;
		if ((x->k && strcmp(t->name, "NSQ_SLICE") == 0) || strncmp(t->name, "sqlite_", 7) == 0 ||
		    strings || last != (listed && slice_rows_come_last(listed->rows)))
			continue;
		if (listed) {
			slice_write_copy_table(x, t, listed);
			if (!x->copying)
				listed = NULL;  /* it was not copied, because share/slice lists none of its columns or
						 * its rows have no ids */
		}
		slice_write_count_table(x, t, listed);
		x->has_nvtx |= listed && strcmp(t->name, "NVTX_EVENTS") == 0;
		x->has_metrics |= listed && strcmp(t->name, "GPU_METRICS") == 0;
	}
}

/* Write the table NSQ_SLICE: the times of each process for which the slice holds all work (gpu 1) or all events of
 * threads (gpu 0). */
static void slice_write_insert_times(slice_ctx *x)
{
	slice_write_run_sql(x,
			    "CREATE TABLE main.NSQ_SLICE (process INTEGER, gpu INTEGER, start INTEGER, end INTEGER)");
	for (size_t p = 0; p < x->t->nprocs; p++)
		for (int gpu = 0; gpu < 2; gpu++) {
			const ival_set *s = gpu ? &x->k->gpu[p] : &x->k->cpu[p];
			for (size_t i = 0; i < s->n; i++)
				slice_write_run_sql(x, "INSERT INTO main.NSQ_SLICE VALUES (%lld, %d, %lld, %lld)",
						    x->t->procs[p].id, gpu, s->v[i].a, s->v[i].b);
		}
}

static int slice_write_compare_names(const void *a, const void *b)
{
	return strcmp(((const slice_part *)a)->name, ((const slice_part *)b)->name);
}

static void slice_write_fill_file(slice_ctx *x)
{
	const db_table *strings = trace_strings_table(x->t->db);

	slice_write_run_sql(x, "CREATE TEMP TABLE used (id INTEGER PRIMARY KEY, whole INTEGER NOT NULL)");
	slice_write_run_sql(x, "BEGIN");
	slice_prepare(x);
	slice_write_copy_tables(x, false);
	slice_collect_references(x);
	slice_write_copy_tables(x, true);
	if (strings)
		slice_write_copy_strings(x, strings);
	if (x->k)
		slice_write_insert_times(x);
	slice_write_run_sql(x, "COMMIT");
	if (x->made->n)
		qsort(x->made->v, x->made->n, sizeof *x->made->v, slice_write_compare_names);
	if (x->how->list)
		slice_collect_texts(x);
}

/* ---- writing the file */

/* Open a database without a name.  SQLite needs a name to open it; the name is removed right after that, so that
 * nothing is left, whatever happens.  Without a journal, SQLite does not look for the name again.  Returns a descriptor
 * of the file.  -1: a problem; or how->path is NULL, and SQLite uses a temporary file of its own. */
static int slice_write_open_nameless(slice_ctx *x)
{
	const char *beside = x->how->path ? whole_temporary_name(&x->texts, x->how->path) : "", *setup;
	const char *path = strncmp(beside, "file:", 5) == 0 ? arena_printf(&x->texts, "./%s", beside) : beside;
	ending_file unfinished = { .path = path };
	int fd = !*path ? -1 : open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (*path && fd < 0) {
		x->ok = notes_problem(x->say, EXIT_FAILED, "cannot write '%s':", x->how->path);
		return -1;
	}
	if (*path)
		ending_push(&unfinished);
	x->ok = allowed_open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, ALLOWED_ADD,
			     &x->sql) == SQLITE_OK;
	allowed_unrestrict(x->sql);
	setup = arena_printf(&x->texts, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = "
			     "EXCLUSIVE; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; "
			     "PRAGMA application_id = %d",
			     WHOLE_SLICE_ID);
	x->ok = x->ok && sqlite3_exec(x->sql, setup, NULL, NULL, NULL) == SQLITE_OK;
	if (*path) {
		unlink(path);
		ending_pop(&unfinished);
	}
	if (!x->ok)
		notes_problem(x->say, EXIT_FAILED, "cannot write '%s': %s", *path ? x->how->path : "a temporary file",
			      sqlite3_errmsg(x->sql));
	return fd;
}

/* Flush the folder of a file, so that the file's name is on the disk, too.  If the folder cannot be opened, or its file
 * system cannot flush folders, this is no problem. */
static bool slice_write_sync_folder(const char *path, notes *say)
{
	arena texts = { 0 };
	int fd = open(text_folder(&texts, path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd < 0 || fsync(fd) == 0 || errno != EIO ||
		notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);

	if (fd >= 0)
		close(fd);
	arena_free(&texts);
	return ok;
}

/* Copy the finished database, which is open as fd, to how->path.  Like every file that nsq writes (whole_file.h), the
 * copy is on the disk before it has its name. */
static bool slice_write_put_in_place(const slice_ctx *x, int fd)
{
	enum { SIZE = 1 << 16 };
	char *buf;
	whole_file w;
	ssize_t n = 0;

	if (!whole_begin(&w, x->how->path, x->how->replace ? WHOLE_SLICES : WHOLE_NEVER, x->say))
		return false;
	buf = mem_new(char, SIZE);
	for (off_t at = 0; (n = pread(fd, buf, SIZE, at)) > 0; at += n)
		fwrite(buf, 1, (size_t)n, w.to);
	free(buf);
	if ((n < 0 || fflush(w.to) != 0 || fsync(w.fd) != 0) && !w.reason)
		w.reason = errno;
	return whole_end(&w) && slice_write_sync_folder(x->how->path, x->say);
}

/* May a slice be written to how->path?  With how->replace, an older slice there may be replaced, unless it is the trace
 * itself, under whatever name. */
static bool slice_write_may_write(const trace *t, const slice_how *how, notes *say)
{
	struct stat st;

	if (!whole_may_write(how->path, how->replace ? WHOLE_SLICES : WHOLE_NEVER, say))
		return false;
	return stat(how->path, &st) < 0 || st.st_dev != t->db->state.device || st.st_ino != t->db->state.inode ||
		notes_problem(say, EXIT_WRONG, "'%s' is the trace itself, which is never replaced; name another file",
			      how->path);
}

bool slice_write(trace *t, slice_keep *k, const slice_how *how, slice_made *made, notes *say)
{
	slice_ctx x = { .t = t, .k = k, .how = how, .made = made, .say = say, .list = slice_list_read() };
	int fd = -1;

	x.ok = !how->path || slice_write_may_write(t, how, say);
	if (x.ok)
		fd = slice_write_open_nameless(&x);
	if (x.ok && !db_attach(t->db, x.sql, "src", ALLOWED_ADD))
		x.ok = notes_problem(say, EXIT_FAILED, "cannot read '%s' again: %s", t->path, sqlite3_errmsg(x.sql));
	if (x.ok) {
		db_limit_walks(t->db, x.sql);
		slice_write_fill_file(&x);
	}
	slice_parts_free(&x);
	sqlite3_close(x.sql);
	if (x.ok && how->path)
		x.ok = db_unchanged(t->db) && slice_write_put_in_place(&x, fd);
	if (fd >= 0)
		close(fd);
	slice_list_free(x.list);
	arena_free(&x.texts);
	return x.ok;
}

void slice_made_free(slice_made *m)
{
	mem_free(m->v, m->texts.v, m->secrets.v);
	arena_free(&m->names);
}
