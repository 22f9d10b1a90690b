/*
 * report-faults - something happens while a folder is written, for tests: LD_PRELOAD it and name it.
 *
 *     FAULTS=signal:3 LD_PRELOAD=./faults.so nsq-report x.sqlite    SIGINT arrives before the 3rd mkdir or rename
 *     FAULTS=write:3 ...                                            the 3rd write of a file fails: the disk is full
 *     FAULTS=rename:3 ...                                           the 3rd rename fails
 *     FAULTS=exchange:1 ...                                         two folders cannot be exchanged
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool comes(const char *kind, int *n)
{
	const char *all = getenv("FAULTS"), *f = all ? strstr(all, kind) : NULL;

	return f && ++*n == atoi(f + strlen(kind) + 1);
}

static int signals, writes, renames, exchanges;

int mkdir(const char *path, mode_t mode)
{
	int (*real)(const char *, mode_t) = (int (*)(const char *, mode_t))dlsym(RTLD_NEXT, "mkdir");

	if (comes("signal", &signals))
		raise(SIGINT);
	return real(path, mode);
}

int rename(const char *from, const char *to)
{
	int (*real)(const char *, const char *) = (int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename");

	if (comes("signal", &signals))
		raise(SIGINT);
	if (comes("rename", &renames)) {
		errno = EIO;
		return -1;
	}
	return real(from, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	int (*real)(int, const char *, int, const char *, unsigned) =
		(int (*)(int, const char *, int, const char *, unsigned))dlsym(RTLD_NEXT, "renameat2");

	if (flags != RENAME_EXCHANGE && comes("signal", &signals))
		raise(SIGINT);
	if (flags != RENAME_EXCHANGE && comes("rename", &renames)) {
		errno = EIO;
		return -1;
	}
	if (flags == RENAME_EXCHANGE && comes("exchange", &exchanges)) {
		errno = EINVAL;
		return -1;
	}
	return real(from_dir, from, to_dir, to, flags);
}

ssize_t write(int fd, const void *data, size_t n)
{
	ssize_t (*real)(int, const void *, size_t) = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");

	if (fd > 2 && comes("write", &writes)) {
		errno = ENOSPC;
		return -1;
	}
	return real(fd, data, n);
}
