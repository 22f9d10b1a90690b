/* nsq-setup - who is in this trace?
 * One row per process, or the facts of the trace: what nsys recorded about versions, host and GPUs, which tables there
 * are, what is missing and what looks wrong.  Windows and --comm apply only to the rows of processes. */
#include "answer/answers.h"
#include "cli/options.h"

static const opt options[] = {
	{ "facts", 0, NULL, "facts instead: versions, host, GPUs, what is missing", OPT_MODE, .mode = SETUP_FACTS },
	OPT_COMM(setup_params),
	{ 0 }
};

/* The window of a process is the span of all its events, unless one is given.  Facts are about the whole trace. */
const opt_tool nsq_setup = {
	.name = "nsq-setup",
	.question = "Who is in this trace, and what was captured?",
	.prints = "Prints the processes with their ranks, GPUs, kernels and ranges, or facts.",
	.examples = { "nsq-setup run.sqlite", "nsq-setup --facts run.sqlite" },
	.options = options,
	OPT_PARAMS(setup_params, .mode = SETUP_PROCESSES),
	.answer = &setup_answer,
	.windowless = SETUP_FACTS,
};
