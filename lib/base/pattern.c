#include "base/pattern.h"
#include "base/memory.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string.h>

/* Limits of one match.  PCRE2 counts its attempts anew at each position where a match may begin; a million attempts
 * take some milliseconds. */
enum { ATTEMPTS_MAX = 1000000, HEAP_KB_MAX = 65536 };

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	char *text;
	uint32_t options;
	void (*on_giving_up)(const pattern *p);
	_Atomic bool *gave_up;          /* has a match given up?  Threads that share the pattern may set it at the same
					 * time; matching changes no other field */
};

static pcre2_code *pattern_compile_text(const char *text, uint32_t options, int *error)
{
	PCRE2_SIZE at;
	pcre2_code *code = pcre2_compile((PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, options, error, &at, NULL);

	if (!code && *error == PCRE2_ERROR_HEAP_FAILED)
		mem_exhausted(1, 1);
	/* As machine code, an expression is ten times as fast, and a thousand times if '.*' is tried at many places.
	 * If this call fails, the expression is interpreted. */
	if (code)
		pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);
	return code;
}

pattern *pattern_new(const char *text, enum pattern_case which, char *why)
{
	uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | PCRE2_DOTALL | PCRE2_DOLLAR_ENDONLY |
		(which == PATTERN_ANY_CASE ? PCRE2_CASELESS : 0);
	int error;
	pcre2_code *code = pattern_compile_text(text, options, &error);
	pattern *p;

	if (!code && why)
		pcre2_get_error_message(error, (PCRE2_UCHAR *)why, PATTERN_WHY);
	if (!code)
		return NULL;
	p = mem_new(pattern, 1);
	*p = (pattern){ code, pcre2_match_context_create(NULL), strcpy(mem_new(char, strlen(text) + 1), text),
		options, NULL, mem_new(_Atomic bool, 1) };
	if (!p->limits)
		mem_exhausted(1, 1);
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

size_t pattern_count_groups(const pattern *p)
{
	uint32_t n = 0;

	pcre2_pattern_info(p->code, PCRE2_INFO_CAPTURECOUNT, &n);
	return n;
}

typedef struct {
	const char *s;
	size_t n;
	pcre2_match_data *m;
} subject;

/* Match again with a large stack, because the usual stack of the machine code was too small. */
static int pattern_match_deeply(const pattern *p, const pcre2_code *code, const subject *subj)
{
	pcre2_match_context *limits = pcre2_match_context_copy(p->limits);
	pcre2_jit_stack *stack = pcre2_jit_stack_create(1 << 15, (size_t)HEAP_KB_MAX << 10, NULL);
	int rc;

	if (!limits || !stack)
		mem_exhausted(1, 1);
	pcre2_jit_stack_assign(limits, NULL, stack);
	rc = pcre2_match(code, (PCRE2_SPTR)subj->s, subj->n, 0, 0, subj->m, limits);
	pcre2_jit_stack_free(stack);
	pcre2_match_context_free(limits);
	return rc;
}

static int pattern_match_code(const pattern *p, const pcre2_code *code, const subject *subj)
{
	int rc = pcre2_match(code, (PCRE2_SPTR)subj->s, subj->n, 0, 0, subj->m, p->limits);

	return rc == PCRE2_ERROR_JIT_STACKLIMIT ? pattern_match_deeply(p, code, subj) : rc;
}

/* Match a text that is not UTF-8, which is rare, byte by byte. */
static int pattern_match_bytes(const pattern *p, const subject *subj)
{
	int error, rc;
	pcre2_code *code = pattern_compile_text(p->text, p->options & ~PCRE2_UTF, &error);

	if (!code)              /* the expression has a code above 255, such as \x{2026} */
		return PCRE2_ERROR_NOMATCH;
	rc = pattern_match_code(p, code, subj);
	pcre2_code_free(code);
	return rc;
}

enum pattern_result pattern_match(const pattern *p, const char *s, pattern_group *group, size_t n)
{
	subject subj = { s, strnlen(s, PATTERN_LONGEST), pcre2_match_data_create(n ? (uint32_t)n : 1, NULL) };
	const PCRE2_SIZE *at;
	int rc;

	if (!subj.m)
		mem_exhausted(1, 1);
	rc = pattern_match_code(p, p->code, &subj);
	if (rc <= PCRE2_ERROR_UTF8_ERR1 && rc >= PCRE2_ERROR_UTF8_ERR21)
		rc = pattern_match_bytes(p, &subj);
	at = pcre2_get_ovector_pointer(subj.m);
	for (size_t i = 0; i < n; i++)          /* rc is 0 if the expression has more than n groups */
		group[i] = rc >= 0 && (!rc || i < (size_t)rc) && at[2 * i] != PCRE2_UNSET ?
			(pattern_group){ at[2 * i], at[2 * i + 1] } : (pattern_group){ 0, 0 };
	pcre2_match_data_free(subj.m);
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
