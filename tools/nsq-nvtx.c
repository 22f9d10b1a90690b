/* nsq-nvtx - where does the time go, by annotation?
 * Ranges by domain and name, as a hierarchy, by the phases that rules derive from their names, or each range.  The GPU
 * time of a range is that of the kernels, and CUDA graphs traced as a whole, that were launched while it was open. */
#include "answer/answers.h"
#include "cli/options.h"

/* Read the greatest depth to show.  The outermost ranges have depth 0, so there are depth + 1 levels. */
static bool nsq_nvtx_read_depth(const char *arg, void *params)
{
	nvtx_params *p = params;
	int64_t depth;

	if (!number_int(arg, &depth) || depth < 0 || depth == INT64_MAX)
		return false;
	p->levels = depth + 1;
	return true;
}

static bool nsq_nvtx_read_warn_below(const char *arg, void *params)
{
	return number_percent(arg, &((nvtx_params *)params)->warn_below);
}

static const opt options[] = {
	{ "match", 'm', "REGEX", "only ranges whose name matches",
	  OPT_REGEX, .to = offsetof(nvtx_params, match), .modes = NVTX_SUMS | NVTX_EACH },
	{ "exact", 0, NULL, "keep digits in names instead of folding them to #", OPT_FLAG,
	  .to = offsetof(nvtx_params, exact), .modes = NVTX_SUMS | NVTX_TREE },
	{ "tree", 0, NULL, "print the hierarchy, depth first, with paths", OPT_MODE, .mode = NVTX_TREE },
	{ "phases", 0, "RULES", "one row per label that these rules give", OPT_MODE_RULES,
	  .to = offsetof(nvtx_params, phases), .mode = NVTX_PHASES },
	{ "each", 0, NULL, "one row per range", OPT_MODE, .mode = NVTX_EACH },
	{ "depth", 0, "N", "end the tree or list at this depth (0: outermost)", OPT_OWN, .modes = NVTX_TREE | NVTX_EACH,
	  .read = nsq_nvtx_read_depth, .expects = "a whole number of at least 0" },
	OPT_ADOPT(nvtx_params, 0),
	OPT_CAPTURED(nvtx_params, 0),
	{ "warn-below", 0, "PCT", "warn if less GPU time is in ranges (default: 70)", OPT_OWN,
	  .read = nsq_nvtx_read_warn_below, .expects = "percent from 0 to 100, or a share such as 0.7" },
	{ 0 }
};

const opt_tool nsq_nvtx = {
	.name = "nsq-nvtx",
	.question = "Where does the time go, by annotation?",
	.prints = "Prints the NVTX ranges by name, with their CPU time and their kernels' GPU time.",
	.examples = { "nsq-nvtx --tree -f table run.sqlite", "nsq-nvtx --phases phases.tsv run.sqlite" },
	.options = options,
	OPT_PARAMS(nvtx_params, .mode = NVTX_SUMS, .warn_below = 70),
	.answer = &nvtx_answer,
	.spread = NVTX_SUMS | NVTX_PHASES,
};
