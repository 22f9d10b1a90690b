#include "report.h"
#include "err.h"
#include "mem.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Run nsys export; its own output goes to stderr, where notes go. */
static bool run(const char *nsys, const char *report, const char *to)
{
	const char *const argv[] = { nsys, "export", "--type", "sqlite", "--force-overwrite", "true",
		"--output", to, "--", report, NULL };
	posix_spawn_file_actions_t fa;
	pid_t pid;
	int status, rc;

	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, STDERR_FILENO, STDOUT_FILENO);
	rc = posix_spawnp(&pid, nsys, &fa, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	if (rc) {
		errno = rc;
		complain(EXIT_FAILED, "'%s' must be exported to SQLite and '%s' cannot be run (%s); install "
			 "Nsight Systems, name it with --nsys, or run elsewhere: nsys export --type sqlite '%s'",
			 report, nsys, strerror(rc), report);
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	complain(EXIT_FAILED, "'%s' could not export '%s'; run it by hand to see why: "
		 "nsys export --type sqlite '%s'", nsys, report, report);
	return false;
}

const char *report_export(const char *path, const char *nsys)
{
	const char *dot = strrchr(path, '.');
	const char *sqlite, *partial;
	struct stat rep, exp;

	if (!dot || (strcmp(dot, ".nsys-rep") != 0 && strcmp(dot, ".qdrep") != 0))
		return path;
	if (stat(path, &rep) < 0) {
		complain(EXIT_FAILED, "cannot open '%s':", path);
		return NULL;
	}
	sqlite = mem_printf("%.*s.sqlite", (int)(dot - path), path);
	if (stat(sqlite, &exp) == 0 && exp.st_mtime >= rep.st_mtime)
		return sqlite;
	if (!nsys)
		nsys = getenv("NSQ_NSYS") && *getenv("NSQ_NSYS") ? getenv("NSQ_NSYS") : "nsys";
	/* to a name of its own, and renamed when complete: a half-written one is never trusted */
	partial = mem_printf("%.*s.%ld.partial.sqlite", (int)(dot - path), path, (long)getpid());
	if (!run(nsys, path, partial) || rename(partial, sqlite) < 0) {
		unlink(partial);
		if (!err_status)
			complain(EXIT_FAILED, "cannot put the export of '%s' in its place:", path);
		return NULL;
	}
	return sqlite;
}
