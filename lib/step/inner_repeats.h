/*
 * inner_repeats - a repeat inside a repeat: the tokens of a request, where nothing names either.
 *
 *     inner_sequence s = { .t = t, .proc = 0, .work = work, .n = n, .ahead = NONE, .until = INT64_MAX };
 *     uint32_t anchor = inner_repeats_anchor(&s);
 *     if (anchor != STR_NONE)
 *         printf("each token begins with %s\n", str_at(&t->names, anchor));
 *
 * share/conventions/window.md, "Tokens", says when a sequence falls into tokens.  Needs TRACE_CALLS besides
 * what repeats need.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	const trace *t;
	uint32_t proc;
	const uint32_t *work;   /* pieces of work in order of launch: the sequence that repeats, */
	size_t n;
	size_t before;          /* of which so many at its end begin the next repetition; */
	uint32_t ahead;         /* the piece before them, or NONE, */
	int64_t until;          /* and when the piece after them is launched; INT64_MAX: there is none */
} inner_sequence;

/* The name of the kernel or graph with which each token begins; STR_NONE: it does not fall into tokens. */
uint32_t inner_repeats_anchor(const inner_sequence *s);
