/*
 * nsq-mem - what data moves, and how fast?
 *
 * Memory copies and sets by kind and memories, by place or by annotation; or each of them.
 */
#include "answer/mem.h"
#include "cli/errors.h"
#include "cli/run.h"

/* In the order of MEM_BY_... */
static const char *const keys[] = { "kind", "src", "dst", "pid", "gpu", "stream", "nvtx", NULL };

static const opt options[] = {
	{ "by", 0, "K,...", "rows by kind, src, dst, pid, gpu, stream, nvtx (default: kind,src,dst)",
	  OPT_KEYS, .to = offsetof(mem_params, keys), .modes = MEM_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per copy or set", OPT_MODE, .mode = MEM_EACH },
	OPT_ADOPT(mem_params, 0),
	{ 0 }
};

static void prepare(void *params)
{
	const mem_params *p = params;

	if (p->adopt && p->mode == MEM_SUMS && !(p->keys & MEM_BY_NVTX))
		die(EXIT_WRONG, "'--adopt' has no effect without '--by nvtx' or '--each'; drop it");
}

OPT_ANSWER(mem)

static const opt_tool tool = {
	.name = "nsq-mem",
	.question = "What data moves between memories, how much, and how fast?",
	.examples = { "nsq-mem run.sqlite", "nsq-mem --each run.sqlite | grep pageable" },
	.options = options,
	.all = mem_all,
	.mode_at = offsetof(mem_params, mode),
	.prepare = prepare,
	.ask = ask,
	.columns = columns,
	.answer = answer,
};

int main(int argc, char **argv)
{
	mem_params p = { .mode = MEM_SUMS, .keys = MEM_BY_KIND | MEM_BY_SRC | MEM_BY_DST };

	return run_tool(&tool, &p, argc, argv);
}
