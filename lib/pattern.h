/*
 * pattern - regular expressions given on the command line.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

/* Compile a POSIX extended expression that came with an option; exits when it is not one.
 * NULL gives NULL. */
const regex_t *pattern_compile(const char *option, const char *text);

static inline bool pattern_matches(const regex_t *re, const char *s)
{
	return regexec(re, s, 0, NULL, 0) == 0;
}

#endif
