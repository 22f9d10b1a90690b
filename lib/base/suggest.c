#include "base/suggest.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static bool suggest_is_same_letter(char a, char b, bool any_case)
{
	return a == b || (any_case && tolower((unsigned char)a) == tolower((unsigned char)b));
}

/* The number of edits that turn the typed word into the name: insert, drop, replace, or swap neighbours.  With `part`,
 * the word may become any part of the name, and case is ignored.  A word of more than MOST bytes counts as MOST
 * edits. */
static size_t suggest_measure_distance(const char *typed, const char *name, bool part)
{
	enum { MOST = 64 };
	size_t n = strlen(typed), d[3][MOST + 1], best = MOST;

	if (n > MOST)
		return MOST;
	for (size_t j = 0; j == 0 || name[j - 1]; j++) {
		size_t *now = d[j % 3], *last = d[(j + 2) % 3], *before = d[(j + 1) % 3];
		for (size_t i = 0; i <= n; i++) {
			if (!i || !j) {
				now[i] = part && !i ? 0 : i + j;
				continue;
			}
			size_t least = last[i - 1] + !suggest_is_same_letter(typed[i - 1], name[j - 1], part);
			if (now[i - 1] + 1 < least)
				least = now[i - 1] + 1;
			if (last[i] + 1 < least)
				least = last[i] + 1;
			if (i > 1 && j > 1 && suggest_is_same_letter(typed[i - 1], name[j - 2], part) &&
			    suggest_is_same_letter(typed[i - 2], name[j - 1], part) && before[i - 2] + 1 < least)
				least = before[i - 2] + 1;
			now[i] = least;
		}
		best = part && best < now[n] ? best : now[n];
	}
	return best;
}

/* The distance of two words (suggest_measure_distance).  It is 0 if both have at least three letters, and one begins
 * with the other or the name contains the typed word. */
static size_t suggest_measure_difference(const char *typed, const char *name, bool part)
{
	size_t n = strlen(typed), m = strlen(name), shorter = n < m ? n : m;

	return shorter >= 3 && (strncmp(typed, name, shorter) == 0 || strstr(name, typed)) ? 0 :
		suggest_measure_distance(typed, name, part);
}

/* The names that are the fewest edits away, but at most `limit`, worded as in suggest_names. */
static const char *suggest_find_nearest(arena *a, const char *typed, const char *const *known, size_t n, bool part,
					size_t limit)
{
	enum { MANY = 4, LONG = 80 };
	size_t found = 0, *edits = mem_new(size_t, n);
	const char *text = "";

	for (size_t i = 0; i < n; i++) {
		edits[i] = suggest_measure_difference(typed, known[i], part);
		limit = edits[i] < limit ? edits[i] : limit;
	}
	for (size_t i = 0; i < n; i++)
		if (edits[i] == limit && found++ < MANY) {
			const char *quote = *known[i] == '"' ? "" : "'";        /* some names are quoted */
			text = arena_printf(a, "%s%s%s%.*s%s%s", text, *text ? " or " : ", did you mean ", quote, LONG,
					    known[i], strlen(known[i]) > LONG ? "..." : "", quote);
		}
	free(edits);
	return *text ? arena_printf(a, "%s?", text) : ";";
}

/* At most a third of the bytes that were typed may need an edit, and at most three.  So --pid, which is three edits
 * away, is not suggested for --with. */
const char *suggest_names(arena *a, const char *typed, const char *const *known, size_t n)
{
	return suggest_find_nearest(a, typed, known, n, false, strlen(typed) / 3 < 3 ? strlen(typed) / 3 : 3);
}

const char *suggest_parts(arena *a, const char *typed, const char *const *known, size_t n)
{
	size_t len = strlen(typed);

	return len < 3 ? ";" : suggest_find_nearest(a, typed, known, n, true, len / 4 < 3 ? len / 4 : 3);
}
