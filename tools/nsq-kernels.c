/* nsq-kernels - which kernels take the time?
 * Kernels by name, process, GPU, stream, annotation, owner (their kind in nsq-ledger) or category; or each kernel. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/values.h"
#include "trace/manifest.h"

/* In the order of KERNELS_BY_... */
static const char *const keys[] = { "name", "gpu", "stream", "pid", "category", "nvtx", "source", "owner", "path",
	"grid", "block", NULL };
static const char *const work_words[] = { "kernels", "all", NULL };

enum { NS_PER_S = 1000000000 };

static bool nsq_kernels_read_wall(const char *arg, void *params)
{
	kernels_params *p = params;

	free(p->wall);
	p->walls = number_times(arg, NS_PER_S, &p->wall);
	p->wall_in = p->walls || !manifest_is_name(arg) ? NULL : arg;
	return p->walls || p->wall_in;
}

static const opt options[] = {
	{ "by", 0, "K,...", "rows by name gpu stream pid category nvtx source owner path grid block",
	  OPT_KEYS, .to = offsetof(kernels_params, keys), .modes = KERNELS_SUMS, .words = keys },
	{ "categories", 0, "RULES", "rules for --by category (default: llm)", OPT_RULES,
	  .to = offsetof(kernels_params, categories), .modes = KERNELS_SUMS },
	{ "shape", 0, NULL, "by grid and block too, with waves, tail and occupancy", OPT_FLAG,
	  .to = offsetof(kernels_params, shape), .modes = KERNELS_SUMS },
	{ "each", 0, NULL, "one row per kernel", OPT_MODE, .mode = KERNELS_EACH },
	{ "match", 'm', "REGEX", "only kernels whose short or demangled name matches", OPT_REGEX,
	  .to = offsetof(kernels_params, match) },
	{ "full", 0, NULL, "print demangled names, with template arguments", OPT_FLAG,
	.to = offsetof(kernels_params, full) },
	{ "work", 0, "W", "kernels, or all: also copies (default: kernels)", OPT_CHOICE,
	  .to = offsetof(kernels_params, copies), .words = work_words },
	{ "wall", 0, "SECONDS,...", "run time without a profiler: adds a row 'non-gpu'", OPT_MANIFEST,
	  .read = nsq_kernels_read_wall, .expects = "a time in seconds for each trace, such as 0.25,0, or manifest",
	  .modes = KERNELS_SUMS },
	OPT_COMM(kernels_params),
	OPT_ADOPT(kernels_params, 0),
	OPT_CAPTURED(kernels_params, 0),
	{ 0 }
};

static void nsq_kernels_prepare(void *params)
{
	kernels_params *p = params;
	unsigned by = kernels_keys(p);

	if ((p->adopt || p->captured) && p->mode == KERNELS_SUMS && !(by & (KERNELS_BY_NVTX | KERNELS_BY_PATH)))
		die(EXIT_WRONG, "'--%s' has no effect without '--by nvtx', '--by path' or '--each'; drop it",
		    p->adopt ? "adopt" : "captured");
	if (p->full && p->mode == KERNELS_SUMS && !(by & KERNELS_BY_NAME) && !p->match)
		die(EXIT_WRONG, "'--full' has no effect without '--by name', '--each' or '-m'; drop it");
	if ((p->wall || p->wall_in) && !(by & (KERNELS_BY_NAME | KERNELS_BY_CATEGORY)))
		die(EXIT_WRONG, "'--wall' needs '--by name' or '--by category', which tell its row from others; add "
		    "one or drop it");
	if (by & KERNELS_BY_CATEGORY && !p->categories)
		p->categories = values_load_rules("llm");
}

static void nsq_kernels_check_traces(const void *params, size_t traces)
{
	const kernels_params *p = params;

	if (p->wall && p->walls != traces && (p->walls > 1 || *p->wall))
		die(EXIT_WRONG, "'--wall' has %zu time%s for %zu trace%s; give one for each, in their order", p->walls,
		    p->walls == 1 ? "" : "s", traces, traces == 1 ? "" : "s");
}

static void nsq_kernels_end(const void *params)
{
	free(((const kernels_params *)params)->wall);
}

const opt_tool nsq_kernels = {
	.name = "nsq-kernels",
	.question = "Which kernels take the time?",
	.prints = "Prints the kernels by name, with their number, times and share.",
	.examples = { "nsq-kernels -n 10 run.sqlite", "nsq-window run.sqlite | nsq-kernels --by category" },
	.options = options,
	OPT_PARAMS(kernels_params, .mode = KERNELS_SUMS),
	.answer = &kernels_answer,
	.spread = KERNELS_SUMS,
	.prepare = nsq_kernels_prepare,
	.end = nsq_kernels_end,
	.check = nsq_kernels_check_traces,
};
