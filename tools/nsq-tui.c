/* nsq-tui - a timeline of traces in the terminal.
 * Each trace adds its processes.  After the last trace the timeline is shown until the user quits; then the texts that
 * the user copied are printed. */
#include "cli/errors.h"
#include "cli/terminal.h"
#include "cli/values.h"
#include "tui/tui.h"

#include <unistd.h>

static const opt options[] = {
	OPT_COMM(tui_params),
	OPT_CAPTURED(tui_params, 0),
	{ 0 }
};

static void nsq_tui_prepare(void *params)
{
	tui_params *p = params;

	if (!isatty(STDOUT_FILENO))
		die(EXIT_WRONG, "standard output is no terminal, which this needs; nsq-kernels, nsq-streams and "
		    "nsq-gaps print tables");
	p->color = terminal_colors(STDOUT_FILENO);
	p->ui = mem_new(tui, 1);
}

const opt_tool nsq_tui = {
	.name = "nsq-tui",
	.question = "What does the trace look like, in a terminal?",
	.prints = "Shows a timeline to move through; ? lists its keys.",
	.examples = { "nsq-tui run.sqlite", "nsq-window run.sqlite | nsq-tui" },
	.options = options,
	OPT_PARAMS(tui_params, .mode = 1),
	.answer = &tui_answer,
	.output = "ranges by depth, the streams with their kernels, a ruler, the kernels around the cursor; t shows "
		"the tree of ranges with their times, ? lists the keys",
	.draws = true,
	.no_inside = ~0u,
	.prepare = nsq_tui_prepare,
	.tell = tui_print_lines,
	.prints_words = 1,
};
