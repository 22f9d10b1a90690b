/* nsq-sql - what does an SQL query say about tables and traces?
 * The tables of a trace are the rows of the other tools. */
#include "answer/advise.h"
#include "answer/sql.h"
#include "cli/errors.h"
#include "cli/installation.h"
#include "cli/values.h"

enum { SQL_QUERY = 1, SQL_SCHEMA = 2, SQL_FINDING = 4 };

typedef struct {
	unsigned mode;          /* SQL_QUERY: run a query; SQL_SCHEMA: list the tables; SQL_FINDING: run the query of
				 * a finding of nsq-advise */
	bool captured;
	int64_t timeout_ns, max_rows;
	bool all_tables;
	advise_params finding;  /* the parameters of SQL_FINDING */
} sql_params;

#define AT(member) .to = offsetof(sql_params, member)

static const opt options[] = {
	{ "schema", 0, NULL, "describe tables: nsq-sql --schema [TABLE] [TRACE]", OPT_MODE, .mode = SQL_SCHEMA },
	{ "all", 0, NULL, "list also the tables that few traces have", OPT_FLAG, AT(all_tables), .modes = SQL_SCHEMA },
	{ "finding", 0, NULL, "rows of a finding: nsq-sql --finding NAME TRACE...", OPT_MODE, .mode = SQL_FINDING },
	OPT_STEPS(sql_params, finding.choice, SQL_FINDING, "ranges that are the steps"),
	OPT_COMM_IN(sql_params, finding.comm, SQL_FINDING),
	{ "step-time", 0, "TIME", "length of a step without a profiler", OPT_TIME, AT(finding.step_time),
	  .modes = SQL_FINDING },
	{ "window", 'w', "SPEC", "only these steps: A..B, a file or - for stdin", OPT_WINDOWS, AT(finding.only.windows),
	  .modes = SQL_FINDING },
	{ "pid", 'p', "PID", "only this process (PID or PID:N)", OPT_PID, AT(finding.only.pid), .modes = SQL_FINDING },
	{ "gpu", 'g', "GPU", "only this GPU", OPT_ID, AT(finding.only.gpu), .modes = SQL_FINDING },
	OPT_CAPTURED(sql_params, SQL_QUERY | SQL_FINDING),
	OPT_QUERY_LIMITS(sql_params, SQL_QUERY),
	{ 0 }
};

static bool nsq_sql_answer(const inputs *in, const void *params, table *out, notes *say)
{
	const sql_params *p = params;

	if (p->captured && !in->ntraces)
		return notes_problem(say, EXIT_WRONG, "'--captured' has no effect without a trace; drop it");
	if (p->mode == SQL_QUERY) {
		limit_query("query", p->timeout_ns);
		bool ok = sql_answer(in, in->words[0], &(sql_how){ p->captured, p->max_rows, limit_pause }, out, say);
		limit_end();
		return ok;
	}
	return p->mode == SQL_FINDING ? advise_run_one_finding(in, in->words[0], &p->finding, out, say) :
		sql_schema(in, in->words[0], p->all_tables, out, say);
}

static void nsq_sql_prepare(void *params)
{
	sql_params *p = params;

	p->finding.captured = p->captured;
	p->finding.folders = installation_own_finding_folders();
}

static void nsq_sql_end(const void *params)
{
	free(((const sql_params *)params)->finding.only.windows.v);
}

const opt_tool nsq_sql = {
	.name = "nsq-sql",
	.question = "What does an SQL query say about tables and traces?",
	.prints = "Prints what the query selects. Traces have tables with nsq's own definitions.",
	.examples = { "nsq-sql 'select name, sum(dur_ns) from kernels group by 1' run.sqlite",
		"nsq-overlap run.sqlite | nsq-sql 'select sum(exposed_ns) from t'" },
	.options = options,
	OPT_PARAMS(sql_params, .mode = SQL_QUERY, .timeout_ns = LIMIT_QUERY_NS,
		   .finding.only = ADVISE_EVERYTHING),
	.prepare = nsq_sql_prepare,
	.end = nsq_sql_end,
	.over = nsq_sql_answer,
	.operands = "QUERY [[NAME=]TABLE | TRACE]...",
	.output = "the columns that the query names\n\nin the query:\n"
	"  t t2 t3 ...              the tables in the order given, unless NAME=TABLE names them; a - in them is NULL\n"
	"  kernels, calls ...       of all traces: processes steps kernels copies calls ranges gaps stalls path"
	" streams\n                           collectives metrics ledger (--schema describes them)\n"
	"  raw.NAME                 the trace's own table, if there is one trace\n"
	"  median(x)                by nearest rank\n"
	"  percentile(x, p)         the same, p from 0 to 1 or in percent\n"
	"  fold(name)               the name with # for each of its numbers",
	.words = 1,
	.queries = true,
	.traces = true,
	.bare = SQL_SCHEMA | SQL_FINDING,
};
