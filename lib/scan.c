#include "scan.h"
#include "err.h"
#include "mem.h"
#include "par.h"

#include <string.h>

enum { COLS_MAX = 16, PAGES_PER_THREAD = 64 };

/* A stretch of the table's rows: where it goes in the columns, and names and keys of its own, which
 * become common ones when all stretches are read. */
typedef struct {
	const scan_col *cols;
	int ncols;
	int asked[COLS_MAX];      /* the columns that the table has, in the order they are asked for */
	int absent[COLS_MAX];     /* those that it has not */
	int nabsent;
	size_t first, n;          /* rows in the columns */
	dict dict[COLS_MAX];
	str_pool pool;
	bool wide[COLS_MAX];      /* a value was not small */

	const leaf_file *file;    /* the pages to read, and the columns of the table to read from them */
	const uint32_t *pages;
	size_t npages;
	const int *columns;
	int ncolumns, key;
	size_t count;             /* rows on the pages */
	bool bad;
} part;

static part new_part(const scan_col *cols, int ncols)
{
	part p = { .cols = cols, .ncols = ncols };
	int asked = 0;

	for (int c = 0; c < ncols; c++)
		if (cols[c].found)
			p.asked[asked++] = c;
		else if (cols[c].names)
			p.absent[p.nabsent++] = c;
	return p;
}

static void allocate(scan_col *cols, int ncols, size_t n)
{
	for (int c = 0; c < ncols; c++)
		if (!cols[c].names)
			continue;
		else if (cols[c].type == SCAN_INT || cols[c].wide)
			cols[c].ints = mem_grow(cols[c].ints, n, sizeof(int64_t));
		else
			cols[c].keys = mem_grow(cols[c].keys, n, sizeof(uint32_t));
}

static uint32_t text_key(part *p, const scan_col *col, const char *text, size_t len)
{
	size_t skip = col->prefix ? strlen(col->prefix) : 0;
	const char *nul;

	if (len < skip || (skip && memcmp(text, col->prefix, skip) != 0))
		return STR_NONE;
	nul = memchr(text, 0, len);
	return str_id(&p->pool, text, nul ? (size_t)(nul - text) : len);
}

/* Put an integer into a column; false: the row is to be left out. */
static inline bool put_int(part *p, int c, size_t row, int64_t v)
{
	const scan_col *col = &p->cols[c];

	if (v < 0 && col->from_zero)
		return false;
	if (col->type == SCAN_KEY)
		col->keys[row] = dict_key(&p->dict[c], v);
	else if (col->ints)
		col->ints[row] = v;
	else {
		col->keys[row] = (uint32_t)v;
		p->wide[c] |= v < 0 || v >= UINT32_MAX;
	}
	return true;
}

static inline bool put_null(part *p, int c, size_t row)
{
	const scan_col *col = &p->cols[c];

	if (col->from_zero)
		return false;
	if (col->type != SCAN_TEXT)
		return put_int(p, c, row, col->null);
	col->keys[row] = STR_NONE;
	return true;
}

/* Columns that the table does not have. */
static bool put_absent(part *p, size_t row)
{
	bool keep = true;

	for (int i = 0; i < p->nabsent; i++)
		keep &= put_null(p, p->absent[i], row);
	return keep;
}

/* Put the row at hand into the columns.  A value of another type than its column should hold is
 * left to the library, which converts it. */
static void put_row(part *p, const leaf_cursor *cur)
{
	size_t row = p->first + p->n;

	for (int i = 0; i < cur->nplaces; i++) {
		const leaf_place *at = &cur->place[i];
		int c = p->asked[at->column];
		if (leaf_is_int(at->serial)) {
			if (!put_int(p, c, row, leaf_int(cur, at)))
				return;
			p->bad |= p->cols[c].type == SCAN_TEXT;
		} else if (at->serial == 0) {
			if (!put_null(p, c, row))
				return;
		} else if (leaf_is_text(at->serial) && p->cols[c].type == SCAN_TEXT) {
			p->cols[c].keys[row] = text_key(p, &p->cols[c], (const char *)cur->body + at->offset,
							(at->serial - 12) / 2);
		} else {
			p->bad = true;
			return;
		}
	}
	p->n += !p->nabsent || put_absent(p, row);
}

static void count_rows(void *parts, size_t which)
{
	part *p = (part *)parts + which;

	p->count = leaf_count(p->file, p->pages, p->npages);
}

static void read_pages(void *parts, size_t which)
{
	part *p = (part *)parts + which;
	leaf_cursor c = leaf_start(p->file, p->pages, p->npages, p->columns, p->ncolumns, p->key);

	while (!p->bad && leaf_next(&c))
		put_row(p, &c);
	p->bad |= c.bad;
	leaf_end(&c);
}

/* Keys and names of a part become those of the result. */
static void renumber(scan_col *cols, part *p, str_pool *pool)
{
	uint32_t *names = mem_new(uint32_t, p->pool.n);

	for (size_t i = 0; i < p->pool.n; i++)
		names[i] = str_id(pool, p->pool.text[i], p->pool.len[i]);
	for (int c = 0; c < p->ncols; c++) {
		uint32_t *keys = cols[c].keys ? cols[c].keys + p->first : NULL, *map = names, *own = NULL;
		bool same = true;
		if (!keys)
			continue;
		if (cols[c].type == SCAN_KEY) {
			map = own = mem_new(uint32_t, p->dict[c].n);
			for (size_t k = 0; k < p->dict[c].n; k++) {
				own[k] = dict_key(&cols[c].dict, p->dict[c].value[k]);
				same &= own[k] == k;
			}
		} else if (cols[c].type == SCAN_TEXT)
			same = false;
		for (size_t i = 0; !same && i < p->n; i++)
			keys[i] = keys[i] == STR_NONE ? STR_NONE : map[keys[i]];
		free(own);
	}
	free(names);
}

/* Rows that were left out leave a hole at the end of their part: close it. */
static size_t close_holes(scan_col *cols, int ncols, const part *parts, int nparts)
{
	size_t n = 0;

	for (int p = 0; p < nparts; n += parts[p++].n)
		for (int c = 0; n != parts[p].first && c < ncols; c++) {
			if (cols[c].ints)
				memmove(cols[c].ints + n, cols[c].ints + parts[p].first, parts[p].n * sizeof(int64_t));
			if (cols[c].keys)
				memmove(cols[c].keys + n, cols[c].keys + parts[p].first, parts[p].n * sizeof(uint32_t));
		}
	return n;
}

static size_t finish(scan_col *cols, int ncols, part *parts, int nparts, str_pool *pool)
{
	for (int p = 0; p < nparts; p++) {
		renumber(cols, &parts[p], pool);
		for (int c = 0; c < ncols; c++)
			cols[c].wide |= parts[p].wide[c];
	}
	return close_holes(cols, ncols, parts, nparts);
}

static void free_parts(part *parts, int nparts)
{
	for (int p = 0; p < nparts; p++) {
		for (int c = 0; c < parts[p].ncols; c++)
			dict_free(&parts[p].dict[c]);
		str_free(&parts[p].pool);
	}
	free(parts);
}

/* Read the pages of the table, a stretch of them by each thread; false: the library must. */
static bool scan_pages(const db *d, const db_table *t, scan_col *cols, int ncols, const int *columns,
		       int ncolumns, str_pool *pool, size_t *n)
{
	leaf_table leaves = { 0 };
	part *parts;
	int nparts;
	size_t rows = 0;
	bool ok = d->file && t->root && leaf_list(d->file, t->root, &leaves);

	if (!ok) {
		vec_free(&leaves);
		return false;
	}
	nparts = leaves.n / PAGES_PER_THREAD >= (size_t)d->threads ? d->threads :
		(int)(leaves.n / PAGES_PER_THREAD) + 1;
	parts = mem_new(part, (size_t)nparts);
	for (int p = 0; p < nparts; p++) {
		size_t a = leaves.n * (size_t)p / (size_t)nparts, b = leaves.n * (size_t)(p + 1) / (size_t)nparts;
		parts[p] = new_part(cols, ncols);
		parts[p].file = d->file;
		parts[p].pages = leaves.v + a;
		parts[p].npages = b - a;
		parts[p].columns = columns;
		parts[p].ncolumns = ncolumns;
		parts[p].key = t->key;
	}
	par_do(nparts, (size_t)nparts, count_rows, parts);
	for (int p = 0; ok && p < nparts; p++) {
		parts[p].first = rows;
		ok = parts[p].count < UINT32_MAX && rows + parts[p].count < UINT32_MAX;
		rows += ok ? parts[p].count : 0;
	}
	if (ok) {
		allocate(cols, ncols, rows);
		par_do(nparts, (size_t)nparts, read_pages, parts);
	}
	for (int p = 0; p < nparts; p++)
		ok &= !parts[p].bad;
	if (ok)
		*n = finish(cols, ncols, parts, nparts, pool);
	free_parts(parts, nparts);
	vec_free(&leaves);
	leaf_release(d->file);
	return ok;
}

/* What the library makes of a row: its own conversions, asked for by the type we want. */
static void put_library_row(part *p, sqlite3_stmt *s, int ncolumns)
{
	size_t row = p->n;

	for (int i = 0; i < ncolumns; i++) {
		int c = p->asked[i];
		const char *text = NULL;
		bool null = sqlite3_column_type(s, i + 1) == SQLITE_NULL;
		if (!null && p->cols[c].type == SCAN_TEXT)
			null = !(text = (const char *)sqlite3_column_text(s, i + 1));
		if (null ? !put_null(p, c, row) : !text && !put_int(p, c, row, sqlite3_column_int64(s, i + 1)))
			return;
		if (text)
			p->cols[c].keys[row] = text_key(p, &p->cols[c], text, (size_t)sqlite3_column_bytes(s, i + 1));
	}
	p->n += put_absent(p, row);
}

static char *query_for(const db_table *t, const int *columns, int ncolumns)
{
	sqlite3_str *q = sqlite3_str_new(NULL);
	char *text;

	sqlite3_str_appendall(q, "SELECT 1");
	for (int i = 0; i < ncolumns; i++)
		sqlite3_str_appendf(q, ",\"%w\"", t->columns[columns[i]]);
	sqlite3_str_appendf(q, " FROM \"%w\"", t->name);
	text = sqlite3_str_finish(q);
	if (!text)
		die(EXIT_FAILED, "out of memory");
	return text;
}

static bool scan_library(const db *d, const db_table *t, scan_col *cols, int ncols, const int *columns,
			 int ncolumns, str_pool *pool, size_t *n)
{
	char *query = query_for(t, columns, ncolumns);
	int64_t left = d->max_rows;
	part *p = mem_new(part, 1);
	size_t room = 0;
	sqlite3_stmt *s = NULL;
	int rc = sqlite3_prepare_v2(d->sql, query, -1, &s, NULL);

	*p = new_part(cols, ncols);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW || left-- <= 0)
			break;
		if (p->n == room)
			allocate(cols, ncols, room = room ? room * 2 : 1024);
		put_library_row(p, s, ncolumns);
	}
	if (rc == SQLITE_ROW)           /* pages in a circle */
		db_damaged(d, t->name, "it has more rows than fit in the file");
	else if (rc != SQLITE_DONE)
		db_damaged(d, t->name, sqlite3_errmsg(d->sql));
	else
		*n = finish(cols, ncols, p, 1, pool);
	if (p->n >= UINT32_MAX)
		die(EXIT_FAILED, "a table has %zu rows; nsq reads at most %u", p->n, UINT32_MAX - 1);
	sqlite3_finalize(s);
	sqlite3_free(query);
	free_parts(p, 1);
	return rc == SQLITE_DONE;
}

static bool scan(const db *d, const db_table *t, scan_col *cols, int ncols, str_pool *pool, size_t *n)
{
	int columns[COLS_MAX], ncolumns = 0;

	for (int c = 0; c < ncols; c++) {
		int at = cols[c].names ? db_column(t, cols[c].names) : -1;
		cols[c].found = at >= 0;
		if (at >= 0)
			columns[ncolumns++] = at;
	}
	if (scan_pages(d, t, cols, ncols, columns, ncolumns, pool, n))
		return true;
	scan_free(cols, ncols);
	return scan_library(d, t, cols, ncols, columns, ncolumns, pool, n);
}

bool scan_table(const db *d, const db_table *t, scan_col *cols, int ncols, str_pool *pool, size_t *n)
{
	bool again = false;

	*n = 0;
	if (!t)
		return true;
	if (!scan(d, t, cols, ncols, pool, n))
		return false;
	for (int c = 0; c < ncols; c++)
		again |= cols[c].wide;
	if (!again)
		return true;
	scan_free(cols, ncols);         /* once more, with room for large values */
	return scan(d, t, cols, ncols, pool, n);
}

void scan_free(scan_col *cols, int ncols)
{
	for (int c = 0; c < ncols; c++) {
		free(cols[c].ints);
		free(cols[c].keys);
		dict_free(&cols[c].dict);
		cols[c].ints = NULL;
		cols[c].keys = NULL;
	}
}
