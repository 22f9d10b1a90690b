#include "base/pattern.h"
#include "cli/errors.h"
#include "base/memory.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static vec(regex_t *) compiled;   /* they live as long as the process */

/* glibc copies what a '+' or '{m,n}' repeats, once each time: 'a++++' is sixteen copies, and nested ones
 * fill any memory; where what is repeated may be empty it takes the square of their number in time.  It
 * descends by a call for each parenthesis.  What people write is far from this. */
enum { COPIES_MAX = 500, DEPTH_MAX = 100, NESTED_MAX = 3, SECONDS_MAX = 2 };

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

typedef struct {
	size_t copies;          /* characters that glibc makes of an expression; COPIES_MAX: too many, or too deep */
	int nested;             /* repetitions inside each other */
} cost;

static cost repeated(cost c, size_t times)
{
	c.copies = c.copies * times < COPIES_MAX ? c.copies * times : COPIES_MAX;
	c.nested++;
	return c;
}

/* What an expression costs, up to the end or the ')' that closes it; one that closes nothing is a
 * character like others. */
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

static char slow[400];          /* what is said of an expression that takes too long to compile */

static void too_slow(int signal)
{
	(void)signal;
	if (write(STDERR_FILENO, slow, strlen(slow)) < 0)
		_exit(EXIT_WRONG);
	_exit(EXIT_WRONG);
}

/* glibc takes exponential time for some short expressions of anchors and what may be empty, and cannot
 * be stopped: so it may use two seconds. */
static int compile_in_time(regex_t *re, const char *text, int flags)
{
	struct itimerval limit = { .it_value = { .tv_sec = SECONDS_MAX } }, off = { 0 };
	int rc;

	snprintf(slow, sizeof slow, "%s: the regular expression '%.200s' takes too long; repeat less in it\n", err_tool,
		 text);
	for (char *p = slow; p[1]; p++)
		*p = (unsigned char)*p < ' ' ? '?' : *p;
	signal(SIGVTALRM, too_slow);
	setitimer(ITIMER_VIRTUAL, &limit, NULL);
	rc = regcomp(re, text, flags);
	setitimer(ITIMER_VIRTUAL, &off, NULL);
	return rc;
}

const char *pattern_regcomp(regex_t *re, const char *text, int flags, char *buf, size_t size)
{
	const char *p = text;
	cost c = cost_of(&p, 0);
	int rc;

	if (c.copies >= COPIES_MAX || c.nested > NESTED_MAX)
		return "it repeats too much; nest fewer '+', '*', '?' and '{}'";
	for (p = text; *p; p = *p == '[' ? past_bracket(p) : p + (*p == '\\' && p[1] ? 2 : 1))
		if (*p == '\\' && p[1] >= '1' && p[1] <= '9')
			return "it refers back to a group, which extended expressions cannot";
	rc = compile_in_time(re, text, REG_EXTENDED | flags);
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
