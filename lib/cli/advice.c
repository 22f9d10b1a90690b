#include "cli/run.h"
#include "answer/advise.h"
#include "base/printable.h"
#include "base/screen.h"
#include "base/number.h"
#include "cli/terminal.h"
#include "picture/report.h"
#include "table/aligned.h"
#include "table/format.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

enum { WIDTH = 80, INDENT = 4 };

/* Print a paragraph.  The caller has indented its first line by INDENT; the other lines are indented here.  at_break:
 * what ends each line but the last, such as the backslash of a command. */
static void advice_print_wrapped(FILE *to, const char *text, const char *at_break)
{
	size_t width = terminal_columns(STDOUT_FILENO);
	char *safe = printable_copy(text);

	screen_wrap(to, safe, (screen_lines){ width < WIDTH ? width : WIDTH, INDENT, INDENT, at_break });
	fputc('\n', to);
	free(safe);
}

/* What the title of a finding says about its process: the rank; without a rank, the process if the table has several;
 * otherwise "".  The finding that several processes share a GPU names all of them, so its title names none. */
static const char *advice_describe_process(arena *a, const table *t, size_t row)
{
	int64_t rank = table_find(t, row, "rank")->i;
	char buf[FORMAT_CELL];
	int pid = table_column(t, "pid");
	bool several = false;

	for (size_t i = 0; i < table_rows(t); i++)
		several |= table_find(t, i, "pid")->i != table_find(t, 0, "pid")->i;
	if (rank != TABLE_MISSING)
		return arena_printf(a, ", rank %lld", (long long)rank);
	if (!several || strcmp(table_find(t, row, "kind")->t, "shared") == 0)
		return "";
	return arena_printf(a, ", process %s", format_cell(&t->cols.v[pid], table_at(t, row)[pid], buf, sizeof buf));
}

static void advice_print_finding(const table *t, size_t row, size_t title_length, FILE *to)
{
	arena a = { 0 };
	const char *text = table_find(t, row, "finding")->t, *where = table_find(t, row, "where")->t,
		*rest = text + title_length;    /* empty, or ": " or "; " and more words */
	int color = terminal_colors(STDOUT_FILENO) ? aligned_color("severity", table_find(t, row, "severity")->t) : 0;
	int64_t ns = table_find(t, row, "recover_ns")->i;
	const char *title = arena_printf(&a, "%c%.*s (%s)%s%s%s%s", toupper((unsigned char)*text),
					 (int)title_length - 1, text + 1, table_find(t, row, "kind")->t,
					 where ? " in '" : "", where ? where : "", where ? "'" : "",
					 advice_describe_process(&a, t, row));
	char time[NUMBER_AMOUNT_SIZE];

	if (ns != TABLE_MISSING)
		title = arena_printf(&a, "%s: saves at most %s%s (%.0f %%)", title,
				     number_amount((double)ns, "ns", time),
				     table_find(t, row, "steps")->i == TABLE_MISSING ? "" : " per step",
				     table_find(t, row, "recover_pct")->d);
	fprintf(to, "%s%2zu. ", row ? "\n" : "", row + 1);
	if (color)
		fprintf(to, "\033[%dm", color);
	advice_print_wrapped(to, title, NULL);
	if (color)
		fputs("\033[39m", to);
	if (*rest) {
		fprintf(to, "%*s", INDENT, "");
		advice_print_wrapped(to, arena_printf(&a, "%c%s.", toupper((unsigned char)rest[2]), rest + 3), NULL);
	}
	fprintf(to, "%*s", INDENT, "");
	advice_print_wrapped(to, arena_printf(&a, "To do: %s.", table_find(t, row, "advice")->t), NULL);
	fprintf(to, "%*s", INDENT, "");
	advice_print_wrapped(to, arena_printf(&a, "See: %s", table_find(t, row, "evidence")->t), " \\");
	arena_free(&a);
}

/* Print the first n rows (0: all), and return how many that are.  title_lengths: an array with an element for each row,
 * the length in bytes of the title with which its finding begins. */
static size_t advice_print_rows(const table *rows, const size_t *title_lengths, size_t n, FILE *to)
{
	size_t all = table_rows(rows);

	if (terminal_colors(STDOUT_FILENO)) {
		fflush(to);
		to = terminal_behind();
	}
	n = n && n < all ? n : all;
	for (size_t i = 0; i < n; i++)
		advice_print_finding(rows, i, title_lengths[i], to);
	return n;
}

size_t advice_print(const void *params, const table *rows, size_t n, FILE *to)
{
	const advise_params *p = params;
	size_t *title_lengths = mem_new(size_t, table_rows(rows));

	for (size_t i = 0; i < table_rows(rows); i++)
		title_lengths[i] = advise_about_row(p->job, i)->title;
	n = advice_print_rows(rows, title_lengths, n, to);
	free(title_lengths);
	return n;
}

size_t advice_print_report(const void *params, const table *rows, size_t n, FILE *to)
{
	const report_params *p = params;

	return advice_print_rows(rows, p->titles->v, n, to);
}
