/*
 * steps_rule - which parts of a run are its steps, as a user chooses them, and why something is taken for a step.
 *
 *     steps_choice found = { 0 };                // whatever is found
 *     printf("%d\n", steps_is_chosen(&found));   // 0
 *     puts(steps_rule_name(STEPS_CHUNK));        // chunk
 */
#pragma once

#include "base/pattern.h"

#include <stdint.h>

typedef struct {
	const pattern *match;   /* ranges whose name matches; or NULL, */
	const pattern *kernel;  /* and from each kernel whose name matches to the next; or NULL: what is found, */
	bool outer;             /* and where a repeat is inside another, the outer one */
} steps_choice;

/* Are they chosen by name?  Otherwise they are found. */
static inline bool steps_is_chosen(const steps_choice *c)
{
	return c->match || c->kernel;
}

/* A choice as a number, as long as its patterns live, and back.  Bits from STEPS_KEY_FREE up to 8 are never set: no
 * pattern has such an address. */
enum { STEPS_KEY_KERNEL = 1, STEPS_KEY_OUTER = 2, STEPS_KEY_FREE = 4 };

static inline int64_t steps_key(const steps_choice *c)
{
	return (int64_t)(intptr_t)(c->match ? c->match : c->kernel) |
		(c->kernel && !c->match ? STEPS_KEY_KERNEL : 0) | (c->outer ? STEPS_KEY_OUTER : 0);
}

static inline steps_choice steps_choice_of(int64_t key)
{
	const pattern *re = (const pattern *)(intptr_t)(key & ~INT64_C(7));
	bool kernel = key & STEPS_KEY_KERNEL;

	return (steps_choice){ kernel ? NULL : re, kernel ? re : NULL, key & STEPS_KEY_OUTER };
}

enum steps_rule { STEPS_MATCH, STEPS_KERNEL, STEPS_CHUNK, STEPS_ITERATION, STEPS_REPEAT, STEPS_PROCESS };

const char *steps_rule_name(enum steps_rule rule);      /* match, kernel, chunk, iteration, repeat, process */
enum steps_rule steps_rule_named(const char *name);     /* STEPS_PROCESS if there is none of that name */
