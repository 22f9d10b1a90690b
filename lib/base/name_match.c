#include "base/name_match.h"

enum { UNKNOWN, MATCHES, DIFFERS };

void name_match_share(name_match *m)
{
	while (m->known.n < m->names->n)
		vec_push(&m->known, UNKNOWN);
}

bool name_match_of(name_match *m, uint32_t name)
{
	uint8_t known;

	if (!m->re || name == STR_NONE)
		return !m->re;
	if (m->known.n <= name)
		name_match_share(m);
	known = atomic_load_explicit(&m->known.v[name], memory_order_relaxed);
	if (known == UNKNOWN) {
		known = pattern_matches(m->re, str_at(m->names, name)) ? MATCHES : DIFFERS;
		atomic_store_explicit(&m->known.v[name], known, memory_order_relaxed);
	}
	return known == MATCHES;
}

void name_match_free(name_match *m)
{
	vec_free(&m->known);
}
