/* nsq-nccl - what does each collective move, how fast, and who keeps whom waiting?
 * Looks at the ranks of all traces together: communication by communicator, operation and size; each kernel; or how
 * long the others wait for each process. */
#include "answer/answers.h"
#include "cli/values.h"

static const char *const keys[] = { "comm", "op", "bytes", "stage", "pid", NULL };   /* in the order of NCCL_BY_... */
static const char *const clocks[] = { "best", "utc", "ends", "none", NULL };    /* in the order of enum job_clock */

static const opt options[] = {
	{ "by", 0, "K,...", "rows by comm, op, bytes, stage, pid (default: comm,op,bytes)",
	  OPT_KEYS, .to = offsetof(nccl_params, keys), .modes = NCCL_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per communication kernel", OPT_MODE, .mode = NCCL_EACH },
	{ "stragglers", 0, NULL, "how late each process makes the others, and why", OPT_MODE, .mode = NCCL_STRAGGLERS },
	{ "last", 0, NULL, "how often each process comes last, for any reason", OPT_MODE, .mode = NCCL_LAST },
	OPT_STEPS(nccl_params, choice, NCCL_STRAGGLERS, "ranges that are the steps, for --stragglers"),
	{ "clock", 0, "CLOCK", "compare traces by utc, ends, none or best (default: best)", OPT_CHOICE,
	  .to = offsetof(nccl_params, clock), .words = clocks },
	{ "rules", 0, "RULES", "rules for --by stage (default: built in)", OPT_RULES,
	  .to = offsetof(nccl_params, rules), .modes = NCCL_SUMS },
	OPT_COMM(nccl_params),
	OPT_ADOPT(nccl_params, NCCL_SUMS),
	OPT_CAPTURED(nccl_params, NCCL_SUMS),
	{ 0 }
};

static void nsq_nccl_prepare(void *params)
{
	nccl_params *p = params;

	if (!p->rules && p->keys & NCCL_BY_STAGE)
		p->rules = values_load_rules("stages");
	p->job = nccl_begin(NULL);
}

static void nsq_nccl_end(const void *params)
{
	nccl_end(((const nccl_params *)params)->job);
}

const opt_tool nsq_nccl = {
	.name = "nsq-nccl",
	.question = "How fast is each collective, and which rank makes others wait?",
	.prints = "Prints the collectives by group, kind and size, with waiting and transfer apart.",
	.examples = { "nsq-nccl --stragglers rank*.sqlite", "nsq-nccl --each -w 230ms..280ms run.sqlite" },
	.options = options,
	OPT_PARAMS(nccl_params, .mode = NCCL_SUMS, .keys = NCCL_BY_COMM | NCCL_BY_OP | NCCL_BY_BYTES),
	.answer = &nccl_answer,
	.prepare = nsq_nccl_prepare,
	.end = nsq_nccl_end,
};
