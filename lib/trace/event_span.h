/*
 * span - when the events of a table begin and end, without loading them.
 *
 *     span_set s = { 0 };
 *     span_table(d, db_find(d, "CUPTI_ACTIVITY_KIND_RUNTIME"), "globalTid", &s);
 *     ... s.ids.value[k], s.span[k] ...
 *     span_free(&s);
 */
#ifndef SPAN_H
#define SPAN_H

#include "sqlite/database.h"
#include "base/dict.h"
#include "base/interval.h"

/* First start and last end of a table's events at or after 0, for each value of a column such as
 * globalPid, without loading them.  An event of no length ends just after its start. */
typedef struct {
	dict ids;
	ival *span;          /* by key of ids */
} span_set;

bool span_table(const db *d, const db_table *t, const char *id_column, span_set *out);
void span_free(span_set *s);

/* Widen a span by an event. */
static inline void span_widen(ival *span, int64_t start, int64_t end)
{
	int64_t stop = end + (end <= start && end < INT64_MAX);

	span->a = start < span->a ? start : span->a;
	span->b = stop > span->b ? stop : span->b;
}

#endif
