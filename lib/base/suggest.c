#include "base/suggest.h"

#include <string.h>

/* The number of edits (insert, drop, replace, swap neighbours) between two short words. */
static size_t distance(const char *a, const char *b)
{
	enum { MOST = 64 };
	size_t n = strlen(a), m = strlen(b), d[MOST + 1][MOST + 1];

	if (n > MOST || m > MOST)
		return MOST;
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			size_t least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < least)
				least = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < least)
				least = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
			    d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[n][m];
}

/* 0 if one is a prefix of the other or the typed word is part of the name, else the distance. */
static size_t unlike(const char *typed, const char *name)
{
	size_t n = strlen(typed), m = strlen(name), shorter = n < m ? n : m;

	return shorter >= 3 && (strncmp(typed, name, shorter) == 0 || strstr(name, typed)) ? 0 : distance(typed, name);
}

const char *suggest_names(arena *a, const char *typed, const char *const *known, size_t n)
{
	enum { MANY = 4 };
	size_t least = strlen(typed) / 2 < 3 ? strlen(typed) / 2 : 3;
	size_t found = 0;
	const char *text = "";

	for (size_t i = 0; i < n; i++)
		if (unlike(typed, known[i]) < least)
			least = unlike(typed, known[i]);
	for (size_t i = 0; i < n; i++)
		if (unlike(typed, known[i]) == least && found++ < MANY) {
			const char *quote = *known[i] == '"' ? "" : "'";        /* some have theirs */
			text = arena_printf(a, "%s%s%s%s%s", text, *text ? " or " : ", did you mean ", quote, known[i],
					    quote);
		}
	return *text ? arena_printf(a, "%s?", text) : ";";
}
