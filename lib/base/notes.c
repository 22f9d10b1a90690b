#include "base/notes.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>

static void add(notes *to, int code, const char *fmt, va_list ap)
{
	const char *reason = strerror(errno), *text;

	if (!to)
		return;
	text = arena_vprintf(&to->texts, fmt, ap);
	if (*text && text[strlen(text) - 1] == ':')
		text = arena_printf(&to->texts, "%s %s", text, reason);
	vec_push(to, (note){ code, text });
}

void notes_remark(notes *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(to, EXIT_ANSWERED, fmt, ap);
	va_end(ap);
}

bool notes_problem(notes *to, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	add(to, code, fmt, ap);
	va_end(ap);
	return false;
}

void notes_pass(notes *from, notes *to)
{
	for (size_t i = 0; to && i < from->n; i++)
		vec_push(to, (note){ from->v[i].code, arena_copy(&to->texts, from->v[i].text) });
	notes_free(from);
}

int notes_code(const notes *n)
{
	int code = EXIT_ANSWERED;

	for (size_t i = 0; i < n->n; i++)
		code = n->v[i].code > code ? n->v[i].code : code;
	return code;
}

void notes_free(notes *n)
{
	vec_free(n);
	arena_free(&n->texts);
}
