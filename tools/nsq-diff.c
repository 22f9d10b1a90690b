/* nsq-diff - what changed, and is it real?
 * Compares the steps of two traces, or two tables of one tool.  Rows are matched by their key columns, and each window
 * (or each of several traces) gives a sample. */
#include "answer/diff.h"
#include "cli/options.h"

#include <math.h>

/* Read a number from 0 to `most`. */
static bool nsq_diff_read_number(const char *arg, double most, double *value)
{
	if (!number_is_json(arg))
		return false;
	*value = strtod(arg, NULL);
	return *value >= 0 && *value <= most;
}

static bool nsq_diff_read_min_pct(const char *arg, void *params)
{
	return nsq_diff_read_number(arg, INFINITY, &((diff_inputs_params *)params)->diff.min_pct);
}

static bool nsq_diff_read_alpha(const char *arg, void *params)
{
	return nsq_diff_read_number(arg, 1, &((diff_inputs_params *)params)->diff.alpha);
}

static bool nsq_diff_read_min(const char *arg, void *params)
{
	diff_inputs_params *p = params;
	int64_t unit, ns;

	if (nsq_diff_read_number(arg, INFINITY, &p->diff.min))
		return true;
	if (!number_time(arg, strlen(arg), 1, &unit, &ns) || ns < 0)
		return false;
	p->diff.min = (double)ns;
	return true;
}

static const opt options[] = {
	{ "of", 0, "COL", "column to compare (default: the main measure)", OPT_TEXT,
	  .to = offsetof(diff_inputs_params, diff.of), .modes = DIFF_SAMPLES },
	{ "by", 0, "COL,...", "columns that tell rows apart (default: all keys)", OPT_TEXT,
	  .to = offsetof(diff_inputs_params, diff.by), .modes = DIFF_SAMPLES },
	{ "min-pct", 0, "PCT", "smallest change in percent that counts (default: 1)", OPT_OWN,
	  .read = nsq_diff_read_min_pct, .modes = DIFF_SAMPLES, .expects = "a number of percent from 0" },
	{ "min", 0, "X", "smallest change that counts, such as 5us (default: 0)", OPT_OWN, .read = nsq_diff_read_min,
	  .modes = DIFF_SAMPLES, .expects = "a number from 0, or a time such as 5us" },
	{ "alpha", 0, "P", "accepted chance of a false alarm (default: 0.05)", OPT_OWN, .read = nsq_diff_read_alpha,
	  .modes = DIFF_SAMPLES, .expects = "a probability from 0 to 1" },
	{ "split", 0, NULL, "each kernel: is it their number, their time, or other ones?", OPT_MODE,
	  .mode = DIFF_SPLIT },
	OPT_STEPS(diff_inputs_params, choice, 0, "ranges that are the steps of traces"),
	{ 0 }
};

static void nsq_diff_list_columns(const void *params, table *out)
{
	if (((const diff_inputs_params *)params)->mode == DIFF_SPLIT)
		diff_split_columns(out);
	else
		diff_columns(out);
}

static const answer diff_table = { .all = diff_all, .columns = nsq_diff_list_columns };

static bool nsq_diff_answer(const inputs *in, const void *params, table *out, notes *say)
{
	return diff_inputs_answer(in, params, out, say);
}

const opt_tool nsq_diff = {
	.name = "nsq-diff",
	.question = "What changed between two runs, and is it real?",
	.prints = "Compares two traces or tables, and prints what became slower or faster.",
	.examples = { "nsq-diff before.sqlite after.sqlite", "nsq-diff --of total_ns before.tsv after.tsv" },
	.options = options,
	OPT_PARAMS(diff_inputs_params, .mode = DIFF_SAMPLES, .diff = { .min_pct = 1, .alpha = 0.05 }),
	.answer = &diff_table,
	.over = nsq_diff_answer,
	.operands = "BEFORE AFTER",
	.least = 2,
	.most = 2,
	.traces = true,
};
