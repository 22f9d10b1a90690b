/* nsq-stalls - when nothing computes, what was the next compute kernel waiting for?
 * The time without compute of each process and GPU, cut into parts: until the launch of the next compute kernel, while
 * the work ran that this kernel waited for (its producers), and the rest.  Sums by part, cause, producer, stage or
 * annotation; or each stretch of that time. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"

/* In the order of STALLS_BY_... */
static const char *const keys[] = { "part", "producer", "stage", "nvtx", "cause", NULL };

static const opt options[] = {
	{ "by", 0, "K,...", "absent time by part, cause, producer, stage or nvtx", OPT_KEYS,
	  .to = offsetof(stalls_params, keys), .modes = STALLS_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per stretch without compute, longest first", OPT_MODE, .mode = STALLS_EACH },
	{ "rules", 0, "RULES", "stage rules (default: built in)", OPT_RULES, .to = offsetof(stalls_params, rules) },
	OPT_COMM(stalls_params),
	OPT_ADOPT(stalls_params, 0),
	OPT_CAPTURED(stalls_params, 0),
	{ 0 }
};

static void nsq_stalls_prepare(void *params)
{
	stalls_params *p = params;

	if (p->rules && !stalls_need_stages(p))
		die(EXIT_WRONG, "'--rules' has no effect without '--by stage' or '--each'; drop it");
	if ((p->adopt || p->captured) && !stalls_need_ranges(p))
		die(EXIT_WRONG, "'--%s' has no effect without '--by stage', '--by nvtx' or '--each'; drop it",
		    p->adopt ? "adopt" : "captured");
	if (!p->rules && stalls_need_stages(p))
		p->rules = values_load_rules("stages");
}

const opt_tool nsq_stalls = {
	.name = "nsq-stalls",
	.question = "When nothing computes, what does the next kernel wait for?",
	.prints = "Prints the time without compute, by what the next compute kernel waited for.",
	.examples = { "nsq-window run.sqlite | nsq-stalls", "nsq-stalls --by producer run.sqlite" },
	.options = options,
	OPT_PARAMS(stalls_params, .mode = STALLS_SUMS),
	.answer = &stalls_answer,
	.spread = STALLS_SUMS,
	.no_inside = ~0u,
	.prepare = nsq_stalls_prepare,
};
