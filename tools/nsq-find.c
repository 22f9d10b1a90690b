/* nsq-find - where is it?
 * Every event whose name matches, or everything that runs or is open at a moment. */
#include "answer/answers.h"
#include "cli/errors.h"
#include "cli/options.h"

/* In the order of FIND_KERNEL ... */
static const char *const kinds[] = { "kernel", "graph", "copy", "set", "call", "range", "mark", "os", "mpi", NULL };

static bool nsq_find_read_at(const char *arg, void *params)
{
	find_params *p = params;
	int64_t unit;

	p->mode = FIND_AT;
	p->at = strcmp(arg, "start") == 0 ? FIND_AT_START : strcmp(arg, "end") == 0 ? FIND_AT_END : FIND_AT_TIME;
	return p->at != FIND_AT_TIME || (number_time(arg, strlen(arg), 1, &unit, &p->time_ns) && p->time_ns >= 0);
}

static const opt regex = { NULL, 0, "REGEX", "the names to find, a regular expression (PCRE2); not given "
	"with --at", OPT_REGEX, .to = offsetof(find_params, match), .modes = FIND_NAME };

static const opt options[] = {
	{ "at", 0, "TIME", "what is running or open then (or: start, end)", OPT_OWN, .read = nsq_find_read_at,
	  .expects = "a time such as 230ms, or start, or end" },
	{ "kind", 0, "K,...", "only these: kernel graph copy set call range mark os mpi",
	  OPT_KEYS, .to = offsetof(find_params, kinds), .words = kinds },
	OPT_CAPTURED(find_params, 0),
	{ 0 }
};

static void nsq_find_prepare(void *params)
{
	const find_params *p = params;

	if (p->captured && !(p->kinds & (FIND_KERNEL | FIND_GRAPH | FIND_COPY | FIND_SET)))
		die(EXIT_WRONG, "'--captured' has no effect without work among '--kind'; drop it");
}

const opt_tool nsq_find = {
	.name = "nsq-find",
	.question = "Which events have this name, or happen at this moment?",
	.prints = "Prints each event with its time, stream or thread, and range.",
	.examples = { "nsq-find flash run.sqlite | nsq-kernels", "nsq-find --at 230ms run.sqlite" },
	.first = &regex,
	.options = options,
	OPT_PARAMS(find_params, .mode = FIND_NAME, .kinds = FIND_ALL),
	.answer = &find_answer,
	.prepare = nsq_find_prepare,
};
