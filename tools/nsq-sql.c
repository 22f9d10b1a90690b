/*
 * nsq-sql - what does an SQL query say about tables and traces?
 *
 * The tables of a trace are the rows of the other tools.
 */
#include "answer/sql.h"
#include "cli/run_tables.h"

typedef struct {
	unsigned mode;          /* always 1, the only one */
} sql_params;

static const opt options[] = {
	{ 0 }
};

static bool over(const inputs *in, const void *params, table *out, notes *say)
{
	(void)params;
	return sql_answer(in, in->words[0], out, say);
}

static const opt_tool tool = {
	.name = "nsq-sql",
	.question = "What does an SQL query say about tables, and about traces with nsq's own definitions?",
	.examples = { "nsq-sql 'select name, count(*), sum(dur_ns) from kernels group by 1 order by 3 desc limit 5' run.sqlite",
		"nsq-overlap run.sqlite | nsq-sql 'select stage, sum(exposed_ns) from t group by 1 order by 2 desc'",
		"nsq-sql 'select a.name, b.total_ns - a.total_ns from a join b using (name)' a=old.tsv b=new.tsv" },
	.options = options,
	.mode_at = offsetof(sql_params, mode),
	.over = over,
	.operands = "QUERY [[NAME=]TABLE | TRACE]...",
	.prints = "the columns that the query names",
	.words = 1,
	.traces = true,
};

int main(int argc, char **argv)
{
	sql_params p = { .mode = 1 };

	return run_tables(&tool, &p, argc, argv);
}
