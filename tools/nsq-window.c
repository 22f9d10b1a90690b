/* nsq-window - which moments should we look at?
 * The steps of each process, found or chosen by -m; the window of a step is the time of its work on the GPU.  Or
 * statistics of the steps' lengths, the names from which -m can choose, or windows of equal length. */
#include "answer/window.h"
#include "cli/errors.h"
#include "cli/options.h"

typedef struct {
	window_params p;        /* comes first, because options and window_answer take a window_command for it */
	window_step_summaries summaries;        /* p.summaries points here */
} window_command;

static bool nsq_window_read_pick(const char *arg, void *params)
{
	return window_read_picks(arg, params);
}

static bool nsq_window_read_every(const char *arg, void *params)
{
	int64_t *every = &((window_params *)params)->every, unit;

	return number_time(arg, strlen(arg), 1, &unit, every) && *every > 0;
}

static bool nsq_window_read_tokens(const char *arg, void *params)
{
	return number_positive(arg, &((window_params *)params)->tokens);
}

static const opt options[] = {
	OPT_STEPS_MATCH(window_params, choice, 0, "ranges to look at"),
	OPT_STEPS_KERNELS(window_params, choice, WINDOW_PICK | WINDOW_STATS),
	{ "pick", 0, "WHICH", "median middle first last longest shortest all, or an index, 20..38, step:12, a list "
	  "(default: median)", OPT_OWN, .modes = WINDOW_PICK, .read = nsq_window_read_pick,
	  .expects = "median, middle, first, last, longest, shortest, all, an index from 0, a range of them such as "
	  "20..38, step:12 for the step of that number, or a list" },
	{ "steady", 0, NULL, "leave out warm-up and an unfinished last range", OPT_FLAG,
	  .to = offsetof(window_params, steady), .modes = WINDOW_PICK | WINDOW_STATS },
	{ "skip", 0, "N", "leave out the first N ranges instead; 0: none", OPT_ID, .to = offsetof(window_params, skip),
	  .modes = WINDOW_PICK | WINDOW_STATS },
	{ "cpu", 0, NULL, "use the range's CPU times, not its GPU work's", OPT_FLAG, .to = offsetof(window_params, cpu),
	  .modes = WINDOW_PICK | WINDOW_STATS },
	{ "period", 0, NULL, "end each window where the next one begins",
	  OPT_FLAG, .to = offsetof(window_params, period), .modes = WINDOW_PICK },
	{ "every", 0, "TIME", "instead of steps: windows of that length", OPT_OWN, .modes = WINDOW_PICK,
	  .read = nsq_window_read_every, .expects = "a time above 0 such as 10ms" },
	{ "bins", 0, "N", "instead of steps: N windows of equal length", OPT_COUNT, .to = offsetof(window_params, bins),
	  .modes = WINDOW_PICK },
	{ "tokens", 0, "N", "tokens of a step: adds tokens a second", OPT_OWN, .modes = WINDOW_PICK | WINDOW_STATS,
	  .read = nsq_window_read_tokens, .expects = "a number above 0" },
	{ "stats", 0, NULL, "lengths and periods of the ranges by folded name", OPT_MODE, .mode = WINDOW_STATS },
	{ "list", 0, NULL, "list the names you can match, with their work", OPT_MODE, .mode = WINDOW_LIST },
	{ 0 }
};

static void nsq_window_prepare(void *params)
{
	window_command *c = params;

	c->p.summaries = &c->summaries;
}

static void nsq_window_check_options(const void *params, size_t traces UNNEEDED)
{
	const window_params *p = params;

	if (p->steady && p->skip >= 0)
		die(EXIT_WRONG, "--skip replaces the rule of --steady; give one of them");
	if (p->every && p->bins)
		die(EXIT_WRONG, "--every and --bins both say how long windows are; give one of them");
	if ((p->every || p->bins) && (steps_is_chosen(&p->choice) || p->choice.outer || p->npicks || p->steady ||
				      p->skip >= 0 || p->cpu || p->period || p->tokens > 0))
		die(EXIT_WRONG, "--every and --bins cut windows, they choose no ranges; choose first: nsq-window "
		    "-m REGEX ... | nsq-window --bins 100");
}

const opt_tool nsq_window = {
	.name = "nsq-window",
	.question = "Which moments should I look at: the typical step, or named ranges?",
	.prints = "Prints windows, which every other tool reads from its standard input.",
	.examples = { "nsq-window run.sqlite | nsq-overlap", "nsq-window -m 'decode step' --pick all run.sqlite" },
	.options = options,
	OPT_PARAMS(window_command, .p = { .mode = WINDOW_PICK, .skip = WINDOW_BY_DEFAULT }),
	.answer = &window_answer,
	.prepare = nsq_window_prepare,
	.check = nsq_window_check_options,
};
