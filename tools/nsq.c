/* nsq - the front door: lists the tools, runs them, and shows or runs recipes */
#include "emit.h"
#include "err.h"
#include "mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef vec(const char *) names;

/* In the order in which one asks; tools that are not here follow by name. */
static const char *const order[] = {
	"setup", "window", "streams", "overlap", "gaps", "nvtx", "kernels", "api", "mem", NULL
};

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

static const char *bin;         /* directory of this executable, or NULL */

static void find_bin(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	if (n <= 0 || (size_t)n >= sizeof path)
		return;
	while (n > 1 && path[n - 1] != '/')
		n--;
	bin = mem_text(path, (size_t)n - 1);
}

static bool is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, mode) == 0;
}

/* Beside this executable first, then on PATH. */
static names bin_dirs(void)
{
	names dirs = { 0 };
	const char *path = getenv("PATH");

	if (bin)
		vec_push(&dirs, bin);
	for (const char *p = path ? path : ""; *p;) {
		size_t n = strcspn(p, ":");
		vec_push(&dirs, n ? mem_text(p, n) : ".");
		p += n + (p[n] == ':');
	}
	return dirs;
}

static const char *tool_path(const char *name)
{
	names dirs = bin_dirs();
	const char *found = NULL;

	for (size_t i = 0; i < dirs.n && !found && !strchr(name, '/'); i++) {
		const char *path = mem_printf("%s/nsq-%s", dirs.v[i], name);
		if (is_file(path, X_OK))
			found = path;
	}
	vec_free(&dirs);
	return found;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of the files in a directory that begin with the prefix and pass the test. */
static names list(const char *dir, const char *prefix, int mode)
{
	names found = { 0 };
	DIR *d = opendir(dir);
	size_t n = strlen(prefix);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strncmp(e->d_name, prefix, n) == 0 && e->d_name[0] != '.' &&
		    is_file(mem_printf("%s/%s", dir, e->d_name), mode))
			vec_push(&found, mem_text(e->d_name + n, strlen(e->d_name) - n));
	if (d)
		closedir(d);
	if (found.n)
		qsort(found.v, found.n, sizeof *found.v, by_name);
	return found;
}

static size_t place(const char *name)
{
	size_t i = 0;

	while (order[i] && strcmp(order[i], name) != 0)
		i++;
	return i;
}

static int by_place(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	return place(x) != place(y) ? (place(x) < place(y) ? -1 : 1) : strcmp(x, y);
}

/* The tools of the installation: those of the first directory that has any. */
static names tools(void)
{
	names dirs = bin_dirs(), found = { 0 };

	for (size_t i = 0; i < dirs.n && !found.n; i++)
		found = list(dirs.v[i], "nsq-", X_OK);
	vec_free(&dirs);
	if (found.n)
		qsort(found.v, found.n, sizeof *found.v, by_place);
	return found;
}

/* A file of the installation, or of the source tree that this was built in; NULL: there is none. */
static const char *shared(const char *installed, const char *source)
{
	const char *const tries[] = {
		mem_printf("%s/../share/nsq/%s", bin ? bin : ".", installed),
		mem_printf("%s/../%s", bin ? bin : ".", source),
		mem_printf("%s/../../../%s", bin ? bin : ".", source),
	};

	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		if (access(tries[i], R_OK) == 0)
			return tries[i];
	return NULL;
}

static const char *recipe_dir(void)
{
	const char *dir = shared("recipes", "recipes");

	if (!dir)
		die(EXIT_FAILED, "no recipes beside this installation; they belong in share/nsq/recipes");
	return dir;
}

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
	names all = tools();

	puts("usage: nsq TOOL [options] [TRACE...]\n\n"
	     "Small tools about Nsight Systems traces: each answers one question with one table.\n\ntools:");
	for (size_t i = 0; i < all.n; i++)
		printf("  %-12s %s\n", all.v[i], question(tool_path(all.v[i])));
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

/* Edits (insert, drop, replace, swap neighbours) between two short words. */
static size_t distance(const char *a, const char *b)
{
	enum { MOST = 32 };
	size_t n = strlen(a), m = strlen(b), d[MOST + 1][MOST + 1];

	if (n > MOST || m > MOST)
		return MOST;
	for (size_t i = 0; i <= n; i++)
		for (size_t j = 0; j <= m; j++) {
			if (!i || !j) {
				d[i][j] = i + j;
				continue;
			}
			size_t least = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (d[i - 1][j] + 1 < least)
				least = d[i - 1][j] + 1;
			if (d[i][j - 1] + 1 < least)
				least = d[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < least)
				least = d[i - 2][j - 2] + 1;
			d[i][j] = least;
		}
	return d[n][m];
}

/* 0 for a beginning of the other or a part of the name, otherwise the distance. */
static size_t unlike(const char *typed, const char *name)
{
	size_t n = strlen(typed), m = strlen(name), shorter = n < m ? n : m;

	return shorter >= 3 && (strncmp(typed, name, shorter) == 0 || strstr(name, typed)) ? 0 : distance(typed, name);
}

/* ", did you mean 'a' or 'b'?", or ";" when none is near. */
static const char *nearest(const char *typed, const names *known)
{
	size_t least = strlen(typed) / 2 < 3 ? strlen(typed) / 2 : 3;
	const char *text = "";

	for (size_t i = 0; i < known->n; i++)
		if (unlike(typed, known->v[i]) < least)
			least = unlike(typed, known->v[i]);
	for (size_t i = 0; i < known->n; i++)
		if (unlike(typed, known->v[i]) == least)
			text = *text ? mem_printf("%s or '%s'", text, known->v[i]) :
				mem_printf(", did you mean '%s'", known->v[i]);
	return *text ? mem_printf("%s?", text) : ";";
}

/* A recipe is an executable file; its expected output and other files are not. */
static names recipes(void)
{
	return list(recipe_dir(), "", X_OK);
}

static bool has(const names *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i], name) == 0)
			return true;
	return false;
}

static _Noreturn void no_tool(const char *name)
{
	names known = tools(), questions = { 0 };

	if (is_file(name, F_OK))
		die(EXIT_WRONG, "'%s' is a file, not a tool; begin with nsq setup %s", name, name);
	if (shared("recipes", "recipes"))
		questions = recipes();
	if (has(&questions, name))
		die(EXIT_WRONG, "'%s' is a recipe, not a tool; run it with nsq recipe %s TRACE", name, name);
	vec_push(&known, "help");
	vec_push(&known, "recipes");
	die(EXIT_WRONG, "no tool '%s'%s nsq alone lists them", name, nearest(name, &known));
}

static const char *without_prefix(const char *name)
{
	return strncmp(name, "nsq-", 4) == 0 ? name + 4 : name;
}

static _Noreturn void run_tool(const char *name, char **argv)
{
	const char *path = tool_path(without_prefix(name));

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
	const char *dir = recipe_dir();
	names all = recipes();

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
		page = shared("conventions.md", "share/conventions.md");
	else if (strcmp(what, "skill") == 0)
		page = shared("SKILL.md", "share/SKILL.md");
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
	const char *old = getenv("PATH");

	if (bin && setenv("PATH", mem_printf("%s%s%s", bin, old ? ":" : "", old ? old : ""), 1) != 0)
		die(EXIT_FAILED, "cannot set PATH:");
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
	names all = recipes();
	const char *name = argc > 0 ? argv[0] : NULL, *path;

	if (!name)
		die(EXIT_WRONG, "which recipe? nsq recipes lists them");
	if (wants_help(1, argv)) {
		help_recipes();
		return;
	}
	if (!has(&all, name))
		die(EXIT_WRONG, "no recipe '%s'%s nsq recipes lists them", name, nearest(name, &all));
	vec_free(&all);
	path = mem_printf("%s/%s", recipe_dir(), name);
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

	find_bin();
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
