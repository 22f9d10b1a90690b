/*
 * api_launches - how long launches take, and how long their work then waits: nsq-api --launch.
 *
 *     api_launch_sums sums;
 *     if (api_launches_of(t, w, 0, false, &sums))
 *         printf("%lld\n", (long long)sums.queue.p50);
 */
#pragma once

#include "base/stats.h"
#include "relate/window.h"

#define API_LAUNCH_COLUMNS(X) \
	X(LAUNCHES, "launches", 'i', NULL, "calls of class launch in the window") \
	X(LAUNCHES_PER_S, "launches_per_s", 'd', "1/s", "launches per second") \
	X(API_P50_NS, "api_p50_ns", 'i', "ns", "median time of a launch call") \
	X(API_P90_NS, "api_p90_ns", 'i', "ns", "90th percentile") \
	X(API_P99_NS, "api_p99_ns", 'i', "ns", "99th percentile") \
	X(QUEUE_P50_NS, "queue_p50_ns", 'i', "ns", "median wait from the end of the call to the start of its " \
	  "first kernel") \
	X(QUEUE_P90_NS, "queue_p90_ns", 'i', "ns", "90th percentile") \
	X(QUEUE_P99_NS, "queue_p99_ns", 'i', "ns", "99th percentile") \
	X(LATENCY_P50_NS, "latency_p50_ns", 'i', "ns", "median time from the start of the call to that of its " \
	  "first kernel") \
	X(LATENCY_P99_NS, "latency_p99_ns", 'i', "ns", "99th percentile") \
	X(KERNEL_P50_NS, "kernel_p50_ns", 'i', "ns", "median time of the kernels launched") \
	X(KERNEL_P90_NS, "kernel_p90_ns", 'i', "ns", "90th percentile") \
	X(KERNEL_P99_NS, "kernel_p99_ns", 'i', "ns", "99th percentile") \
	X(SMALL_PCT, "small_pct", 'd', "%", "share of these kernels that take less than 10us")

typedef struct {
	stats_sum call;         /* times of the calls in the window */
	stats_sum queue;        /* start of a call's first kernel minus the end of the call */
	stats_sum latency;      /* the same minus the start of the call */
	stats_sum kernel;       /* whole times of the kernels launched */
	int64_t small;          /* kernels shorter than 10us */
} api_launch_sums;

/* Sum the launches of a process in a window, or only count them (call.count); false if there are none.  Needs
 * TRACE_CALLS, TRACE_CALL_TIMES, TRACE_KERNELS and TRACE_LAUNCH. */
bool api_launches_of(trace *t, const window *w, uint32_t proc, bool count, api_launch_sums *sums);
