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

/* Is it a report of nsys, or a SQLite file such as its export? */
static bool is_trace(const char *path)
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

static bool may_write(const char *path, bool replace, notes *say)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return true;            /* if it is not only missing, opening says why */
	if (!S_ISREG(st.st_mode))
		return notes_problem(say, EXIT_WRONG, "'%s' is not a plain file; name another", path);
	if (!replace)
		return notes_problem(say, EXIT_WRONG, "'%s' exists; --force replaces it", path);
	if (is_trace(path))
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

bool whole_begin(whole_file *w, const char *path, bool replace, notes *say)
{
	*w = (whole_file){ .path = path, .say = say };
	if (!may_write(path, replace, say))
		return false;
	w->beside = arena_printf(&w->texts, "%s.%ld.part", path, (long)getpid());
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

static void shut(whole_file *w)
{
	fclose(w->to);
	if (close(w->fd) < 0 && !w->reason)
		w->reason = errno;
}

void whole_drop(whole_file *w)
{
	shut(w);
	unlink(w->beside);
	arena_free(&w->texts);
}

bool whole_end(whole_file *w)
{
	shut(w);
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
