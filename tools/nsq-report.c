/* nsq-report - one page about traces: who, steps, where the time goes, what to do next.
 * Writes a folder with the page as Markdown and HTML, the same as JSON, and the tables behind it as CSV. */
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/values.h"
#include "picture/report.h"

static const char *const keeps[] = { "host", "command", NULL };

static bool nsq_report_read_warn_below(const char *arg, void *params)
{
	return number_percent(arg, &((report_params *)params)->warn_below);
}

static const opt options[] = {
	{ "output", 'o', "DIR", "folder to write (default: NAME.report)", OPT_WRITES,
	  .to = offsetof(report_params, folder), .chosen = true },
	{ "force", 0, NULL, "replace an earlier report", OPT_FLAG, .to = offsetof(report_params, replace) },
	OPT_STEPS(report_params, choice, 0, "ranges that are the steps"),
	{ "phases", 0, "RULES", "add the time by phase, as these rules name it", OPT_RULES_TEXT,
	  .to = offsetof(report_params, phases_text) },
	{ "ncu", 0, "RAW.csv", "add FLOPs and the share of the peak, as measured by ncu", OPT_READS,
	  .to = offsetof(report_params, ncu) },
	{ "peak", 0, "TFLOPS", "peak of the GPU for --ncu (default: that of its data sheet)", OPT_TEXT,
	  .to = offsetof(report_params, peak) },
	{ "warn-below", 0, "PCT", "warn if less GPU time is in ranges (default: 70)", OPT_OWN,
	  .read = nsq_report_read_warn_below, .expects = "percent from 0 to 100, or a share such as 0.7" },
	OPT_COMM(report_params),
	OPT_CAPTURED(report_params, 0),
	{ "keep", 0, "WHAT,...", "keep in report.json too: host, command", OPT_KEYS,
	  .to = offsetof(report_params, keep), .words = keeps },
	{ "view", 0, NULL, "also write view.html, a page of nsq-view", OPT_FLAG, .to = offsetof(report_params, view) },
	{ 0 }
};

static void nsq_report_list_columns(const void *params, table *out)
{
	report_columns(params, out);
}

static const answer report_table = { .columns = nsq_report_list_columns };

static void nsq_report_prepare(void *given)
{
	report_params *p = given;

	p->titles = mem_new(report_titles, 1);
}

static void nsq_report_end(const void *given)
{
	const report_params *p = given;

	if (p->titles)
		vec_free(p->titles);
	free(p->titles);
}

static bool nsq_report_answer(const inputs *in, const void *params, table *out, notes *say)
{
	return report_answer(in, params, out, say);
}

const opt_tool nsq_report = {
	.name = "nsq-report",
	.question = "What is there to know about this run, on one page?",
	.prints = "Writes Markdown, HTML with pictures, JSON and CSV, and prints the findings.",
	.examples = { "nsq-report run.sqlite", "nsq-report -o ranks.report rank*.sqlite" },
	.options = options,
	OPT_PARAMS(report_params, .mode = 1, .warn_below = REPORT_WARN_BELOW, .progress = progress_show,
		   .read = tools_parse_command),
	.answer = &report_table,
	.over = nsq_report_answer,
	.tell = advice_print_report,
	.prepare = nsq_report_prepare,
	.end = nsq_report_end,
	.operands = "TRACE...",
	.least = 1,
	.traces = true,
	.no_tables = true,
};
