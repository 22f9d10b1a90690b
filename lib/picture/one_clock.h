/*
 * one_clock - the clock on which several traces are drawn together, by the rule of nsq-nccl.
 *
 *     one_clock *c = one_clock_new();
 *     one_clock_add(c, t, say);                  // each trace, before the first is drawn
 *     printf("%lld\n", (long long)one_clock_ahead(c, t, say));
 *     one_clock_free(c);
 *
 * share/conventions/nccl.md, "Clocks", says how the clock is found.  Traces that were not captured at the same time,
 * such as those of two runs, are drawn on their own clocks.
 */
#pragma once

#include "job/job.h"

enum { ONE_CLOCK_NEED = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_PAYLOADS };      /* what must be loaded */

typedef struct one_clock one_clock;

one_clock *one_clock_new(void);
void one_clock_free(one_clock *c);     /* NULL is allowed */
job *one_clock_job(one_clock *c);       /* NULL if c is NULL */
void one_clock_add(one_clock *c, trace *t, notes *say);

/* The nanoseconds to add to a trace's times before they are drawn.  The common clock is the one whose zero is
 * earliest, so that this number is never negative.  0 if c is NULL, or if the traces have no common clock and each
 * keeps its own.  The first call adds remarks that say how the clocks were aligned. */
int64_t one_clock_ahead(one_clock *c, const trace *t, notes *say);

/* one_clock_nth_ahead: one_clock_ahead of the n-th trace that was added, from 0.  one_clock_common: do all traces have
 * one clock? */
int64_t one_clock_nth_ahead(one_clock *c, size_t n);
bool one_clock_common(one_clock *c);

/* A sentence about the clock for the page of these traces; call it after one_clock_ahead.  c may be NULL.  Returns NULL
 * if c has only one trace. */
const char *one_clock_words(const one_clock *c);
