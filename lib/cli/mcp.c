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

enum { LINE_BYTES = 16 << 20, AT_ONCE = 8, GRACE_MS = 2000 };
enum { PARSE_ERROR = -32700, INVALID_REQUEST = -32600, NO_METHOD = -32601, INVALID_PARAMS = -32602 };
enum { NO_VERSION = -32022 };

/* Those with a handshake, newest first; and the one without. */
static const char *const handshakes[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL };
static const char *const stateless = "2026-07-28";
static const char *const batches = "2025-03-26";        /* the only one that has them */

static const char *const instructions =
	"nsq answers questions about NVIDIA Nsight Systems traces, each tool one question with one table. nsq_traces "
	"lists the traces. Begin with nsq_advise (what to fix first; of a job, give it the traces of all ranks), or "
	"nsq_setup (who is in it) and nsq_window (the typical step). The last line of a result names it, such as r1: "
	"windows \"r1\" asks the next tool about the windows of its rows, so nsq_window, then nsq_gaps, nsq_overlap "
	"or nsq_kernels with its result, is the usual way. Lines after the table are notes: read them before you "
	"conclude; where they speak of an option, such as --skip 0, it is the argument skip, and -w is windows. "
	"Report numbers with their window. nsq_help explains a tool and its columns (topic 'skill': how to go on; "
	"'pitfalls': what is easily misread), nsq_recipe answers common questions. Exit code 2: the arguments are "
	"wrong; 3: the trace lacks the data.";

/* The answers to several requests of one line, sent when all are there. */
typedef struct {
	size_t open, written;   /* requests not answered yet, and answers */
	char *text;
	size_t size;
	FILE *to;
} batch;

typedef struct {
	char *id;               /* as it is written */
	bool stateless;
	batch *of;              /* or NULL */
} request;

static const request none;      /* of a message without an id */

typedef struct {
	request r;
	mcp_call *call;
} flight;

typedef struct {
	folders allowed;
	mcp_json *json;
	mcp_results results;
	vec(flight) flights;    /* in the order of their requests; those that run have a pid */
	int alive[2];           /* a pipe whose closing ends what the calls have started */
	const char *version;    /* that was agreed on; NULL: none yet */
	bool ended;
} server;

/* ---- answers */

/* A batch is answered when nothing of it is open. */
static void batch_less(batch *b)
{
	if (!b || --b->open)
		return;
	text_close(b->to);
	if (b->written)
		printf("%s]\n", b->text);
	fflush(stdout);
	mem_free(b->text, b);
}

/* The answer to a request, or to none. */
static FILE *answer_begin(const request *r, const char *what)
{
	batch *b = r->of;
	FILE *f = b ? b->to : stdout;

	if (b)
		fputs(b->written++ ? "," : "[", f);
	fprintf(f, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"%s\":{", r->id ? r->id : "null", what);
	return f;
}

static FILE *result_begin(const request *r)
{
	FILE *f = answer_begin(r, "result");

	if (r->stateless)
		fprintf(f, "\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":"
			"{\"name\":\"nsq\",\"version\":\"%s\"}},", NSQ_VERSION);
	return f;
}

static void result_end(const request *r, FILE *f)
{
	fputs(r->of ? "}}" : "}}\n", f);
	fflush(stdout);
}

static FILE *error_begin(const request *r, int code, const char *text)
{
	FILE *f = answer_begin(r, "error");

	fprintf(f, "\"code\":%d,\"message\":", code);
	format_json(f, text);
	return f;
}

__attribute__((format(printf, 3, 4)))
static void error(const request *r, int code, const char *fmt, ...)
{
	arena texts = { 0 };
	va_list ap;

	va_start(ap, fmt);
	result_end(r, error_begin(r, code, arena_vprintf(&texts, fmt, ap)));
	va_end(ap);
	arena_free(&texts);
}

static void versions(FILE *f, bool all)
{
	fprintf(f, "[\"%s\"", stateless);
	for (const char *const *v = handshakes; all && *v; v++)
		fprintf(f, ",\"%s\"", *v);
	putc(']', f);
}

static void about_server(FILE *f)
{
	fputs("\"capabilities\":{\"tools\":{}},\"instructions\":", f);
	format_json(f, instructions);
}

static void initialize(server *s, const request *r, const mcp_members *params)
{
	const char *asked = mcp_json_text(params, "protocolVersion");
	const char *const *v = handshakes;
	FILE *f;

	if (r->of) {
		error(r, INVALID_REQUEST, "initialize is not part of a batch");
		return;
	}
	if (!asked) {
		error(r, INVALID_PARAMS, "initialize needs a protocolVersion, a text");
		return;
	}
	while (*v && strcmp(*v, asked) != 0)
		v++;
	s->version = *v ? *v : handshakes[0];
	f = result_begin(r);
	fprintf(f, "\"protocolVersion\":\"%s\",\"serverInfo\":{\"name\":\"nsq\",\"version\":\"%s\"},", s->version,
		NSQ_VERSION);
	about_server(f);
	result_end(r, f);
}

/* Until it is another program. */
static void for_long(FILE *f)
{
	fputs("\"ttlMs\":3600000,\"cacheScope\":\"private\",", f);
}

static void discover(const request *r)
{
	FILE *f = result_begin(r);

	for_long(f);
	fputs("\"supportedVersions\":", f);
	versions(f, true);
	putc(',', f);
	about_server(f);
	result_end(r, f);
}

static void list_tools(const request *r, const mcp_members *params)
{
	const mcp_member *cursor = mcp_json_find(params, "cursor");
	FILE *f;

	if (cursor && cursor->text && *cursor->text) {
		error(r, INVALID_PARAMS, "there is no page '%s'; all tools are on the first", cursor->text);
		return;
	}
	f = result_begin(r);
	if (r->stateless)
		for_long(f);
	fputs("\"tools\":", f);
	mcp_tools_list(f);
	result_end(r, f);
}

/* ---- calls */

static void answer_call(server *s, const flight *c, int status)
{
	FILE *f = result_begin(&c->r);

	mcp_call_end(c->call, status, &s->results, f);
	result_end(&c->r, f);
}

static void forget(server *s, size_t i)
{
	flight *c = &s->flights.v[i];

	mcp_call_free(c->call);
	free(c->r.id);
	batch_less(c->r.of);
	memmove(c, c + 1, (--s->flights.n - i) * sizeof *c);
}

/* Start as many as may run; one that cannot be started is answered. */
static void start_calls(server *s)
{
	size_t running = 0;

	for (size_t i = 0; i < s->flights.n && running < AT_ONCE; i++) {
		flight *c = &s->flights.v[i];
		if (!c->call->pid)
			mcp_call_start(c->call, &s->allowed, s->alive);
		if (c->call->pid) {
			running++;
		} else {
			answer_call(s, c, 0);
			forget(s, i--);
		}
	}
}

static void call_tool(server *s, const request *r, const mcp_members *params, const char *message)
{
	const char *name = mcp_json_text(params, "name");
	const mcp_member *given = mcp_json_find(params, "arguments");
	flight c = { *r, NULL };

	if (!name || (given && strcmp(given->type, "object") != 0 && strcmp(given->type, "null") != 0)) {
		error(r, INVALID_PARAMS, "tools/call needs the name of a tool, a text, and arguments, an object");
		return;
	}
	c.call = mcp_call_new();
	if (!mcp_call_read(c.call, s->json, name, message, &s->allowed, &s->results)) {
		error(r, INVALID_PARAMS, "no tool '%s'; tools/list has them", name);
	} else if (c.call->refused || c.call->given) {
		answer_call(s, &c, 0);
	} else {
		c.r.id = strdup(r->id);
		if (!c.r.id)
			mem_exhausted(1, strlen(r->id));
		if (r->of)
			r->of->open++;
		vec_push(&s->flights, c);
		return;
	}
	mcp_call_free(c.call);
}

static void end_group(const mcp_call *c, int sig)
{
	if (c->pid)
		kill(-c->pid, sig);
}

/* A call that is cancelled is not answered; its child is waited for where every child is. */
static void cancel(server *s, const char *id)
{
	for (size_t i = 0; i < s->flights.n; i++)
		if (strcmp(s->flights.v[i].r.id, id) == 0) {
			end_group(s->flights.v[i].call, SIGTERM);
			forget(s, i--);
		}
}

static void reap(server *s)
{
	int status;

	for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
		kill(-pid, SIGKILL);            /* what a recipe may have left */
		for (size_t i = 0; i < s->flights.n; i++)
			if (s->flights.v[i].call->pid == pid) {
				answer_call(s, &s->flights.v[i], status);
				forget(s, i--);
			}
	}
}

/* ---- requests */

/* How an id is written, in the arena; NULL: it is none.  SQLite writes a whole number as it was, unless it is huge. */
static char *id_of(const mcp_member *m, arena *to)
{
	char *text = NULL;
	size_t size;
	int64_t number;
	FILE *f;

	if (m && strcmp(m->type, "integer") == 0 && number_int(m->text, &number))
		return arena_copy(to, m->text);
	if (!m || strcmp(m->type, "text") != 0)
		return NULL;
	f = text_open(&text, &size);
	format_json(f, m->text);
	return text_end(f, &text, to);
}

static void notified(server *s, const char *method, const char *message, arena *texts)
{
	mcp_members params = mcp_json_members(s->json, message, "$.params", texts);
	const char *id = id_of(mcp_json_find(&params, "requestId"), texts);

	if (id && strcmp(method, "notifications/cancelled") == 0)
		cancel(s, id);
	vec_free(&params);
}

/* Does the request say its version itself?  False if it is one that is not known, which is answered. */
static bool read_version(server *s, request *r, const char *message, arena *texts)
{
	mcp_members meta = mcp_json_members(s->json, message, "$.params._meta", texts);
	const char *asked = mcp_json_text(&meta, "io.modelcontextprotocol/protocolVersion");
	FILE *f;

	vec_free(&meta);
	r->stateless = asked && strcmp(asked, stateless) == 0;
	if (!asked || r->stateless)
		return true;
	f = error_begin(r, NO_VERSION, "Unsupported protocol version");
	fputs(",\"data\":{\"supported\":", f);
	versions(f, false);
	fputs(",\"requested\":", f);
	format_json(f, asked);
	putc('}', f);
	result_end(r, f);
	return false;
}

static void asked(server *s, request *r, const char *method, const char *message, arena *texts)
{
	mcp_members params = mcp_json_members(s->json, message, "$.params", texts);

	if (!read_version(s, r, message, texts))
		;
	else if (strcmp(method, "initialize") == 0)
		initialize(s, r, &params);
	else if (strcmp(method, "server/discover") == 0)
		discover(r);
	else if (strcmp(method, "ping") == 0)
		result_end(r, answer_begin(r, "result"));
	else if (strcmp(method, "tools/list") == 0)
		list_tools(r, &params);
	else if (strcmp(method, "tools/call") == 0)
		call_tool(s, r, &params, message);
	else
		error(r, NO_METHOD, "no method '%s'; this server has tools only", method);
	vec_free(&params);
}

/* One message; of a batch, each. */
static void handle(server *s, const char *message, batch *of)
{
	arena texts = { 0 };
	mcp_members m = mcp_json_members(s->json, message, "$", &texts);
	const char *version = mcp_json_text(&m, "jsonrpc"), *method = mcp_json_text(&m, "method");
	const mcp_member *params = mcp_json_find(&m, "params"), *id = mcp_json_find(&m, "id");
	request r = { id_of(id, &texts), false, of };

	if (!method && r.id && (mcp_json_find(&m, "result") || mcp_json_find(&m, "error")))
		;                       /* an answer, but nothing was asked */
	else if (*message != '{' || !version || strcmp(version, "2.0") != 0 || !method || (id && !r.id))
		error(&r, INVALID_REQUEST, "no request of JSON-RPC 2.0, which has a jsonrpc, \"2.0\", a method, a "
		      "text, and an id, a text or a whole number");
	else if (params && strcmp(params->type, "object") != 0)
		error(&r, INVALID_PARAMS, "params is an object");
	else if (r.id)
		asked(s, &r, method, message, &texts);
	else
		notified(s, method, message, &texts);
	vec_free(&m);
	arena_free(&texts);
}

static void handle_batch(server *s, const char *line)
{
	arena texts = { 0 };
	mcp_members all = mcp_json_members(s->json, line, "$", &texts);
	batch *b;

	if (!s->version || strcmp(s->version, batches) != 0) {
		error(&none, INVALID_REQUEST, "only revision %s has batches; send one message a line", batches);
	} else if (!all.n) {
		error(&none, INVALID_REQUEST, "the batch is empty");
	} else {
		b = mem_new(batch, 1);
		b->open = 1;            /* while it is read */
		b->to = text_open(&b->text, &b->size);
		for (size_t i = 0; i < all.n; i++)
			handle(s, all.v[i].text ? all.v[i].text : "null", b);
		batch_less(b);
	}
	vec_free(&all);
	arena_free(&texts);
}

static void handle_line(server *s, const char *line, size_t n)
{
	const char *wrong = strlen(line) != n ? "it holds a NUL" : NULL, *begin = line + strspn(line, " \t\r");

	if (!wrong && !*begin)
		return;
	if (!wrong)
		wrong = mcp_json_wrong(begin, s->json);
	if (wrong)
		error(&none, PARSE_ERROR, "cannot read the message: %s", wrong);
	else if (*begin == '[')
		handle_batch(s, begin);
	else
		handle(s, begin, NULL);
	start_calls(s);
}

/* ---- input */

typedef struct {
	vec(char) got;
	bool too_long;          /* the line is skipped up to its end */
} input;

/* The lines that are complete. */
static void take_lines(server *s, input *in)
{
	char *line = in->got.v, *stop = line + in->got.n, *end;

	for (; line < stop && (end = memchr(line, '\n', (size_t)(stop - line))); line = end + 1) {
		*end = 0;
		if (!in->too_long)
			handle_line(s, line, (size_t)(end - line));
		in->too_long = false;
	}
	in->got.n = (size_t)(stop - line);
	memmove(in->got.v, line, in->got.n);
	if (in->got.n > LINE_BYTES) {
		if (!in->too_long)
			error(&none, INVALID_REQUEST, "the message is longer than %d bytes", LINE_BYTES);
		in->too_long = true;
		in->got.n = 0;
	}
}

static void read_input(server *s, input *in)
{
	enum { SOME = 1 << 16 };
	ssize_t n;

	vec_reserve(&in->got, in->got.n + SOME);
	n = read(STDIN_FILENO, in->got.v + in->got.n, SOME);
	if (n > 0) {
		in->got.n += (size_t)n;
		take_lines(s, in);
	} else if (n == 0 || errno != EINTR) {
		s->ended = true;
	}
}

/* Signals of ours come as something to read: a child has ended, or we shall. */
static void read_signals(server *s, int fd)
{
	struct signalfd_siginfo got;

	while (read(fd, &got, sizeof got) == sizeof got)
		s->ended |= got.ssi_signo != SIGCHLD;
	reap(s);
	start_calls(s);
}

static void serve(server *s)
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
			read_signals(s, from[1].fd);
		if (from[0].revents)
			read_input(s, &in);
	}
	close(from[1].fd);
	vec_free(&in.got);
}

/* Children are asked to end, so that they remove what they have half written; then they are ended. */
static void end_children(server *s)
{
	struct timespec moment = { 0, 10000000 };

	for (size_t i = 0; i < s->flights.n; i++)
		end_group(s->flights.v[i].call, SIGTERM);
	for (int ms = 0; ms < GRACE_MS && waitpid(-1, NULL, WNOHANG) >= 0; ms += 10)
		nanosleep(&moment, NULL);
	while (s->flights.n) {
		end_group(s->flights.v[0].call, SIGKILL);
		s->flights.v[0].r.of = NULL;
		forget(s, 0);
	}
}

static const char *const usage = "usage: nsq mcp DIR...\n\n"
	"Serves the tools to an agent, by the Model Context Protocol on standard input and output. Traces are read in "
	"the folders DIR... and the folders in them, and nowhere else; files are written only there, and only where an "
	"argument 'output' says so. The agent starts it: nsq help mcp shows how.\n";

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
	serve(&s);
	end_children(&s);
	mcp_json_free(s.json);
	mcp_results_free(&s.results);
	vec_free(&s.flights);
	folders_free(&s.allowed);
	if (ferror(stdout))
		complain(EXIT_FAILED, "cannot write an answer; has the client ended?");
	return errors_status();
}
