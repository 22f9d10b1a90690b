#include "map/results.h"
#include "base/sha256.h"
#include "base/user_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

/* A name for a text: the first digits of its digest, so that every file system allows it. */
static const char *results_make_name(arena *to, const char *text)
{
	enum { SHOWN = 20 };
	char digest[SHA256_TEXT];

	return arena_text(to, sha256(text, strlen(text), digest), SHOWN);
}

/* The folder in the user's cache for this pipeline and the working folder; NULL: there is no cache, or no working
 * folder. */
static const char *results_folder_in_cache(results *all)
{
	const char *cache = user_folder(&all->texts, "XDG_CACHE_HOME", ".cache");
	char *here = getcwd(NULL, 0);
	const char *folder = cache && here ? arena_printf(&all->texts, "%s/map/%s", cache,
		results_make_name(&all->texts, arena_printf(&all->texts, "%s\n%s", here, all->pipeline))) : NULL;

	free(here);
	return folder;
}

/* Lock the folder in the cache, since two runs of one pipeline from one working folder would remove each other's
 * results.  False after a problem: another run has locked it.  If the file system knows no locks, the folder stays
 * unlocked. */
static bool results_lock_folder(results *all, notes *say)
{
	all->lock = open(all->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (all->lock >= 0 && flock(all->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return notes_problem(say, EXIT_FAILED, "this pipeline is being run from this folder already; wait, or "
				     "give this run a folder of its own with --keep DIR");
	return true;
}

static void results_empty_folder(DIR *d)
{
	for (struct dirent *e; d && (e = readdir(d));)
		unlinkat(dirfd(d), e->d_name, 0);
}

/* Remove a folder of the cache if it has not changed for DAYS days and no run has locked it. */
static void results_remove_if_old(DIR *cache, const char *name)
{
	enum { DAYS = 30 };
	int fd = openat(dirfd(cache), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct stat st;

	if (d && fstat(fd, &st) == 0 && time(NULL) - st.st_mtime > DAYS * 24 * 3600 &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0) {
		results_empty_folder(d);
		unlinkat(dirfd(cache), name, AT_REMOVEDIR);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

/* Remove old folders of other runs from the cache.  Their names are recognized: they are as many hexadecimal digits as
 * the name of this run's folder. */
static void results_remove_old(results *all)
{
	const char *own = strrchr(all->folder, '/') + 1;
	DIR *cache = opendir(arena_text(&all->texts, all->folder, (size_t)(own - all->folder)));

	for (struct dirent *e; cache && (e = readdir(cache));)
		if (strlen(e->d_name) == strlen(own) && strspn(e->d_name, "0123456789abcdef") == strlen(own) &&
		    strcmp(e->d_name, own) != 0)
			results_remove_if_old(cache, e->d_name);
	if (cache)
		closedir(cache);
}

bool results_open(results *all, const char *folder, notes *say)
{
	char *whole;

	all->lock = -1;
	all->cached = !folder;
	if (getrandom(&all->run, sizeof all->run, 0) != sizeof all->run)
		all->run = (uint64_t)getpid();
	folder = folder ? folder : results_folder_in_cache(all);
	if (!folder)
		return notes_problem(say, EXIT_FAILED, "there is no cache to keep results in; name a folder with "
				     "--keep DIR");
	user_folder_make_parents(&all->texts, folder);
	if (mkdir(folder, 0777) != 0 && errno != EEXIST)
		return notes_problem(say, EXIT_FAILED, "cannot make the folder '%s' (--keep DIR names another):",
				     folder);
	whole = realpath(folder, NULL);
	all->folder = arena_copy(&all->texts, whole);
	free(whole);
	if (!all->folder ||
	    faccessat(AT_FDCWD, arena_printf(&all->texts, "%s/.", folder), W_OK | X_OK, AT_EACCESS) != 0)
		return notes_problem(say, EXIT_FAILED, "cannot write to '%s' (--keep DIR names another folder):",
				     folder);
	if (all->cached && !results_lock_folder(all, say))
		return false;
	if (all->cached)
		results_remove_old(all);
	return true;
}

bool results_add(results *all, const char *trace)
{
	arena *a = &all->texts;
	const char *name = results_make_name(a, trace);

	if (str_id(&all->names, name, strlen(name)) < all->n)
		return false;
	name = arena_printf(a, "%s/%s", all->folder, name);
	vec_push(all, (result){ .trace = trace, .table = arena_printf(a, "%s.table", name),
		.messages = arena_printf(a, "%s.messages", name), .record = arena_printf(a, "%s.done", name) });
	return true;
}

/* The middle of the text in NAME.done: version, pipeline and trace.  The exit code and the size of the table come
 * before it, the state of the trace comes after it. */
static const char *results_middle_of_record(arena *to, const results *all, const result *r)
{
	return arena_printf(to, "nsq " NSQ_VERSION "\n%s\n%s\n", all->pipeline, r->trace);
}

/* Size and modification time of a trace, as a text; zeros if it cannot be read. */
static const char *results_read_state(arena *to, const char *trace)
{
	struct stat st = { 0 };

	stat(trace, &st);
	return arena_printf(to, "%lld %lld.%09ld\n", (long long)st.st_size, (long long)st.st_mtim.tv_sec,
			    st.st_mtim.tv_nsec);
}

void results_read_record(const results *all, result *r, bool only_reusable)
{
	char *text = text_file(r->record, &(size_t){ 0 }), *rest;
	arena texts = { 0 };
	const char *middle = results_middle_of_record(&texts, all, r);
	struct stat st;
	long long bytes;

	if (text && sscanf(text, "%d %lld", &r->code, &bytes) == 2 && (rest = strchr(text, '\n')) &&
	    strncmp(rest + 1, middle, strlen(middle)) == 0 && stat(r->table, &st) == 0 && st.st_size == bytes)
		r->done = !only_reusable ||
			(!r->code && strcmp(rest + 1 + strlen(middle), results_read_state(&texts, r->trace)) == 0);
	free(text);
	arena_free(&texts);
}

/* Reads the folder once, because on a network file system it takes a request per file to look for files by name. */
bool results_scan(results *all, size_t *done)
{
	DIR *d = opendir(all->folder);
	size_t before = *done;

	for (struct dirent *e; d && (e = readdir(d));) {
		const char *dot = strrchr(e->d_name, '.');
		uint32_t i = dot && strcmp(dot, ".done") == 0 ?
			str_id(&all->names, e->d_name, (size_t)(dot - e->d_name)) : STR_NONE;
		if (i < all->n && !all->v[i].done) {
			results_read_record(all, &all->v[i], false);
			*done += all->v[i].done;
		}
	}
	if (d)
		closedir(d);
	return *done > before;
}

FILE *results_create_file(const char *path)
{
	unlink(path);
	return fopen(path, "wx");
}

/* The path of a file of a result while the file is incomplete. */
static const char *results_partial_path(arena *to, const results *all, const char *file)
{
	return arena_printf(to, "%s.%016llx", file, (unsigned long long)all->run);
}

static int results_open_partial(results *all, const char *file, notes *say)
{
	const char *path = results_partial_path(&all->texts, all, file);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);

	if (fd < 0)
		notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);
	return fd;
}

bool results_begin(results *all, result *r, child_io *io, notes *say)
{
	r->state = results_read_state(&all->texts, r->trace);
	io->out = results_open_partial(all, r->table, say);
	io->err = io->out < 0 ? -1 : results_open_partial(all, r->messages, say);
	if (io->out >= 0 && io->err < 0)
		close(io->out);
	return io->err >= 0;
}

bool results_finish(const results *all, result *r, int code, notes *say)
{
	arena texts = { 0 };
	const char *table = results_partial_path(&texts, all, r->table),
		   *messages = results_partial_path(&texts, all, r->messages),
		   *record = results_partial_path(&texts, all, r->record);
	struct stat st = { 0 };
	FILE *f = stat(table, &st) == 0 ? results_create_file(record) : NULL;
	bool ok = f &&
		fprintf(f, "%d %lld\n%s%s", code, (long long)st.st_size, results_middle_of_record(&texts, all, r),
			r->state) > 0;

	ok = f && fclose(f) == 0 && ok && rename(table, r->table) == 0 && rename(messages, r->messages) == 0 &&
		rename(record, r->record) == 0;
	r->done = ok;
	r->code = code;
	if (!ok) {
		notes_problem(say, EXIT_FAILED, "cannot keep the result of '%s' in '%s':", r->trace, all->folder);
		results_remove_partial(all, r);
	}
	arena_free(&texts);
	return ok;
}

void results_remove_partial(const results *all, const result *r)
{
	arena texts = { 0 };

	unlink(results_partial_path(&texts, all, r->table));
	unlink(results_partial_path(&texts, all, r->messages));
	unlink(results_partial_path(&texts, all, r->record));
	arena_free(&texts);
}

void results_remove_one(const result *r)
{
	unlink(r->record);
	unlink(r->messages);
	unlink(r->table);
}

void results_remove_cached(const results *all)
{
	DIR *d = all->cached ? opendir(all->folder) : NULL;

	results_empty_folder(d);
	if (d)
		closedir(d);
}

void results_free(results *all)
{
	if (all->cached && all->folder)
		rmdir(all->folder);             /* has no effect unless the folder is empty */
	if (all->lock >= 0)
		close(all->lock);
	vec_free(all);
	str_free(&all->names);
	arena_free(&all->texts);
}
