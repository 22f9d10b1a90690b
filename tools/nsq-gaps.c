/* nsq-gaps - when is the GPU idle, and who is to blame?
 * Idle time by process and GPU, and by cause or annotation; or each gap. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/options.h"

static const char *const keys[] = { "cause", "nvtx", "gpu", "source", NULL };   /* in the order of GAPS_BY_... */
static const char *const work_words[] = { "all", "kernels", NULL };

static const opt options[] = {
	{ "by", 0, "K,...", "idle time by cause, nvtx, source or gpu", OPT_KEYS, .to = offsetof(gaps_params, keys),
	  .modes = GAPS_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per gap, longest first", OPT_MODE, .mode = GAPS_EACH },
	{ "min", 0, "TIME", "shortest gap that --each lists (default: 1us)",
	  OPT_TIME, .to = offsetof(gaps_params, min_ns), .modes = GAPS_EACH },
	{ "work", 0, "W", "what counts as busy: all or kernels (default: all)", OPT_CHOICE,
	  .to = offsetof(gaps_params, kernels), .words = work_words },
	OPT_STEPS(gaps_params, choice, 0, "ranges that are the steps"),
	OPT_ADOPT(gaps_params, 0),
	OPT_CAPTURED(gaps_params, 0),
	{ 0 }
};

static void nsq_gaps_prepare(void *params)
{
	const gaps_params *p = params;

	if (p->captured && p->mode == GAPS_SUMS && !(p->keys & GAPS_BY_NVTX))
		die(EXIT_WRONG, "'--captured' has no effect without '--by nvtx' or '--each'; drop it");
	if (p->keys & GAPS_BY_GPU && p->keys != GAPS_BY_GPU)
		die(EXIT_WRONG, "'--by gpu' combines processes, so there are no causes, ranges or sources to show; "
		    "use it alone");
}

const opt_tool nsq_gaps = {
	.name = "nsq-gaps",
	.question = "When is the GPU idle, and who is to blame?",
	.prints = "Prints busy and idle time, idle time by cause, or each gap.",
	.examples = { "nsq-gaps --by cause run.sqlite", "nsq-gaps --each --min 50us run.sqlite | nsq-api --merge" },
	.options = options,
	OPT_PARAMS(gaps_params, .mode = GAPS_SUMS, .min_ns = 1000),
	.answer = &gaps_answer,
	.spread = GAPS_SUMS,
	.no_inside = ~0u,
	.prepare = nsq_gaps_prepare,
};
