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

static const leaf_value missing = { .type = LEAF_NULL };

static uint32_t text_key(part *p, const scan_col *col, const leaf_value *v)
{
	size_t skip = col->prefix ? strlen(col->prefix) : 0;
	const char *nul;

	if (v->len < skip || (skip && memcmp(v->text, col->prefix, skip) != 0))
		return STR_NONE;
	nul = memchr(v->text, 0, v->len);
	return str_id(&p->pool, v->text, nul ? (size_t)(nul - v->text) : v->len);
}

/* Put the values of a row, one for each column that was found, into the columns.  A value of
 * another type than its column should hold is left to the library, which converts it. */
static void put_row(part *p, const leaf_value *value)
{
	size_t row = p->first + p->n;

	for (int c = 0; c < p->ncols; c++) {
		const scan_col *col = &p->cols[c];
		if (!col->names)
			continue;
		const leaf_value *v = col->found ? value++ : &missing;
		int64_t i = v->i;

		if (v->type != LEAF_INT) {
			if (v->type == LEAF_TEXT && col->type == SCAN_TEXT) {
				col->keys[row] = text_key(p, col, v);
				continue;
			}
			p->bad |= v->type != LEAF_NULL;
			if (col->from_zero)
				return;
			i = col->null;
		} else if (i < 0 && col->from_zero)
			return;
		switch (col->type) {
		case SCAN_KEY:
			col->keys[row] = dict_key(&p->dict[c], i);
			break;
		case SCAN_TEXT:
			col->keys[row] = STR_NONE;
			p->bad |= v->type == LEAF_INT;
			break;
		case SCAN_SMALL:
			if (!col->wide) {
				col->keys[row] = (uint32_t)i;
				p->wide[c] |= i < 0 || i >= UINT32_MAX;
				break;
			}
			/* fall through */
		case SCAN_INT:
			col->ints[row] = i;
		}
	}
	p->n++;
}

static void count_rows(void *parts, size_t which)
{
	part *p = (part *)parts + which;

	p->count = leaf_count(p->file, p->pages, p->npages);
}

static void read_pages(void *parts, size_t which)
{
	part *p = (part *)parts + which;
	leaf_value value[COLS_MAX];
	leaf_cursor c = leaf_start(p->file, p->pages, p->npages, p->columns, p->ncolumns, p->key);

	while (!p->bad && leaf_next(&c, value))
		put_row(p, value);
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
		parts[p] = (part){ .cols = cols, .ncols = ncols, .file = d->file, .pages = leaves.v + a,
			.npages = b - a, .columns = columns, .ncolumns = ncolumns, .key = t->key };
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

/* What the library makes of a column: its own conversions, asked for by the type we want. */
static leaf_value library_value(sqlite3_stmt *s, int at, enum scan_type type)
{
	leaf_value v = { .type = LEAF_NULL };

	if (sqlite3_column_type(s, at) == SQLITE_NULL)
		return v;
	if (type == SCAN_TEXT) {
		v.type = LEAF_TEXT;
		v.text = (const char *)sqlite3_column_text(s, at);
		v.len = (uint32_t)sqlite3_column_bytes(s, at);
		if (!v.text)
			v.type = LEAF_NULL;
	} else {
		v.type = LEAF_INT;
		v.i = sqlite3_column_int64(s, at);
	}
	return v;
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

	p->cols = cols;
	p->ncols = ncols;
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		leaf_value value[COLS_MAX];
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW || left-- <= 0)
			break;
		if (p->n == room)
			allocate(cols, ncols, room = room ? room * 2 : 1024);
		for (int c = 0, f = 0; c < ncols; c++)
			if (cols[c].found) {
				value[f] = library_value(s, f + 1, cols[c].type);
				f++;
			}
		put_row(p, value);
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

static const ival nowhere = { INT64_MAX, INT64_MIN };

static void widen_all(scan_spans *out, size_t *room, int64_t id, int64_t start, int64_t end)
{
	uint32_t k = dict_key(&out->ids, id);

	while (k >= *room) {
		size_t more = *room ? *room * 2 : 16;
		out->span = mem_grow(out->span, more, sizeof *out->span);
		for (; *room < more; ++*room)
			out->span[*room] = nowhere;
	}
	scan_widen(&out->span[k], start, end > start ? end : start);
}

typedef struct {
	const leaf_file *file;
	leaf_table *leaves;
	const int *columns;
	int key;
	size_t nparts;
	scan_spans *spans;      /* by part */
	bool *bad;
} span_job;

static void span_part(void *ctx, size_t p)
{
	span_job *j = ctx;
	size_t a = j->leaves->n * p / j->nparts, b = j->leaves->n * (p + 1) / j->nparts, room = 0;
	leaf_cursor c = leaf_start(j->file, j->leaves->v + a, b - a, j->columns, 3, j->key);
	leaf_value v[3];

	while (!j->bad[p] && leaf_next(&c, v)) {
		bool end = v[1].type == LEAF_INT;
		j->bad[p] = v[0].type != LEAF_INT || (!end && v[1].type != LEAF_NULL) ||
			(v[2].type != LEAF_INT && v[2].type != LEAF_NULL);
		if (!j->bad[p] && v[0].i >= 0)
			widen_all(&j->spans[p], &room, v[2].type == LEAF_INT ? v[2].i : -1, v[0].i, end ? v[1].i : v[0].i);
	}
	j->bad[p] |= c.bad;
	leaf_end(&c);
}

/* The same from the pages; false: something is odd. */
static bool span_pages(const db *d, const db_table *t, const int *columns, scan_spans *out)
{
	leaf_table leaves = { 0 };
	size_t n = (size_t)d->threads, room = 0;
	span_job j = { d->file, &leaves, columns, t->key, n, mem_new(scan_spans, n), mem_new(bool, n) };
	bool ok = d->file && t->root && leaf_list(d->file, t->root, &leaves);

	if (ok)
		par_do(d->threads, n, span_part, &j);
	for (size_t p = 0; p < n; p++)
		ok &= !j.bad[p];
	for (size_t p = 0; p < n; p++) {
		for (size_t k = 0; ok && k < j.spans[p].ids.n; k++)
			widen_all(out, &room, j.spans[p].ids.value[k], j.spans[p].span[k].a, j.spans[p].span[k].b);
		scan_spans_free(&j.spans[p]);
	}
	free(j.spans);
	free(j.bad);
	vec_free(&leaves);
	return ok;
}

bool scan_span(const db *d, const db_table *t, const char *id_column, scan_spans *out)
{
	scan_col c[] = { { .names = "start", .type = SCAN_INT, .from_zero = true },
		{ .names = "end", .type = SCAN_INT, .null = -1 }, { .names = id_column, .type = SCAN_KEY, .null = -1 } };
	int columns[3];
	bool all = t != NULL, ok;
	size_t n, room = 0;
	str_pool none = { 0 };

	for (int i = 0; all && i < 3; i++)
		all = (columns[i] = db_column(t, c[i].names)) >= 0;
	if (all && span_pages(d, t, columns, out))
		return true;
	ok = scan_table(d, t, c, 3, &none, &n);
	for (size_t i = 0; ok && i < n; i++)
		widen_all(out, &room, c[2].dict.value[c[2].keys[i]], c[0].ints[i], c[1].ints[i]);
	scan_free(c, 3);
	return ok;
}

void scan_spans_free(scan_spans *s)
{
	dict_free(&s->ids);
	free(s->span);
	s->span = NULL;
}
