#include "cli/installation.h"
#include "cli/errors.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the order in which one asks; tools that are not here follow by name. */
static const char *const order[] = {
	"setup", "window", "streams", "overlap", "gaps", "nvtx", "kernels", "api", "mem", NULL
};

static const char *bin;         /* directory of this executable, or NULL */

void home_find(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	if (n <= 0 || (size_t)n >= sizeof path)
		return;
	while (n > 1 && path[n - 1] != '/')
		n--;
	bin = mem_text(path, (size_t)n - 1);
}

void home_on_path(void)
{
	const char *old = getenv("PATH");

	if (bin && setenv("PATH", mem_printf("%s%s%s", bin, old ? ":" : "", old ? old : ""), 1) != 0)
		die(EXIT_FAILED, "cannot set PATH:");
}

bool home_is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, mode) == 0;
}

/* Beside this executable first, then on PATH. */
static home_names bin_dirs(void)
{
	home_names dirs = { 0 };
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

const char *home_tool(const char *name)
{
	home_names dirs = bin_dirs();
	const char *found = NULL;

	for (size_t i = 0; i < dirs.n && !found && !strchr(name, '/'); i++) {
		const char *path = mem_printf("%s/nsq-%s", dirs.v[i], name);
		if (home_is_file(path, X_OK))
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
static home_names list(const char *dir, const char *prefix, int mode)
{
	home_names found = { 0 };
	DIR *d = opendir(dir);
	size_t n = strlen(prefix);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strncmp(e->d_name, prefix, n) == 0 && e->d_name[0] != '.' &&
		    home_is_file(mem_printf("%s/%s", dir, e->d_name), mode))
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

home_names home_tools(void)
{
	home_names dirs = bin_dirs(), found = { 0 };

	for (size_t i = 0; i < dirs.n && !found.n; i++)
		found = list(dirs.v[i], "nsq-", X_OK);
	vec_free(&dirs);
	if (found.n)
		qsort(found.v, found.n, sizeof *found.v, by_place);
	return found;
}

const char *home_shared(const char *installed, const char *source)
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

const char *home_recipe_dir(void)
{
	const char *dir = home_shared("recipes", "recipes");

	if (!dir)
		die(EXIT_FAILED, "no recipes beside this installation; they belong in share/nsq/recipes");
	return dir;
}

home_names home_recipes(void)
{
	return list(home_recipe_dir(), "", X_OK);
}
