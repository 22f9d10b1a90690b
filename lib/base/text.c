#include "base/text.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

char *text_read(FILE *f, size_t *n)
{
	vec(char) text = { 0 };
	size_t got;

	do {
		vec_reserve(&text, text.n + 65537);
		got = fread(text.v + text.n, 1, 65536, f);
		text.n += got;
	} while (got);
	if (ferror(f)) {
		vec_free(&text);
		return NULL;
	}
	text.v[text.n] = 0;
	*n = text.n;
	return text.v;
}

char *text_read_and_close(FILE *f, size_t *n)
{
	char *text = f ? text_read(f, n) : NULL;
	int reason = errno;

	if (f)
		fclose(f);
	errno = reason;
	return text;
}

char *text_file(const char *path, size_t *n)
{
	return text_read_and_close(fopen(path, "re"), n);
}

FILE *text_open(char **text, size_t *n)
{
	FILE *f = open_memstream(text, n);

	if (!f)
		mem_exhausted(1, BUFSIZ);
	return f;
}

void text_close(FILE *f)
{
	if (fclose(f))
		mem_exhausted(1, BUFSIZ);
}

char *text_close_into(FILE *f, char **text, arena *to)
{
	char *kept;

	text_close(f);
	kept = arena_copy(to, *text);
	free(*text);
	return kept;
}

const char *text_find_builtin(const char *const *files, const char *name)
{
	for (; *files; files += 2)
		if (strcmp(*files, name) == 0)
			return files[1];
	return "";
}

bool text_ends(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

const char *text_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *text_folder(arena *to, const char *path)
{
	const char *base = text_base(path);

	return base == path ? "./" : arena_text(to, path, (size_t)(base - path));
}

static bool text_is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool text_is_small(char c)
{
	return (c >= 'a' && c <= 'z') || (unsigned char)c >= 0x80;
}

/* The length of the word that begins here. */
static size_t text_measure_word(const char *s)
{
	size_t n = 0;

	while (text_is_capital(s[n]))
		n++;
	if (n > 1 && text_is_small(s[n]))
		return n - 1;           /* the last capital letter begins the next word */
	while (text_is_small(s[n]))
		n++;
	return n;
}

bool text_is_listed_word(const char *word, size_t n, const char *list)
{
	for (; *list; list += strspn(list, " ")) {
		size_t length = strcspn(list, " ");
		if (length == n && strncasecmp(list, word, n) == 0)
			return true;
		list += length;
	}
	return false;
}

bool text_has_word_of(const char *name, const char *list)
{
	for (size_t n; *name; name += n) {
		n = text_measure_word(name);
		if (n && text_is_listed_word(name, n, list))
			return true;
		n += !n;
	}
	return false;
}
