#include "sqlite/leaf.h"

#include <string.h>
#include <sys/mman.h>

enum { AHEAD = 16 + 8 * LEAF_KEY };     /* bytes from the start of a row that are read before its end is known */

/* A mask for the first n bytes of a word in memory: for no byte if n is negative, for all eight if n is above 8. */
static inline uint64_t leaf_mask_bytes(int n)
{
	return n >= 8 ? UINT64_MAX : n <= 0 ? 0 : le64toh(UINT64_MAX >> (64 - 8 * n));
}

static inline leaf_shape *leaf_shape_at(const leaf_cursor *c, size_t i)
{
	return (leaf_shape *)(void *)(c->shapes + i * c->stride);
}

leaf_cursor *leaf_start(const page_file *f, const uint32_t *pages, size_t n, const leaf_want *want, int nwant,
			int rowid_column)
{
	leaf_cursor *c = mem_new(leaf_cursor, 1);

	c->f = f;
	c->pages = pages;
	c->npages = n;
	c->want = want;
	c->nwant = nwant;
	c->rowid_column = rowid_column;
	c->last = -1;
	c->all = ~(nwant < 64 ? UINT64_MAX << nwant : 0);
	memset(c->wanted, -1, sizeof c->wanted);
	for (int i = 0; i < nwant; i++) {
		int col = want[i].column;
		if (col >= LEAF_COLUMNS || nwant > LEAF_COLUMNS) {
			c->bad = true;
			break;
		}
		c->ids |= col == rowid_column;
		c->also[i] = c->wanted[col];
		c->wanted[col] = (int8_t)i;
		c->last = col > c->last ? col : c->last;
	}
	/* bytes of a key: one for the header's size and one for each column; a text may take two */
	c->words = c->last + 2 <= 7 ? 1 : c->last + 2 <= 14 ? 2 : c->last + 2 <= 21 ? 3 : LEAF_KEY;
	for (int i = 0; i < LEAF_KEY; i++)
		c->mask[i] = leaf_mask_bytes(c->last + 2 - 8 * i);
	c->stride = sizeof(leaf_shape) + (size_t)nwant * sizeof(leaf_place);
	c->shapes = mem_grow(NULL, LEAF_SHAPES + LEAF_ODD + 1, c->stride);      /* most of this memory is never
										 * touched */
	memset(leaf_shape_at(c, LEAF_SHAPES), 0, (LEAF_ODD + 1) * c->stride);
	for (size_t i = 0; i < 1 << LEAF_RECENT_BITS; i++)
		c->recent[i] = leaf_shape_at(c, LEAF_SHAPES);
	leaf_shape_at(c, LEAF_SHAPES)->key[0] = UINT64_MAX;  /* matches no row: its mask is 0 */
	return c;
}

void leaf_end(leaf_cursor *c)
{
	page_advise(c->f, c->pages, c->released, c->next_page, MADV_DONTNEED);
	mem_free(c->whole, c->shapes, c);
}

/* Assemble a record of `total` bytes in c->whole.  `local` of them are at p, and the number of the first overflow page
 * follows.  Each overflow page begins with the number of the next.  NULL: the file is damaged. */
static const uint8_t *leaf_assemble_record(leaf_cursor *c, const uint8_t *p, size_t local, size_t total)
{
	const page_file *f = c->f;
	uint32_t next = page_get4(p + local);
	size_t have = local;
	uint8_t *to;

	c->spent += total;
	if (total > f->size || c->spent > f->size)
		return NULL;            /* the rows of a table cannot take more than the file */
	if (total > c->room) {          /* there is also room for eight bytes before the record, which leaf_int may
					 * read */
		c->whole = mem_grow(c->whole, 8 + total + AHEAD, 1);
		memset(c->whole, 0, 8);
		c->room = total;
	}
	to = c->whole + 8;
	memcpy(to, p, local);
	while (have < total) {          /* this ends, because every round adds bytes */
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

/* Compute the place of a value with this serial type.  False: the value is not of the wanted kind. */
static bool leaf_compute_place(const leaf_want *want, uint64_t serial, size_t size, size_t offset, leaf_place *p)
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
		p->last8 = -8;          /* leaf_int must not leave the file, even if it is called for a text */
	return serial == 0 || want->kind == LEAF_ANY ||
		(want->kind == LEAF_INT ? leaf_is_int : leaf_is_bytes)((uint32_t)serial);
}

/* The places of the wanted values in a typical row.  If all rows of a batch have an integer at its usual place,
 * leaf_copy_ints reads it without looking up the shape of each row. */
static leaf_place *leaf_usual_places(const leaf_cursor *c)
{
	return leaf_shape_at(c, LEAF_SHAPES + LEAF_ODD)->place;
}

/* The wants for which leaf_int reads the same at the places p as at the usual places, as bits. */
static uint64_t leaf_find_alike(const leaf_cursor *c, const leaf_place *p)
{
	const leaf_place *q = leaf_usual_places(c);
	uint64_t bits = 0;

	for (int w = 0; w < c->nwant; w++)
		if (p[w].keep == q[w].keep && p[w].plus == q[w].plus &&
		    (!p[w].keep || (p[w].last8 == q[w].last8 && p[w].shift == q[w].shift)))
			bits |= (uint64_t)1 << w;
	return bits;
}

/* Compute a shape from the serial types in [h,end), with `least` still without the header.  The values may take at most
 * `room` bytes.  False: something is unexpected. */
static bool leaf_make_shape(const leaf_cursor *c, const uint8_t *h, const uint8_t *end, size_t room, leaf_shape *s)
{
	static const uint8_t sizes[12] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0 };
	size_t size = 0;
	uint64_t serial;

	for (int col = 0; col <= c->last; col++) {
		uint64_t n;
		if (h >= end)           /* the row was written before the column was added */
			return false;
		h = page_varint(h, end, &serial);
		if (!h || serial == 10 || serial == 11 || serial >= LEAF_ROWID)
			return false;
		n = serial < 12 ? sizes[serial] : (serial - 12) / 2;
		if (n > room - size || size > INT32_MAX / 2)
			return false;
		if (col == c->rowid_column)     /* it is NULL in the record */
			for (int w = c->wanted[col]; w >= 0; w = c->also[w])
				s->place[w] = (leaf_place){ .serial = LEAF_ROWID, .last8 = -8 };
		else
			for (int w = c->wanted[col]; w >= 0; w = c->also[w])
				if (!leaf_compute_place(&c->want[w], serial, n, size, &s->place[w]))
					return false;
		size += n;
	}
	s->least = size;
	s->alike = leaf_find_alike(c, s->place);
	return true;
}

/* Read the header at h, up to the last wanted column, as words.  Returns how many bytes that part has; 0: they do not
 * fit in c->words words.  A varint ends at its first byte without the high bit.  So the varints take one byte each,
 * plus one for each byte among them that has the high bit.  The loop raises n, the bytes, until that holds. */
static inline int leaf_read_key(const leaf_cursor *c, const uint8_t *h, uint64_t *key)
{
	int words = c->words, n = c->last + 2, high = 0, more;

	for (; n <= 8 * words; n += more - high, high = more) {
		more = 0;
		for (int i = 0; i < words; i++) {
			memcpy(&key[i], h + 8 * i, 8);
			key[i] &= leaf_mask_bytes(n - 8 * i);
			more += __builtin_popcountll(key[i] & PAGE_HIGH_BITS);
		}
		if (more == high)
			return n;
	}
	return 0;
}

static inline bool leaf_has_key(const leaf_shape *s, const uint64_t *key, int words)
{
	uint64_t differ = 0;

#pragma GCC unroll 4
	for (int i = 0; i < words; i++)
		differ |= s->key[i] ^ key[i];
	return !differ;
}

/* A hash of a key under a mask. */
static inline uint64_t leaf_hash_of(const uint64_t *key, const uint64_t *mask, int words)
{
	uint64_t hash = key[0] & mask[0];

#pragma GCC unroll 4
	for (int i = 1; i < words; i++)
		hash += (key[i] & mask[i]) << (3 * i);
	return hash * 0x9e3779b97f4a7c15u;
}

/* The index in c->slot of the shape with this key, or of the free slot where that shape belongs. */
static inline size_t leaf_slot_of(const leaf_cursor *c, const uint64_t *key)
{
	static const uint64_t all[LEAF_KEY] = { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX };
	size_t slot;

	for (slot = leaf_hash_of(key, all, c->words) >> 54; c->slot[slot]; slot = (slot + 1) % (2 * LEAF_SHAPES))
		if (leaf_has_key(leaf_shape_at(c, c->slot[slot] - 1u), key, c->words))
			break;
	return slot;
}

/* The shape of the record whose header is at h, has `header` bytes and has its first serial type at `types`.  `room` is
 * how many bytes its values may take.  NULL: something is unexpected. */
static const leaf_shape *leaf_shape_of(leaf_cursor *c, const uint8_t *h, const uint8_t *types, size_t header,
				       size_t room)
{
	const page_file *f = c->f;
	uint64_t key[LEAF_KEY] = { 0 };
	bool readable = c->whole_used || f->map + f->size - h >= 8 * LEAF_KEY;
	int bytes = readable && types - h == 1 ? leaf_read_key(c, h, key) : 0;
	size_t slot = bytes ? leaf_slot_of(c, key) : 0;
	bool keep = bytes && c->nshapes < LEAF_SHAPES;
	leaf_shape *s = leaf_shape_at(c, keep ? c->nshapes : LEAF_SHAPES + c->nodd);

	if (bytes && c->slot[slot]) {
		s = leaf_shape_at(c, c->slot[slot] - 1u);
		return s->least - header <= room ? s : NULL;
	}
	if (!leaf_make_shape(c, types, h + header, room, s))
		return NULL;
	s->header = header;
	s->least += header;
	if (!keep) {
		c->nodd++;
		return s;
	}
	memcpy(s->key, key, sizeof s->key);
	for (int i = 0; i < LEAF_KEY; i++)
		s->mask[i] = leaf_mask_bytes(bytes - 8 * i);
	c->slot[slot] = (uint16_t)++c->nshapes;
	return s;
}

/* Take the next page of the list; NULL: the file has no page with that number.  Pages are requested PAGE_RELEASE at a
 * time, and are released together after they have been read. */
static const uint8_t *leaf_take_page(leaf_cursor *c)
{
	const page_file *f = c->f;

	if (c->next_page - c->released >= PAGE_RELEASE) {
		page_advise(f, c->pages, c->released, c->next_page, MADV_DONTNEED);
		c->released = c->next_page;
	}
#ifdef MADV_POPULATE_READ
	if (c->next_page == c->released && c->npages - c->next_page > 16)
		page_advise(f, c->pages, c->next_page, c->npages - c->next_page < PAGE_RELEASE ? c->npages :
			c->next_page + PAGE_RELEASE, MADV_POPULATE_READ);
#endif
	return page_at(f, c->pages[c->next_page++]);
}

static bool leaf_next_page(leaf_cursor *c)
{
	const page_file *f = c->f;
	const uint8_t *h;

	c->page = leaf_take_page(c);
	if (!c->page)
		return false;
	h = page_header(f, c->page);
	c->cells = h + 8;
	c->cell = 0;
	c->ncells = page_get2(h + 3);
	c->reach = c->page + f->page_size < f->map + f->size ? f->usable : f->usable - AHEAD;
	return h[0] == PAGE_LEAF && (size_t)(c->cells - c->page) + 2 * c->ncells <= f->usable;
}

/* Read the row of the next cell; false if something is unexpected. */
static bool leaf_read_row(leaf_cursor *c)
{
	const page_file *f = c->f;
	size_t offset = page_get2(c->cells + 2 * c->cell++), local, max_local = f->usable - 35;
	const uint8_t *p, *h, *end = c->page + f->usable;
	uint64_t total, header, rowid = 0;

	if (offset < 8 || offset >= f->usable)
		return false;           /* 8, because the eight bytes before any value must be on the page */
	p = page_varint(c->page + offset, end, &total);
	if (p)
		p = c->ids ? page_varint(p, end, &rowid) : page_skip_varint(p, end);
	if (!p || total > SIZE_MAX / 2)
		return false;
	local = total;
	if (total > max_local) {        /* "B-tree Cell Format" defines how much of the record stays on the page */
		size_t min_local = (f->usable - 12) * 32 / 255 - 23;
		size_t k = min_local + (total - min_local) % (f->usable - 4);
		local = k <= max_local ? k : min_local;
	}
	if (local + (local < total ? 4 : 0) > (size_t)(end - p))
		return false;
	if (local < total && !(p = leaf_assemble_record(c, p, local, total)))
		return false;
	h = page_varint(p, p + total, &header);
	if (!h || header > total || header < (uint64_t)(h - p))
		return false;
	c->body[c->n] = p + header;
	c->rowid[c->n] = (int64_t)rowid;
	c->shape[c->n] = leaf_shape_of(c, p, h, header, total - header);
	if (!c->shape[c->n])
		return false;
	c->alike &= c->shape[c->n++]->alike;
	return true;
}

/* Find the kept shape of the header at h, and put it into recent[at], which holds another shape.  False: no shape is
 * kept for this header. */
static __attribute__((noinline)) bool leaf_find_shape(leaf_cursor *c, const uint8_t *h, size_t at)
{
	uint64_t key[LEAF_KEY];
	size_t slot = leaf_read_key(c, h, key) ? c->slot[leaf_slot_of(c, key)] : 0;

	if (slot)
		c->recent[at] = leaf_shape_at(c, slot - 1);
	return slot;
}

/* Is this the shape of a row with this header?  Comparing the masked bytes suffices, because varints are
 * prefix-free. */
static inline bool leaf_is_shape(const leaf_shape *s, const uint64_t *key, int words)
{
	uint64_t differ = 0;

#pragma GCC unroll 4
	for (int i = 0; i < words; i++)
		differ |= s->key[i] ^ (key[i] & s->mask[i]);
	return !differ;
}

/* The page that comes `pages` pages after the current one; the current one if there is none. */
static inline const uint8_t *leaf_page_ahead(const leaf_cursor *c, size_t pages)
{
	size_t at = c->next_page - 1 + pages;
	const uint8_t *page = at < c->npages ? page_at(c->f, c->pages[at]) : NULL;

	return page ? page : c->page;
}

/* Read rows while they are plain: wholly on the page, with a size that is stored in one or two bytes, and with a shape
 * that is kept.  Stops at any other row, which leaf_read_row reads.
 *
 * Most rows have one of few shapes.  Finding a row's shape without a branch is faster than guessing that it is the
 * shape of the row before.  The rows of later pages lie at about the same offsets as those of this page.  So for each
 * row, 64 bytes are prefetched on the page three pages ahead, and 128 on the next page. */
static inline __attribute__((always_inline)) void leaf_read_plain_rows(leaf_cursor *c, int words, bool ids)
{
	enum { SAFE_START = 35 };       /* a record that begins after this offset and ends on the page has no overflow
					 * pages */
	const uint8_t *page = c->page, *cells = c->cells, *end = page + c->f->usable;
	const uint8_t *after = leaf_page_ahead(c, 1), *farther = leaf_page_ahead(c, 3);
	size_t reach = c->reach, n = c->n, cell = c->cell, room = LEAF_ROWS - n;
	size_t last = c->ncells - cell < room ? c->ncells : cell + room;
	const uint64_t mask[LEAF_KEY] = { c->mask[0], c->mask[1], c->mask[2], c->mask[3] };
	uint64_t alike = c->alike;

	for (; cell < last; cell++, n++) {
		size_t offset = page_get2(cells + 2 * cell), total, at;
		const uint8_t *p = page + offset;
		uint64_t x, ends, second, key[LEAF_KEY];
		const leaf_shape *s;

		__builtin_prefetch(after + offset);
		__builtin_prefetch(after + offset + 64);
		__builtin_prefetch(farther + offset);
		if (offset - SAFE_START >= reach - SAFE_START)
			break;
		memcpy(&x, p, 8);
		x = le64toh(x);
		ends = ~x & PAGE_HIGH_BITS;     /* the high bits of those bytes that end a varint */
		second = ends & (ends - 1);
		if (!(ends & 0x8080) || !second)
			break;
		total = ends & 0x80 ? x & 0x7f : (x & 0x7f) << 7 | (x >> 8 & 0x7f);
		p += (size_t)__builtin_ctzll(second) / 8 + 1;
#pragma GCC unroll 4
		for (int i = 0; i < words; i++)
			memcpy(&key[i], p + 8 * i, 8);
		at = leaf_hash_of(key, mask, words) >> (64 - LEAF_RECENT_BITS);
		s = c->recent[at];
		if (__builtin_expect(!leaf_is_shape(s, key, words), 0)) {
			if (!leaf_find_shape(c, p, at))
				break;
			s = c->recent[at];
		}
		if (total < s->least || (ptrdiff_t)total > end - p)
			break;
		if (ids) {
			uint64_t id = 0;
			page_varint(page + offset + (ends & 0x80 ? 1 : 2), p, &id);
			c->rowid[n] = (int64_t)id;
		}
		alike &= s->alike;
		c->body[n] = p + s->header;
		c->shape[n] = s;
	}
	c->alike = alike;
	c->n = n;
	c->cell = cell;
}

/* If some integers of the batch are not at their usual places, make the places of its last row the usual ones.  The
 * next PATIENCE such batches then change nothing, because the columns after a text lie elsewhere in each row, and
 * changes for their sake would never end. */
static void leaf_update_usual_places(leaf_cursor *c)
{
	enum { PATIENCE = 8 };

	if (!c->n || c->alike == c->all || c->patience-- > 0)
		return;
	c->patience = PATIENCE;
	memcpy(leaf_usual_places(c), c->shape[c->n - 1]->place, (size_t)c->nwant * sizeof(leaf_place));
	for (size_t i = 0; i < c->nshapes + c->nodd; i++) {
		leaf_shape *s = leaf_shape_at(c, i < c->nshapes ? i : LEAF_SHAPES + i - c->nshapes);
		s->alike = leaf_find_alike(c, s->place);
	}
	c->alike = c->all;
	for (size_t i = 0; i < c->n; i++)
		c->alike &= c->shape[i]->alike;
}

/* A batch may have rows of several pages, but ends before the first of these pages would be released. */
bool leaf_read_batch(leaf_cursor *c)
{
	c->n = c->nodd = 0;
	c->alike = c->all;
	c->whole_used = false;
	while (!c->bad && c->n < LEAF_ROWS && c->nodd < LEAF_ODD && !c->whole_used) {
		if (c->cell == c->ncells) {
			if (c->next_page == c->npages || (c->n && c->next_page - c->released >= PAGE_RELEASE))
				break;
			c->bad = !leaf_next_page(c);
			continue;
		}
		if (c->ids)
			leaf_read_plain_rows(c, LEAF_KEY, true);
		else if (c->words == 1)
			leaf_read_plain_rows(c, 1, false);
		else if (c->words == 2)
			leaf_read_plain_rows(c, 2, false);
		else if (c->words == 3)
			leaf_read_plain_rows(c, 3, false);
		else
			leaf_read_plain_rows(c, LEAF_KEY, false);
		if (c->cell < c->ncells && c->n < LEAF_ROWS)
			c->bad = !leaf_read_row(c);
	}
	leaf_update_usual_places(c);
	return !c->bad && c->n;
}

/* Read one integer of each row, at the same place in all rows.  This takes half as many instructions if the compiler
 * knows `shift`. */
static inline __attribute__((always_inline)) void leaf_read_ints(const leaf_cursor *c, ptrdiff_t last8, int shift,
								 int64_t *to)
{
	size_t n = c->n;

#pragma GCC unroll 4
	for (size_t i = 0; i < n; i++) {
		uint64_t x;
		memcpy(&x, c->body[i] + last8, 8);
		to[i] = (int64_t)(be64toh(x) << shift) >> shift;
	}
}

void leaf_copy_ints(const leaf_cursor *c, int want, int64_t *to)
{
	leaf_place p = leaf_usual_places(c)[want];
	size_t n = c->n;

	if (!(c->alike >> want & 1))
		for (size_t i = 0; i < n; i++)
			to[i] = leaf_int(c, i, want);
	else if (!p.keep)
		for (size_t i = 0; i < n; i++)
			to[i] = p.plus;
	else if (p.shift == 0)
		leaf_read_ints(c, p.last8, 0, to);
	else if (p.shift == 16)
		leaf_read_ints(c, p.last8, 16, to);
	else if (p.shift == 32)
		leaf_read_ints(c, p.last8, 32, to);
	else if (p.shift == 40)
		leaf_read_ints(c, p.last8, 40, to);
	else
		leaf_read_ints(c, p.last8, p.shift, to);
}
