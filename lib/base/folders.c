#include "base/folders.h"
#include "base/printable.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

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

/* ---- the traces in them */

enum { MOST = 200000, LEVELS = 12 };    /* files looked at, and folders in each other: somebody may name a home */

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool is_trace(const FTSENT *e)
{
	return e->fts_info == FTS_F && (text_ends(e->fts_name, ".sqlite") || text_ends(e->fts_name, ".nsys-rep") ||
					text_ends(e->fts_name, ".qdrep"));
}

static void print(const FTSENT *e, const folders *f, FILE *to)
{
	arena texts = { 0 };
	char when[32], *path = printable_copy(folders_short(f, e->fts_path, &texts));
	struct tm tm;

	strftime(when, sizeof when, "%Y-%m-%d %H:%M", gmtime_r(&e->fts_statp->st_mtime, &tm));
	fprintf(to, "%s\t%lld\t%s\n", path, (long long)e->fts_statp->st_size, when);
	free(path);
	arena_free(&texts);
}

/* Print the traces; false: there is more to look at than is looked at. */
static bool walk(FTS *tree, const folders *f, FILE *to)
{
	size_t left = MOST;

	for (FTSENT *e; (e = fts_read(tree)) && left; left--)
		if (is_trace(e))
			print(e, f, to);
		else if (e->fts_info == FTS_D && (e->fts_level > LEVELS || (e->fts_level && *e->fts_name == '.')))
			fts_set(tree, e, FTS_SKIP);
	return left;
}

const char *folders_traces(const folders *f, arena *to)
{
	text_list all = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = text_open(&text, &size);
	FTS *tree;

	for (size_t i = 0; i < f->all.n; i++)
		vec_push(&all, f->all.v[i]);
	vec_push(&all, NULL);
	tree = fts_open((char *const *)all.v, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	if (!tree)
		mem_exhausted(1, 1);
	fputs("trace\tbytes\tmodified\n", out);
	if (!walk(tree, f, out))
		fprintf(out, "... the folders hold more than %d files; the rest was not looked at\n", MOST);
	fts_close(tree);
	vec_free(&all);
	return text_end(out, &text, to);
}

/* ---- for the programs that are started */

void folders_hand_on(const folders *f)
{
	arena texts = { 0 };
	const char *list = "";

	for (size_t i = 0; i < f->all.n; i++)
		list = arena_printf(&texts, "%s%s%s", list, i ? ":" : "", f->all.v[i]);
	if (setenv(variable, list, 1) != 0)
		mem_exhausted(1, strlen(list));
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
