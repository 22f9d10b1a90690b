#include "cli/front_door.h"
#include "base/suggest.h"
#include "capture/child.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/pages.h"
#include "cli/recipes.h"
#include "cli/terminal.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct { const char *command, *help; } commands[] = {
	{ "help TOOL", "explain the options and columns of a tool, and define its numbers" },
	{ "help skill", "how to use nsq, on one page; also questions tables pitfalls collectives queries "
	"checks pictures differences capturing" },
	{ "help conventions", "what all tools share: windows, output, facts about traces" },
	{ "recipes", "list the questions that recipes answer" },
	{ "recipe NAME [options] TRACE...", "run one, with the options of its tools; without a trace, show it" },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* The question that a tool answers, in its own words: the third line of its --help. */
static const char *question_of(const char *path, arena *to)
{
	const char *line = CHILD_TEXT(to, path, "--help");

	for (int i = 0; line && i < 2; i++)
		line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
	return line ? arena_text(to, line, strcspn(line, "\n")) : "-";
}

static void print_help(void)
{
	installation_names all = installation_tools();
	arena texts = { 0 };

	terminal_say("usage: nsq TOOL [options] [TRACE...]\n\n"
		     "Small tools for Nsight Systems traces: each answers one question with one table.\n\ntools:\n");
	for (size_t i = 0; i < all.n; i++)
		terminal_item(2, 12, all.v[i], question_of(installation_tool(all.v[i]), &texts));
	terminal_say("\nEvery row cites its window, so every table can be piped into every other tool to narrow "
		     "things down.\n\nexamples:\n"
		     "  nsq setup run.sqlite\n"
		     "  nsq window run.sqlite | nsq overlap\n"
		     "  nsq recipe gpu-starved run.sqlite\n\ncommands:\n");
	for (int i = 0; i < COMMANDS; i++)
		terminal_item(2, 35, arena_printf(&texts, "nsq %s", commands[i].command), commands[i].help);
	puts("\noptions:\n  -h, --help               print this help\n  -V, --version            print the version");
	arena_free(&texts);
	vec_free(&all);
}

static _Noreturn void no_tool(const char *name)
{
	installation_names known = installation_tools();
	arena texts = { 0 };

	if (installation_is_file(name, F_OK))
		die(EXIT_WRONG, "'%s' is a file, not a tool; start with nsq setup %s", name, name);
	if (recipes_has(name))
		die(EXIT_WRONG, "'%s' is a recipe, not a tool; run it with nsq recipe %s TRACE", name, name);
	if (strcmp(name, "stats") == 0)
		die(EXIT_WRONG, "no tool 'stats'; nsq report TRACE writes what there is to know on one page, nsq "
		    "lists the tools");
	vec_push(&known, "help");
	vec_push(&known, "recipes");
	die(EXIT_WRONG, "no tool '%s'%s run nsq to list the tools", name,
	    suggest_names(&texts, name, known.v, known.n));
}

/* The name of a tool without nsq-, and where it is. */
static const char *tool_named(const char *name, const char **path)
{
	const char *short_name = strncmp(name, "nsq-", 4) == 0 ? name + 4 : name;

	*path = installation_tool(short_name);
	if (!*path)
		no_tool(name);
	return short_name;
}

void front_door_run(const char *name, char **argv)
{
	const char *path, *short_name = tool_named(name, &path);
	arena texts = { 0 };

	argv[0] = arena_printf(&texts, "nsq-%s", short_name);
	execv(path, argv);
	die(EXIT_FAILED, "cannot run '%s':", path);
}

/* The pages that nsq help shows beside the help of tools: the skill, what it refers to, and the definitions. */
static const char *const pages[] = { "skill", "conventions", "questions", "tables", "pitfalls",
	"collectives", "queries", "checks", "pictures", "differences", "capturing" };

static bool is_page(const char *name)
{
	for (size_t i = 0; i < sizeof pages / sizeof *pages; i++)
		if (strcmp(name, pages[i]) == 0)
			return true;
	return false;
}

/* A page in a folder of share/; NULL: there is none. */
static const char *page_in(const char *folder, const char *name)
{
	arena texts = { 0 };
	const char *source = arena_printf(&texts, "share/%s/%s.md", folder, name),
		   *path = installation_shared(source + strlen("share/"), source);

	arena_free(&texts);
	return path;
}

static const char *page_path(const char *name)
{
	if (strcmp(name, "skill") == 0)
		return installation_shared("SKILL.md", "share/SKILL.md");
	if (strcmp(name, "conventions") == 0)
		return installation_shared("conventions.md", "share/conventions.md");
	if (strcmp(name, "capturing") == 0)
		name = "capture";               /* which is a tool */
	return page_in(strcmp(name, "differences") == 0 ? "conventions" : "references", name);
}

/* The help of a tool, and the page of its conventions below it; a tool of another installation may have none. */
static void print_tool_help(const char *name)
{
	const char *path, *page = page_in("conventions", tool_named(name, &path));
	pid_t child;
	int status;

	if (posix_spawn(&child, path, NULL, NULL, (char *const[]){ (char *)path, (char *)"--help", NULL }, environ) != 0 ||
	    waitpid(child, &status, 0) < 0)
		die(EXIT_FAILED, "cannot run '%s' to get its help", path);
	if (WIFSIGNALED(status))
		raise(WTERMSIG(status));        /* SIGPIPE: the reader has left, as with head */
	if (status != 0)
		exit(EXIT_FAILED);              /* a write was lost, and the tool has said so */
	if (page) {
		puts("");
		pages_print(page);
	}
}

void front_door_help(int argc, char **argv)
{
	const char *what = argc > 0 ? argv[0] : "help", *page;

	if (argc > 1)
		die(EXIT_WRONG, "nsq help takes one topic, not also '%s'; see nsq help", argv[1]);
	if (strcmp(what, "help") == 0) {
		print_help();
		return;
	}
	if (strcmp(what, "recipe") == 0 || strcmp(what, "recipes") == 0) {
		recipes_help();
		return;
	}
	if (!is_page(what)) {
		print_tool_help(what);
		return;
	}
	page = page_path(what);
	if (!page)
		die(EXIT_FAILED, "the page '%s' is missing from this installation", what);
	pages_print(page);
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
