/* nsq-gate - which rows of a table break a condition?
 * For scripts and CI: the exit code says whether there are any. */
#include "answer/gate.h"
#include "cli/values.h"

typedef struct {
	unsigned mode;          /* always 1, because the tool has one mode */
	bool allow_empty;
	int64_t timeout_ns, max_rows;
} gate_params;

static const opt options[] = {
	{ "allow-empty", 0, NULL, "a table without rows breaks nothing", OPT_FLAG,
	.to = offsetof(gate_params, allow_empty) }, OPT_QUERY_LIMITS(gate_params, 0),
	{ 0 }
};

static bool nsq_gate_answer(const inputs *in, const void *params, table *out, notes *say)
{
	const gate_params *p = params;
	bool ok;

	limit_query("condition", p->timeout_ns);
	ok = gate_answer(&in->tables[0], in->words[0], &(gate_how){ p->allow_empty, p->max_rows }, out, say);
	limit_end();
	return ok;
}

const opt_tool nsq_gate = {
	.name = "nsq-gate",
	.question = "Which rows of a table break an SQL condition?",
	.prints = "Prints these rows, and exits with 4 if there are any.",
	.examples = { "nsq-gaps run.sqlite | nsq-gate 'idle_pct < 20'",
		"nsq-diff old.tsv new.tsv | nsq-gate \"change <> 'slower'\"" },
	.options = options,
	OPT_PARAMS(gate_params, .mode = 1, .timeout_ns = LIMIT_QUERY_NS),
	.over = nsq_gate_answer,
	.operands = "EXPR [TABLE]",
	.output = "the columns of the table",
	.code = "a row breaks the condition, or there are no rows",
	.words = 1,
	.queries = true,
	.most = 1,
};
