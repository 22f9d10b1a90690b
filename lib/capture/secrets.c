#include "capture/secrets.h"
#include "base/memory.h"

#include <string.h>

rules *secrets_load(notes *say)
{
	return rules_load_any_case("secrets", say);
}

bool secrets_in(const rules *known, const char *text)
{
	return rules_match(known, text);
}

/* Is the word a long option, --name or --name=value?  Then it is not the value of an option before it. */
static bool secrets_is_long_option(const char *word)
{
	size_t n = strspn(word, "-_abcdefghijklmnopqrstuvwxyz");

	return strncmp(word, "--", 2) == 0 && (!word[n] || word[n] == '=');
}

/* Is `word` a secret because of the word before it, as in --token abc, -u me:abc and Bearer abc? */
static bool secrets_follows_name(const rules *known, const char *before, const char *word, arena *to)
{
	bool option = *before == '-' && !strchr(before, '=');

	if (!*before || secrets_is_long_option(word) || secrets_in(known, before))
		return false;
	if (option && secrets_in(known, arena_printf(to, "%s=", before)))
		return true;
	return !secrets_in(known, word) &&
		secrets_in(known, arena_printf(to, "%s%s%s", before, option ? "=" : " ", word));
}

/* The word with its secret replaced: NAME=*** if only the value is secret, otherwise ***. */
static const char *secrets_mask_word(const rules *known, const char *before, const char *word, arena *to)
{
	const char *name = arena_text(to, word, strcspn(word, "= \t\n"));

	if (secrets_follows_name(known, before, word, to))
		return SECRET;
	if (!secrets_in(known, word))
		return word;
	return word[strlen(name)] == '=' && !secrets_in(known, name) ? arena_printf(to, "%s=" SECRET, name) : SECRET;
}

text_list secrets_masked(const rules *known, const text_list *words, arena *to)
{
	text_list shown = { 0 };

	for (size_t i = 0; i < words->n; i++)
		vec_push(&shown, secrets_mask_word(known, i ? words->v[i - 1] : "", words->v[i], to));
	return shown;
}
