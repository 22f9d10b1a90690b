#include "base/whole_file.h"
#include "base/folders.h"
#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

/* Does the file begin like a trace of torch.profiler, plain or compressed?  Files of nsq-export do not, although they
 * are JSON too. */
static bool whole_file_is_of_torch(const char *path)
{
	static const char member[] = "\"schemaVersion\"";
	char head[4096] = "";
	int fd = folders_open(path), n;
	gzFile f = fd < 0 ? NULL : gzdopen(fd, "rb");

	if (!f) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	n = gzread(f, head, sizeof head - 1);
	gzclose(f);
	return n > 0 && head[strspn(head, " \t\r\n")] == '{' && memmem(head, (size_t)n, member, sizeof member - 1);
}

bool whole_file_holds_trace(const char *path, bool *slice)
{
	enum { ID_AT = 68, HEAD = 72 };
	static const char magic[] = "SQLite format 3";
	unsigned char head[HEAD] = "";
	FILE *f = folders_file(path);
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;
	bool database = n >= sizeof magic && memcmp(head, magic, sizeof magic) == 0;

	if (f)
		fclose(f);
	if (slice)
		*slice = database && n == HEAD && memcmp(head + ID_AT, "nsqs", 4) == 0;
	return database || text_ends(path, ".nsys-rep") || text_ends(path, ".qdrep") || whole_file_is_of_torch(path);
}

static bool whole_file_is_below(const char *folder, const char *top)
{
	size_t n = strlen(top);

	return strncmp(folder, top, n) == 0 && (!folder[n] || folder[n] == '/');
}

/* Is it a folder of the system, such as /dev?  /dev/shm is not, because it is a place for files. */
static bool whole_file_is_of_the_system(const char *folder)
{
	return (whole_file_is_below(folder, "/dev") && !whole_file_is_below(folder, "/dev/shm")) ||
		whole_file_is_below(folder, "/proc");
}

/* Does the path lead to a folder of the system?  Links are followed one at a time, because /dev/stdout may lead to a
 * file anywhere but still names a device. */
static bool whole_file_leads_to_system(const char *path, arena *texts)
{
	enum { LINKS = 40 };            /* as many as Linux follows */
	char to[PATH_MAX], *folder;
	bool found = false;
	ssize_t n = 0;

	for (int i = 0; i < LINKS && !found && (folder = realpath(text_folder(texts, path), NULL)); i++) {
		found = whole_file_is_of_the_system(folder);
		n = readlink(path, to, sizeof to);
		if (n > 0)
			path = *to == '/' ? arena_text(texts, to, (size_t)n) :
				arena_printf(texts, "%s/%.*s", folder, (int)n, to);
		free(folder);
		if (n <= 0)
			break;
	}
	return found;
}

bool whole_is_place_for_files(const char *path, notes *say)
{
	arena texts = { 0 };
	bool system = whole_file_leads_to_system(path, &texts);

	arena_free(&texts);
	return !system || notes_problem(say, EXIT_WRONG, "'%s' leads into /dev or /proc, where no file is written; "
					"name another", path);
}

bool whole_may_write(const char *path, enum whole_replace replace, notes *say)
{
	struct stat st;
	bool there = stat(path, &st) == 0, slice;

	if (there && !S_ISREG(st.st_mode))
		return notes_problem(say, EXIT_WRONG, "'%s' is not a plain file; name another", path);
	if (!whole_is_place_for_files(path, say))
		return false;
	if (!there && lstat(path, &st) < 0)
		return true;            /* if the path is wrong, opening the file reports the reason */
	if (!replace)
		return notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces it", path);
	if (whole_file_holds_trace(path, &slice) && !(slice && replace == WHOLE_SLICES))
		return notes_problem(say, EXIT_WRONG, "'%s' is a trace, which is never replaced; name another file",
				     path);
	return true;
}

/* Write all bytes, or keep the reason of the first failure.  A disk that fills up takes some of the bytes first. */
static ssize_t whole_file_write(void *cookie, const char *data, size_t n)
{
	whole_file *w = cookie;

	for (size_t done = 0; done < n && !w->reason;) {
		ssize_t some = write(w->fd, data + done, n - done);
		if (some > 0)
			done += (size_t)some;
		else if (some == 0 || errno != EINTR)
			w->reason = some ? errno : ENOSPC;
	}
	return w->reason ? 0 : (ssize_t)n;
}

static const char *whole_file_path_of_descriptor(whole_file *w)
{
	return arena_printf(&w->texts, "/proc/self/fd/%d", w->fd);
}

/* Try to open a file without a name; w->nameless says whether that worked.  Some file systems have no such files, and
 * without /proc the file could not be named later. */
static void whole_file_open_nameless(whole_file *w)
{
	w->fd = open(text_folder(&w->texts, w->path), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	w->nameless = w->fd >= 0 && access(whole_file_path_of_descriptor(w), F_OK) == 0;
	if (w->fd >= 0 && !w->nameless)
		close(w->fd);
}

const char *whole_temporary_name(arena *a, const char *path)
{
	uint64_t random = 0;

	if (getrandom(&random, sizeof random, 0) != sizeof random)
		random = (uint64_t)getpid();
	return arena_printf(a, "%s.%016llx.part", path, (unsigned long long)random);
}

bool whole_begin(whole_file *w, const char *path, enum whole_replace replace, notes *say)
{
	*w = (whole_file){ .path = path, .say = say, .replace = replace };
	if (!whole_may_write(path, replace, say))
		return false;
	w->beside = whole_temporary_name(&w->texts, path);
	whole_file_open_nameless(w);
	if (!w->nameless)
		w->fd = open(w->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (w->fd < 0) {
		notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);
		arena_free(&w->texts);
		return false;
	}
	w->unfinished.path = w->beside;
	ending_push(&w->unfinished);
	w->to = fopencookie(w, "w", (cookie_io_functions_t){ .write = whole_file_write });
	if (!w->to)
		mem_exhausted(1, BUFSIZ);
	return true;
}

/* After a failure, `from` still exists. */
bool whole_rename(const char *from, const char *to, bool replace)
{
	if (replace)
		return rename(from, to) == 0;
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (link(from, to) == 0)                /* for a file system that does not know RENAME_NOREPLACE */
		return unlink(from) == 0;
	return errno != EEXIST && access(to, F_OK) < 0 && errno == ENOENT && rename(from, to) == 0;
}

/* Close the stream and the descriptor.  keep: a nameless file first gets its temporary name. */
static void whole_file_close_unfinished(whole_file *w, bool keep)
{
	fclose(w->to);
	if (keep && !w->reason && w->nameless &&
	    linkat(AT_FDCWD, whole_file_path_of_descriptor(w), AT_FDCWD, w->beside, AT_SYMLINK_FOLLOW) < 0)
		w->reason = errno;
	if (close(w->fd) < 0 && !w->reason)
		w->reason = errno;
}

static void whole_file_release(whole_file *w)
{
	ending_pop(&w->unfinished);
	arena_free(&w->texts);
}

void whole_drop(whole_file *w)
{
	whole_file_close_unfinished(w, false);
	if (!w->nameless)
		unlink(w->beside);
	whole_file_release(w);
}

/* Give the file its name.  False after a problem: another program may have written a file there meanwhile. */
static bool whole_file_put_in_place(whole_file *w)
{
	if (!whole_may_write(w->path, w->replace, w->say)) {
		w->reason = EEXIST;
	} else if (!whole_rename(w->beside, w->path, w->replace)) {
		w->reason = errno;
		notes_problem(w->say, EXIT_FAILED, "cannot write '%s':", w->path);
	}
	return !w->reason;
}

bool whole_end(whole_file *w)
{
	bool ok;

	whole_file_close_unfinished(w, true);
	if (w->reason) {
		errno = w->reason;
		notes_problem(w->say, EXIT_FAILED, "cannot write '%s':", w->path);
	}
	ok = !w->reason && whole_file_put_in_place(w);
	if (!ok)
		unlink(w->beside);
	whole_file_release(w);
	return ok;
}
