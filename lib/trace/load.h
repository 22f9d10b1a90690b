/*
 * load - fills a trace with what a question needs: reads the tables, numbers processes and threads, sorts
 * events and joins work to the calls that launched it.
 *
 *     notes say = { 0 };
 *     trace *t = trace_open("run.sqlite", 2, &say);
 *     if (t && load_trace(t, TRACE_WORK | TRACE_LAUNCH, NULL))
 *         printf("%zu pieces of work, %zu calls that launched them\n", t->work.n, t->calls.n);
 *     if (t)
 *         trace_free(t);
 *     notes_free(&say);
 */
#pragma once

#include "base/pattern.h"
#include "trace/trace.h"

/* The user's pattern for the names of communication kernels.  It replaces the built-in list (share/rules/comm.tsv), or
 * adds to it if `adds` is set. */
typedef struct {
	pattern *names;
	bool adds;
	const char *text;       /* the option as written, REGEX or +REGEX, for commands that are printed */
} load_comm_pattern;

/* Load what is needed: `need` is one or more TRACE_ flags, combined with |.  A trace can be loaded only once.  comm
 * NULL: only the built-in list says what communicates.  False after a problem, which is in t->say; the trace can then
 * only be freed. */
bool load_trace(trace *t, unsigned need, const load_comm_pattern *comm);

/* Load TRACE_METRICS after everything else.  Questions about other events must be answered first, because metrics widen
 * the span of the trace.  False after a problem. */
bool load_trace_metrics(trace *t);
