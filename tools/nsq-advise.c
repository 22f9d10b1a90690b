/* nsq-advise - what bounds the step, what should be fixed first, and what would it save?
 * One row per finding, with the command that shows it and what to do.  Traces of one job are looked at together. */
#include "answer/advise.h"
#include "cli/installation.h"
#include "cli/run.h"
#include "cli/values.h"
#include "trace/manifest.h"

static bool nsq_advise_read_step_time(const char *arg, void *params)
{
	advise_params *p = params;
	int64_t unit;

	p->step_time_text = arg;
	if (number_time(arg, strlen(arg), 1, &unit, &p->step_time))
		return p->step_time > 0;
	p->step_time_in = manifest_is_name(arg) ? arg : NULL;
	return p->step_time_in;
}

static bool nsq_advise_read_min_pct(const char *arg, void *params)
{
	advise_params *p = params;

	if (!number_is_json(arg))
		return false;
	p->min_pct = strtod(arg, NULL);
	return p->min_pct >= 0;
}

static const opt options[] = {
	OPT_STEPS(advise_params, choice, 0, "ranges that are the steps"),
	{ "min-pct", 0, "PCT", "leave out what saves less of a step (default: 2)", OPT_OWN,
	  .read = nsq_advise_read_min_pct, .expects = "a number of percent from 0" },
	{ "step-time", 0, "TIME", "length of a step without a profiler, or manifest", OPT_MANIFEST,
	  .read = nsq_advise_read_step_time, .expects = "a time such as 16.7ms, or manifest" },
	{ "verdict", 0, NULL, "what bounds the steps of each process and GPU", OPT_MODE, .mode = ADVISE_VERDICT },
	OPT_COMM(advise_params),
	OPT_CAPTURED(advise_params, 0),
	{ 0 }
};

static void nsq_advise_prepare(void *params)
{
	advise_params *p = params;

	p->folders = installation_own_finding_folders();
	p->job = advise_begin(NULL);
}

static void nsq_advise_take_common(void *params, const opt_common *c)
{
	advise_params *p = params;

	p->only = (advise_only){ c->windows, { c->pid[0], c->pid[1] }, c->gpu };
}

static void nsq_advise_end(const void *params)
{
	advise_end(((const advise_params *)params)->job);
}

const opt_tool nsq_advise = {
	.name = "nsq-advise",
	.question = "What bounds the step, what should I fix first, and what does it save?",
	.prints = "Prints findings, each with the time per step that fixing it would save.",
	.examples = { "nsq-advise run.sqlite", "nsq-advise --verdict -m 'decode step' run.sqlite" },
	.options = options,
	OPT_PARAMS(advise_params, .mode = ADVISE_FINDINGS, .min_pct = 2, .only = ADVISE_EVERYTHING),
	.answer = &advise_answer,
	.no_inside = ~0u,
	.prepare = nsq_advise_prepare,
	.given = nsq_advise_take_common,
	.end = nsq_advise_end,
	.tell = advice_print,
	.prints_words_on_terminal = ADVISE_FINDINGS,
};
