/*
 * pattern - POSIX extended regular expressions that users write on the command line or in rules.
 *
 *     regex_t re;
 *     char buf[200];
 *     const char *wrong = pattern_compile(&re, "^step [0-9]+$", REG_NOSUB, buf, sizeof buf);
 *     if (!wrong && pattern_matches(&re, "step 7"))
 *         puts("a step");
 *     regfree(&re);
 *
 * A text longer than PATTERN_LONGEST is taken to end there, because the time may grow with the square of its length.
 * Expressions that would use unbounded memory or stack are refused.  Some short ones still take exponential time in
 * glibc, so set a time limit before compiling an expression from a stranger, as the command line does.
 */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* regcomp with REG_EXTENDED and these flags.  Returns NULL, or why the expression is refused (the text may
 * be in buf). */
const char *pattern_compile(regex_t *re, const char *text, int flags, char *buf, size_t size);

enum { PATTERN_LONGEST = 16384 };

/* regexec, except that running out of memory is not taken for "no match". */
bool pattern_match(const regex_t *re, const char *s, size_t n, regmatch_t *m);

static inline bool pattern_matches(const regex_t *re, const char *s)
{
	return pattern_match(re, s, 0, NULL);
}
