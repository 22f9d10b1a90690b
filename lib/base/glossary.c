#include "base/glossary.h"

#include <stdbool.h>
#include <string.h>

const glossary_word *glossary_find(const char *column, const char *word)
{
	for (const glossary_word *w = glossary_builtin; w->word; w++)
		if ((!column || strcmp(w->column, column) == 0) && strcmp(w->word, word) == 0)
			return w;
	return NULL;
}

/* The words that a text between braces stands for, separated by blanks; "" if there are none. */
static const char *glossary_list_words(arena *a, const char *spec)
{
	size_t n = strcspn(spec, " ");
	const char *column = arena_text(a, spec, n), *dots = strstr(spec, ".."), *list = NULL;
	const char *first = dots && spec[n] ? arena_text(a, spec + n + 1, (size_t)(dots - spec) - n - 1) : NULL;
	bool inside = !first;

	for (const glossary_word *w = glossary_builtin; w->word; w++) {
		if (strcmp(w->column, column) != 0)
			continue;
		inside |= first && strcmp(w->word, first) == 0;
		if (inside)
			list = list ? arena_printf(a, "%s %s", list, w->word) : w->word;
		inside &= !first || strcmp(w->word, dots + 2) != 0;
	}
	return list ? list : "";
}

const char *glossary_expand(arena *a, const char *text)
{
	const char *open, *close, *done = "";

	while ((open = strchr(text, '{')) && (close = strchr(open, '}'))) {
		const char *spec = arena_text(a, open + 1, (size_t)(close - open) - 1);
		done = arena_printf(a, "%s%.*s%s", done, (int)(open - text), text, glossary_list_words(a, spec));
		text = close + 1;
	}
	return *done ? arena_printf(a, "%s%s", done, text) : text;
}
