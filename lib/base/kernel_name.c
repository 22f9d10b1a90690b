#include "base/kernel_name.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool opens(char c)
{
	return c == '(' || c == '<' || c == '[' || c == '{';
}

/* Does a bracket close here?  The > of the arrow in a lambda's type does not count. */
static bool closes(const char *begin, const char *p)
{
	return *p == ')' || *p == ']' || *p == '}' || (*p == '>' && (p == begin || p[-1] != '-'));
}

/* Where the name begins after a RANGE/.  A range may be called anything, so this looks from the end, where brackets
 * match. */
static const char *after_range(const char *name)
{
	int depth = 0;

	for (const char *p = name + strlen(name); p-- > name;) {
		if (closes(name, p))
			depth++;
		else if (opens(*p))
			depth--;
		else if (*p == '/' && depth == 0)
			return p + 1;
	}
	return name;
}

/* The end of a group of brackets; that of the text where they do not match. */
static const char *after_group(const char *begin, const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += opens(*p);
		depth -= closes(begin, p);
		if (depth == 0)
			return p + 1;
	}
	return p;
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The last word before the parameters, other than in brackets: (anonymous namespace) and <unnamed> stand where a word
 * would, other brackets after one. */
const char *kernel_name_short(const char *name, size_t *len)
{
	const char *begin = after_range(name), *word = NULL;

	*len = 0;
	for (const char *p = begin; *p;) {
		if (in_word(*p)) {
			word = p;
			while (in_word(*p))
				p++;
			*len = (size_t)(p - word);
		} else if (opens(*p)) {
			if (*p == '(' && word && (p == word + *len || p[-1] == '>' || p[-1] == ']'))
				break;
			p = after_group(begin, p);
		} else {
			p++;
		}
	}
	if (word)
		return word;
	*len = strlen(name);
	return name;
}
