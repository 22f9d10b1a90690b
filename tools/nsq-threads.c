/* nsq-threads - what do the CPU threads do?
 * How long each thread runs, waits, and is in CUDA calls, OS calls and ranges; OS calls by name; or the functions in
 * which the threads were sampled, with their callers, also as stacks for flame graphs. */
#include "answer/answers.h"
#include "cli/options.h"

static const opt options[] = {
	{ "os", 0, NULL, "OS calls of each process, by name", OPT_MODE, .mode = THREADS_OS },
	{ "samples", 0, NULL, "functions by CPU samples and call chains", OPT_MODE, .mode = THREADS_SAMPLES },
	{ "stacks", 0, NULL, "call chains for flame graphs; a table with -f", OPT_MODE, .mode = THREADS_STACKS },
	{ 0 }
};

static size_t nsq_threads_print_stacks(const void *params UNNEEDED, const table *rows, size_t n, FILE *to)
{
	size_t all = table_rows(rows);

	n = n && n < all ? n : all;
	for (size_t i = 0; i < n; i++) {
		int64_t samples;
		const char *stack = threads_stack_of_row(rows, i, &samples);
		fprintf(to, "%s %lld\n", stack ? stack : "-", (long long)samples);
	}
	return n;
}

const opt_tool nsq_threads = {
	.name = "nsq-threads",
	.question = "What do the CPU threads do: run, wait, or call the system?",
	.prints = "Prints each thread with its time on a CPU, its waits and its calls.",
	.examples = { "nsq-threads run.sqlite", "nsq-window run.sqlite | nsq-threads --os" },
	.options = options,
	OPT_PARAMS(threads_params, .mode = THREADS_SUMS),
	.answer = &threads_answer,
	.no_gpu = true,
	.tell = nsq_threads_print_stacks,
	.prints_words = THREADS_STACKS,
};
