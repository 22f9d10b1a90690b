#include "trace/report.h"
#include "sqlite/database.h"
#include "cli/errors.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { GRACE_S = 3 };   /* for nsys to end after a signal */

static bool later(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Can this export stand for the report? */
static bool usable(const char *export, const struct stat *report)
{
	struct stat st;

	return export && stat(export, &st) == 0 && !later(report->st_mtim, st.st_mtim) && db_whole(export);
}

/* For a shell; what the message shows can be pasted. */
static const char *quoted(const char *s)
{
	const char *out = "'";

	for (size_t n; (n = strcspn(s, "'")), s[n]; s += n + 1)
		out = mem_printf("%s%.*s'\\''", out, (int)n, s);
	return mem_printf("%s%s'", out, s);
}

/* nsys takes a name with a leading dash for an option. */
static const char *operand(const char *path)
{
	return *path == '-' ? mem_printf("./%s", path) : path;
}

/* The signals that would end us, and SIGCHLD: taken by sigtimedwait while nsys runs. */
static sigset_t awaited(void)
{
	static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction sa;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
		if (sigaction(ending[i], NULL, &sa) == 0 && sa.sa_handler != SIG_IGN)
			sigaddset(&set, ending[i]);
	return set;
}

/* Start nsys in a process group of its own, so that all of it can be ended, and what its children leave
 * becomes ours to wait for; out takes what it prints. */
static int start(pid_t *pid, const char *const *argv, int out, const sigset_t *mask)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	sigset_t child = *mask;
	int rc;

	/* a group in the background that sets up the terminal would be stopped */
	sigaddset(&child, SIGTTOU);
	sigaddset(&child, SIGTTIN);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, out, STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&fa, out, STDERR_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setpgroup(&attr, 0);
	posix_spawnattr_setsigmask(&attr, &child);
	rc = posix_spawnp(pid, argv[0], &fa, &attr, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&attr);
	return rc;
}

/* Wait for nsys; a signal that comes meanwhile is passed on to it and put in *ended. */
static int wait_for(pid_t pid, const sigset_t *set, int *ended)
{
	static const struct timespec second = { 1, 0 };
	int status = 0, seconds = 0;
	pid_t got;

	while ((got = waitpid(pid, &status, WNOHANG)) == 0) {
		int sig = sigtimedwait(set, NULL, &second);
		if (sig > 0 && sig != SIGCHLD && !*ended) {
			*ended = sig;
			kill(-pid, SIGTERM);
		} else if (*ended && sig != SIGCHLD && ++seconds >= GRACE_S)
			kill(-pid, SIGKILL);
	}
	if (*ended) {                     /* what it started and left: until all are gone they may still write */
		kill(-pid, SIGKILL);
		while (waitpid(-pid, NULL, 0) > 0)
			;
	}
	return got == pid ? status : -1;
}

static void discard(const char *partial)
{
	unlink(partial);
	unlink(mem_printf("%s-journal", partial));
	unlink(mem_printf("%s-wal", partial));
	unlink(mem_printf("%s-shm", partial));
}

/* The last line that nsys printed, which tells why it failed. */
static const char *last_words(int out)
{
	char text[2000];
	ssize_t n;
	off_t size = lseek(out, 0, SEEK_END);

	n = pread(out, text, sizeof text - 1, size > (off_t)sizeof text - 1 ? size - (off_t)sizeof text + 1 : 0);
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r' || text[n - 1] == ' '))
		n--;
	if (n <= 0)
		return "nothing";
	text[n] = 0;
	while (n > 0 && text[n - 1] != '\n' && text[n - 1] != '\r')
		n--;
	return mem_printf("'%s'", text + n);
}

/* Run nsys export.  False after a complaint; does not return when a signal ends us.  The signals in set are
 * blocked, and were not before. */
static bool run(const char *nsys, const char *report, const char *to, const char *partial, const sigset_t *set,
		const sigset_t *before)
{
	const char *const argv[] = { nsys, "export", "--type", "sqlite", "--force-overwrite", "true",
		"--output", operand(partial), operand(report), NULL };
	const char *by_hand = mem_printf("nsys export --type sqlite --output %s %s", quoted(operand(to)),
					 quoted(operand(report)));
	bool seen = isatty(STDERR_FILENO) && !err_quiet;
	int out = seen ? STDERR_FILENO : memfd_create("nsys", MFD_CLOEXEC), ended = 0, status = 0, rc;
	pid_t pid;

	if (out < 0) {
		complain(EXIT_FAILED, "cannot keep what nsys prints:");
		return false;
	}
	if (seen)
		note("exporting '%s' with '%s', once", report, nsys);
	signal(SIGCHLD, SIG_DFL);        /* where it was ignored there would be no status to wait for */
	rc = start(&pid, argv, out, before);
	if (!rc)
		status = wait_for(pid, set, &ended);
	if (ended) {
		discard(partial);
		signal(ended, SIG_DFL);
		raise(ended);
		sigprocmask(SIG_SETMASK, before, NULL);
	}
	if (rc)
		complain(EXIT_FAILED, "'%s' must be exported first and '%s' cannot be run (%s); get Nsight Systems "
			 "from https://developer.nvidia.com/nsight-systems or name its nsys with --nsys, or run "
			 "elsewhere: %s", report, nsys, strerror(rc), by_hand);
	else if (status != 0)
		complain(EXIT_FAILED, "'%s' could not export '%s', it said %s; to see more: %s", nsys, report,
			 seen ? "what is above" : last_words(out), by_hand);
	if (!seen)
		close(out);
	return !rc && status == 0;
}

/* Give the finished export its name, safely on disk, and the time when nsys began to read the report:
 * should the report have changed since, it is the newer one. */
static bool put_in_place(const char *partial, const char *to, struct timespec when)
{
	int fd = open(partial, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && futimens(fd, (struct timespec[]){ when, when }) == 0 && fsync(fd) == 0 &&
		rename(partial, to) == 0;
	int reason = errno;

	if (fd >= 0)
		close(fd);
	errno = reason;
	return ok;
}

static bool export(const char *report, const char *nsys, const char *to, const struct stat *st)
{
	const char *partial = mem_printf("%.*s.%ld.partial.sqlite", (int)strlen(to) - 7, to, (long)getpid());
	struct timespec when;
	sigset_t set = awaited(), before;
	bool ok;

	clock_gettime(CLOCK_REALTIME, &when);
	if (later(st->st_mtim, when))
		when = st->st_mtim;
	sigprocmask(SIG_BLOCK, &set, &before);  /* until the export has its name, or is gone */
	ok = run(nsys, report, to, partial, &set, &before);
	if (ok && !db_whole(partial)) {
		complain(EXIT_FAILED, "'%s' left no whole export of '%s'; is the disk full?", nsys, report);
		ok = false;
	} else if (ok && !put_in_place(partial, to, when)) {
		complain(EXIT_FAILED, "cannot put the export of '%s' in its place '%s':", report, to);
		ok = false;
	}
	if (!ok)
		discard(partial);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

/* The export's name in the user's cache, unique to the report's place; NULL when there is no cache. */
static const char *in_cache(const char *report)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const char *base = xdg && *xdg == '/' ? xdg : home && *home == '/' ? mem_printf("%s/.cache", home) : NULL;
	char *real = realpath(report, NULL);
	const char *name, *dot;
	uint64_t hash = 0xcbf29ce484222325u;     /* FNV-1a */

	if (!base || !real) {
		free(real);
		return NULL;
	}
	for (const char *p = real; *p; p++)
		hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
	name = strrchr(real, '/') + 1;
	dot = strrchr(name, '.');
	name = mem_printf("%s/nsq/%.*s-%016llx.sqlite", base, (int)(dot ? dot - name : (long)strlen(name)), name,
			  (unsigned long long)hash);
	free(real);
	return name;
}

/* Make the folders on the way to a file. */
static void make_folders(const char *path)
{
	for (const char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/'))
		mkdir(mem_printf("%.*s", (int)(p - path), path), 0700);
}

static bool writable_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *dir = !slash ? "." : slash == path ? "/" : mem_printf("%.*s", (int)(slash - path), path);

	return faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) == 0;
}

const char *report_export(const char *path, const char *nsys)
{
	const char *dot = strrchr(path, '.');
	const char *beside, *cached;
	struct stat st;

	if (!dot || (strcmp(dot, ".nsys-rep") != 0 && strcmp(dot, ".qdrep") != 0))
		return path;
	if (stat(path, &st) < 0) {
		complain(EXIT_FAILED, "cannot open '%s':", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		complain(EXIT_FAILED, "'%s' is not a plain file, so it is no report", path);
		return NULL;
	}
	beside = mem_printf("%.*s.sqlite", (int)(dot - path), path);
	cached = in_cache(path);
	if (usable(beside, &st))
		return beside;
	if (usable(cached, &st))
		return cached;
	if (!nsys)
		nsys = getenv("NSQ_NSYS") && *getenv("NSQ_NSYS") ? getenv("NSQ_NSYS") : "nsys";
	if (writable_folder(beside))
		return export(path, nsys, beside, &st) ? beside : NULL;
	if (cached)
		make_folders(cached);
	if (!cached || !writable_folder(cached)) {
		complain(EXIT_FAILED, "the export of '%s' can be written neither beside it nor in the cache '%s'; "
			 "set XDG_CACHE_HOME to a folder that is writable", path, cached ? cached : "$HOME/.cache/nsq");
		return NULL;
	}
	return export(path, nsys, cached, &st) ? cached : NULL;
}
