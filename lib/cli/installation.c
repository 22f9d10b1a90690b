#include "cli/installation.h"
#include "base/folders.h"
#include "base/user_folder.h"
#include "cli/errors.h"

#include <dirent.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *bin;         /* the folder of this executable, or NULL */
static arena texts;             /* paths, which live as long as the process */

void installation_find(void)
{
	char path[PATH_MAX], *slash;
	ssize_t n;

	if (!realpath((const char *)getauxval(AT_EXECFN), path)) {      /* this path leads to no file, for example
									 * because the executable was moved after it
									 * was started */
		n = readlink("/proc/self/exe", path, sizeof path - 1);
		path[n > 0 ? n : 0] = 0;
	}
	if (!(slash = strrchr(path, '/')))
		return;
	bin = arena_text(&texts, path, (size_t)(slash - path));
}

void installation_put_on_path(void)
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

bool installation_is_recipe_name(const char *name)
{
	static const char in_names[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.+";

	return *name && *name != '.' && *name != '-' && strspn(name, in_names) == strlen(name) &&
		!text_ends(name, ".out");
}

/* The path of a file of share/ in the source tree.  Recipes have a folder of their own there, and the demo trace is one
 * of the fixtures. */
static const char *installation_make_source_path(const char *file)
{
	return strcmp(file, "recipes") == 0 ? file : strncmp(file, "demo/", 5) == 0 ?
		arena_printf(&texts, "tests/fixtures/%s", file + 5) : arena_printf(&texts, "share/%s", file);
}

const char *installation_shared(const char *file)
{
	const char *from = bin ? bin : "", *source = installation_make_source_path(file);
	const char *const tries[] = {
		arena_printf(&texts, "%s/../share/nsq/%s", from, file),
		arena_printf(&texts, "%s/../%s", from, source),
		arena_printf(&texts, "%s/../../../%s", from, source),
	};

	for (size_t i = 0; bin && i < sizeof tries / sizeof *tries; i++)
		if (access(tries[i], R_OK) == 0)
			return tries[i];
	return NULL;
}

const char *installation_shipped_recipe_folder(void)
{
	const char *dir = installation_shared("recipes");

	if (!dir)
		die(EXIT_FAILED, "this installation has no recipes; they belong in share/nsq/recipes");
	return dir;
}

/* The folder `name`, such as recipes, in the folder of the user's own files; NULL: the environment does not say where
 * that is. */
static const char *installation_data_folder(const char *name)
{
	const char *data = user_folder(&texts, "XDG_DATA_HOME", ".local/share");

	return data ? arena_printf(&texts, "%s/%s", data, name) : NULL;
}

text_list installation_own_recipe_folders(void)
{
	bool wanted = !folders_limited();       /* a user's recipe may read any file, so none is run if only some
						 * folders may be read */
	const char *given = wanted ? getenv("NSQ_RECIPES") : NULL,
		   *shared = wanted ? installation_data_folder("recipes") : NULL;
	text_list found = { 0 };

	for (const char *p = given ? given : ""; *p; p += p[strcspn(p, ":")] ? strcspn(p, ":") + 1 : strcspn(p, ":"))
		if (*p != ':')
			vec_push(&found, arena_text(&texts, p, strcspn(p, ":")));
	if (shared)
		vec_push(&found, shared);
	return found;
}

/* Add the executable files of a folder that have valid names of recipes. */
static void installation_add_recipes(installation_recipe_list *to, const char *folder, bool own)
{
	DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));) {
		const char *path = arena_printf(&texts, "%s/%s", folder, e->d_name);
		installation_recipe *same = installation_recipe_named(to, e->d_name);
		if (!installation_is_recipe_name(e->d_name) || !installation_is_file(path, X_OK))
			continue;
		if (same)
			same->hides |= same->own && !own;
		else
			vec_push(to, (installation_recipe){ arena_copy(&texts, e->d_name), path, own, false });
	}
	if (d)
		closedir(d);
}

static int installation_compare_recipes(const void *a, const void *b)
{
	return strcmp(((const installation_recipe *)a)->name, ((const installation_recipe *)b)->name);
}

installation_recipe_list installation_recipes(void)
{
	text_list own = installation_own_recipe_folders();
	installation_recipe_list all = { 0 };

	for (size_t i = 0; i < own.n; i++)
		installation_add_recipes(&all, own.v[i], true);
	installation_add_recipes(&all, installation_shipped_recipe_folder(), false);
	if (all.n)
		qsort(all.v, all.n, sizeof *all.v, installation_compare_recipes);
	vec_free(&own);
	return all;
}

installation_recipe *installation_recipe_named(const installation_recipe_list *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++)
		if (strcmp(all->v[i].name, name) == 0)
			return &all->v[i];
	return NULL;
}

const char *installation_own_finding_folders(void)
{
	const char *own = getenv("NSQ_FINDINGS"), *shared = installation_data_folder("findings");

	return own && shared ? arena_printf(&texts, "%s:%s", shared, own) : own ? own : shared;
}
