#include "base/name_match.h"

enum { UNKNOWN, MATCHES, DIFFERS };

bool name_match_of(name_match *m, uint32_t name)
{
	if (!m->re || name == STR_NONE)
		return !m->re;
	while (m->known.n <= name)
		vec_push(&m->known, UNKNOWN);
	if (m->known.v[name] == UNKNOWN)
		m->known.v[name] = pattern_matches(m->re, str_at(m->names, name)) ? MATCHES : DIFFERS;
	return m->known.v[name] == MATCHES;
}

void name_match_free(name_match *m)
{
	vec_free(&m->known);
}
