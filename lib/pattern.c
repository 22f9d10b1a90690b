#include "pattern.h"
#include "err.h"
#include "mem.h"

#include <errno.h>
#include <string.h>

static vec(regex_t *) compiled;   /* they live as long as the process */

/* glibc copies what a '+' or '{m,n}' repeats, once each time: 'a++++' is sixteen copies, and nested ones
 * fill any memory; where what is repeated may be empty it takes the square of their number in time.  It
 * descends by a call for each parenthesis.  What people write is far from this. */
enum { COPIES_MAX = 500, DEPTH_MAX = 100 };

/* Past the bracket expression that begins at p. */
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

/* How often '{m,n}' repeats; moves to its end. */
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

/* How many characters glibc makes of an expression, up to the end or the ')' that closes it (one that
 * closes nothing is a character like others); COPIES_MAX: too many, or too deep. */
static size_t copies(const char **at, int depth)
{
	const char *p = *at;
	size_t sum = 0, last = 0;

	while (*p && (*p != ')' || !depth) && sum + last < COPIES_MAX) {
		if (*p == '+' || *p == '*' || *p == '?') {
			last *= *p++ == '+' ? 2 : 1;
		} else if (*p == '{') {
			last *= times(&p);
			p += *p == '}';
		} else {
			sum += last;
			last = 1;
			if (*p == '(' && depth == DEPTH_MAX)
				return COPIES_MAX;
			if (*p == '(') {
				p++;
				last = copies(&p, depth + 1) + 1;
				p += *p == ')';
			} else if (*p == '[')
				p = past_bracket(p);
			else
				p += *p == '\\' && p[1] ? 2 : 1;
		}
		last = last < COPIES_MAX ? last : COPIES_MAX;
	}
	*at = p;
	return sum + last < COPIES_MAX ? sum + last : COPIES_MAX;
}

const char *pattern_regcomp(regex_t *re, const char *text, int flags, char *buf, size_t size)
{
	const char *p = text;
	int rc;

	if (copies(&p, 0) >= COPIES_MAX)
		return "it repeats too much; nest fewer '+' and '{}'";
	rc = regcomp(re, text, REG_EXTENDED | flags);
	if (rc == REG_ESPACE)
		die(EXIT_FAILED, "out of memory");
	if (rc)
		regerror(rc, re, buf, size);
	return rc ? buf : NULL;
}

bool pattern_match(const regex_t *re, const char *s, size_t n, regmatch_t *m)
{
	int rc;

	errno = 0;
	rc = regexec(re, s, n, m, 0);
	if (rc && errno == ENOMEM)      /* glibc says only that there is no match */
		die(EXIT_FAILED, "out of memory");
	return rc == 0;
}

const regex_t *pattern_compile(const char *option, const char *text)
{
	regex_t *re;
	char buf[200];
	const char *wrong;

	if (!text)
		return NULL;
	re = mem_new(regex_t, 1);
	wrong = pattern_regcomp(re, text, REG_NOSUB, buf, sizeof buf);
	if (wrong)
		die(EXIT_WRONG, "'%s' takes a regular expression, not '%s': %s", option, text, wrong);
	vec_push(&compiled, re);
	return re;
}
