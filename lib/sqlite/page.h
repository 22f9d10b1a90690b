/*
 * page - the pages of a SQLite file, mapped into memory.
 *
 *     page_file *f = page_open("run.sqlite");    // NULL: it cannot be read this way, use SQLite
 *     page_list leaves = { 0 };
 *     if (f && page_list_leaves(f, 1, &leaves))    // the pages with the rows of the table with root page 1
 *         printf("%zu rows\n", page_count(f, leaves.v, leaves.n));
 *     vec_free(&leaves);
 *     if (f)
 *         page_close(f);
 *
 * The terms are those of "Database File Format" in SQLite's documentation
 * (fileformat2.html): b-tree pages, cells, varints.  Whatever the file says,
 * nothing outside it is ever read.
 *
 * If the file is truncated while it is mapped, or its disk fails, reading a page
 * raises SIGBUS.  The program must handle it; the command line does.
 */
#pragma once

#include "base/memory.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
	int fd;
	const uint8_t *map;
	size_t size;
	size_t page_size;
	size_t usable;          /* bytes of a page without those reserved at its end */
	size_t npages;
	size_t align;           /* the system's page size, needed for memory advice */
} page_file;

typedef vec(uint32_t) page_list;    /* page numbers, from 1 */

enum { PAGE_LEAF = 13 };        /* first byte of the header of a leaf page of a table */
enum { PAGE_RELEASE = 1024 };   /* number of pages that are requested or released together (page_advise) */

page_file *page_open(const char *path);
void page_close(page_file *f);

/* Add the leaf pages of the table with that root page to a list, in order of row id.  False: it is no plain table, or
 * its tree is damaged. */
bool page_list_leaves(const page_file *f, uint32_t root, page_list *leaves);

/* The number of rows on these pages; SIZE_MAX if one of them is not a leaf page. */
size_t page_count(const page_file *f, const uint32_t *pages, size_t n);

/* An upper bound for the number of rows on these pages, if their row ids rise.  If the ids are dense, the bound follows
 * from the first and the last id; otherwise all rows are counted.  SIZE_MAX if a page that was looked at is not a leaf
 * page. */
size_t page_most_rows(const page_file *f, const uint32_t *pages, size_t n);

/* Copy a page to `to`; false: it cannot be read.  For a few pages, this is faster than reading them in the map, because
 * the system maps fifteen neighbours with each page. */
bool page_copy(const page_file *f, uint32_t number, uint8_t *to);

/* Advise the system that the pages [from,to) of a list are needed now, or no longer, so that a scan does not keep the
 * whole file in memory.  `advice` is that of madvise. */
void page_advise(const page_file *f, const uint32_t *pages, size_t from, size_t to, int advice);

static inline uint32_t page_get2(const uint8_t *p)
{
	return (uint32_t)(p[0] << 8 | p[1]);
}

static inline uint32_t page_get4(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The page size that the header of the file states. */
static inline size_t page_size_in(const uint8_t *header)
{
	return page_get2(header + 16) == 1 ? 65536 : page_get2(header + 16);
}

/* The page with this number; NULL: there is none. */
static inline const uint8_t *page_at(const page_file *f, uint32_t number)
{
	return number >= 1 && number <= f->npages ? f->map + (size_t)(number - 1) * f->page_size : NULL;
}

/* The b-tree header of a page.  On the first page it comes after the header of the file. */
static inline const uint8_t *page_header(const page_file *f, const uint8_t *page)
{
	return page == f->map ? page + 100 : page;
}

#define PAGE_HIGH_BITS 0x8080808080808080u      /* the high bit of each byte of a word */

const uint8_t *page_long_varint(const uint8_t *p, const uint8_t *end, uint64_t *v);     /* for page_varint */

/* Read a varint of at most nine bytes.  Returns its end; NULL: it runs past `end`. */
static inline const uint8_t *page_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	return page_long_varint(p, end, v);
}

/* The end of a varint, whose last byte is the first without the high bit, or the ninth.  NULL: it runs past `end`. */
static inline const uint8_t *page_skip_varint(const uint8_t *p, const uint8_t *end)
{
	uint64_t x, last;

	if (end - p >= 8) {
		memcpy(&x, p, 8);
		last = ~le64toh(x) & PAGE_HIGH_BITS;
		if (last)
			return p + __builtin_ctzll(last) / 8 + 1;
	}
	for (int i = 0; i < 9 && p < end; i++)
		if (*p++ < 0x80 || i == 8)
			return p;
	return NULL;
}
