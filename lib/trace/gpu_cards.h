/*
 * gpu_cards - which lanes run on the same GPU, whatever number each process has for it.
 *
 *     uint32_t *first = gpu_first_lanes(t);      // NULL after a problem
 *     for (size_t l = 0; first && l < t->nlanes; l++)
 *         if (first[l] != NONE && first[l] != l)
 *             printf("lanes %u and %zu\n", first[l], l);
 *     free(first);
 */
#pragma once

#include "trace/trace.h"

/* By lane: the first lane on the same GPU; NONE: the trace does not say which GPU it is.  Two GPUs are the same if
 * their uuids agree or, if one has no uuid, if they have the same place on the bus of the same host.  The caller frees
 * the array.  NULL after a problem. */
uint32_t *gpu_first_lanes(const trace *t);

/* By lane: a name of its GPU that is the same in all traces: the uuid, otherwise `host` (the host's name, or NULL) and
 * the place on its bus.  An element is NULL if neither is known.  The caller frees the array; the texts are in the
 * arena.  Returns NULL after a problem. */
const char **gpu_cards_names(const trace *t, const char *host, arena *texts);

typedef struct {                /* limits of a multiprocessor; TRACE_UNKNOWN: not known */
	int64_t capability;     /* compute capability: 10 times the major number plus the minor one, such as 90 */
	int64_t warps, blocks;  /* most warps and most blocks that it runs at once */
	int64_t registers, shared;      /* number of registers; bytes of shared memory */
} gpu_limits;

typedef struct {
	uint32_t name;          /* string: NVIDIA H200, or STR_NONE if the trace does not say */
	int64_t memory;         /* memory bandwidth in bytes per second, or TRACE_UNKNOWN */
	int64_t multiprocessors;        /* how many it has, or TRACE_UNKNOWN */
	gpu_limits limits;
} gpu_model;

/* By lane: its kind of GPU.  If the trace does not say which of several GPUs a lane is on, the kind is still known if
 * all of them have the same name, and `multiprocessors` if that agrees, too.  The caller frees the array.  NULL after a
 * problem. */
gpu_model *gpu_models(trace *t);

/* The number by which a process calls a GPU. */
typedef struct {
	int64_t pid;
	int64_t number;         /* deviceId of the process's work */
	int64_t card;           /* nsys's own number of the GPU: TARGET_INFO_GPU.id */
} gpu_number;

typedef struct {                /* sorted by pid, then number */
	gpu_number *v;
	size_t n, room;
} gpu_numbers;

/* Read the numbers of all processes for their GPUs, as far as the trace has them.  The caller frees the list with
 * vec_free.  False after a problem. */
bool gpu_numbers_read(const trace *t, gpu_numbers *out);

/* The GPU of a lane, by nsys's own number.  If the trace does not say how the process numbers its GPUs, this is the GPU
 * that has metrics and that all processes call by the lane's number (trace_metric.gpu).  TRACE_UNKNOWN: there is
 * none. */
int64_t gpu_numbers_card(const gpu_numbers *of, const trace *t, const trace_lane *lane);
