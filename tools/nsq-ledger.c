/* nsq-ledger - where does the step go?
 * Every nanosecond of each window has one owner on each GPU of its process: the kind of work that runs or, when none
 * runs, the cause of the idle time.  Without windows, the steady steps (those after warm-up) are added up. */
#include "answer/answers.h"
#include "cli/options.h"

static const char *const keys[] = { "owner", "where", "name", NULL };   /* in the order of LEDGER_BY_... */

static const opt options[] = {
	OPT_STEPS(ledger_params, choice, 0, "ranges that are the steps"),
	{ "by", 0, "K,...", "time by owner, where, name (default: owner; with windows owner,where)", OPT_KEYS,
	  .to = offsetof(ledger_params, keys), .modes = LEDGER_SUMS, .words = keys },
	{ "each", 0, NULL, "one row per stretch of time with one owner", OPT_MODE, .mode = LEDGER_EACH },
	OPT_COMM(ledger_params),
	OPT_ADOPT(ledger_params, 0),
	OPT_CAPTURED(ledger_params, 0),
	{ 0 }
};

static void nsq_ledger_prepare(void *params)
{
	ledger_params *p = params;

	p->ranks = arrivals_new(NULL);
}

static void nsq_ledger_take_common(void *params, const opt_common *c)
{
	ledger_params *p = params;

	if (!p->keys)
		p->keys = LEDGER_BY_OWNER | (options_give_windows(c) ? LEDGER_BY_WHERE : 0);
}

static void nsq_ledger_end(const void *params)
{
	arrivals_free(((const ledger_params *)params)->ranks);
}

const opt_tool nsq_ledger = {
	.name = "nsq-ledger",
	.question = "Where does the step go, to the nanosecond?",
	.prints = "Prints the owners of the time: compute, exposed communication, causes of idling.",
	.examples = { "nsq-ledger --spread run.sqlite", "nsq-window --pick longest --period run.sqlite | nsq-ledger" },
	.options = options,
	OPT_PARAMS(ledger_params, .mode = LEDGER_SUMS),
	.answer = &ledger_answer,
	.spread = LEDGER_SUMS,
	.merged = LEDGER_SUMS,
	.no_inside = ~0u,
	.prepare = nsq_ledger_prepare,
	.given = nsq_ledger_take_common,
	.end = nsq_ledger_end,
};
