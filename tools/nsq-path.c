/* nsq-path - which chain of work, waits and CPU time makes the window as long as it is?
 * Each window is walked backwards from its end, and every nanosecond is given to one link of the walk.  Prints the
 * links by kind and name, or each link; within each process, or through all ranks of a job. */
#include "answer/answers.h"
#include "cli/options.h"

static const opt options[] = {
	{ "each", 0, NULL, "the chain in order of time, one row per link", OPT_MODE, .mode = PATH_EACH },
	{ "ranks", 0, NULL, "follow collectives into the rank that came last", OPT_FLAG,
	  .to = offsetof(path_params, ranks) },
	OPT_COMM(path_params),
	OPT_ADOPT(path_params, PATH_EACH),
	OPT_CAPTURED(path_params, PATH_EACH),
	{ 0 }
};

static void nsq_path_prepare(void *params)
{
	path_params *p = params;

	if (p->ranks)
		p->job = path_begin(p);
}

const opt_tool nsq_path = {
	.name = "nsq-path",
	.question = "Which chain of work and waits makes the window this long?",
	.prints = "Prints how long each kind of work, wait or CPU time is on the critical path.",
	.examples = { "nsq-window run.sqlite | nsq-path", "nsq-path --ranks rank*.sqlite" },
	.options = options,
	OPT_PARAMS(path_params, .mode = PATH_SUMS),
	.answer = &path_answer,
	.no_inside = ~0u,
	.prepare = nsq_path_prepare,
};
