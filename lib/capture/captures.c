#include "capture/captures.h"
#include "base/arena.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool captures_has(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

typedef void visit(void *ctx, const char *path, const struct stat *st);

/* Each entry of a folder; false if it cannot be read. */
static bool each(const char *folder, visit *entry, void *ctx)
{
	DIR *d = opendir(folder);
	arena texts = { 0 };
	struct stat st;

	for (struct dirent *e; d && (e = readdir(d));) {
		const char *path = arena_printf(&texts, "%s/%s", folder, e->d_name);
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 && lstat(path, &st) == 0)
			entry(ctx, path, &st);
	}
	if (d)
		closedir(d);
	arena_free(&texts);
	return d;
}

static void count(void *ctx, const char *path, const struct stat *st)
{
	(void)path, (void)st;
	++*(size_t *)ctx;
}

/* When the manifest of ours that lies in a folder was written; false if there is none. */
static bool has_manifest(const char *folder, struct timespec *when)
{
	arena texts = { 0 };
	FILE *f = fopen(arena_printf(&texts, "%s/manifest.json", folder), "re");
	char begin[8] = "";
	struct stat st;
	bool ours = f && fread(begin, 1, sizeof begin - 1, f) && strcmp(begin, "{\"nsq\":") == 0 &&
		fstat(fileno(f), &st) == 0;

	if (ours)
		*when = st.st_mtim;
	if (f)
		fclose(f);
	arena_free(&texts);
	return ours;
}

bool captures_may_write(const char *folder, bool replace, notes *say)
{
	size_t entries = 0;
	struct timespec when;
	arena texts = { 0 };
	bool strange;

	if (!captures_has(folder))
		return true;
	if (!each(folder, count, &entries))
		return notes_problem(say, EXIT_WRONG, "'%s' is not a folder; name another", folder);
	if (entries && !replace)
		return notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces the capture in it", folder);
	strange = captures_has(arena_printf(&texts, "%s/manifest.json", folder)) && !has_manifest(folder, &when);
	arena_free(&texts);
	return !strange || notes_problem(say, EXIT_WRONG, "'%s/manifest.json' was not written by nsq-capture, so the "
					 "folder is left alone; name another", folder);
}

/* ctx: may it have any name? */
static void drop_file(void *ctx, const char *path, const struct stat *st)
{
	const char *name = strrchr(path, '/') + 1;

	if (S_ISREG(st->st_mode) && (*(bool *)ctx || strncmp(name, "run.", 4) == 0 || strncmp(name, "whole.", 6) == 0))
		unlink(path);
}

/* The files of a capture: where its manifest is, all in the folders of the profilers; else, as it was killed, those
 * that nsys was told to write. */
static void drop(const char *folder)
{
	struct timespec when;
	arena texts = { 0 };
	bool whole = has_manifest(folder, &when);
	const char *inner[] = { arena_printf(&texts, "%s/nsys", folder), arena_printf(&texts, "%s/ncu", folder) };

	for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
		if (each(inner[i], drop_file, &whole))
			rmdir(inner[i]);
	if (whole)
		unlink(arena_printf(&texts, "%s/manifest.json", folder));
	arena_free(&texts);
}

static bool make(const char *path, notes *say)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ||
		notes_problem(say, EXIT_FAILED, "cannot create '%s':", path);
}

bool captures_make(const char *folder, notes *say)
{
	arena texts = { 0 };
	bool ok = true;

	for (const char *p = strchr(folder + 1, '/'); ok && p; p = strchr(p + 1, '/'))
		ok = make(arena_text(&texts, folder, (size_t)(p - folder)), say);
	if (ok)
		drop(folder);
	ok = ok && make(folder, say) && make(arena_printf(&texts, "%s/nsys", folder), say);
	arena_free(&texts);
	return ok;
}

static void add_bytes(void *ctx, const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		each(path, add_bytes, ctx);
	else
		*(int64_t *)ctx += st->st_size;
}

int64_t captures_bytes(const char *folder)
{
	int64_t bytes = 0;

	each(folder, add_bytes, &bytes);
	return bytes;
}

/* ---- keeping the last */

typedef struct { const char *path; struct timespec when; } one;

typedef struct {
	const char *below;
	vec(one) v;
	arena texts;
} listing;

static void list(void *ctx, const char *path, const struct stat *st)
{
	listing *l = ctx;
	one found = { .path = arena_printf(&l->texts, "%s%s", path, l->below) };

	if (S_ISDIR(st->st_mode) && has_manifest(found.path, &found.when))
		vec_push(&l->v, found);
}

static int by_age(const void *a, const void *b)
{
	const struct timespec *x = &((const one *)a)->when, *y = &((const one *)b)->when;

	return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec ? -1 : 1) : (x->tv_nsec > y->tv_nsec) -
		(x->tv_nsec < y->tv_nsec);
}

void captures_keep_last(const char *folder, const char *below, int64_t n, notes *say)
{
	listing l = { .below = below };

	each(folder, list, &l);
	if (l.v.n)
		qsort(l.v.v, l.v.n, sizeof *l.v.v, by_age);
	for (size_t i = 0; i + (size_t)n < l.v.n; i++) {
		drop(l.v.v[i].path);
		if (rmdir(l.v.v[i].path) == 0)
			notes_remark(say, "removed '%s': --keep-last %lld", l.v.v[i].path, (long long)n);
		if (*below)
			rmdir(arena_text(&l.texts, l.v.v[i].path, strlen(l.v.v[i].path) - strlen(below)));
	}
	vec_free(&l.v);
	arena_free(&l.texts);
}
