/* nsq-slice - part of a trace as a trace of its own, without what should not be shared.
 * share/conventions/slice.md says what is kept, share/slice lists what may be in one. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"

static const char *const kept[] = { "env", "host", "command", "paths", "clock", NULL };

static const opt options[] = {
	{ "output", 'o', "FILE.sqlite", "write it there; without it, only say what it would hold", OPT_WRITES,
	  .to = offsetof(slice_params, how.path),
		.modes = SLICE_WRITE },
	{ "force", 0, NULL, "replace the file if it is there, unless it is a trace that is no slice", OPT_FLAG,
	  .to = offsetof(slice_params, how.replace), .modes = SLICE_WRITE },
	{ "check", 0, NULL, "list the texts that a slice would show and that look private, without writing it",
		OPT_MODE,
	  .mode = SLICE_CHECK },
	{ "keep", 0, "WHAT", "keep these too: env, host (names, GPU uuids), command, paths (whole), clock (dates)",
		OPT_KEYS,
	  .to = offsetof(slice_params, how.keep), .words = kept },
	{ "names", 0, "RULES", "new names for ranges, kernels and other strings: REGEX, tab, name", OPT_RULES,
	  .to = offsetof(slice_params, how.names) },
	{ 0 }
};

static void prepare(void *params)
{
	slice_params *p = params;

	if (p->how.replace && !p->how.path)
		die(EXIT_WRONG, "'--force' has no effect without '-o'; drop it");
	if (p->how.path)
		values_output(p->how.path, ".sqlite", p->how.replace ? WHOLE_SLICES : WHOLE_NEVER);
	p->private = values_rules("private");
}

static void check(const void *params, size_t traces)
{
	if (traces > 1 && ((const slice_params *)params)->how.path)
		die(EXIT_WRONG, "a slice is of one trace, and %zu are given; make one of each, in a loop", traces);
}

static void done(const void *params, const table *out)
{
	const slice_params *p = params;

	if (p->mode == SLICE_WRITE)
		values_unwritten(p->how.path, out);
}

const opt_tool nsq_slice = {
	.name = "nsq-slice",
	.question = "How do I share a part of it, without what is private?",
	.examples = { "nsq-window -m 'decode step' --pick 20..22 run.sqlite | nsq-slice -o small.sqlite",
		"nsq-slice --check run.sqlite" },
	.options = options,
	OPT_PARAMS(slice_params, .mode = SLICE_WRITE),
	.no_gpu = true,
	.answer = &slice_answer,
	.prepare = prepare,
	.check = check,
	.done = done,
};
