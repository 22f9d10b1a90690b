/*
 * exposure - how much of each piece of communication runs beside compute of the same process and GPU, and in which
 * stage of the program.
 *
 *     exposure *x = exposure_build(t, r, AROUND_WORK);   // r NULL: without stages
 *     exposure_parts all = { 0 };
 *     exposure_measure(t, w, &all);
 *     for (size_t i = 0; i < all.n; i++)
 *         printf("%lld ns hidden\n", (long long)all.v[i].hidden);
 *     vec_free(&all);
 *     exposure_free(x);
 */
#pragma once

#include "base/memory.h"
#include "launch/labels.h"
#include "timeline/window.h"

typedef struct exposure exposure;

/* The rules r name the stages; NULL: there are no stages.  r must outlive the exposure.  `what` is passed to around_of:
 * AROUND_WORK, alone or with more flags.  Stages need TRACE_LAUNCH, TRACE_RANGES and what around_of needs. */
exposure *exposure_build(trace *t, const rules *r, unsigned what);
void exposure_free(exposure *x);

typedef struct {                /* a piece of communication work in a window */
	size_t work, lane;      /* indices of trace.work and trace.lanes */
	size_t comm;            /* its index in comm_work.work (timeline/comm_work.h) */
	int64_t dur;            /* its time in the GPU side of the window, ns */
	int64_t hidden;         /* ns of dur during which compute of its process runs on its GPU */
} exposure_part;

typedef vec(exposure_part) exposure_parts;

/* Fills the list with the communication work of a window, in the order of comm_work_next, and with its times.  Earlier
 * entries are dropped. */
void exposure_measure(trace *t, const window *w, exposure_parts *to);

/* Fills the list with the same work, but with all times 0. */
void exposure_list_work(trace *t, const window *w, exposure_parts *to);

/* The stage of a piece of work, a string of the trace's names.  It is the label of the work (labels_of_work): the label
 * of a range around it or, if no rule matches, the folded name (str_fold) of its innermost range outside the domains of
 * libraries.  STR_NONE: it has no label.  Communication on a compute stream runs in line with compute, so its stage is
 * serial:LABEL, or serial:- without a label.  Call this only if exposure_build was given rules. */
uint32_t exposure_stage(exposure *x, size_t work);
