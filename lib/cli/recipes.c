#include "cli/recipes.h"
#include "base/suggest.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/output.h"
#include "cli/pages.h"
#include "cli/terminal.h"
#include "table/read_table.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void recipes_list(int indent)
{
	const char *dir = installation_recipe_dir();
	installation_names all = installation_recipes();
	arena texts = { 0 };

	for (size_t i = 0; i < all.n; i++) {
		FILE *f = fopen(arena_printf(&texts, "%s/%s", dir, all.v[i]), "r");
		const char *line = f ? pages_line(f, 2, &texts) : NULL;
		terminal_item(indent, 18, all.v[i], line ? line + strspn(line, "# ") : "-");
		if (f)
			fclose(f);
	}
	arena_free(&texts);
	vec_free(&all);
}

void recipes_help(void)
{
	terminal_say("usage: nsq recipe NAME [options] [TRACE...]\n\n"
		     "Each answers a common question with a few of the tools, for the steady steps.  -m -p --pick "
		     "--skip\n"
		     "choose the steps, as in nsq-window; other options (-f -H -n -g ...) go to the tool that prints "
		     "the answer.\n"
		     "Windows given with -w, or piped in instead of a trace, take the place of the steps.\n"
		     "nsq recipe NAME --help prints the recipe: its commands, its output, how to read it, what to ask "
		     "next.\n\nrecipes:\n");
	recipes_list(2);
}

static bool is_in(const installation_names *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i], name) == 0)
			return true;
	return false;
}

bool recipes_has(const char *name)
{
	installation_names all = { 0 };
	bool has;

	if (!installation_shared("recipes", "recipes"))
		return false;
	all = installation_recipes();
	has = is_in(&all, name);
	vec_free(&all);
	return has;
}

/* Run a recipe with the tools of this installation. */
static _Noreturn void run(const char *path, char **argv)
{
	installation_on_path();
	execv(path, argv);
	die(EXIT_FAILED, "cannot run '%s', which needs bash:", path);
}

/* Is help wanted, or something else that a tool prints instead of its table?  A recipe reads only tables. */
static bool wants_help(int argc, char **argv)
{
	static const char *const words[] = { "-h", "--help", "-V", "--version", "--columns" };

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		for (size_t k = 0; k < sizeof words / sizeof *words; k++)
			if (strcmp(argv[i], words[k]) == 0)
				return true;
	return false;
}

/* A window table comes through a pipe or from a file; a terminal or /dev/null brings none. */
static bool is_piped(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

/* What a recipe prints is a table; on a terminal, one for people. */
static void show_output(const char *path)
{
	read_table rows = { 0 };
	notes unsaid = { 0 };
	format_writer w = output_writer(&(opt_common){ 0 });

	puts("\n# what it prints for that trace:");
	if (w.terminal && read_table_named(path, &rows, &unsaid)) {
		format_table(&w, &rows.rows);
		output_end(&w, &rows.rows);
	} else {
		pages_print(path);
	}
	read_table_free(&rows);
	notes_free(&unsaid);
}

static void show(const char *path, const char *name)
{
	arena texts = { 0 };
	const char *output = arena_printf(&texts, "%s.out", path);

	printf("usage: nsq recipe %s [options] [TRACE...]    (nsq recipe --help explains the options)\n\n", name);
	pages_print(path);
	if (access(output, R_OK) == 0)
		show_output(output);
	arena_free(&texts);
}

void recipes_main(int argc, char **argv)
{
	installation_names all = installation_recipes();
	const char *name = argc > 0 ? argv[0] : NULL, *path;
	arena texts = { 0 };

	if (!name)
		die(EXIT_WRONG, "which recipe? nsq recipes lists them");
	if (wants_help(1, argv)) {
		recipes_help();
		vec_free(&all);
		return;
	}
	if (!is_in(&all, name))
		die(EXIT_WRONG, "no recipe '%s'%s run nsq recipes to list them", name,
		    suggest_names(&texts, name, all.v, all.n));
	path = arena_printf(&texts, "%s/%s", installation_recipe_dir(), name);
	if (!wants_help(argc - 1, argv + 1) && (argc > 1 || is_piped(STDIN_FILENO)))
		run(path, argv);
	show(path, name);
	arena_free(&texts);
	vec_free(&all);
}
