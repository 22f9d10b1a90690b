#include "base/pattern.h"
#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

/* PCRE2 counts its attempts anew for each place where a match may begin.  A million take some milliseconds. */
enum { ATTEMPTS_MAX = 1000000, HEAP_KB_MAX = 65536 };

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	char *text;
	void (*on_giving_up)(const pattern *p);
	_Atomic bool *gave_up;          /* all that matching changes */
};

pattern *pattern_new(const char *text, enum pattern_case which, char *why)
{
	uint32_t options = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOTALL |
		PCRE2_DOLLAR_ENDONLY | (which == PATTERN_ANY_CASE ? PCRE2_CASELESS : 0);
	pattern *p;
	PCRE2_SIZE at;
	int error;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, &error, &at, NULL);

	if (!code && error == PCRE2_ERROR_HEAP_FAILED)
		mem_exhausted(1, 1);
	if (!code && why)
		pcre2_get_error_message(error, (PCRE2_UCHAR *)why, PATTERN_WHY);
	if (!code)
		return NULL;
	p = mem_new(pattern, 1);
	p->code = code;
	p->gave_up = mem_new(_Atomic bool, 1);
	p->text = strcpy(mem_new(char, strlen(text) + 1), text);
	p->limits = pcre2_match_context_create(NULL);
	if (!p->limits)
		mem_exhausted(1, 1);
	/* Machine code is ten times as fast, a thousand times where '.*' is tried from many places.  Where it cannot
	 * be had, the expression is interpreted. */
	pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	pcre2_set_match_limit(p->limits, ATTEMPTS_MAX);
	pcre2_set_heap_limit(p->limits, HEAP_KB_MAX);
	return p;
}

void pattern_free(pattern *p)
{
	if (!p)
		return;
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
	mem_free(p->text, p->gave_up, p);
}

const char *pattern_text(const pattern *p)
{
	return p->text;
}

size_t pattern_groups(const pattern *p)
{
	uint32_t n = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &n);
	return n;
}

/* On a stack of its own, which may be larger than the one that machine code usually has. */
static int match_deeply(const pattern *p, const char *s, size_t n, pcre2_match_data *m)
{
	pcre2_match_context *limits = pcre2_match_context_copy(p->limits);
	pcre2_jit_stack *stack = pcre2_jit_stack_create(1 << 15, (size_t)HEAP_KB_MAX << 10, NULL);
	int rc;

	if (!limits || !stack)
		mem_exhausted(1, 1);
	pcre2_jit_stack_assign(limits, NULL, stack);
	rc = pcre2_match(p->code, (PCRE2_SPTR)s, n, 0, 0, m, limits);
	pcre2_jit_stack_free(stack);
	pcre2_match_context_free(limits);
	return rc;
}

enum pattern_result pattern_match(const pattern *p, const char *s, pattern_group *group, size_t n)
{
	pcre2_match_data *m = pcre2_match_data_create(n ? (uint32_t)n : 1, NULL);
	size_t length = strnlen(s, PATTERN_LONGEST);
	const PCRE2_SIZE *at;
	int rc;

	if (!m)
		mem_exhausted(1, 1);
	rc = pcre2_match(p->code, (PCRE2_SPTR)s, length, 0, 0, m, p->limits);
	if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
		rc = match_deeply(p, s, length, m);
	at = pcre2_get_ovector_pointer(m);
	for (size_t i = 0; i < n; i++)
		group[i] = rc > 0 && i < (size_t)rc && at[2 * i] != PCRE2_UNSET ?
			(pattern_group){ at[2 * i], at[2 * i + 1] } : (pattern_group){ 0, 0 };
	pcre2_match_data_free(m);
	if (rc == PCRE2_ERROR_NOMEMORY)
		mem_exhausted(1, 1);
	if (rc < 0 && rc != PCRE2_ERROR_NOMATCH)
		*p->gave_up = true;
	return rc >= 0 ? PATTERN_MATCHES : rc == PCRE2_ERROR_NOMATCH ? PATTERN_DIFFERS : PATTERN_GAVE_UP;
}

bool pattern_gave_up(const pattern *p)
{
	return *p->gave_up;
}

void pattern_on_giving_up(pattern *p, void (*call)(const pattern *p))
{
	p->on_giving_up = call;
}

bool pattern_matches(const pattern *p, const char *s)
{
	enum pattern_result found = *p->gave_up ? PATTERN_DIFFERS : pattern_match(p, s, NULL, 0);

	if (found == PATTERN_GAVE_UP && p->on_giving_up)
		p->on_giving_up(p);
	return found == PATTERN_MATCHES;
}
