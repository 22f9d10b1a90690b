/*
 * leaf - reads the rows of a table straight from the pages of a SQLite file.
 *
 *     leaf_want want[] = { { .column = 0 }, { .column = 4, .null = -1 } };
 *     leaf_cursor *c = leaf_start(f, leaves.v, leaves.n, want, 2, -1);   // page.h: page_list_leaves
 *     int64_t sum = 0;
 *     while (leaf_read_batch(c))                       // a few rows at a time
 *         for (size_t i = 0; i < c->n; i++)
 *             sum += leaf_int(c, i, 0) * leaf_int(c, i, 1);
 *     if (c->bad)
 *         sum = 0;                               // not what was expected: use SQLite
 *     leaf_end(c);
 *     printf("%lld\n", (long long)sum);
 *
 * The terms are those of "Database File Format" in SQLite's documentation
 * (fileformat2.html): b-tree pages, cells, varints, serial types, overflow
 * pages.  The caller makes sure that the file is a consistent database without
 * a journal or a write-ahead log.  If anything in the file is unexpected, `bad` of
 * the cursor is set, and the caller has to read the table with SQLite instead.
 * Whatever the file says, nothing outside it is ever read.
 *
 * A row begins with a header: the serial types of its values, which say how each
 * value is stored.  The body follows: the values.  The rows of a table have few
 * distinct headers, so the positions of the values are computed once for each header
 * and kept as the shape of its rows.
 */
#pragma once

#include "sqlite/page.h"

enum {
	LEAF_COLUMNS = 64,      /* most columns to read (wants), and most columns of a table up to the last of them; if
				 * there are more, leaf_start sets bad */
	LEAF_ROWS = 256,        /* most rows read at a time */
	LEAF_ODD = 16,          /* a batch ends after so many rows whose shapes are not kept */
	LEAF_SHAPES = 512,      /* most shapes that are kept */
	LEAF_KEY = 4,           /* a shape is kept only if its header, up to the last wanted column, fits in so many
				 * words (of eight bytes) */
	LEAF_RECENT_BITS = 8    /* bits of the hash that indexes leaf_cursor.recent */
};

enum leaf_kind {
	LEAF_INT,
	LEAF_TEXT,              /* a text or a blob */
	LEAF_ANY                /* a value of any kind; only tests want it */
};

typedef struct {                /* a column to read */
	int column;             /* its index in the table */
	enum leaf_kind kind;    /* a value of another kind, except NULL, sets leaf_cursor.bad */
	int64_t null;           /* the integer that leaf_int returns for NULL */
} leaf_want;

/* Serial types: 0 is NULL; 1 to 6, 8 and 9 are integers; 7 is a float; from 12 on, an even number is a blob and an odd
 * one a text; LEAF_ROWID is the row id, which is not in the record. */
enum { LEAF_ROWID = UINT32_MAX };

/* The place of a value in the rows of a shape.  leaf_int reads an integer without a branch on its size: it loads the
 * eight bytes that end with the integer, and shifts out the bytes before it.  For an integer of no bytes and for NULL,
 * keep is 0, which masks all bytes out, and plus is the value. */
typedef struct {
	int64_t plus;           /* what leaf_int adds to the integer that it has read */
	int32_t offset;         /* position of the value's first byte in the body of the row */
	int32_t last8;          /* position, in the body, of the eight bytes that end with the value; it may be
				 * negative */
	uint32_t serial;        /* the serial type */
	int8_t keep;            /* a mask for the integer that was read: 0 for an integer of no bytes, and for a value
				 * that is no integer; otherwise -1 */
	uint8_t shift;          /* how many of the 64 bits come before the value */
} leaf_place;

typedef struct {
	uint64_t key[LEAF_KEY]; /* the size of the header and the serial types as stored, up to the last wanted
				 * column */
	uint64_t mask[LEAF_KEY];        /* 1 bits for the bytes of `key` that are in use */
	uint64_t alike;         /* a bit for each want: is its integer at the usual place, which is where a typical row
				 * of the table has it (leaf_usual_places)? */
	size_t header;          /* bytes of the header, as it says itself */
	size_t least;           /* bytes of the header and of the values up to the last wanted one */
	leaf_place place[];     /* by index of the want */
} leaf_shape;

typedef struct {
	const uint8_t *body[LEAF_ROWS];         /* by row of the batch: its body; valid until the next batch is read */
	const leaf_shape *shape[LEAF_ROWS];     /* by row */
	int64_t rowid[LEAF_ROWS];               /* by row; only if `ids` is set */
	size_t n;               /* number of rows in the batch */
	uint64_t alike;         /* a bit for each want: is its integer at the usual place in all these rows? */
	bool bad;               /* something was unexpected, so SQLite must read the table */
	bool ids;               /* are row ids read, too?  leaf_start sets this if the row id is wanted; otherwise the
				 * caller may set it before the first batch */

	const page_file *f;
	const uint32_t *pages;
	size_t npages;
	size_t next_page;       /* index in `pages` of the next page */
	size_t released;        /* the pages before this index have been released (PAGE_RELEASE) */
	const uint8_t *page;    /* the current page */
	const uint8_t *cells;   /* the offsets of its cells, two bytes each; a cell holds a row */
	size_t reach;           /* leaf_read_plain_rows reads the first bytes of a row before it knows the row's end; if
				 * the row begins before this offset in the page, these bytes are inside the file */
	size_t cell;            /* index of the next cell */
	size_t ncells;

	const leaf_want *want;
	int nwant;
	int rowid_column;       /* the column that is the row id; negative: none */
	uint64_t all;           /* the bits of all wants */
	int words;              /* how many of the LEAF_KEY words are in use */
	int8_t wanted[LEAF_COLUMNS];    /* for each column: the last want for it, or -1 */
	int8_t also[LEAF_COLUMNS];      /* for each want: the want before it for the same column, or -1 */
	int last;               /* the highest wanted column; -1: there are no wants */

	char *shapes;           /* LEAF_SHAPES kept shapes, then LEAF_ODD odd ones, which are not kept, then the shape
				 * with the usual places */
	size_t stride;          /* bytes of a shape */
	size_t nshapes;         /* number of kept shapes so far */
	size_t nodd;            /* number of odd shapes in the current batch */
	int patience;           /* how many more batches may have integers elsewhere than at the usual places, before
				 * these places change */
	uint64_t mask[LEAF_KEY];        /* leaf_shape.mask of a key in which each serial type takes one byte */
	const leaf_shape *recent[1 << LEAF_RECENT_BITS]; /* by hash of a key: a kept shape, or one that matches no
							  * row */
	uint16_t slot[2 * LEAF_SHAPES]; /* hash table of the kept shapes: 1 + the index of a shape; 0: free */

	uint8_t *whole;         /* a record that was assembled from overflow pages */
	size_t room;            /* bytes of the longest record that `whole` has room for */
	bool whole_used;        /* does a row of the current batch lie in `whole`? */
	size_t spent;           /* bytes of all records assembled so far */
} leaf_cursor;

/* Begin to read columns from n leaf pages.  `rowid_column` is the column that is the row id, whose value is not in the
 * record; negative: none.  `pages` and `want` must live as long as the cursor. */
leaf_cursor *leaf_start(const page_file *f, const uint32_t *pages, size_t n, const leaf_want *want, int nwant,
			int rowid_column);

/* Read the next batch of rows, at most LEAF_ROWS.  False: there are no more, or bad is set. */
bool leaf_read_batch(leaf_cursor *c);

void leaf_end(leaf_cursor *c);

static inline const leaf_place *leaf_get_place(const leaf_cursor *c, size_t row, int want)
{
	return &c->shape[row]->place[want];
}

/* The integer of a want in a row of the batch; leaf_want.null if it is NULL.  Not for the row id. */
static inline int64_t leaf_int(const leaf_cursor *c, size_t row, int want)
{
	const leaf_place *p = leaf_get_place(c, row, want);
	uint64_t x;

	memcpy(&x, c->body[row] + p->last8, 8);
	return ((int64_t)(be64toh(x) << p->shift) >> p->shift & p->keep) + p->plus;
}

/* Copy the integers of a want in all rows of the batch.  Not for the row id. */
void leaf_copy_ints(const leaf_cursor *c, int want, int64_t *to);

static inline bool leaf_is_int(uint32_t serial)
{
	return (serial >= 1 && serial <= 9 && serial != 7) || serial == LEAF_ROWID;
}

/* Is this the serial type of a text or a blob? */
static inline bool leaf_is_bytes(uint32_t serial)
{
	return serial >= 12 && serial != LEAF_ROWID;
}
