/*
 * page - the pages of a SQLite file, mapped into memory.
 *
 *     page_file *f = page_open("run.sqlite");    // NULL: not a plain file, use the library
 *     page_list t = { 0 };
 *     page_leaves(f, root_page, &t);             // the pages with a table's rows, in order of row id
 *     const uint8_t *page = page_at(f, t.v[0]);
 *     page_close(f);
 *
 * The words are those of "Database File Format" in SQLite's documentation
 * (fileformat2.html): b-tree pages, cells, varints.  Nothing outside the file is
 * ever read, whatever it says.
 */
#ifndef PAGE_H
#define PAGE_H

#include "base/memory.h"

#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct {
	const uint8_t *map;
	size_t size;
	size_t page_size;
	size_t usable;          /* of a page, without what is reserved at its end */
	size_t npages;
} page_file;

typedef vec(uint32_t) page_list;    /* page numbers, from 1 */

enum { PAGE_LEAF = 13 };        /* the first byte of a leaf page of a table */
enum { PAGE_RELEASE = 1024 };   /* so many pages are asked for and given back at once */

page_file *page_open(const char *path);
void page_close(page_file *f);

/* The leaf pages of the table with that root, in order; false if it is not a plain table. */
bool page_leaves(const page_file *f, uint32_t root, page_list *t);

/* Rows on these pages; SIZE_MAX if one of them is not a leaf page. */
size_t page_count(const page_file *f, const uint32_t *pages, size_t n);

/* The same, or somewhat more, without looking at all pages: from the row ids, where they are dense. */
size_t page_most(const page_file *f, const uint32_t *pages, size_t n);

/* Give back the memory of all pages; they are read again when they are looked at. */
void page_release(const page_file *f);

/* Tell the system about pages [from,to) of a list: that they are needed now, all at once, or not any
 * more, so that a scan does not hold the file. */
void page_advise(const page_file *f, const uint32_t *pages, size_t from, size_t to, int advice);

static inline uint32_t page_get2(const uint8_t *p)
{
	return (uint32_t)(p[0] << 8 | p[1]);
}

static inline uint32_t page_get4(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* NULL: there is no page of that number. */
static inline const uint8_t *page_at(const page_file *f, uint32_t number)
{
	return number >= 1 && number <= f->npages ? f->map + (size_t)(number - 1) * f->page_size : NULL;
}

/* Where the b-tree header of a page is: the first page begins with the file's. */
static inline const uint8_t *page_header(const page_file *f, const uint8_t *page)
{
	return page == f->map ? page + 100 : page;
}

#define PAGE_HIGH_BITS 0x8080808080808080u      /* of each byte of a word */

const uint8_t *page_long_varint(const uint8_t *p, const uint8_t *end, uint64_t *v);

/* A varint of at most nine bytes, not read past end; NULL: it runs past. */
static inline const uint8_t *page_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	return page_long_varint(p, end, v);
}

/* The end of a varint: its last byte is the first without the high bit, or the ninth. */
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

#endif
