#include "base/sums.h"

#include <string.h>

void *sums_of(sums *s, const int64_t *key)
{
	size_t i = group_of(&s->g, key);

	if (i == s->room) {
		s->room = s->room ? 2 * s->room : 16;
		s->v = mem_grow(s->v, s->room, s->size);
		memset(s->v + i * s->size, 0, (s->room - i) * s->size);
	}
	s->met = i;
	return s->v + i * s->size;
}

void sums_free(sums *s)
{
	group_free(&s->g);
	free(s->v);
	s->v = NULL;
	s->room = 0;
}
