#include "cli/terminal.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/printable.h"
#include "base/screen.h"
#include "cli/errors.h"

#include <ctype.h>
#include <errno.h>
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

bool terminal_shows(void)
{
	const char *of_recipe = getenv("NSQ_TERMINAL");

	return isatty(STDOUT_FILENO) || (of_recipe && *of_recipe);
}

bool terminal_colors(int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fd) && !(no && *no) && !(term && strcmp(term, "dumb") == 0);
}

/* ---- a stream in front of the terminal, which makes all text printable */

static FILE *behind;            /* the original standard output, behind the stream; NULL: it was not replaced */
static char kept[PRINTABLE_LONGEST]; /* the first bytes of a character that the last write cut */
static size_t nkept;

/* Write a character, or keep it if it is incomplete.  Returns how many of the n bytes were taken. */
static size_t terminal_put_character(const char *s, size_t n)
{
	char escape[PRINTABLE_BYTE + 1];
	size_t len = *s == '\t' || *s == '\n' ? 1 : printable_length(s), nonascii = 0;

	while (nonascii < n && (unsigned char)s[nonascii] >= 0x80)
		nonascii++;
	if (len) {
		fwrite(s, 1, len, behind);
	} else if (nonascii == n && n < PRINTABLE_LONGEST && !printable_utf8(s)) {
		memcpy(kept, s, n);
		nkept = n;
		return n;
	} else {
		printable_write_byte(escape, *s);
		fputs(escape, behind);
	}
	return len ? len : 1;
}

/* Write text to the terminal, made printable. */
static ssize_t terminal_put_printable(void *cookie UNNEEDED, const char *text, size_t n)
{
	char *all = mem_new(char, nkept + n + 1), *end = all + nkept + n;

	memcpy(all, kept, nkept);
	memcpy(all + nkept, text, n);
	nkept = 0;
	for (const char *p = all; p < end;)
		p += terminal_put_character(p, (size_t)(end - p));
	free(all);
	return fflush(behind) == 0 && !ferror(behind) ? (ssize_t)n : 0;
}

/* Put the stream in front of standard output.  The stream is line-buffered, so that each line shows as soon as it is
 * complete. */
static void terminal_make_printable(void)
{
	FILE *safe = behind ? NULL : fopencookie(NULL, "w", (cookie_io_functions_t){ .write = terminal_put_printable });

	if (!safe && !behind)
		mem_exhausted(1, 1);
	if (!safe)
		return;
	setvbuf(safe, NULL, _IOLBF, BUFSIZ);
	behind = stdout;
	stdout = safe;
}

void terminal_begin(void)
{
	if (isatty(STDOUT_FILENO))
		terminal_make_printable();
}

FILE *terminal_behind(void)
{
	return behind ? behind : stdout;
}

size_t terminal_text_width(void)
{
	int reason = errno;     /* the reason of a lost write, which is reported when the program ends */
	size_t n = isatty(STDOUT_FILENO) ? terminal_columns(STDOUT_FILENO) : 0;

	errno = reason;
	return n > TERMINAL_READABLE ? TERMINAL_READABLE : n;
}

/* The line with blanks in place of tabs, as a terminal shows it. */
static const char *terminal_replace_tabs(arena *to, const char *line)
{
	const char *tab = strchr(line, '\t');

	for (; tab; tab = strchr(line, '\t')) {
		const char *left = arena_text(to, line, (size_t)(tab - line));
		line = arena_printf(to, "%s%*s%s", left, (int)(8 - screen_width(left) % 8), "", tab + 1);
	}
	return line;
}

/* The width of the part of a line that is not wrapped: its indentation, and the left column of an item of a list, which
 * ends at two blanks. */
static size_t terminal_measure_left(const char *line)
{
	size_t indent = strspn(line, " ");
	const char *gap = indent ? strstr(line + indent, "  ") : NULL;

	return gap && gap < line + 40 ? (size_t)(gap - line) + strspn(gap, " ") : indent;
}

/* Print a line.  It is wrapped only if it is wider than terminal_text_width. */
static void terminal_print_line(const char *line)
{
	arena text = { 0 };
	const char *shown = terminal_replace_tabs(&text, line);
	size_t left = terminal_measure_left(shown), bullet = strspn(shown + left, "#-*1234567890. ");

	if (!terminal_text_width() || screen_width(shown) <= terminal_text_width()) {
		puts(line);
	} else {
		printf("%.*s", (int)left, shown);
		screen_wrap(stdout, shown + left,
			    (screen_lines){ terminal_text_width(), left + (bullet < 5 ? bullet : 0), left, NULL });
		puts("");
	}
	arena_free(&text);
}

void terminal_say(const char *lines)
{
	arena texts = { 0 };

	if (!terminal_text_width())
		fputs(lines, stdout);
	for (const char *p = lines, *end; terminal_text_width() && *p; p = end + (*end == '\n')) {
		char *line;
		end = strchrnul(p, '\n');
		while (*end && end > p && islower((unsigned char)end[1]))
			end = strchrnul(end + 1, '\n');
		line = arena_text(&texts, p, (size_t)(end - p));
		for (char *c = line; *c; c++)
			*c = *c == '\n' ? ' ' : *c;
		terminal_print_line(line);
	}
	arena_free(&texts);
}

void terminal_put_item(int indent, int left, const char *name, const char *text)
{
	size_t column = (size_t)printf("%*s%-*s ", indent, "", left, name);

	screen_wrap(stdout, text, (screen_lines){ terminal_text_width(), (size_t)(indent + left) + 1, column, NULL });
	puts("");
}

void terminal_put_command(const char *command)
{
	printf("  ");
	screen_wrap(stdout, command, (screen_lines){ terminal_text_width(), 6, 2, " \\" });
	puts("");
}

/* ---- documents */

void terminal_put_page(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;

	if (!f)
		die(EXIT_FAILED, "cannot open '%s':", path);
	while (getline(&line, &room, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		terminal_print_line(line);
	}
	if (ferror(f))
		die(EXIT_FAILED, "cannot read '%s':", path);
	free(line);
	fclose(f);
}

void terminal_copy_printable(bool wraps)
{
	screen_lines lines = { terminal_columns(STDOUT_FILENO), 4, 0, NULL };
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	wraps &= isatty(STDOUT_FILENO);
	terminal_make_printable();
	while ((len = getline(&line, &room, stdin)) > 0) {
		size_t n = strcspn(line, "\n");
		char *safe;
		if (!wraps || n + 1 != (size_t)len) {           /* the line holds a NUL, or has no line break */
			fwrite(line, 1, (size_t)len, stdout);
			continue;
		}
		line[n] = 0;
		safe = printable_copy(line);
		screen_wrap(stdout, safe, lines);
		putchar('\n');
		free(safe);
	}
	free(line);
	if (ferror(stdin))
		die(EXIT_FAILED, "cannot read standard input:");
}
