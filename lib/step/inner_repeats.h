/*
 * inner_repeats - a repeat inside a repeat: the tokens of a request, if no range names tokens or requests.
 *
 *     inner_sequence s = { .t = t, .proc = 0, .work = work, .n = n, .ahead = NONE, .until = INT64_MAX };
 *     uint32_t anchor = inner_repeats_find_anchor(&s);
 *     if (anchor != STR_NONE)
 *         printf("each token begins with %s\n", str_at(&t->names, anchor));
 *
 * share/conventions/window.md, "Tokens", says when a sequence falls into tokens.  Needs TRACE_WORK, TRACE_LAUNCH and
 * TRACE_CALLS.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	const trace *t;
	uint32_t proc;
	const uint32_t *work;   /* the sequence that repeats: its pieces of work, in order of launch */
	size_t n;
	size_t before;          /* how many pieces at the end of `work` already belong to the next repetition */
	uint32_t ahead;         /* the piece of work before the sequence, or NONE */
	int64_t until;          /* when the piece after the sequence was launched; INT64_MAX: there is none */
} inner_sequence;

/* The name of the kernel or graph with which each token begins; STR_NONE if the sequence does not fall into tokens. */
uint32_t inner_repeats_find_anchor(const inner_sequence *s);
