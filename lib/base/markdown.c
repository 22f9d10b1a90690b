#include "base/markdown.h"
#include "base/memory.h"
#include "base/printable.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A character as others read it: punctuation after a backslash loses it, so that the backslash is no longer its own. */
static const char *replacement(char c, char next)
{
	switch (c) {
	case '<': return "&lt;";
	case '>': return "&gt;";
	case '&': return "&amp;";
	case '`': return "&#96;";
	case '|': return "\\|";
	case '[': return "\\[";
	case ']': return "\\]";
	case '*': return "\\*";
	case '~': return "\\~";
	case '\\': return !next || ispunct((unsigned char)next) ? "&#92;" : NULL;
	default: return NULL;
	}
}

/* Underscores inside a word mean nothing. */
static char *underscores(char *to, const char *s, const char *at, size_t n)
{
	bool in_word = at > s && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[n]);

	while (n--)
		to = stpcpy(to, in_word ? "_" : "\\_");
	return to;
}

size_t markdown_address(const char *s, const char *at)
{
	if (strncmp(at, "://", 3) == 0)
		return 3;
	return strncasecmp(at, "www.", 4) == 0 && !(at > s && isalnum((unsigned char)at[-1])) ? 4 : 0;
}

char *markdown_text(const char *s)
{
	enum { LONGEST = 5 };   /* "&amp;" */
	char *out = mem_new(char, strlen(s) * LONGEST + 1), *p = out;

	for (const char *at = s; *at;) {
		size_t link = markdown_address(s, at), under = strspn(at, "_"), n = link ? link : under ? under :
			printable_length(at);
		const char *instead = replacement(at[0], at[1]);
		if (link)
			p += sprintf(p, "`%.*s`", (int)link, at);
		else if (under)
			p = underscores(p, s, at, under);
		else if (instead)
			p = stpcpy(p, instead);
		else
			p = n ? mempcpy(p, at, n) : printable_byte(p, *at);
		at += n ? n : 1;
	}
	*p = 0;
	return out;
}
