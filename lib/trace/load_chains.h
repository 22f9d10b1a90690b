/*
 * load_chains - reads call chains: which functions were active, the innermost first.
 *
 *     if (load_chains(t, "CUDA_CALLCHAINS", CHAINS_BY_ADDRESS, &t->call_chains))
 *         printf("%zu chains\n", t->call_chains.n);
 */
#pragma once

#include "trace/trace.h"

/* The name of a function without a symbol: its module, or its address, which the export has in place of the symbol. */
enum chains_by { CHAINS_BY_MODULE, CHAINS_BY_ADDRESS };

/* Does the trace hold call chains of CUDA calls? */
bool load_chains_has(const trace *t);

/* Read a table of call chains into `to`.  A trace without that table has no chains.  False after a problem. */
bool load_chains(trace *t, const char *table, enum chains_by by, trace_chains *to);

/* The index of the chain with this id, or NONE.  Several threads may call this at the same time. */
uint32_t load_chains_find(const trace_chains *c, int64_t id);
