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

/* Give back the memory of pages [from,to) of a list, so that a scan does not hold the file. */
static void release(const leaf_file *f, const uint32_t *pages, size_t from, size_t to)
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
		madvise((void *)(uintptr_t)(f->map + a), b - a, MADV_DONTNEED);
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
		if (!h || h[0] != LEAF_TABLE)
			return SIZE_MAX;
		rows += get2(h + 3);
		if (i % RELEASE_PAGES == RELEASE_PAGES - 1)
			release(f, pages, i + 1 - RELEASE_PAGES, i + 1);
	}
	return rows;
}

leaf_cursor leaf_start(const leaf_file *f, const uint32_t *pages, size_t n, const int *columns, int ncolumns, int key)
{
	leaf_cursor c = { .f = f, .pages = pages, .npages = n, .last = -1, .rowid = -1, .nvalues = ncolumns };

	memset(c.wanted, -1, sizeof c.wanted);
	for (int i = 0; i < ncolumns; i++) {
		if (columns[i] >= LEAF_COLUMNS || (columns[i] != key && c.wanted[columns[i]] >= 0))
			c.bad = true;   /* too many columns, or one asked for twice */
		else if (columns[i] == key)
			c.rowid = i;
		else {
			c.wanted[columns[i]] = (int8_t)i;
			c.last = columns[i] > c.last ? columns[i] : c.last;
		}
	}
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

/* A varint of at most nine bytes, not read past end; NULL: it runs past. */
static inline const uint8_t *varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
	if (p < end && *p < 0x80) {
		*v = *p;
		return p + 1;
	}
	return long_varint(p, end, v);
}

static inline int64_t integer(const uint8_t *p, uint64_t serial)
{
	switch (serial) {
	case 1: return (int8_t)p[0];
	case 2: return (int16_t)get2(p);
	case 3: return (int32_t)((uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8) >> 8;
	case 4: return (int32_t)get4(p);
	case 5: return (int64_t)((uint64_t)get2(p) << 48 | (uint64_t)get4(p + 2) << 16) >> 16;
	default: return (int64_t)((uint64_t)get4(p) << 32 | get4(p + 4));
	}
}

static inline void take(leaf_value *v, const uint8_t *p, uint64_t serial)
{
	if (serial >= 12) {
		v->type = serial & 1 ? LEAF_TEXT : LEAF_BLOB;
		v->text = (const char *)p;
		v->len = (uint32_t)((serial - 12) / 2);
	} else if (serial == 0) {
		v->type = LEAF_NULL;
	} else if (serial == 7) {
		int64_t bits = integer(p, 6);
		v->type = LEAF_REAL;
		memcpy(&v->d, &bits, sizeof v->d);
	} else {
		v->type = LEAF_INT;
		v->i = serial >= 8 ? (int64_t)(serial - 8) : integer(p, serial);
	}
}

/* Put together a record of `total` bytes, of which `local` are at p and the rest on overflow
 * pages, each of which begins with the number of the next. */
static const uint8_t *follow_overflow(leaf_cursor *c, const uint8_t *p, size_t local, size_t total)
{
	const leaf_file *f = c->f;
	uint32_t next = get4(p + local);
	size_t have = local;

	if (total > f->size)
		return NULL;
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

/* The values of one record.  Most rows have the serial types of the row before, and then their
 * values are where they were. */
static bool decode(leaf_cursor *c, const uint8_t *rec, size_t len, leaf_value *value)
{
	static const uint8_t sizes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
	const uint8_t *end = rec + len, *h, *first, *body, *header_end;
	uint64_t header, serial;

	h = first = varint(rec, end, &header);
	if (!h || header > len)
		return false;
	header_end = body = rec + header;
	if (c->nlike && c->nlike <= (size_t)(header_end - h) && c->like_size <= (size_t)(end - body) &&
	    memcmp(h, c->like, c->nlike) == 0) {
		for (int i = 0; i < c->nplan; i++)
			take(&value[c->plan[i].place], body + c->plan[i].offset, c->plan[i].serial);
		return true;
	}
	c->nlike = 0;
	c->nplan = 0;
	for (int col = 0; col <= c->last; col++) {
		uint64_t n;
		if (h >= header_end)    /* a column added later, which this row does not have */
			return false;
		h = varint(h, header_end, &serial);
		if (!h || serial == 10 || serial == 11)
			return false;
		n = serial < 12 ? sizes[serial] : (serial - 12) / 2;
		if (n > (uint64_t)(end - body))
			return false;
		if (c->wanted[col] >= 0) {
			c->plan[c->nplan].offset = (uint32_t)(body - header_end);
			c->plan[c->nplan].serial = (uint32_t)serial;
			c->plan[c->nplan++].place = (uint32_t)c->wanted[col];
			take(&value[c->wanted[col]], body, serial);
		}
		body += n;
	}
	if ((size_t)(h - first) <= sizeof c->like) {
		c->nlike = (size_t)(h - first);
		c->like_size = (size_t)(body - header_end);
		memcpy(c->like, first, c->nlike);
	}
	return true;
}

static bool next_page(leaf_cursor *c)
{
	const uint8_t *h;

	if (c->at - c->released >= RELEASE_PAGES) {
		release(c->f, c->pages, c->released, c->at);
		c->released = c->at;
	}
	if (c->at == c->npages)
		return false;
	c->page = page_at(c->f, c->pages[c->at++]);
	h = c->page ? btree_header(c->f, c->page) : NULL;
	c->cell = 0;
	c->ncells = h ? get2(h + 3) : 0;
	if (!h || h[0] != LEAF_TABLE || (size_t)(h - c->page) + 8 + 2 * c->ncells > c->f->usable)
		c->bad = true;
	return !c->bad;
}

bool leaf_next(leaf_cursor *c, leaf_value *value)
{
	const leaf_file *f = c->f;
	const uint8_t *p, *end;
	uint64_t total, rowid;
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
	p = p ? varint(p, end, &rowid) : NULL;
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
	/* what is wanted may lie on the page though the record does not end there */
	if (local < total && !(p = follow_overflow(c, p, local, total)))
		return false;
	if (!decode(c, p, total, value))
		return false;
	if (c->rowid >= 0)
		value[c->rowid] = (leaf_value){ .type = LEAF_INT, .i = (int64_t)rowid };
	c->bad = false;
	return true;
}
