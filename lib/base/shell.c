#include "base/shell.h"
#include "base/printable.h"

#include <string.h>

/* The first n bytes in quotes. */
static const char *shell_quote_bytes(arena *a, const char *s, size_t n)
{
	const char *out = "'";

	for (size_t i = 0, k; i < n; i += k) {
		k = 0;
		while (i + k < n && s[i + k] != '\'')
			k++;
		out = arena_printf(a, "%s%.*s%s", out, (int)k, s + i, i + k < n ? "'\"'\"'" : "");
		k += i + k < n;
	}
	return arena_printf(a, "%s'", out);
}

/* The number of bytes before a backslash or a byte that is not printable. */
static size_t shell_measure_plain(const char *s)
{
	size_t n = 0;

	while (s[n] != '\\' && printable_length(s + n))
		n += printable_length(s + n);
	return n;
}

/* Write a text as "$(LC_ALL=C awk 'BEGIN { printf "%s%c%s", ARGV[1], 92, ARGV[2] }' 'before' 'after')".  Another locale
 * could turn a number from 128 on into a character of two bytes. */
static const char *shell_quote_by_awk(arena *a, const char *s)
{
	const char *format = "", *values = "", *words = "";
	size_t parts = 0;

	for (size_t n; *s; s += n ? n : 1) {
		n = shell_measure_plain(s);
		words = n ? arena_printf(a, "%s %s", words, shell_quote_bytes(a, s, n)) : words;
		format = arena_printf(a, "%s%s", format, n ? "%s" : "%c");
		values = n ? arena_printf(a, "%s, ARGV[%zu]", values, ++parts) :
			arena_printf(a, "%s, %d", values, (unsigned char)*s);
	}
	return arena_printf(a, "\"$(LC_ALL=C awk 'BEGIN { printf \"%s\"%s }'%s)\"", format, values, words);
}

const char *shell_quoted(arena *a, const char *s)
{
	return s[shell_measure_plain(s)] ? shell_quote_by_awk(a, s) : shell_quote_bytes(a, s, strlen(s));
}

const char *shell_single(arena *a, const char *s)
{
	return shell_quote_bytes(a, s, strlen(s));
}

const char *shell_word(arena *a, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+=";

	return *s && !s[strspn(s, plain)] ? s : shell_quoted(a, s);
}
