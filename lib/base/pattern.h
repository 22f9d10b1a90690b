/*
 * pattern - POSIX extended regular expressions that users write, on the command line or in rules.
 *
 *     const regex_t *re = pattern_compile("--match", "^step [0-9]+$");    // exits if it is not one
 *     if (pattern_matches(re, "step 7"))
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* Compile a POSIX extended expression that came with an option; exits when it is not one.
 * NULL gives NULL. */
const regex_t *pattern_compile(const char *option, const char *text);

/* regcomp with REG_EXTENDED and the flags, less those that would take memory, stack or time without bound.
 * NULL, or the reason why not, in buf. */
const char *pattern_regcomp(regex_t *re, const char *text, int flags, char *buf, size_t size);

/* regexec; running out of memory is not taken for no match. */
bool pattern_match(const regex_t *re, const char *s, size_t n, regmatch_t *m);

static inline bool pattern_matches(const regex_t *re, const char *s)
{
	return pattern_match(re, s, 0, NULL);
}

#endif
