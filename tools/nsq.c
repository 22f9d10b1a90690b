/* nsq - the front door: lists the tools, runs them, and shows or runs recipes */
#include "table/format.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "base/suggest.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const struct { const char *name, *arg, *help; } commands[] = {
	{ "TOOL", "[options] [TRACE...]", "run nsq-TOOL" },
	{ "help", "TOOL", "its options, and what each column means" },
	{ "help", "conventions", "what every number means, exactly; how windows work" },
	{ "help", "skill", "how to work with nsq, for agents and people" },
	{ "recipes", "", "the questions that recipes answer" },
	{ "recipe", "NAME", "show one: its commands, its output, how to read it, what to ask next" },
	{ "recipe", "NAME [options] TRACE...", "run one; the options are those of its first tool" },
};

enum { COMMANDS = sizeof commands / sizeof *commands };

/* The line of a stream with that number, from 1, without its end; NULL: it has fewer. */
static char *nth_line(FILE *f, int number)
{
	char *line = NULL, *found = NULL;
	size_t room = 0;
	ssize_t n;

	while (number-- > 0 && (n = getline(&line, &room, f)) > 0)
		if (number == 0)
			found = mem_text(line, (size_t)n - (line[n - 1] == '\n'));
	while (getline(&line, &room, f) > 0)
		;                               /* let the writer end in peace */
	free(line);
	return found;
}

/* The question that a tool answers, in its own words: the third line of its --help. */
static const char *question(const char *path)
{
	int ends[2];
	pid_t child;
	FILE *f;
	const char *line;

	if (pipe(ends) != 0 || (child = fork()) < 0)
		die(EXIT_FAILED, "cannot ask '%s':", path);
	if (child == 0) {
		close(ends[0]);
		if (dup2(ends[1], STDOUT_FILENO) >= 0)
			execl(path, path, "--help", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	f = fdopen(ends[0], "r");
	if (!f)
		die(EXIT_FAILED, "cannot ask '%s':", path);
	line = nth_line(f, 3);
	fclose(f);
	waitpid(child, NULL, 0);
	return line ? line : "-";
}

static void print_help(void)
{
	home_names all = home_tools();

	puts("usage: nsq TOOL [options] [TRACE...]\n\n"
	     "Small tools about Nsight Systems traces: each answers one question with one table.\n\ntools:");
	for (size_t i = 0; i < all.n; i++)
		printf("  %-12s %s\n", all.v[i], question(home_tool(all.v[i])));
	puts("\nEvery row names its window (pid start_ns end_ns ... window trace), and every table is the input of\n"
	     "every other tool; so narrow down with a pipe.\n\nexamples:\n"
	     "  nsq setup run.sqlite\n"
	     "  nsq window run.sqlite | nsq overlap\n"
	     "  nsq recipe gpu-starved run.sqlite\n\ncommands:");
	for (int i = 0; i < COMMANDS; i++)
		printf("  nsq %-31s %s\n", mem_printf("%s %s", commands[i].name, commands[i].arg), commands[i].help);
	puts("\noptions:\n  -h, --help               print this\n  -V, --version            print the version");
	vec_free(&all);
}

static bool has(const home_names *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i], name) == 0)
			return true;
	return false;
}

static _Noreturn void no_tool(const char *name)
{
	home_names known = home_tools(), questions = { 0 };

	if (home_is_file(name, F_OK))
		die(EXIT_WRONG, "'%s' is a file, not a tool; begin with nsq setup %s", name, name);
	if (home_shared("recipes", "recipes"))
		questions = home_recipes();
	if (has(&questions, name))
		die(EXIT_WRONG, "'%s' is a recipe, not a tool; run it with nsq recipe %s TRACE", name, name);
	vec_push(&known, "help");
	vec_push(&known, "recipes");
	die(EXIT_WRONG, "no tool '%s'%s nsq alone lists them", name, near_names(name, known.v, known.n));
}

static const char *without_prefix(const char *name)
{
	return strncmp(name, "nsq-", 4) == 0 ? name + 4 : name;
}

static _Noreturn void run_tool(const char *name, char **argv)
{
	const char *path = home_tool(without_prefix(name));

	if (!path)
		no_tool(name);
	argv[0] = mem_printf("nsq-%s", without_prefix(name));
	execv(path, argv);
	die(EXIT_FAILED, "cannot run '%s':", path);
}

static void print_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char part[8192];
	size_t n;

	if (!f)
		die(EXIT_FAILED, "cannot open '%s':", path);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		fwrite(part, 1, n, stdout);
	if (ferror(f))
		die(EXIT_FAILED, "cannot read '%s':", path);
	fclose(f);
}

static void print_recipes(const char *indent)
{
	const char *dir = home_recipe_dir();
	home_names all = home_recipes();

	for (size_t i = 0; i < all.n; i++) {
		FILE *f = fopen(mem_printf("%s/%s", dir, all.v[i]), "r");
		const char *line = f ? nth_line(f, 2) : NULL;
		printf("%s%-18s %s\n", indent, all.v[i], line ? line + strspn(line, "# ") : "-");
		if (f)
			fclose(f);
	}
	vec_free(&all);
}

static void help_recipes(void)
{
	puts("usage: nsq recipe NAME [options] TRACE...\n\n"
	     "Each answers a common question with a few of the tools.  The options are those of its first tool.\n"
	     "Without a trace the recipe is shown: its commands, its output, how to read it, what to ask next.\n\n"
	     "recipes:");
	print_recipes("  ");
}

static void help(int argc, char **argv)
{
	const char *what = argc > 0 ? argv[0] : NULL, *page = NULL;

	if (argc > 1)
		die(EXIT_WRONG, "one at a time, not also '%s'; see nsq help", argv[1]);
	if (!what) {
		print_help();
		return;
	}
	if (strcmp(what, "conventions") == 0)
		page = home_shared("conventions.md", "share/conventions.md");
	else if (strcmp(what, "skill") == 0)
		page = home_shared("SKILL.md", "share/SKILL.md");
	else if (strcmp(what, "recipe") == 0 || strcmp(what, "recipes") == 0) {
		help_recipes();
		return;
	} else if (strcmp(what, "help") == 0) {
		print_help();
		return;
	} else
		run_tool(what, (char *[]){ NULL, mem_printf("--help"), NULL });
	if (!page)
		die(EXIT_FAILED, "the page '%s' is not beside this installation", what);
	print_file(page);
}

/* The tools that a recipe names are those of this installation. */
static _Noreturn void run_recipe(const char *path, char **argv)
{
	home_on_path();
	execv(path, argv);
	die(EXIT_FAILED, "cannot run '%s':", path);
}

/* Is help wanted, or another thing that a tool prints instead of its table?  A recipe reads tables alone. */
static bool wants_help(int argc, char **argv)
{
	static const char *const words[] = { "-h", "--help", "-V", "--version", "--columns" };

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			if (strcmp(argv[i], words[k]) == 0)
				return true;
	return false;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static void recipe(int argc, char **argv)
{
	home_names all = home_recipes();
	const char *name = argc > 0 ? argv[0] : NULL, *path;

	if (!name)
		die(EXIT_WRONG, "which recipe? nsq recipes lists them");
	if (wants_help(1, argv)) {
		help_recipes();
		return;
	}
	if (!has(&all, name))
		die(EXIT_WRONG, "no recipe '%s'%s nsq recipes lists them", name, near_names(name, all.v, all.n));
	vec_free(&all);
	path = mem_printf("%s/%s", home_recipe_dir(), name);
	if (argc > 1 && !wants_help(argc - 1, argv + 1))
		run_recipe(path, argv);
	if (argc == 1 && is_pipe(STDIN_FILENO))
		note("a recipe runs on a trace, not on what is piped to it, so it is shown; run nsq recipe %s TRACE",
		     name);
	print_file(path);
	path = mem_printf("%s.out", path);
	if (access(path, R_OK) == 0) {
		puts("\n# what it prints for that trace:");
		print_file(path);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "help";

	home_find();
	if (strcmp(what, "help") == 0 || strcmp(what, "-h") == 0 || strcmp(what, "--help") == 0)
		help(argc - 2, argv + 2);
	else if (strcmp(what, "-V") == 0 || strcmp(what, "--version") == 0)
		printf("nsq %s\n", NSQ_VERSION);
	else if (what[0] == '-')
		die(EXIT_WRONG, "unknown option '%s'; nsq TOOL [options] [TRACE...], and nsq alone lists the tools", what);
	else if (strcmp(what, "recipes") == 0 && argc == 2)
		print_recipes("");
	else if (strcmp(what, "recipe") == 0 || strcmp(what, "recipes") == 0)
		recipe(argc - 2, argv + 2);
	else
		run_tool(what, argv + 1);
	emit_end();
	return err_status;
}
