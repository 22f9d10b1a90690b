#include "scan.h"
#include "err.h"
#include "mem.h"

#include <string.h>

/* A stretch of the table's rows: where it goes in the columns, and names and keys of its own, which
 * become common ones when all stretches are read. */
typedef struct {
	size_t first, n;          /* rows in the columns */
	dict dict[ROWS_COLS];
	str_pool pool;
} part;

typedef struct {
	scan_col *cols;
	int ncols;
	part *parts;
	size_t nparts;
	size_t room;              /* rows that the columns have room for */
} scan;

static void allocate(scan *s, size_t n)
{
	s->room = n;
	for (int c = 0; c < s->ncols; c++) {
		scan_col *col = &s->cols[c];
		if (!col->names)
			continue;
		else if (col->type == SCAN_INT)
			col->ints = mem_grow(col->ints, n, sizeof(int64_t));
		else
			col->keys = mem_grow(col->keys, n, sizeof(uint32_t));
	}
}

static void free_parts(scan *s)
{
	for (size_t p = 0; p < s->nparts; p++) {
		for (int c = 0; c < s->ncols; c++)
			dict_free(&s->parts[p].dict[c]);
		str_free(&s->parts[p].pool);
	}
	free(s->parts);
	s->parts = NULL;
	s->nparts = 0;
}

static void begin(void *ctx, size_t nparts, const size_t *most)
{
	scan *s = ctx;

	free_parts(s);
	s->parts = mem_new(part, nparts);
	s->nparts = nparts;
	for (size_t p = 0; p < nparts; p++)
		s->parts[p].first = rows_first(most, p);
	allocate(s, rows_first(most, nparts));
}

static uint32_t text_key(str_pool *pool, const rows_text *text)
{
	const char *nul;

	if (!text->s)
		return STR_NONE;
	nul = memchr(text->s, 0, text->len);
	return str_id(pool, text->s, nul ? (size_t)(nul - text->s) : text->len);
}

static void take_column(const scan_col *col, part *p, int c, const rows_batch *b)
{
	size_t row = p->first + p->n;

	if (col->type == SCAN_TEXT)
		for (size_t i = 0; i < b->n; i++)
			col->keys[row + i] = text_key(&p->pool, &b->texts[c][i]);
	else if (col->type == SCAN_KEY)
		for (size_t i = 0; i < b->n; i++)
			col->keys[row + i] = dict_key(&p->dict[c], b->ints[c][i]);
	else
		memcpy(col->ints + row, b->ints[c], b->n * sizeof *col->ints);
}

static void take(void *ctx, size_t which, const rows_batch *b)
{
	scan *s = ctx;
	part *p = &s->parts[which];

	if (p->first + p->n + b->n > s->room) {         /* the library does not say how many there are */
		if (p->n + b->n >= UINT32_MAX)
			die(EXIT_FAILED, "a table has more than %u rows, which is more than nsq reads", UINT32_MAX - 1);
		allocate(s, 2 * (p->n + b->n));
	}
	for (int c = 0; c < s->ncols; c++)
		if (s->cols[c].names)
			take_column(&s->cols[c], p, c, b);
	p->n += b->n;
}

/* Keys and names of a part become those of the result. */
static void renumber(scan *s, part *p, str_pool *pool)
{
	uint32_t *names = mem_new(uint32_t, p->pool.n);

	for (size_t i = 0; i < p->pool.n; i++)
		names[i] = str_id(pool, p->pool.text[i], p->pool.len[i]);
	for (int c = 0; c < s->ncols; c++) {
		scan_col *col = &s->cols[c];
		uint32_t *keys = col->keys ? col->keys + p->first : NULL, *map = names, *own = NULL;
		bool same = col->type != SCAN_TEXT;
		if (!keys)
			continue;
		if (col->type == SCAN_KEY) {
			map = own = mem_new(uint32_t, p->dict[c].n);
			for (size_t k = 0; k < p->dict[c].n; k++) {
				own[k] = dict_key(&col->dict, p->dict[c].value[k]);
				same &= own[k] == k;
			}
		}
		for (size_t i = 0; !same && i < p->n; i++)
			keys[i] = keys[i] == STR_NONE ? STR_NONE : map[keys[i]];
		free(own);
	}
	free(names);
}

/* Rows that were left out leave a hole at the end of their part: close it. */
static size_t close_holes(scan *s)
{
	size_t n = 0;

	for (size_t p = 0; p < s->nparts; n += s->parts[p++].n)
		for (int c = 0; n != s->parts[p].first && c < s->ncols; c++) {
			const scan_col *col = &s->cols[c];
			size_t from = s->parts[p].first, rows = s->parts[p].n;
			if (col->ints)
				memmove(col->ints + n, col->ints + from, rows * sizeof *col->ints);
			if (col->keys)
				memmove(col->keys + n, col->keys + from, rows * sizeof *col->keys);
		}
	return n;
}

bool scan_table(const db *d, const db_table *t, scan_col *cols, int ncols, str_pool *pool, size_t *n)
{
	static const rows_reader reader = { begin, true, take };
	scan s = { .cols = cols, .ncols = ncols };
	rows_col asked[ROWS_COLS];
	bool ok;

	for (int c = 0; c < ncols; c++)
		asked[c] = (rows_col){ .names = cols[c].names, .text = cols[c].type == SCAN_TEXT,
			.null = cols[c].null, .from_zero = cols[c].from_zero };
	ok = rows_read(d, t, asked, ncols, &reader, &s);
	for (int c = 0; c < ncols; c++)
		cols[c].found = asked[c].found;
	for (size_t p = 0; ok && p < s.nparts; p++)
		renumber(&s, &s.parts[p], pool);
	*n = ok ? close_holes(&s) : 0;
	free_parts(&s);
	if (!ok)
		scan_free(cols, ncols);
	return ok;
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
