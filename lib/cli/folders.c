#include "cli/folders.h"
#include "cli/errors.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static const char *const variable = "NSQ_FOLDERS";

bool folders_add(folders *f, const char *path)
{
	char real[PATH_MAX];
	struct stat st;

	if (!realpath(path, real) || stat(real, &st) != 0)
		return false;
	errno = !S_ISDIR(st.st_mode) ? ENOTDIR : strchr(real, ':') ? EINVAL : 0;
	if (!errno)
		vec_push(&f->all, arena_copy(&f->texts, real));
	return !errno;
}

/* Is the path in a folder of this name, n bytes long?  Both are as realpath has them. */
static bool is_in(const char *real, const char *folder, size_t n)
{
	n -= n > 0 && folder[n - 1] == '/';             /* the root */
	return strncmp(real, folder, n) == 0 && (real[n] == '/' || !real[n]);
}

static bool inside(const folders *f, const char *real)
{
	for (size_t i = 0; i < f->all.n; i++)
		if (is_in(real, f->all.v[i], strlen(f->all.v[i])))
			return true;
	return false;
}

enum folders_place folders_find(const folders *f, const char *path, arena *to, const char **real)
{
	char found[PATH_MAX];

	*real = NULL;
	for (size_t i = 0; i < f->all.n && *path; i++) {
		const char *at = *path == '/' ? path : arena_printf(to, "%s/%s", f->all.v[i], path);
		if (realpath(at, found)) {
			*real = arena_copy(to, found);
			return inside(f, found) ? FOLDERS_INSIDE : FOLDERS_OUTSIDE;
		}
		if (errno != ENOENT && errno != ENOTDIR)        /* a link to itself, say, or a folder closed to us */
			return FOLDERS_OUTSIDE;
	}
	return FOLDERS_ABSENT;
}

const char *folders_short(const folders *f, const char *real, arena *to)
{
	size_t n = strlen(f->all.v[0]);

	n -= f->all.v[0][n - 1] == '/';
	if (!is_in(real, f->all.v[0], n) || !real[n] || !real[n + 1])
		return real;
	return arena_printf(to, "%s%s", real[n + 1] == '-' ? "./" : "", real + n + 1);
}

const char *folders_output(const folders *f, const char *path, arena *to)
{
	const char *whole = *path == '/' ? path : arena_printf(to, "%s/%s", f->all.v[0], path), *real;
	char *parent = arena_copy(to, whole), *name;
	enum folders_place at;
	struct stat st;

	while (strlen(parent) > 1 && text_ends(parent, "/"))
		parent[strlen(parent) - 1] = 0;
	name = strrchr(parent, '/');
	*name++ = 0;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    folders_find(f, *parent ? parent : "/", to, &real) != FOLDERS_INSIDE)
		return NULL;
	whole = arena_printf(to, "%s/%s", real, name);
	at = folders_find(f, whole, to, &real);
	return at == FOLDERS_OUTSIDE || (at == FOLDERS_ABSENT && lstat(whole, &st) == 0) ? NULL : whole;
}

void folders_free(folders *f)
{
	vec_free(&f->all);
	arena_free(&f->texts);
}

void folders_hand_on(const folders *f)
{
	arena texts = { 0 };
	const char *list = "";

	for (size_t i = 0; i < f->all.n; i++)
		list = arena_printf(&texts, "%s%s%s", list, i ? ":" : "", f->all.v[i]);
	if (setenv(variable, list, 1) != 0)
		die(EXIT_FAILED, "cannot set %s:", variable);
	arena_free(&texts);
}

bool folders_limited(void)
{
	return getenv(variable) != NULL;
}

bool folders_allow(const char *path)
{
	const char *list = getenv(variable);
	char real[PATH_MAX];

	if (list && !realpath(path, real))
		return false;
	for (size_t n; list && *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		if (n && is_in(real, list, n))
			return true;
	}
	return !list;
}
