#include "cli/terminal.h"
#include "base/arena.h"
#include "base/number.h"
#include "base/screen.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t terminal_columns(int fd)
{
	enum { LEAST = 20, MOST = 500 };
	const char *given = getenv("COLUMNS");
	struct winsize size;
	int64_t n;

	if (!(given && number_int(given, &n) && n > 0))
		n = ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
	return (size_t)(n < LEAST ? LEAST : n > MOST ? MOST : n);
}

bool terminal_colors(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

size_t terminal_text(void)
{
	int reason = errno;     /* of a write that was lost, which is told in the end */
	size_t n = isatty(STDOUT_FILENO) ? terminal_columns(STDOUT_FILENO) : 0;

	errno = reason;
	return n > TERMINAL_READABLE ? TERMINAL_READABLE : n;
}

void terminal_say(const char *lines)
{
	arena texts = { 0 };

	if (!terminal_text())
		fputs(lines, stdout);
	for (const char *p = lines, *end; terminal_text() && *p; p = end + (*end == '\n')) {
		char *line;
		end = strchrnul(p, '\n');
		while (*end && end > p && islower((unsigned char)end[1]))
			end = strchrnul(end + 1, '\n');
		line = arena_text(&texts, p, (size_t)(end - p));
		for (char *c = line; *c; c++)
			*c = *c == '\n' ? ' ' : *c;
		terminal_line(line);
	}
	arena_free(&texts);
}

/* How wide it is with its tabs. */
static size_t tabbed(const char *line)
{
	size_t at = 0;

	for (const char *p = line, *end; *p; p = end + (*end == '\t')) {
		arena text = { 0 };
		end = strchrnul(p, '\t');
		at += screen_width(arena_text(&text, p, (size_t)(end - p)));
		at = *end ? (at / 8 + 1) * 8 : at;
		arena_free(&text);
	}
	return at;
}

/* How much of a line stays as it is: its indentation, and the left of an item of a list, before two blanks. */
static size_t left_of(const char *line)
{
	size_t indent = strspn(line, " ");
	const char *gap = indent ? strstr(line + indent, "  ") : NULL;

	return gap && gap < line + 40 ? (size_t)(gap - line) + strspn(gap, " ") : indent;
}

void terminal_line(const char *line)
{
	size_t left = left_of(line), bullet = strspn(line + left, "#-*1234567890. ");

	if (!terminal_text() || tabbed(line) <= terminal_text()) {
		puts(line);
		return;
	}
	printf("%.*s", (int)left, line);
	screen_wrap(stdout, line + left, (screen_lines){ terminal_text(), left + (bullet < 5 ? bullet : 0),
		    left, NULL });
	puts("");
}

void terminal_item(int indent, int left, const char *name, const char *text)
{
	size_t column = (size_t)printf("%*s%-*s ", indent, "", left, name);

	screen_wrap(stdout, text, (screen_lines){ terminal_text(), (size_t)(indent + left) + 1, column, NULL });
	puts("");
}

void terminal_command(const char *command)
{
	printf("  ");
	screen_wrap(stdout, command, (screen_lines){ terminal_text(), 6, 2, " \\" });
	puts("");
}
