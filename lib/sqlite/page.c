#include "sqlite/page.h"
#include "base/folders.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INTERIOR_TABLE = 5, DEPTH_MAX = 20 };    /* the first byte of an interior page's header; most levels of a tree */

page_file *page_open(const char *path)
{
	page_file *f;
	struct stat st;
	const uint8_t *h;
	void *map;
	int fd;

	fd = folders_open(path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || st.st_size < 512 ||
	    (map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		close(fd);
		return NULL;
	}
	f = mem_new(page_file, 1);
	f->fd = fd;
	f->map = h = map;
	f->size = (size_t)st.st_size;
	f->align = (size_t)sysconf(_SC_PAGESIZE);
	f->page_size = page_size_in(h);
	f->usable = f->page_size - h[20];
	/* required: a page size that is a power of two from 512 to 65536, format versions of at most 2 (1: rollback
	 * journal, 2: write-ahead log), UTF-8, and a whole number of pages */
	if (memcmp(h, "SQLite format 3", 16) != 0 || f->page_size < 512 || f->page_size & (f->page_size - 1) ||
	    f->usable < 480 || h[18] > 2 || h[19] > 2 || page_get4(h + 56) != 1 || f->size % f->page_size) {
		page_close(f);
		return NULL;
	}
	f->npages = f->size / f->page_size;
	return f;
}

void page_close(page_file *f)
{
	munmap((void *)(uintptr_t)f->map, f->size);
	close(f->fd);
	free(f);
}

bool page_copy(const page_file *f, uint32_t number, uint8_t *to)
{
	return number >= 1 && number <= f->npages &&
		pread(f->fd, to, f->page_size, (off_t)(number - 1) * (off_t)f->page_size) == (ssize_t)f->page_size;
}

/* The number of children of a page; 0 if it is malformed or not an interior page. */
static size_t page_count_children(const page_file *f, const uint8_t *page)
{
	const uint8_t *h = page_header(f, page);
	size_t cells = page_get2(h + 3);

	return h[0] == INTERIOR_TABLE && (size_t)(h - page) + 12 + 2 * cells <= f->usable ? cells + 1 : 0;
}

/* The page number of child i of n; 0: the cell is malformed.  The header has the number of the right-most child, and
 * the cells have the others. */
static uint32_t page_number_of_child(const page_file *f, const uint8_t *page, size_t i, size_t n)
{
	const uint8_t *h = page_header(f, page);
	size_t cell;

	if (i + 1 == n)
		return page_get4(h + 8);
	cell = page_get2(h + 12 + 2 * i);
	return cell + 4 <= f->usable ? page_get4(page + cell) : 0;
}

typedef struct {
	const page_file *f;
	size_t visits;                  /* how many pages have been visited */
} page_walk_ctx;

/* Count visits to the n children of a page.  False: the page is malformed (n is 0), or there were more visits than the
 * file has pages.  That happens if the pages form a cycle, or if one of them is in the tree twice. */
static bool page_count_visits(page_walk_ctx *l, size_t n)
{
	l->visits += n;
	return n && l->visits <= l->f->npages;
}

/* Add to the list the n children of a page, which are leaves, without reading them.  In a b-tree all leaves are at the
 * same depth, and whoever reads a page of the list checks that it is a leaf.  False: the tree is damaged. */
static bool page_list_children(page_walk_ctx *l, const uint8_t *page, size_t n, page_list *leaves)
{
	uint32_t most = (uint32_t)(l->f->npages < UINT32_MAX ? l->f->npages : UINT32_MAX);
	bool ok = page_count_visits(l, n);

	if (!ok)
		return false;
	vec_reserve(leaves, leaves->n + n);
	for (size_t i = 0; i < n; i++) {
		uint32_t child = page_number_of_child(l->f, page, i, n);
		ok &= child - 1 < most;
		leaves->v[leaves->n + i] = child;
	}
	leaves->n += n;
	return ok;
}

/* Add to the list the leaves below a page with n children, which lies `height` levels (at least two) above the leaves.
 * Interior pages lie scattered between the leaves, so each is copied (page_copy).  False: the tree is damaged. */
static bool page_list_below(page_walk_ctx *l, const uint8_t *page, size_t n, int height, page_list *leaves)
{
	uint8_t *copy = mem_grow(NULL, 1, l->f->page_size);
	bool ok = page_count_visits(l, n);

	for (size_t i = 0; ok && i < n; i++) {
		size_t more = page_copy(l->f, page_number_of_child(l->f, page, i, n), copy) ?
			page_count_children(l->f, copy) :
			0;
		ok = height == 2 ? page_list_children(l, copy, more, leaves) :
			page_list_below(l, copy, more, height - 1, leaves);
	}
	free(copy);
	return ok;
}

bool page_list_leaves(const page_file *f, uint32_t root, page_list *leaves)
{
	const uint8_t *top = page_at(f, root), *page = top;
	page_walk_ctx l = { .f = f };
	int height = 0;

	for (; page && page_header(f, page)[0] != PAGE_LEAF; height++) {
		size_t n = page_count_children(f, page);
		page = n && height < DEPTH_MAX ? page_at(f, page_number_of_child(f, page, 0, n)) : NULL;
	}
	if (page && !height)
		vec_push(leaves, root);
	return page && (!height || (height == 1 ? page_list_children(&l, top, page_count_children(f, top), leaves) :
		page_list_below(&l, top, page_count_children(f, top), height, leaves)));
}

void page_advise(const page_file *f, const uint32_t *pages, size_t from, size_t to, int advice)
{
	uint32_t low = UINT32_MAX, high = 0;
	size_t align = f->align, a, b;

	for (size_t i = from; i < to; i++) {
		low = pages[i] < low ? pages[i] : low;
		high = pages[i] > high ? pages[i] : high;
	}
	if (low > high || high - low > 16 * (to - from))
		return;                 /* the pages are scattered, so the advice would cover too much between them */
	a = ((size_t)(low - 1) * f->page_size + align - 1) / align * align;
	b = (size_t)high * f->page_size / align * align;
	if (a < b)
		madvise((void *)(uintptr_t)(f->map + a), b - a, advice);
}

size_t page_count(const page_file *f, const uint32_t *pages, size_t n)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *page = page_at(f, pages[i]), *h = page ? page_header(f, page) : NULL;
		if (!h || h[0] != PAGE_LEAF || (size_t)(h - page) + 8 + 2 * (size_t)page_get2(h + 3) > f->usable)
			return SIZE_MAX;
		rows += page_get2(h + 3);
		if (i % PAGE_RELEASE == PAGE_RELEASE - 1 || i + 1 == n)
			page_advise(f, pages, i / PAGE_RELEASE * PAGE_RELEASE, i + 1, MADV_DONTNEED);
	}
	return rows;
}

const uint8_t *page_long_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	uint64_t x = 0;

	for (int i = 0; i < 9 && p < end; i++, p++) {
		if (i == 8) {
			*v = x << 8 | *p;
			return p + 1;
		}
		x = x << 7 | (*p & 0x7f);
		if (*p < 0x80) {
			*v = x;
			return p + 1;
		}
	}
	return NULL;
}

/* The row id of the first or the last row on a leaf page; false: the page has no rows, or is damaged. */
static bool page_rowid(const page_file *f, uint32_t number, bool last, int64_t *rowid)
{
	const uint8_t *page = page_at(f, number), *h = page ? page_header(f, page) : NULL, *p;
	size_t ncells = h ? page_get2(h + 3) : 0, offset;
	uint64_t v;

	if (!h || h[0] != PAGE_LEAF || !ncells || (size_t)(h - page) + 8 + 2 * ncells > f->usable)
		return false;
	offset = page_get2(h + 8 + 2 * (last ? ncells - 1 : 0));
	if (offset >= f->usable || !(p = page_varint(page + offset, page + f->usable, &v)) ||
	    !page_varint(p, page + f->usable, &v))
		return false;
	*rowid = (int64_t)v;
	return true;
}

size_t page_most_rows(const page_file *f, const uint32_t *pages, size_t n)
{
	int64_t first, last;

	if (n && page_rowid(f, pages[0], false, &first) && page_rowid(f, pages[n - 1], true, &last) && first <= last &&
	    (uint64_t)last - (uint64_t)first < n * (f->usable / 8))
		return (size_t)((uint64_t)last - (uint64_t)first + 1);
	return page_count(f, pages, n);
}
