#include "base/sums.h"

#include <string.h>

void *sums_grow(sums *s)
{
	size_t before = s->room;

	s->room = before ? 2 * before : 16;
	s->v = mem_grow(s->v, s->room, s->size);
	memset(s->v + before * s->size, 0, (s->room - before) * s->size);
	return s->v + before * s->size;
}

void sums_free(sums *s)
{
	group_free(&s->g);
	free(s->v);
	s->v = NULL;
	s->room = 0;
}
