/*
 * one_clock - the clock on which several traces are drawn together, found as nsq-nccl finds it.
 *
 *     one_clock *c = one_clock_new();
 *     one_clock_add(c, t, say);                  // each trace, before the first is drawn
 *     printf("%lld\n", (long long)one_clock_ahead(c, t, say));
 *     one_clock_free(c);
 *
 * share/conventions/nccl.md, "Clocks", says how the clock is found.  If a trace begins after all earlier ones have
 * ended, as with two runs, there is no common clock: each trace is drawn on its own clock.
 */
#pragma once

#include "job/job.h"

enum { ONE_CLOCK_NEED = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_PAYLOADS };      /* what must be loaded of a
											   * trace before it is added */

typedef struct one_clock one_clock;

one_clock *one_clock_new(void);
void one_clock_free(one_clock *c);     /* NULL is allowed */
job *one_clock_job(one_clock *c);       /* the job to which the traces are added; NULL if c is NULL */
void one_clock_add(one_clock *c, trace *t, notes *say);

/* The nanoseconds to add to a trace's times before they are drawn.  The common clock is the clock of the trace whose
 * zero is earliest, so this number is never negative.  It is 0 if c is NULL, if the trace was not added, or if there
 * is no common clock.  The first call adds remarks that say how the clocks were aligned. */
int64_t one_clock_ahead(one_clock *c, const trace *t, notes *say);

/* As one_clock_ahead, but for the n-th trace that was added, counted from 0, and without remarks. */
int64_t one_clock_nth_ahead(one_clock *c, size_t n);

/* Do all traces have one clock?  Adds no remarks. */
bool one_clock_is_common(one_clock *c);

/* A sentence about the clock, for the page of the traces; NULL if c has fewer than two traces.  Call it after
 * one_clock_ahead.  c may be NULL: then each trace is drawn on its own clock. */
const char *one_clock_sentence(const one_clock *c);
