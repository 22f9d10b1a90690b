/*
 * bits - how many are set in a word.
 *
 *     printf("%u\n", bits_set(5));                // 2
 */
#pragma once

#include <stdint.h>

/* How many bits are set.  The compiler's own way is a call of a function where x86-64 may lack an instruction. */
static inline uint32_t bits_set(uint64_t x)
{
	x -= x >> 1 & 0x5555555555555555u;
	x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
	x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(x * 0x0101010101010101u >> 56);
}
