#include "cli/front_door.h"
#include "base/folders.h"
#include "base/printable.h"
#include "base/suggest.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/run.h"
#include "cli/terminal.h"

#include <sys/stat.h>
#include <unistd.h>

/* The question of a recipe, which is its second line; "-": it has no second line.  The caller frees it. */
static char *recipes_read_question(const char *path)
{
	char *text = text_file(path, &(size_t){ 0 }), *line = text ? strchr(text, '\n') : NULL, *asks;

	line = line && line[1] ? line + 1 : NULL;
	if (line)
		line[strcspn(line, "\n")] = 0;
	asks = printable_copy(line ? line + strspn(line, "# ") : "-");
	free(text);
	return asks;
}

void recipes_list(void)
{
	installation_recipe_list all = installation_recipes();
	arena texts = { 0 };

	for (size_t i = 0; i < all.n; i++) {
		const installation_recipe *r = &all.v[i];
		char *name = printable_copy(r->name), *asks = recipes_read_question(r->path);
		terminal_put_item(0, 18, name, arena_printf(&texts, "%s%s", asks, r->hides ?
			      " (your own, instead of nsq's)" : r->own ? " (your own)" : ""));
		mem_free(asks, name);
	}
	arena_free(&texts);
	vec_free(&all);
}

void recipes_help(void)
{
	terminal_say("usage: nsq recipe NAME [options] [TRACE...]\n\n"
		     "Answers a common question with a few of the tools, for the steady steps.\n"
		     "nsq recipes lists the recipes.  Without a trace, nsq recipe NAME shows one.\n\n"
		     "examples:\n  nsq recipe gpu-starved run.sqlite\n  nsq recipe top-kernels -n 5 run.sqlite\n\n"
		     "options:\n"
		     "  -m -p --pick --skip      choose the steps, as in nsq-window\n"
		     "  -w SPEC                  answer for these windows instead, as for windows on stdin\n"
		     "  others                   go to the tool that prints the answer\n\n"
		     "recipes of your own:\n"
		     "  --new NAME [TRACE...]    write one to begin with, in your folder (./NAME: there)\n"
		     "  --accept NAME...         record what it prints for the traces that it names\n"
		     "  --check [NAME...]        check it, or all of yours, as nsq's own are checked\n\n"
		     "Your folders are those of $NSQ_RECIPES (A:B) and $XDG_DATA_HOME/nsq/recipes\n"
		     "(~/.local/share/nsq/recipes).  A recipe anywhere else runs as nsq recipe ./mine.\n"
		     "A recipe of yours runs instead of one of nsq's that has its name.\n");
}

bool recipes_has(const char *name)
{
	installation_recipe_list all;
	bool has;

	if (!installation_shared("recipes"))
		return false;
	all = installation_recipes();
	has = installation_recipe_named(&all, name) != NULL;
	vec_free(&all);
	return has;
}

/* Is one of these words an argument before --? */
static bool recipes_has_option(int argc, char **argv, const char *const *words)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		for (const char *const *w = words; *w; w++)
			if (strcmp(argv[i], *w) == 0)
				return true;
	return false;
}

#define HAS_OPTION(argc, argv, ...) recipes_has_option((argc), (argv), (const char *const[]){ __VA_ARGS__, NULL })

/* Is there an option that makes tools print something other than their rows, which are all that a recipe can read? */
static bool recipes_wants_help(int argc, char **argv)
{
	return HAS_OPTION(argc, argv, "-h", "--help", "-V", "--version", "--columns");
}

/* Could this descriptor bring a table of windows?  A pipe or a file can; a terminal or /dev/null cannot. */
static bool recipes_is_piped(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

/* Show the file with the recorded output of a recipe: on a terminal as an aligned table, otherwise unchanged. */
static void recipes_show_output(const char *path)
{
	read_table rows = { 0 };
	notes unsaid = { 0 };
	format_writer w = output_writer(&(opt_common){ 0 });

	puts("\n# what it prints for that trace:");
	if (w.terminal && read_table_named(path, &rows, &unsaid)) {
		format_table(&w, &rows.rows);
		output_end(&w, &rows.rows);
	} else {
		terminal_put_page(path);
	}
	read_table_free(&rows);
	notes_free(&unsaid);
}

static void recipes_show_text(const char *path, const char *name)
{
	arena texts = { 0 };
	const char *output = arena_printf(&texts, "%s.out", path);

	printf("usage: nsq recipe %s [options] [TRACE...]    (nsq recipe --help explains the options)\n\n", name);
	terminal_put_page(path);
	if (access(output, R_OK) == 0)
		recipes_show_output(output);
	arena_free(&texts);
}

static _Noreturn void recipes_refuse_file(const char *path)
{
	die(EXIT_WRONG, "'%s' is not executable, so it is no recipe; chmod +x makes it one", path);
}

static _Noreturn void recipes_refuse_name(const installation_recipe_list *all, const char *name)
{
	text_list known = { 0 }, own = installation_own_recipe_folders();
	arena texts = { 0 };

	for (size_t i = 0; i < own.n; i++) {
		const char *path = arena_printf(&texts, "%s/%s", own.v[i], name);
		if (installation_is_file(path, F_OK) && access(path, X_OK) != 0)
			recipes_refuse_file(path);
	}
	for (size_t i = 0; i < all->n; i++)
		vec_push(&known, all->v[i].name);
	die(EXIT_WRONG, "no recipe '%s'%s run nsq recipes to list them", name,
	    suggest_names(&texts, name, known.v, known.n));
}

/* The recipe with this name, or in a file with this path.  A path is refused if only some folders may be read. */
static installation_recipe recipes_find_recipe(const installation_recipe_list *all, const char *name)
{
	const installation_recipe *r = installation_recipe_named(all, name);

	if (r)
		return *r;
	if (!strchr(name, '/') || *name == '-' || folders_limited())
		recipes_refuse_name(all, name);
	if (access(name, F_OK) != 0)
		die(EXIT_FAILED, "cannot open '%s':", name);
	if (!installation_is_file(name, F_OK))
		die(EXIT_WRONG, "'%s' is no file, so it is no recipe", name);
	return (installation_recipe){ name, name, true, false };
}

/* The path of a new recipe: in the first of the user's folders, unless the name is a path. */
static const char *recipes_find_place_of_new(const installation_recipe_list *all, const char *name, arena *texts)
{
	text_list own = installation_own_recipe_folders();
	const char *to = name;
	const installation_recipe *same = installation_recipe_named(all, name);

	if (!installation_is_recipe_name(text_base(name)))
		die(EXIT_WRONG, "'%s' cannot be the name of a recipe; take letters, such as my-question", name);
	if (!strchr(name, '/') && !own.n)
		die(EXIT_WRONG, "neither HOME nor NSQ_RECIPES says where your recipes are; give a path, such as ./%s",
		    name);
	if (!strchr(name, '/'))
		to = arena_printf(texts, "%s/%s", own.v[0], name);
	if (same && !same->own)
		announce("'%s' is also the name of a recipe that comes with nsq; yours will be run instead", name);
	vec_free(&own);
	return to;
}

/* Run --new, --accept or --check, which are commands of the script manage.sh beside the recipes. */
static _Noreturn void recipes_run_manager(int argc, char **argv)
{
	installation_recipe_list all = installation_recipes();
	text_list own = installation_own_recipe_folders();
	vec(const char *) words = { 0 };
	bool is_new = strcmp(argv[0], "--new") == 0;
	arena texts = { 0 };

	if (argc < 2 && (is_new || strcmp(argv[0], "--accept") == 0))
		die(EXIT_WRONG, "'%s' needs the name of a recipe; see nsq recipe --help", argv[0]);
	vec_push(&words, "bash");
	vec_push(&words, arena_printf(&texts, "%s/manage.sh", installation_shipped_recipe_folder()));
	vec_push(&words, argv[0] + 2);
	for (int i = 1; i < argc; i++)
		vec_push(&words, is_new && i > 1 ? argv[i] : is_new ? recipes_find_place_of_new(&all, argv[i], &texts) :
			 recipes_find_recipe(&all, argv[i]).path);
	for (size_t i = 0; argc < 2 && i < all.n; i++)
		if (all.v[i].own)
			vec_push(&words, all.v[i].path);
	for (size_t i = 0; argc < 2 && i < own.n; i++)      /* the script looks in them for files that are not
							     * executable */
		vec_push(&words, own.v[i]);
	vec_push(&words, NULL);
	installation_put_on_path();
	execvp("bash", (char **)(void *)words.v);
	die(EXIT_FAILED, "cannot run 'bash':");
}

static void recipes_run_or_show(const installation_recipe *r, int argc, char **argv)
{
	if (r->hides && !HAS_OPTION(argc, argv, "-q", "--quiet"))
		announce("'%s' is your own recipe, '%s', instead of the one that comes with nsq", r->name, r->path);
	if (!recipes_wants_help(argc - 1, argv + 1) && (argc > 1 || recipes_is_piped(STDIN_FILENO))) {
		if (access(r->path, X_OK) != 0)
			recipes_refuse_file(r->path);
		installation_put_on_path();         /* so the recipe runs the tools of this installation */
		execv(r->path, argv);
		die(EXIT_FAILED, "cannot run '%s', which needs bash:", r->path);
	}
	recipes_show_text(r->path, r->name);
}

void recipes_main(int argc, char **argv)
{
	const char *name = argc > 0 ? argv[0] : NULL;
	installation_recipe_list all;
	installation_recipe chosen;

	if (!name)
		die(EXIT_WRONG, "which recipe? nsq recipes lists them");
	if (HAS_OPTION(1, argv, "--new", "--accept", "--check"))
		recipes_run_manager(argc, argv);
	if (recipes_wants_help(1, argv)) {
		recipes_help();
		return;
	}
	if (strcmp(name, "--lib") == 0) {
		printf("%s/lib.sh\n", installation_shipped_recipe_folder());
		return;
	}
	if (strcmp(name, "--words") == 0 && argc > 2) {
		recipes_print_argument_arrays(argv[1], argv[2], argc - 2, argv + 2);
		return;
	}
	all = installation_recipes();
	chosen = recipes_find_recipe(&all, name);
	recipes_run_or_show(&chosen, argc, argv);
	vec_free(&all);
}
