/* nsq-mfu - how much of the GPU's peak is used?
 * The time comes from the trace.  FLOPs of kernels come from Nsight Compute, with their bytes, or from the sizes in the
 * names of ranges.  Instead, the user may give the FLOPs of each window. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"

/* In the order of MFU_BY_... */
static const char *const keys[] = { "nvtx", "stage", "phase", "name", "window", "shape", "op", NULL };

typedef struct {
	mfu_params p;           /* comes first, because most options and mfu_answer take a mfu_command for it */
	const char *ncu;        /* the file that p.ncu is read from */
} mfu_command;

static bool nsq_mfu_read_flops(const char *arg, void *params)
{
	return number_positive(arg, &((mfu_params *)params)->flops) && ((mfu_params *)params)->flops <= 9e18;
}

static bool nsq_mfu_read_tokens(const char *arg, void *params)
{
	return number_positive(arg, &((mfu_params *)params)->tokens);
}

static bool nsq_mfu_read_peak(const char *arg, void *params)
{
	return number_positive(arg, &((mfu_params *)params)->peak);
}

static const opt options[] = {
	{ "by", 0, "K",
	  "rows by nvtx, stage, phase, name, window, shape, op (default: nvtx; the last two need --shapes)", OPT_CHOICE,
	  .to = offsetof(mfu_params, by), .words = keys, .modes = MFU_SUMS },
	{ "each", 0, NULL, "one row per kernel, with more of what ncu measured", OPT_MODE, .mode = MFU_EACH },
	{ "ncu", 0, "RAW.csv", "FLOPs and bytes of kernels, as measured by ncu", OPT_READS,
	  .to = offsetof(mfu_command, ncu) },
	{ "shapes", 0, NULL, "FLOPs from the sizes in range names, without ncu", OPT_FLAG,
	  .to = offsetof(mfu_params, shapes) },
	{ "type", 0, "T", "type of the operands: any fp4 fp8 bf16 fp16 tf32 fp32 fp64 (default: any)", OPT_CHOICE,
	  .to = offsetof(mfu_params, type), .words = mfu_types },
	{ "flops", 0, "N", "FLOPs of each window, such as 1.65e12, without ncu", OPT_OWN, .read = nsq_mfu_read_flops,
	  .expects = "a number above 0, at most 9e18" },
	{ "tokens", 0, "N", "tokens of each window; --flops is then for one token", OPT_OWN,
	  .read = nsq_mfu_read_tokens, .expects = "a number above 0" },
	{ "peak", 0, "TFLOPS", "peak of the GPU (default: that of its data sheet)", OPT_OWN, .read = nsq_mfu_read_peak,
	  .expects = "a number above 0" },
	{ "rules", 0, "RULES", "rules for --by stage (default: built in)", OPT_RULES,
	  .to = offsetof(mfu_params, stages) },
	{ "phases", 0, "RULES", "rules for --by phase (default: built in)", OPT_RULES,
	  .to = offsetof(mfu_params, phases) },
	OPT_ADOPT(mfu_params, 0),
	OPT_CAPTURED(mfu_params, 0),
	{ 0 }
};

static void nsq_mfu_prepare(void *params)
{
	mfu_command *c = params;
	mfu_params *p = &c->p;

	if ((c->ncu != NULL) + p->shapes + (p->flops > 0) > 1)
		die(EXIT_WRONG, "'--%s' and '--%s' cannot be combined; choose one", c->ncu ? "ncu" : "shapes",
		    p->flops > 0 ? "flops" : "shapes");
	if (p->flops > 0 && p->by != MFU_BY_WINDOW)
		die(EXIT_WRONG, "'--flops' has no effect without '--by window'; add that or drop it");
	if (p->tokens > 0 && !(p->flops > 0))
		die(EXIT_WRONG, "'--tokens' has no effect without '--flops', those of a token; add that or drop it");
	if (p->peak > 0 && !c->ncu && !p->shapes && !(p->flops > 0))
		die(EXIT_WRONG, "'--peak' has no effect without '--ncu', '--shapes' or '--flops'; add one or drop it");
	if (p->by >= MFU_BY_SHAPE && !p->shapes)
		die(EXIT_WRONG, "'--by %s' has no effect without '--shapes'; add that or drop it", keys[p->by]);
	if (p->type && !p->shapes && !(p->flops > 0))
		die(EXIT_WRONG, "'--type' has no effect without '--shapes' or '--flops'; add one or drop it");
	if (p->stages && p->by != MFU_BY_STAGE)
		die(EXIT_WRONG, "'--rules' has no effect without '--by stage'; add that or drop it");
	if (p->phases && p->by != MFU_BY_PHASE)
		die(EXIT_WRONG, "'--phases' has no effect without '--by phase'; add that or drop it");
	if ((p->adopt || (p->captured && !p->shapes)) && p->by >= MFU_BY_NAME)
		die(EXIT_WRONG, "'--%s' has no effect with '--by %s'; drop it", p->adopt ? "adopt" : "captured",
		    keys[p->by]);
	if (p->by == MFU_BY_STAGE && !p->stages)
		p->stages = values_load_rules("stages");
	if (p->by == MFU_BY_PHASE && !p->phases)
		p->phases = values_load_rules("phases");
	if (c->ncu)
		p->ncu = values_read_ncu(c->ncu);
}

const opt_tool nsq_mfu = {
	.name = "nsq-mfu",
	.question = "How much of the GPU's peak is used?",
	.prints = "Prints FLOPs per second, and their share of the peak, by range or kernel.",
	.examples = { "nsq-mfu --ncu raw.csv run.sqlite",
		"nsq-window --pick all run.sqlite | nsq-mfu --by window --ncu raw.csv" },
	.options = options,
	OPT_PARAMS(mfu_command, .p.mode = MFU_SUMS),
	.answer = &mfu_answer,
	.prepare = nsq_mfu_prepare,
};
