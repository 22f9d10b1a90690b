#include "picture/report_parts.h"
#include "answer/api.h"
#include "answer/copies.h"
#include "answer/gaps.h"
#include "answer/kernels.h"
#include "answer/metrics.h"
#include "answer/nvtx.h"
#include "answer/overlap.h"
#include "answer/setup.h"
#include "answer/stalls.h"
#include "answer/streams.h"
#include "answer/window.h"
#include "base/shell.h"

#include <string.h>

/* The functions of a part: the answer of a question with these parameters, in which r is the report. */
#define PART(part, q, ...) \
	static question ask_##part(const report *r) \
	{ \
		(void)r; \
		return q##_answer.question(&(const q##_params){ __VA_ARGS__ }); \
	} \
	static void columns_##part(const report *r, table *out) \
	{ \
		(void)r; \
		q##_answer.columns(&(const q##_params){ __VA_ARGS__ }, out); \
	} \
	static bool answer_##part(report *r, trace *t, const windows *all, table *out, notes *say) \
	{ \
		(void)r; \
		return answer_rows(&q##_answer, t, all, &(const q##_params){ __VA_ARGS__ }, out, say); \
	}

PART(processes, setup, .mode = SETUP_PROCESSES, .comm = r->p->comm)
PART(facts, setup, .mode = SETUP_FACTS, .comm = r->p->comm)
PART(typical, window, .mode = WINDOW_PICK, .match = r->p->match, .steady = true, .period = true)
PART(split, overlap, .mode = OVERLAP_TOTAL, .comm = r->p->comm)
PART(idle, gaps, .mode = GAPS_SUMS, .keys = GAPS_BY_CAUSE)
PART(ledger, ledger, .mode = 1, .keys = LEDGER_BY_OWNER, .match = r->p->match, .comm = r->p->comm, .ranks = r->ranks)
PART(stalls, stalls, .mode = STALLS_SUMS, .comm = r->p->comm)
PART(kernels, kernels, .mode = KERNELS_SUMS, .keys = KERNELS_BY_NAME, .comm = r->p->comm)
PART(kernels_by_process, kernels, .mode = KERNELS_SUMS, .keys = KERNELS_BY_NAME | KERNELS_BY_PID, .comm = r->p->comm)
PART(ranges, nvtx, .mode = NVTX_SUMS, .adopt = true, .captured = r->p->captured, .warn_below = r->p->warn_below)
PART(phases, nvtx, .mode = NVTX_PHASES, .phases = r->p->phases, .adopt = true, .captured = r->p->captured)
PART(gaps, gaps, .mode = GAPS_EACH, .min_ns = 1000, .captured = r->p->captured)
PART(overlap, overlap, .mode = OVERLAP_SUMS, .keys = OVERLAP_BY_STAGE, .rules = r->p->stages, .comm = r->p->comm,
	.captured = r->p->captured)
PART(launches, api, .mode = API_LAUNCH, .class = API_ALL_CLASSES)
PART(sync, api, .mode = API_SUMS, .keys = API_BY_NAME | API_BY_PID, .class = CALL_SYNC)
PART(calls, api, .mode = API_SUMS, .keys = API_BY_NAME, .class = API_ALL_CLASSES)
PART(copies, copies, .mode = COPIES_SUMS, .keys = COPIES_BY_KIND | COPIES_BY_SRC | COPIES_BY_DST)
PART(streams, streams, .mode = 1, .rules = r->p->purposes, .comm = r->p->comm, .captured = r->p->captured)
PART(memory, copies, .mode = COPIES_USAGE)
PART(metrics, metrics, .mode = METRICS_SUMS)

/* The same of a question that has an end, when all traces have been added. */
#define PART_OF_ALL(part, q, ...) \
	PART(part, q, __VA_ARGS__) \
	static bool finish_##part(report *r, table *out, notes *say) \
	{ \
		return q##_answer.finish(&(const q##_params){ __VA_ARGS__ }, out, say); \
	}

PART_OF_ALL(steps, window, .mode = WINDOW_STATS, .match = r->p->match, .steady = true, .taken = r->taken)
PART_OF_ALL(every_step, window, .mode = WINDOW_PICK, .match = r->p->match, .pick = { { .which = WINDOW_ALL } },
	.npicks = 1, .taken = r->taken)
PART_OF_ALL(collectives, nccl, .mode = NCCL_SUMS, .keys = NCCL_BY_COMM | NCCL_BY_OP | NCCL_BY_BYTES, .comm = r->p->comm,
	.job = r->collectives)
PART_OF_ALL(stragglers, nccl, .mode = NCCL_STRAGGLERS, .comm = r->p->comm, .job = r->stragglers)
PART_OF_ALL(findings, advise, .mode = 1, .match = r->p->match, .match_text = r->p->match_text, .comm = r->p->comm,
	    .comm_text = r->p->comm_text, .min_pct = REPORT_MIN_PCT, .captured = r->p->captured,
		.folders = r->p->findings, .job = r->advice)

#define FUNCTIONS(part) ask_##part, columns_##part, answer_##part, NULL
#define FUNCTIONS_OF_ALL(part) ask_##part, columns_##part, answer_##part, finish_##part
#define MATCH REPORT_TAKES_MATCH
#define COMM REPORT_TAKES_COMM
#define CAPTURED REPORT_TAKES_CAPTURED

const report_kind report_kinds[REPORT_PARTS] = {
	[REPORT_PROCESSES] = { "processes", "who is in it", "nsq-setup", "", REPORT_WHOLE, COMM, 0,
		FUNCTIONS(processes) },
	[REPORT_FACTS] = { "facts", "how it was captured, and what is missing", "nsq-setup", " --facts", REPORT_WHOLE,
		COMM, 0, FUNCTIONS(facts) },
	[REPORT_STEPS] = { "steps", "the steps and their spread", "nsq-window", " --stats --steady", REPORT_WHOLE,
		MATCH, 0, FUNCTIONS_OF_ALL(steps) },
	[REPORT_EVERY_STEP] = { "every_step", "every step", "nsq-window", " --pick all --skip 0", REPORT_WHOLE, MATCH,
		0, FUNCTIONS_OF_ALL(every_step) },
	[REPORT_TYPICAL] = { "typical_step", "the typical step of each process", "nsq-window", "", REPORT_WHOLE, MATCH,
		0, FUNCTIONS(typical) },
	[REPORT_SPLIT] = { "typical_step_split", "what the typical step consists of", "nsq-overlap", " --total",
		REPORT_TYPICAL_STEP, COMM, 0, FUNCTIONS(split) },
	[REPORT_IDLE] = { "typical_step_idle", "why the GPU is idle in the typical step", "nsq-gaps", " --by cause",
		REPORT_TYPICAL_STEP, 0, 0, FUNCTIONS(idle) },
	[REPORT_LEDGER] = { "typical_step_ledger", "who owns the time of the typical step", "nsq-ledger", " --by owner",
		REPORT_TYPICAL_STEP, MATCH | COMM, 0, FUNCTIONS(ledger) },
	[REPORT_STALLS] = { "typical_step_stalls", "what compute waits for in the typical step", "nsq-stalls", "",
		REPORT_TYPICAL_STEP, COMM, 0, FUNCTIONS(stalls) },
	[REPORT_STEP_KERNELS] = { "step_kernels", "kernels in the steady steps", "nsq-kernels", " --merge",
		REPORT_STEADY, COMM, 0, FUNCTIONS(kernels) },
	[REPORT_KERNELS] = { "kernels", "kernels of the whole trace", "nsq-kernels", "", REPORT_WHOLE, COMM, 0,
		FUNCTIONS(kernels) },
	[REPORT_KERNELS_BY_PROCESS] = { "kernels_by_process", "the same by process", "nsq-kernels", " --by pid,name",
		REPORT_WHOLE, COMM, 0, FUNCTIONS(kernels_by_process) },
	[REPORT_RANGES] = { "ranges", "NVTX ranges of the whole trace", "nsq-nvtx", " --adopt", REPORT_WHOLE, CAPTURED,
		0, FUNCTIONS(ranges) },
	[REPORT_RANGES_BY_PROCESS] = { "ranges_by_process", "the same by process", "nsq-nvtx", " --adopt",
		REPORT_EACH_PROCESS, CAPTURED, 0, FUNCTIONS(ranges) },
	[REPORT_PHASES] = { "phases", "time by phase", "nsq-nvtx", " --adopt", REPORT_WHOLE,
		CAPTURED | REPORT_TAKES_PHASES, 0, FUNCTIONS(phases) },
	[REPORT_GAPS] = { "idle_gaps", "the longest times in which the GPU is idle", "nsq-gaps", " --each -n 1000",
		REPORT_WHOLE, CAPTURED, 1000, FUNCTIONS(gaps) },
	[REPORT_OVERLAP] = { "overlap", "communication that compute hides, by stage", "nsq-overlap", "", REPORT_WHOLE,
		COMM | CAPTURED, 0, FUNCTIONS(overlap) },
	[REPORT_COLLECTIVES] = { "collectives", "collectives by size", "nsq-nccl", "", REPORT_WHOLE, COMM, 0,
		FUNCTIONS_OF_ALL(collectives) },
	[REPORT_STRAGGLERS] = { "stragglers", "who keeps whom waiting", "nsq-nccl", " --stragglers", REPORT_WHOLE, COMM,
		0, FUNCTIONS_OF_ALL(stragglers) },
	[REPORT_LAUNCHES] = { "launches", "launch statistics", "nsq-api", " --launch", REPORT_WHOLE, 0, 0,
		FUNCTIONS(launches) },
	[REPORT_SYNC] = { "sync_by_process", "synchronizing calls by process", "nsq-api", " --class sync --by pid,name",
		REPORT_WHOLE, 0, 0, FUNCTIONS(sync) },
	[REPORT_CALLS] = { "calls", "CUDA calls", "nsq-api", "", REPORT_WHOLE, 0, 0, FUNCTIONS(calls) },
	[REPORT_COPIES] = { "copies", "memory copies and sets", "nsq-mem", "", REPORT_WHOLE, 0, 0, FUNCTIONS(copies) },
	[REPORT_STREAMS] = { "streams", "streams", "nsq-streams", "", REPORT_WHOLE, COMM | CAPTURED, 0,
		FUNCTIONS(streams) },
	[REPORT_MEMORY] = { "memory", "allocated memory at its highest", "nsq-mem", " --usage", REPORT_WHOLE, 0, 0,
		FUNCTIONS(memory) },
	[REPORT_METRICS] = { "metrics", "how busy the units of the GPU were", "nsq-metrics", "", REPORT_WHOLE, 0, 0,
		FUNCTIONS(metrics) },
	[REPORT_FINDINGS] = { "findings", "what to do next", "nsq-advise", "", REPORT_WHOLE, MATCH | COMM | CAPTURED, 0,
		FUNCTIONS_OF_ALL(findings) },
};

/* ---- commands */

/* The traces on a command line. */
static const char *operands(report *r)
{
	vec(char) text = { 0 };
	bool dash = false;      /* would a name be taken for an option? */

	for (size_t i = 0; !r->operands && i < r->traces.n; i++) {
		const char *word = arena_printf(&r->texts, " %s", shell_word(&r->texts, r->traces.v[i]));
		size_t n = strlen(word);
		vec_reserve(&text, text.n + n);
		memcpy(text.v + text.n, word, n);
		text.n += n;
		vec_push(&r->words, word);
		dash |= *r->traces.v[i] == '-';
	}
	if (!r->operands)
		r->operands = arena_printf(&r->texts, "%s%s", dash ? " --" : "",
			text.n ? arena_text(&r->texts, text.v, text.n) : "");
	vec_free(&text);
	return r->operands;
}

/* The options of the report that a tool takes too. */
static const char *passed_on(report *r, unsigned takes)
{
	const report_params *p = r->p;
	const char *text = "";

	if (takes & REPORT_TAKES_MATCH && p->match_text)
		text = arena_printf(&r->texts, " -m %s", shell_word(&r->texts, p->match_text));
	if (takes & REPORT_TAKES_PHASES && p->phases_text)
		text = arena_printf(&r->texts, "%s --phases %s", text, shell_word(&r->texts, p->phases_text));
	if (takes & REPORT_TAKES_COMM && p->comm_text)
		text = arena_printf(&r->texts, "%s --comm %s", text, shell_word(&r->texts, p->comm_text));
	return takes & REPORT_TAKES_CAPTURED && p->captured ? arena_printf(&r->texts, "%s --captured", text) : text;
}

static const char *before(report *r, enum report_windows from)
{
	const char *of = operands(r), *match = passed_on(r, REPORT_TAKES_MATCH);

	if (from == REPORT_EACH_PROCESS)
		return arena_printf(&r->texts, "nsq-setup%s | ", of);
	if (from == REPORT_STEADY)
		return arena_printf(&r->texts, "nsq-window --steady --pick all --period%s%s | ", match, of);
	return arena_printf(&r->texts, "nsq-window%s%s%s | ", r->tiled ? " --steady --period" : "", match, of);
}

const char *report_command(report *r, enum report_id id)
{
	const report_kind *k = &report_kinds[id];
	const char *options = id == REPORT_TYPICAL && r->tiled ? " --steady --period" : k->options;

	if (k->windows != REPORT_WHOLE)
		return arena_printf(&r->texts, "%s%s%s%s", before(r, k->windows), k->tool, options,
			passed_on(r, k->takes));
	return arena_printf(&r->texts, "%s%s%s%s", k->tool, options, passed_on(r, k->takes), operands(r));
}

const char *report_own_command(report *r)
{
	const report_params *p = r->p;
	const char *folder = p->folder ? arena_printf(&r->texts, " -o %s", shell_word(&r->texts, p->folder)) : "";
	const char *warn = p->warn_below == REPORT_WARN_BELOW ? "" :
		arena_printf(&r->texts, " --warn-below %lld", (long long)p->warn_below);

	return arena_printf(&r->texts, "nsq-report%s%s%s%s", folder, passed_on(r, ~0u), warn, operands(r));
}

const char *report_diff_command(report *r)
{
	return arena_printf(&r->texts, "nsq-diff%s%s", passed_on(r, REPORT_TAKES_MATCH), operands(r));
}

/* ---- tables */

static uint32_t trace_of(report *r, const char *path)
{
	return str_id(&r->paths, path, strlen(path));
}

static void sort_by_trace(report *r, report_part *part)
{
	size_t n = table_rows(&part->rows);

	for (size_t i = 0; i < n; i++)
		trace_of(r, table_named(&part->rows, i, "trace")->t);
	part->first = mem_new(size_t, r->paths.n + 1);
	part->by_trace = mem_new(uint32_t, n);
	for (size_t i = 0; i < n; i++)
		part->first[trace_of(r, table_named(&part->rows, i, "trace")->t)]++;
	for (size_t i = 0, sum = 0; i <= r->paths.n; i++) {     /* counts become beginnings */
		size_t of = part->first[i];
		part->first[i] = sum;
		sum += of;
	}
	for (size_t i = 0; i < n; i++)          /* and those, ends */
		part->by_trace[part->first[trace_of(r, table_named(&part->rows, i, "trace")->t)]++] = (uint32_t)i;
}

const uint32_t *report_rows_of(report *r, enum report_id id, const char *of, size_t *n)
{
	report_part *part = &r->part[id];
	uint32_t path;
	size_t before;

	*n = 0;
	if (!table_rows(&part->rows))
		return NULL;
	if (!r->paths.n)                        /* all, so that one without rows has a number, too */
		for (size_t i = 0; i < r->traces.n; i++)
			trace_of(r, r->traces.v[i]);
	if (!part->first)
		sort_by_trace(r, part);
	path = trace_of(r, of);
	before = path ? part->first[path - 1] : 0;
	*n = part->first[path] - before;
	return part->by_trace + before;
}

bool report_is_of(const table *t, size_t row, const char *of)
{
	return !of || strcmp(table_named(t, row, "trace")->t, of) == 0;
}

bool report_has_steps(report *r, const char *of)
{
	const table *t = &r->part[REPORT_TYPICAL].rows;
	size_t n = table_rows(t);
	const uint32_t *rows = of ? report_rows_of(r, REPORT_TYPICAL, of, &n) : NULL;

	for (size_t i = 0; i < n; i++)
		if (window_rule(t, rows ? rows[i] : i) != STEPS_PROCESS)
			return true;
	return false;
}

bool report_same_window(const table *a, size_t i, const table *b, size_t k)
{
	static const char *const places[] = { "pid", "start_ns", "end_ns", "gpu" };
	bool same = strcmp(table_named(a, i, "trace")->t, table_named(b, k, "trace")->t) == 0;

	for (size_t c = 0; same && c < sizeof places / sizeof *places; c++)
		same = table_named(a, i, places[c])->i == table_named(b, k, places[c])->i;
	return same;
}

static bool is_of_several(report *r, size_t row)
{
	const table *t = &r->part[REPORT_FINDINGS].rows;
	const char *evidence = table_named(t, row, "evidence")->t;
	size_t n = 0;

	for (size_t i = 0; table_named(t, row, "pid")->i == TABLE_MISSING && n < 2 && i < r->words.n; i++) {
		const char *word = r->words.v[i], *at = strstr(evidence, word);
		while (at && at[strlen(word)] && at[strlen(word)] != ' ')
			at = strstr(at + 1, word);
		n += at != NULL;
	}
	return n > 1;
}

bool report_finding_of_several(report *r, size_t row)
{
	size_t n = table_rows(&r->part[REPORT_FINDINGS].rows);

	report_own_command(r);                  /* which makes the words */
	for (size_t i = r->of_several.n; i < n; i++)
		vec_push(&r->of_several, is_of_several(r, i));
	return r->of_several.v[row];
}

const char *report_no_steps(report *r)
{
	return r->p->match_text ? arena_printf(&r->texts, "no range with GPU work matches '%s'", r->p->match_text) :
		"there is no GPU work";
}

report report_begin(const report_params *p)
{
	return (report){ .p = p, .collectives = nccl_begin(), .stragglers = nccl_begin(), .advice = advise_begin(),
		.ranks = arrivals_new(), .across = shared_gpus_new(), .taken = mem_new(window_takens, 1) };
}

void report_free(report *r)
{
	for (int i = 0; i < REPORT_PARTS; i++)
		table_free(&r->part[i].rows);
	nccl_end(r->collectives);
	nccl_end(r->stragglers);
	advise_end(r->advice);
	arrivals_free(r->ranks);
	shared_gpus_free(r->across);
	table_free(&r->untiled);
	window_say_taken(r->taken, NULL);
	free(r->taken);
	for (int i = 0; i < REPORT_PARTS; i++) {
		free(r->part[i].first);
		free(r->part[i].by_trace);
	}
	vec_free(&r->traces);
	vec_free(&r->words);
	vec_free(&r->of_several);
	str_free(&r->lines);
	str_free(&r->paths);
	notes_free(&r->said);
	arena_free(&r->texts);
}
