#include "cli/options.h"
#include "answer/spread.h"
#include "base/glossary.h"
#include "base/screen.h"
#include "cli/terminal.h"

enum { LEFT = 24 };             /* width of the left column, which holds the names */

static void help_print_option(const opt *o)
{
	char left[64], letter[] = { '-', o->letter, ',', 0 };

	snprintf(left, sizeof left, "%-3s --%s%s%s", o->letter ? letter : "", o->name, o->arg ? " " : "",
		 o->arg ? o->arg : "");
	terminal_put_item(2, LEFT, left, o->help);
}

/* Which options of a list to print: ALL that the tool takes in some mode, or only its OWN, which other tools do not
 * share. */
enum help_extent { ALL, OWN };

static void help_print_options(const opt_tool *tool, const opt *o, enum help_extent which)
{
	for (; o->name; o++)
		if (options_has(tool, o) && !(which == OWN && o->shared))
			help_print_option(o);
}

/* Print a column and its meaning.  A long meaning is wrapped even if the output goes to another program. */
static void help_print_column(const table_col *c)
{
	size_t width = terminal_text_width(), column;
	arena texts = { 0 };
	char name[64];

	snprintf(name, sizeof name, c->unit ? "%s (%s)" : "%s", c->name, c->unit);
	column = (size_t)printf("  %-*s ", LEFT, name);
	screen_wrap(stdout, glossary_expand(&texts, c->meaning),
		    (screen_lines){ width ? width : TERMINAL_READABLE, LEFT + 3, column, NULL });
	puts("");
	arena_free(&texts);
}

/* Print the columns of a mode (NULL: the usual one) with their meanings, and add them to `above`, a table with the
 * columns of the modes that were printed before.  A table of windows, whose first column is pid, has the same first
 * five columns and the same last two in every mode, so these are printed only once.  Of its other columns, those that
 * `above` has are only named. */
static void help_print_columns(const opt_tool *tool, const void *params, const char *mode, table *above)
{
	table t = { 0 };
	bool first = !above->cols.n, rows_are_windows;
	const char *named = NULL;
	arena texts = { 0 };

	tool->answer->columns(params, &t);
	rows_are_windows = strcmp(t.cols.v[0].name, "pid") == 0;
	printf(mode ? "\ncolumns with --%s:\n" : "\ncolumns (unit):\n", mode);
	for (size_t i = 0; i < t.cols.n; i++) {
		const table_col *c = &t.cols.v[i];
		if ((!first && rows_are_windows && (i < 5 || i + 2 >= t.cols.n)) ||
		    (rows_are_windows && table_column(above, c->name) >= 0))
			continue;
		help_print_column(c);
	}
	for (size_t i = 5; rows_are_windows && i + 2 < t.cols.n; i++)
		if (table_column(above, t.cols.v[i].name) >= 0)
			named = arena_printf(&texts, "%s %s", named ? named : "  and", t.cols.v[i].name);
	if (named)
		terminal_say(arena_printf(&texts, "%s, as above\n", named));
	arena_free(&texts);
	for (size_t i = 0; i < t.cols.n; i++)
		if (table_column(above, t.cols.v[i].name) < 0)
			table_add(above, COL_NONE, &t.cols.v[i]);
	table_free(&t);
}

static void help_print_spread(const opt_tool *tool, const void *params, const table *above)
{
	table t = { 0 };
	arena texts = { 0 };

	tool->answer->columns(params, &t);
	spread_columns(&t, &texts);
	puts("\ncolumns with --merge --spread:");
	for (size_t i = 0; i < t.cols.n; i++)
		if (table_column(above, t.cols.v[i].name) < 0)
			help_print_column(&t.cols.v[i]);
	table_free(&t);
	arena_free(&texts);
}

/* Print the columns that appear only with --by or, in a tool without --by, with options that do not choose a mode. */
static void help_print_keys(const opt_tool *tool, const table *above)
{
	bool headed = false;    /* is a heading printed? */

	for (const opt *o = tool->options; o->name; o++)
		headed |= strcmp(o->name, "by") == 0;
	if (headed)
		puts("\ncolumns with --by:\n  the measures above, plus the columns of the keys");
	for (const table_col *c = tool->answer->all; c && c->name; c++)
		if (table_column(above, c->name) < 0) {
			if (!headed)
				puts("\ncolumns with other options:");
			headed = true;
			help_print_column(c);
		}
}

/* Print the columns of every mode. */
static void help_print_modes(const opt_tool *tool, void *params)
{
	table above = { 0 };

	help_print_columns(tool, params, NULL, &above);
	if (tool->spread)
		help_print_spread(tool, params, &above);
	for (const opt *o = tool->options; o->name; o++)
		if (opt_is_mode(o)) {
			*options_mode(params) = o->mode;
			help_print_columns(tool, params, o->name, &above);
		}
	help_print_keys(tool, &above);
	table_free(&above);
	if (options_is_trace_tool(tool))
		terminal_say("\nAn event counts in each window that it touches, and its times are of the part inside.  "
			     "(nsq help conventions)\n");
}

/* Print the command line, the question and the examples. */
static void help_print_head(const opt_tool *tool)
{
	arena a = { 0 };
	const char *first = tool->first ? tool->first->arg : NULL;

	terminal_say(arena_printf(&a, "usage: %s [options] %s%s%s\n\n%s\n%s\n", tool->name, first ? first : "",
				  first ? " " : "", options_is_trace_tool(tool) ? "[TRACE...]" : tool->operands,
				  tool->question, tool->prints));
	if (first)
		terminal_say(arena_printf(&a, "\n%s: %s\n", first, tool->first->help));
	puts("\nexamples:");
	for (int i = 0; i < 2; i++)
		terminal_put_command(tool->examples[i]);
	arena_free(&a);
}

/* The names of the options that the tool shares with others, each in its shortest form. */
static const char *help_list_shared_names(arena *to, const opt_tool *tool)
{
	const opt *const lists[] = { tool->options, options_common(tool) };
	const char *names = " ";

	for (int l = 0; l < 2; l++)
		for (const opt *o = lists[l]; o->name; o++)
			if ((l || o->shared) && options_has(tool, o))
				names = o->letter ? arena_printf(to, "%s -%c", names, o->letter) :
					arena_printf(to, "%s --%s", names, o->name);
	return names;
}

void help_print_screen(const opt_tool *tool)
{
	arena a = { 0 };
	bool own = false;

	help_print_head(tool);
	for (const opt *o = tool->options; o->name; o++)
		own |= !o->shared;
	if (own) {
		puts("\noptions:");
		help_print_options(tool, tool->options, OWN);
	}
	terminal_say(arena_printf(&a, "\nshared options:\n%s\n\nMore: nsq help options, %s%snsq help %s.\n",
				  help_list_shared_names(&a, tool), options_prints_no_table(tool) ? "" : tool->name,
				  options_prints_no_table(tool) ? "" : " --columns, ", tool->name + strlen("nsq-")));
	arena_free(&a);
}

void help_print_shared(const opt_tool *const *tools)
{
	const opt *common = options_common(&(opt_tool){ 0 });
	text_list listed = { 0 };

	terminal_say("Options that many tools share.  The help of each tool names those that it takes.\n\noptions:\n");
	for (; common->name; common++) {
		help_print_option(common);
		vec_push(&listed, common->name);
	}
	puts("\noptions of some tools:");
	for (; *tools; tools++)
		for (const opt *o = (*tools)->options; o->name; o++) {
			size_t i = 0;
			while (i < listed.n && strcmp(listed.v[i], o->name) != 0)
				i++;
			if (!o->shared || i < listed.n)
				continue;
			help_print_option(o);
			vec_push(&listed, o->name);
		}
	vec_free(&listed);
}

static void help_print_exits(const opt_tool *tool)
{
	arena a = { 0 };

	if (tool->runs && tool->traces)
		terminal_say("\nexit: 0 answered, 1 failed, 2 the command line is wrong, 3 the trace lacks the data\n");
	else if (tool->runs && tool->words)
		terminal_say("\nexit: 0 answered, N the largest exit code of a trace, 1 failed, 2 the command line is "
			     "wrong\n");
	else if (tool->runs)
		terminal_say("\nexit: N that of the command, 1 failed, 2 the command line is wrong\n");
	else
		terminal_say(arena_printf(&a, "\nexit: 0 answered, 1 failed, 2 the command line or a %s is "
					  "wrong%s%s%s\n",
					  tool->over ? "table" : "window",
					  tool->over && !tool->traces ? "" : ", 3 the trace lacks the data",
					  tool->code ? ", 4 " : "", tool->code ? tool->code : ""));
	arena_free(&a);
}

void help_print_manual(const opt_tool *tool, void *params)
{
	arena a = { 0 };

	help_print_head(tool);
	puts("\noptions:");
	help_print_options(tool, tool->options, ALL);
	help_print_options(tool, options_common(tool), ALL);
	if (tool->answer && !tool->draws)
		help_print_modes(tool, params);
	else
		terminal_say(arena_printf(&a, "\n%s:\n  %s\n", tool->runs && !tool->words ? "files" : !tool->draws ?
					  "columns" : tool->answer ? "screen" : "pictures", tool->output));
	help_print_exits(tool);
	arena_free(&a);
}
