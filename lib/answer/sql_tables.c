#include "answer/api.h"
#include "answer/copies.h"
#include "answer/gaps.h"
#include "answer/kernels.h"
#include "answer/ledger.h"
#include "answer/metrics.h"
#include "answer/nccl.h"
#include "answer/nvtx.h"
#include "answer/path.h"
#include "answer/setup.h"
#include "answer/sql.h"
#include "answer/stalls.h"
#include "answer/streams.h"
#include "answer/window.h"

#include <string.h>

/* The functions of a table that an answer gives; its parameters may depend on `captured`. */
#define ANSWER(table_name, q, params) \
	static void columns_of_##table_name(table *out) \
	{ \
		const bool captured = false; \
		(void)captured; \
		q##_columns(params, out); \
	} \
	static question ask_for_##table_name(const sql_uses *uses) \
	{ \
		const bool captured = uses->captured; \
		(void)captured; \
		return q##_question(params); \
	} \
	static bool rows_of_##table_name(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say) \
	{ \
		const bool captured = uses->captured; \
		(void)captured; \
		return q##_answer(t, all, params, out, say); \
	}

ANSWER(processes, setup, (&(const setup_params){ .mode = SETUP_PROCESSES }))
ANSWER(steps, window, (&(const window_params){ .mode = WINDOW_PICK, .steady = true, .pick = { { .which = WINDOW_ALL } }, .npicks = 1 }))
ANSWER(copies, copies, (&(const copies_params){ .mode = COPIES_EACH, .captured = captured }))
ANSWER(calls, api, (&(const api_params){ .mode = API_EACH, .class = API_ALL_CLASSES }))
ANSWER(ranges, nvtx, (&(const nvtx_params){ .mode = NVTX_EACH }))
ANSWER(metrics, metrics, (&(const metrics_params){ .mode = METRICS_EACH }))
ANSWER(gaps, gaps, (&(const gaps_params){ .mode = GAPS_EACH, .captured = captured }))
ANSWER(path, path, (&(const path_params){ .mode = PATH_EACH, .captured = captured }))

static bool finish_steps(const sql_uses *uses, table *out, notes *say)
{
	(void)uses;
	return window_finish(&(const window_params){ .mode = WINDOW_PICK, .steady = true, .pick = { { .which = WINDOW_ALL } }, .npicks = 1 }, out, say);
}

static bool uses_column(const sql_uses *uses, const char *name)
{
	for (size_t i = 0; i < uses->columns->cols.n; i++)
		if (strcmp(uses->columns->cols.v[i].name, name) == 0)
			return uses->used[i];
	return false;
}

/* What a query does not read is not loaded: the ranges around kernels are most of the work. */
static kernels_params kernels_for(const sql_uses *uses)
{
	return (kernels_params){ .mode = KERNELS_EACH, .details = true, .captured = uses->captured,
		.no_launches = !uses_column(uses, "launch_ns") && !uses_column(uses, "nvtx"),
		.shapes = uses_column(uses, "grid") || uses_column(uses, "block"), .demangled = uses_column(uses, "full") };
}

static void columns_of_kernels(table *out)
{
	kernels_columns(&(const kernels_params){ .mode = KERNELS_EACH, .details = true }, out);
}

static question ask_for_kernels(const sql_uses *uses)
{
	kernels_params p = kernels_for(uses);

	return kernels_question(&p);
}

static bool rows_of_kernels(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say)
{
	kernels_params p = kernels_for(uses);

	return kernels_answer(t, all, &p, out, say);
}

static void columns_of_streams(table *out)
{
	streams_columns(&(const streams_params){ .mode = 1 }, out);
}

static question ask_for_streams(const sql_uses *uses)
{
	return streams_question(&(const streams_params){ .mode = 1, .captured = uses->captured });
}

static bool rows_of_streams(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say)
{
	rules *purposes = rules_load("purposes", say);
	bool ok;

	ok = purposes && streams_answer(t, all, &(const streams_params){ .mode = 1, .rules = purposes, .captured = uses->captured }, out, say);
	rules_free(purposes);
	return ok;
}

enum { LEDGER_KEYS = LEDGER_BY_OWNER | LEDGER_BY_WHERE | LEDGER_BY_NAME };

static void columns_of_ledger(table *out)
{
	ledger_columns(&(const ledger_params){ .mode = 1, .keys = LEDGER_KEYS }, out);
}

static question ask_for_ledger(const sql_uses *uses)
{
	return ledger_question(&(const ledger_params){ .mode = 1, .keys = LEDGER_KEYS, .captured = uses->captured });
}

static bool rows_of_ledger(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say)
{
	ledger_params p = { .mode = 1, .keys = LEDGER_KEYS, .captured = uses->captured, .ranks = arrivals_new() };
	bool ok = ledger_answer(t, all, &p, out, say);

	arrivals_free(p.ranks);
	return ok;
}

static void columns_of_stalls(table *out)
{
	stalls_columns(&(const stalls_params){ .mode = STALLS_EACH }, out);
}

static question ask_for_stalls(const sql_uses *uses)
{
	return stalls_question(&(const stalls_params){ .mode = STALLS_EACH, .captured = uses->captured });
}

static bool rows_of_stalls(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say)
{
	rules *stages = rules_load("stages", say);
	bool ok;

	ok = stages && stalls_answer(t, all, &(const stalls_params){ .mode = STALLS_EACH, .rules = stages, .captured = uses->captured }, out, say);
	rules_free(stages);
	return ok;
}

static void columns_of_collectives(table *out)
{
	nccl_columns(&(const nccl_params){ .mode = NCCL_EACH }, out);
}

static question ask_for_collectives(const sql_uses *uses)
{
	(void)uses;
	return nccl_question(&(const nccl_params){ .mode = NCCL_EACH });
}

/* The operations of all traces are matched at the end. */
static bool rows_of_collectives(trace *t, const windows *all, const sql_uses *uses, table *out, notes *say)
{
	(void)out;
	if (!*uses->kept)
		*uses->kept = nccl_begin();
	nccl_add(t, all, &(const nccl_params){ .mode = NCCL_EACH, .job = *uses->kept }, say);
	return true;
}

static bool finish_collectives(const sql_uses *uses, table *out, notes *say)
{
	bool ok = nccl_answer(&(const nccl_params){ .mode = NCCL_EACH, .job = *uses->kept }, out, say);

	nccl_end(*uses->kept);
	return ok;
}

#define FUNCTIONS(table_name) columns_of_##table_name, ask_for_##table_name, rows_of_##table_name

const sql_trace_table sql_trace_tables[] = {
	{ "processes", FUNCTIONS(processes), NULL },
	{ "steps", FUNCTIONS(steps), finish_steps },
	{ "kernels", FUNCTIONS(kernels), NULL },
	{ "copies", FUNCTIONS(copies), NULL },
	{ "calls", FUNCTIONS(calls), NULL },
	{ "ranges", FUNCTIONS(ranges), NULL },
	{ "gaps", FUNCTIONS(gaps), NULL },
	{ "stalls", FUNCTIONS(stalls), NULL },
	{ "ledger", FUNCTIONS(ledger), NULL },
	{ "path", FUNCTIONS(path), NULL },
	{ "streams", FUNCTIONS(streams), NULL },
	{ "collectives", FUNCTIONS(collectives), finish_collectives },
	{ "metrics", FUNCTIONS(metrics), NULL },
	{ 0 }
};
