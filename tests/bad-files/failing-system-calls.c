/*
 * fault - makes the Nth call of a kind fail, for tests: LD_PRELOAD it and name the call.
 *
 *     FAULT=alloc:100 LD_PRELOAD=./fault.so nsq-setup x.sqlite     the 100th allocation fails, that one alone
 *     FAULT=alloc:100+ ...                                         it and all after it
 *     FAULT=read:3 ...                                             the 3rd pread of a file fails with EIO
 *     FAULT=sqlite:100000 ...                                      SQLite gets no more memory than that
 *     FAULT=count:alloc FAULT_COUNT=FILE ...                       none fails; FILE gets their number
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static long allocs, reads, fail_alloc, fail_read;
static bool from_then_on;
static const char *counted;

static void limit_sqlite(long bytes)
{
	long long (*limit)(long long) = (long long (*)(long long))dlsym(RTLD_DEFAULT, "sqlite3_hard_heap_limit64");

	if (limit)
		limit(bytes);
}

__attribute__((constructor)) static void begin(void)
{
	const char *f = getenv("FAULT");

	if (!f)
		return;
	if (strncmp(f, "alloc:", 6) == 0)
		fail_alloc = atol(f + 6);
	else if (strncmp(f, "read:", 5) == 0)
		fail_read = atol(f + 5);
	else if (strncmp(f, "count:", 6) == 0)
		counted = f + 6;
	else if (strncmp(f, "sqlite:", 7) == 0)
		limit_sqlite(atol(f + 7));
	from_then_on = strchr(f, '+') != NULL;
	allocs = reads = 0;
}

__attribute__((destructor)) static void end(void)
{
	char line[30];
	FILE *f;
	long n = counted && *counted == 'a' ? allocs : reads;

	if (!counted || !getenv("FAULT_COUNT"))
		return;
	f = fopen(getenv("FAULT_COUNT"), "w");
	snprintf(line, sizeof line, "%ld\n", n);
	if (f) {
		fputs(line, f);
		fclose(f);
	}
}

static bool fails(long *n, long at)
{
	long mine = __atomic_add_fetch(n, 1, __ATOMIC_RELAXED);

	return at && (mine == at || (from_then_on && mine > at));
}

void *malloc(size_t n)
{
	if (fails(&allocs, fail_alloc)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	if (fails(&allocs, fail_alloc)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	if (fails(&allocs, fail_alloc)) {
		errno = ENOMEM;
		return NULL;
	}
	return __libc_realloc(p, n);
}

static ssize_t failing_read(const char *name, int fd, void *to, size_t n, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t) = (ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, name);

	if (fails(&reads, fail_read)) {
		errno = EIO;
		return -1;
	}
	return real(fd, to, n, at);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	return failing_read("pread", fd, to, n, at);
}

ssize_t pread64(int fd, void *to, size_t n, off_t at)
{
	return failing_read("pread64", fd, to, n, at);
}
