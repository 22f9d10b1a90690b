/*
 * steps_rule - why something is taken for a step.
 *
 *     puts(steps_rule_name(STEPS_CHUNK));        // chunk
 *     printf("%d\n", steps_rule_named("process") == STEPS_PROCESS);      // 1
 */
#pragma once

enum steps_rule { STEPS_MATCH, STEPS_CHUNK, STEPS_ITERATION, STEPS_REPEAT, STEPS_PROCESS };

const char *steps_rule_name(enum steps_rule rule);      /* match, chunk, iteration, repeat, process */
enum steps_rule steps_rule_named(const char *name);     /* STEPS_PROCESS if there is none of that name */
