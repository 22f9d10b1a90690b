#include "base/markup.h"
#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

static bool allowed(const char *s, size_t n)
{
	return n && (printable_length(s) || *s == '\n' || *s == '\t') &&
		!(n == 3 && memcmp(s, "\xef\xbf", 2) == 0 && (unsigned char)s[2] >= 0xbe);
}

void markup_text(FILE *to, const char *s, size_t n)
{
	for (const char *end = s + n; s < end;) {
		size_t len = printable_utf8(s);
		switch (*s) {
		case '&': fputs("&amp;", to); break;
		case '<': fputs("&lt;", to); break;
		case '>': fputs("&gt;", to); break;
		case '"': fputs("&quot;", to); break;
		case '\'': fputs("&#39;", to); break;
		default:
			if (allowed(s, len))
				fwrite(s, 1, len, to);
			else
				fputs("\xef\xbf\xbd", to);
		}
		s += len ? len : 1;
	}
}

const char *markup_up_to(FILE *to, const char *template, const char *mark)
{
	const char *at = strstr(template, mark);
	size_t n = at ? (size_t)(at - template) : strlen(template);

	fwrite(template, 1, n, to);
	return template + n + (at ? strlen(mark) : 0);
}
