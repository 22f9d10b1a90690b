/*
 * load - fills a trace with what a question needs: reads the tables, numbers processes and threads, puts
 * events in order and joins work to the calls that launched it.
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

/* Names of communication kernels, besides those of the built-in list (share/rules/comm.tsv) or instead of them. */
typedef struct {
	pattern *names;
	bool adds;
	const char *text;       /* as it was written, REGEX or +REGEX, for the commands that are shown */
} load_comm;

/* Load what is needed (TRACE_... combined with |), once.  comm NULL: the built-in list says what communicates.  False
 * after a problem, which is in t->say; the trace can then only be freed. */
bool load_trace(trace *t, unsigned need, const load_comm *comm);

/* Load TRACE_METRICS after all else, so that questions about other events are answered within the span of these
 * before. */
bool load_trace_metrics(trace *t);
