/*
 * name_match - which names of a pool match a regular expression.  Each name is tried once, however many events have it.
 *
 *     str_pool names = { 0 };
 *     name_match m = { .re = re, .names = &names };             // .re NULL: all match
 *     if (name_match_of(&m, str_id(&names, "step 7", 6)))
 *         puts("a step");
 *     name_match_free(&m);
 */
#pragma once

#include "base/memory.h"
#include "base/pattern.h"
#include "base/strings.h"

typedef struct {
	const pattern *re;
	const str_pool *names;
	vec(uint8_t) known;     /* by name: UNKNOWN, MATCHES or DIFFERS (name_match.c); names beyond the end are
				 * UNKNOWN */
} name_match;

/* Does a name match?  STR_NONE matches only if there is no expression. */
bool name_match_of(name_match *m, uint32_t name);

void name_match_free(name_match *m);
