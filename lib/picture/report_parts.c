#include "picture/report_parts.h"
#include "answer/answers.h"
#include "answer/step_windows.h"
#include "base/number.h"
#include "base/shell.h"
#include "base/sort.h"
#include "base/text.h"
#include "table/apart.h"

#include <ctype.h>
#include <string.h>

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

/* ---- commands: the command of a block may have {NAME}, for options and operands that the report fills in */

/* Find the option that {NAME} stands for; NULL: it stands for none, or the option is not used in this report.
 * name: NAME, n bytes long.  *value: the word after the option, or NULL.  {typical} stands for two options, and *value
 * is the second one. */
static const char *report_parts_find_option(const report *r, const char *name, size_t n, const char **value)
{
	const report_params *p = r->p;
	const pattern *re = p->choice.match ? p->choice.match : p->choice.kernel;
	const struct { const char *name, *option, *value; bool given; } all[] = {
		{ "match", step_option(&p->choice), re ? pattern_text(re) : NULL, re || p->choice.outer },
		{ "phases", "--phases", p->phases_text, p->phases_text },
		{ "ncu", "--ncu", p->ncu, p->ncu },
		{ "peak", "--peak", p->peak, p->peak },
		{ "comm", "--comm", p->comm ? p->comm->text : NULL, p->comm },
		{ "captured", "--captured", NULL, p->captured },
		{ "typical", "--steady", "--period", r->tiled },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strlen(all[i].name) == n && strncmp(all[i].name, name, n) == 0) {
			*value = all[i].value;
			return all[i].given ? all[i].option : NULL;
		}
	return NULL;
}

/* Add the words of the command from `at` to `end`.  The {NAME} of traces and of windows adds none. */
static void report_parts_add_words(report *r, const char *at, const char *end, text_list *to)
{
	while (at < end) {
		size_t n = strcspn(at, " {\n"), name = *at == '{' ? strcspn(at, "}") - 1 : 0;
		const char *value = NULL, *option = name ? report_parts_find_option(r, at + 1, name, &value) : NULL;
		if (n)
			vec_push(to, arena_text(&r->texts, at, n));
		if (option)
			vec_push(to, option);
		if (option && value)
			vec_push(to, value);
		at += n ? n : name ? name + 2 : 1;
	}
}

/* The windows of a command of several tools, according to its text before `tool`, the last one. */
static enum report_windows report_parts_find_windows(const char *block, const char *tool)
{
	return strstr(block, "--pick all") && strstr(block, "--pick all") < tool ? REPORT_STEADY :
		strncmp(block, "nsq-window", 10) == 0 ? REPORT_TYPICAL_STEP : REPORT_EACH_PROCESS;
}

/* Make a part use the results that parts share, which its tool would otherwise compute for itself. */
static void report_parts_share_results(report *r, report_part *part)
{
	if (part->of == &window_answer) {
		window_params *p = part->params;
		p->summaries = p->mode == WINDOW_STATS || p->period ? r->summaries : r->unsaid_summaries;
		p->skip = 0;            /* not WINDOW_BY_DEFAULT, so that notes say 'nsq-window --skip 0' and not only
					 * '--skip 0', which nsq-report does not have */
	} else if (part->of == &ledger_answer) {
		ledger_params *p = part->params;
		p->ranks = part->windows >= REPORT_DRAWN ? NULL : r->ranks;
	} else if (part->of == &nccl_answer) {
		nccl_params *p = part->params;
		p->job = p->mode == NCCL_STRAGGLERS ? r->stragglers : r->collectives;
	} else if (part->of == &advise_answer) {
		advise_params *p = part->params;
		p->job = r->advice;
		p->verdicts = p->mode == ADVISE_FINDINGS ? &report_part_of(r, "verdict")->rows : NULL;
	} else if (part->of == &nvtx_answer) {
		nvtx_params *p = part->params;
		p->warn_below = p->mode == NVTX_SUMS ? r->p->warn_below : 0;
	}
}

/* Make the part of a block.  The words of the last tool in its command are read as on that tool's own command line. */
static report_part report_parts_read_part(report *r, const char *block)
{
	const char *end = strchr(block, '\n'), *bar = strstr(block, " | "), *tool = bar && bar < end ? bar + 3 : block;
	report_part p = { .block = block };
	text_list words = { 0 };
	report_tool command = { 0 };

	p.windows = tool > block				    ? report_parts_find_windows(block, tool) :
		memmem(block, (size_t)(end - block), "{step}", 6)   ? REPORT_DRAWN :
		memmem(block, (size_t)(end - block), "{beside}", 8) ? REPORT_BESIDE :
								      REPORT_WHOLE;
	report_parts_add_words(r, tool, end, &words);
	r->p->read(&words, &command);
	p.of = command.of;
	p.params = command.params;
	p.merge = command.merge;
	p.limit = command.limit;
	p.rows.most = (size_t)p.limit;
	p.name = report_setting(r, &p, "csv");
	vec_free(&words);
	return p;
}

report_part *report_part_of(const report *r, const char *name)
{
	size_t i = 0;

	while (strcmp(r->parts.v[i].name, name) != 0)
		i++;
	return &r->parts.v[i];
}

/* The traces as words of a command line, with a blank in front. */
static const char *report_parts_list_operands(report *r)
{
	const char *text = "";
	bool dash = false;      /* does a name begin with -, so that it would be taken for an option? */
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

/* The options for the window of the typical step in this row, and the step's trace; row SIZE_MAX: all traces
 * instead. */
static const char *report_parts_list_step_operands(report *r, size_t row)
{
	const table *t = r->typical;
	const char *of;
	int64_t pid;
	char buf[NUMBER_PID_SIZE];

	if (row == SIZE_MAX)
		return report_parts_list_operands(r);
	of = table_find(t, row, "trace")->t;
	pid = table_find(t, row, "pid")->i;
	return arena_printf(&r->texts, " -p %s -w %lld..%lld%s %s",
		number_pid_text(pid / TABLE_SUBS, pid % TABLE_SUBS - 1, buf),
		(long long)table_find(t, row, "start_ns")->i, (long long)table_find(t, row, "end_ns")->i,
		*of == '-' ? " --" : "", shell_word(&r->texts, of));
}

/* The end of a command that leaves out the facts that the report leaves out. */
static const char *report_parts_make_fact_filter(report *r)
{
	bool host = r->p->keep & REPORT_KEEP_HOST, command = r->p->keep & REPORT_KEEP_COMMAND;

	if (host && command)
		return "";
	return arena_printf(&r->texts, " | nsq-sql \"SELECT * FROM t WHERE key NOT IN (%s%s%s)\"",
		host ? "" : "'host.name'", host || command ? "" : ", ", command ? "" : "'capture.command'");
}

/* The text, with a blank in front, for {NAME}; "" if {NAME} stands for nothing in this report.  name: NAME, n
 * bytes long. */
static const char *report_parts_fill_name(report *r, const char *name, size_t n)
{
	const char *value = NULL, *option = report_parts_find_option(r, name, n, &value);

	if (option)
		return arena_printf(&r->texts, " %s%s%s", option, value ? " " : "",
				    value ? shell_word(&r->texts, value) : "");
	return strncmp(name, "traces", n) == 0	 ? report_parts_list_operands(r) :
		strncmp(name, "step", n) == 0	 ? report_parts_list_step_operands(r, r->drawn) :
		strncmp(name, "beside", n) == 0	 ? report_parts_list_step_operands(r, r->beside) :
		strncmp(name, "without", n) == 0 ? report_parts_make_fact_filter(r) :
						   "";
}

/* Fill in each {NAME} in the first `left` bytes of a command. */
static const char *report_parts_fill_in(report *r, const char *command, size_t left)
{
	const char *text = "";

	while (left) {
		size_t n = strcspn(command, "{\n"), name = command[n] == '{' ? strcspn(command + n, "}") - 1 : 0;
		n = n < left ? n : left;
		text = arena_printf(&r->texts, "%s%.*s%s", text, (int)n, command, name && n < left ?
				    report_parts_fill_name(r, command + n + 1, name) : "");
		n += name && n < left ? name + 2 : 0;
		command += n;
		left -= n;
	}
	return text;
}

const char *report_command(report *r, const report_part *part)
{
	return report_parts_fill_in(r, part->block, strcspn(part->block, "\n"));
}

const char *report_own_command(report *r)
{
	static const char options[] = "{match}{phases}{ncu}{peak}{comm}{captured}";
	const report_params *p = r->p;
	const char *folder = p->folder ? arena_printf(&r->texts, " -o %s", shell_word(&r->texts, p->folder)) : "";
	const char *warn = p->warn_below == REPORT_WARN_BELOW ? "" :
		arena_printf(&r->texts, " --warn-below %lld", (long long)p->warn_below);
	static const char *const keeps[] = { "", " --keep host", " --keep command", " --keep host,command" };

	return arena_printf(&r->texts, "nsq-report%s%s%s%s%s%s", folder,
			    report_parts_fill_in(r, options, strlen(options)), warn, keeps[p->keep],
			    p->view ? " --view" : "", report_parts_list_operands(r));
}

/* ---- tables */

bool report_is_of_trace(const table *t, size_t row, const char *path)
{
	return !path || strcmp(table_find(t, row, "trace")->t, path) == 0;
}

static bool report_parts_is_of_path(char c)
{
	return isalnum((unsigned char)c) || (c && strchr("._-+~/", c)) || (unsigned char)c >= 0x80;
}

/* Replace a path in a text, but not inside other paths.  is_folder: also replace it where it begins the path of a file
 * in that folder. */
static const char *report_parts_replace_path(arena *a, const char *text, const char *path, const char *by,
					     bool is_folder)
{
	const char *done = "", *left = text, *at = text, *end;

	for (; (at = strstr(at, path)); at = end) {
		end = at + strlen(path);
		if ((at > text && report_parts_is_of_path(at[-1])) ||
		    (report_parts_is_of_path(*end) && !(is_folder && *end == '/')))
			continue;
		done = arena_printf(a, "%s%.*s%s", done, (int)(at - left), left, by);
		left = end;
	}
	return left > text ? arena_printf(a, "%s%s", done, left) : text;
}

const char *report_shorten(report *r, const char *text)
{
	const char *folder = r->p->folder;

	if (folder && strchr(folder, '/') && *text_base(folder))
		text = report_parts_replace_path(&r->texts, text, folder, text_base(folder), true);
	if (!apart_base_names(r->traces.v, r->traces.n))
		return text;
	for (size_t i = 0; i < r->traces.n; i++)
		if (strchr(r->traces.v[i], '/'))
			text = report_parts_replace_path(&r->texts, text, r->traces.v[i], text_base(r->traces.v[i]),
							 false);
	return text;
}

void report_write_folded(report *r, const char *indent, const char *text, const char *command, FILE *to)
{
	md_write_fold(to, indent, text, (const char *[]){ report_shorten(r, command) }, 1);
}

bool report_has_steps(const report *r, const char *path)
{
	for (size_t i = 0; i < table_rows(r->typical); i++)
		if (report_is_of_trace(r->typical, i, path) && window_rule_of_row(r->typical, i) != STEPS_PROCESS)
			return true;
	return false;
}

bool report_same_window(const table *a, size_t i, const table *b, size_t k)
{
	static const char *const places[] = { "pid", "start_ns", "end_ns" };
	bool same = strcmp(table_find(a, i, "trace")->t, table_find(b, k, "trace")->t) == 0;

	for (size_t c = 0; same && c < sizeof places / sizeof *places; c++)
		same = table_find(a, i, places[c])->i == table_find(b, k, places[c])->i;
	return same;
}

bool report_is_steady(const report *r, size_t step, size_t *process)
{
	const table *t = report_rows(r, "steps"), *every = report_rows(r, "every_step");

	for (size_t n = 0; n < table_rows(t); n++, *process = (*process + 1) % table_rows(t))
		if (table_find(t, *process, "pid")->i == table_find(every, step, "pid")->i &&
		    report_is_of_trace(t, *process, table_find(every, step, "trace")->t))
			return table_find(every, step, "start_ns")->i >= table_find(t, *process, "start_ns")->i;
	return true;
}

/* Did the process of a row of `typical` lose events? */
static bool report_parts_lost_events(const report *r, size_t row)
{
	for (size_t i = 0; i < r->lost.n; i++)
		if (r->lost.v[i].pid == table_find(r->typical, row, "pid")->i &&
		    report_is_of_trace(r->typical, row, r->lost.v[i].trace))
			return true;
	return false;
}

size_t report_find_longest_step(const report *r, const char *path)
{
	const table *t = r->typical;
	size_t row = SIZE_MAX;
	int64_t longest = -1;
	bool lost = true;       /* did the process of the longest step so far lose events? */
	bool has_steps = report_has_steps(r, path);

	for (size_t i = 0; i < table_rows(t); i++) {
		int64_t ns = table_find(t, i, "end_ns")->i - table_find(t, i, "start_ns")->i;
		bool row_lost = report_parts_lost_events(r, i);
		if (!report_is_of_trace(t, i, path) || (has_steps && window_rule_of_row(t, i) == STEPS_PROCESS) ||
		    !(row_lost == lost ? ns > longest : lost))
			continue;
		longest = ns;
		row = i;
		lost = row_lost;
	}
	return row;
}

const char *report_why_no_steps(report *r)
{
	const table *facts = report_rows(r, "facts");

	for (size_t i = 0; i < table_rows(facts); i++)
		if (strcmp(table_find(facts, i, "key")->t, "table.NSQ_SLICE") == 0)
			return "the slice holds none whole";
	if (r->p->choice.kernel)
		return arena_printf(&r->texts, "no kernel matches '%s'", pattern_text(r->p->choice.kernel));
	return r->p->choice.match ? arena_printf(&r->texts, "no range with GPU work matches '%s'",
						 pattern_text(r->p->choice.match)) :
		"there is no GPU work";
}

report report_begin(const report_params *p)
{
	one_clock *clock = one_clock_new();
	job *all = one_clock_job(clock);
	report r = { .p = p, .collectives = nccl_begin(all), .stragglers = nccl_begin(all),
		.advice = advise_begin(all), .ranks = arrivals_new(all), .alone = arrivals_new(all),
		.across = shared_gpus_new(), .summaries = mem_new(window_step_summaries, 1),
		.unsaid_summaries = mem_new(window_step_summaries, 1), .clock = clock,
		.page = p->view ? view_page_new(NULL, NULL) : NULL,
		.marks = p->view ? marked_new(p->comm, p->captured, all) : NULL, .drawn = SIZE_MAX, .beside = SIZE_MAX,
		.tiled = true };
	const char *at = text_find_builtin(report_builtin, "template");

	while ((at = strstr(at, "\n```nsq-")))
		vec_push(&r.parts, report_parts_read_part(&r, at += 4));
	r.typical = &report_part_of(&r, "typical_step")->rows;
	for (size_t i = 0; i < r.parts.n; i++)
		report_parts_share_results(&r, &r.parts.v[i]);
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
	window_say_step_summaries(r->summaries, NULL);
	window_say_step_summaries(r->unsaid_summaries, NULL);
	mem_free(r->summaries, r->unsaid_summaries, r->traces.v, r->lost.v);
	str_free(&r->lines);
	notes_free(&r->said);
	arena_free(&r->texts);
}

static int report_parts_compare_lengths(uint32_t a, uint32_t b, const void *ctx)
{
	const table *t = ctx;
	int64_t x = table_find(t, a, "end_ns")->i - table_find(t, a, "start_ns")->i,
		y = table_find(t, b, "end_ns")->i - table_find(t, b, "start_ns")->i;

	return x != y ? sort_3way(x, y) : sort_3way(a, b);
}

/* The row of the typical step of the first rank that a finding calls late; SIZE_MAX: there is none. */
static size_t report_parts_find_late_step(const report *r)
{
	const table *t = r->typical, *findings = report_rows(r, "findings");

	for (size_t f = 0; f < table_rows(findings); f++)
		for (size_t i = 0; strcmp(table_find(findings, f, "kind")->t, "late") == 0 && i < table_rows(t); i++)
			if (table_find(t, i, "pid")->i == table_find(findings, f, "pid")->i &&
			    report_is_of_trace(t, i, table_find(findings, f, "trace")->t))
				return i;
	return SIZE_MAX;
}

const char *report_describe_beside(const report *r)
{
	return r->beside == report_parts_find_late_step(r) ? "late" : "of middle length";
}

size_t report_find_comparison_step(const report *r, size_t row)
{
	const table *t = r->typical;
	vec(uint32_t) others = { 0 };
	size_t found = report_parts_find_late_step(r);

	if (found != SIZE_MAX && !report_same_window(t, found, t, row))
		return found;
	for (size_t i = 0; row != SIZE_MAX && i < table_rows(t); i++)
		if (i != row && report_parts_lost_events(r, i) == report_parts_lost_events(r, row) &&
		    window_rule_of_row(t, i) == window_rule_of_row(t, row) && !report_same_window(t, i, t, row))
			vec_push(&others, (uint32_t)i);
	if (others.n)
		sort_items(others.v, others.n, report_parts_compare_lengths, t);
	found = others.n ? others.v[others.n / 2] : SIZE_MAX;
	vec_free(&others);
	return found;
}
