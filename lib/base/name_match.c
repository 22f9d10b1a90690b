#include "base/name_match.h"

enum { UNKNOWN, MATCHES, DIFFERS };

static __attribute__((noinline)) bool name_match_try_name(name_match *m, uint32_t name)
{
	bool matches = pattern_matches(m->re, str_at(m->names, name));

	while (m->known.n <= name)
		vec_push(&m->known, UNKNOWN);
	m->known.v[name] = matches ? MATCHES : DIFFERS;
	return matches;
}

bool name_match_of(name_match *m, uint32_t name)
{
	uint8_t known;

	if (!m->re || name == STR_NONE)
		return !m->re;
	known = name < m->known.n ? m->known.v[name] : UNKNOWN;
	return known == UNKNOWN ? name_match_try_name(m, name) : known == MATCHES;
}

void name_match_free(name_match *m)
{
	vec_free(&m->known);
}
