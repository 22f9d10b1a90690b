#include "cli/front_door.h"
#include "base/glossary.h"
#include "base/suggest.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/run.h"
#include "cli/terminal.h"

#include <unistd.h>

static void front_door_print_help(void)
{
	terminal_say("usage: nsq TOOL [options] [TRACE...]\n\n"
		     "Small tools for Nsight Systems traces: each answers one question with one table.\n");
	puts("tools:");
	for (const opt_tool *const *t = tools_builtin; *t; t++)
		terminal_put_item(2, 8, tools_short_name((*t)->name), (*t)->question);
	terminal_say("\nexamples:\n  nsq window run.sqlite | nsq overlap\n  nsq recipe gpu-starved run.sqlite\n\n"
		     "More: nsq TOOL --help, nsq recipes, nsq help topics. A trace to try: nsq demo.\n");
}

static _Noreturn void front_door_refuse_tool(const char *name)
{
	text_list known = { 0 };
	arena texts = { 0 };

	if (installation_is_file(name, F_OK))
		die(EXIT_WRONG, "'%s' is a file, not a tool; start with nsq setup %s", name, name);
	if (recipes_has(name))
		die(EXIT_WRONG, "'%s' is a recipe, not a tool; run it with nsq recipe %s TRACE", name, name);
	if (strcmp(name, "stats") == 0)
		die(EXIT_WRONG, "no tool 'stats'; nsq report TRACE writes what there is to know on one page, nsq "
		    "lists the tools");
	for (const opt_tool *const *t = tools_builtin; *t; t++)
		vec_push(&known, tools_short_name((*t)->name));
	vec_push(&known, "help");
	vec_push(&known, "recipes");
	vec_push(&known, "demo");
	die(EXIT_WRONG, "no tool '%s'%s run nsq to list the tools", name,
	    suggest_names(&texts, name, known.v, known.n));
}

static const opt_tool *front_door_find_tool(const char *name)
{
	const opt_tool *tool = tools_find(name);

	if (!tool)
		front_door_refuse_tool(name);
	return tool;
}

int front_door_run(const char *name, int argc, char **argv)
{
	return tools_run(front_door_find_tool(name), argc, argv);
}

/* The pages that nsq help shows, besides the help of tools, and their files in share/. */
static const struct { const char *name, *file, *about; } pages[] = {
	{ "skill", "SKILL.md", "how to get from a trace to an answer, on one page" },
	{ "questions", "references/questions.md", "which command answers which question" },
	{ "tables", "references/tables.md", "how to read the table of each tool" },
	{ "pitfalls", "references/pitfalls.md", "what not to conclude" },
	{ "collectives", "references/collectives.md", "communication, and the ranks of a job" },
	{ "queries", "references/queries.md", "SQL over tables and traces" },
	{ "checks", "references/checks.md", "numbers worked out by hand" },
	{ "pictures", "references/pictures.md", "what pictures show" },
	{ "capturing", "references/capture.md", "how to get a trace" },
	{ "conventions", "conventions.md", "what all tools share: windows, output, facts about traces" },
	{ "differences", "conventions/differences.md", "why numbers differ from those of other tools" },
	{ "mcp", "conventions/mcp.md", "nsq mcp DIR..., the server for agents without a shell" },
};

enum { PAGES = sizeof pages / sizeof *pages };

static void front_door_print_topics(void)
{
	terminal_say("usage: nsq help TOPIC\n\ntopics:\n");
	terminal_put_item(2, 12, "TOOL", "all options and columns of a tool, and how its numbers are defined");
	terminal_put_item(2, 12, "options", "the options that many tools share");
	terminal_put_item(2, 12, "words", "what the words in columns mean (nsq help words cause: those of one column)");
	terminal_put_item(2, 12, "recipes", "how to run the recipes, and write your own");
	for (size_t i = 0; i < PAGES; i++)
		terminal_put_item(2, 12, pages[i].name, pages[i].about);
}

/* Print the page of share/conventions with this name, if there is one, below other help. */
static void front_door_print_page_of(const char *name)
{
	arena texts = { 0 };
	const char *page = installation_shared(arena_printf(&texts, "conventions/%s.md", name));

	arena_free(&texts);
	if (!page)
		return;
	puts("");
	terminal_put_page(page);
}

static void front_door_print_tool_help(const opt_tool *tool)
{
	void *params = options_new_params(tool);

	help_print_manual(tool, params);
	free(params);
	front_door_print_page_of(tools_short_name(tool->name));
}

/* Does the word belong to the column called `name`?  A column TOOL.COLUMN may also be called COLUMN, and owner may be
 * called cause. */
static bool front_door_belongs_to_column(const glossary_word *w, const char *name)
{
	const char *dot = strchr(w->column, '.');

	return strcmp(w->column, name) == 0 || (dot && strcmp(dot + 1, name) == 0) ||
		(strcmp(name, "cause") == 0 && strcmp(w->column, "owner") == 0);
}

static _Noreturn void front_door_refuse_word(const char *what)
{
	text_list known = { 0 };
	arena texts = { 0 };

	for (const glossary_word *w = glossary_builtin; w->word; w++) {
		if (w == glossary_builtin || strcmp(w->column, w[-1].column) != 0)
			vec_push(&known, w->column);
		if (glossary_find(NULL, w->word) == w)
			vec_push(&known, w->word);
	}
	die(EXIT_WRONG, "no column or word '%s'%s nsq help words lists them", what,
	    suggest_names(&texts, what, known.v, known.n));
}

/* Print the lines of the glossary about a column or a word; NULL: print all. */
static void front_door_print_words(const char *what)
{
	const char *column = "";

	for (const glossary_word *w = glossary_builtin; w->word; w++) {
		if (what && !front_door_belongs_to_column(w, what) && strcmp(w->word, what) != 0)
			continue;
		if (strcmp(w->column, column) != 0)
			printf("%s%s:\n", *column ? "\n" : "", w->column);
		column = w->column;
		terminal_put_item(2, 15, w->word, w->meaning);
	}
	if (!*column)
		front_door_refuse_word(what);
}

void front_door_help(int argc, char **argv)
{
	const char *what = argc > 0 ? argv[0] : "help", *page;
	size_t i = 0;

	if (strcmp(what, "words") == 0 && argc < 3) {
		front_door_print_words(argc > 1 ? argv[1] : NULL);
		return;
	}
	if (argc > 1)
		die(EXIT_WRONG, "nsq help takes one topic, not also '%s'; see nsq help", argv[1]);
	while (i < PAGES && strcmp(what, pages[i].name) != 0)
		i++;
	if (text_is_listed_word(what, strlen(what), "help --help -h")) {
		front_door_print_help();
	} else if (strcmp(what, "topics") == 0) {
		front_door_print_topics();
	} else if (strcmp(what, "options") == 0) {
		help_print_shared(tools_builtin);
	} else if (strcmp(what, "recipe") == 0 || strcmp(what, "recipes") == 0) {
		recipes_help();
		front_door_print_page_of("recipes");
	} else if (i == PAGES) {
		front_door_print_tool_help(front_door_find_tool(what));
	} else {
		page = installation_shared(pages[i].file);
		if (!page)
			die(EXIT_FAILED, "the page '%s' is missing from this installation", what);
		terminal_put_page(page);
	}
}

void front_door_version(void)
{
	printf("nsq %s\n", NSQ_VERSION);
}

int front_door_flush_output(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		complain(EXIT_FAILED, "cannot write the output:");
	return errors_status();
}
