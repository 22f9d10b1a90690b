#include "cli/installation.h"
#include "base/arena.h"
#include "cli/errors.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *bin;         /* directory of this executable, or NULL */
static arena texts;             /* paths, which live as long as the process */

void installation_find(void)
{
	char path[PATH_MAX], *slash;

	if (!realpath((const char *)getauxval(AT_EXECFN), path) || !(slash = strrchr(path, '/')))
		return;
	bin = arena_text(&texts, path, (size_t)(slash - path));
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
