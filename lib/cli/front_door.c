#include "cli/front_door.h"
#include "base/glossary.h"
#include "base/suggest.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/run.h"
#include "cli/terminal.h"

#include <unistd.h>

static const struct { const char *command, *help; } commands[] = {
	{ "help TOOL", "explain the options and columns of a tool, and define its numbers" },
	{ "help skill", "how to use nsq, on one page; also questions tables pitfalls collectives queries "
	"checks pictures differences capturing" },
	{ "help conventions", "what all tools share: windows, output, facts about traces" },
	{ "help words [COLUMN|WORD]", "define the words that columns hold, such as causes and owners" },
	{ "recipes", "list the questions that recipes answer" },
	{ "mcp DIR...", "serve the tools to an agent, for the traces in these folders (nsq help mcp)" },
	{ "recipe NAME [options] TRACE...", "run one, with the options of its tools; without a trace, show it; "
	"--new NAME begins one of your own" },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(void)
{
	arena texts = { 0 };

	terminal_say("usage: nsq TOOL [options] [TRACE...]\n\n"
		     "Small tools for Nsight Systems traces: each answers one question with one table.\n\ntools:\n");
	for (const opt_tool *const *t = tools_builtin; *t; t++)
		terminal_item(2, 12, tools_short((*t)->name), (*t)->question);
	terminal_say("\nEvery row cites its window, so every table can be piped into every other tool to narrow "
		     "things down.\n\nexamples:\n"
		     "  nsq setup run.sqlite\n"
		     "  nsq window run.sqlite | nsq overlap\n"
		     "  nsq recipe gpu-starved run.sqlite\n\ncommands:\n");
	for (int i = 0; i < COMMANDS; i++)
		terminal_item(2, 35, arena_printf(&texts, "nsq %s", commands[i].command), commands[i].help);
	puts("\noptions:\n  -h, --help               print this help\n  -V, --version            print the version");
	arena_free(&texts);
}

static _Noreturn void no_tool(const char *name)
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
		vec_push(&known, tools_short((*t)->name));
	vec_push(&known, "help");
	vec_push(&known, "recipes");
	die(EXIT_WRONG, "no tool '%s'%s run nsq to list the tools", name,
	    suggest_names(&texts, name, known.v, known.n));
}

static const opt_tool *tool_named(const char *name)
{
	const opt_tool *tool = tools_find(name);

	if (!tool)
		no_tool(name);
	return tool;
}

int front_door_run(const char *name, int argc, char **argv)
{
	return tools_run(tool_named(name), argc, argv);
}

/* The pages that nsq help shows beside the help of tools: the skill, what it refers to, and the definitions; where they
 * are in share/. */
static const struct { const char *name, *file; } pages[] = {
	{ "skill", "SKILL.md" }, { "conventions", "conventions.md" }, { "questions", "references/questions.md" },
	{ "tables", "references/tables.md" }, { "pitfalls", "references/pitfalls.md" },
	{ "collectives", "references/collectives.md" }, { "queries", "references/queries.md" },
	{ "checks", "references/checks.md" }, { "pictures", "references/pictures.md" },
	{ "differences", "conventions/differences.md" }, { "capturing", "references/capture.md" },
	{ "mcp", "conventions/mcp.md" },
};

/* The help of a tool, and the page of its conventions below it. */
static void print_tool_help(const opt_tool *tool)
{
	arena texts = { 0 };
	const char *page = installation_shared(arena_printf(&texts, "conventions/%s.md", tools_short(tool->name)));
	void *params = options_params(tool);

	help_print(tool, params);
	free(params);
	arena_free(&texts);
	if (page) {
		puts("");
		terminal_page(page);
	}
}

/* Is it the column of a line, by its whole name or without the tool's?  A cause is an owner. */
static bool is_column(const glossary_word *w, const char *name)
{
	const char *dot = strchr(w->column, '.');

	return strcmp(w->column, name) == 0 || (dot && strcmp(dot + 1, name) == 0) ||
		(strcmp(name, "cause") == 0 && strcmp(w->column, "owner") == 0);
}

static _Noreturn void no_word(const char *what)
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

/* The lines of the glossary about a column or a word; NULL: all. */
static void print_words(const char *what)
{
	const char *column = "";

	for (const glossary_word *w = glossary_builtin; w->word; w++) {
		if (what && !is_column(w, what) && strcmp(w->word, what) != 0)
			continue;
		if (strcmp(w->column, column) != 0)
			printf("%s%s:\n", *column ? "\n" : "", w->column);
		column = w->column;
		terminal_item(2, 15, w->word, w->meaning);
	}
	if (!*column)
		no_word(what);
}

void front_door_help(int argc, char **argv)
{
	const char *what = argc > 0 ? argv[0] : "help", *page;
	size_t i = 0, n = sizeof pages / sizeof *pages;

	if (strcmp(what, "words") == 0 && argc < 3) {
		print_words(argc > 1 ? argv[1] : NULL);
		return;
	}
	if (argc > 1)
		die(EXIT_WRONG, "nsq help takes one topic, not also '%s'; see nsq help", argv[1]);
	while (i < n && strcmp(what, pages[i].name) != 0)
		i++;
	if (strcmp(what, "help") == 0) {
		print_help();
	} else if (strcmp(what, "recipe") == 0 || strcmp(what, "recipes") == 0) {
		recipes_help();
	} else if (i == n) {
		print_tool_help(tool_named(what));
	} else {
		page = installation_shared(pages[i].file);
		if (!page)
			die(EXIT_FAILED, "the page '%s' is missing from this installation", what);
		terminal_page(page);
	}
}

void front_door_version(void)
{
	printf("nsq %s\n", NSQ_VERSION);
}

int front_door_end(void)
{
	if (fflush(stdout) != 0 || ferror(stdout))
		complain(EXIT_FAILED, "cannot write the output:");
	return errors_status();
}
