/* nsq-mem - what data moves, and how fast?
 * Memory copies and sets by kind, by source and destination, by process, GPU or stream, by annotation or by call; or
 * each of them; or how much memory is allocated; or where unified memory faults. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/options.h"

/* In the order of COPIES_BY_... */
static const char *const keys[] = { "kind", "src", "dst", "pid", "gpu", "stream", "nvtx", "call", NULL };

static const opt options[] = {
	{ "by", 0, "K,...", "rows by kind, src, dst, pid, gpu, stream, nvtx, call (default: kind,src,dst)",
	  OPT_KEYS, .to = offsetof(copies_params, keys), .modes = COPIES_SUMS, .words = keys },
	{ "match", 'm', "REGEX", "only copies and sets whose 'kind src dst' matches", OPT_REGEX,
	  .to = offsetof(copies_params, match), .modes = COPIES_SUMS | COPIES_EACH },
	{ "each", 0, NULL, "one row per copy or set", OPT_MODE, .mode = COPIES_EACH },
	{ "usage", 0, NULL, "allocated memory, per process, GPU and kind", OPT_MODE, .mode = COPIES_USAGE },
	{ "faults", 0, NULL, "page faults on unified memory, by range", OPT_MODE, .mode = COPIES_FAULTS },
	OPT_ADOPT(copies_params, 0),
	OPT_CAPTURED(copies_params, COPIES_SUMS | COPIES_EACH),
	{ 0 }
};

static void nsq_mem_prepare(void *params)
{
	const copies_params *p = params;

	if (p->mode != COPIES_SUMS || p->keys & COPIES_BY_NVTX)
		return;
	if (p->adopt)
		die(EXIT_WRONG, "'--adopt' has no effect without '--by nvtx', '--each', '--usage' or '--faults'; drop "
		    "it");
	if (p->captured)
		die(EXIT_WRONG, "'--captured' has no effect without '--by nvtx' or '--each'; drop it");
}

const opt_tool nsq_mem = {
	.name = "nsq-mem",
	.question = "What data moves between memories, how much, and how fast?",
	.prints = "Prints copies and sets by kind, with their bytes and speed, or memory in use.",
	.examples = { "nsq-mem --each -m pageable run.sqlite", "nsq-mem --usage run.sqlite" },
	.options = options,
	OPT_PARAMS(copies_params, .mode = COPIES_SUMS, .keys = COPIES_BY_KIND | COPIES_BY_SRC | COPIES_BY_DST),
	.answer = &copies_answer,
	.spread = COPIES_SUMS,
	.prepare = nsq_mem_prepare,
};
