#include "base/bit_list.h"
#include "base/memory.h"

bit_list bit_list_new(size_t things)
{
	size_t words = things / 64 + 1;

	return (bit_list){ mem_new(uint64_t, words), mem_new(uint32_t, words), words, 0 };
}

void bit_list_count(bit_list *r)
{
	r->n = 0;
	for (size_t i = 0; i < r->words; i++) {
		r->before[i] = (uint32_t)r->n;
		r->n += bits_set(r->bits[i]);
	}
}

void bit_list_free(bit_list *r)
{
	mem_free(r->bits, r->before);
}
