/*
 * leaf - reads the rows of a table straight from the pages of a SQLite file.
 *
 *     leaf_file *f = leaf_open("run.sqlite");    // NULL: not a plain file, use the library
 *     leaf_table t = { 0 };
 *     leaf_list(f, root_page, &t);               // the table's leaf pages, in order of row id
 *     leaf_cursor c = leaf_start(f, t.v, t.n, columns, ncolumns, -1);
 *     while (leaf_next(&c, value))
 *         ... value[0].i, value[1].text, value[1].len ...
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const uint8_t *map;
	size_t size;
	size_t page_size;
	size_t usable;          /* of a page, without what is reserved at its end */
	size_t npages;
} leaf_file;

typedef vec(uint32_t) leaf_table;   /* page numbers, from 1 */

enum leaf_type { LEAF_NULL, LEAF_INT, LEAF_REAL, LEAF_TEXT, LEAF_BLOB };

typedef struct {
	uint32_t type;          /* enum leaf_type */
	uint32_t len;           /* of text and blob */
	union {
		int64_t i;
		double d;
		const char *text;   /* not ended by a NUL; holds until the next row */
	};
} leaf_value;

enum { LEAF_COLUMNS = 64 };     /* columns of a table beyond this are left to the library */

typedef struct {
	const leaf_file *f;
	const uint32_t *pages;
	size_t npages, at;      /* at: the page to come */
	const uint8_t *page;
	size_t cell, ncells;
	int8_t wanted[LEAF_COLUMNS];    /* by column: its place among the values, or -1 */
	int last;               /* highest column wanted */
	int rowid;              /* place of the row id among the values, or -1 */
	int nvalues;
	uint8_t like[LEAF_COLUMNS];     /* the serial types of the row before, up to the last wanted */
	size_t nlike;
	struct {
		uint32_t offset;        /* of a value in the body of such a row */
		uint32_t serial, place;
	} plan[LEAF_COLUMNS];
	int nplan;
	size_t like_size;               /* of the body, up to the last wanted */
	uint8_t *whole;         /* a record put together from overflow pages */
	size_t room;
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
bool leaf_next(leaf_cursor *c, leaf_value *value);
void leaf_end(leaf_cursor *c);

#endif
