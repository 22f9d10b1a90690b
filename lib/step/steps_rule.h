/*
 * steps_rule - how a user chooses steps, and the rules by which they are found.
 *
 *     steps_choice found = { 0 };                // names no steps, so they will be found
 *     printf("%d\n", steps_is_chosen(&found));   // 0
 *     puts(steps_rule_name(STEPS_CHUNK));        // chunk
 */
#pragma once

#include "base/pattern.h"

#include <stdint.h>

typedef struct {
	const pattern *match;   /* each range whose name matches is a step; or NULL */
	const pattern *kernel;  /* a step goes from each kernel whose name matches to the next; or NULL */
	bool outer;             /* if steps repeat inside a larger repeat (tokens in a request), take the larger one */
} steps_choice;

/* Does the choice name the steps, so that they need not be found? */
static inline bool steps_is_chosen(const steps_choice *c)
{
	return c->match || c->kernel;
}

/* steps_key packs a choice into a number, and steps_choice_of unpacks it.  The number is the address of the pattern (0:
 * none), whose three low bits are 0, with the flags below in these bits.  So it is valid only while the pattern lives.
 * Neither function sets or reads STEPS_KEY_SPARE: it is a bit for callers. */
enum { STEPS_KEY_KERNEL = 1, STEPS_KEY_OUTER = 2, STEPS_KEY_SPARE = 4 };

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

/* How steps were found: by the choice's `match` or `kernel`, or by a rule of share/conventions/window.md, "Steps". */
enum steps_rule { STEPS_MATCH, STEPS_KERNEL, STEPS_CHUNK, STEPS_ITERATION, STEPS_REPEAT, STEPS_PROCESS };

const char *steps_rule_name(enum steps_rule rule);      /* match, kernel, chunk, iteration, repeat, process */
enum steps_rule steps_rule_named(const char *name);     /* STEPS_PROCESS if no rule has that name */
