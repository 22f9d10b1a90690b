/*
 * leaf - reads the rows of a table straight from the pages of a SQLite file.
 *
 *     leaf_file *f = leaf_open("run.sqlite");    // NULL: not a plain file, use the library
 *     leaf_table t = { 0 };
 *     leaf_list(f, root_page, &t);               // the table's leaf pages, in order of row id
 *     leaf_cursor c = leaf_start(f, t.v, t.n, columns, ncolumns, -1);
 *     while (leaf_next(&c))
 *         for (int i = 0; i < c.nplaces; i++)
 *             ... c.place[i].column, leaf_int(&c, &c.place[i]) ...
 *     if (c.bad) ...                             // not what was expected: use the library
 *
 * The words are those of "Database File Format" in SQLite's documentation
 * (fileformat2.html): b-tree pages, cells, varints, serial types, overflow
 * pages.  The file must be a consistent database without journal or write-ahead
 * log, which the caller sees to; whatever is odd in it sets bad and is left to the library, which
 * knows better.  Nothing outside the file is ever read, whatever it says.
 */
#ifndef LEAF_H
#define LEAF_H

#include "mem.h"

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct {
	const uint8_t *map;
	size_t size;
	size_t page_size;
	size_t usable;          /* of a page, without what is reserved at its end */
	size_t npages;
} leaf_file;

typedef vec(uint32_t) leaf_table;   /* page numbers, from 1 */

enum { LEAF_COLUMNS = 64 };     /* columns of a table beyond this are left to the library */

/* Where a value stands in a row, and how it is written: its serial type.  0 is NULL, 1 to 6, 8 and 9
 * are integers, 7 is a float, 12 and above even a blob and odd a text, LEAF_ROWID the row id. */
enum { LEAF_ROWID = UINT32_MAX };

typedef struct {
	uint32_t column;        /* which of the columns asked for */
	uint32_t serial;
	uint32_t offset;        /* from the cursor's body */
} leaf_place;

typedef struct {
	const leaf_file *f;
	const uint32_t *pages;
	size_t npages, at;      /* at: the page to come */
	const uint8_t *page;
	size_t cell, ncells;
	int8_t wanted[LEAF_COLUMNS];    /* by column: which of those asked for it is, or -1 */
	int last;               /* highest column wanted */

	const uint8_t *body;    /* of the row at hand; holds until the next */
	int64_t rowid;
	leaf_place place[LEAF_COLUMNS];
	int nplaces;
	int ids;                /* places of the row id, which come first */

	uint8_t like[LEAF_COLUMNS];     /* the serial types of the row at hand, up to the last wanted */
	size_t nlike, like_size;        /* how many bytes, and of the body they describe */
	uint64_t mask[2];               /* ones over the first of them */
	uint8_t *whole;         /* a record put together from overflow pages */
	size_t room;
	size_t spent;           /* bytes put together so */
	size_t released;        /* pages before this one were given back to the system */
	bool bad;
} leaf_cursor;

leaf_file *leaf_open(const char *path);
void leaf_close(leaf_file *f);

/* The leaf pages of the table with that root, in order; false if it is not a plain table. */
bool leaf_list(const leaf_file *f, uint32_t root, leaf_table *t);

/* Rows on these pages; SIZE_MAX if one of them is not a leaf page. */
size_t leaf_count(const leaf_file *f, const uint32_t *pages, size_t n);

/* Give back the memory of all pages; they are read again when they are looked at. */
void leaf_release(const leaf_file *f);

/* Read the columns with these numbers from these pages; key is the column that is the row id (its
 * value is not in the record), or -1. */
leaf_cursor leaf_start(const leaf_file *f, const uint32_t *pages, size_t n, const int *columns, int ncolumns, int key);
bool leaf_next(leaf_cursor *c);

/* The value of a place that holds an integer or the row id. */
static inline int64_t leaf_int(const leaf_cursor *c, const leaf_place *p)
{
	const uint8_t *b = c->body + p->offset;
	uint64_t v;
	uint32_t w;
	uint16_t h;

	switch (p->serial) {
	case 1: return (int8_t)b[0];
	case 2: return (int16_t)(b[0] << 8 | b[1]);
	case 3: return (int32_t)((uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8) >> 8;
	case 4:
		memcpy(&w, b, 4);
		return (int32_t)be32toh(w);
	case 5:
		memcpy(&h, b, 2);
		memcpy(&w, b + 2, 4);
		return (int64_t)(int16_t)be16toh(h) * ((int64_t)1 << 32) + be32toh(w);
	case 6:
		memcpy(&v, b, 8);
		return (int64_t)be64toh(v);
	case LEAF_ROWID: return c->rowid;
	default: return p->serial - 8;  /* 8 and 9 are 0 and 1 themselves */
	}
}

static inline bool leaf_is_int(uint32_t serial)
{
	return (serial >= 1 && serial <= 9 && serial != 7) || serial == LEAF_ROWID;
}

static inline bool leaf_is_text(uint32_t serial)
{
	return serial >= 12 && serial & 1 && serial != LEAF_ROWID;
}
void leaf_end(leaf_cursor *c);

#endif
