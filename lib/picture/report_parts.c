#include "picture/report_parts.h"
#include "answer/answers.h"
#include "base/number.h"
#include "base/shell.h"
#include "base/text.h"

#include <string.h>

enum { MATCH = 1, COMM = 2, CAPTURED = 4, PHASES = 8, KEEP = 16 };

#define ADVICE .match = p->match, .match_text = p->match_text, .comm = p->comm, \
	.min_pct = REPORT_MIN_PCT, .captured = p->captured, .folders = p->findings, .job = r->advice

/* Two traces are compared by themselves, not trace by trace (report.c). */
static void compared_columns(const void *params UNNEEDED, table *out)
{
	diff_columns(out);
}

static question compared_question(const void *params UNNEEDED)
{
	return (question){ 0 };
}

typedef diff_inputs_params compared_params;
static const answer compared_answer = { .all = diff_all, .columns = compared_columns, .question = compared_question };

/* What there is to ask: its command, the options of the report that this takes, and the answer with its parameters. */
#define KINDS(X) \
	X(processes, "nsq-setup", COMM, setup, .mode = SETUP_PROCESSES, .comm = p->comm) \
	X(facts, "nsq-setup --facts", COMM | KEEP, setup, .mode = SETUP_FACTS, .comm = p->comm) \
	X(steps, "nsq-window --stats --steady", MATCH, window, .mode = WINDOW_STATS, .match = p->match, \
		.steady = true, .taken = r->taken) \
	X(every_step, "nsq-window --pick all --skip 0", MATCH, window, .mode = WINDOW_PICK, .match = p->match, \
		.pick = { { .which = WINDOW_ALL } }, .npicks = 1, .taken = r->taken_twice) \
	X(typical, "nsq-window --steady --period", MATCH, window, .mode = WINDOW_PICK, .match = p->match, \
		.steady = true, .period = true) \
	X(split, "nsq-overlap --total", COMM, overlap, .mode = OVERLAP_TOTAL, .comm = p->comm) \
	X(idle, "nsq-gaps --by cause", 0, gaps, .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE) \
	X(ledger, "nsq-ledger --by owner", MATCH | COMM, ledger, .mode = LEDGER_SUMS, .keys = LEDGER_BY_OWNER, \
		.match = p->match, .comm = p->comm, .ranks = r->ranks) \
	X(owners, "nsq-ledger --each", MATCH | COMM, ledger, .mode = LEDGER_EACH, .match = p->match, .comm = p->comm) \
	X(stalls, "nsq-stalls", COMM, stalls, .mode = STALLS_SUMS, .comm = p->comm) \
	X(kernels, "nsq-kernels", COMM, kernels, .mode = KERNELS_SUMS, .keys = KERNELS_BY_NAME, .comm = p->comm) \
	X(kernels_by_pid, "nsq-kernels --by pid,gpu,name", COMM, kernels, .mode = KERNELS_SUMS, \
		.keys = KERNELS_BY_NAME | KERNELS_BY_PID | KERNELS_BY_GPU, .comm = p->comm) \
	X(work, "nsq-kernels --each --work all", COMM, kernels, .mode = KERNELS_EACH, .copies = 1, .comm = p->comm) \
	X(ranges, "nsq-nvtx --adopt", CAPTURED, nvtx, .mode = NVTX_SUMS, .adopt = true, .captured = p->captured, \
		.warn_below = p->warn_below) \
	X(phases, "nsq-nvtx --adopt --phases", CAPTURED | PHASES, nvtx, .mode = NVTX_PHASES, .phases = p->phases, \
		.adopt = true, .captured = p->captured) \
	X(gaps, "nsq-gaps --each", CAPTURED, gaps, .mode = GAPS_EACH, .min_ns = 1000, .captured = p->captured) \
	X(overlap, "nsq-overlap", COMM | CAPTURED, overlap, .mode = OVERLAP_SUMS, .keys = OVERLAP_BY_STAGE, \
		.rules = p->stages, .comm = p->comm, .captured = p->captured) \
	X(collectives, "nsq-nccl", COMM, nccl, .mode = NCCL_SUMS, .keys = NCCL_BY_COMM | NCCL_BY_OP | NCCL_BY_BYTES, \
		.comm = p->comm, .job = r->collectives) \
	X(stragglers, "nsq-nccl --stragglers", COMM, nccl, .mode = NCCL_STRAGGLERS, .comm = p->comm, \
		.job = r->stragglers) \
	X(launches, "nsq-api --launch", 0, api, .mode = API_LAUNCH, .class = API_ALL_CLASSES) \
	X(sync, "nsq-api --class sync --by pid,name", 0, api, .mode = API_SUMS, .keys = API_BY_NAME | API_BY_PID, \
		.class = CALL_SYNC) \
	X(calls, "nsq-api", 0, api, .mode = API_SUMS, .keys = API_BY_NAME, .class = API_ALL_CLASSES) \
	X(copies, "nsq-mem --by gpu,kind,src,dst", 0, copies, .mode = COPIES_SUMS, \
		.keys = COPIES_BY_GPU | COPIES_BY_KIND | COPIES_BY_SRC | COPIES_BY_DST) \
	X(memory, "nsq-mem --usage", 0, copies, .mode = COPIES_USAGE) \
	X(streams, "nsq-streams", COMM | CAPTURED, streams, .mode = 1, .rules = p->purposes, .comm = p->comm, \
		.captured = p->captured) \
	X(compared, "nsq-diff", MATCH, compared, .mode = 1, .diff = { .min_pct = 1, .alpha = 0.05 }, \
		.match = p->match) \
	X(metrics, "nsq-metrics", 0, metrics, .mode = METRICS_SUMS) \
	X(findings, "nsq-advise", MATCH | COMM | CAPTURED, advise, .mode = ADVISE_FINDINGS, ADVICE, \
		.verdicts = &report_part_of(r, "verdict")->rows) \
	X(verdict, "nsq-advise --verdict", MATCH | COMM | CAPTURED, advise, .mode = ADVISE_VERDICT, ADVICE)

#define PARAMS(id, command, takes, q, ...) \
	static void *make_##id(const report *r) \
	{ \
		const report_params *p = r->p; \
		q##_params *made = mem_new(q##_params, 1); \
		(void)p; \
		*made = (q##_params){ __VA_ARGS__ }; \
		return made; \
	}
KINDS(PARAMS)

struct report_kind {
	const char *command;    /* the tool and those of its options that choose what it answers */
	unsigned takes;
	const answer *of;
	void *(*params)(const report *r);
};

#define KIND(id, command, takes, q, ...) { command, takes, &q##_answer, make_##id },
static const struct report_kind kinds[] = { KINDS(KIND) };

/* ---- the template */

const char *report_setting(report *r, const report_part *part, const char *key)
{
	const char *end = strstr(part->block, "\n```"), *at = part->block;
	size_t n = strlen(key);

	while ((at = strchr(at, '\n')) && at++ < end)
		if (strncmp(at, key, n) == 0 && strncmp(at + n, ": ", 2) == 0)
			return arena_text(&r->texts, at + n + 2, strcspn(at + n + 2, "\n"));
	return NULL;
}

static const struct {
	const char *before;
	enum report_windows windows;
} befores[] = {
	{ "nsq-setup | ", REPORT_EACH_PROCESS }, { "nsq-window --steady --period | ", REPORT_TYPICAL_STEP },
	{ "nsq-window --steady --pick all --period | ", REPORT_STEADY },
};

/* Cut an option off the end of a command; returns its argument, or NULL. */
static const char *cut_off(char *command, const char *option)
{
	char *at = strstr(command, option);

	if (at)
		*at = 0;
	return at ? at + strlen(option) : NULL;
}

/* What a command of the template stands for; a test sees to it that the answer is what it prints. */
static report_part part_of(report *r, const char *block)
{
	report_part p = { .block = block };
	size_t n = strcspn(block, "\n"), before = 0;
	char *command;
	const char *rows;

	for (size_t i = 0; i < sizeof befores / sizeof *befores; i++)
		if (strncmp(block, befores[i].before, strlen(befores[i].before)) == 0) {
			p.windows = befores[i].windows;
			before = strlen(befores[i].before);
		}
	p.command = arena_text(&r->texts, block + before, n - before);
	command = arena_copy(&r->texts, p.command);
	if (cut_off(command, " -w STEP")) {
		p.windows = REPORT_DRAWN;
		p.command = command;
	}
	p.merge = cut_off(command, " --merge");
	rows = cut_off(command, " -n ");
	p.limit = rows ? atol(rows) : 0;
	p.rows.most = (size_t)p.limit;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(command, kinds[i].command) == 0) {
			p.kind = &kinds[i];
			p.of = kinds[i].of;
		}
	p.name = report_setting(r, &p, "csv");
	return p;
}

report_part *report_part_of(const report *r, const char *name)
{
	size_t i = 0;

	while (strcmp(r->parts.v[i].name, name) != 0)
		i++;
	return &r->parts.v[i];
}

/* ---- commands */

/* The traces on a command line. */
static const char *operands(report *r)
{
	const char *text = "";
	bool dash = false;      /* would a name be taken for an option? */
	char *all = NULL;
	size_t n = 0;
	FILE *f;

	if (r->operands)
		return r->operands;
	f = text_open(&all, &n);
	for (size_t i = 0; i < r->traces.n; i++) {
		fprintf(f, " %s", shell_word(&r->texts, r->traces.v[i]));
		dash |= *r->traces.v[i] == '-';
	}
	text_close(f);
	text = arena_printf(&r->texts, "%s%s", dash ? " --" : "", all);
	free(all);
	return r->operands = text;
}

/* The options of the report that a tool takes too. */
static const char *passed_on(report *r, unsigned takes)
{
	const report_params *p = r->p;
	const char *text = "";

	if (takes & MATCH && p->match_text)
		text = arena_printf(&r->texts, " -m %s", shell_word(&r->texts, p->match_text));
	if (takes & PHASES && p->phases_text)
		text = arena_printf(&r->texts, "%s --phases %s", text, shell_word(&r->texts, p->phases_text));
	if (takes & COMM && p->comm)
		text = arena_printf(&r->texts, "%s --comm %s", text, shell_word(&r->texts, p->comm->text));
	return takes & CAPTURED && p->captured ? arena_printf(&r->texts, "%s --captured", text) : text;
}

/* The step that is drawn, and its trace. */
static const char *drawn_operands(report *r)
{
	const table *t = r->typical;
	const char *of;
	int64_t pid;
	char buf[NUMBER_PID_SIZE];

	if (r->drawn == SIZE_MAX)
		return operands(r);
	of = table_named(t, r->drawn, "trace")->t;
	pid = table_named(t, r->drawn, "pid")->i;
	return arena_printf(&r->texts, " -p %s -w %lld..%lld%s %s",
		number_pid_text(pid / TABLE_SUBS, pid % TABLE_SUBS - 1, buf),
		(long long)table_named(t, r->drawn, "start_ns")->i, (long long)table_named(t, r->drawn, "end_ns")->i,
		*of == '-' ? " --" : "", shell_word(&r->texts, of));
}

/* What is left out of the facts is left out by the command, too. */
static const char *without(report *r, const report_part *part)
{
	bool host = r->p->keep & REPORT_KEEP_HOST, command = r->p->keep & REPORT_KEEP_COMMAND;

	if (!(part->kind->takes & KEEP) || (host && command))
		return "";
	return arena_printf(&r->texts, " | nsq-sql \"SELECT * FROM t WHERE key NOT IN (%s%s%s)\"",
		host ? "" : "'host.name'", host || command ? "" : ", ", command ? "" : "'capture.command'");
}

const char *report_command(report *r, const report_part *part)
{
	const char *command = part->command, *before = "", *match = passed_on(r, MATCH), *passed;

	if (part->kind->takes & PHASES)
		command = arena_text(&r->texts, command, strlen(command) - strlen(" --phases"));
	if (&part->rows == r->typical && !r->tiled)
		command = "nsq-window";
	passed = passed_on(r, part->kind->takes);
	if (part->windows == REPORT_WHOLE)
		return arena_printf(&r->texts, "%s%s%s%s", command, passed, operands(r), without(r, part));
	if (part->windows == REPORT_DRAWN)
		return arena_printf(&r->texts, "%s%s%s", command, passed, drawn_operands(r));
	if (part->windows == REPORT_EACH_PROCESS)
		before = "nsq-setup";
	else if (part->windows == REPORT_STEADY)
		before = arena_printf(&r->texts, "nsq-window --steady --pick all --period%s", match);
	else
		before = arena_printf(&r->texts, "nsq-window%s%s", r->tiled ? " --steady --period" : "", match);
	return arena_printf(&r->texts, "%s%s | %s%s", before, operands(r), command, passed);
}

const char *report_own_command(report *r)
{
	const report_params *p = r->p;
	const char *folder = p->folder ? arena_printf(&r->texts, " -o %s", shell_word(&r->texts, p->folder)) : "";
	const char *warn = p->warn_below == REPORT_WARN_BELOW ? "" :
		arena_printf(&r->texts, " --warn-below %lld", (long long)p->warn_below);
	static const char *const keeps[] = { "", " --keep host", " --keep command", " --keep host,command" };

	return arena_printf(&r->texts, "nsq-report%s%s%s%s%s%s", folder, passed_on(r, ~0u), warn, keeps[p->keep],
		p->view ? " --view" : "", operands(r));
}

/* ---- tables */

bool report_is_of(const table *t, size_t row, const char *of)
{
	return !of || strcmp(table_named(t, row, "trace")->t, of) == 0;
}

bool report_has_steps(const report *r, const char *of)
{
	for (size_t i = 0; i < table_rows(r->typical); i++)
		if (report_is_of(r->typical, i, of) && window_rule(r->typical, i) != STEPS_PROCESS)
			return true;
	return false;
}

bool report_same_window(const table *a, size_t i, const table *b, size_t k)
{
	static const char *const places[] = { "pid", "start_ns", "end_ns" };
	bool same = strcmp(table_named(a, i, "trace")->t, table_named(b, k, "trace")->t) == 0;

	for (size_t c = 0; same && c < sizeof places / sizeof *places; c++)
		same = table_named(a, i, places[c])->i == table_named(b, k, places[c])->i;
	return same;
}

bool report_is_steady(const report *r, size_t step, size_t *process)
{
	const table *t = report_rows(r, "steps"), *every = report_rows(r, "every_step");

	for (size_t n = 0; n < table_rows(t); n++, *process = (*process + 1) % table_rows(t))
		if (table_named(t, *process, "pid")->i == table_named(every, step, "pid")->i &&
		    report_is_of(t, *process, table_named(every, step, "trace")->t))
			return table_named(every, step, "start_ns")->i >= table_named(t, *process, "start_ns")->i;
	return true;
}

static bool has_lost(const report *r, size_t row)
{
	for (size_t i = 0; i < r->lost.n; i++)
		if (r->lost.v[i].pid == table_named(r->typical, row, "pid")->i &&
		    report_is_of(r->typical, row, r->lost.v[i].trace))
			return true;
	return false;
}

size_t report_longest(const report *r, const char *of)
{
	const table *t = r->typical;
	size_t row = SIZE_MAX;
	int64_t step = -1;
	bool lost = true, steps = report_has_steps(r, of);

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = table_named(t, i, "end_ns")->i - table_named(t, i, "start_ns")->i;
		bool less = has_lost(r, i);
		if (!report_is_of(t, i, of) || (steps && window_rule(t, i) == STEPS_PROCESS) ||
		    !(less == lost ? ns > step : lost))
			continue;
		step = ns;
		row = i;
		lost = less;
	}
	return row;
}

const char *report_no_steps(report *r)
{
	const table *facts = report_rows(r, "facts");

	for (size_t i = 0; i < table_rows(facts); i++)
		if (strcmp(table_named(facts, i, "key")->t, "table.NSQ_SLICE") == 0)
			return "the slice holds none whole";
	return r->p->match_text ? arena_printf(&r->texts, "no range with GPU work matches '%s'", r->p->match_text) :
		"there is no GPU work";
}

report report_begin(const report_params *p)
{
	one_clock *clock = one_clock_new();
	job *all = one_clock_job(clock);
	report r = { .p = p, .collectives = nccl_begin(all), .stragglers = nccl_begin(all),
		.advice = advise_begin(all), .ranks = arrivals_new(all), .alone = arrivals_new(all),
		.across = shared_gpus_new(), .taken = mem_new(window_takens, 1),
		.taken_twice = mem_new(window_takens, 1), .clock = clock,
		.page = p->view ? view_page_new(p->categories, NULL) : NULL,
		.marks = p->view ? marked_new(p->comm, p->captured, all) : NULL, .drawn = SIZE_MAX };
	const char *at = text_builtin(report_builtin, "template");

	while ((at = strstr(at, "\n```nsq-")))
		vec_push(&r.parts, part_of(&r, at += 4));
	r.typical = &report_part_of(&r, "typical_step")->rows;
	for (size_t i = 0; i < r.parts.n; i++)
		r.parts.v[i].params = r.parts.v[i].kind->params(&r);
	return r;
}

void report_free(report *r)
{
	for (size_t i = 0; i < r->parts.n; i++) {
		table_free(&r->parts.v[i].rows);
		free(r->parts.v[i].params);
	}
	vec_free(&r->parts);
	nccl_end(r->collectives);
	nccl_end(r->stragglers);
	advise_end(r->advice);
	if (r->page)
		view_page_free(r->page);
	marked_free(r->marks);
	one_clock_free(r->clock);
	vec_free(&r->ahead);
	arrivals_free(r->ranks);
	arrivals_free(r->alone);
	shared_gpus_free(r->across);
	table_free(&r->untiled);
	window_say_taken(r->taken, NULL);
	window_say_taken(r->taken_twice, NULL);
	mem_free(r->taken, r->taken_twice, r->traces.v, r->lost.v);
	str_free(&r->lines);
	notes_free(&r->said);
	arena_free(&r->texts);
}
