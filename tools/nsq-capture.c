/* nsq-capture - runs a command under nsys, and keeps the trace with what was done to get it.
 * The command's output and exit code are this tool's own: all that it has to say goes to stderr. */
#include "capture/capturing.h"
#include "cli/errors.h"
#include "cli/options.h"

static const char *const graphs[] = { "node", "whole", NULL };

#define AT(member) .to = offsetof(capture_params, member)
#define SECONDS OPT_SECONDS, .expects = "whole seconds, such as 30 or 2s"

static const opt options[] = {
	{ "output", 'o', "DIR", "the folder to write: DIR/nsys, DIR/ncu and DIR/manifest.json", OPT_WRITES,
	  AT(folder) },
	{ "force", 0, NULL, "replace the capture in the folder, if there is one", OPT_FLAG, AT(replace) },
	{ "dry-run", 0, NULL, "print the command lines instead of running them", OPT_FLAG, AT(dry_run) },
	{ "with", 0, "WHAT,...", "trace these besides cuda,nvtx: osrt, cublas, cudnn, mpi and what else nsys knows; "
	  "gpu-metrics, memory-usage", OPT_TEXT, AT(with) },
	{ "sample", 0, NULL, "sample the CPU, and record when threads run", OPT_FLAG, AT(sample) },
	{ "graphs", 0, "HOW", "trace CUDA graphs by node, or whole, which costs less (default: node)", OPT_CHOICE,
	  AT(graphs), .words = graphs },
	{ "flag", 0, "FLAG", "give nsys profile this flag too; repeatable", OPT_TEXTS, AT(flags) },
	{ "steps", 0, "A..B", "capture all, and keep these steps, numbered from 0", OPT_TEXT, AT(steps) },
	{ "range", 0, "RANGE", "capture only while this NVTX range, NAME or NAME@DOMAIN, is open, the first time",
	  OPT_TEXT, AT(range) },
	{ "profiler-api", 0, NULL, "capture from cudaProfilerStart to cudaProfilerStop", OPT_FLAG, AT(profiler_api) },
	{ "delay", 0, "SECONDS", "begin to capture after that time", SECONDS, AT(delay_s) },
	{ "duration", 0, "SECONDS", "end the capture, and the command, after that time", SECONDS, AT(duration_s) },
	{ "baseline", 0, NULL, "run the command without a profiler first, and record the seconds", OPT_FLAG,
	  AT(baseline) },
	{ "sweep", 0, "LIST", "of NAME=V1,V2,...: run the command with each value for {NAME}, into a folder of its "
	  "own; repeatable", OPT_TEXTS, AT(sweeps) },
	{ "keep-last", 0, "N", "remove all but the last N captures of the sweep's folder", OPT_COUNT, AT(keep_last) },
	{ "max-size", 0, "BYTES", "stop when the folder holds more, such as 20G", OPT_SIZE, AT(max_bytes),
	  .expects = "a size, such as 500M or 20G" },
	{ "ranks", 0, "N,...", "of a job capture only these ranks, such as 0,8 or 0..3; the others run as they are",
	  OPT_TEXT, AT(ranks) },
	{ "ncu", 0, "N", "then measure with ncu the N kernels that take most time, in one steady step, for nsq-mfu "
	  "--ncu DIR/ncu/raw.csv", OPT_COUNT, AT(ncu) },
	{ "no-clock-control", 0, NULL, "let ncu measure with clocks and caches as they are", OPT_FLAG,
	  AT(no_clock_control) },
	{ "again", 0, "TRACE", "print the command that captures the run of a trace with what it lacks (--with: only "
	  "that); with -o run it", OPT_READS, AT(again) },
	{ "ncu-for", 0, "TABLE", "print the ncu command that measures the kernels of a table, - for standard input; "
	  "with -o run it", OPT_READS, AT(ncu_for) },
	{ "nsys", 0, "PATH", "the nsys to run (default: $NSQ_NSYS, else the one on PATH)", OPT_PROGRAM, AT(nsys) },
	{ 0 }
};

static int runs(const text_list *command, void *params, FILE *to, notes *say)
{
	capture_params *p = params;
	arena texts = { 0 };
	int code;

	for (size_t i = 0; i < command->n; i++)         /* a list of its own: a trace may add the words that it has */
		vec_push(&p->command, command->v[i]);
	if (p->folder && *p->folder == '-')             /* no program shall take it for an option */
		p->folder = arena_printf(&texts, "./%s", p->folder);
	p->to = to;
	p->say = say;
	p->show = errors_show_now;
	if (p->again || p->ncu_for)
		code = again_run(p);
	else
		code = capture_params_fit(p, say) ? capturing_run(p) : EXIT_WRONG;
	mem_free(p->command.v, p->flags.v, p->sweeps.v);
	arena_free(&texts);
	return code;
}

const opt_tool nsq_capture = {
	.name = "nsq-capture",
	.question = "How do I get a trace in which the answer is?",
	.examples = { "nsq-capture -o cap -- python train.py", "nsq-capture -o cap --range 'decode step' -- ./serve",
		"nsq-capture --dry-run -o cap --with osrt -- python train.py" },
	.options = options,
	OPT_PARAMS(capture_params, .mode = 1),
	.runs = runs,
	.operands = "-- COMMAND [ARGUMENT...]",
	.prints = "DIR/nsys/run.sqlite     the trace; run.nsys-rep, the report that it was exported from\n"
		"  DIR/manifest.json       the command, flags, versions, GPUs, exit codes and sizes",
};
