#include "base/folders.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *const environment_name = "NSQ_FOLDERS";

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

/* Is `real` the folder or below it?  Both are paths as realpath returns them. n: the length of the folder's path. */
static bool folders_is_below(const char *real, const char *folder, size_t n)
{
	n -= n > 0 && folder[n - 1] == '/';             /* only the path of the root ends in a slash */
	return strncmp(real, folder, n) == 0 && (real[n] == '/' || !real[n]);
}

static bool folders_is_inside(const folders *f, const char *real)
{
	for (size_t i = 0; i < f->all.n; i++)
		if (folders_is_below(real, f->all.v[i], strlen(f->all.v[i])))
			return true;
	return false;
}

enum folders_place folders_find(const folders *f, const char *path, arena *to, const char **real)
{
	enum folders_place place = FOLDERS_ABSENT;
	char found[PATH_MAX];
	struct stat st;

	*real = NULL;
	for (size_t i = 0; i < f->all.n && *path; i++) {
		const char *at = *path == '/' ? path : arena_printf(to, "%s/%s", f->all.v[i], path);
		if (realpath(at, found) && folders_is_inside(f, found)) {
			*real = arena_copy(to, found);
			return FOLDERS_INSIDE;
		}
		if (lstat(at, &st) == 0 || (errno != ENOENT && errno != ENOTDIR))
			place = FOLDERS_OUTSIDE;        /* also for a link to nothing */
	}
	return place;
}

const char *folders_shorten_path(const folders *f, const char *real, arena *to)
{
	size_t n = strlen(f->all.v[0]);

	n -= f->all.v[0][n - 1] == '/';
	if (!folders_is_below(real, f->all.v[0], n) || !real[n] || !real[n + 1])
		return real;
	return arena_printf(to, "%s%s", real[n + 1] == '-' ? "./" : "", real + n + 1);
}

const char *folders_find_output(const folders *f, const char *path, arena *to)
{
	const char *whole = *path == '/' ? path : arena_printf(to, "%s/%s", f->all.v[0], path), *real;
	char *parent = arena_copy(to, whole), *name;
	enum folders_place place;
	struct stat st;

	while (strlen(parent) > 1 && text_ends(parent, "/"))
		parent[strlen(parent) - 1] = 0;
	name = strrchr(parent, '/');
	*name++ = 0;
	if (!*name || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	    folders_find(f, *parent ? parent : "/", to, &real) != FOLDERS_INSIDE)
		return NULL;
	whole = arena_printf(to, "%s/%s", real, name);
	place = folders_find(f, whole, to, &real);
	return place == FOLDERS_OUTSIDE || (place == FOLDERS_ABSENT && lstat(whole, &st) == 0) ? NULL : whole;
}

void folders_free(folders *f)
{
	vec_free(&f->all);
	arena_free(&f->texts);
}

/* ---- listing the traces */

/* A user may name a whole home folder, so the search has limits.  MOST: how many files and folders are looked at; a
 * folder counts twice.  LEVELS: how many levels of folders are searched. */
enum { MOST = 200000, LEVELS = 12 };

static int folders_compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool folders_is_trace(const FTSENT *e)
{
	return e->fts_info == FTS_F && (text_ends(e->fts_name, ".sqlite") || text_ends(e->fts_name, ".nsys-rep") ||
					text_ends(e->fts_name, ".qdrep") ||
					text_ends(e->fts_name, ".trace.json") ||
					text_ends(e->fts_name, ".trace.json.gz"));
}

static void folders_print_entry(const FTSENT *e, const folders *f, FILE *to)
{
	arena texts = { 0 };
	char when[32], *path = printable_copy(folders_shorten_path(f, e->fts_path, &texts));
	struct tm tm;

	strftime(when, sizeof when, "%Y-%m-%d %H:%M", gmtime_r(&e->fts_statp->st_mtime, &tm));
	fprintf(to, "%s\t%lld\t%s\n", path, (long long)e->fts_statp->st_size, when);
	free(path);
	arena_free(&texts);
}

/* Print a line for each trace, and a line for each limit that left something out. */
static void folders_walk_tree(FTS *tree, const folders *f, FILE *to)
{
	size_t left = MOST, deep = 0;

	for (FTSENT *e; (e = fts_read(tree)) && left; left--) {
		bool hidden = e->fts_level && *e->fts_name == '.', too_deep = e->fts_level > LEVELS;
		if (folders_is_trace(e))
			folders_print_entry(e, f, to);
		else if (e->fts_info == FTS_D && (hidden || too_deep))
			fts_set(tree, e, FTS_SKIP);
		deep += e->fts_info == FTS_D && too_deep && !hidden;
	}
	if (deep)
		fprintf(to, "... folders more than %d levels deep were not searched: %zu\n", LEVELS, deep);
	if (!left)
		fprintf(to, "... the folders hold more than %d files; the rest was not searched\n", MOST);
}

const char *folders_list_traces(const folders *f, arena *to)
{
	text_list all = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = text_open(&text, &size);
	FTS *tree;

	for (size_t i = 0; i < f->all.n; i++)
		vec_push(&all, f->all.v[i]);
	vec_push(&all, NULL);
	tree = fts_open((char *const *)all.v, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, folders_compare_names);
	if (!tree)
		mem_exhausted(1, 1);
	fputs("trace\tbytes\tmodified\n", out);
	folders_walk_tree(tree, f, out);
	fts_close(tree);
	vec_free(&all);
	return text_close_into(out, &text, to);
}

/* ---- opening files */

void folders_hand_on(const folders *f)
{
	arena texts = { 0 };
	const char *list = "";

	for (size_t i = 0; i < f->all.n; i++)
		list = arena_printf(&texts, "%s%s%s", list, i ? ":" : "", f->all.v[i]);
	if (setenv(environment_name, list, 1) != 0)
		mem_exhausted(1, strlen(list));
	arena_free(&texts);
}

bool folders_limited(void)
{
	return getenv(environment_name) != NULL;
}

/* Read the path of an open descriptor, as realpath would return it; "" if it is unknown. */
static void folders_read_descriptor_path(int fd, char real[PATH_MAX])
{
	arena texts = { 0 };
	ssize_t n = readlink(arena_printf(&texts, "/proc/self/fd/%d", fd), real, PATH_MAX - 1);

	real[n > 0 ? n : 0] = 0;
	arena_free(&texts);
}

/* Is the path in one of the folders of NSQ_FOLDERS? */
static bool folders_is_listed(const char *real)
{
	const char *list = getenv(environment_name);

	for (size_t n; list && *list; list += n + (list[n] == ':')) {
		n = strcspn(list, ":");
		if (n && folders_is_below(real, list, n))
			return true;
	}
	return false;
}

/* Does the path name a descriptor that was passed to this program, of a pipe or of a file in memory?  real: where the
 * descriptor leads (folders_read_descriptor_path). */
static bool folders_is_passed_descriptor(const char *path, const char *real)
{
	size_t n = strncmp(path, "/dev/fd/", 8) == 0 ? 8 : strncmp(path, "/proc/self/fd/", 14) == 0 ? 14 : 0;

	return n && strspn(path + n, "0123456789") == strlen(path + n) &&
		(strncmp(real, "pipe:", 5) == 0 || strncmp(real, "/memfd:", 7) == 0);
}

/* The errno to report for a path that could not be opened: ENOENT for a missing file whose folder may be read,
 * otherwise EACCES.  So nothing is revealed about files outside the folders.  reason: the errno of the failed call. */
static int folders_reason_to_refuse(const char *path, int reason)
{
	arena texts = { 0 };
	char real[PATH_MAX];
	struct stat st;
	int fd = reason == ENOENT && lstat(path, &st) < 0 ?
		open(text_folder(&texts, path), O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

	arena_free(&texts);
	if (fd < 0)
		return EACCES;
	folders_read_descriptor_path(fd, real);
	close(fd);
	return folders_is_listed(real) ? reason : EACCES;
}

/* Open the file with O_PATH: the descriptor stays with this file, and nothing is read yet.  -1, with errno set, if the
 * file may not be read or does not exist. */
static int folders_open_path(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);
	char real[PATH_MAX];

	if (fd < 0 && folders_limited())
		errno = folders_reason_to_refuse(path, errno);
	if (fd < 0 || !folders_limited())
		return fd;
	folders_read_descriptor_path(fd, real);
	if (folders_is_listed(real) || folders_is_passed_descriptor(path, real))
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

static int folders_open_to_read(const char *path, int flags)
{
	arena texts = { 0 };
	int path_fd, fd = -1, reason;

	flags |= O_RDONLY | O_CLOEXEC;
	if (!folders_limited())
		return open(path, flags);
	path_fd = folders_open_path(path);
	if (path_fd >= 0)
		fd = open(arena_printf(&texts, "/proc/self/fd/%d", path_fd), flags);
	reason = errno;
	if (path_fd >= 0)
		close(path_fd);
	arena_free(&texts);
	errno = reason;
	return fd;
}

int folders_open(const char *path)
{
	return folders_open_to_read(path, O_NONBLOCK);
}

FILE *folders_file(const char *path)
{
	int fd = folders_open_to_read(path, 0);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (!f && fd >= 0)
		close(fd);
	return f;
}

char *folders_text(const char *path, size_t *n)
{
	return text_read_and_close(folders_file(path), n);
}

int folders_stat(const char *path, struct stat *st)
{
	struct stat unseen;
	int fd, got;

	st = st ? st : &unseen;
	if (!folders_limited())
		return stat(path, st);
	fd = folders_open_path(path);
	got = fd < 0 ? -1 : fstat(fd, st);
	if (fd >= 0)
		close(fd);
	return got;
}
