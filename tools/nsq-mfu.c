/* nsq-mfu - how much of the GPU's peak is used?
 * FLOPs and bytes of each kernel come from Nsight Compute or from the sizes in the names of ranges, or the FLOPs of a
 * step from the user; the time comes from the trace. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"

static const char *const keys[] = { "nvtx", "stage", "phase", "name", "window", "shape", "op", NULL }; /* MFU_BY_... */

typedef struct {
	mfu_params p;
	const char *ncu;        /* the file that p.ncu is read from */
} command;

static bool read_flops(const char *arg, void *params)
{
	return number_positive(arg, &((mfu_params *)params)->flops) && ((mfu_params *)params)->flops <= 9e18;
}

static bool read_peak(const char *arg, void *params)
{
	return number_positive(arg, &((mfu_params *)params)->peak);
}

static const opt options[] = {
	{ "by", 0, "K", "rows by nvtx (default: the innermost range), stage, phase, name, window or, with --shapes, "
	  "shape or op (the same without sizes)",
	  OPT_CHOICE, .to = offsetof(mfu_params, by), .words = keys, .modes = MFU_SUMS },
	{ "each", 0, NULL, "one row per kernel, with what else Nsight Compute knows", OPT_MODE, .mode = MFU_EACH },
	{ "ncu", 0, "RAW.csv", "FLOPs and bytes of each kernel: ncu --set roofline --metrics dram__bytes.sum "
	  "--page raw --csv", OPT_READS, .to = offsetof(command, ncu) },
	{ "shapes", 0, NULL, "instead: FLOPs of products, convolutions and attention by the sizes in names of ranges",
	  OPT_FLAG, .to = offsetof(mfu_params, shapes) },
	{ "type", 0, "T", "of the operands, with --shapes or --flops: any (default: peak of 16 bits, bytes unknown), "
	  "fp4, fp8, bf16, fp16, tf32, fp32, fp64", OPT_CHOICE, .to = offsetof(mfu_params, type), .words = mfu_types },
	{ "flops", 0, "N", "instead, with --by window: N model FLOPs in each window, such as 1.65e12",
	  OPT_OWN, .read = read_flops, .expects = "a number above 0, at most 9e18" },
	{ "peak", 0, "TFLOPS", "peak of the GPU (default: its data sheet's, for the type with the most FLOPs)",
	  OPT_OWN, .read = read_peak, .expects = "a number above 0" },
	{ "rules", 0, "RULES", "stage rules for --by stage, lines of REGEX<TAB>LABEL (default: built in)",
	  OPT_RULES, .to = offsetof(mfu_params, stages) },
	{ "phases", 0, "RULES", "phase rules for --by phase (default: built in: forward backward optimizer "
	  "prefill decode)", OPT_RULES, .to = offsetof(mfu_params, phases) },
	OPT_ADOPT(mfu_params, 0),
	OPT_CAPTURED(mfu_params, 0),
	{ 0 }
};

static void prepare(void *params)
{
	command *c = params;
	mfu_params *p = &c->p;

	if ((c->ncu != NULL) + p->shapes + (p->flops > 0) > 1)
		die(EXIT_WRONG, "'--%s' and '--%s' cannot be combined; choose one", c->ncu ? "ncu" : "shapes",
		    p->flops > 0 ? "flops" : "shapes");
	if (p->flops > 0 && p->by != MFU_BY_WINDOW)
		die(EXIT_WRONG, "'--flops' has no effect without '--by window'; add that or drop it");
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
		p->stages = values_rules("stages");
	if (p->by == MFU_BY_PHASE && !p->phases)
		p->phases = values_rules("phases");
	if (c->ncu)
		p->ncu = values_ncu(c->ncu);
}

const opt_tool nsq_mfu = {
	.name = "nsq-mfu",
	.question = "How much of the GPU's peak is used?",
	.examples = { "nsq-window --pick all run.sqlite | nsq-mfu --by window --ncu raw.csv", "nsq-mfu --ncu raw.csv "
		"run.sqlite" },
	.options = options,
	OPT_PARAMS(command, .p.mode = MFU_SUMS),
	.answer = &mfu_answer,
	.prepare = prepare,
};
