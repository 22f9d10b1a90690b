#include "base/whole_file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && strcmp(s + n - m, end) == 0;
}

bool whole_is_trace(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof magic] = "";
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(head, 1, sizeof head, f) : 0;

	if (f)
		fclose(f);
	return (n == sizeof head && memcmp(head, magic, sizeof head) == 0) || ends_in(path, ".nsys-rep") ||
		ends_in(path, ".qdrep");
}

bool whole_may(const char *path, bool replace, notes *say)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return true;            /* if it is not only missing, opening says why */
	if (!S_ISREG(st.st_mode))
		return notes_problem(say, EXIT_WRONG, "'%s' is not a plain file; name another", path);
	if (!replace)
		return notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces it", path);
	if (whole_is_trace(path))
		return notes_problem(say, EXIT_WRONG, "'%s' is a trace, which is never replaced; name another file", path);
	return true;
}

/* Later writes may succeed, so the reason is kept. */
static ssize_t put(void *cookie, const char *data, size_t n)
{
	whole_file *w = cookie;
	ssize_t done = write(w->fd, data, n);

	if (done < 0 && !w->reason)
		w->reason = errno;
	return done < 0 ? 0 : done;
}

static const char *own_path(whole_file *w)
{
	return arena_printf(&w->texts, "/proc/self/fd/%d", w->fd);
}

/* Not every file system has such files, and without /proc none can be given a name. */
static void open_nameless(whole_file *w)
{
	const char *slash = strrchr(w->path, '/');
	const char *folder = slash ? arena_text(&w->texts, w->path, (size_t)(slash - w->path) + 1) : ".";

	w->fd = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	w->nameless = w->fd >= 0 && access(own_path(w), F_OK) == 0;
	if (w->fd >= 0 && !w->nameless)
		close(w->fd);
}

bool whole_begin(whole_file *w, const char *path, bool replace, notes *say)
{
	*w = (whole_file){ .path = path, .say = say };
	if (!whole_may(path, replace, say))
		return false;
	w->beside = arena_printf(&w->texts, "%s.%ld.part", path, (long)getpid());
	open_nameless(w);
	if (!w->nameless)
		w->fd = open(w->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (w->fd < 0) {
		notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);
		arena_free(&w->texts);
		return false;
	}
	w->to = fopencookie(w, "w", (cookie_io_functions_t){ .write = put });
	if (!w->to)
		mem_exhausted(1, BUFSIZ);
	return true;
}

static void shut(whole_file *w, bool keep)
{
	fclose(w->to);
	if (keep && !w->reason && w->nameless && linkat(AT_FDCWD, own_path(w), AT_FDCWD, w->beside, AT_SYMLINK_FOLLOW) < 0)
		w->reason = errno;
	if (close(w->fd) < 0 && !w->reason)
		w->reason = errno;
}

void whole_drop(whole_file *w)
{
	shut(w, false);
	if (!w->nameless)
		unlink(w->beside);
	arena_free(&w->texts);
}

bool whole_end(whole_file *w)
{
	shut(w, true);
	if (!w->reason && rename(w->beside, w->path) < 0)
		w->reason = errno;
	if (w->reason) {
		unlink(w->beside);
		errno = w->reason;
		notes_problem(w->say, EXIT_FAILED, "cannot write '%s':", w->path);
	}
	arena_free(&w->texts);
	return !w->reason;
}
