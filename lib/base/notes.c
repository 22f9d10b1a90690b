#include "base/notes.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>

static void notes_add_va(notes *to, int code, note_level level, const char *fmt, va_list ap)
{
	const char *reason = strerror(errno), *text;

	if (!to)
		return;
	text = arena_vprintf(&to->texts, fmt, ap);
	if (*text && text[strlen(text) - 1] == ':')
		text = arena_printf(&to->texts, "%s %s", text, reason);
	vec_push(to, (note){ code, level, arena_copy(&to->texts, fmt), text });
}

void notes_add(notes *to, note_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	notes_add_va(to, EXIT_ANSWERED, level, fmt, ap);
	va_end(ap);
}

bool notes_problem(notes *to, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	notes_add_va(to, code, NOTE_PROBLEM, fmt, ap);
	va_end(ap);
	return false;
}

void notes_copy(notes *to, const note *n)
{
	if (to)
		vec_push(to, (note){ n->code, n->level, arena_copy(&to->texts, n->kind),
				     arena_copy(&to->texts, n->text) });
}

void notes_move_all(notes *from, notes *to)
{
	for (size_t i = 0; i < from->n; i++)
		notes_copy(to, &from->v[i]);
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
