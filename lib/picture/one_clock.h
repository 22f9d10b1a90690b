/*
 * one_clock - the clock on which several traces are drawn together, by the rule of nsq-nccl.
 *
 *     one_clock *c = one_clock_new();
 *     one_clock_add(c, t, say);                  // each trace, before the first is drawn
 *     printf("%lld\n", (long long)one_clock_ahead(c, t, say));
 *     one_clock_free(c);
 *
 * share/conventions/nccl.md, "Clocks", says how it is found.  Traces that were not captured at one time, as of two
 * runs, are drawn on their own clocks.
 */
#pragma once

#include "job/job.h"

enum { ONE_CLOCK_NEED = TRACE_WORK | TRACE_LAUNCH | TRACE_RANGES | TRACE_PAYLOADS };      /* what must be loaded */

typedef struct one_clock one_clock;

one_clock *one_clock_new(void);
void one_clock_free(one_clock *c);     /* NULL is allowed */
job *one_clock_job(one_clock *c);       /* of NULL: NULL */
void one_clock_add(one_clock *c, trace *t, notes *say);

/* The trace's time plus this is the time that is drawn: that of the trace that begins first, so none is negative.  0
 * where c is NULL: each has its own.  When it is first asked for, remarks say how clocks were aligned. */
int64_t one_clock_ahead(one_clock *c, const trace *t, notes *say);

/* The same for the n-th trace that was added; and do all have one clock? */
int64_t one_clock_nth(one_clock *c, size_t n);
bool one_clock_common(one_clock *c);

/* What a page of these traces says of it, after one_clock_ahead; NULL: there is one trace. */
const char *one_clock_words(const one_clock *c);
