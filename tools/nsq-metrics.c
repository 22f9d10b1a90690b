/* nsq-metrics - how busy were the GPU's units?
 * Sampled metrics of each GPU: their means and percentiles, by the kernels or ranges that ran; or each sample;
 * or the rates of network adapters. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"

static const char *const keys[] = { "name", "nvtx", "stage", NULL };    /* in the order of METRICS_BY_... */

static const opt options[] = {
	{ "by", 0, "K,...", "rows by name, nvtx, stage (of the running kernels)", OPT_KEYS,
	  .to = offsetof(metrics_params, keys), .modes = METRICS_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per sample and metric", OPT_MODE, .mode = METRICS_EACH },
	{ "net", 0, NULL, "rates of network adapters instead", OPT_MODE, .mode = METRICS_NET },
	{ "match", 'm', "REGEX", "only metrics whose name matches", OPT_REGEX, .to = offsetof(metrics_params, match) },
	{ "rules", 0, "RULES", "rules for --by stage (default: built in)", OPT_RULES,
	  .to = offsetof(metrics_params, rules), .modes = METRICS_SUMS },
	OPT_ADOPT(metrics_params, METRICS_SUMS),
	OPT_CAPTURED(metrics_params, METRICS_SUMS),
	{ 0 }
};

static void nsq_metrics_prepare(void *params)
{
	metrics_params *p = params;

	if ((p->adopt || p->captured) && !(p->keys & (METRICS_BY_NVTX | METRICS_BY_STAGE)))
		die(EXIT_WRONG, "'--%s' has no effect without '--by nvtx' or '--by stage'; drop it",
		    p->adopt ? "adopt" : "captured");
	if (p->rules && !(p->keys & METRICS_BY_STAGE))
		die(EXIT_WRONG, "'--rules' has no effect without '--by stage'; drop it");
	if (p->keys & METRICS_BY_STAGE && !p->rules)
		p->rules = values_load_rules("stages");
}

const opt_tool nsq_metrics = {
	.name = "nsq-metrics",
	.question = "How busy were the SMs, tensor cores and memory, at which clock?",
	.prints = "Prints the mean and the spread of each sampled metric of the GPU.",
	.examples = { "nsq-window run.sqlite | nsq-metrics", "nsq-metrics -m 'Tensor|DRAM' --by nvtx run.sqlite" },
	.options = options,
	OPT_PARAMS(metrics_params, .mode = METRICS_SUMS),
	.answer = &metrics_answer,
	.prepare = nsq_metrics_prepare,
};
