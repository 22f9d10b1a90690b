#include "base/text.h"
#include "base/memory.h"

#include <string.h>

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

const char *text_builtin(const char *const *files, const char *name)
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
