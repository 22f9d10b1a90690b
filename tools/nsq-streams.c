/* nsq-streams - which streams compute, which communicate, and for what?
 * Each stream; or, for each pair of streams, why work of one waits for work of the other. */
#include "answer/answers.h"
#include "cli/values.h"

static const opt options[] = {
	{ "why", 0, NULL, "one row per pair of streams: why work waits beside other streams", OPT_MODE,
	  .mode = STREAMS_WHY },
	{ "rules", 0, "RULES", "purpose rules (default: built in)", OPT_RULES, .to = offsetof(streams_params, rules),
	  .modes = STREAMS_SUMS },
	OPT_COMM(streams_params),
	OPT_ADOPT(streams_params, STREAMS_SUMS),
	OPT_CAPTURED(streams_params, STREAMS_SUMS),
	{ 0 }
};

static void nsq_streams_prepare(void *params)
{
	streams_params *p = params;

	if (!p->rules && p->mode == STREAMS_SUMS)
		p->rules = values_load_rules("purposes");
}

const opt_tool nsq_streams = {
	.name = "nsq-streams",
	.question = "Which streams compute, which communicate, and for what?",
	.prints = "Prints each stream with its class, kernels, busy time and purpose.",
	.examples = { "nsq-streams run.sqlite", "nsq-window run.sqlite | nsq-streams --why" },
	.options = options,
	OPT_PARAMS(streams_params, .mode = STREAMS_SUMS),
	.answer = &streams_answer,
	.prepare = nsq_streams_prepare,
};
