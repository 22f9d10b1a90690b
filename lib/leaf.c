#include "leaf.h"
#include "err.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { INTERIOR_TABLE = 5, LEAF_TABLE = 13, DEPTH_MAX = 20, RELEASE_PAGES = 1024 };

static uint32_t get2(const uint8_t *p)
{
	return (uint32_t)(p[0] << 8 | p[1]);
}

static uint32_t get4(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* A page that cannot be read, because the disk fails or the file was cut, ends the program. */
static void unreadable(int signal)
{
	static const char text[] = ": the trace changed, or its disk failed, while it was read; run it again\n";

	(void)signal;
	if (write(STDERR_FILENO, err_tool, strlen(err_tool)) < 0 || write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(EXIT_FAILED);
	_exit(EXIT_FAILED);
}

leaf_file *leaf_open(const char *path)
{
	leaf_file *f;
	struct stat st;
	const uint8_t *h;
	void *map;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) < 0 || st.st_size < 512 ||
	    (map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		close(fd);
		return NULL;
	}
	close(fd);
	signal(SIGBUS, unreadable);
	f = mem_new(leaf_file, 1);
	f->map = h = map;
	f->size = (size_t)st.st_size;
	f->page_size = get2(h + 16) == 1 ? 65536 : get2(h + 16);
	f->usable = f->page_size - h[20];
	/* a power of two from 512 to 65536, versions 1 (rollback) or 2 (WAL), UTF-8 */
	if (memcmp(h, "SQLite format 3", 16) != 0 || f->page_size < 512 || f->page_size & (f->page_size - 1) ||
	    f->usable < 480 || h[18] > 2 || h[19] > 2 || get4(h + 56) != 1 || f->size % f->page_size) {
		leaf_close(f);
		return NULL;
	}
	f->npages = f->size / f->page_size;
	return f;
}

void leaf_close(leaf_file *f)
{
	munmap((void *)(uintptr_t)f->map, f->size);
	free(f);
}

static const uint8_t *page_at(const leaf_file *f, uint32_t number)
{
	return number >= 1 && number <= f->npages ? f->map + (size_t)(number - 1) * f->page_size : NULL;
}

/* Where the b-tree header of a page is: the first page begins with the file's. */
static const uint8_t *btree_header(const leaf_file *f, const uint8_t *page)
{
	return page == f->map ? page + 100 : page;
}

/* An interior page's cells and its right-most pointer name the pages below it: number i of them,
 * 0 when the page is not what it should be. */
static uint32_t child(const leaf_file *f, const uint8_t *page, size_t i)
{
	const uint8_t *h = btree_header(f, page);
	size_t ncells = get2(h + 3), cell;

	if (h[0] != INTERIOR_TABLE || (size_t)(h - page) + 12 + 2 * ncells > f->usable)
		return 0;
	if (i == ncells)
		return get4(h + 8);
	cell = get2(h + 12 + 2 * i);
	return cell + 4 <= f->usable ? get4(page + cell) : 0;
}

/* List the leaves under a page that is `height` above them.  The leaves themselves are not looked
 * at: all stand at one height, and whoever reads one sees whether it is a leaf.  visits is how many
 * more pages may be listed: in a tree each is met once. */
static bool list_below(const leaf_file *f, uint32_t number, int height, size_t *visits, leaf_table *t)
{
	const uint8_t *page = page_at(f, number);

	if (!page || !(*visits)--)
		return false;
	if (height == 0) {
		vec_push(t, number);
		return true;
	}
	if (!child(f, page, 0))
		return false;
	for (size_t i = 0; i <= get2(btree_header(f, page) + 3); i++)
		if (!list_below(f, child(f, page, i), height - 1, visits, t))
			return false;
	return true;
}

bool leaf_list(const leaf_file *f, uint32_t root, leaf_table *t)
{
	size_t visits = f->npages;
	int height = 0;

	for (const uint8_t *page = page_at(f, root);; page = page_at(f, child(f, page, 0)), height++) {
		if (!page || height > DEPTH_MAX)
			return false;
		if (btree_header(f, page)[0] == LEAF_TABLE)
			break;
	}
	return list_below(f, root, height, &visits, t);
}

/* Tell the system about pages [from,to) of a list: that they are needed now, all at once, or not any
 * more, so that a scan does not hold the file. */
static void advise(const leaf_file *f, const uint32_t *pages, size_t from, size_t to, int advice)
{
	uint32_t low = UINT32_MAX, high = 0;
	size_t align = 65536;           /* at least the system's page on any machine */
	size_t a, b;

	for (size_t i = from; i < to; i++) {
		low = pages[i] < low ? pages[i] : low;
		high = pages[i] > high ? pages[i] : high;
	}
	if (low > high || high - low > 64 * RELEASE_PAGES)
		return;                 /* scattered: too much of it would have to be read again */
	a = ((size_t)(low - 1) * f->page_size + align - 1) / align * align;
	b = (size_t)high * f->page_size / align * align;
	if (a < b)
		madvise((void *)(uintptr_t)(f->map + a), b - a, advice);
}

void leaf_release(const leaf_file *f)
{
	madvise((void *)(uintptr_t)f->map, f->size, MADV_DONTNEED);
}

size_t leaf_count(const leaf_file *f, const uint32_t *pages, size_t n)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++) {
		const uint8_t *page = page_at(f, pages[i]), *h = page ? btree_header(f, page) : NULL;
		if (!h || h[0] != LEAF_TABLE || (size_t)(h - page) + 8 + 2 * (size_t)get2(h + 3) > f->usable)
			return SIZE_MAX;
		rows += get2(h + 3);
		if (i % RELEASE_PAGES == RELEASE_PAGES - 1)
			advise(f, pages, i + 1 - RELEASE_PAGES, i + 1, MADV_DONTNEED);
	}
	return rows;
}

leaf_cursor leaf_start(const leaf_file *f, const uint32_t *pages, size_t n, const int *columns, int ncolumns, int key)
{
	leaf_cursor c = { .f = f, .pages = pages, .npages = n, .last = -1 };

	memset(c.wanted, -1, sizeof c.wanted);
	for (int i = 0; i < ncolumns; i++) {
		if (columns[i] >= LEAF_COLUMNS || (columns[i] != key && c.wanted[columns[i]] >= 0))
			c.bad = true;   /* too many columns, or one asked for twice */
		else if (columns[i] == key)
			c.place[c.ids++] = (leaf_place){ .column = (uint32_t)i, .serial = LEAF_ROWID };
		else {
			c.wanted[columns[i]] = (int8_t)i;
			c.last = columns[i] > c.last ? columns[i] : c.last;
		}
	}
	c.nplaces = c.ids;
	return c;
}

void leaf_end(leaf_cursor *c)
{
	free(c->whole);
	c->whole = NULL;
}

static const uint8_t *long_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
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

static inline const uint8_t *skip_varint(const uint8_t *p, const uint8_t *end)
{
	for (int i = 0; i < 9 && p < end; i++)
		if (*p++ < 0x80 || i == 8)
			return p;
	return NULL;
}

/* A varint of at most nine bytes, not read past end; NULL: it runs past. */
static inline const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	return long_varint(p, end, v);
}

/* Put together a record of `total` bytes, of which `local` are at p and the rest on overflow
 * pages, each of which begins with the number of the next. */
static const uint8_t *follow_overflow(leaf_cursor *c, const uint8_t *p, size_t local, size_t total)
{
	const leaf_file *f = c->f;
	uint32_t next = get4(p + local);
	size_t have = local;

	c->spent += total;
	if (total > f->size || c->spent > f->size)
		return NULL;            /* no table holds more than its file */
	if (total > c->room) {
		c->whole = mem_grow(c->whole, total, 1);
		c->room = total;
	}
	memcpy(c->whole, p, local);
	while (have < total) {          /* ends, as every step adds something */
		const uint8_t *page = page_at(f, next);
		size_t n = total - have < f->usable - 4 ? total - have : f->usable - 4;
		if (!page)
			return NULL;
		memcpy(c->whole + have, page + 4, n);
		have += n;
		next = get4(page);
	}
	return c->whole;
}

/* Are the serial types at h those of the row before?  They are few: two words at once, where there
 * is room to read them. */
static inline bool alike(const leaf_cursor *c, const uint8_t *h, const uint8_t *header_end, const uint8_t *end)
{
	uint64_t x[2], y[2];

	if (!c->nlike || c->nlike > (size_t)(header_end - h) || c->like_size > (size_t)(end - header_end))
		return false;
	if (c->nlike > 16 || end - h < 16)
		return memcmp(h, c->like, c->nlike) == 0;
	memcpy(x, h, 16);
	memcpy(y, c->like, 16);
	return !((x[0] ^ y[0]) & c->mask[0]) && !((x[1] ^ y[1]) & c->mask[1]);
}

/* Find the values of a record.  Most rows have the serial types of the row before, and then their
 * values are where they were. */
static bool decode(leaf_cursor *c, const uint8_t *rec, size_t len)
{
	static const uint8_t sizes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
	const uint8_t *end = rec + len, *h, *first, *body, *header_end;
	uint64_t header, serial;

	h = first = varint(rec, end, &header);
	if (!h || header > len || header < (uint64_t)(h - rec))
		return false;
	c->body = header_end = body = rec + header;
	if (alike(c, h, header_end, end))
		return true;
	c->nlike = 0;
	c->nplaces = c->ids;
	for (int col = 0; col <= c->last; col++) {
		uint64_t n;
		if (h >= header_end)    /* a column added later, which this row does not have */
			return false;
		h = varint(h, header_end, &serial);
		if (!h || serial == 10 || serial == 11 || serial >= LEAF_ROWID)
			return false;
		n = serial < 12 ? sizes[serial] : (serial - 12) / 2;
		if (n > (uint64_t)(end - body))
			return false;
		if (c->wanted[col] >= 0)
			c->place[c->nplaces++] = (leaf_place){ (uint32_t)c->wanted[col], (uint32_t)serial,
				(uint32_t)(body - header_end) };
		body += n;
	}
	if ((size_t)(h - first) <= sizeof c->like) {
		c->nlike = (size_t)(h - first);
		c->like_size = (size_t)(body - header_end);
		memcpy(c->like, first, c->nlike);
		memset(c->mask, 0, sizeof c->mask);
		memset(c->mask, 0xff, c->nlike < 16 ? c->nlike : 16);
	}
	return true;
}

static bool next_page(leaf_cursor *c)
{
	const uint8_t *h;

	if (c->at - c->released >= RELEASE_PAGES) {
		advise(c->f, c->pages, c->released, c->at, MADV_DONTNEED);
		c->released = c->at;
	}
	if (c->at == c->npages)
		return false;
#ifdef MADV_POPULATE_READ
	if (c->at == c->released && c->npages - c->at > 16)
		advise(c->f, c->pages, c->at, c->npages - c->at < RELEASE_PAGES ? c->npages : c->at + RELEASE_PAGES,
		       MADV_POPULATE_READ);
#endif
	c->page = page_at(c->f, c->pages[c->at++]);
	h = c->page ? btree_header(c->f, c->page) : NULL;
	c->cell = 0;
	c->ncells = h ? get2(h + 3) : 0;
	if (!h || h[0] != LEAF_TABLE || (size_t)(h - c->page) + 8 + 2 * c->ncells > c->f->usable)
		c->bad = true;
	return !c->bad;
}

bool leaf_next(leaf_cursor *c)
{
	const leaf_file *f = c->f;
	const uint8_t *p, *end;
	uint64_t total, rowid = 0;
	size_t offset, local, most = f->usable - 35;

	if (c->bad)
		return false;
	while (c->cell == c->ncells)
		if (!next_page(c))
			return false;
	c->bad = true;                  /* until the row is read */
	offset = get2(btree_header(f, c->page) + 8 + 2 * c->cell++);
	end = c->page + f->usable;
	if (offset >= f->usable)
		return false;
	p = varint(c->page + offset, end, &total);
	if (p && !c->ids)               /* nobody asks for the row id */
		p = skip_varint(p, end);
	else if (p)
		p = varint(p, end, &rowid);
	if (!p || total > SIZE_MAX / 2)
		return false;
	local = total;
	if (total > most) {             /* how much stays on the page: "B-tree Cell Format" */
		size_t least = (f->usable - 12) * 32 / 255 - 23;
		size_t k = least + (total - least) % (f->usable - 4);
		local = k <= most ? k : least;
	}
	if (local + (local < total ? 4 : 0) > (size_t)(end - p))
		return false;
	if (local < total && !(p = follow_overflow(c, p, local, total)))
		return false;
	if (!decode(c, p, total))
		return false;
	c->rowid = (int64_t)rowid;
	c->bad = false;
	return true;
}
