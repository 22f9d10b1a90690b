/*
 * interfering - a file system that can do less, and what happens while a file is written, for tests: LD_PRELOAD it.
 *
 *     NO_TMPFILE=1      there are no files without a name
 *     NO_NOREPLACE=1    renaming has no flags
 *     SIGNAL=11         the first write to a file of a name (not stdout or stderr) is met by that signal
 *     APPEARS=PATH      another program writes that file during the first write, or, if none is seen, before renaming
 *     CONFIG=1          whether SQLite shall not count its memory is told on stderr
 *     DURING=COMMAND    the shell runs that while the file READING is read, for the sixth time: of several that are
 *                       read side by side any other may be the first, before this one is even opened
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void appear(void)
{
	const char *path = getenv("APPEARS");
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	int fd = path ? real(path, O_WRONLY | O_CREAT | O_EXCL, 0666) : -1;

	if (fd >= 0)
		close(fd);
}

static void interrupt_reading(int fd)
{
	static int reads;
	const char *command = getenv("DURING"), *path = getenv("READING");
	struct stat named, read;

	if (!command || !path || stat(path, &named) != 0 || fstat(fd, &read) != 0 || named.st_dev != read.st_dev ||
	    named.st_ino != read.st_ino || __atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) != 6)
		return;
	unsetenv("LD_PRELOAD");
	if (system(command) != 0)
		abort();
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t) = (ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");

	interrupt_reading(fd);
	return real(fd, to, n, at);
}

ssize_t pread64(int fd, void *to, size_t n, off64_t at)
{
	ssize_t (*real)(int, void *, size_t, off64_t) = (ssize_t(*)(int, void *, size_t, off64_t))dlsym(RTLD_NEXT,
													"pread64");

	interrupt_reading(fd);
	return real(fd, to, n, at);
}

int open(const char *path, int flags, ...)
{
	int (*real)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
	va_list ap;
	mode_t mode;

	va_start(ap, flags);
	mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;
	va_end(ap);
	if ((flags & O_TMPFILE) == O_TMPFILE && getenv("NO_TMPFILE")) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return real(path, flags, mode);
}

ssize_t write(int fd, const void *data, size_t n)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
	ssize_t done = real(fd, data, n);

	if (fd > STDERR_FILENO) {
		appear();
		if (getenv("SIGNAL"))
			raise(atoi(getenv("SIGNAL")));
	}
	return done;
}

int renameat2(int from, const char *old, int to, const char *new, unsigned int flags)
{
	int (*real)(int, const char *, int, const char *, unsigned int) =
		(int (*)(int, const char *, int, const char *, unsigned int))dlsym(RTLD_NEXT, "renameat2");

	if (flags && getenv("NO_NOREPLACE")) {
		errno = EINVAL;
		return -1;
	}
	return real(from, old, to, new, flags);
}

int sqlite3_config(int what, ...)
{
	enum { MEMSTATUS = 9 };
	int (*real)(int, ...) = (int (*)(int, ...))dlsym(RTLD_NEXT, "sqlite3_config");
	va_list ap;
	void *how;

	if (what == MEMSTATUS && getenv("CONFIG"))
		dprintf(STDERR_FILENO, "memory is not counted\n");
	if (what == MEMSTATUS)
		return real(what, 0);
	va_start(ap, what);
	how = va_arg(ap, void *);       /* SQLite's own calls */
	va_end(ap);
	return real(what, how);
}
