#include "cli/help.h"

#include <stdio.h>
#include <string.h>

static void print_options(const opt *o)
{
	for (; o->name; o++) {
		char left[64];
		if (o->letter)
			snprintf(left, sizeof left, "-%c, --%s%s%s", o->letter, o->name, o->arg ? " " : "",
				 o->arg ? o->arg : "");
		else
			snprintf(left, sizeof left, "    --%s%s%s", o->name, o->arg ? " " : "",
				 o->arg ? o->arg : "");
		printf("  %-24s %s\n", left, o->help);
	}
}

enum { LEFT = 26, WIDTH = 120 };

/* A column and its meaning, which goes on below where it is long. */
static void print_column(const table_col *c)
{
	const char *name = c->unit ? mem_printf("%s (%s)", c->name, c->unit) : c->name, *p = c->meaning;

	printf("  %-*s", LEFT - 2, name);
	while (strlen(p) > WIDTH - LEFT - 1) {
		const char *end = p + WIDTH - LEFT - 1;
		while (end > p && *end != ' ')
			end--;
		if (end == p)
			break;
		printf(" %.*s\n%*s", (int)(end - p), p, LEFT, "");
		p = end + 1;
	}
	printf(" %s\n", p);
}

static bool has_column(const table *t, const char *name)
{
	for (size_t i = 0; i < t->cols.n; i++)
		if (strcmp(t->cols.v[i].name, name) == 0)
			return true;
	return false;
}

/* The columns of a mode: what they mean, unless that stands above.  Every table of windows begins and
 * ends with the same, which the first shows. */
static void print_columns(const opt_tool *tool, const char *title, table *above)
{
	table t = { 0 };
	const char *named = "";
	bool first = !above->cols.n, windows;

	tool->columns(&t);
	windows = strcmp(t.cols.v[0].name, "pid") == 0;
	printf("\n%s:\n", title);
	for (size_t i = 0; i < t.cols.n; i++) {
		const table_col *c = &t.cols.v[i];
		if (!first && windows && (i < 4 || i + 2 >= t.cols.n))
			continue;
		if (windows && has_column(above, c->name)) {
			named = mem_printf("%s %s", named, c->name);
			continue;
		}
		print_column(c);
		table_add(above, c);
	}
	if (*named)
		printf("  and%s, as above\n", named);
	vec_free(&t.cols);
	vec_free(&t.keys);
}

void help_print(const opt_tool *tool, const opt *common)
{
	table above = { 0 };
	bool by = false;

	printf("usage: %s [options] [TRACE...]\n\n%s\n\nexamples:\n", tool->name, tool->question);
	for (int i = 0; i < 3 && tool->examples[i]; i++)
		printf("  %s\n", tool->examples[i]);
	puts("\noptions:");
	print_options(tool->options);
	print_options(common);
	print_columns(tool, "columns (unit)", &above);
	for (const opt *o = tool->options; o->name; o++)
		if (opt_is_mode(o)) {
			opt_mode = o->mode;
			print_columns(tool, mem_printf("columns with --%s", o->name), &above);
		}
	for (const opt *o = tool->options; o->name; o++)
		by |= strcmp(o->name, "by") == 0;
	if (by) {
		puts("\ncolumns with --by:\n  the measures above, with the columns of the keys");
		for (const table_col *c = tool->all; c->name; c++)
			if (!has_column(&above, c->name))
				print_column(c);
	}
	vec_free(&above.cols);
	puts("\nexit: 0 answered, 1 failed, 2 wrong command line or window, 3 not in the trace");
}
