#include "cli/advice.h"
#include "base/arena.h"
#include "base/number.h"

#include <ctype.h>
#include <string.h>

enum { WIDTH = 80, INDENT = 4 };

/* The length of the first word; a number and its % sign are one. */
static size_t word(const char *text)
{
	size_t n = strcspn(text, " ");

	return strncmp(text + n, " %", 2) == 0 ? n + 1 + strcspn(text + n + 1, " ") : n;
}

/* Words, broken where a line is full; in a command a backslash says that it goes on. */
static void wrap(FILE *to, const char *text, size_t column, const char *at_break)
{
	size_t mark = strlen(at_break);

	while (*text) {
		size_t n = word(text), rest = text[n] ? mark : 0;
		if (column > INDENT && column + 1 + n + rest > WIDTH) {
			fprintf(to, "%s\n%*s", at_break, INDENT, "");
			column = INDENT;
		} else if (column > INDENT) {
			fputc(' ', to);
			column++;
		}
		fprintf(to, "%.*s", (int)n, text);
		column += n;
		text += n + strspn(text + n, " ");
	}
	fputc('\n', to);
}

static void paragraph(const table *t, size_t row, size_t head, FILE *to)
{
	arena a = { 0 };
	const char *text = table_named(t, row, "finding")->t, *where = table_named(t, row, "where")->t,
		*rest = text + head;
	int64_t ns = table_named(t, row, "recover_ns")->i, rank = table_named(t, row, "rank")->i;
	const char *title = arena_printf(&a, "%c%.*s%s%s%s%s%s", toupper((unsigned char)*text), (int)head - 1, text + 1,
					 where ? " in '" : "", where ? where : "", where ? "'" : "",
					 rank != TABLE_MISSING ? arena_printf(&a, ", rank %lld", (long long)rank) : "",
										  ns == TABLE_MISSING ? "" :
										  arena_printf(&a, ": saves at most %s "
										  "ms per step (%.0f %%)",
										  number_ms((double)ns,
										  (char[NUMBER_MS_SIZE]){ 0 }),
										  table_named(t, row,
										  "recover_pct")->d));

	fprintf(to, "%s%2zu. ", row ? "\n" : "", row + 1);
	wrap(to, title, INDENT, "");
	if (*rest) {
		fprintf(to, "%*s", INDENT, "");
		wrap(to, rest + 2, INDENT, "");
	}
	fprintf(to, "%*s", INDENT, "");
	wrap(to, arena_printf(&a, "To do: %s.", table_named(t, row, "advice")->t), INDENT, "");
	fprintf(to, "%*s", INDENT, "");
	wrap(to, arena_printf(&a, "See: %s", table_named(t, row, "evidence")->t), INDENT, " \\");
	arena_free(&a);
}

size_t advice_print(const void *params, const table *rows, size_t n, FILE *to)
{
	const advise_params *p = params;
	size_t all = table_rows(rows);

	n = n && n < all ? n : all;
	for (size_t i = 0; i < n; i++)
		paragraph(rows, i, advise_title(p->job, i), to);
	return n;
}
