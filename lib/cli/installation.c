#include "cli/installation.h"
#include "base/arena.h"
#include "cli/errors.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In the order in which people ask; tools that are not listed follow by name. */
static const char *const order[] = {
	"capture", "setup", "window", "streams", "overlap", "gaps", "stalls", "path", "nccl", "nvtx", "kernels", "api",
	"mem", "metrics", "mfu", "threads", "find", "ledger", "advise", "sql", "diff", "gate", "plot", "export", "view",
	"report", "slice", NULL
};

static const char *bin;         /* directory of this executable, or NULL */
static arena texts;             /* paths, which live as long as the process */

void installation_find(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path);

	if (n <= 0 || (size_t)n >= sizeof path)
		return;
	while (n > 1 && path[n - 1] != '/')
		n--;
	bin = arena_text(&texts, path, (size_t)n - 1);
}

void installation_on_path(void)
{
	const char *old = getenv("PATH");

	if (bin && setenv("PATH", arena_printf(&texts, "%s%s%s", bin, old ? ":" : "", old ? old : ""), 1) != 0)
		die(EXIT_FAILED, "cannot set PATH:");
}

bool installation_is_file(const char *path, int mode)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, mode) == 0;
}

/* Beside this executable first, then on PATH. */
static installation_names bin_dirs(void)
{
	installation_names dirs = { 0 };
	const char *path = getenv("PATH");

	if (bin)
		vec_push(&dirs, bin);
	for (const char *p = path ? path : ""; *p;) {
		size_t n = strcspn(p, ":");
		vec_push(&dirs, n ? arena_text(&texts, p, n) : ".");
		p += n + (p[n] == ':');
	}
	return dirs;
}

const char *installation_tool(const char *name)
{
	installation_names dirs = bin_dirs();
	const char *found = NULL;

	for (size_t i = 0; i < dirs.n && !found && !strchr(name, '/'); i++) {
		const char *path = arena_printf(&texts, "%s/nsq-%s", dirs.v[i], name);
		if (installation_is_file(path, X_OK))
			found = path;
	}
	vec_free(&dirs);
	return found;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The files in a directory that begin with the prefix and have this access mode, without the prefix. */
static installation_names list(const char *dir, const char *prefix, int mode)
{
	installation_names found = { 0 };
	DIR *d = opendir(dir);
	size_t n = strlen(prefix);

	for (struct dirent *e; d && (e = readdir(d));)
		if (strncmp(e->d_name, prefix, n) == 0 && e->d_name[0] != '.' &&
		    installation_is_file(arena_printf(&texts, "%s/%s", dir, e->d_name), mode))
			vec_push(&found, arena_text(&texts, e->d_name + n, strlen(e->d_name) - n));
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

installation_names installation_tools(void)
{
	installation_names dirs = bin_dirs(), found = { 0 };

	for (size_t i = 0; i < dirs.n && !found.n; i++)
		found = list(dirs.v[i], "nsq-", X_OK);
	vec_free(&dirs);
	if (found.n)
		qsort(found.v, found.n, sizeof *found.v, by_place);
	return found;
}

const char *installation_shared(const char *installed, const char *source)
{
	const char *const tries[] = {
		arena_printf(&texts, "%s/../share/nsq/%s", bin ? bin : ".", installed),
		arena_printf(&texts, "%s/../%s", bin ? bin : ".", source),
		arena_printf(&texts, "%s/../../../%s", bin ? bin : ".", source),
	};

	for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
		if (access(tries[i], R_OK) == 0)
			return tries[i];
	return NULL;
}

const char *installation_recipe_dir(void)
{
	const char *dir = installation_shared("recipes", "recipes");

	if (!dir)
		die(EXIT_FAILED, "this installation has no recipes; they belong in share/nsq/recipes");
	return dir;
}

installation_names installation_recipes(void)
{
	return list(installation_recipe_dir(), "", X_OK);
}

const char *installation_findings(void)
{
	const char *own = getenv("NSQ_FINDINGS"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
	const char *shared = data && *data ? arena_printf(&texts, "%s/nsq/findings", data) :
		home && *home ? arena_printf(&texts, "%s/.local/share/nsq/findings", home) : NULL;

	return own && shared ? arena_printf(&texts, "%s:%s", shared, own) : own ? own : shared;
}
