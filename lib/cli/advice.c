#include "cli/run.h"
#include "answer/advise.h"
#include "base/printable.h"
#include "base/screen.h"
#include "cli/terminal.h"

#include <ctype.h>
#include <unistd.h>

enum { WIDTH = 80, INDENT = 4 };

/* An indented paragraph; in a command a backslash says that it goes on. */
static void say(FILE *to, const char *text, const char *at_break)
{
	size_t width = terminal_columns(STDOUT_FILENO);
	char *safe = printable_copy(text);

	screen_wrap(to, safe, (screen_lines){ width < WIDTH ? width : WIDTH, INDENT, INDENT, at_break });
	fputc('\n', to);
	free(safe);
}

static void paragraph(const table *t, size_t row, size_t head, FILE *to)
{
	arena a = { 0 };
	const char *text = table_named(t, row, "finding")->t, *where = table_named(t, row, "where")->t,
		*rest = text + head;
	int64_t ns = table_named(t, row, "recover_ns")->i, rank = table_named(t, row, "rank")->i;
	const char *title = arena_printf(&a, "%c%.*s%s%s%s", toupper((unsigned char)*text), (int)head - 1, text + 1,
					 where ? " in '" : "", where ? where : "", where ? "'" : "");
	char ms[NUMBER_MS_SIZE];

	if (rank != TABLE_MISSING)
		title = arena_printf(&a, "%s, rank %lld", title, (long long)rank);
	if (ns != TABLE_MISSING)
		title = arena_printf(&a, "%s: saves at most %s ms%s (%.0f %%)", title, number_ms((double)ns, ms),
				     table_named(t, row, "steps")->i == TABLE_MISSING ? "" : " per step",
				     table_named(t, row, "recover_pct")->d);
	fprintf(to, "%s%2zu. ", row ? "\n" : "", row + 1);
	say(to, title, NULL);
	if (*rest) {
		fprintf(to, "%*s", INDENT, "");
		say(to, rest + 2, NULL);
	}
	fprintf(to, "%*s", INDENT, "");
	say(to, arena_printf(&a, "To do: %s.", table_named(t, row, "advice")->t), NULL);
	fprintf(to, "%*s", INDENT, "");
	say(to, arena_printf(&a, "See: %s", table_named(t, row, "evidence")->t), " \\");
	arena_free(&a);
}

size_t advice_print(const void *params, const table *rows, size_t n, FILE *to)
{
	const advise_params *p = params;
	size_t all = table_rows(rows);

	n = n && n < all ? n : all;
	for (size_t i = 0; i < n; i++)
		paragraph(rows, i, advise_row(p->job, i)->title, to);
	return n;
}
