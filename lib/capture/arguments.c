#include "capture/arguments.h"
#include "base/shell.h"

void arguments_add(arguments *a, const char *word)
{
	if (word)
		vec_push(&a->list, arena_copy(&a->texts, word));
}

void arguments_addf(arguments *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(&a->list, arena_vprintf(&a->texts, fmt, ap));
	va_end(ap);
}

void arguments_all(arguments *a, const text_list *words)
{
	for (size_t i = 0; i < words->n; i++)
		arguments_add(a, words->v[i]);
}

char *const *arguments_argv(arguments *a)
{
	vec_reserve(&a->list, a->list.n + 1);
	a->list.v[a->list.n] = NULL;
	return (char *const *)a->list.v;
}

const char *arguments_line(arguments *a)
{
	const char *line = "";

	for (size_t i = 0; i < a->list.n; i++)
		line = arena_printf(&a->texts, "%s%s%s", line, i ? " " : "", shell_word(&a->texts, a->list.v[i]));
	return line;
}

void arguments_free(arguments *a)
{
	vec_free(&a->list);
	arena_free(&a->texts);
}
