#include "sqlite/leaf.h"

#include <string.h>
#include <sys/mman.h>

leaf_cursor *leaf_start(const page_file *f, const uint32_t *pages, size_t n, const leaf_want *want, int nwant, int key)
{
	leaf_cursor *c = mem_new(leaf_cursor, 1);

	c->f = f;
	c->pages = pages;
	c->npages = n;
	c->want = want;
	c->nwant = nwant;
	c->key = key;
	c->last = -1;
	memset(c->wanted, -1, sizeof c->wanted);
	for (int i = 0; i < nwant; i++) {
		int col = want[i].column;
		if (col >= LEAF_COLUMNS || nwant > LEAF_COLUMNS) {
			c->bad = true;
			break;
		}
		c->ids |= col == key;
		c->also[i] = c->wanted[col];
		c->wanted[col] = (int8_t)i;
		c->last = col > c->last ? col : c->last;
	}
	c->stride = sizeof(leaf_shape) + (size_t)nwant * sizeof(leaf_place);
	c->shapes = mem_alloc(LEAF_SHAPES + LEAF_ODD, c->stride);
	return c;
}

void leaf_end(leaf_cursor *c)
{
	free(c->whole);
	free(c->shapes);
	free(c);
}

/* Assemble a record of `total` bytes: `local` of them are at p, the rest on overflow pages, each of which
 * begins with the number of the next. */
static const uint8_t *follow_overflow(leaf_cursor *c, const uint8_t *p, size_t local, size_t total)
{
	const page_file *f = c->f;
	uint32_t next = page_get4(p + local);
	size_t have = local;
	uint8_t *to;

	c->spent += total;
	if (total > f->size || c->spent > f->size)
		return NULL;            /* the rows of a table cannot take more than the file */
	if (total > c->room) {          /* and eight bytes before it, which leaf_int may read */
		c->whole = mem_grow(c->whole, total + 8, 1);
		memset(c->whole, 0, 8);
		c->room = total;
	}
	to = c->whole + 8;
	memcpy(to, p, local);
	while (have < total) {          /* ends, because every step adds something */
		const uint8_t *page = page_at(f, next);
		size_t n = total - have < f->usable - 4 ? total - have : f->usable - 4;
		if (!page)
			return NULL;
		memcpy(to + have, page + 4, n);
		have += n;
		next = page_get4(page);
	}
	c->whole_used = true;
	return to;
}

/* Work out where a value of this serial type is; false if it is not of the kind wanted. */
static bool put_place(const leaf_want *want, uint64_t serial, size_t size, size_t offset, leaf_place *p)
{
	*p = (leaf_place){ .serial = (uint32_t)serial, .offset = (int32_t)offset };
	p->last8 = (int32_t)((int64_t)offset + (int64_t)size - 8);
	if (serial == 0) {
		p->plus = want->null;
	} else if (serial == 8 || serial == 9) {
		p->plus = (int64_t)serial - 8;
	} else if (leaf_is_int((uint32_t)serial)) {
		p->keep = -1;
		p->shift = (uint8_t)(64 - 8 * size);
	}
	if (serial >= 12)
		p->last8 = -8;          /* not an integer, but safe to read as one */
	return serial == 0 || want->kind == LEAF_ANY ||
		(want->kind == LEAF_INT ? leaf_is_int : leaf_is_bytes)((uint32_t)serial);
}

/* Work out a shape from the serial types in [h,end), of values that take at most `room` bytes. */
static bool make_shape(const leaf_cursor *c, const uint8_t *h, const uint8_t *end, size_t room, leaf_shape *s)
{
	static const uint8_t sizes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
	const uint8_t *from = h;
	uint64_t serial;

	s->size = 0;
	for (int col = 0; col <= c->last; col++) {
		uint64_t n;
		if (h >= end)           /* the column was added after this row was written */
			return false;
		h = page_varint(h, end, &serial);
		if (!h || serial == 10 || serial == 11 || serial >= LEAF_ROWID)
			return false;
		n = serial < 12 ? sizes[serial] : (serial - 12) / 2;
		if (n > room - s->size || s->size > INT32_MAX / 2)
			return false;
		if (col == c->key)      /* NULL in the record */
			for (int w = c->wanted[col]; w >= 0; w = c->also[w])
				s->place[w] = (leaf_place){ .serial = LEAF_ROWID, .last8 = -8 };
		else
			for (int w = c->wanted[col]; w >= 0; w = c->also[w])
				if (!put_place(&c->want[w], serial, n, s->size, &s->place[w]))
					return false;
		s->size += n;
	}
	s->header = h - from;
	return true;
}

static inline leaf_shape *shape_at(const leaf_cursor *c, size_t i)
{
	return (leaf_shape *)(void *)(c->shapes + i * c->stride);
}

/* A mask for the first n bytes of a word in memory, n from 0 to 8. */
static inline uint64_t first_bytes(int n)
{
	return n >= 8 ? UINT64_MAX : n <= 0 ? 0 : le64toh(UINT64_MAX >> (64 - 8 * n));
}

/* The serial types at h, up to the last wanted, as two words; false if they do not fit.  A varint ends at
 * its first byte without the high bit, so n varints take n bytes plus one for each of those bytes with
 * that bit: n grows until it takes in no more such bytes. */
static inline bool key_of(const leaf_cursor *c, const uint8_t *h, uint64_t *key)
{
	uint64_t x[2];
	int n = c->last + 1, high = 0, more;

	memcpy(x, h, 16);
	while (n <= 16) {
		key[0] = x[0] & first_bytes(n);
		key[1] = x[1] & first_bytes(n - 8);
		if (!((key[0] | key[1]) & PAGE_HIGH_BITS))
			return true;
		more = __builtin_popcountll(key[0] & PAGE_HIGH_BITS) + __builtin_popcountll(key[1] & PAGE_HIGH_BITS);
		if (more == high)
			return true;
		n += more - high;
		high = more;
	}
	return false;
}

/* The slot of the shape with these serial types, or the free slot where it belongs. */
static inline size_t slot_of(const leaf_cursor *c, const uint64_t *key)
{
	size_t k = (key[0] * 0x9e3779b97f4a7c15u ^ key[1] * 0xc2b2ae3d27d4eb4fu) >> 54;

	for (; c->slot[k]; k = (k + 1) % (2 * LEAF_SHAPES)) {
		const leaf_shape *s = shape_at(c, c->slot[k] - 1u);
		if (!((s->key[0] ^ key[0]) | (s->key[1] ^ key[1])))
			break;
	}
	return k;
}

/* Make a new shape; slot is where to keep it, SIZE_MAX: do not keep it. */
static const leaf_shape *new_shape(leaf_cursor *c, const uint8_t *h, const uint8_t *header_end, size_t room,
				   const uint64_t *key, size_t slot)
{
	bool keep = slot != SIZE_MAX && c->nshapes < LEAF_SHAPES;
	leaf_shape *s = shape_at(c, keep ? c->nshapes : LEAF_SHAPES + c->nodd);

	if (!make_shape(c, h, header_end, room, s))
		return NULL;
	if (keep) {
		memcpy(s->key, key, sizeof s->key);
		c->slot[slot] = (uint16_t)++c->nshapes;
	} else {
		c->nodd++;
	}
	return s;
}

/* The shape of a record: its serial types are [h,header_end), its values end at end, and nothing past
 * page_end may be read.  NULL if something is odd. */
static inline const leaf_shape *shape_of(leaf_cursor *c, const uint8_t *h, const uint8_t *header_end,
					 const uint8_t *end, const uint8_t *page_end)
{
	uint64_t key[2];
	size_t room = (size_t)(end - header_end), slot = SIZE_MAX;

	/* the bytes of the key must exist, and belong to the header */
	if (page_end - h >= 16 && header_end - h > c->last && key_of(c, h, key)) {
		slot = slot_of(c, key);
		if (c->slot[slot]) {
			const leaf_shape *s = shape_at(c, c->slot[slot] - 1u);
			return s->size <= room && s->header <= header_end - h ? s : NULL;
		}
	}
	return new_shape(c, h, header_end, room, key, slot);
}

static bool next_page(leaf_cursor *c)
{
	const uint8_t *h;

	if (c->at - c->released >= PAGE_RELEASE) {
		page_advise(c->f, c->pages, c->released, c->at, MADV_DONTNEED);
		c->released = c->at;
	}
	if (c->at == c->npages)
		return false;
#ifdef MADV_POPULATE_READ
	if (c->at == c->released && c->npages - c->at > 16)
		page_advise(c->f, c->pages, c->at, c->npages - c->at < PAGE_RELEASE ? c->npages : c->at + PAGE_RELEASE,
		       MADV_POPULATE_READ);
#endif
	c->page = page_at(c->f, c->pages[c->at++]);
	h = c->page ? page_header(c->f, c->page) : NULL;
	c->cell = 0;
	c->ncells = h ? page_get2(h + 3) : 0;
	if (!h || h[0] != PAGE_LEAF || (size_t)(h - c->page) + 8 + 2 * c->ncells > c->f->usable)
		c->bad = true;
	return !c->bad;
}

/* Read the row of a cell; false if something is odd. */
static bool read_row(leaf_cursor *c, size_t cell, leaf_row *r)
{
	const page_file *f = c->f;
	size_t offset = page_get2(page_header(f, c->page) + 8 + 2 * cell), local, most = f->usable - 35;
	const uint8_t *p, *h, *end = c->page + f->usable;
	uint64_t total, header, rowid = 0;

	if (offset < 8 || offset >= f->usable)
		return false;           /* 8: so that the eight bytes before any value are on the page */
	p = page_varint(c->page + offset, end, &total);
	if (p)
		p = c->ids ? page_varint(p, end, &rowid) : page_skip_varint(p, end);
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
	if (local < total) {
		if (!(p = follow_overflow(c, p, local, total)))
			return false;
		end = p + total;
	}
	h = page_varint(p, p + total, &header);
	if (!h || header > total || header < (uint64_t)(h - p))
		return false;
	r->body = p + header;
	r->rowid = (int64_t)rowid;
	r->shape = shape_of(c, h, r->body, p + total, end);
	return r->shape;
}

bool leaf_rows(leaf_cursor *c)
{
	c->n = c->nodd = 0;
	c->whole_used = false;
	if (c->bad)
		return false;
	while (c->cell == c->ncells)
		if (!next_page(c))
			return false;
	while (c->cell < c->ncells && c->n < LEAF_ROWS && c->nodd < LEAF_ODD && !c->whole_used)
		if (read_row(c, c->cell++, &c->row[c->n]))
			c->n++;
		else
			c->bad = true, c->cell = c->ncells;
	return !c->bad;
}
