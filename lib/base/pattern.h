/*
 * pattern - regular expressions of PCRE2, which users write on the command line or in rules.
 *
 *     char why[PATTERN_WHY];
 *     pattern *p = pattern_new("^step \\d+$", PATTERN_EXACT, why);
 *     if (p && pattern_matches(p, "step 7"))
 *         puts("a step");
 *     pattern_free(p);
 *
 * A dot matches every character, and '$' only the end of the text.  Characters are those of UTF-8; in a text that is
 * not UTF-8 they are bytes.  The effort for a text is limited: an expression whose time grows exponentially gives up
 * after some milliseconds.  Only the first PATTERN_LONGEST bytes of a text are matched, because the time may still
 * grow with the square of the length.  Several threads may use the same pattern.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef struct pattern pattern;

enum pattern_case { PATTERN_EXACT, PATTERN_ANY_CASE };
enum pattern_result { PATTERN_DIFFERS, PATTERN_MATCHES, PATTERN_GAVE_UP };
enum { PATTERN_WHY = 200, PATTERN_LONGEST = 16384 };

typedef struct {
	size_t a, b;            /* bytes [a,b) of the text; a == b if the group is empty or took no part */
} pattern_group;

/* Compile an expression.  NULL: the expression is wrong, and `why` gets the reason.  `why` is NULL or has room for
 * PATTERN_WHY bytes. */
pattern *pattern_new(const char *text, enum pattern_case which, char *why);
void pattern_free(pattern *p);     /* NULL is allowed */

const char *pattern_text(const pattern *p);

/* The number of groups in parentheses. */
size_t pattern_count_groups(const pattern *p);

/* Match a text, and set the first n groups; group 0 is the whole match, and n may be 0. */
enum pattern_result pattern_match(const pattern *p, const char *s, pattern_group *group, size_t n);

/* Has a match with this pattern ever given up? */
bool pattern_gave_up(const pattern *p);

/* Set a function to call as soon as pattern_matches gives up. */
void pattern_on_giving_up(pattern *p, void (*call)(const pattern *p));

/* Does the text match?  A pattern that has given up once is not tried again, and matches nothing. */
bool pattern_matches(const pattern *p, const char *s);
