#include "base/strings.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static uint32_t hash_of(const char *s, size_t len)
{
	uint64_t h = 0xcbf29ce484222325u ^ len;
	uint64_t w;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&w, s, 8);
		h = (h ^ w) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	w = 0;
	memcpy(&w, s, len);
	h = (h ^ w) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 32 ^ h);
}

static void rehash(str_pool *p, size_t slots)
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
static size_t place(const str_pool *p, const char *s, size_t len, uint32_t h)
{
	size_t k = h & (p->slots - 1);

	for (uint32_t i; (i = p->slot[k]); k = (k + 1) & (p->slots - 1))
		if (p->hash[i - 1] == h && p->len[i - 1] == len &&
		    memcmp(p->text[i - 1], s, len) == 0)
			break;
	return k;
}

uint32_t str_id(str_pool *p, const char *s, size_t len)
{
	uint32_t h = hash_of(s, len);
	size_t k;

	if (p->n * 2 >= p->slots)
		rehash(p, p->slots ? p->slots * 2 : 256);
	k = place(p, s, len, h);
	if (p->slot[k])
		return p->slot[k] - 1;
	if (p->n == p->room) {
		p->room = p->room ? p->room * 2 : 128;
		p->text = mem_grow(p->text, p->room, sizeof *p->text);
		p->len = mem_grow(p->len, p->room, sizeof *p->len);
		p->hash = mem_grow(p->hash, p->room, sizeof *p->hash);
		p->folded = mem_grow(p->folded, p->room, sizeof *p->folded);
	}
	p->text[p->n] = arena_text(&p->texts, s, len);
	p->len[p->n] = (uint32_t)len;
	p->hash[p->n] = h;
	p->folded[p->n] = STR_NONE;
	p->slot[k] = (uint32_t)p->n + 1;
	return (uint32_t)p->n++;
}

size_t str_folded(const char *s, size_t len, char *to)
{
	size_t n = 0;
	bool digits = false;

	for (size_t i = 0; i < len; i++) {
		bool d = isdigit((unsigned char)s[i]);
		if (!d)
			to[n++] = s[i];
		else if (!digits)
			to[n++] = '#';
		digits = d;
	}
	return n;
}

uint32_t str_fold(str_pool *p, uint32_t id)
{
	char *buf;
	size_t n;
	uint32_t folded;

	if (id == STR_NONE || p->folded[id] != STR_NONE)
		return id == STR_NONE ? id : p->folded[id];
	buf = mem_new(char, (size_t)p->len[id] + 1);
	n = str_folded(p->text[id], p->len[id], buf);
	folded = n == p->len[id] && memcmp(buf, p->text[id], n) == 0 ? id : str_id(p, buf, n);
	free(buf);
	return p->folded[id] = folded;
}

int str_cmp(const str_pool *p, uint32_t a, uint32_t b)
{
	if (a == b)
		return 0;
	if (a == STR_NONE || b == STR_NONE)
		return a == STR_NONE ? -1 : 1;
	return strcmp(p->text[a], p->text[b]);
}

void str_free(str_pool *p)
{
	free(p->text);
	free(p->len);
	free(p->hash);
	free(p->folded);
	free(p->slot);
	arena_free(&p->texts);
	memset(p, 0, sizeof *p);
}
