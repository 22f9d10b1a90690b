#include "pattern.h"
#include "err.h"
#include "mem.h"

static vec(regex_t *) compiled;   /* they live as long as the process */

const regex_t *pattern_compile(const char *option, const char *text)
{
	regex_t *re;
	char reason[200];
	int rc;

	if (!text)
		return NULL;
	re = mem_new(regex_t, 1);
	rc = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, re, reason, sizeof reason);
		die(EXIT_WRONG, "'%s' takes a regular expression, not '%s': %s", option, text, reason);
	}
	vec_push(&compiled, re);
	return re;
}
