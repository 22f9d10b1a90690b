#include "base/notes.h"
#include "cli/mcp.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { KEPT = 64, KEPT_BYTES = 512 << 20 };     /* the most results that are kept, and the most bytes of their outputs
						 * together */
enum { NOTES_BYTES = 8000 };                    /* how many bytes of stderr are shown */
enum { PRINT_BYTES = 256 << 20 };               /* how many bytes a tool may print, unless it writes a file */

mcp_call *mcp_call_new(void)
{
	mcp_call *c = mem_new(mcp_call, 1);

	c->in = c->out = c->err = -1;
	c->max_bytes = MCP_DEFAULT_BYTES;
	return c;
}

static void mcp_call_close_descriptor(int fd)
{
	if (fd >= 0)
		close(fd);
}

void mcp_call_free(mcp_call *c)
{
	mcp_call_close_descriptor(c->in);
	mcp_call_close_descriptor(c->out);
	mcp_call_close_descriptor(c->err);
	for (size_t i = 0; i < c->tables.n; i++)
		close(c->tables.v[i]);
	vec_free(&c->tables);
	arguments_free(&c->words);
	arena_free(&c->texts);
	free(c);
}

void mcp_results_free(mcp_results *r)
{
	for (size_t i = 0; i < r->kept.n; i++)
		close(r->kept.v[i].fd);
	vec_free(&r->kept);
}

/* ---- the child */

/* Called in the child.  Make the system kill the child's process group, with everything that a recipe starts, when the
 * server ends and so closes the pipe.  That works while any process of the group has the pipe open.  False: it failed,
 * or the server has already ended. */
static bool mcp_call_end_with_server(const int alive[2])
{
	arena texts = { 0 };
	int fd = open(arena_printf(&texts, "/proc/self/fd/%d", alive[0]), O_RDONLY | O_NONBLOCK);
	struct pollfd now = { .fd = fd, .events = POLLIN };

	arena_free(&texts);
	close(alive[1]);
	return fd >= 0 && fcntl(fd, F_SETSIG, SIGKILL) == 0 && fcntl(fd, F_SETOWN, -getpid()) == 0 &&
		fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC) == 0 && poll(&now, 1, 0) == 0;
}

/* Called in the child, before it becomes nsq.  The child gets a process group of its own, so that all that it starts
 * can be killed with it.  It ends with the server.  Environment variables that start programs, name other folders or
 * change how output looks are removed. */
static void mcp_call_prepare_child(const mcp_call *c, const folders *allowed, const int alive[2])
{
	static const char *const unwanted[] = { "NSQ_NSYS", "NSQ_EXPORT_TO", "NSQ_RECIPES", "NSQ_RECIPE", "BASH_ENV",
		"COLUMNS", "NSQ_TERMINAL" };
	struct rlimit most = { PRINT_BYTES, PRINT_BYTES };
	int in = c->in >= 0 ? c->in : open("/dev/null", O_RDONLY);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	if (!mcp_call_end_with_server(alive) || dup2(in, STDIN_FILENO) < 0 || dup2(c->out, STDOUT_FILENO) < 0 ||
	    dup2(c->err, STDERR_FILENO) < 0 || chdir(allowed->all.v[0]) != 0)
		_exit(EXIT_FAILED);
	for (size_t i = 0; i < c->tables.n; i++)
		fcntl(c->tables.v[i], F_SETFD, 0);
	for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++)
		unsetenv(unwanted[i]);
	if (!c->writes)
		setrlimit(RLIMIT_FSIZE, &most);
	folders_hand_on(allowed);
}

void mcp_call_start(mcp_call *c, const folders *allowed, const int alive[2])
{
	char *const *argv = arguments_argv(&c->words);

	c->out = memfd_create("stdout", MFD_CLOEXEC);
	c->err = memfd_create("stderr", MFD_CLOEXEC);
	c->pid = c->out >= 0 && c->err >= 0 ? fork() : -1;
	if (c->pid == 0) {
		mcp_call_prepare_child(c, allowed, alive);
		execv("/proc/self/exe", argv);
		dprintf(STDERR_FILENO, "cannot run nsq: %s\n", strerror(errno));
		_exit(EXIT_FAILED);
	}
	if (c->pid > 0)
		setpgid(c->pid, c->pid);        /* parent and child both set the group, since either may run first */
	else
		c->refused = arena_printf(&c->texts, "cannot start nsq: %s", strerror(errno));
	c->pid = c->pid > 0 ? c->pid : 0;
}

/* ---- the result */

/* The contents of the file fd, for the caller to free; "" if the file cannot be read or fd is -1.  *n gets their
 * length. */
static char *mcp_call_read_output(mcp_call *c, int fd, size_t *n)
{
	char *text = fd < 0 ? NULL : text_file(arena_printf(&c->texts, "/proc/self/fd/%d", fd), n);

	if (!text) {
		*n = 0;
		text = mem_alloc(1, 1);
	}
	return text;
}

static size_t mcp_call_count_lines(const char *text)
{
	size_t n = 0;

	for (const char *p = text; (p = strchr(p, '\n')); p++)
		n++;
	return n;
}

/* Cut a text of n bytes to at most `most` bytes, at the end of a line if there is one.  False: the text is not longer,
 * and stays. */
static bool mcp_call_cut_text(char *text, size_t n, size_t most)
{
	if (n <= most)
		return false;
	text[most] = 0;
	if (strrchr(text, '\n'))
		strrchr(text, '\n')[1] = 0;
	return true;
}

static void mcp_call_keep_result(mcp_results *r, mcp_call *c, size_t bytes)
{
	size_t all = bytes;

	for (size_t i = 0; i < r->kept.n; i++)
		all += r->kept.v[i].bytes;
	while (r->kept.n == KEPT || (r->kept.n && all > KEPT_BYTES)) {
		all -= r->kept.v[0].bytes;
		close(r->kept.v[0].fd);
		memmove(r->kept.v, r->kept.v + 1, --r->kept.n * sizeof *r->kept.v);
	}
	vec_reserve(&r->kept, r->kept.n + 1);
	r->kept.v[r->kept.n].bytes = bytes;
	r->kept.v[r->kept.n].fd = c->out;
	r->kept.v[r->kept.n++].number = ++r->last;
	c->out = -1;
}

static void mcp_call_put_text(json_writer *j, const char *text)
{
	json_open(j, NULL, '{');
	json_text(j, "type", "text");
	json_text(j, "text", text);
	json_close(j, '}');
}

/* Print how much of the output is not shown, and the name under which it is kept.  text: what is shown of an output of
 * this many bytes and lines; name: NULL if it is not kept. */
static void mcp_call_describe_output(FILE *to, const char *text, size_t bytes, size_t lines, bool is_cut, bool binary,
				     const char *name)
{
	if (binary)
		fprintf(to, "what it printed is no text, %zu bytes; give 'output' to write it to a file\n", bytes);
	else if (is_cut)
		fprintf(to, "shown are %zu of %zu lines (%zu of %zu bytes): ask for less with rows, by, merge or "
			"windows, or for more with max_bytes\n", mcp_call_count_lines(text), lines, strlen(text),
			bytes);
	if (name)
		fprintf(to, "this is result %s, for 'windows' or 'tables' of further calls\n", name);
}

/* The notes of a result, for the caller to free: stderr, an exit code that is not 0, how much of the output is not
 * shown, and the name of the result.  Cuts the output to the size limit, and keeps a table as a result. */
static char *mcp_call_make_notes(mcp_call *c, int code, char *text, size_t n, bool binary, mcp_results *results)
{
	size_t nerr, size, lines = mcp_call_count_lines(text);
	char *err = mcp_call_read_output(c, c->err, &nerr), *said = NULL, name[24];
	bool is_cut = mcp_call_cut_text(text, n, (size_t)c->max_bytes);
	FILE *to = text_open(&said, &size);

	fprintf(to, "%s%s", err, mcp_call_cut_text(err, nerr, NOTES_BYTES) ? "...\n" : "");
	if (code > 128)
		fprintf(to, "ended by signal %d\n", code - 128);
	else if (code)
		fprintf(to, "exit code %d\n", code);
	if (c->keeps && !binary && lines && (code == 0 || code == EXIT_BROKEN)) {
		mcp_call_keep_result(results, c, n);
		snprintf(name, sizeof name, "r%zu", results->last);
	} else {
		*name = 0;
	}
	if (c->writes && !code && !lines)
		fprintf(to, "wrote '%s'\n", c->writes);
	mcp_call_describe_output(to, text, n, lines, is_cut, binary, *name ? name : NULL);
	text_close(to);
	free(err);
	return said;
}

void mcp_call_end(mcp_call *c, int status, mcp_results *results, json_writer *to)
{
	int code = c->refused ? EXIT_WRONG : c->pid ? child_exit_code(status) : 0;
	size_t n = 0;
	char *text = c->ready_text ? strdup(c->ready_text) : mcp_call_read_output(c, c->out, &n), *said;
	bool binary;

	if (!text)
		mem_exhausted(1, 1);
	n = c->ready_text ? strlen(c->ready_text) : n;
	binary = strlen(text) != n;
	if (binary)
		*text = 0;
	json_open(to, "content", '[');
	if (c->refused) {
		mcp_call_put_text(to, c->refused);
	} else {
		said = mcp_call_make_notes(c, code, text, n, binary, results);
		if (*text || !*said)
			mcp_call_put_text(to, text);
		if (*said)
			mcp_call_put_text(to, said);
		free(said);
	}
	json_close(to, ']');
	json_bool(to, "isError", code && code != EXIT_BROKEN);      /* EXIT_BROKEN comes with an answer */
	free(text);
}
