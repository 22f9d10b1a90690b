#include "base/markup.h"
#include "base/memory.h"
#include "base/printable.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* May the character be written?  Control characters other than a tab or a line break may not, nor may U+FFFE and
 * U+FFFF, which XML forbids. */
static bool markup_is_allowed(uint32_t code)
{
	return code == '\n' || code == '\t' || (code >= 0x20 && code < 0x7f) ||
		(code >= 0xa0 && code != 0xfffe && code != 0xffff);
}

static void markup_write_character(FILE *to, const char *s, size_t n, bool label)
{
	uint32_t code = n ? printable_code(s, n) : 0;

	if (!markup_is_allowed(code) || (label && printable_hides(code)))
		fputs("\xef\xbf\xbd", to);
	else if (printable_hides(code))
		fprintf(to, "&#x%x;", (unsigned)code);  /* keeps the source of the page readable */
	else
		fwrite(s, 1, n, to);
}

static void markup_write_text(FILE *to, const char *s, size_t n, bool label)
{
	for (const char *end = s + n; s < end;) {
		size_t len = printable_utf8(s);
		switch (*s) {
		case '&': fputs("&amp;", to); break;
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '"': fputs("&quot;", to); break;
		case '\'': fputs("&#39;", to); break;
		default: markup_write_character(to, s, len, label);
		}
		s += len ? len : 1;
	}
}

void markup_text(FILE *to, const char *s, size_t n)
{
	markup_write_text(to, s, n, false);
}

void markup_label(FILE *to, const char *s)
{
	markup_write_text(to, s, strlen(s), true);
}

void markup_element(FILE *to, const char *tag, const char *class, const char *s)
{
	fprintf(to, class ? "<%s class=\"%s\">" : "<%s>", tag, class);
	markup_write_text(to, s ? s : "", s ? strlen(s) : 0, false);
	fprintf(to, "</%s>", tag);
}

const char *markup_write_up_to(FILE *to, const char *template, const char *mark)
{
	const char *at = strstr(template, mark);
	size_t n = at ? (size_t)(at - template) : strlen(template);

	fwrite(template, 1, n, to);
	return template + n + (at ? strlen(mark) : 0);
}

/* ---- Markdown */

/* The replacement of a character in Markdown, or NULL.  A backslash is replaced only before punctuation, which it would
 * escape, and at the end of the text. */
static const char *markup_find_replacement(char c, char next)
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

/* Write the n underscores at `at` in s, escaped at the edge of a word; inside a word they mean nothing to Markdown. */
static char *markup_write_underscores(char *to, const char *s, const char *at, size_t n)
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
	enum { LONGEST = 5 };   /* the longest replacement of a byte is "&amp;" */
	char *out = mem_new(char, strlen(s) * LONGEST + 1), *p = out;

	for (const char *at = s; *at;) {
		size_t link = markdown_address(s, at), under = strspn(at, "_"), n = link ? link : under ? under :
			printable_length(at);
		const char *instead = markup_find_replacement(at[0], at[1]);
		if (link)
			p += sprintf(p, "`%.*s`", (int)link, at);
		else if (under)
			p = markup_write_underscores(p, s, at, under);
		else if (instead)
			p = stpcpy(p, instead);
		else
			p = n ? mempcpy(p, at, n) : printable_write_byte(p, *at);
		at += n ? n : 1;
	}
	*p = 0;
	return out;
}
