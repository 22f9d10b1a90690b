/*
 * nic_metrics - samples of network adapters (nsys profile --nic-metrics).
 *
 *     nic_metrics n = { 0 };
 *     if (nic_metrics_read(t, &n) && n.n)
 *         printf("%lld %s\n", (long long)n.v[0].value, n.v[0].unit);
 *     nic_metrics_free(&n);
 *
 * The value of a sample is a rate in its unit, such as bytes/ms; it applies from the sample's start to its end.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	const char *nic, *metric, *unit;        /* names of the adapter, the metric and its unit; NULL: the trace does
						 * not say */
	int64_t port;
	int64_t start, end, value;
} nic_sample;

typedef struct {
	nic_sample *v;          /* sorted by adapter, port, metric and time */
	size_t n, room;
	arena texts;            /* the names in v */
} nic_metrics;

/* Does the trace have the table of samples? */
bool nic_metrics_has(const trace *t);

/* Read the table, which must be there (nic_metrics_has).  False after a problem. */
bool nic_metrics_read(trace *t, nic_metrics *to);
void nic_metrics_free(nic_metrics *n);
