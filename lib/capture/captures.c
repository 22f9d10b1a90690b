#include "capture/capturing.h"
#include "base/gzip.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool captures_path_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

typedef void entry_function(void *ctx, const char *path, const struct stat *st);

/* Call `entry` for each entry of a folder.  False: the folder cannot be read. */
static bool captures_visit_entries(const char *folder, entry_function *entry, void *ctx)
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

static void captures_count_entry(void *ctx, const char *path UNNEEDED, const struct stat *st UNNEEDED)
{
	++*(size_t *)ctx;
}

/* Does the folder hold a manifest that nsq-capture wrote?  *when: if so, when the manifest was last changed. */
static bool captures_has_manifest(const char *folder, struct timespec *when)
{
	arena texts = { 0 };
	int fd = open(arena_printf(&texts, "%s/manifest.json", folder), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char begin[8] = "";
	struct stat st;
	bool ours = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read(fd, begin, sizeof begin - 1) > 0 &&
		strcmp(begin, "{\"nsq\":") == 0;

	if (ours)
		*when = st.st_mtim;
	if (fd >= 0)
		close(fd);
	arena_free(&texts);
	return ours;
}

/* The folders in a capture, and the names of the files in them.  With --steps, "whole" is the trace that was captured,
 * and "run" is its slice.  Only these files and manifest.json are ever removed. */
static const struct { const char *folder, *files[10]; } subfolders[] = {
	{ "nsys", { "run.nsys-rep", "run.qdrep", "run.qdstrm", "run.sqlite",
		"whole.nsys-rep", "whole.qdrep", "whole.qdstrm", "whole.sqlite",
		"run.sqlite.gz", "whole.sqlite.gz" } }, /* written by captures_compress_traces */
	{ "ncu", { "run.ncu-rep", "run.log", "raw.csv" } },
};

enum { NSYS, NCU, SUBFOLDERS, FILES = sizeof subfolders->files / sizeof *subfolders->files };

/* May files be written into the folder `path`, which is nsys/ or ncu/ of a capture?  True if it does not exist.
 * False after a problem: it is a file, or it is a link, which may lead to files outside the capture. */
static bool captures_may_write_subfolder(const char *path, notes *say)
{
	struct stat st;

	return lstat(path, &st) != 0 || S_ISDIR(st.st_mode) ||
		notes_problem(say, EXIT_WRONG, "'%s' is a link or a file, so it is left alone; name another folder",
			      path);
}

bool captures_may_write(const char *folder, bool replace, notes *say)
{
	size_t entries = 0;
	struct timespec when;
	arena texts = { 0 };
	bool ok = true;

	if (!captures_path_exists(folder))
		return true;
	if (!captures_visit_entries(folder, captures_count_entry, &entries))
		return notes_problem(say, EXIT_WRONG, "'%s' is not a folder; name another", folder);
	if (entries && !captures_has_manifest(folder, &when))
		return notes_problem(say, EXIT_WRONG, "'%s' exists, without a manifest.json that nsq-capture wrote, so "
				     "it is left alone; name another", folder);
	if (entries && !replace)
		return notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces the capture in it", folder);
	for (size_t i = 0; ok && i < SUBFOLDERS; i++)
		ok = captures_may_write_subfolder(arena_printf(&texts, "%s/%s", folder, subfolders[i].folder), say);
	arena_free(&texts);
	return ok;
}

/* Count the entry unless it has the name of a file that ncu writes. */
static void captures_count_unknown(void *ctx, const char *path, const struct stat *st UNNEEDED)
{
	const char *name = text_base(path);
	bool own = false;

	for (size_t i = 0; i < FILES && subfolders[NCU].files[i]; i++)
		own = own || strcmp(name, subfolders[NCU].files[i]) == 0;
	*(size_t *)ctx += !own;
}

bool captures_may_measure(const char *folder, bool replace, notes *say)
{
	size_t entries = 0, others = 0;
	struct timespec when;
	arena texts = { 0 };
	const char *path = arena_printf(&texts, "%s/%s", folder, subfolders[NCU].folder);
	bool ok = captures_may_write_subfolder(path, say);

	captures_visit_entries(path, captures_count_entry, &entries);
	captures_visit_entries(path, captures_count_unknown, &others);
	if (ok && entries && !replace)
		ok = notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces what ncu measured", path);
	else if (ok && others && !captures_has_manifest(folder, &when))
		ok = notes_problem(say, EXIT_WRONG, "'%s' holds more than nsq-capture writes, so it is left alone; "
				   "name another folder", path);
	arena_free(&texts);
	return ok;
}

/* Remove the files of a capture, and its folders nsys/ and ncu/ if they are then empty.  False: its manifest could not
 * be removed. */
static bool captures_remove_files(const char *folder)
{
	int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool gone;

	for (size_t i = 0; i < SUBFOLDERS; i++) {
		int sub_fd = openat(folder_fd, subfolders[i].folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		for (size_t k = 0; sub_fd >= 0 && k < FILES && subfolders[i].files[k]; k++)
			unlinkat(sub_fd, subfolders[i].files[k], 0);
		if (sub_fd >= 0) {
			close(sub_fd);
			unlinkat(folder_fd, subfolders[i].folder, AT_REMOVEDIR);
		}
	}
	gone = unlinkat(folder_fd, "manifest.json", 0) == 0;
	if (folder_fd >= 0)
		close(folder_fd);
	return gone;
}

static bool captures_make_folder(const char *path, notes *say)
{
	return mkdir(path, 0777) == 0 || errno == EEXIST ||
		notes_problem(say, EXIT_FAILED, "cannot create '%s':", path);
}

bool captures_make_folders(const char *folder, notes *say)
{
	arena texts = { 0 };
	bool ok = true;

	for (const char *p = strchr(folder + 1, '/'); ok && p; p = strchr(p + 1, '/'))
		ok = captures_make_folder(arena_text(&texts, folder, (size_t)(p - folder)), say);
	arena_free(&texts);
	return ok && captures_make_folder(folder, say);
}

bool captures_prepare_folder(const char *folder, bool replace, notes *say)
{
	struct timespec when;
	arena texts = { 0 };
	bool ok = captures_may_write(folder, replace, say);

	if (ok && replace && captures_has_manifest(folder, &when))
		captures_remove_files(folder);
	ok = ok && captures_make_folders(folder, say) &&
		captures_make_folder(arena_printf(&texts, "%s/%s", folder, subfolders[NSYS].folder), say);
	arena_free(&texts);
	return ok;
}

static void captures_add_bytes(void *ctx, const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		captures_visit_entries(path, captures_add_bytes, ctx);
	else
		*(int64_t *)ctx += st->st_size;
}

int64_t captures_sum_bytes(const char *folder)
{
	int64_t bytes = 0;

	captures_visit_entries(folder, captures_add_bytes, &bytes);
	return bytes;
}

/* ---- removing or compressing all but the last captures */

typedef struct { const char *path; struct timespec when; } dated_capture;       /* when: last change of its manifest */

typedef struct {
	const char *below;      /* as in captures_keep_last */
	vec(dated_capture) v;
	arena texts;
} capture_list;

static void captures_list_entry(void *ctx, const char *path, const struct stat *st)
{
	capture_list *l = ctx;
	dated_capture found = { .path = arena_printf(&l->texts, "%s%s", path, l->below) };
	struct stat own;

	if (S_ISDIR(st->st_mode) && lstat(found.path, &own) == 0 && S_ISDIR(own.st_mode) &&
	    captures_has_manifest(found.path, &found.when))
		vec_push(&l->v, found);
}

static int captures_compare_times(const void *a, const void *b)
{
	const struct timespec *x = &((const dated_capture *)a)->when, *y = &((const dated_capture *)b)->when;

	return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec ? -1 : 1) : (x->tv_nsec > y->tv_nsec) -
		(x->tv_nsec < y->tv_nsec);
}

static capture_list captures_list_oldest_first(const char *folder, const char *below)
{
	capture_list l = { .below = below };

	captures_visit_entries(folder, captures_list_entry, &l);
	if (l.v.n)
		qsort(l.v.v, l.v.n, sizeof *l.v.v, captures_compare_times);
	return l;
}

void captures_keep_last(const char *folder, const char *below, int64_t n, notes *say)
{
	capture_list l = captures_list_oldest_first(folder, below);

	for (size_t i = 0; i + (size_t)n < l.v.n; i++) {
		bool gone = captures_remove_files(l.v.v[i].path), all_gone = gone && rmdir(l.v.v[i].path) == 0;
		notes_remark(say, "%s '%s'%s: --keep-last %lld", gone ? "removed" : "could not remove", l.v.v[i].path,
			     all_gone || !gone ? "" : " except what is not of the capture", (long long)n);
		if (*below)
			rmdir(arena_text(&l.texts, l.v.v[i].path, strlen(l.v.v[i].path) - strlen(below)));
	}
	vec_free(&l.v);
	arena_free(&l.texts);
}

/* Compress the file `name` into a new file, `packed`, in the same folder, and remove `name`.  False: this failed, and
 * `name` stays. */
static bool captures_compress_file(int folder_fd, const char *name, const char *packed)
{
	int from = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), fd = -1;
	struct stat st;
	ssize_t n = -1;
	FILE *to, *z;
	char bytes[1 << 16];
	bool ok;

	if (from >= 0 && fstat(from, &st) == 0 && S_ISREG(st.st_mode))
		fd = openat(folder_fd, packed, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    st.st_mode & 0777);
	to = fd < 0 ? NULL : fdopen(fd, "wb");
	if (to) {
		z = gzip_begin(to);
		while ((n = read(from, bytes, sizeof bytes)) > 0)
			fwrite(bytes, 1, (size_t)n, z);
		fclose(z);
	}
	ok = to && n == 0 && !ferror(to);
	ok = to && fclose(to) == 0 && ok;
	if (fd >= 0 && !to)
		close(fd);
	if (from >= 0)
		close(from);
	if (fd >= 0)
		unlinkat(folder_fd, ok ? name : packed, 0);
	return ok;
}

/* Compress the traces in the folder nsys/ of a capture.  n: the value of --keep, for the notes. */
static void captures_compress_traces(const char *folder, int64_t n, notes *say)
{
	static const char *const names[] = { "run.sqlite", "whole.sqlite" };
	arena texts = { 0 };
	int folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	for (size_t i = 0; folder_fd >= 0 && i < sizeof names / sizeof *names; i++) {
		bool done;
		if (faccessat(folder_fd, names[i], F_OK, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		done = captures_compress_file(folder_fd, names[i], arena_printf(&texts, "%s.gz", names[i]));
		notes_remark(say, "%s '%s/%s': --keep %lld", done ? "compressed" : "could not compress", folder,
			     names[i], (long long)n);
	}
	if (folder_fd >= 0)
		close(folder_fd);
	arena_free(&texts);
}

void captures_compress_all_but(const char *folder, const char *below, int64_t n, notes *say)
{
	capture_list l = captures_list_oldest_first(folder, below);

	for (size_t i = 0; i + (size_t)n < l.v.n; i++)
		captures_compress_traces(arena_printf(&l.texts, "%s/%s", l.v.v[i].path, subfolders[NSYS].folder), n,
					 say);
	vec_free(&l.v);
	arena_free(&l.texts);
}
