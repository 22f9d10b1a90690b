/*
 * nsq-window - which moments should we look at?
 *
 * The steps of each process, found or named by -m, with their work on the GPU as the window; or the names
 * to choose from.
 */
#include "answer/window.h"
#include "cli/run.h"

static bool read_pick(const char *arg, void *params)
{
	return window_pick_named(arg, params);
}

static const opt options[] = {
	{ "match", 'm', "REGEX", "choose ranges whose name matches (default: DualPipeV chunks, else iterations, else the "
	  "process)",
	  OPT_REGEX, .to = offsetof(window_params, match) },
	{ "pick", 0, "WHICH", "middle first last longest shortest all, or a number from 0 (default: middle)",
	  OPT_OWN, .modes = WINDOW_PICK, .read = read_pick,
	  .expects = "middle, first, last, longest, shortest, all or a number from 0" },
	{ "cpu", 0, NULL, "use the range's own CPU times instead of its work on the GPU",
	  OPT_FLAG, .to = offsetof(window_params, cpu), .modes = WINDOW_PICK },
	{ "period", 0, NULL, "end each window where the next one begins",
	  OPT_FLAG, .to = offsetof(window_params, period), .modes = WINDOW_PICK },
	{ "list", 0, NULL, "list the names you can match, folded, with their work", OPT_MODE, .mode = WINDOW_LIST },
	{ 0 }
};

OPT_ANSWER(window)

static const opt_tool tool = {
	.name = "nsq-window",
	.question = "Which moments should we look at: the steady-state step of each rank, or named ranges?",
	.examples = { "nsq-window run.sqlite | nsq-overlap", "nsq-window -m 'decode step' --pick all run.sqlite" },
	.options = options,
	.all = window_all,
	.mode_at = offsetof(window_params, mode),
	.ask = ask,
	.columns = columns,
	.answer = answer,
};

int main(int argc, char **argv)
{
	window_params p = { .mode = WINDOW_PICK, .pick = WINDOW_MIDDLE };

	return run_tool(&tool, &p, argc, argv);
}
