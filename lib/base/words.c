#include "base/words.h"

#include <string.h>
#include <strings.h>

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_small(char c)
{
	return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* How long is the word that begins here? */
static size_t word_length(const char *s)
{
	size_t n = 0;

	while (is_capital(s[n]))
		n++;
	if (n > 1 && is_small(s[n]))
		return n - 1;           /* the last capital begins the next word */
	while (is_small(s[n]))
		n++;
	return n;
}

bool words_listed(const char *word, size_t n, const char *list)
{
	for (; *list; list += strspn(list, " ")) {
		size_t length = strcspn(list, " ");
		if (length == n && strncasecmp(list, word, n) == 0)
			return true;
		list += length;
	}
	return false;
}

bool words_hold(const char *name, const char *list)
{
	for (size_t n; *name; name += n) {
		n = word_length(name);
		if (n && words_listed(name, n, list))
			return true;
		n += !n;
	}
	return false;
}
