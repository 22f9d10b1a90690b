/*
 * load_metrics - reads the samples of GPU metrics into trace.metrics.
 *
 *     if (load_metrics(t))
 *         for (size_t i = 0; i < t->nmetrics; i++)
 *             printf("%zu samples of metric %lld\n", t->metrics[i].n, (long long)t->metrics[i].id);
 *
 * The table GPU_METRICS has a row for each value, with its time, its GPU and its metric.  nsys samples all metrics of a
 * GPU together, so they mostly share one array of times.
 */
#pragma once

#include "trace/trace.h"

/* Does the trace have the table GPU_METRICS? */
bool load_metrics_has(const trace *t);

/* Does the trace lack the table GPU_METRICS, but have GENERIC_EVENTS?  Older versions of nsys wrote metrics to that
 * table, as JSON. */
bool load_metrics_has_only_generic_events(const trace *t);

/* Read the table GPU_METRICS.  False after a problem. */
bool load_metrics(trace *t);

/* Is the metric a clock?  Clocks are named [MHz], but their values are in hertz. */
bool load_metrics_is_clock(const trace *t, const trace_metric *m);
