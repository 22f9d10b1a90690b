/* nsq-view - a timeline of traces in one page of HTML.
 * Each trace adds its events to the page, which is written at the end. */
#include "cli/errors.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "picture/drawn.h"

static const char *const clocks[] = { "one", "own", NULL };

static const opt options[] = {
	{ "output", 'o', "FILE", "page to write; without it, only count the events", OPT_WRITES,
	  .to = offsetof(drawn_params, path) },
	{ "force", 0, NULL, "replace the file if it is there", OPT_FLAG, .to = offsetof(drawn_params, replace) },
	{ "most", 0, "N", "draw at most N events apart (default: 4000000)", OPT_COUNT,
	  .to = offsetof(drawn_params, most) },
	{ "categories", 0, "RULES", "color kernels by these rules instead of by owner", OPT_RULES,
	  .to = offsetof(drawn_params, categories) },
	OPT_COMM(drawn_params),
	{ "clock", 0, "CLOCK", "clock of several traces: one or own (default: one)", OPT_CHOICE,
	  .to = offsetof(drawn_params, own_clock), .words = clocks },
	OPT_ADOPT(drawn_params, 0),
	OPT_CAPTURED(drawn_params, 0),
	{ 0 }
};

static void nsq_view_prepare(void *params)
{
	drawn_params *p = params;

	p->clock = p->own_clock ? NULL : one_clock_new();
	if (!p->path && (p->replace || p->most || p->categories || p->adopt || p->captured || p->comm || p->own_clock))
		die(EXIT_WRONG, "'--%s' has no effect without '-o'; drop it", p->replace ? "force" : p->most ? "most" :
		    p->categories ? "categories" :
		    p->adopt ? "adopt" : p->captured ? "captured" : p->comm ? "comm" : "clock");
	if (p->path)
		values_check_output(p->path, ".html .htm", p->replace);
	p->marks = p->path ? marked_new(p->comm, p->captured, one_clock_job(p->clock)) : NULL;
	p->page = view_page_new(p->categories, progress_show);
}

static void nsq_view_remark_unwritten(const void *params, const table *out)
{
	values_remark_unwritten(((const drawn_params *)params)->path, out);
}

const opt_tool nsq_view = {
	.name = "nsq-view",
	.question = "What does the trace look like, as a page for a browser?",
	.prints = "Writes a page with a timeline to zoom and search, and prints what it holds.",
	.examples = { "nsq-view -o run.html run.sqlite", "nsq-window --pick all run.sqlite | nsq-view -o steps.html" },
	.options = options,
	OPT_PARAMS(drawn_params, .mode = 1, .progress = progress_show),
	.answer = &view_answer,
	.no_inside = ~0u,
	.prepare = nsq_view_prepare,
	.done = nsq_view_remark_unwritten,
};
