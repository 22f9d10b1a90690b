#include "sqlite/database.h"
#include "cli/errors.h"
#include "base/memory.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEAD = 100 };      /* bytes of the header of a SQLite file */

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool is_sqlite(const unsigned char *head, ssize_t n)
{
	return n >= HEAD && memcmp(head, "SQLite format 3", 16) == 0;
}

/* The size that the header states; it holds only if it was written with the last change, else 0. */
static int64_t stated_size(const unsigned char head[HEAD])
{
	int64_t page = head[16] << 8 | head[17];

	return big_endian(head + 24) != big_endian(head + 92) ? 0 :
		big_endian(head + 28) * (page == 1 ? 65536 : page);
}

/* Is it a whole SQLite database in a plain file?  If not, say what it is.  Opening without
 * waiting keeps a FIFO from hanging us before we see that it is one. */
static bool plausible(const char *path, int64_t *bytes)
{
	unsigned char head[HEAD];
	struct stat st;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0) {
		complain(EXIT_FAILED, "cannot open '%s':", path);
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode) || strncmp(path, "/dev/", 5) == 0) {   /* /dev/stdin, whatever it is this time */
		complain(EXIT_FAILED, S_ISDIR(st.st_mode) ?
			 "'%s' is a directory; name the .sqlite file in it" :
			 "'%s' is not a plain file; a trace cannot be read from a pipe or device, "
			 "save it to a file first", path);
		close(fd);
		return false;
	}
	n = pread(fd, head, sizeof head, 0);
	if (n < 0)
		complain(EXIT_FAILED, "cannot read '%s':", path);
	close(fd);
	if (n < 0)
		return false;
	if (n == 0) {
		complain(EXIT_FAILED, "'%s' is empty; export the report again with "
			 "nsys export --type sqlite", path);
		return false;
	}
	if (!is_sqlite(head, n)) {
		complain(EXIT_FAILED, "'%s' is not a SQLite file; make one with "
			 "nsys export --type sqlite REPORT.nsys-rep", path);
		return false;
	}
	if (st.st_size < stated_size(head)) {
		complain(EXIT_FAILED, "'%s' is cut short, %lld of %lld bytes; copy or export it again",
			 path, (long long)st.st_size, (long long)stated_size(head));
		return false;
	}
	*bytes = st.st_size;
	return true;
}

/* The first bytes and the size of a file that SQLite keeps beside the trace; 0: there is none. */
static int64_t beside(const char *path, const char *suffix, unsigned char head[8])
{
	struct stat st;
	int64_t size = 0;
	int fd = open(mem_printf("%s%s", path, suffix), O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && pread(fd, head, 8, 0) == 8)
		size = st.st_size;
	close(fd);
	return size;
}

/* A rollback journal with a header means that the writer stopped in the middle, or is still at it:
 * only rolling back makes the file whole, and that would write it. */
static bool half_written(const char *file)
{
	static const unsigned char magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
	unsigned char head[8];

	return beside(file, "-journal", head) && memcmp(head, magic, 8) == 0;
}

bool db_whole(const char *path)
{
	unsigned char head[HEAD];
	struct stat st;
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	bool ok = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		is_sqlite(head, pread(fd, head, HEAD, 0)) && st.st_size >= stated_size(head);

	if (fd >= 0)
		close(fd);
	return ok && !half_written(path);
}

/* Size of the write-ahead log, 0 when there is none: its frames follow a header of 32 bytes that
 * begins with this number. */
static int64_t wal_size(const char *file)
{
	unsigned char head[8];
	int64_t size = beside(file, "-wal", head);

	return size > 32 && big_endian(head) >> 1 == 0x377f0682u >> 1 ? size : 0;
}

/*
 * immutable: SQLite takes no lock, looks for no journal and makes no file beside this one.  It also
 * looks for no write-ahead log; where there is one, the VFS without locks reads it, with the index of
 * the log in memory instead of a file beside it (db_connect).
 */
static const char *uri_of(const char *path, bool wal)
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
	uri = mem_text(buf, strlen(buf));
	free(buf);
	return uri;
}

static void table_row(sqlite3_stmt *s, void *ctx)
{
	db *d = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 0);

	if (!name)
		return;
	d->tables = mem_grow(d->tables, (size_t)d->ntables + 1, sizeof *d->tables);
	d->tables[d->ntables++] = (db_table){ .name = mem_text(name, strlen(name)), .key = -1,
		.root = (uint32_t)sqlite3_column_int64(s, 1) };
}

static void column_row(sqlite3_stmt *s, void *ctx)
{
	db_table *t = ctx;
	const char *name = (const char *)sqlite3_column_text(s, 1);
	const char *type = (const char *)sqlite3_column_text(s, 2);

	if (!name)
		return;
	/* a default stands for what old rows lack, and a generated column is not stored */
	if (sqlite3_column_type(s, 4) != SQLITE_NULL || sqlite3_column_int(s, 6))
		t->root = 0;
	if (sqlite3_column_int(s, 6) == 1)
		return;         /* hidden */
	if (sqlite3_column_int(s, 5) == 1)
		t->key = type && sqlite3_stricmp(type, "INTEGER") == 0 && t->key == -1 ? t->ncolumns : -2;
	else if (sqlite3_column_int(s, 5) > 1)
		t->key = -2;    /* a key of several columns is not the row id */
	t->columns = mem_grow(t->columns, (size_t)t->ncolumns + 1, sizeof *t->columns);
	t->columns[t->ncolumns++] = mem_text(name, strlen(name));
}

/* What a file from elsewhere must not do: have functions called by its schema, or, by closing it, have
 * its log written back. */
static int configure(const db *d, sqlite3 *sql)
{
	static const struct { int option, on; } options[] = { { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 }, { SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 } };
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < sizeof options / sizeof *options; i++)
		rc = sqlite3_db_config(sql, options[i].option, options[i].on, NULL);
	if (rc == SQLITE_OK)    /* a cell that reaches over the end of its page reads as what chance left there */
		rc = sqlite3_exec(sql, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
	if (rc == SQLITE_OK && d->wal)
		rc = sqlite3_exec(sql, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
	return rc;
}

static sqlite3 *connect_to(const db *d)
{
	sqlite3 *sql = NULL;
	int rc = sqlite3_open_v2(d->uri, &sql, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);

	if (rc == SQLITE_OK)
		rc = configure(d, sql);
	if (rc == SQLITE_OK)
		return sql;
	sqlite3_close(sql);
	if (rc == SQLITE_NOMEM)
		die(EXIT_FAILED, "out of memory");
	return NULL;
}

char *db_query(const char *fmt, ...)
{
	va_list ap;
	char *q;

	va_start(ap, fmt);
	q = sqlite3_vmprintf(fmt, ap);
	va_end(ap);
	if (!q)
		die(EXIT_FAILED, "out of memory");
	return q;
}

void db_damaged(const db *d, const char *table, const char *reason)
{
	complain(EXIT_FAILED, "cannot read %s of '%s': %s; export the report again",
		 table, d->path, reason);
}

bool db_each(const db *d, const char *query, void (*row)(sqlite3_stmt *s, void *ctx), void *ctx)
{
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(d->sql, query, -1, &s, NULL);

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(s);
		if (rc == SQLITE_ROW)
			row(s, ctx);
	}
	if (rc != SQLITE_DONE)
		db_damaged(d, "the schema or a table", sqlite3_errmsg(d->sql));
	sqlite3_finalize(s);
	return rc == SQLITE_DONE;
}

static void not_row_id(sqlite3_stmt *s, void *ctx)
{
	(void)s;
	((db_table *)ctx)->key = -1;
}

static bool probe(db *d)
{
	/* a view or virtual table is a program, which need not end; nsys makes none */
	bool ok = db_each(d, "SELECT name, rootpage FROM sqlite_master WHERE type = 'table' AND rootpage > 0 "
			  "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name", table_row, d);

	for (int i = 0; ok && i < d->ntables; i++) {
		char *q = db_query("SELECT * FROM pragma_table_xinfo(%Q)", d->tables[i].name);
		ok = db_each(d, q, column_row, &d->tables[i]);
		sqlite3_free(q);
		if (!ok || d->tables[i].key < 0)
			continue;
		/* INTEGER PRIMARY KEY DESC is not the row id, and has an index of its own */
		q = db_query("SELECT 1 FROM pragma_index_list(%Q) WHERE origin = 'pk'", d->tables[i].name);
		ok = db_each(d, q, not_row_id, &d->tables[i]);
		sqlite3_free(q);
	}
	return ok;
}

db *db_open(const char *path, int threads)
{
	db *d;
	char *file;      /* SQLite follows links before it looks for what is beside */
	int64_t bytes;

	if (!plausible(path, &bytes))
		return NULL;
	file = realpath(path, NULL);
	if (!file || half_written(file)) {
		if (file)
			complain(EXIT_FAILED, "'%s' is half written, as '%s-journal' shows; wait for its "
				 "writer, or export it again", path, path);
		else
			complain(EXIT_FAILED, "cannot open '%s':", path);
		free(file);
		return NULL;
	}
	d = mem_new(db, 1);
	d->path = path;
	d->wal = wal_size(file) > 0;
	d->uri = uri_of(file, d->wal);
	d->max_rows = (bytes + wal_size(file)) / 4;
	free(file);
	d->threads = threads > 0 ? threads : 1;
	d->sql = connect_to(d);
	if (!d->sql)
		complain(EXIT_FAILED, "cannot open '%s' as a SQLite file", path);
	if (!d->sql || !probe(d)) {
		db_close(d);
		return NULL;
	}
	d->file = d->wal ? NULL : page_open(path);
	return d;
}

void db_close(db *d)
{
	for (int i = 0; i < d->ntables; i++)
		free(d->tables[i].columns);
	free(d->tables);
	sqlite3_close(d->sql);
	if (d->file)
		page_close(d->file);
	free(d);
}

static bool is_variant(const char *name, const char *base)
{
	size_t n = strlen(base);

	return strncmp(name, base, n) == 0 && strncmp(name + n, "_V", 2) == 0 && name[n + 2] &&
		strspn(name + n + 2, "0123456789") == strlen(name + n + 2);
}

const db_table *db_find(const db *d, const char *name)
{
	const db_table *variant = NULL;

	for (int i = 0; i < d->ntables; i++) {
		const char *have = d->tables[i].name;
		if (strcmp(have, name) == 0)
			return &d->tables[i];
		if (is_variant(have, name) && (!variant || strlen(have) > strlen(variant->name) ||
		    (strlen(have) == strlen(variant->name) && strcmp(have, variant->name) > 0)))
			variant = &d->tables[i];
	}
	return variant;
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
