#include "base/packed.h"
#include "base/memory.h"

static void make_room(packed_ints *p, size_t room)
{
	p->v = mem_grow(p->v, room * p->size + sizeof(uint64_t), 1);
	p->room = room;
}

void packed_grow(packed_ints *p, int64_t number)
{
	packed_ints old = *p;
	size_t size = p->size ? p->size : 1;

	while (packed_in((uint64_t)number, size) != number)
		size++;
	if (size != p->size) {
		*p = (packed_ints){ .size = size };
		make_room(p, old.room);
		for (size_t i = 0; i < old.n; i++)
			packed_push(p, packed_at(&old, i));
		free(old.v);
	}
	if (p->n == p->room)
		make_room(p, p->room ? 2 * p->room : 16);
}

void packed_free(packed_ints *p)
{
	free(p->v);
	*p = (packed_ints){ 0 };
}
