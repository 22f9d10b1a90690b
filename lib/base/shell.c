#include "base/shell.h"

#include <string.h>

/* The first n bytes in quotes. */
static const char *quoted(arena *a, const char *s, size_t n)
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

/* A backslash, and what may control a terminal. */
static const char escaped[] = "\\\001\002\003\004\005\006\a\b\t\n\v\f\r\016\017\020\021\022\023\024\025\026\027\030"
	"\031\032\033\034\035\036\037\177";

/* "$(awk 'BEGIN { printf "%s%c%s", ARGV[1], 92, ARGV[2] }' 'before' 'after')" */
static const char *through_awk(arena *a, const char *s)
{
	const char *format = "%s", *values = "ARGV[1]", *words = "";
	size_t parts = 1;

	for (size_t n;; s += n + 1) {
		n = strcspn(s, escaped);
		words = arena_printf(a, "%s %s", words, quoted(a, s, n));
		if (!s[n])
			return arena_printf(a, "\"$(awk 'BEGIN { printf \"%s\", %s }'%s)\"", format, values, words);
		format = arena_printf(a, "%s%%c%%s", format);
		values = arena_printf(a, "%s, %d, ARGV[%zu]", values, s[n], ++parts);
	}
}

const char *shell_quoted(arena *a, const char *s)
{
	return s[strcspn(s, escaped)] ? through_awk(a, s) : quoted(a, s, strlen(s));
}

const char *shell_single(arena *a, const char *s)
{
	return quoted(a, s, strlen(s));
}

const char *shell_word(arena *a, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+=";

	return *s && !s[strspn(s, plain)] ? s : shell_quoted(a, s);
}
