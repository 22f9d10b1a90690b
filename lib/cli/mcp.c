#include "cli/mcp.h"
#include "base/number.h"
#include "cli/errors.h"
#include "cli/front_door.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

enum { LINE_BYTES = 16 << 20 };         /* the longest message */
enum { AT_ONCE = 8 };                   /* the most calls that run at the same time */
enum { GRACE_MS = 2000 };               /* how long children may take to end after SIGTERM */
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, INVALID_PARAMS = -32602 };
enum { NO_VERSION = -32022 };

/* The last two revisions of the protocol: one begins with a handshake, the other keeps no state. */
static const char *const handshake_revision = "2025-11-25", *const stateless_revision = "2026-07-28";

static const char *const instructions =
	"nsq answers questions about traces of NVIDIA Nsight Systems and of torch.profiler, each tool one question "
	"with one table. nsq_traces lists the traces. Begin with nsq_advise (what to fix first; of a job, give it the "
	"traces of all ranks), or "
	"nsq_setup (who is in it) and nsq_window (the typical step). The last line of a result names it, such as r1: "
	"windows \"r1\" asks the next tool about the windows of its rows, so nsq_window, then nsq_gaps, nsq_overlap "
	"or nsq_kernels with its result, is the usual way. Lines after the table are notes: read them before you "
	"conclude; where they speak of an option, such as --skip 0, it is the argument skip, and -w is windows. "
	"Report numbers with their window. nsq_help explains a tool and its columns (topic 'skill': how to go on; "
	"'pitfalls': what is easily misread), nsq_recipe answers common questions. Exit code 2: the arguments are "
	"wrong; 3: the trace lacks the data.";

typedef struct {
	char *id;               /* the id as JSON; NULL: there is none */
	bool stateless;         /* does the request use stateless_revision? */
} request;

static const request none;      /* stands for a message without an id */

typedef struct {                /* a call that waits or runs, and the request for it */
	request r;
	mcp_call *call;
} pending_call;

typedef struct {
	folders allowed;
	mcp_json *json;
	mcp_results results;
	vec(pending_call) pending;      /* in order of their requests; running calls have a pid */
	int alive[2];           /* a pipe; when the server's end of it closes, the system ends all that the calls have
				 * started */
	bool ended;
} server;

/* ---- answers */

static void mcp_describe_program(json_writer *j, const char *name)
{
	json_open(j, name, '{');
	json_text(j, "name", "nsq");
	json_text(j, "version", NSQ_VERSION);
	json_close(j, '}');
}

/* Begin an answer, and its member `what`: "result" or "error".  r->id is NULL if the message has no id that can be
 * read. */
static json_writer mcp_begin_answer(const request *r, const char *what)
{
	json_writer j = { .to = stdout };

	json_open(&j, NULL, '{');
	json_text(&j, "jsonrpc", "2.0");
	fputs(r->id ? r->id : "null", json_value(&j, "id"));
	json_open(&j, what, '{');
	return j;
}

static json_writer mcp_begin_result(const request *r)
{
	json_writer j = mcp_begin_answer(r, "result");

	if (r->stateless) {
		json_text(&j, "resultType", "complete");
		json_open(&j, "_meta", '{');
		mcp_describe_program(&j, "io.modelcontextprotocol/serverInfo");
		json_close(&j, '}');
	}
	return j;
}

static void mcp_end_answer(json_writer j)
{
	json_close(&j, '}');
	json_close(&j, '}');
	fputc('\n', stdout);
	fflush(stdout);
}

static json_writer mcp_begin_error(const request *r, int code, const char *text)
{
	json_writer j = mcp_begin_answer(r, "error");

	json_int(&j, "code", code);
	json_text(&j, "message", text);
	return j;
}

__attribute__((format(printf, 3, 4)))
static void mcp_answer_error(const request *r, int code, const char *fmt, ...)
{
	arena texts = { 0 };
	va_list ap;

	va_start(ap, fmt);
	mcp_end_answer(mcp_begin_error(r, code, arena_vprintf(&texts, fmt, ap)));
	va_end(ap);
	arena_free(&texts);
}

static void mcp_describe_server(json_writer *j)
{
	json_open(j, "capabilities", '{');
	json_open(j, "tools", '{');
	json_close(j, '}');
	json_close(j, '}');
	json_text(j, "instructions", instructions);
}

/* Answer initialize.  The answer names handshake_revision, whichever revision the client asked for; the client may then
 * disconnect. */
static void mcp_answer_initialize(const request *r, const mcp_members *params)
{
	json_writer j;

	if (!mcp_json_text(params, "protocolVersion")) {
		mcp_answer_error(r, INVALID_PARAMS, "initialize needs a protocolVersion, a text");
		return;
	}
	j = mcp_begin_result(r);
	json_text(&j, "protocolVersion", handshake_revision);
	mcp_describe_program(&j, "serverInfo");
	mcp_describe_server(&j);
	mcp_end_answer(j);
}

/* Say how long the client may keep an answer.  It changes only when another version of nsq is installed, so an hour is
 * short enough. */
static void mcp_put_lifetime(json_writer *j)
{
	json_int(j, "ttlMs", 3600000);
	json_text(j, "cacheScope", "private");
}

static void mcp_answer_discovery(const request *r)
{
	json_writer j = mcp_begin_result(r);

	mcp_put_lifetime(&j);
	json_open(&j, "supportedVersions", '[');
	json_text(&j, NULL, stateless_revision);
	json_text(&j, NULL, handshake_revision);
	json_close(&j, ']');
	mcp_describe_server(&j);
	mcp_end_answer(j);
}

static void mcp_list_tools(const request *r, const mcp_members *params)
{
	const mcp_member *cursor = mcp_json_find(params, "cursor");
	json_writer j;

	if (cursor && cursor->text && *cursor->text) {
		mcp_answer_error(r, INVALID_PARAMS, "there is no page '%s'; all tools are on the first", cursor->text);
		return;
	}
	j = mcp_begin_result(r);
	if (r->stateless)
		mcp_put_lifetime(&j);
	mcp_tools_list(&j);
	mcp_end_answer(j);
}

/* ---- calls */

static void mcp_answer_call(server *s, const pending_call *c, int status)
{
	json_writer j = mcp_begin_result(&c->r);

	mcp_call_end(c->call, status, &s->results, &j);
	mcp_end_answer(j);
}

static void mcp_forget_call(server *s, size_t i)
{
	pending_call *c = &s->pending.v[i];

	mcp_call_free(c->call);
	free(c->r.id);
	memmove(c, c + 1, (--s->pending.n - i) * sizeof *c);
}

/* Start waiting calls, as long as fewer than AT_ONCE run.  A call that cannot be started is answered immediately. */
static void mcp_start_calls(server *s)
{
	size_t running = 0;

	for (size_t i = 0; i < s->pending.n && running < AT_ONCE; i++) {
		pending_call *c = &s->pending.v[i];
		if (!c->call->pid)
			mcp_call_start(c->call, &s->allowed, s->alive);
		if (c->call->pid) {
			running++;
		} else {
			mcp_answer_call(s, c, 0);
			mcp_forget_call(s, i--);
		}
	}
}

static void mcp_call_tool(server *s, const request *r, const mcp_members *params, const char *message)
{
	const char *name = mcp_json_text(params, "name");
	const mcp_member *given = mcp_json_find(params, "arguments");
	pending_call c = { *r, NULL };

	if (!name || (given && strcmp(given->type, "object") != 0 && strcmp(given->type, "null") != 0)) {
		mcp_answer_error(r, INVALID_PARAMS,
				 "tools/call needs the name of a tool, a text, and arguments, an object");
		return;
	}
	c.call = mcp_call_new();
	if (!mcp_call_read(c.call, s->json, name, message, &s->allowed, &s->results)) {
		mcp_answer_error(r, INVALID_PARAMS, "no tool '%s'; tools/list has them", name);
	} else if (c.call->refused || c.call->ready_text) {
		mcp_answer_call(s, &c, 0);
	} else {
		c.r.id = strdup(r->id);
		if (!c.r.id)
			mem_exhausted(1, strlen(r->id));
		vec_push(&s->pending, c);
		return;
	}
	mcp_call_free(c.call);
}

static void mcp_signal_group(const mcp_call *c, int sig)
{
	if (c->pid)
		kill(-c->pid, sig);
}

/* Cancel a call: it gets no answer.  Its process is reaped like every other (mcp_reap_children). */
static void mcp_cancel_call(server *s, const char *id)
{
	for (size_t i = 0; i < s->pending.n; i++)
		if (strcmp(s->pending.v[i].r.id, id) == 0) {
			mcp_signal_group(s->pending.v[i].call, SIGTERM);
			mcp_forget_call(s, i--);
		}
}

static void mcp_reap_children(server *s)
{
	int status;

	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		kill(-pid, SIGKILL);            /* ends processes that a recipe left running */
		for (size_t i = 0; i < s->pending.n; i++)
			if (s->pending.v[i].call->pid == pid) {
				mcp_answer_call(s, &s->pending.v[i], status);
				mcp_forget_call(s, i--);
			}
	}
}

/* ---- requests */

/* The id of a request as JSON, in the arena; NULL: the member is no valid id.  A whole number must fit into 64 bits,
 * because SQLite rounds larger ones. */
static char *mcp_read_id(const mcp_member *m, arena *to)
{
	char *text = NULL;
	int64_t number;
	size_t size;
	json_writer j;

	if (m && strcmp(m->type, "integer") == 0 && number_int(m->text, &number))
		return arena_copy(to, m->text);
	if (!m || strcmp(m->type, "text") != 0)
		return NULL;
	j = (json_writer){ .to = text_open(&text, &size) };
	json_text(&j, NULL, m->text);
	return text_close_into(j.to, &text, to);
}

static void mcp_handle_notification(server *s, const char *method, const char *message, arena *texts)
{
	mcp_members params = mcp_json_members(s->json, message, "$.params", texts);
	const char *id = mcp_read_id(mcp_json_find(&params, "requestId"), texts);

	if (id && strcmp(method, "notifications/cancelled") == 0)
		mcp_cancel_call(s, id);
	vec_free(&params);
}

/* Read the version of the protocol from the request, which need not have one.  False: the version is not supported, and
 * the request has been answered. */
static bool mcp_read_version(server *s, request *r, const char *message, arena *texts)
{
	mcp_members meta = mcp_json_members(s->json, message, "$.params._meta", texts);
	const char *version = mcp_json_text(&meta, "io.modelcontextprotocol/protocolVersion");
	json_writer j;

	vec_free(&meta);
	r->stateless = version && strcmp(version, stateless_revision) == 0;
	if (!version || r->stateless)
		return true;
	j = mcp_begin_error(r, NO_VERSION, "Unsupported protocol version");
	json_open(&j, "data", '{');
	json_open(&j, "supported", '[');
	json_text(&j, NULL, stateless_revision);
	json_close(&j, ']');
	json_text(&j, "requested", version);
	json_close(&j, '}');
	mcp_end_answer(j);
	return false;
}

static void mcp_answer_request(server *s, request *r, const char *method, const char *message, arena *texts)
{
	mcp_members params = mcp_json_members(s->json, message, "$.params", texts);

	if (!mcp_read_version(s, r, message, texts))
		;
	else if (strcmp(method, "initialize") == 0)
		mcp_answer_initialize(r, &params);
	else if (strcmp(method, "server/discover") == 0)
		mcp_answer_discovery(r);
	else if (strcmp(method, "ping") == 0)
		mcp_end_answer(mcp_begin_answer(r, "result"));
	else if (strcmp(method, "tools/list") == 0)
		mcp_list_tools(r, &params);
	else if (strcmp(method, "tools/call") == 0)
		mcp_call_tool(s, r, &params, message);
	else
		mcp_answer_error(r, NO_METHOD, "no method '%s'; this server has tools only", method);
	vec_free(&params);
}

static void mcp_handle_message(server *s, const char *message)
{
	arena texts = { 0 };
	mcp_members m = mcp_json_members(s->json, message, "$", &texts);
	const char *version = mcp_json_text(&m, "jsonrpc"), *method = mcp_json_text(&m, "method");
	const mcp_member *params = mcp_json_find(&m, "params"), *id = mcp_json_find(&m, "id");
	request r = { mcp_read_id(id, &texts), false };

	if (!method && r.id && (mcp_json_find(&m, "result") || mcp_json_find(&m, "error")))
		;                       /* an answer, although the server asked nothing */
	else if (!version || strcmp(version, "2.0") != 0 || !method || (id && !r.id))
		mcp_answer_error(&r, INVALID_REQUEST,
				 "no request of JSON-RPC 2.0, which has a jsonrpc, \"2.0\", a method, a "
				 "text, and an id, a text or a whole number");
	else if (!r.id)
		mcp_handle_notification(s, method, message, &texts);
	else if (params && strcmp(params->type, "object") != 0)
		mcp_answer_error(&r, INVALID_PARAMS, "params is an object");
	else
		mcp_answer_request(s, &r, method, message, &texts);
	vec_free(&m);
	arena_free(&texts);
}

static void mcp_handle_line(server *s, const char *line, size_t n)
{
	const char *wrong = strlen(line) != n ? "it holds a NUL" : NULL, *begin = line + strspn(line, " \t\r");

	if (!wrong && !*begin)
		return;
	if (!wrong)
		wrong = mcp_json_check(begin, s->json);
	if (wrong)
		mcp_answer_error(&none, PARSE_ERROR, "cannot read the message: %s", wrong);
	else if (*begin != '{')
		mcp_answer_error(&none, INVALID_REQUEST, "a message is an object, one a line");
	else
		mcp_handle_message(s, begin);
	mcp_start_calls(s);
}

/* ---- input */

typedef struct {
	vec(char) got;          /* what has been read and not been handled */
	bool too_long;          /* is the rest of the current line skipped? */
} input;

/* Handle the complete lines of the input. */
static void mcp_handle_lines(server *s, input *in)
{
	char *line = in->got.v, *stop = line + in->got.n, *end;

	for (; line < stop && (end = memchr(line, '\n', (size_t)(stop - line))); line = end + 1) {
		*end = 0;
		if (!in->too_long)
			mcp_handle_line(s, line, (size_t)(end - line));
		in->too_long = false;
	}
	in->got.n = (size_t)(stop - line);
	memmove(in->got.v, line, in->got.n);
	if (in->got.n > LINE_BYTES) {
		if (!in->too_long)
			mcp_answer_error(&none, INVALID_REQUEST, "the message is longer than %d bytes", LINE_BYTES);
		in->too_long = true;
		in->got.n = 0;
	}
}

static void mcp_read_input(server *s, input *in)
{
	enum { SOME = 1 << 16 };
	ssize_t n;

	vec_reserve(&in->got, in->got.n + SOME);
	n = read(STDIN_FILENO, in->got.v + in->got.n, SOME);
	if (n > 0) {
		in->got.n += (size_t)n;
		mcp_handle_lines(s, in);
	} else if (n == 0 || errno != EINTR) {
		s->ended = true;
	}
}

/* Read the signals that have arrived: SIGCHLD says that a child has ended, any other ends the server. */
static void mcp_read_signals(server *s, int fd)
{
	struct signalfd_siginfo got;

	while (read(fd, &got, sizeof got) == sizeof got)
		s->ended |= got.ssi_signo != SIGCHLD;
	mcp_reap_children(s);
	mcp_start_calls(s);
}

static void mcp_serve_messages(server *s)
{
	static const int heard[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP };
	input in = { 0 };
	struct pollfd from[2];
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
		sigaddset(&set, heard[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	from[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
	from[1] = (struct pollfd){ .fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC), .events = POLLIN };
	while (!s->ended && !ferror(stdout)) {
		if (poll(from, 2, -1) < 0) {
			if (errno != EINTR)
				die(EXIT_FAILED, "cannot wait for messages:");
			continue;
		}
		if (from[1].revents)
			mcp_read_signals(s, from[1].fd);
		if (from[0].revents)
			mcp_read_input(s, &in);
	}
	close(from[1].fd);
	vec_free(&in.got);
}

/* End all children: first with SIGTERM, so that they can remove unfinished files, then with SIGKILL. */
static void mcp_end_children(server *s)
{
	struct timespec moment = { 0, 10000000 };

	for (size_t i = 0; i < s->pending.n; i++)
		mcp_signal_group(s->pending.v[i].call, SIGTERM);
	for (int ms = 0; ms < GRACE_MS && waitpid(-1, NULL, WNOHANG) >= 0; ms += 10)
		nanosleep(&moment, NULL);
	while (s->pending.n) {
		mcp_signal_group(s->pending.v[0].call, SIGKILL);
		mcp_forget_call(s, 0);
	}
}

static const char *const usage = "usage: nsq mcp DIR...\n\n"
	"Serves the tools to an agent, by the Model Context Protocol on standard input and output.\n"
	"It reads the traces in the folders DIR... and the folders in them, and nothing else.\n"
	"It writes files only there, and only where an argument 'output' says so.\n\n"
	"examples:\n  nsq mcp ~/traces\n  claude mcp add nsq -- nsq mcp ~/traces\n\n"
	"The agent starts the server: nsq help mcp shows how.\n";

int mcp_main(int argc, char **argv)
{
	server s = { 0 };

	if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
		terminal_say(usage);
		return errors_status();
	}
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-')
			die(EXIT_WRONG, "unknown option '%s'; usage: nsq mcp DIR...", argv[i]);
		else if (!folders_add(&s.allowed, argv[i]))
			die(EXIT_WRONG, "'%s' cannot be a folder of traces%s", argv[i], errno == EINVAL ? ", because "
			    "it has a ':' in its name; rename it" : ":");
	if (!s.allowed.all.n)
		die(EXIT_WRONG, "which folders may be read? usage: nsq mcp DIR...");
	if (pipe2(s.alive, O_CLOEXEC) != 0)
		die(EXIT_FAILED, "cannot make a pipe:");
	s.json = mcp_json_new();
	mcp_serve_messages(&s);
	mcp_end_children(&s);
	mcp_json_free(s.json);
	mcp_results_free(&s.results);
	vec_free(&s.pending);
	folders_free(&s.allowed);
	if (ferror(stdout))
		complain(EXIT_FAILED, "cannot write an answer; has the client ended?");
	return errors_status();
}
