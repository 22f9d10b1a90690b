/*
 * event_span - when the events of a table begin and end, and how many there are, without loading them.
 *
 *     event_spans s = { 0 };
 *     event_span_read_table(d, db_find(d, "CUPTI_ACTIVITY_KIND_RUNTIME"), "globalTid", 1, &s);
 *     for (size_t k = 0; k < s.ids.n; k++)
 *         printf("%lld: %lld\n", (long long)s.ids.value[k], (long long)(s.span[k].b - s.span[k].a));
 *     event_span_free(&s);
 */
#pragma once

#include "base/dict.h"
#include "base/interval.h"
#include "base/parallel.h"
#include "sqlite/rows.h"

typedef struct {
	dict ids;            /* distinct values of the id column (such as globalPid); -1: NULL */
	ival *span;          /* by key of ids: from the first start to the last end */
	size_t *count;       /* by key of ids: number of events */
	size_t room;         /* number of elements that span and count have room for */
} event_spans;

/* Find the spans of a table's events for each value of the column id_column, with at most `threads` threads.  Events
 * that start before 0 are ignored.  An event that ends at its start or before counts as 1 ns long.  False after a
 * problem. */
bool event_span_read_table(const db *d, const db_table *t, const char *id_column, int threads, event_spans *out);
void event_span_free(event_spans *s);

/* Widen a span by an event, whose end must not be before its start.  An event of zero length counts as 1 ns long.  Most
 * tables are in order of time, so these branches are easy to predict. */
static inline void event_span_widen(ival *span, int64_t start, int64_t end)
{
	if (__builtin_expect(end <= start, 0) && end < INT64_MAX)
		end++;
	if (start < span->a)
		span->a = start;
	if (end > span->b)
		span->b = end;
}
