#include "sqlite/rows.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <string.h>

enum { PAGES_PER_THREAD = 64 }; /* so many leaf pages are worth another part */

/* A batch and the arrays for its rows.  A column that the table lacks has the same value in every row. */
typedef struct {
	rows_batch b;
	int64_t ints[ROWS_COLS][ROWS_BATCH];
	rows_text texts[ROWS_COLS][ROWS_BATCH];
} batch_room;

typedef struct {
	const db *d;
	const db_table *t;
	rows_col *cols;
	int ncols;
	const rows_reader *reader;
	rows_parts *parts;
	size_t capacity;                /* number of rows that the arrays have room for */
	bool too_many;                  /* are there more rows than 32 bits can number?  Further rows are then not given
					 * to the reader */
	void *ctx;
	int threads;
	leaf_want want[ROWS_COLS];      /* the columns to read, without those that the table lacks */
	int col[ROWS_COLS];             /* by want: its index in cols */
	int nwant;
	int id;                         /* index in cols of the row id, or -1 */
	page_list leaves;
	size_t nparts;
	size_t *most_rows;              /* by part: upper bound for its rows; 0 if the reader has no arrays */
	bool *bad;                      /* by part: must SQLite's library read the table? */
} reading;

static batch_room *rows_new_room(const reading *r)
{
	batch_room *room = mem_grow(NULL, 1, sizeof *room);

	room->b = (rows_batch){ 0 };
	for (int c = 0; c < r->ncols; c++) {
		if (!r->cols[c].names && !r->cols[c].id)
			continue;
		if (r->cols[c].text)
			room->b.texts[c] = room->texts[c];
		else
			room->b.ints[c] = room->ints[c];
		for (size_t i = 0; i < ROWS_BATCH && !r->cols[c].found; i++) {
			room->ints[c][i] = r->cols[c].from_zero ? -1 : r->cols[c].null;
			room->texts[c][i] = (rows_text){ 0 };
		}
	}
	return room;
}

static size_t rows_first_page(const reading *r, size_t part)
{
	return r->leaves.n * part / r->nparts;
}

static void rows_get_ints(const reading *r, const leaf_cursor *c, int want, int64_t *to)
{
	if (r->want[want].column == r->t->key)
		memcpy(to, c->rowid, c->n * sizeof *to);
	else
		leaf_copy_ints(c, want, to);
}

static void rows_get_texts(const leaf_cursor *c, int want, rows_text *to)
{
	for (size_t i = 0; i < c->n; i++) {
		const leaf_place *p = leaf_get_place(c, i, want);
		to[i] = p->serial ? (rows_text){ (const char *)c->body[i] + p->offset, (p->serial - 12) / 2 } :
			(rows_text){ 0 };
	}
}

/* Leave out the rows that have a negative value in v, and their values. */
static void rows_leave_out_negative(leaf_cursor *c, int64_t *v)
{
	size_t n = 0;
	int64_t any = 0;

	for (size_t i = 0; i < c->n; i++)
		any |= v[i];
	if (any >= 0)
		return;
	for (size_t i = 0; i < c->n; i++)
		if (v[i] >= 0) {
			c->body[n] = c->body[i];
			c->shape[n] = c->shape[i];
			c->rowid[n] = c->rowid[i];
			v[n++] = v[i];
		}
	c->n = n;
}

static void rows_make_room(reading *r, size_t rows)
{
	r->too_many |= rows >= UINT32_MAX;
	if (r->too_many)
		return;
	r->reader->room(r->ctx, rows);
	r->capacity = rows;
}

static void rows_begin_reading(reading *r, size_t nparts)
{
	rows_parts *parts = r->parts;

	rows_parts_free(parts);
	*parts = (rows_parts){ .v = mem_alloc(nparts, r->reader->part_size), .n = nparts, .size = r->reader->part_size,
		.base = parts->base, .free_part = r->reader->free_part };
	r->too_many = false;
}

/* Set where the rows of each part begin in the arrays.  `most` has an upper bound for the rows of each part; SIZE_MAX:
 * it is unknown, so the part begins with little room. */
static void rows_set_part_starts(reading *r, const size_t *most)
{
	enum { FEW = 1024 };
	rows_parts *parts = r->parts;
	size_t first = parts->base;

	for (size_t p = 0; r->reader->kept && p < parts->n; p++) {
		rows_part_at(rows_part, parts, p)->first = first;
		first += most[p] == SIZE_MAX ? FEW : most[p];
	}
	if (r->reader->kept)
		rows_make_room(r, first);
}

/* Give a batch to the reader.  If SQLite's library reads the table, the number of rows is not known in advance, so more
 * room may be needed first.  There is only one part then. */
static void rows_give_batch(reading *r, size_t part, const rows_batch *b)
{
	rows_part *p = rows_part_at(rows_part, r->parts, part);

	if (r->reader->kept && p->first + p->n + b->n > r->capacity)
		rows_make_room(r, 2 * (p->first + p->n + b->n));
	if (!r->too_many)
		r->reader->take(r->ctx, p, b);
}

static void rows_fill_batch(const reading *r, leaf_cursor *c, batch_room *room)
{
	for (int w = 0; w < c->nwant; w++)
		if (r->cols[r->col[w]].from_zero) {
			rows_get_ints(r, c, w, room->ints[r->col[w]]);
			rows_leave_out_negative(c, room->ints[r->col[w]]);
		}
	for (int w = 0; w < c->nwant; w++)
		if (r->cols[r->col[w]].text)
			rows_get_texts(c, w, room->texts[r->col[w]]);
		else if (!r->cols[r->col[w]].from_zero)
			rows_get_ints(r, c, w, room->ints[r->col[w]]);
	room->b.n = c->n;
}

static void rows_read_part(void *ctx, size_t part)
{
	reading *r = ctx;
	size_t from = rows_first_page(r, part), to = rows_first_page(r, part + 1);
	size_t left = r->reader->kept ? r->most_rows[part] : SIZE_MAX;
	leaf_cursor *c;
	batch_room *room;

	if (from == to)
		return;
	c = leaf_start(r->d->file, r->leaves.v + from, to - from, r->want, r->nwant, r->t->key);
	room = rows_new_room(r);
	c->ids |= r->id >= 0;
	while (leaf_read_batch(c)) {
		c->bad = c->n > left;           /* the row ids do not rise, so the bound was wrong */
		if (c->bad)
			break;
		left -= c->n;
		if (r->id >= 0)
			memcpy(room->ints[r->id], c->rowid, c->n * sizeof *c->rowid);
		rows_fill_batch(r, c, room);
		if (room->b.n)
			rows_give_batch(r, part, &room->b);
	}
	r->bad[part] |= c->bad;
	leaf_end(c);
	free(room);
}

/* Read the pages of the table; each part is a stretch of them.  False: SQLite's library must read the table. */
static bool rows_read_pages(reading *r)
{
	size_t rows = 0, threads = r->threads > 1 ? (size_t)r->threads : 1;
	bool ok = r->d->file && r->t->root && page_list_leaves(r->d->file, r->t->root, &r->leaves);

	if (!ok)
		return false;
	r->nparts = r->leaves.n / PAGES_PER_THREAD < threads ? r->leaves.n / PAGES_PER_THREAD + 1 : threads;
	r->most_rows = mem_new(size_t, r->nparts);
	r->bad = mem_new(bool, r->nparts);
	rows_begin_reading(r, r->nparts);
	for (size_t p = 0; ok && p < r->nparts; p++) {
		size_t from = rows_first_page(r, p);
		if (r->reader->kept)
			r->most_rows[p] = page_most_rows(r->d->file, r->leaves.v + from,
							 rows_first_page(r, p + 1) - from);
		ok = r->most_rows[p] < UINT32_MAX && rows + r->most_rows[p] < UINT32_MAX;
		rows += ok ? r->most_rows[p] : 0;
	}
	if (ok) {
		rows_set_part_starts(r, r->most_rows);
		par_do(r->threads, r->nparts, rows_read_part, r);
	}
	for (size_t p = 0; p < r->nparts; p++)
		ok &= !r->bad[p];
	return ok;
}

size_t rows_at_most(const db *d, const db_table *t)
{
	page_list leaves = { 0 };
	size_t n = 0;

	if (t && d->file && t->root && page_list_leaves(d->file, t->root, &leaves))
		n = page_most_rows(d->file, leaves.v, leaves.n);
	vec_free(&leaves);
	return n < UINT32_MAX ? n : 0;
}

static char *rows_write_query(const reading *r)
{
	sqlite3_str *q = sqlite3_str_new(NULL);
	char *text;

	sqlite3_str_appendall(q, r->id < 0 ? "SELECT 1" : "SELECT rowid");
	for (int w = 0; w < r->nwant; w++)
		sqlite3_str_appendf(q, ",\"%w\"", r->t->columns[r->want[w].column]);
	/* the pages are in order of row id; without ORDER BY, SQLite might use a covering index in its own order */
	sqlite3_str_appendf(q, " FROM \"%w\"%s", r->t->name, r->id < 0 ? "" : " ORDER BY rowid");
	text = sqlite3_str_finish(q);
	if (!text)
		mem_exhausted(strlen(r->t->name), 1);
	return text;
}

/* Put a row from SQLite's library into the batch, converted to the types in r->cols.  A text is valid only until the
 * next step, so a row with texts is a batch of its own.  False: the row is left out. */
static bool rows_read_library_row(const reading *r, sqlite3_stmt *s, batch_room *room)
{
	size_t row = room->b.n;

	if (r->id >= 0)
		room->ints[r->id][row] = sqlite3_column_int64(s, 0);
	for (int w = 0; w < r->nwant; w++) {
		const rows_col *col = &r->cols[r->col[w]];
		bool null = sqlite3_column_type(s, w + 1) == SQLITE_NULL;
		if (col->text) {
			const char *text = null ? NULL : (const char *)sqlite3_column_text(s, w + 1);
			room->texts[r->col[w]][row] = (rows_text){ text, text ? (size_t)sqlite3_column_bytes(s, w + 1) :
				0 };
		} else {
			int64_t v = null ? (col->from_zero ? -1 : col->null) : sqlite3_column_int64(s, w + 1);
			if (v < 0 && col->from_zero)
				return false;
			room->ints[r->col[w]][row] = v;
		}
	}
	return true;
}

static bool rows_read_library(reading *r)
{
	static const size_t unknown = SIZE_MAX;
	char *query = rows_write_query(r);
	batch_room *room = rows_new_room(r);
	size_t per_batch = ROWS_BATCH;
	sqlite3_stmt *s = NULL;
	int rc;

	for (int w = 0; w < r->nwant; w++)
		per_batch = r->cols[r->col[w]].text ? 1 : per_batch;
	rows_begin_reading(r, 1);
	rows_set_part_starts(r, &unknown);
	db_lock(r->d);
	db_begin_walk(r->d);
	rc = sqlite3_prepare_v2(r->d->sql, query, -1, &s, NULL);
	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(s);
		if (rc != SQLITE_ROW || !db_walk_count_row(r->d, s))
			break;
		room->b.n += rows_read_library_row(r, s, room);
		if (room->b.n == per_batch) {
			rows_give_batch(r, 0, &room->b);
			room->b.n = 0;
		}
	}
	if (rc != SQLITE_DONE)
		db_report_failed_walk(r->d, r->d->sql, rc, r->t->name);
	else if (room->b.n)
		rows_give_batch(r, 0, &room->b);
	sqlite3_finalize(s);
	db_unlock(r->d);
	sqlite3_free(query);
	free(room);
	return rc == SQLITE_DONE;
}

void rows_parts_free(rows_parts *parts)
{
	for (size_t i = 0; parts->free_part && i < parts->n; i++)
		parts->free_part(rows_part_at(void, parts, i));
	free(parts->v);
	parts->v = NULL;
	parts->n = 0;
}

size_t rows_close_gaps(const rows_parts *parts, const column *c, size_t n)
{
	size_t rows = parts->base;

	for (size_t i = 0; i < parts->n; i++) {
		rows_part *p = rows_part_at(rows_part, parts, i);
		column_move(c, n, rows, p->first, p->n);
		p->first = rows;
		rows += p->n;
	}
	return rows;
}

bool rows_read(const db *d, const db_table *t, rows_col *cols, int ncols, const rows_reader *reader, void *ctx,
	       int threads, rows_parts *parts)
{
	reading r = { .d = d, .t = t, .cols = cols, .ncols = ncols, .reader = reader, .ctx = ctx, .parts = parts,
		.threads = threads, .id = -1 };
	bool ok, empty = !t;

	for (int c = 0; t && c < ncols; c++) {
		int at = cols[c].names ? db_column(t, cols[c].names) : -1;
		cols[c].found = at >= 0 || cols[c].id;
		r.id = cols[c].id ? c : r.id;
		empty |= at < 0 && cols[c].names && cols[c].from_zero;
		if (at < 0)
			continue;
		r.col[r.nwant] = c;
		r.want[r.nwant++] = (leaf_want){ .column = at, .kind = cols[c].text ? LEAF_TEXT : LEAF_INT,
			.null = cols[c].from_zero ? -1 : cols[c].null };
	}
	if (empty) {            /* there is no table, or it lacks a column with from_zero */
		rows_begin_reading(&r, 0);
		return true;
	}
	ok = rows_read_pages(&r) || rows_read_library(&r);
	vec_free(&r.leaves);
	mem_free(r.most_rows, r.bad);
	if (ok && r.too_many)
		return notes_problem(d->say, EXIT_FAILED, "'%s' holds more than %u %s, the most that nsq can read",
				     d->path, UINT32_MAX - 1, reader->kept);
	return ok;
}
