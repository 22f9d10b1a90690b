#include "base/name_match.h"

enum { UNKNOWN, MATCHES, DIFFERS };

void name_match_share(name_match *m)
{
	while (m->known.n < m->names->n)
		vec_push(&m->known, UNKNOWN);
}

static __attribute__((noinline)) bool match_first(name_match *m, uint32_t name)
{
	bool matches = pattern_matches(m->re, str_at(m->names, name));

	if (m->known.n <= name)
		name_match_share(m);
	atomic_store_explicit(&m->known.v[name], matches ? MATCHES : DIFFERS, memory_order_relaxed);
	return matches;
}

bool name_match_of(name_match *m, uint32_t name)
{
	uint8_t known;

	if (!m->re || name == STR_NONE)
		return !m->re;
	known = name < m->known.n ? atomic_load_explicit(&m->known.v[name], memory_order_relaxed) : UNKNOWN;
	return known == UNKNOWN ? match_first(m, name) : known == MATCHES;
}

void name_match_free(name_match *m)
{
	vec_free(&m->known);
}
