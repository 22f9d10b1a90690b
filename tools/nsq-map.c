/* nsq-map - the same pipeline on every trace, and one table.
 * The pipeline prints a table for each trace.  The rows name the trace, so the tables are put one after the other. */
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/progress.h"
#include "cli/run.h"
#include "map/mapping.h"

#define AT(member) .to = offsetof(map_params, member)

static const opt options[] = {
	{ "jobs", 'j', "N", "run N traces at once (default: one per core)", OPT_COUNT, AT(at_once) },
	{ "from", 0, "FILE", "read the list of traces from a file, or - for stdin", OPT_READS, AT(from) },
	{ "null", '0', NULL, "the list has NULs for line ends, as find -print0", OPT_FLAG, AT(nul) },
	{ "keep", 0, "DIR", "keep the results there (default: until all is done)", OPT_WRITES, AT(keep) },
	{ "resume", 0, NULL, "skip what an earlier run of this pipeline has done", OPT_FLAG, AT(resume) },
	{ "slurm", 0, NULL, "run it as a job array of Slurm, and wait for it", OPT_MODE, .mode = MAP_SLURM },
	{ "sbatch", 0, "OPTION", "option for sbatch, as --partition=short; repeatable", OPT_TEXTS, AT(sbatch),
	  .modes = MAP_SLURM },
	{ "chunk", 0, "BYTES", "give a task traces of about that size (default: 1G)", OPT_SIZE, AT(chunk_bytes),
	  .expects = "a size, such as 500M or 2G", .modes = MAP_SLURM },
	{ "format", 'f', "FORMAT", "tsv table csv jsonl md (default: table on a terminal, else tsv)", OPT_FORMAT,
	  AT(format), .shared = true },
	{ "human", 'H', NULL, "write times and bytes with a unit (4.057 ms, 1.5 MiB), in the formats table and md",
	  OPT_FLAG, AT(human), .shared = true },
	{ 0 }
};

/* Print the notes of nsq-map itself, and empty the list.  This is done while the pipelines run, not at the end. */
static void nsq_map_show_notes(notes *say)
{
	for (size_t i = 0; i < say->n; i++) {
		notes one = { 0 };
		if (say->v[i].level == NOTE_ANSWER)
			announce("%s", say->v[i].text);
		else
			notes_copy(&one, &say->v[i]);
		errors_take(&one);
	}
	notes_free(say);
	errors_flush();
}

static int nsq_map_run(const text_list *operands, void *params, FILE *to UNNEEDED, notes *say)
{
	map_params *p = params;
	format_writer w = output_writer(&(opt_common){ .format = p->format, .human = p->human });
	map_ctx m = { 0 };

	if (!map_params_read_operands(p, operands, say))
		return 0;                       /* the problem carries the exit code */
	installation_find();
	installation_put_on_path();                 /* so that the pipeline runs the tools of this installation */
	p->say = say;
	p->show = nsq_map_show_notes;
	p->progress = progress_show;
	p->pause = progress_pause;
	if (mapping_begin(&m, p, &w, say)) {
		progress_begin();               /* this starts a thread, which inherits the signals that mapping_begin
						 * has blocked, so that it gets none of them */
		mapping_run(&m);
		output_end(&w, &m.out.columns);
	}
	nsq_map_show_notes(say);
	mapping_end(&m);
	return errors_status();
}

static void nsq_map_end(const void *params)
{
	const map_params *p = params;

	mem_free(p->traces.v, p->sbatch.v, p->list);
}

const opt_tool nsq_map = {
	.name = "nsq-map",
	.question = "How do I run one pipeline on many traces?",
	.prints = "Runs a pipeline on each trace, and puts the tables together. {} is the trace.",
	.examples = { "nsq-map 'nsq-window {} | nsq-overlap --total' runs/*.sqlite",
		"find runs -name '*.sqlite' -print0 | nsq-map -0 'nsq-kernels -n 3 {}'" },
	.options = options,
	OPT_PARAMS(map_params, .mode = MAP_HERE, .chunk_bytes = 1000000000),
	.runs = nsq_map_run,
	.end = nsq_map_end,
	.words = 1,
	.operands = "PIPELINE [TRACE...]",
	.output = "the columns of the tables that the pipeline prints; trace if they have none",
};
