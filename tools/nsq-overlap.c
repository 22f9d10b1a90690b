/* nsq-overlap - is communication hidden behind compute?
 * Communication kernels by stage (the part of the model that they belong to), stream or name; each kernel; or how much
 * of the window each kind of work takes. */
#include "answer/answers.h"
#include "cli/values.h"

static const char *const keys[] = { "stage", "stream", "name", NULL };  /* in the order of OVERLAP_BY_... */

static const opt options[] = {
	{ "by", 0, "K,...", "rows by stage, stream, name (default: stage)",
	  OPT_KEYS, .to = offsetof(overlap_params, keys), .modes = OVERLAP_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per communication kernel", OPT_MODE, .mode = OVERLAP_EACH },
	{ "total", 0, NULL, "one row per process and GPU: unions of all work", OPT_MODE, .mode = OVERLAP_TOTAL },
	{ "cost", 0, NULL, "what overlap costs the compute kernels beside it", OPT_MODE, .mode = OVERLAP_COST },
	{ "rules", 0, "RULES", "stage rules (default: built in)", OPT_RULES, .to = offsetof(overlap_params, rules),
	  .modes = OVERLAP_SUMS | OVERLAP_EACH },
	OPT_COMM(overlap_params),
	OPT_ADOPT(overlap_params, OVERLAP_SUMS | OVERLAP_EACH),
	OPT_CAPTURED(overlap_params, OVERLAP_SUMS | OVERLAP_EACH),
	{ 0 }
};

static void nsq_overlap_prepare(void *params)
{
	overlap_params *p = params;

	if (!p->rules && p->mode & (OVERLAP_SUMS | OVERLAP_EACH))
		p->rules = values_load_rules("stages");
}

const opt_tool nsq_overlap = {
	.name = "nsq-overlap",
	.question = "Is communication hidden behind compute, and where is it exposed?",
	.prints = "Prints hidden and exposed communication time by stage, stream or kernel.",
	.examples = { "nsq-window run.sqlite | nsq-overlap", "nsq-overlap -w 230ms..280ms --by stream run.sqlite" },
	.options = options,
	OPT_PARAMS(overlap_params, .mode = OVERLAP_SUMS, .keys = OVERLAP_BY_STAGE),
	.answer = &overlap_answer,
	.spread = OVERLAP_SUMS,
	.no_inside = OVERLAP_TOTAL,
	.prepare = nsq_overlap_prepare,
};
