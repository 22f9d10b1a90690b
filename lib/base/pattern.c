#include "base/pattern.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* glibc copies whatever '+' or '{m,n}' repeats, once for each repetition: 'a++++' makes sixteen copies, and nested
 * repetitions can fill any memory.  If the repeated part can be empty, the time grows with the square of the number of
 * copies.  Each parenthesis costs a level of recursion.  Expressions that people write stay far below these limits. */
enum { COPIES_MAX = 500, DEPTH_MAX = 100, NESTED_MAX = 3 };

/* The end of the bracket expression that starts at p. */
static const char *past_bracket(const char *p)
{
	p += p[1] == '^' ? 2 : 1;
	p += *p == ']';
	for (; *p && *p != ']'; p++)
		if (*p == '[' && p[1] && strchr(":.=", p[1])) {
			const char *end = strstr(p + 2, (char[]){ p[1], ']', 0 });
			if (end)
				p = end + 1;
		}
	return p + (*p == ']');
}

/* How often '{m,n}' repeats; moves *p to its end. */
static size_t times(const char **p)
{
	char *end;
	unsigned long most = strtoul(*p + 1, &end, 10);

	if (*end == ',') {
		unsigned long n = strtoul(end + 1, &end, 10);
		most = n > most ? n : most + 1;
	}
	*p = end;
	return most < 1 ? 1 : most < COPIES_MAX ? most : COPIES_MAX;
}

typedef struct {
	size_t copies;          /* characters after glibc's copying; COPIES_MAX: too many, or too deep */
	int nested;             /* how deep repetitions are nested */
} cost;

static cost repeated(cost c, size_t times)
{
	c.copies = c.copies * times < COPIES_MAX ? c.copies * times : COPIES_MAX;
	c.nested++;
	return c;
}

/* The cost of an expression up to its end or the ')' that closes it; an unmatched ')' is an ordinary character. */
static cost cost_of(const char **at, int depth)
{
	const char *p = *at;
	cost sum = { 0, 0 }, last = { 0, 0 };

	while (*p && (*p != ')' || !depth) && sum.copies + last.copies < COPIES_MAX) {
		if (*p == '+' || *p == '*' || *p == '?') {
			last = repeated(last, *p++ == '+' ? 2 : 1);
		} else if (*p == '{') {
			last = repeated(last, times(&p));
			p += *p == '}';
		} else {
			sum.copies += last.copies;
			last = (cost){ 1, 0 };
			if (*p == '(' && depth == DEPTH_MAX)
				return (cost){ COPIES_MAX, 0 };
			if (*p == '(') {
				p++;
				last = cost_of(&p, depth + 1);
				last.copies++;
				p += *p == ')';
			} else if (*p == '[')
				p = past_bracket(p);
			else
				p += *p == '\\' && p[1] ? 2 : 1;
		}
		sum.nested = last.nested > sum.nested ? last.nested : sum.nested;
	}
	*at = p;
	sum.copies += last.copies;
	return sum;
}

/* Is there a '|' outside parentheses? */
static bool has_choices(const char *p)
{
	int depth = 0;

	for (; *p; p = *p == '[' ? past_bracket(p) : p + (*p == '\\' && p[1] ? 2 : 1)) {
		depth += (*p == '(') - (*p == ')');
		if (*p == '|' && depth <= 0)
			return true;
	}
	return false;
}

/* glibc tries an expression at every place of a text, and '.*' each time up to its end.  Where it begins the
 * expression, the first place does for all. */
static int compile(regex_t *re, const char *text, int flags)
{
	bool anywhere = strncmp(text, ".*", 2) == 0 && !has_choices(text);
	char *anchored = mem_new(char, strlen(text) + 2);
	int rc;

	sprintf(anchored, "%s%s", anywhere ? "^" : "", text);
	rc = regcomp(re, anchored, REG_EXTENDED | flags);
	free(anchored);
	return rc;
}

const char *pattern_compile(regex_t *re, const char *text, int flags, char *buf, size_t size)
{
	const char *p = text;
	cost c = cost_of(&p, 0);
	int rc;

	if (c.copies >= COPIES_MAX || c.nested > NESTED_MAX)
		return "it repeats too much; nest fewer '+', '*', '?' and '{}'";
	for (p = text; *p; p = *p == '[' ? past_bracket(p) : p + (*p == '\\' && p[1] ? 2 : 1))
		if (*p == '\\' && p[1] >= '1' && p[1] <= '9')
			return "it refers back to a group, which extended expressions cannot";
	rc = compile(re, text, flags);
	if (rc == REG_ESPACE)
		mem_exhausted(strlen(text), 1);
	if (rc)
		regerror(rc, re, buf, size);
	return rc ? buf : NULL;
}

static bool match(const regex_t *re, const char *s, size_t n, regmatch_t *m)
{
	int rc;

	errno = 0;
	rc = regexec(re, s, n, m, 0);
	if (rc && errno == ENOMEM)      /* glibc reports it as no match */
		mem_exhausted(strlen(s), 1);
	return rc == 0;
}

bool pattern_match(const regex_t *re, const char *s, size_t n, regmatch_t *m)
{
	char *start;
	bool found;

	if (strnlen(s, PATTERN_LONGEST + 1) <= PATTERN_LONGEST)
		return match(re, s, n, m);
	start = mem_new(char, PATTERN_LONGEST + 1);
	memcpy(start, s, PATTERN_LONGEST);
	found = match(re, start, n, m);
	free(start);
	return found;
}
