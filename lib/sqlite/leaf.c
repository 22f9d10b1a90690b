#include "sqlite/leaf.h"

#include <string.h>
#include <sys/mman.h>

/* A mask for the first n bytes of a word in memory, n from 0 to 8. */
static inline uint64_t first_bytes(int n)
{
	return n >= 8 ? UINT64_MAX : n <= 0 ? 0 : le64toh(UINT64_MAX >> (64 - 8 * n));
}

static inline leaf_shape *shape_at(const leaf_cursor *c, size_t i)
{
	return (leaf_shape *)(void *)(c->shapes + i * c->stride);
}

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
	c->wide = c->last >= 12;        /* texts may take two bytes */
	for (int i = 0; i < LEAF_KEY; i++)
		c->mask[i] = first_bytes(c->last + 1 - 8 * i);
	c->stride = sizeof(leaf_shape) + (size_t)nwant * sizeof(leaf_place);
	c->shapes = mem_alloc(LEAF_SHAPES + LEAF_ODD, c->stride);
	for (size_t i = 0; i < 1 << LEAF_NEAR; i++)
		c->near[i] = shape_at(c, LEAF_SHAPES);
	shape_at(c, LEAF_SHAPES)->key[0] = UINT64_MAX;  /* of no row: its mask is 0 */
	return c;
}

void leaf_end(leaf_cursor *c)
{
	page_advise(c->f, c->pages, c->released, c->at, MADV_DONTNEED);
	mem_free(c->whole, c->shapes, c);
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
	s->header = (size_t)(h - from);
	return true;
}

/* The serial types at h, up to the last wanted, as words; how many bytes they take, 0 if they do not fit.  A varint
 * ends at its first byte without the high bit, so n varints take n bytes plus one for each of those bytes with that
 * bit: n grows until it takes in no more such bytes. */
static inline int key_of(const leaf_cursor *c, const uint8_t *h, uint64_t *key)
{
	int words = c->wide ? LEAF_KEY : 2, n = c->last + 1, high = 0, more;

	for (; n <= 8 * words; n += more - high, high = more) {
		more = 0;
		for (int i = 0; i < words; i++) {
			memcpy(&key[i], h + 8 * i, 8);
			key[i] &= first_bytes(n - 8 * i);
			more += __builtin_popcountll(key[i] & PAGE_HIGH_BITS);
		}
		if (more == high)
			return n;
	}
	return 0;
}

static inline bool has_key(const leaf_shape *s, const uint64_t *key, bool wide)
{
	uint64_t differ = (s->key[0] ^ key[0]) | (s->key[1] ^ key[1]);

	return !(wide ? differ | (s->key[2] ^ key[2]) | (s->key[3] ^ key[3]) : differ);
}

static inline uint64_t hash_of(const uint64_t *key, bool wide)
{
	uint64_t hash = key[0] + key[1] * 0xc2b2ae3d27d4eb4fu;

	return (wide ? hash + key[2] * 0x165667b19e3779f9u + key[3] * 0xd6e8feb86659fd93u : hash) * 0x9e3779b97f4a7c15u;
}

/* A hash of the serial types up to the last wanted if they take a byte each. */
static inline unsigned near_hash(const uint64_t *k, const uint64_t *mask, bool wide)
{
	uint64_t hash = (k[0] & mask[0]) + ((k[1] & mask[1]) << 3);

	if (wide)
		hash += ((k[2] & mask[2]) << 5) + ((k[3] & mask[3]) << 6);
	return (unsigned)(hash * 0x9e3779b97f4a7c15u >> (64 - LEAF_NEAR));
}

/* The slot of the shape with this key, or the free slot where it belongs. */
static inline size_t slot_of(const leaf_cursor *c, const uint64_t *key)
{
	size_t k;

	for (k = hash_of(key, c->wide) >> 54; c->slot[k]; k = (k + 1) % (2 * LEAF_SHAPES))
		if (has_key(shape_at(c, c->slot[k] - 1u), key, c->wide))
			break;
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
		for (int i = 0; i < LEAF_KEY; i++)
			s->mask[i] = first_bytes((int)s->header - 8 * i);
		c->slot[slot] = (uint16_t)++c->nshapes;
	} else {
		c->nodd++;
	}
	return s;
}

static inline bool fits(const leaf_shape *s, size_t header, size_t room)
{
	return s->size <= room && s->header <= header;
}

/* The shape of a record: its serial types are [h,header_end), its values end at end, and nothing past
 * page_end may be read.  NULL if something is odd. */
static const leaf_shape *shape_of(leaf_cursor *c, const uint8_t *h, const uint8_t *header_end, const uint8_t *end,
				  const uint8_t *page_end)
{
	uint64_t key[LEAF_KEY] = { 0 };
	size_t room = (size_t)(end - header_end), slot = SIZE_MAX;

	/* the bytes of the key must exist, and belong to the header */
	if (page_end - h >= 8 * LEAF_KEY && header_end - h > c->last && key_of(c, h, key)) {
		slot = slot_of(c, key);
		if (c->slot[slot]) {
			const leaf_shape *s = shape_at(c, c->slot[slot] - 1u);
			return fits(s, (size_t)(header_end - h), room) ? s : NULL;
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

/* The kept shape of a row whose serial types are at h; NULL: it is met for the first time. */
static const leaf_shape *kept_shape(const leaf_cursor *c, const uint8_t *h)
{
	uint64_t key[LEAF_KEY];
	size_t slot;

	if (!key_of(c, h, key))
		return NULL;
	slot = slot_of(c, key);
	return c->slot[slot] ? shape_at(c, c->slot[slot] - 1u) : NULL;
}

/* Look up the shape that near lacks at that place; false: it is met for the first time. */
static __attribute__((noinline)) bool bring_near(leaf_cursor *c, const uint8_t *h, unsigned at)
{
	const leaf_shape *s = kept_shape(c, h);

	if (!s)
		return false;
	c->mixed |= c->near[at]->mask[0] != 0;          /* rows before this one may have the shape that it replaces */
	c->near[at] = s;
	return true;
}

/* Is this the shape of a row whose serial types are these?  Varints that begin alike are alike. */
static inline bool is_shape(const leaf_shape *s, const uint64_t *k, bool wide)
{
	uint64_t own[LEAF_KEY] = { k[0] & s->mask[0], k[1] & s->mask[1] };

	if (wide) {
		own[2] = k[2] & s->mask[2];
		own[3] = k[3] & s->mask[3];
	}
	return has_key(s, own, wide);
}

/* Read rows as long as they are as most are: on the page, their size in one or two bytes, and of a shape that is
 * kept.  Most rows have one of few shapes; finding it without a branch is faster than guessing that it is that of the
 * row before.  Whatever else there is, read_row looks at.  The rows of the next page are about where those of this one
 * are. */
static inline __attribute__((always_inline)) void plain_rows(leaf_cursor *c, bool wide)
{
	const uint8_t *page = c->page, *cells = page_header(c->f, page) + 8;
	const uint8_t *after = c->at < c->npages ? page_at(c->f, c->pages[c->at]) : NULL;
	size_t usable = c->f->usable, n = c->n, cell = c->cell, last = c->ncells;
	const uint64_t mask[LEAF_KEY] = { c->mask[0], c->mask[1], c->mask[2], c->mask[3] };
	uint64_t seen = c->seen;

	after = after ? after : page;
	for (; cell < last && n < LEAF_ROWS; cell++, n++) {
		size_t offset = page_get2(cells + 2 * cell), total, header;
		const uint8_t *p = page + offset;
		uint64_t x, ends, second, k[LEAF_KEY] = { 0 };
		const leaf_shape *s;
		unsigned at;

		__builtin_prefetch(after + offset);
		__builtin_prefetch(after + offset + 64);
		if (offset < 8 || offset + 16 + 8 * LEAF_KEY > usable)
			break;
		memcpy(&x, p, 8);
		x = le64toh(x);
		ends = ~x & PAGE_HIGH_BITS;     /* the last bytes of varints */
		second = ends & (ends - 1);
		if (!(ends & 0x8080) || !second)
			break;
		total = ends & 0x80 ? x & 0x7f : (x & 0x7f) << 7 | (x >> 8 & 0x7f);
		p += __builtin_ctzll(second) / 8 + 1;
		header = *p;
		memcpy(k, p + 1, wide ? 32 : 16);
		at = near_hash(k, mask, wide);
		s = c->near[at];
		if (__builtin_expect(!is_shape(s, k, wide), 0)) {
			if (!bring_near(c, p + 1, at))
				break;
			s = c->near[at];
		}
		if (header >= 0x80 || header > total || total > usable - 35 || total > (size_t)(page + usable - p) ||
		    !fits(s, header - 1, total - header))
			break;
		seen |= (uint64_t)1 << at;
		c->row[n].body = p + header;
		c->row[n].shape = s;
	}
	c->seen = seen;
	c->n = n;
	c->cell = cell;
}

/* Find the columns whose values all rows have at the same place: mostly those before the first that varies in size.
 * What was found for the same shapes before still holds. */
static void find_same(leaf_cursor *c)
{
	if (c->mixed)
		memset(c->same, 0, sizeof c->same);
	if (c->mixed || c->seen == c->settled) {
		c->settled = c->mixed ? 0 : c->settled;
		return;
	}
	c->settled = c->seen;
	memset(c->same, 1, sizeof c->same);
	for (uint64_t left = c->seen & (c->seen - 1); left; left &= left - 1) {
		const leaf_place *first = c->near[__builtin_ctzll(c->seen)]->place;
		const leaf_place *p = c->near[__builtin_ctzll(left)]->place;
		for (int w = 0; w < c->nwant; w++)
			c->same[w] &= p[w].last8 == first[w].last8 && p[w].shift == first[w].shift &&
				p[w].keep == first[w].keep && p[w].plus == first[w].plus;
	}
}

/* Rows of several pages, as long as they stay in memory. */
bool leaf_rows(leaf_cursor *c)
{
	c->n = c->nodd = 0;
	c->seen = 0;
	c->whole_used = c->mixed = false;
	while (!c->bad && c->n < LEAF_ROWS && c->nodd < LEAF_ODD && !c->whole_used) {
		if (c->cell == c->ncells) {
			if ((c->n && c->at - c->released >= PAGE_RELEASE) || !next_page(c))
				break;
			continue;
		}
		if (!c->ids && c->wide)
			plain_rows(c, true);
		else if (!c->ids)
			plain_rows(c, false);
		if (c->cell == c->ncells || c->n == LEAF_ROWS)
			continue;
		c->mixed = true;
		c->bad = !read_row(c, c->cell++, &c->row[c->n]);
		c->n++;
	}
	find_same(c);
	return !c->bad && c->n;
}
