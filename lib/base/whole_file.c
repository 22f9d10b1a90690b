#include "base/whole_file.h"

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

bool whole_begin(whole_file *w, const char *path, bool replace, notes *say)
{
	int fd;

	*w = (whole_file){ .path = path, .say = say };
	if (!may_write(path, replace, say))
		return false;
	w->beside = arena_printf(&w->texts, "%s.%ld.part", path, (long)getpid());
	fd = open(w->beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	w->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (w->to)
		return true;
	notes_problem(say, EXIT_FAILED, "cannot write '%s':", path);
	if (fd >= 0) {
		close(fd);
		unlink(w->beside);
	}
	arena_free(&w->texts);
	return false;
}

void whole_drop(whole_file *w)
{
	if (w->to)
		fclose(w->to);
	unlink(w->beside);
	arena_free(&w->texts);
}

/* Write what is buffered, and close.  errno is 0 if an earlier write failed and this one did not. */
static bool complete(whole_file *w)
{
	bool ok;

	errno = 0;
	ok = fflush(w->to) == 0 && !ferror(w->to);
	if (fclose(w->to) != 0)
		ok = false;
	w->to = NULL;
	return ok;
}

bool whole_end(whole_file *w)
{
	bool ok = complete(w);

	if (!ok && !errno)
		notes_problem(w->say, EXIT_FAILED, "cannot write all of '%s'; is the disk full?", w->path);
	else if (!ok || rename(w->beside, w->path) < 0)
		ok = notes_problem(w->say, EXIT_FAILED, "cannot write '%s':", w->path);
	if (ok)
		arena_free(&w->texts);
	else
		whole_drop(w);
	return ok;
}
