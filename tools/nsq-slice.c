/* nsq-slice - part of a trace as a trace of its own, without what should not be shared.
 * share/conventions/slice.md says what a slice keeps, and share/slice lists what it may hold. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"

static const char *const kept[] = { "env", "host", "command", "paths", "clock", NULL };

static const opt options[] = {
	{ "output", 'o', "FILE.sqlite", "file to write; without it, say what it would hold", OPT_WRITES,
	  .to = offsetof(slice_params, how.path), .modes = SLICE_WRITE },
	{ "force", 0, NULL, "replace an earlier slice", OPT_FLAG, .to = offsetof(slice_params, how.replace),
	  .modes = SLICE_WRITE },
	{ "check", 0, NULL, "list the texts of the slice that look private", OPT_MODE, .mode = SLICE_CHECK },
	{ "keep", 0, "WHAT", "keep also: env host command paths clock", OPT_KEYS,
	  .to = offsetof(slice_params, how.keep), .words = kept },
	{ "names", 0, "RULES", "rules with new names for ranges, kernels and strings", OPT_RULES,
	  .to = offsetof(slice_params, how.names) },
	{ 0 }
};

static void nsq_slice_prepare(void *params)
{
	slice_params *p = params;

	if (p->how.replace && !p->how.path)
		die(EXIT_WRONG, "'--force' has no effect without '-o'; drop it");
	if (p->how.path)
		values_check_output(p->how.path, ".sqlite", p->how.replace ? WHOLE_SLICES : WHOLE_NEVER);
	p->private = values_load_rules("private");
}

static void nsq_slice_check_traces(const void *params, size_t traces)
{
	if (traces > 1 && ((const slice_params *)params)->how.path)
		die(EXIT_WRONG, "a slice is of one trace, and %zu are given; make one of each, in a loop", traces);
}

static void nsq_slice_remark_unwritten(const void *params, const table *out)
{
	const slice_params *p = params;

	if (p->mode == SLICE_WRITE)
		values_remark_unwritten(p->how.path, out);
}

const opt_tool nsq_slice = {
	.name = "nsq-slice",
	.question = "How do I share part of a trace without private texts?",
	.prints = "Writes a smaller trace, and prints how many rows each of its tables keeps.",
	.examples = { "nsq-slice --check run.sqlite", "nsq-window --pick 2..4 run.sqlite | nsq-slice -o small.sqlite" },
	.options = options,
	OPT_PARAMS(slice_params, .mode = SLICE_WRITE),
	.no_gpu = true,
	.answer = &slice_answer,
	.prepare = nsq_slice_prepare,
	.check = nsq_slice_check_traces,
	.done = nsq_slice_remark_unwritten,
};
