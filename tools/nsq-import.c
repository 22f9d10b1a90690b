/* nsq-import - turns a trace of torch.profiler into one of nsys.
 * Every other tool does this by itself when it is given such a trace; share/conventions/import.md says what becomes of
 * each event. */
#include "base/folders.h"
#include "cli/errors.h"
#include "cli/options.h"
#include "cli/values.h"

#include <signal.h>

typedef struct {
	unsigned mode;          /* always 1, because the tool has one mode */
	report_how how;
} import_params;

#define AT(member) .to = offsetof(import_params, how.member)

static const opt options[] = {
	{ "output", 'o', "FILE.sqlite", "write it there (default: beside the trace, with the ending .sqlite)",
	  OPT_WRITES, AT(to), .chosen = true },
	{ "stacks", 0, NULL, "import the Python functions of with_stack too, as ranges of a domain python", OPT_FLAG,
	  AT(stacks) },
	{ 0 }
};

/* Import one trace, and print the path of the result.  False: a signal asked to stop. */
static bool nsq_import_trace(const char *path, const report_how *how, FILE *to, notes *say)
{
	arena texts = { 0 };
	int ended_by = 0;
	const char *file = NULL;

	if (!report_is_torch(path) && folders_stat(path, NULL) == 0)
		notes_problem(say, EXIT_FAILED, "'%s' is no trace of torch.profiler: it is no JSON with traceEvents",
			      path);
	else
		file = report_export(path, how, NULL, &ended_by, &texts, say);
	if (file)
		fprintf(to, "%s\n", file);
	arena_free(&texts);
	if (ended_by) {
		signal(ended_by, SIG_DFL);
		raise(ended_by);
	}
	errors_take(say);
	return !ended_by;
}

static int nsq_import_run(const text_list *traces, void *params, FILE *to, notes *say)
{
	const import_params *p = params;

	if (!traces->n)
		die(EXIT_WRONG, "no trace is named; usage: nsq-import [-o FILE.sqlite] TRACE.json[.gz]...");
	if (p->how.to && traces->n > 1)
		die(EXIT_WRONG, "'-o' names one file, and %zu traces are given; leave it out", traces->n);
	if (p->how.to)
		values_refuse_other_ending(p->how.to, ".sqlite");
	for (size_t i = 0; i < traces->n && nsq_import_trace(traces->v[i], &p->how, to, say); i++)
		;
	return errors_status();
}

const opt_tool nsq_import = {
	.name = "nsq-import",
	.question = "How do I use nsq on a trace of torch.profiler?",
	.examples = { "nsq-import run.pt.trace.json.gz", "nsq-import -o run.sqlite --stacks run.pt.trace.json.gz" },
	.options = options,
	OPT_PARAMS(import_params, .mode = 1, .how = { .anew = true }),
	.runs = nsq_import_run,
	.words = 1,
	.traces = true,
	.operands = "TRACE.json[.gz]...",
	.prints = "Writes a file with nsys's tables beside each trace, and prints its name.",
	.output = "the name of the file, a line for each trace",
};
