#include "base/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool kernel_name_opens_group(char c)
{
	return c == '(' || c == '<' || c == '[' || c == '{';
}

/* Does a bracket close here?  The > of an arrow (->) in the type of a lambda does not. */
static bool kernel_name_closes_group(const char *begin, const char *p)
{
	return *p == ')' || *p == ']' || *p == '}' || (*p == '>' && (p == begin || p[-1] != '-'));
}

/* The start of the name behind a RANGE/.  The search goes backwards from the end, because brackets match in the name of
 * the kernel, but may not match in the name of a range. */
static const char *kernel_name_skip_range(const char *name)
{
	int depth = 0;

	for (const char *p = name + strlen(name); p-- > name;) {
		if (kernel_name_closes_group(name, p))
			depth++;
		else if (kernel_name_opens_group(*p))
			depth--;
		else if (*p == '/' && depth == 0)
			return p + 1;
	}
	return name;
}

/* The end of the group of brackets that opens at p; the end of the text if its brackets do not match. */
static const char *kernel_name_skip_group(const char *begin, const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += kernel_name_opens_group(*p);
		depth -= kernel_name_closes_group(begin, p);
		if (depth == 0)
			return p + 1;
	}
	return p;
}

static bool kernel_name_is_in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The function is the last word outside brackets before the parameters.  The parameters begin at the first ( that comes
 * right after a word, or after the > or ] that ends its template arguments or tags ([abi:cxx11]).  The ( of
 * (anonymous namespace) does not: it follows a blank or ::, or begins the name. */
const char *kernel_name_function(const char *name, size_t *len)
{
	const char *begin = kernel_name_skip_range(name), *word = NULL;

	*len = 0;
	for (const char *p = begin; *p;) {
		if (kernel_name_is_in_word(*p)) {
			word = p;
			while (kernel_name_is_in_word(*p))
				p++;
			*len = (size_t)(p - word);
		} else if (kernel_name_opens_group(*p)) {
			if (*p == '(' && word && (p == word + *len || p[-1] == '>' || p[-1] == ']'))
				break;
			p = kernel_name_skip_group(begin, p);
		} else {
			p++;
		}
	}
	if (word)
		return word;
	*len = strlen(name);
	return name;
}

static bool kernel_name_is_equal(const char *word, size_t len, const char *other)
{
	return strlen(other) == len && memcmp(word, other, len) == 0;
}

bool kernel_name_is_vague(const char *word, size_t len)
{
	return kernel_name_is_equal(word, len, "Kernel") || kernel_name_is_equal(word, len, "Kernel2") ||
		kernel_name_is_equal(word, len, "kernel") || kernel_name_is_equal(word, len, "device_kernel");
}

/* The last word of a template's first argument, which starts at `begin`; NULL: it has no word, or the last one is a
 * number.  Kernel_traits is replaced by the namespaces before it, at most two.  For enable_sm90<TYPE> and the like, the
 * word is looked for in TYPE. */
static const char *kernel_name_find_argument(const char *begin, size_t *len)
{
	const char *p = begin, *word = NULL, *before = NULL;

	while (*p && *p != ',' && !kernel_name_closes_group(begin, p)) {
		const char *from = p;
		if (!kernel_name_is_in_word(*p)) {
			p = kernel_name_opens_group(*p) ? kernel_name_skip_group(begin, p) : p + 1;
			continue;
		}
		while (kernel_name_is_in_word(*p))
			p++;
		if (strncmp(from, "enable_", 7) == 0 && *p == '<') {
			begin = ++p;
			word = before = NULL;
		} else if (kernel_name_is_equal(from, (size_t)(p - from), "Kernel_traits")) {
			*len = before ? (size_t)(word + *len - before) : *len;
			return before ? before : word;
		} else {
			before = word;
			word = from;
			*len = (size_t)(p - from);
		}
	}
	return word && !isdigit((unsigned char)*word) ? word : NULL;
}

const char *kernel_name_short(const char *name, size_t *len)
{
	const char *word = kernel_name_function(name, len), *telling = NULL;
	size_t before = (size_t)(word - name), n = 0;

	if (kernel_name_is_vague(word, *len) && word[*len] == '<' &&
	    (memmem(name, before, "cutlass", 7) || memmem(name, before, "xmma", 4)))
		telling = kernel_name_find_argument(word + *len + 1, &n);
	*len = telling ? n : *len;
	return telling ? telling : word;
}
