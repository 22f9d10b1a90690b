/*
 * leaf - reads the rows of a table straight from the pages of a SQLite file.
 *
 *     leaf_want want[] = { { .column = 0 }, { .column = 4, .null = -1 } };
 *     leaf_cursor *c = leaf_start(f, leaves.v, leaves.n, want, 2, -1);   // page.h: page_leaves
 *     int64_t sum = 0;
 *     while (leaf_rows(c))                       // a few rows at a time
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
 * a journal or a write-ahead log.  Anything odd in it sets bad and is left to
 * SQLite.  Whatever the file says, nothing outside it is ever read.
 *
 * A row begins with a header: the serial types of its values, which say how each
 * value is stored.  The rows of a table have few distinct headers, so the positions
 * of the values are worked out once for each header and kept as its shape.
 */
#pragma once

#include "sqlite/page.h"

enum {
	LEAF_COLUMNS = 64,      /* columns beyond this are left to SQLite */
	LEAF_ROWS = 256,        /* at most this many at a time, */
	LEAF_ODD = 16,          /* and this many of them with a shape that is not kept */
	LEAF_SHAPES = 512,      /* shapes that are kept */
	LEAF_KEY = 4,           /* words of a header that tell shapes apart */
	LEAF_NEAR = 8           /* bits of a hash by which shapes are found at once */
};

enum leaf_kind { LEAF_INT, LEAF_TEXT, LEAF_ANY };

typedef struct {                /* a column to read */
	int column;             /* its number in the table */
	enum leaf_kind kind;    /* a value of another kind sets bad, except NULL; TEXT takes blobs; ANY is for tests */
	int64_t null;           /* the integer that NULL reads as */
} leaf_want;

/* Where a value is in the rows of a shape.  Its serial type: 0 is NULL, 1 to 6, 8 and 9 are integers, 7 is
 * a float, from 12 on an even one is a blob and an odd one a text, LEAF_ROWID is the row id.
 *
 * An integer is read without a branch on its size: load the eight bytes that end where it ends, and shift
 * out those before it.  A value that takes no bytes masks all of them out (keep 0) and equals plus. */
enum { LEAF_ROWID = UINT32_MAX };

typedef struct {
	int64_t plus;
	int32_t offset;         /* of its first byte, from the start of the body */
	int32_t last8;          /* of the eight bytes that end with it */
	uint32_t serial;
	int8_t keep;            /* -1, or 0 for a value of no bytes */
	uint8_t shift;
} leaf_place;

typedef struct {
	uint64_t key[LEAF_KEY]; /* the size of the header and the serial types as stored, up to the last wanted */
	uint64_t mask[LEAF_KEY];        /* of the bytes of the key */
	uint64_t alike;         /* a bit for each want that is an integer at the cursor's usual place */
	size_t header;          /* the size of the header; its first byte says it */
	size_t least;           /* how many bytes header and values up to the last wanted take */
	leaf_place place[];     /* by number of the want */
} leaf_shape;

typedef struct {
	const uint8_t *body[LEAF_ROWS];         /* by row: its values, until the next rows are read; */
	const leaf_shape *shape[LEAF_ROWS];
	int64_t rowid[LEAF_ROWS];               /* if ids is set */
	size_t n;               /* rows that were read */
	uint64_t alike;         /* a bit for each want whose integers are at the usual place in all of them */
	bool bad;
	bool ids;               /* are row ids wanted?  Set it before rows are read, or want the key */

	const page_file *f;
	const uint32_t *pages;
	size_t npages, at;      /* at: the next page */
	size_t released;        /* pages before this one have been released */
	const uint8_t *page, *cells;
	size_t reach;           /* a row that begins before this can be looked at without running past the file */
	size_t cell, ncells;

	const leaf_want *want;
	int nwant, key;
	uint64_t all;           /* a bit for each want */
	int words;              /* of LEAF_KEY that keys take */
	int8_t wanted[LEAF_COLUMNS];    /* by column: the first want for it, or -1 */
	int8_t also[LEAF_COLUMNS];      /* by want: the next for the same column, or -1 */
	int last;               /* highest column wanted */

	char *shapes;           /* the kept ones, the odd ones, and that of the usual places */
	size_t stride, nshapes, nodd;
	int patience;           /* how often rows may be unlike the usual before others become that */
	uint64_t mask[LEAF_KEY];        /* of a key whose serial types take a byte each */
	const leaf_shape *recent[1 << LEAF_NEAR];         /* kept ones with such a key; one that no row has */
	uint16_t slot[2 * LEAF_SHAPES]; /* hash table of shapes + 1 */

	uint8_t *whole;         /* a record assembled from overflow pages */
	size_t room;
	bool whole_used;        /* does one of the rows use it? */
	size_t spent;           /* bytes assembled so far */
} leaf_cursor;

/* Read some columns from these pages; key is the column that is the row id, whose value is not in the
 * record, or -1. */
leaf_cursor *leaf_start(const page_file *f, const uint32_t *pages, size_t n, const leaf_want *want, int nwant, int key);
bool leaf_rows(leaf_cursor *c);

void leaf_end(leaf_cursor *c);

static inline const leaf_place *leaf_at(const leaf_cursor *c, size_t row, int want)
{
	return &c->shape[row]->place[want];
}

/* The value of an integer that is not the row id. */
static inline int64_t leaf_int(const leaf_cursor *c, size_t row, int want)
{
	const leaf_place *p = leaf_at(c, row, want);
	uint64_t x;

	memcpy(&x, c->body[row] + p->last8, 8);
	return ((int64_t)(be64toh(x) << p->shift) >> p->shift & p->keep) + p->plus;
}

/* The integers of a column. */
void leaf_ints(const leaf_cursor *c, int want, int64_t *to);

static inline bool leaf_is_int(uint32_t serial)
{
	return (serial >= 1 && serial <= 9 && serial != 7) || serial == LEAF_ROWID;
}

/* A text or a blob. */
static inline bool leaf_is_bytes(uint32_t serial)
{
	return serial >= 12 && serial != LEAF_ROWID;
}
