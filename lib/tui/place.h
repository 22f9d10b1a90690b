/*
 * place - times in a trace as texts: a command line that runs a tool on a time, a time that the user types, and round
 * times for the ticks of a timeline.
 *
 *     arena texts = { 0 };
 *     puts(place_command(&texts, "nsq-kernels", (ival){ 100, 200 }, "693", -1, "run.sqlite"));
 *     // nsq-kernels -w 100..200 -p 693 run.sqlite
 *     place_typed typed = place_read("+20ms", &(place_reference){ .cursor = 1000, .from = 0 });
 *     printf("%lld\n", (long long)typed.time.a);    // 20001000
 *     arena_free(&texts);
 *
 *     ruler r = ruler_choose(1200, 3400, 10);        // at most 10 ticks: every 500 ns
 *     char buf[RULER_TEXT];
 *     puts(ruler_text(&r, 1500, buf));           // 1.5 us
 */
#pragma once

#include "base/arena.h"
#include "base/interval.h"

#include <stdint.h>

/* The command line that runs a tool on a time of a trace, to paste into a shell; the text lives in `a`.  pid: as tables
 * show it; gpu -1: any GPU. */
const char *place_command(arena *a, const char *tool, ival time, const char *pid, int64_t gpu, const char *trace);

enum place_kind {
	PLACE_NOTHING,          /* the text is no place */
	PLACE_TIME,             /* a moment: time.a */
	PLACE_WINDOW,           /* a window: `time`; an open end is INT64_MIN or INT64_MAX */
	PLACE_STEP              /* a step: `step` is its number in nsq-window */
};

typedef struct {
	enum place_kind kind;
	ival time;
	int64_t step;
} place_typed;

typedef struct {
	int64_t cursor;         /* +T and -T are relative to this */
	int64_t from;           /* T and A..B are relative to this: the moment that the screen shows as 0 */
} place_reference;

/* Read a typed place, such as 1.5s, 230ms..280ms, +20ms, -1ms, step 12 or #12; times are written as for the option
 * -w. */
place_typed place_read(const char *text, const place_reference *ref);

typedef struct {
	int64_t first, step;    /* ticks are at first, first + step, ...; ns */
	int64_t unit;           /* the unit of the texts, in ns */
	int digits;             /* the number of digits after the point */
} ruler;

/* Choose round times for at most `most` ticks between two moments. */
ruler ruler_choose(int64_t from, int64_t to, int64_t most);

enum { RULER_TEXT = 64 };
/* The text of a tick, which is written into buf. */
const char *ruler_text(const ruler *r, int64_t ns, char buf[RULER_TEXT]);
