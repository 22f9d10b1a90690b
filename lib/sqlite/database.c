#include "sqlite/database.h"
#include "base/folders.h"
#include "base/memory.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 100 };      /* bytes in the header of a SQLite file */

static bool database_is_sqlite(const unsigned char *head, ssize_t n)
{
	return n >= HEAD && memcmp(head, "SQLite format 3", 16) == 0;
}

/* The size of the file by its header; 0: the last writer did not set that field. */
static int64_t database_stated_size(const unsigned char head[HEAD])
{
	return page_get4(head + 24) != page_get4(head + 92) ? 0 : page_get4(head + 28) * (int64_t)page_size_in(head);
}

/* Is the path the name of an open descriptor, such as /dev/fd/3? */
static bool database_is_descriptor(const char *path)
{
	return strcmp(path, "/dev/stdin") == 0 || strncmp(path, "/dev/fd/", 8) == 0;
}

/* Read the header of a regular file.  Returns the number of bytes read, or -1 after a problem.  *bytes gets the size of
 * the file.  The file is opened without blocking, so that a FIFO is refused instead of waited for. */
static ssize_t database_read_head(const char *path, unsigned char head[HEAD], int64_t *bytes, notes *say)
{
	struct stat st;
	ssize_t n = -1;
	int fd = folders_open(path);

	if (fd < 0 || fstat(fd, &st) < 0)
		notes_problem(say, EXIT_FAILED, "cannot open '%s':", path);
	else if (S_ISDIR(st.st_mode))
		notes_problem(say, EXIT_FAILED, "'%s' is a directory; name the .sqlite file in it", path);
	else if (!S_ISREG(st.st_mode) || database_is_descriptor(path))
		notes_problem(say, EXIT_FAILED, "'%s' is not a plain file; a trace cannot be read from a pipe or "
			      "device, save it to a file first", path);
	else if ((n = pread(fd, head, HEAD, 0)) < 0)
		notes_problem(say, EXIT_FAILED, "cannot read '%s':", path);
	else
		*bytes = st.st_size;
	if (fd >= 0)
		close(fd);
	return n;
}

/* Does the file begin like a table of windows, which a user may have given in place of a trace? */
static bool database_is_window_table(const char *path)
{
	char line[4096] = "";
	FILE *f = folders_file(path);

	if (f && !fgets(line, sizeof line, f))
		*line = 0;
	if (f)
		fclose(f);
	return strncmp(line, "pid\t", 4) == 0 || (*line != '{' && strstr(line, "start_ns") && strstr(line, "end_ns"));
}

/* Is this a complete SQLite database in a regular file?  False after a problem, which says what is wrong.  *bytes gets
 * the size of the file. */
static bool database_check_file(const char *path, int64_t *bytes, notes *say)
{
	unsigned char head[HEAD];
	ssize_t n = database_read_head(path, head, bytes, say);

	if (n < 0)
		return false;
	if (n == 0)
		return notes_problem(say, EXIT_FAILED, "'%s' is empty; export the report again with "
				     "nsys export --type sqlite", path);
	if (!database_is_sqlite(head, n) && database_is_window_table(path))
		return notes_problem(say, EXIT_WRONG, "'%s' is a table, not a trace; give it with -w", path);
	if (!database_is_sqlite(head, n))
		return notes_problem(say, EXIT_FAILED, "'%s' is not a SQLite file; make one with "
				     "nsys export --type sqlite REPORT.nsys-rep", path);
	if (*bytes < database_stated_size(head))
		return notes_problem(say, EXIT_FAILED, "'%s' is truncated to %lld of %lld bytes; copy or "
				     "export it again", path, (long long)*bytes, (long long)database_stated_size(head));
	return true;
}

/* The size of the regular file that SQLite may keep beside the trace, named by its path and the suffix; 0: it cannot be
 * read, or has fewer than 8 bytes.  `head` gets its first 8 bytes. */
static int64_t database_size_beside(const char *path, const char *suffix, unsigned char head[8])
{
	arena names = { 0 };
	struct stat st;
	int64_t size = 0;
	int fd = folders_open(arena_printf(&names, "%s%s", path, suffix));

	arena_free(&names);
	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && pread(fd, head, 8, 0) == 8)
		size = st.st_size;
	close(fd);
	return size;
}

/* Is a rollback journal with a header beside the file?  If so, a writer stopped halfway or is still writing.  Only a
 * rollback would make the file consistent, and a rollback writes. */
static bool database_is_half_written(const char *file)
{
	static const unsigned char magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	unsigned char head[8];

	return database_size_beside(file, "-journal", head) && memcmp(head, magic, 8) == 0;
}

bool db_is_whole(const char *path)
{
	int64_t bytes;

	return database_check_file(path, &bytes, NULL) && !database_is_half_written(path);
}

/* The size of the write-ahead log; 0: there is none, or it has no frames.  A log consists of a header of 32 bytes,
 * which begins with this magic number, and of frames. */
static int64_t database_wal_size(const char *file)
{
	unsigned char head[8];
	int64_t size = database_size_beside(file, "-wal", head);

	return size > 32 && page_get4(head) >> 1 == 0x377f0682u >> 1 ? size : 0;
}

static int64_t database_nanoseconds(struct timespec t)
{
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Get the current state of the file.  False after a problem. */
static bool database_state_of(const db *d, db_state *s)
{
	const char *file = d->real;
	unsigned char head[HEAD] = { 0 };
	arena names = { 0 };
	struct stat st;
	int fd = folders_open(file);
	bool ok = fd >= 0 && fstat(fd, &st) == 0 && pread(fd, head, HEAD, 0) >= 0;

	if (!ok)
		notes_problem(d->say, EXIT_FAILED, "cannot read '%s':", d->path);
	if (ok)
		*s = (db_state){ .device = st.st_dev, .inode = st.st_ino, .size = st.st_size,
			.time_ns = database_nanoseconds(st.st_mtim), .change_ns = database_nanoseconds(st.st_ctim),
			.counter = page_get4(head + 24), .half_written = database_is_half_written(file) };
	if (ok && folders_stat(arena_printf(&names, "%s-wal", file), &st) == 0 &&
	    (s->log_size = database_wal_size(file)))
		s->log_time_ns = database_nanoseconds(
			st.st_mtim); /* not ctime: SQLite, when run as root, changes it by setting the owner */
	if (fd >= 0)
		close(fd);
	arena_free(&names);
	return ok;
}

bool db_unchanged(const db *d)
{
	db_state a = d->state, b;

	if (!database_state_of(d, &b))
		return false;
	return (a.device == b.device && a.inode == b.inode && a.size == b.size && a.time_ns == b.time_ns &&
		a.change_ns == b.change_ns && a.counter == b.counter && a.log_size == b.log_size &&
		a.log_time_ns == b.log_time_ns && a.half_written == b.half_written) ||
		notes_problem(d->say, EXIT_FAILED, "'%s' changed while it was read, so there is no answer; wait for "
			      "its writer and run the command again", d->path);
}

/* The file's name for SQLite, as a URI.  With immutable=1, SQLite takes no lock, looks for no journal or write-ahead
 * log, and creates no file.  A database with a log cannot be read in this way.  Its URI names the VFS without locks
 * instead (unix-none), and database_index_log_in_memory keeps SQLite from creating a file for its index of the log. */
static const char *database_uri_of(arena *texts, const char *path, bool wal)
{
	char *buf = mem_new(char, strlen(path) * 3 + 64), *p = buf;
	const char *uri;

	p += sprintf(p, *path == '/' ? "file://" : "file:");
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;
		if (isalnum(c) || strchr("/._-", c))
			*p++ = (char)c;
		else
			p += sprintf(p, "%%%02X", c);
	}
	strcpy(p, wal ? "?vfs=unix-none" : "?immutable=1");
	uri = arena_copy(texts, buf);
	free(buf);
	return uri;
}

static void database_add_table(sqlite3_stmt *s, void *ctx)
{
	db *d = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 0);

	if (!name)
		return;
	d->tables = mem_grow(d->tables, (size_t)d->ntables + 1, sizeof *d->tables);
	d->tables[d->ntables++] = (db_table){ .name = arena_copy(&d->texts, name), .key = -1,
		.root = (uint32_t)sqlite3_column_int64(s, 1) };
}

static void database_add_column(sqlite3_stmt *s, void *ctx)
{
	db_table *t = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 1);
	const char *type = (const char *)sqlite3_column_text(s, 2);

	if (!name)
		return;
	/* only SQLite knows these values: the default of a column added after some rows were written, and the value of
	 * a generated column, which is not stored */
	if (sqlite3_column_type(s, 4) != SQLITE_NULL || sqlite3_column_int(s, 6))
		t->root = 0;
	if (sqlite3_column_int(s, 6) == 1)
		return;         /* a hidden column */
	if (sqlite3_column_int(s, 5) == 1)
		t->key = type && sqlite3_stricmp(type, "INTEGER") == 0 && t->key == -1 ? t->ncolumns : -2;
	else if (sqlite3_column_int(s, 5) > 1)
		t->key = -2;    /* a key of several columns, which is not the row id */
	t->columns = mem_grow(t->columns, (size_t)t->ncolumns + 1, sizeof *t->columns);
	t->columns[t->ncolumns++] = arena_copy(&t->texts, name);
}

/* ---- the limit of a walk */

/* Limits in steps of SQLite's virtual machine. */
enum {
	STEPS_PER_BYTE = 16,    /* allowed for each byte of the file and its log; copying rows takes fewer than 8 */
	STEPS_ALWAYS = 1000000, /* allowed in addition, whatever the size of the file */
	STEPS_PER_CHECK = 1000, /* SQLite takes so many steps between two checks */
	STEPS_PER_TEXT_BYTE = 4 /* a byte of a text that is read counts as so many steps */
};

static int database_spend_steps(void *left)
{
	*(int64_t *)left -= STEPS_PER_CHECK;
	return *(int64_t *)left < 0;    /* true interrupts the query */
}

void db_limit_walks(const db *d, sqlite3 *sql)
{
	sqlite3_progress_handler(sql, STEPS_PER_CHECK, database_spend_steps, d->steps);
}

void db_begin_walk(const db *d)
{
	*d->steps = (d->state.size + d->state.log_size) * STEPS_PER_BYTE + STEPS_ALWAYS;
}

bool db_walk_count_texts(const db *d, int64_t bytes)
{
	*d->steps -= bytes * STEPS_PER_TEXT_BYTE;
	return *d->steps >= 0;
}

bool db_walk_count_row(const db *d, sqlite3_stmt *s)
{
	int64_t bytes = 0;

	for (int i = 0; i < sqlite3_data_count(s); i++) {
		int type = sqlite3_column_type(s, i);
		bytes += type == SQLITE_TEXT || type == SQLITE_BLOB ? sqlite3_column_bytes(s, i) : 0;
	}
	return db_walk_count_texts(d, bytes);
}

void db_report_failed_walk(const db *d, sqlite3 *sql, int rc, const char *table)
{
	db_report_damage(d, table,
		   rc == SQLITE_INTERRUPT || rc == SQLITE_ROW ? "it has more rows than fit in the file" :
								sqlite3_errmsg(sql));
}

/* ---- connections */

/* If there is a write-ahead log, make SQLite keep its index of the log in memory instead of in a file. */
static int database_index_log_in_memory(const db *d, sqlite3 *sql)
{
	return d->wal ? sqlite3_exec(sql, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL) : SQLITE_OK;
}

static sqlite3 *database_connect_to(const db *d)
{
	sqlite3 *sql = NULL;
	int rc = allowed_open(d->uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, ALLOWED_READ,
			      &sql);

	if (rc == SQLITE_OK) {
		db_limit_walks(d, sql);
		allowed_unrestrict(sql);
		rc = database_index_log_in_memory(d, sql);
		allowed_restrict(sql, ALLOWED_READ);
	}
	if (rc == SQLITE_OK)
		return sql;
	sqlite3_close(sql);
	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	return NULL;
}

const char *db_first(const char *path, const char *query, arena *texts)
{
	int64_t left;
	struct stat st;
	db d = { .uri = database_uri_of(texts, path, false), .steps = &left,
		.state.size = folders_stat(path, &st) == 0 ? st.st_size : 0 };
	sqlite3 *sql = database_connect_to(&d);
	sqlite3_stmt *s = NULL;
	const char *found = NULL;

	db_begin_walk(&d);
	if (sql && sqlite3_prepare_v2(sql, query, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW)
		found = arena_copy(texts, (const char *)sqlite3_column_text(s, 0));
	sqlite3_finalize(s);
	sqlite3_close(sql);
	return found;
}

bool db_attach(const db *d, sqlite3 *to, const char *as, enum allowed_use use)
{
	char *attach = sqlite3_mprintf("ATTACH '%q&mode=ro' AS \"%w\"", d->uri, as);
	int rc = attach ? SQLITE_OK : SQLITE_NOMEM;

	allowed_unrestrict(to);
	db_limit_walks(d, to);
	db_begin_walk(d);
	if (rc == SQLITE_OK)
		rc = database_index_log_in_memory(d, to);
	if (rc == SQLITE_OK)            /* this reads the schema, and with it the log */
		rc = sqlite3_exec(to, attach, NULL, NULL, NULL);
	sqlite3_progress_handler(to, 0, NULL, NULL);
	allowed_restrict(to, use);
	sqlite3_free(attach);
	if (rc == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	return rc == SQLITE_OK;
}

static char *database_format(const char *fmt, va_list ap)
{
	char *q = sqlite3_vmprintf(fmt, ap);

	if (!q)
		mem_exhausted(strlen(fmt), 1);
	return q;
}

char *db_format_query(const char *fmt, ...)
{
	va_list ap;
	char *q;

	va_start(ap, fmt);
	q = database_format(fmt, ap);
	va_end(ap);
	return q;
}

void db_lock(const db *d)
{
	sqlite3_mutex_enter(sqlite3_db_mutex(d->sql));
}

void db_unlock(const db *d)
{
	sqlite3_mutex_leave(sqlite3_db_mutex(d->sql));
}

void db_report_damage(const db *d, const char *table, const char *reason)
{
	if (sqlite3_errcode(d->sql) == SQLITE_NOMEM)
		mem_exhausted(1, 1);
	db_lock(d);
	notes_problem(d->say, EXIT_FAILED, "cannot read %s of '%s': %s; export the report again", table,
		      d->path, reason);
	db_unlock(d);
}

bool db_each(const db *d, void (*row)(sqlite3_stmt *s, void *ctx), void *ctx, const char *fmt, ...)
{
	sqlite3_stmt *s = NULL;
	va_list ap;
	char *query;
	int rc;

	va_start(ap, fmt);
	query = database_format(fmt, ap);
	va_end(ap);
	db_lock(d);
	db_begin_walk(d);
	rc = sqlite3_prepare_v2(d->sql, query, -1, &s, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW || !db_walk_count_row(d, s))
			break;
		row(s, ctx);
	}
	if (rc != SQLITE_DONE)
		db_report_failed_walk(d, d->sql, rc, "the schema or a table");
	sqlite3_finalize(s);
	db_unlock(d);
	sqlite3_free(query);
	return rc == SQLITE_DONE;
}

static void database_drop_indexed_key(sqlite3_stmt *s, void *ctx)
{
	const char *origin = (const char *)sqlite3_column_text(s, 3);

	if (origin && strcmp(origin, "pk") == 0)
		((db_table *)ctx)->key = -1;
}

static bool database_list_tables(db *d)
{
	/* no views or virtual tables, because reading one runs code that may never end, and nsys creates none */
	return db_each(d, database_add_table, d, "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND "
		       "rootpage > 0 AND name NOT LIKE 'sqlite\\_%%' ESCAPE '\\' ORDER BY name");
}

const db_table *db_table_at(const db *d, int i)
{
	db_table *t = &d->tables[i];
	bool ok;

	if (__atomic_load_n(&t->known, __ATOMIC_ACQUIRE))
		return t;
	db_lock(d);
	if (!t->known) {
		ok = db_each(d, database_add_column, t, "PRAGMA table_xinfo(%Q)", t->name);
		/* INTEGER PRIMARY KEY DESC is not the row id; it has an index of its own */
		if (ok && t->key >= 0)
			db_each(d, database_drop_indexed_key, t, "PRAGMA index_list(%Q)", t->name);
		__atomic_store_n(&t->known, true, __ATOMIC_RELEASE);
	}
	db_unlock(d);
	return t;
}

/* Connect SQLite to the file and list its tables.  If there is no write-ahead log, map the file's pages, too.  False
 * after a problem. */
static bool database_read_schema(db *d)
{
	if (d->state.half_written)
		return notes_problem(d->say, EXIT_FAILED, "'%s' is half written, as '%s-journal' shows; wait "
				     "for its writer, or export it again", d->path, d->path);
	d->wal = d->state.log_size > 0;
	d->uri = database_uri_of(&d->texts, d->real, d->wal);
	d->sql = database_connect_to(d);
	if (!d->sql)
		return notes_problem(d->say, EXIT_FAILED, "cannot open '%s' as a SQLite file", d->path);
	if (!database_list_tables(d))
		return false;
	d->file = d->wal ? NULL : page_open(d->path);
	return true;
}

db *db_open(const char *path, notes *say)
{
	db *d;
	char *file;      /* the path without symbolic links: SQLite follows links before it looks for a journal or a log
			  * beside the file */
	int64_t bytes;

	if (!database_check_file(path, &bytes, say))
		return NULL;
	file = realpath(path, NULL);
	if (!file) {
		notes_problem(say, EXIT_FAILED, "cannot open '%s':", path);
		return NULL;
	}
	d = mem_new(db, 1);
	d->say = say;
	d->steps = mem_new(int64_t, 1);
	d->path = arena_copy(&d->texts, path);
	d->real = arena_copy(&d->texts, file);
	free(file);
	if (database_state_of(d, &d->state) && database_read_schema(d))
		return d;
	db_close(d);
	return NULL;
}

void db_close(db *d)
{
	for (int i = 0; i < d->ntables; i++) {
		free(d->tables[i].columns);
		arena_free(&d->tables[i].texts);
	}
	free(d->tables);
	sqlite3_close(d->sql);
	if (d->file)
		page_close(d->file);
	arena_free(&d->texts);
	mem_free(d->steps, d);
}

static bool database_is_variant(const char *name, const char *base)
{
	size_t n = strlen(base);

	return strncmp(name, base, n) == 0 && strncmp(name + n, "_V", 2) == 0 && name[n + 2] &&
		strspn(name + n + 2, "0123456789") == strlen(name + n + 2);
}

const db_table *db_find(const db *d, const char *name)
{
	const char *best = NULL;
	int found = -1;

	for (int i = 0; i < d->ntables; i++) {
		const char *have = d->tables[i].name;
		if (strcmp(have, name) == 0)
			return db_table_at(d, i);
		if (database_is_variant(have, name) && (!best || strlen(have) > strlen(best) ||
		    (strlen(have) == strlen(best) && strcmp(have, best) > 0))) {
			best = have;
			found = i;
		}
	}
	return found < 0 ? NULL : db_table_at(d, found);
}

int db_column(const db_table *t, const char *names)
{
	for (const char *p = names; *p; p += strcspn(p, "|"), p += *p == '|') {
		size_t n = strcspn(p, "|");
		for (int i = 0; i < t->ncolumns; i++)
			if (strlen(t->columns[i]) == n && sqlite3_strnicmp(t->columns[i], p, (int)n) == 0)
				return i;
	}
	return -1;
}

const db_table *db_find_with(const db *d, const char *name, const char *columns)
{
	const db_table *t = db_find(d, name);

	for (char one[100]; t && *columns; columns += strspn(columns, " ")) {
		size_t n = strcspn(columns, " ");
		snprintf(one, sizeof one, "%.*s", (int)n, columns);
		t = db_column(t, one) < 0 ? NULL : t;
		columns += n;
	}
	return t;
}
