#include "base/child.h"
#include "base/ending_signals.h"
#include "base/parallel.h"
#include "base/shell.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

enum { PATIENCE_S = 20, LOOK_MS = 50 };         /* LOOK_MS: while a child writes nothing, the time between two looks
						 * whether it has ended */

/* ---- the words of a command */

void arguments_add(arguments *a, const char *word)
{
	if (word)
		vec_push(&a->list, arena_copy(&a->texts, word));
}

void arguments_addf(arguments *a, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vec_push(&a->list, arena_vprintf(&a->texts, fmt, ap));
	va_end(ap);
}

void arguments_add_all(arguments *a, const text_list *words)
{
	for (size_t i = 0; i < words->n; i++)
		arguments_add(a, words->v[i]);
}

void arguments_add_list(arguments *a, const char *const *words)
{
	for (; *words; words++)
		arguments_add(a, *words);
}

void arguments_add_option(arguments *a, const char *name, const char *value)
{
	if (value)
		arguments_addf(a, "--%s=%s", name, value);
}

void arguments_add_number_option(arguments *a, const char *name, int64_t value)
{
	if (value)
		arguments_addf(a, "--%s=%lld", name, (long long)value);
}

char *const *arguments_argv(arguments *a)
{
	vec_reserve(&a->list, a->list.n + 1);
	a->list.v[a->list.n] = NULL;
	return (char *const *)a->list.v;
}

const char *arguments_line(arguments *a)
{
	const char *line = "";

	for (size_t i = 0; i < a->list.n; i++)
		line = arena_printf(&a->texts, "%s%s%s", line, i ? " " : "", shell_word(&a->texts, a->list.v[i]));
	return line;
}

void arguments_free(arguments *a)
{
	vec_free(&a->list);
	arena_free(&a->texts);
}

/* ---- running a command */

static double child_read_clock(void)
{
	return (double)par_clock_ns() / 1e9;
}

bool child_program_exists(const char *program)
{
	const char *path = getenv("PATH");
	arena texts = { 0 };
	bool there = strchr(program, '/') && access(program, X_OK) == 0;

	for (size_t n; !strchr(program, '/') && path && *path && !there; path += n + (path[n] == ':')) {
		n = strcspn(path, ":");
		there = access(arena_printf(&texts, "%.*s/%s", n ? (int)n : 1, n ? path : ".", program), X_OK) == 0;
	}
	arena_free(&texts);
	return there;
}

int child_start(pid_t *pid, char *const *argv, const child_io *io)
{
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t attr;
	int rc;

	posix_spawn_file_actions_init(&fa);
	if (!io->shared) {
		if (io->in)
			posix_spawn_file_actions_adddup2(&fa, io->in, STDIN_FILENO);
		else
			posix_spawn_file_actions_addopen(&fa, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
		posix_spawn_file_actions_adddup2(&fa, io->out, STDOUT_FILENO);
		posix_spawn_file_actions_adddup2(&fa, io->err, STDERR_FILENO);
	}
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, (short)(POSIX_SPAWN_SETSIGMASK | (io->group ? POSIX_SPAWN_SETPGROUP : 0)));
	posix_spawnattr_setsigmask(&attr, &io->mask);
	rc = posix_spawnp(pid, argv[0], &fa, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&attr);
	return rc;
}

int child_exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Wait for the child, and pass on signals that ask this program to end.  A signal from the terminal has reached the
 * child already, because both are in the foreground group.  If it were passed on, it would arrive twice, and nsys would
 * stop immediately. */
static int child_wait_until_end(pid_t pid, const sigset_t *set, int *signalled)
{
	siginfo_t info;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		int sig = sigwaitinfo(set, &info);
		if (sig <= 0 || sig == SIGCHLD)
			continue;
		*signalled = *signalled ? *signalled : sig;
		if (info.si_code != SI_KERNEL)
			kill(pid, sig);
	}
	return status;
}

child_outcome child_run(arguments *a)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, was;
	sigset_t set = ending_signals();
	child_io io = { .shared = true };
	child_outcome end = { 0 };
	double began = child_read_clock();
	pid_t pid;

	sigaddset(&set, SIGCHLD);
	sigaction(SIGCHLD, &plain, &was);       /* if SIGCHLD were ignored, the child would leave no status */
	pthread_sigmask(SIG_BLOCK, &set, &io.mask);
	end.failed = child_start(&pid, arguments_argv(a), &io);
	if (!end.failed)
		end.code = child_exit_code(child_wait_until_end(pid, &set, &end.signalled));
	pthread_sigmask(SIG_SETMASK, &io.mask, NULL);
	sigaction(SIGCHLD, &was, NULL);
	end.seconds = child_read_clock() - began;
	return end;
}

/* Read the output of a child until the child has ended.  A child that runs longer than patience_s seconds is killed.
 * The end of the output is not waited for, because processes that the child started may keep the pipe open.  Returns
 * the status of the child. */
static int child_read_until_end(int fd, pid_t pid, FILE *to, int patience_s)
{
	double until = child_read_clock() + patience_s;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool ended = false, more = true;
	char some[4096];
	int status = -1;

	while ((more || !ended) && child_read_clock() < until) {
		if (poll(&p, more, ended ? 0 : LOOK_MS) > 0) {
			ssize_t n = read(fd, some, sizeof some);
			more = n > 0;
			fwrite(some, 1, more ? (size_t)n : 0, to);
		} else if (ended) {
			more = false;
		} else {
			ended = waitpid(pid, &status, WNOHANG) == pid;
		}
	}
	if (!ended) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	return status;
}

const char *child_read_output(arena *to, const char *const *words, int patience_s, int *code)
{
	struct sigaction plain = { .sa_handler = SIG_DFL }, was;
	char *text = NULL;
	const char *found;
	size_t size;
	FILE *all = text_open(&text, &size);
	int ends[2], status = 0;
	child_io io = { 0 };
	bool ok = pipe2(ends, O_CLOEXEC) == 0;
	pid_t pid;

	pthread_sigmask(SIG_SETMASK, NULL, &io.mask);
	sigaction(SIGCHLD, &plain, &was);
	if (ok) {
		io.out = io.err = ends[1];
		ok = child_start(&pid, (char *const *)words, &io) == 0;
		close(ends[1]);
		if (ok)
			status = child_read_until_end(ends[0], pid, all, patience_s);
		close(ends[0]);
	}
	sigaction(SIGCHLD, &was, NULL);
	*code = child_exit_code(status);
	found = text_close_into(all, &text, to);
	return ok ? found : NULL;
}

const char *child_output_if_ok(arena *to, const char *const *words)
{
	int code;
	const char *text = child_read_output(to, words, PATIENCE_S, &code);

	return text && code == 0 ? text : NULL;
}
