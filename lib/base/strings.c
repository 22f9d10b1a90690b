#include "base/strings.h"

#include <stdbool.h>
#include <string.h>

static inline uint64_t strings_mix_hash(uint64_t h, const char *s)
{
	uint64_t w;

	memcpy(&w, s, 8);
	h = (h ^ w) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

/* Hash the text in words of 8 bytes, two at a time.  The last word ends where the text ends, so it may repeat bytes of
 * the word before.  A rest of less than 8 bytes is filled up with zeros. */
static uint32_t strings_hash(const char *s, size_t len)
{
	uint64_t a = 0xcbf29ce484222325u ^ len, b = 0xc2b2ae3d27d4eb4fu;
	char few[16] = { 0 };

	for (; len > 16; s += 16, len -= 16) {
		a = strings_mix_hash(a, s);
		b = strings_mix_hash(b, s + 8);
	}
	if (len < 8) {
		memcpy(few, s, len);
		s = few;
		len = 8;
	}
	a = strings_mix_hash(a, s);
	b = strings_mix_hash(b ^ a, s + len - 8);
	return (uint32_t)(b >> 32 ^ b);
}

static void strings_rehash(str_pool *p, size_t slots)
{
	free(p->slot);
	p->slot = mem_new(uint32_t, slots);
	p->slots = slots;
	for (size_t i = 0; i < p->n; i++) {
		size_t k = p->hash[i] & (slots - 1);
		while (p->slot[k])
			k = (k + 1) & (slots - 1);
		p->slot[k] = (uint32_t)i + 1;
	}
}

/* The slot of the text, or the free slot where it belongs. */
static size_t strings_find_slot(const str_pool *p, const char *s, size_t len, uint32_t h)
{
	const char **text = p->text;
	const uint32_t *lens = p->len;
	size_t k = h & (p->slots - 1);

	for (uint32_t i; (i = p->slot[k]); k = (k + 1) & (p->slots - 1))
		if (p->hash[i - 1] == h && lens[i - 1] == len && memcmp(text[i - 1], s, len) == 0)
			break;
	return k;
}

/* Enlarge an array to p->room elements.  In a shared pool the old array stays, since other threads may be reading
 * it. */
static void *strings_enlarge_array(str_pool *p, void *old, size_t size)
{
	void *v;

	if (!p->adding || !old)
		return mem_grow(old, p->room, size);
	v = mem_grow(NULL, p->room, size);
	memcpy(v, old, p->n * size);
	vec_push(&p->outgrown, old);
	return v;
}

static void strings_make_room(str_pool *p)
{
	_Atomic uint32_t *folded = p->folded, *more;

	p->room = p->room ? p->room * 2 : 128;
	p->text = strings_enlarge_array(p, p->text, sizeof *p->text);
	p->len = strings_enlarge_array(p, p->len, sizeof *p->len);
	p->hash = mem_grow(p->hash, p->room, sizeof *p->hash);
	more = mem_grow(NULL, p->room, sizeof *more);
	for (size_t i = 0; i < p->n; i++)       /* an id that another thread sets after it was copied is lost, and
						 * computed again */
		atomic_init(&more[i], folded[i]);
	p->folded = more;
	if (p->adding)
		vec_push(&p->outgrown, (void *)folded);
	else
		free((void *)folded);
}

/* Add a text, unless the pool has it, and return its id.  own: the text lives as long as the pool, so it is not
 * copied. */
static uint32_t strings_add_text(str_pool *p, const char *s, size_t len, uint32_t h, bool own)
{
	size_t k, n = p->n;

	if (n * 2 >= p->slots)
		strings_rehash(p, p->slots ? p->slots * 2 : 256);
	k = strings_find_slot(p, s, len, h);
	if (p->slot[k])
		return p->slot[k] - 1;
	if (n == p->room)
		strings_make_room(p);
	p->text[n] = own ? s : arena_text(&p->texts, s, len);
	p->len[n] = (uint32_t)len;
	p->hash[n] = h;
	atomic_init(&p->folded[n], STR_NONE);
	p->slot[k] = (uint32_t)n + 1;
	p->n = n + 1;
	return (uint32_t)n;
}

uint32_t str_id(str_pool *p, const char *s, size_t len)
{
	uint32_t id, h = strings_hash(s, len);

	if (!p->adding)
		return strings_add_text(p, s, len, h, false);
	pthread_mutex_lock(p->adding);
	id = strings_add_text(p, s, len, h, false);
	pthread_mutex_unlock(p->adding);
	return id;
}

void str_adopt(str_pool *p, str_pool *from, uint32_t *ids)
{
	for (size_t i = 0; i < from->n; i++)
		ids[i] = strings_add_text(p, from->text[i], from->len[i], from->hash[i], true);
	arena_join(&p->texts, &from->texts);
	str_free(from);
}

uint32_t *str_array(const str_pool *p)
{
	size_t n = p->n;        /* read once, because other threads may be adding names */
	uint32_t *v = mem_grow(NULL, n, sizeof *v);

	memset(v, 0xff, n * sizeof *v);
	return v;
}

void str_share(str_pool *p)
{
	if (p->adding)
		return;
	p->adding = mem_new(pthread_mutex_t, 1);
	pthread_mutex_init(p->adding, NULL);
}

size_t str_fold_text(const char *s, size_t len, char *to)
{
	size_t n = 0;
	bool digits = false;

	for (size_t i = 0; i < len; i++) {
		bool d = s[i] >= '0' && s[i] <= '9';
		if (!d)
			to[n++] = s[i];
		else if (!digits)
			to[n++] = '#';
		digits = d;
	}
	return n;
}

static __attribute__((noinline)) uint32_t strings_fold_first_time(str_pool *p, uint32_t id)
{
	uint32_t len = str_len(p, id), folded;
	char few[256], *buf = len <= sizeof few ? few : mem_new(char, len);
	size_t n = str_fold_text(str_at(p, id), len, buf);

	folded = n == len && memcmp(buf, str_at(p, id), n) == 0 ? id : str_id(p, buf, n);
	if (buf != few)
		free(buf);
	((_Atomic uint32_t *)p->folded)[id] = folded;
	return folded;
}

uint32_t str_fold(str_pool *p, uint32_t id)
{
	_Atomic uint32_t *all = p->folded;
	uint32_t folded = id == STR_NONE ? id : all[id];

	return id == STR_NONE || folded != STR_NONE ? folded : strings_fold_first_time(p, id);
}

int str_cmp(const str_pool *p, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (a == STR_NONE || b == STR_NONE)
		return a == STR_NONE ? -1 : 1;
	return strcmp(str_at(p, a), str_at(p, b));
}

void str_free(str_pool *p)
{
	for (size_t i = 0; i < p->outgrown.n; i++)
		free(p->outgrown.v[i]);
	if (p->adding)
		pthread_mutex_destroy(p->adding);
	mem_free(p->text, p->len, (void *)p->folded, p->hash, p->slot, p->outgrown.v, p->adding);
	arena_free(&p->texts);
	memset(p, 0, sizeof *p);
}
