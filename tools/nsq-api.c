/* nsq-api - how much time does the CPU spend in CUDA and MPI calls?
 * Calls by name, class, thread, process or source (the function of the program that made the call); or each call; or
 * the launches of each process or kernel: how many there are, how long the calls take, and how long the work then
 * waits. */
#include "answer/answers.h"
#include "cli/options.h"

static const char *const keys[] = { "name", "class", "thread", "pid", "source", NULL }; /* in the order of API_BY_... */

/* In the order of enum call_class. */
static const char *const classes[] = {
	"launch", "sync", "memory", "graph", "event", "stream", "module", "other", "mpi", NULL
};

static const opt options[] = {
	{ "by", 0, "K,...", "rows by name, class, thread, pid, source (default: name)",
	  OPT_KEYS, .to = offsetof(api_params, keys), .modes = API_SUMS, .words = keys },
	{ "class", 0, "C", "only one class: launch sync memory graph event stream module other mpi", OPT_CHOICE,
	  .to = offsetof(api_params, class), .modes = API_SUMS | API_EACH, .words = classes },
	{ "each", 0, NULL, "one row per call", OPT_MODE, .mode = API_EACH },
	{ "launch", 0, NULL, "one row per process: rates and times of launches", OPT_MODE, .mode = API_LAUNCH },
	{ "kernels", 0, NULL, "one row per kernel: times of its launches", OPT_MODE, .mode = API_KERNELS },
	{ 0 }
};

const opt_tool nsq_api = {
	.name = "nsq-api",
	.question = "How much time does the CPU spend in CUDA and MPI calls?",
	.prints = "Prints the calls by name, with their number, times and class.",
	.examples = { "nsq-api --class sync --by thread,name run.sqlite",
		"nsq-gaps --each --min 50us run.sqlite | nsq-api --merge" },
	.options = options,
	OPT_PARAMS(api_params, .mode = API_SUMS, .keys = API_BY_NAME, .class = API_ALL_CLASSES),
	.answer = &api_answer,
	.spread = API_SUMS,
	.no_gpu = true,
};
