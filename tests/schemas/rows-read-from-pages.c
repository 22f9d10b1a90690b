/* Compare every table of a trace, row by row and value by value, as read from the pages and as read by
 * the library: print how many tables and rows were the same, and fail at the first difference. */
#include "sqlite/database.h"
#include "sqlite/leaf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Noreturn void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static _Noreturn void fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static bool same_value(const leaf_cursor *c, size_t row, sqlite3_stmt *s, int col)
{
	const leaf_place *p = leaf_get_place(c, row, col);
	int type = sqlite3_column_type(s, col);
	int64_t v = p->serial == LEAF_ROWID ? c->rowid[row] : leaf_int(c, row, col);
	double d;
	uint64_t bits = 0;
	uint32_t size;

	if (p->serial == 0)
		return type == SQLITE_NULL;
	if (leaf_is_int(p->serial))     /* a whole number in a column of floats is kept as an integer */
		return type == SQLITE_INTEGER ? sqlite3_column_int64(s, col) == v :
			type == SQLITE_FLOAT && sqlite3_column_double(s, col) == (double)v;
	if (p->serial == 7) {
		for (int i = 0; i < 8; i++)
			bits = bits << 8 | c->body[row][p->offset + i];
		memcpy(&d, &bits, sizeof d);
		return type == SQLITE_FLOAT && sqlite3_column_double(s, col) == d;
	}
	size = (p->serial - 12) / 2;
	return type == (p->serial & 1 ? SQLITE_TEXT : SQLITE_BLOB) &&
		(uint32_t)sqlite3_column_bytes(s, col) == size &&       /* of nothing the library has no address */
		(!size || memcmp(sqlite3_column_blob(s, col), c->body[row] + p->offset, size) == 0);
}

static size_t compare(const db *d, const db_table *t)
{
	page_list leaves = { 0 };
	leaf_want want[LEAF_COLUMNS];
	int64_t ints[LEAF_ROWS];
	char *q = db_format_query("SELECT * FROM \"%w\"", t->name);
	sqlite3_stmt *s = NULL;
	size_t rows = 0;
	leaf_cursor *c;

	for (int i = 0; i < t->ncolumns; i++)
		want[i] = (leaf_want){ .column = i, .kind = LEAF_ANY };
	if (!page_list_leaves(d->file, t->root, &leaves) ||
	    sqlite3_prepare_v2(d->sql, q, -1, &s, NULL) != SQLITE_OK)
		fail("%s: cannot be read", t->name);
	c = leaf_start(d->file, leaves.v, leaves.n, want, t->ncolumns, t->key);
	while (leaf_read_batch(c)) {
		for (int i = 0; i < t->ncolumns; i++) {
			leaf_copy_ints(c, i, ints);
			for (size_t k = 0; k < c->n; k++)
				if (ints[k] != leaf_int(c, k, i))
					fail("%s: row %zu differs in '%s' as one of many", t->name, rows + k,
					     t->columns[i]);
		}
		for (size_t k = 0; k < c->n; k++, rows++) {
			if (sqlite3_step(s) != SQLITE_ROW)
				fail("%s: the library has only %zu rows", t->name, rows);
			for (int i = 0; i < t->ncolumns; i++)
				if (!same_value(c, k, s, i))
					fail("%s: row %zu differs in '%s'", t->name, rows, t->columns[i]);
		}
	}
	if (c->bad || sqlite3_step(s) != SQLITE_DONE || page_count(d->file, leaves.v, leaves.n) != rows)
		fail("%s: the pages end after %zu rows", t->name, rows);
	leaf_end(c);
	sqlite3_finalize(s);
	sqlite3_free(q);
	vec_free(&leaves);
	return rows;
}

int main(int argc, char **argv)
{
	size_t tables = 0, rows = 0;
	notes say = { 0 };
	db *d = argc == 2 ? db_open(argv[1], &say) : NULL;

	if (!d || !d->file)
		fail("cannot read the pages of '%s'%s%s", argc == 2 ? argv[1] : "", say.n ? ": " : "",
		     say.n ? say.v[0].text : "");
	for (int i = 0; i < d->ntables; i++) {
		const db_table *t = db_table_at(d, i);
		if (t->root && t->ncolumns <= LEAF_COLUMNS) {
			rows += compare(d, t);
			tables++;
		}
	}
	printf("%zu %zu\n", tables, rows);
	db_close(d);
	notes_free(&say);
	return 0;
}
