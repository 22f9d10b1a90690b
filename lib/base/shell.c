#include "base/shell.h"

#include <string.h>

const char *shell_quoted(arena *a, const char *s)
{
	const char *out = "'";

	for (size_t n; (n = strcspn(s, "'")), s[n]; s += n + 1)
		out = arena_printf(a, "%s%.*s'\"'\"'", out, (int)n, s);
	return arena_printf(a, "%s%s'", out, s);
}

const char *shell_word(arena *a, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,@%+=";

	return *s && !s[strspn(s, plain)] ? s : shell_quoted(a, s);
}
