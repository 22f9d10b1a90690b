/*
 * nsq-view - a timeline of traces in one page of HTML.
 *
 * Each trace adds its events to the page, which is written in the end.
 */
#include "picture/view.h"
#include "cli/errors.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "cli/values.h"

static const opt options[] = {
	{ "output", 'o', "FILE", "the page to write, such as run.html; without it, only count the events",
	  OPT_TEXT, .to = offsetof(view_params, path) },
	{ "force", 0, NULL, "replace the file if it is there", OPT_FLAG, .to = offsetof(view_params, replace) },
	{ "categories", 0, "RULES", "rules that map kernel names to categories, which have colors (default: llm, built in)",
	  OPT_RULES, .to = offsetof(view_params, categories) },
	OPT_ADOPT(view_params, 0),
	OPT_CAPTURED(view_params, 0),
	{ 0 }
};

static void prepare(void *params)
{
	view_params *p = params;

	progress_begin();
	if (!p->path && (p->replace || p->categories || p->adopt || p->captured))
		die(EXIT_WRONG, "'--%s' has no effect without '-o'; drop it", p->replace ? "force" : p->categories ? "categories" :
		    p->adopt ? "adopt" : "captured");
	if (p->path)
		values_output(p->path, ".html .htm", p->replace);
	p->page = view_page_new(!p->path ? NULL : p->categories ? p->categories : values_rules("llm"), progress_show);
}

static void done(const void *params, const table *out)
{
	progress_end();
	values_unwritten(((const view_params *)params)->path, out);
}

static const opt_tool tool = {
	.name = "nsq-view",
	.question = "What does it look like: a timeline to zoom and search, in one page for a browser?",
	.examples = { "nsq-view -o run.html run.sqlite", "nsq-window --pick all run.sqlite | nsq-view -o steps.html" },
	.options = options,
	.answer = &view_answer,
	.no_inside = ~0u,
	.prepare = prepare,
	.done = done,
};

int main(int argc, char **argv)
{
	view_params p = { .mode = 1 };

	return run_tool(&tool, &p, argc, argv);
}
