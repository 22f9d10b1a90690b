/* nsq-capture - runs a command under nsys, and keeps the trace and a record of how it was captured.
 * The output and the exit code are those of the command; messages of nsq-capture go to stderr. */
#include "capture/capturing.h"
#include "cli/errors.h"
#include "cli/options.h"

static const char *const graphs[] = { "node", "whole", NULL };

#define AT(member) .to = offsetof(capture_params, member)
#define SECONDS OPT_SECONDS, .expects = "whole seconds, such as 30 or 2s"

static const opt options[] = {
	{ "output", 'o', "DIR", "folder to write", OPT_WRITES, AT(folder) },
	{ "force", 0, NULL, "replace the capture in the folder", OPT_FLAG, AT(replace) },
	{ "dry-run", 0, NULL, "print the command lines instead of running them", OPT_FLAG, AT(dry_run) },
	{ "with", 0, "WHAT,...", "also trace osrt, cublas, mpi, gpu-metrics and more", OPT_TEXT, AT(with) },
	{ "sample", 0, NULL, "sample the CPU, and record when threads run", OPT_FLAG, AT(sample) },
	{ "graphs", 0, "HOW", "trace CUDA graphs by node or whole (default: node)", OPT_CHOICE, AT(graphs),
	  .words = graphs },
	{ "flag", 0, "FLAG", "give nsys profile this flag too; repeatable", OPT_TEXTS, AT(flags) },
	{ "steps", 0, "A..B", "capture all, and keep these steps, numbered from 0", OPT_TEXT, AT(steps) },
	{ "range", 0, "RANGE", "capture only the first time this NVTX range is open", OPT_TEXT, AT(range) },
	{ "profiler-api", 0, NULL, "capture from cudaProfilerStart to cudaProfilerStop", OPT_FLAG, AT(profiler_api) },
	{ "delay", 0, "SECONDS", "begin to capture after that time", SECONDS, AT(delay_s) },
	{ "duration", 0, "SECONDS", "end the capture, and the command, after that time", SECONDS, AT(duration_s) },
	{ "baseline", 0, NULL, "first run and time the command without a profiler", OPT_FLAG, AT(baseline) },
	{ "sweep", 0, "LIST", "NAME=V1,V2: one run per value of {NAME}; repeatable", OPT_TEXTS, AT(sweeps) },
	{ "keep", 0, "N", "compress all captures in DIR but the N newest", OPT_COUNT, AT(keep) },
	{ "keep-last", 0, "N", "remove all captures in DIR but the N newest", OPT_COUNT, AT(keep_last) },
	{ "max-size", 0, "BYTES", "stop when the folder holds more, such as 20G", OPT_SIZE, AT(max_bytes),
	  .expects = "a size, such as 500M or 20G" },
	{ "ranks", 0, "N,...", "capture only these ranks of a job: 0,8 or 0..3", OPT_TEXT, AT(ranks) },
	{ "ncu", 0, "N", "then measure the N costliest kernels with ncu", OPT_COUNT, AT(ncu) },
	{ "ncu-section", 0, "NAME", "have ncu collect this section too; repeatable", OPT_TEXTS, AT(ncu_sections) },
	{ "ncu-metric", 0, "NAME", "have ncu measure this metric too; repeatable", OPT_TEXTS, AT(ncu_metrics) },
	{ "no-clock-control", 0, NULL, "let ncu leave clocks and caches as they are", OPT_FLAG, AT(no_clock_control) },
	{ "again", 0, "TRACE", "print the command that captures what a trace lacks", OPT_READS, AT(again) },
	{ "ncu-for", 0, "TABLE", "print the ncu command for the kernels of a table", OPT_READS, AT(ncu_for) },
	{ "nsys", 0, "PATH", "the nsys to run (default: $NSQ_NSYS, or on PATH)", OPT_PROGRAM, AT(nsys) },
	{ 0 }
};

static int nsq_capture_run(const text_list *command, void *params, FILE *to, notes *say)
{
	capture_params *p = params;
	arena texts = { 0 };
	int code;

	for (size_t i = 0; i < command->n; i++)         /* into a list of p's own, because --again may add words */
		vec_push(&p->command, command->v[i]);
	if (p->folder && *p->folder == '-')             /* so that no program takes the folder for an option */
		p->folder = arena_printf(&texts, "./%s", p->folder);
	p->to = to;
	p->say = say;
	p->show = errors_take_and_print;
	if (p->again || p->ncu_for)
		code = again_print_or_run(p);
	else
		code = capture_params_fit(p, say) ? capturing_run(p) : EXIT_WRONG;
	errors_take_and_print(say);
	mem_free(p->command.v, p->flags.v, p->sweeps.v, p->ncu_sections.v, p->ncu_metrics.v);
	arena_free(&texts);
	return code;
}

const opt_tool nsq_capture = {
	.name = "nsq-capture",
	.question = "How do I get a trace that holds the answer?",
	.prints = "Runs a command under nsys, and writes the trace and a record of what was done.",
	.examples = { "nsq-capture -o cap -- python3 train.py",
		"nsq-capture --dry-run -o cap --with osrt -- python3 train.py" },
	.options = options,
	OPT_PARAMS(capture_params, .mode = 1),
	.runs = nsq_capture_run,
	.operands = "-- COMMAND [ARGUMENT...]",
	.output = "DIR/nsys/run.sqlite     the trace; run.nsys-rep, the report that it was exported from\n"
		"  DIR/manifest.json       the command, flags, versions, GPUs, exit codes and sizes",
};
