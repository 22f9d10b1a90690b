#include "base/screen.h"
#include "base/memory.h"
#include "base/printable.h"

#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wchar.h>

/* The length of the character at s in bytes; *width gets its width in columns. */
static size_t screen_measure_character(const char *s, size_t *width)
{
	size_t n = printable_utf8(s);
	int w = n > 1 ? wcwidth((wchar_t)printable_code(s, n)) : 1;

	*width = w < 0 ? 1 : (size_t)w;
	return n ? n : 1;
}

/* How many of n bytes fit into a width of `most` columns, including characters of width 0 behind the last one; *width
 * gets the columns that they take. */
static size_t screen_count_fitting_bytes(const char *s, size_t n, size_t most, size_t *width)
{
	size_t at = 0, w;

	for (*width = 0; at < n; *width += w) {
		size_t next = screen_measure_character(s + at, &w);
		if (*width + w > most)
			break;
		at += next;
	}
	return at;
}

/* Use a UTF-8 locale in this thread, because wcwidth knows only characters of the locale.  Returns the locale that was
 * used until now; 0: there is no UTF-8 locale. */
static locale_t screen_use_locale(void)
{
	locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);

	return utf8 ? uselocale(utf8) : NULL;
}

static void screen_restore_locale(locale_t before)
{
	if (before)
		freelocale(uselocale(before));
}

static size_t screen_measure_width(const char *s, size_t n)
{
	size_t plain = 0, width;
	locale_t before;

	while (plain < n && (unsigned char)s[plain] < 0x80)
		plain++;
	if (plain == n)
		return n;
	before = screen_use_locale();
	screen_count_fitting_bytes(s, n, (size_t)-1, &width);
	screen_restore_locale(before);
	return width;
}

size_t screen_width(const char *s)
{
	return screen_measure_width(s, strlen(s));
}

char *screen_shorten(const char *s, size_t width)
{
	size_t n = strlen(s), all = screen_measure_width(s, n), before_tail, head, tail, taken;
	char *out = mem_new(char, n + sizeof "…");
	locale_t before;

	if (all <= width)
		return memcpy(out, s, n);
	before = screen_use_locale();
	head = screen_count_fitting_bytes(s, n, width / 2, &taken);
	before_tail = all - (width - 1 - taken);
	tail = screen_count_fitting_bytes(s, n, before_tail, &taken);
	if (taken < before_tail)        /* a wide character stands where the text is cut */
		tail += screen_measure_character(s + tail, &taken);
	sprintf(out, "%.*s…%s", (int)head, s, s + tail);
	screen_restore_locale(before);
	return out;
}

/* The length of the first word in bytes.  A number and a short unit behind it are one word: 34 %, 1.26 ms. */
static size_t screen_count_word_bytes(const char *s)
{
	size_t n = strcspn(s, " "), next = n + strspn(s + n, " "), unit = strcspn(s + next, " ,.;:)");
	char first = s[strspn(s, "(-+<>=")];

	return first >= '0' && first <= '9' && unit && unit <= 3 && next == n + 1 ? next + strcspn(s + next, " ") : n;
}

void screen_wrap(FILE *to, const char *text, screen_lines l)
{
	size_t mark = l.at_break ? strlen(l.at_break) : 0, column = l.column;
	bool begun = false;

	if (!l.width) {
		fputs(text, to);
		return;
	}
	while (*text) {
		size_t n = screen_count_word_bytes(text), width = screen_measure_width(text, n);
		if (begun && column + 1 + width + (text[n] ? mark : 0) > l.width) {
			fprintf(to, "%s\n%*s", mark ? l.at_break : "", (int)l.indent, "");
			column = l.indent;
		} else if (begun) {
			fputc(' ', to);
			column++;
		}
		fwrite(text, 1, n, to);
		begun = true;
		column += width;
		text += n + strspn(text + n, " ");
	}
}
