/* nsq-streams - which streams compute, which communicate, and for what? */
#include "answer/answers.h"
#include "cli/values.h"

static const opt options[] = {
	{ "rules", 0, "RULES", "purpose rules (default: built in)", OPT_RULES, .to = offsetof(streams_params, rules) },
	OPT_COMM(streams_params),
	OPT_ADOPT(streams_params, 0),
	OPT_CAPTURED(streams_params, 0),
	{ 0 }
};

static void prepare(void *params)
{
	streams_params *p = params;

	if (!p->rules)
		p->rules = values_rules("purposes");
}

const opt_tool nsq_streams = {
	.name = "nsq-streams",
	.question = "Which streams compute, which communicate, and for what?",
	.prints = "Prints each stream with its class, kernels, busy time and purpose.",
	.examples = { "nsq-streams run.sqlite", "nsq-window run.sqlite | nsq-streams -f table" },
	.options = options,
	OPT_PARAMS(streams_params, .mode = 1),
	.answer = &streams_answer,
	.prepare = prepare,
};
