#include "picture/report_parts.h"
#include "base/markup.h"
#include "base/printable.h"

#include <stdarg.h>
#include <string.h>

enum {
	NAME_MOST = 60,         /* the most characters of a name that are shown */
	NAME_END = 19           /* how many of these come from the end of a longer name */
};

/* Escape each character that has a meaning in Markdown, and write as code what GitHub or GitLab would turn into a
 * link. */
void md_text(FILE *to, const char *text)
{
	char *s = printable_copy(text);

	for (const char *at = s; *at;) {
		size_t link = markdown_address(s, at), n = link ? link : 1;
		fputs(link ? "`" : strchr("\\`*_[]<>&|#~$@", *at) ? "\\" : "", to);
		fwrite(at, 1, n, to);
		fputs(link ? "`" : "", to);
		at += n;
	}
	free(s);
}

void md_textf(FILE *to, const char *fmt, ...)
{
	arena texts = { 0 };
	va_list ap;

	va_start(ap, fmt);
	md_text(to, arena_vprintf(&texts, fmt, ap));
	va_end(ap);
	arena_free(&texts);
}

/* Write a text as code, between more backticks than the text has in a row.  If it begins or ends with a backtick,
 * has blanks at both ends, or is empty, a blank is added on both sides, which readers of Markdown remove.  In a
 * table, bars are escaped, because they end a cell even in code. */
static void report_md_write_code(FILE *to, const char *s, bool in_table)
{
	size_t most = 0, n = 0, end = strlen(s);
	bool padded = !end || *s == '`' || s[end - 1] == '`' || (*s == ' ' && s[end - 1] == ' ');

	for (const char *p = s; *p; p++) {
		n = *p == '`' ? n + 1 : 0;
		most = n > most ? n : most;
	}
	for (size_t i = 0; i <= most; i++)
		fputc('`', to);
	fputs(padded ? " " : "", to);
	for (; *s; s++)
		fprintf(to, in_table && *s == '|' ? "\\%c" : "%c", *s);
	fputs(padded ? " " : "", to);
	for (size_t i = 0; i <= most; i++)
		fputc('`', to);
}

static void report_md_write_command(FILE *to, const char *s)
{
	char *text = printable_copy(s);

	report_md_write_code(to, text, false);
	free(text);
}

/* Skip n characters of a printable text, or fewer at its end. */
static char *report_md_skip(char *s, size_t n)
{
	for (; n && *s; n--)
		s += printable_length(s) ? printable_length(s) : 1;
	return s;
}

/* In a table, a name in which a bar follows a backslash is written as text, because readers of Markdown differ about
 * such code. */
void md_name(FILE *to, const char *s, bool in_table)
{
	char *text = printable_copy(s), *escaped;
	const char *cut = text;
	arena texts = { 0 };
	size_t n = 0;

	for (char *at = text; *at; at = report_md_skip(at, 1))
		n++;
	if (n > NAME_MOST)
		cut = arena_printf(&texts, "%.*s…%s", (int)(report_md_skip(text, NAME_MOST - 1 - NAME_END) - text),
				   text, report_md_skip(text, n - NAME_END));
	if (in_table && strstr(cut, "\\|")) {
		escaped = markdown_text(cut);
		fputs(escaped, to);
		free(escaped);
	} else {
		report_md_write_code(to, cut, in_table);
	}
	arena_free(&texts);
	free(text);
}

/* The tools of a command: "nsq-window | nsq-gaps". */
static const char *report_md_list_tools(arena *a, const char *command)
{
	const char *names = "";

	for (const char *at = command; at; at = strstr(at, "| nsq-")) {
		at += at == command ? 0 : 2;
		names = arena_printf(a, "%s%s%.*s", names, *names ? " | " : "", (int)strcspn(at, " "), at);
	}
	return names;
}

void md_write_fold(FILE *to, const char *indent, const char *text, const char *const *commands, size_t n)
{
	const char *tools = "";
	arena a = { 0 };

	for (size_t i = 0; i < n; i++)
		if (!strstr(tools, report_md_list_tools(&a, commands[i])))
			tools = arena_printf(&a, "%s%s%s", tools, *tools ? ", " : "",
					     report_md_list_tools(&a, commands[i]));
	fprintf(to, "\n%s<details><summary>%s</summary>\n\n%s%s", indent, tools, indent, text);
	for (size_t i = 0; i < n; i++) {
		report_md_write_command(to, commands[i]);
		fprintf(to, "\n\n%s", indent);
	}
	fputs("</details>\n", to);
	arena_free(&a);
}
