#include "answer/answers.h"
#include "answer/sql.h"
#include "answer/window.h"

static bool sql_tables_uses_column(const sql_uses *uses, const char *name)
{
	int col = table_column(uses->columns, name);

	return col >= 0 && uses->used[col];
}

/* Leave out the columns that the query does not read.  Finding the ranges around kernels is most of the work. */
static bool sql_tables_begin_kernels(void *params, const sql_uses *uses, notes *say UNNEEDED)
{
	kernels_params *p = params;

	p->no_launches = !sql_tables_uses_column(uses, "launch_ns") && !sql_tables_uses_column(uses, "nvtx");
	p->shapes = sql_tables_uses_column(uses, "grid") || sql_tables_uses_column(uses, "block");
	p->demangled = sql_tables_uses_column(uses, "full");
	return true;
}

static bool sql_tables_begin_copies(void *params, const sql_uses *uses, notes *say UNNEEDED)
{
	((copies_params *)params)->no_waits = !sql_tables_uses_column(uses, "call") &&
		!sql_tables_uses_column(uses, "call_ns") && !sql_tables_uses_column(uses, "wait_ns") &&
		!sql_tables_uses_column(uses, "waiter");
	return true;
}

static bool sql_tables_begin_calls(void *params, const sql_uses *uses, notes *say UNNEEDED)
{
	((api_params *)params)->no_why = !sql_tables_uses_column(uses, "why");
	return true;
}

static bool sql_tables_begin_streams(void *params, const sql_uses *uses, notes *say)
{
	*uses->kept = rules_load("purposes", say);
	((streams_params *)params)->rules = *uses->kept;
	return *uses->kept;
}

static bool sql_tables_begin_stalls(void *params, const sql_uses *uses, notes *say)
{
	*uses->kept = rules_load("stages", say);
	((stalls_params *)params)->rules = *uses->kept;
	return *uses->kept;
}

static void sql_tables_end_rules(void *kept)
{
	rules_free(kept);
}

/* The answer collects the operations of all traces in a job, and matches them after the last trace. */
static bool sql_tables_begin_collectives(void *params, const sql_uses *uses, notes *say UNNEEDED)
{
	*uses->kept = nccl_begin(NULL);
	((nccl_params *)params)->job = *uses->kept;
	return true;
}

static void sql_tables_end_collectives(void *kept)
{
	nccl_end(kept);
}

/* OF sets the members of sql_trace_table for an answer and its parameters.  CAPTURED does the same for parameters with
 * a member `captured`. */
#define OF(q, ...) .answer = &q##_answer, .params = &(const q##_params){ __VA_ARGS__ }, .size = sizeof(q##_params)
#define CAPTURED(q, ...) OF(q, __VA_ARGS__), .captured = offsetof(q##_params, captured)

const sql_trace_table sql_trace_tables[] = {
	{ "processes", OF(setup, .mode = SETUP_PROCESSES) },
	{ "steps", OF(window, .mode = WINDOW_PICK, .steady = true, .pick = { { .which = WINDOW_ALL } }, .npicks = 1) },
	{ "kernels", CAPTURED(kernels, .mode = KERNELS_EACH, .details = true), .begin = sql_tables_begin_kernels },
	{ "copies", CAPTURED(copies, .mode = COPIES_EACH), .begin = sql_tables_begin_copies },
	{ "calls", OF(api, .mode = API_EACH, .class = API_ALL_CLASSES), .begin = sql_tables_begin_calls },
	{ "ranges", OF(nvtx, .mode = NVTX_EACH) },
	{ "gaps", CAPTURED(gaps, .mode = GAPS_EACH) },
	{ "stalls", CAPTURED(stalls, .mode = STALLS_EACH), .begin = sql_tables_begin_stalls,
	  .end = sql_tables_end_rules },
	{ "ledger", CAPTURED(ledger, .mode = 1, .keys = LEDGER_BY_OWNER | LEDGER_BY_WHERE | LEDGER_BY_NAME) },
	{ "path", CAPTURED(path, .mode = PATH_EACH) },
	{ "streams", CAPTURED(streams, .mode = STREAMS_SUMS), .begin = sql_tables_begin_streams,
	  .end = sql_tables_end_rules },
	{ "collectives", OF(nccl, .mode = NCCL_EACH), .begin = sql_tables_begin_collectives,
	  .end = sql_tables_end_collectives },
	{ "metrics", OF(metrics, .mode = METRICS_EACH) },
	{ 0 }
};
