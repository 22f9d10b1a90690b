/*
 * fuzz - one input of the fuzzer, as one run of a tool.
 *
 *     fuzz KIND TINY INPUT...            KIND: one of kinds[], below
 *
 * TINY is the trace of tiny.sql.  An INPUT is a file:
 *
 *     trace     byte 0 the tool and its mode, 1..3 how much of TINY to keep (from the end, so that
 *               0 keeps all), then groups of 4: an offset of 3 bytes and the byte to put there
 *     windows   a window table for -w
 *     tables    a table for the tools that read tables
 *     rules     byte 0 the tool and how the file is named; then the file
 *     spec      byte 0 the tool; then the argument of -w
 *     torch     a trace of torch.profiler; a tool is then run on its import
 *     ncu       what Nsight Compute measured, as CSV
 *     sql       a query of nsq-sql over TINY
 *     gate      a condition of nsq-gate over a small table
 *     diff      byte 0 the options; then two tables, separated by a line that is ====
 *     plot      byte 0 the kind of picture and its format; then a table
 *     find      byte 0 what is asked; then the expression or time
 *     payloads  byte 0 how many fields the schemas have; 12 bytes for each: domain, schema, index, type, name and an
 *               offset; then a payload of NCCL
 *
 * afl-fuzz runs it with one INPUT in a process of its own, so the tools are the real ones with all
 * their exits.  With several, as the tests run it over the cases that are kept, each has a child.
 * It ends by SIGABRT when a tool exits with a code that is not in the contract.
 */
#include "cli/run.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const trace_modes[] = {
	"nsq-setup",
	"nsq-setup --facts",
	"nsq-window",
	"nsq-window --pick all --period",
	"nsq-window -m .",
	"nsq-window --list",
	"nsq-streams",
	"nsq-overlap",
	"nsq-overlap --each",
	"nsq-overlap --total",
	"nsq-overlap --by stream,name -w 1000..9000",
	"nsq-gaps",
	"nsq-gaps --each --min 0",
	"nsq-gaps --by cause",
	"nsq-gaps --by nvtx",
	"nsq-nvtx",
	"nsq-nvtx --tree",
	"nsq-nvtx --each",
	"nsq-nvtx --adopt --exact",
	"nsq-nvtx --captured --tree",
	"nsq-gaps --captured --each",
	"nsq-stalls",
	"nsq-stalls --each",
	"nsq-stalls --by part,producer",
	"nsq-stalls --by stage,nvtx",
	"nsq-path",
	"nsq-path --each --adopt --captured",
	"nsq-path --ranks -w 1000..9000",
	"nsq-kernels",
	"nsq-kernels --full --work all",
	"nsq-kernels --each",
	"nsq-kernels --by category",
	"nsq-kernels --by owner,name",
	"nsq-kernels --by nvtx,stream",
	"nsq-api",
	"nsq-api --launch",
	"nsq-api --each",
	"nsq-api --by thread",
	"nsq-mem",
	"nsq-mem --each",
	"nsq-mem --by nvtx,gpu",
	"nsq-advise --min-pct 0",
	"nsq-advise --captured -m .",
	"nsq-setup --inside -w 200..8000",
	"nsq-nccl",
	"nsq-nccl --each",
	"nsq-nccl --stragglers",
	"nsq-mem --usage",
	"nsq-mem --faults",
	"nsq-metrics",
	"nsq-metrics --each",
	"nsq-metrics --by name,nvtx,stage -w 1000..2500",
	"nsq-threads",
	"nsq-threads --os",
	"nsq-threads --samples",
	"nsq-threads --stacks",
	"nsq-api --by source",
	"nsq-find .",
	"nsq-find --at 600",
	"nsq-threads --inside -w 500..8000",
	"nsq-export",
	"nsq-view",
	"nsq-ledger --by owner,where,name --adopt --captured",
	"nsq-ledger --merge --spread -m .",
	"nsq-slice --check",
	"nsq-slice --check -w 1000..2500",
};

static const char *const window_modes[] = { "nsq-api", "nsq-overlap --merge", "nsq-gaps", "nsq-window --pick all" };

/* The words of the tool that are one argument are separated by +. */
static const char *const table_modes[] = {
	"nsq-sql select+*+from+t",
	"nsq-gate pid+<+5+or+start_ns+>+3",
	"nsq-gate -f jsonl 0",
	"nsq-gate -f table 0",
	"nsq-sql -f csv select+*+from+t+where+start_ns+>+1+and+end_ns+<+99",
	"nsq-sql --columns select+*+from+t",
	"nsq-plot",
	"nsq-plot -f text",
	"nsq-plot -f html --kind stack",
	"nsq-plot --kind hist",
	"nsq-plot --kind timeline",
	"nsq-plot --kind line -f text",
};

static const char *const rule_modes[] = {
	"nsq-overlap --rules", "nsq-kernels --by category --categories", "nsq-nvtx --phases", "nsq-streams --rules",
};

static const char *const diff_modes[] = { "nsq-diff", "nsq-diff --min-pct 0 --alpha 1", "nsq-diff --by name -f jsonl",
					  "nsq-diff --of dur_ns --min 5us" };

static const char *const plot_modes[] = {
	"nsq-plot",
	"nsq-plot -f text",
	"nsq-plot -f html",
	"nsq-plot -k bars",
	"nsq-plot -k stack -f text",
	"nsq-plot -k timeline",
	"nsq-plot -k timeline -f text",
	"nsq-plot -k line",
	"nsq-plot -k line -f text",
	"nsq-plot -k hist",
	"nsq-plot -k hist -f text",
	"nsq-plot -k hist -f html -n 3",
};

static const char *const find_modes[] = { "nsq-find",	   "nsq-find --kind range,kernel",
					  "nsq-find --at", "nsq-kernels -m",
					  "nsq-window -m", "nsq-overlap --comm" };

#define COUNT(list) (sizeof(list) / sizeof *(list))

static unsigned char input[1 << 20];
static size_t size;
static char scratch[300];       /* the file that the tool is given */

static char scratch_2[300];

static void check_status(int status, void *unused)
{
	(void)unused;
	unlink(scratch);
	unlink(scratch_2);
	if (status < 0 || status > 4)
		abort();
}

static size_t read_file(const char *path, unsigned char *to, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n;

	if (!f) {
		perror(path);
		exit(2);
	}
	n = fread(to, 1, room, f);
	fclose(f);
	return n;
}

static void write_to(const char *path, const void *data, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0) {
		perror(path);
		exit(2);
	}
}

static void write_file(const void *data, size_t n)
{
	write_to(scratch, data, n);
}

/* The input from byte `from` on as a string. */
static char *as_text(size_t from)
{
	input[size < sizeof input ? size : sizeof input - 1] = 0;
	return (char *)input + from;
}

/* Run a tool on "nsq-tool --option ..." and further arguments, up to a NULL. */
static int run(const char *command, char *const *more)
{
	char words[200], *argv[16], *save = NULL;
	int argc = 0;

	snprintf(words, sizeof words, "%s", command);
	for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
		argv[argc++] = w;
		while ((w = strchr(w, '+')))
			*w = ' ';
	}
	while (*more)
		argv[argc++] = *more++;
	argv[argc] = NULL;
	return tools_run(tools_find(argv[0]), argc, argv);
}

static int fuzz_trace(char *tiny)
{
	static unsigned char image[1 << 16];
	size_t n = read_file(tiny, image, sizeof image), cut;

	if (size < 4)
		return 0;
	cut = (size_t)input[1] << 16 | (size_t)input[2] << 8 | input[3];
	for (size_t i = 4; i + 4 <= size; i += 4)
		image[((size_t)input[i] << 16 | (size_t)input[i + 1] << 8 | input[i + 2]) % n] = input[i + 3];
	write_file(image, n - cut % n);
	return run(trace_modes[input[0] % COUNT(trace_modes)], (char *[]){ scratch, NULL });
}

static int fuzz_windows(char *tiny)
{
	static char w[] = "-w";

	write_file(input, size);
	return run(window_modes[size % COUNT(window_modes)], (char *[]){ w, scratch, tiny, NULL });
}

static int fuzz_tables(char *tiny)
{
	(void)tiny;
	write_file(input, size);
	return run(table_modes[size % COUNT(table_modes)], (char *[]){ scratch, NULL });
}

static int fuzz_rules(char *tiny)
{
	char named[400];

	if (!size)
		return 0;
	write_file(input + 1, size - 1);
	snprintf(named, sizeof named, "%s%s", scratch, input[0] & 64 ? ":vllm:llama" : "");
	return run(rule_modes[input[0] % COUNT(rule_modes)], (char *[]){ named, tiny, NULL });
}

static int fuzz_spec(char *tiny)
{
	static char w[] = "-w";

	if (!size)
		return 0;
	return run(window_modes[input[0] % COUNT(window_modes)], (char *[]){ w, as_text(1), tiny, NULL });
}

static int fuzz_ncu(char *tiny)
{
	write_file(input, size);
	return run("nsq-mfu --peak 1 --ncu", (char *[]){ scratch, tiny, NULL });
}

static int fuzz_torch(char *tiny)
{
	static const char *const modes[] = { "nsq-setup",	"nsq-advise --min-pct 0", "nsq-nccl --each",
					     "nsq-nvtx --tree", "nsq-mem --each",	  "nsq-mfu --shapes",
					     "nsq-export" };
	int code;

	(void)tiny;
	write_file(input, size);
	code = run("nsq-import -q --stacks -o", (char *[]){ scratch_2, scratch, NULL });
	return code ? code : run(modes[size % COUNT(modes)], (char *[]){ scratch_2, NULL });
}

static int fuzz_sql(char *tiny)
{
	return run("nsq-sql -q --timeout 1s --max-rows 10000 --", (char *[]){ as_text(0), tiny, NULL });
}

static int fuzz_gate(char *tiny)
{
	static const char rows[] =
		"pid\tidle_ns\tidle_pct\tname\tfailed\n1\t4900000\t49\tgemm\ttrue\n2:5\t-\t0.5\t2d copy\t-\n";

	(void)tiny;
	write_file(rows, sizeof rows - 1);
	return run("nsq-gate -q --timeout 1s --", (char *[]){ as_text(0), scratch, NULL });
}

static int fuzz_diff(char *tiny)
{
	char *text, *second;

	(void)tiny;
	if (!size)
		return 0;
	text = as_text(1);
	second = strstr(text, "\n====\n");
	write_file(text, second ? (size_t)(second - text) + 1 : strlen(text));
	second = second ? second + 6 : text;
	write_to(scratch_2, second, strlen(second));
	return run(diff_modes[input[0] % COUNT(diff_modes)], (char *[]){ scratch, scratch_2, NULL });
}

static int fuzz_plot(char *tiny)
{
	(void)tiny;
	if (!size)
		return 0;
	write_file(input + 1, size - 1);
	return run(plot_modes[input[0] % COUNT(plot_modes)], (char *[]){ scratch, NULL });
}

static int fuzz_find(char *tiny)
{
	if (!size)
		return 0;
	return run(find_modes[input[0] % COUNT(find_modes)], (char *[]){ as_text(1), tiny, NULL });
}

static int64_t offset_at(const unsigned char *p)
{
	int64_t x;

	memcpy(&x, p, sizeof x);
	return x;
}

/* TINY with the schemas and the payload of an input. */
static void write_payload(void)
{
	static const char *const names[] = {
		"NCCL communicator ID", "Message size [bytes]", "Peer rank", "No. of ranks", "Rank", "x"
	};
	enum { FIELD = 12 };
	size_t fields = input[0] % 16, at = 1;
	sqlite3 *sql = NULL;
	sqlite3_stmt *s = NULL;

	sqlite3_open(scratch, &sql);
	sqlite3_exec(
		sql,
		"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN; ALTER TABLE NVTX_EVENTS ADD binaryData;"
		"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, type, name, offset);",
		NULL, NULL, NULL);
	sqlite3_prepare_v2(sql, "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES (?1, ?2, ?3, ?4, ?5, ?6)", -1, &s,
			   NULL);
	for (; s && fields-- && at + FIELD < size; at += FIELD, sqlite3_reset(s)) {
		for (int i = 0; i < 3; i++)
			sqlite3_bind_int(s, i + 1, input[at + (size_t)i] & 15);
		sqlite3_bind_int(s, 4, input[at + 3] & 31);
		sqlite3_bind_text(s, 5, names[(input[at + 3] >> 5) % COUNT(names)], -1, SQLITE_STATIC);
		sqlite3_bind_int64(s, 6, offset_at(input + at + 4));
		sqlite3_step(s);
	}
	sqlite3_finalize(s);
	sqlite3_prepare_v2(
		sql,
		"INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData) VALUES "
		"(90, 270, 59, 'ncclAllReduce', 10 << 24 | 10, 1, ?1)",
		-1, &s, NULL);
	sqlite3_bind_blob(s, 1, input + at, (int)(size - at), SQLITE_STATIC);
	sqlite3_step(s);
	sqlite3_finalize(s);
	sqlite3_exec(sql, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(sql);
}

static int fuzz_payloads(char *tiny)
{
	static unsigned char image[1 << 16];
	static const char *const modes[] = { "nsq-nccl --each", "nsq-nccl", "nsq-nccl --stragglers" };

	if (!size)
		return 0;
	write_file(image, read_file(tiny, image, sizeof image));
	write_payload();
	return run(modes[size % COUNT(modes)], (char *[]){ scratch, NULL });
}

static const struct {
	const char *name;
	int (*run)(char *tiny);
} kinds[] = {
	{ "trace", fuzz_trace }, { "windows", fuzz_windows }, { "tables", fuzz_tables }, { "rules", fuzz_rules },
	{ "spec", fuzz_spec },	 { "ncu", fuzz_ncu },	      { "sql", fuzz_sql },	 { "gate", fuzz_gate },
	{ "diff", fuzz_diff },	 { "plot", fuzz_plot },	      { "find", fuzz_find },	 { "payloads", fuzz_payloads },
	{ "torch", fuzz_torch },
};

static int one(const char *kind, char *tiny, const char *path)
{
	const char *dir = getenv("TMPDIR");

	on_exit(check_status, NULL);
	snprintf(scratch, sizeof scratch, "%s/fuzz.%ld", dir ? dir : "/tmp", (long)getpid());
	snprintf(scratch_2, sizeof scratch_2, "%s/fuzz.%ld.2", dir ? dir : "/tmp", (long)getpid());
	size = read_file(path, input, sizeof input);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			return kinds[i].run(tiny);
	fprintf(stderr, "fuzz: no kind '%s'\n", kind);
	abort();
}

/* Each in a child, with a limit on its time; says which ones failed. */
static int all(const char *kind, char *tiny, char **paths)
{
	int failed = 0;

	for (; *paths; paths++) {
		int status;
		pid_t child = fork();
		if (child == 0) {
			setrlimit(RLIMIT_CPU, &(struct rlimit){ 20, 20 });
			alarm(300);
			if (!freopen("/dev/null", "w", stdout))
				abort();
			exit(one(kind, tiny, *paths));
		}
		if (child < 0 || waitpid(child, &status, 0) < 0) {
			perror("fuzz");
			return 2;
		}
		if (!WIFEXITED(status)) {
			printf("%s ends by signal %d\n", *paths, WTERMSIG(status));
			failed = 1;
		}
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	return argc == 4 ? one(argv[1], argv[2], argv[3]) : all(argv[1], argv[2], argv + 3);
}
