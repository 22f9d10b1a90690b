/* nsq-export - the windows as a timeline for Perfetto.
 * Writes Chrome trace events: processes, their GPUs and threads, arrows from launches to work, counters, findings. */
#include "cli/errors.h"
#include "cli/progress.h"
#include "cli/values.h"
#include "picture/drawn.h"

static const char *const clocks[] = { "one", "own", NULL };

static const opt options[] = {
	{ "output", 'o', "FILE", "file to write, compressed if it ends in .gz", OPT_WRITES,
	  .to = offsetof(drawn_params, path) },
	{ "force", 0, NULL, "replace the file if it is there", OPT_FLAG, .to = offsetof(drawn_params, replace) },
	{ "categories", 0, "RULES", "give kernels a category by these rules, not an owner", OPT_RULES,
	  .to = offsetof(drawn_params, categories) },
	OPT_COMM(drawn_params),
	{ "clock", 0, "CLOCK", "clock of several traces: one or own (default: one)", OPT_CHOICE,
	  .to = offsetof(drawn_params, own_clock), .words = clocks },
	OPT_ADOPT(drawn_params, 0),
	OPT_CAPTURED(drawn_params, 0),
	{ 0 }
};

static void nsq_export_prepare(void *params)
{
	drawn_params *p = params;

	p->clock = p->own_clock ? NULL : one_clock_new();
	if (!p->path && (p->replace || p->categories || p->adopt || p->captured || p->own_clock))
		die(EXIT_WRONG, "'--%s' has no effect without '-o'; drop it", p->replace ? "force" :
		    p->adopt ? "adopt" :
		    p->captured ? "captured" : p->categories ? "categories" : "clock");
	p->path = p->path ? values_in_folder(p->path, "timeline.json.gz") : NULL;
	if (p->path)
		values_check_output(p->path, ".json .gz", p->replace);
	p->marks = p->path ? marked_new(p->comm, p->captured, one_clock_job(p->clock)) : NULL;
	p->file = p->path ? export_file_new() : NULL;
}

static void nsq_export_remark_unwritten(const void *params, const table *out)
{
	values_remark_unwritten(((const drawn_params *)params)->path, out);
}

const opt_tool nsq_export = {
	.name = "nsq-export",
	.question = "What does the trace look like in Perfetto?",
	.prints = "Writes Chrome trace events, and prints how many of each kind there are.",
	.examples = { "nsq-export -o run.json.gz run.sqlite", "nsq-window run.sqlite | nsq-export -o step.json" },
	.options = options,
	OPT_PARAMS(drawn_params, .mode = 1, .progress = progress_show),
	.answer = &export_answer,
	.prepare = nsq_export_prepare,
	.done = nsq_export_remark_unwritten,
};
