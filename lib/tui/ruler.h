/*
 * ruler - round times, as the ticks of a timeline have them.
 *
 *     ruler r = ruler_of(1200, 3400, 10);        // at most 10 ticks: every 500 ns
 *     char buf[RULER_TEXT];
 *     puts(ruler_text(&r, 1500, buf));           // 1.5 us
 */
#pragma once

#include <stdint.h>

typedef struct {
	int64_t first, step;    /* ticks are at first, first + step, ... */
	int64_t unit;           /* of their texts, in ns */
	int digits;             /* after the point */
} ruler;

ruler ruler_of(int64_t from, int64_t to, int64_t most);

enum { RULER_TEXT = 64 };
const char *ruler_text(const ruler *r, int64_t ns, char buf[RULER_TEXT]);
