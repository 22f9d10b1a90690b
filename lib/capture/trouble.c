#include "capture/trouble.h"
#include "trace/rules.h"

#include <string.h>

const char *trouble_advice(const char *text, arena *to)
{
	rules *known = rules_load("trouble", NULL);
	const char *found = NULL;

	for (size_t n; known && *text && !found; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		found = rules_match(known, arena_text(to, text, n));
	}
	found = arena_copy(to, found);
	rules_free(known);
	return found;
}
