/*
 * range_names - the names of push/pop ranges with their digits folded ("step #"), numbered from 0.  There are few such
 * names, so arrays can be indexed by their numbers.
 *
 *     const range_names *names = range_names_of(t);      // needs TRACE_RANGES
 *     uint32_t number = t->pushpop.n ? range_names_number(names, t->pushpop.name[0]) : 0;
 *     puts(names->v[number] == STR_NONE ? "-" : str_at(&t->names, names->v[number]));
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	uint32_t *number;       /* by string: the index in v of its folded name, if the string names a range */
	uint32_t *v;            /* the folded names; the first is STR_NONE */
	size_t n, room;
} range_names;

/* Adds the folded names to the trace. */
const range_names *range_names_of(trace *t);

/* The number of a range's name, which is the index in v of its folded name; 0 for STR_NONE. */
static inline uint32_t range_names_number(const range_names *r, uint32_t name)
{
	return name == STR_NONE ? 0 : r->number[name];
}

static inline uint32_t range_names_folded(const range_names *r, uint32_t name)
{
	return r->v[range_names_number(r, name)];
}
