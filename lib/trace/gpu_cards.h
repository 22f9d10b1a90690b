/*
 * gpu_cards - which lanes run on the same GPU, whatever number each process has for it.
 *
 *     uint32_t *card = gpu_cards(t);             // NULL after a problem
 *     for (size_t l = 0; card && l < t->nlanes; l++)
 *         if (card[l] != NONE && card[l] != l)
 *             printf("lanes %u and %zu\n", card[l], l);
 *     free(card);
 */
#pragma once

#include "trace/trace.h"

/* By lane: the first lane on the same GPU, or NONE if the trace does not say which GPU it is.  Two GPUs are the
 * same if their uuids agree; if one has none, if they are at the same place on the bus of the same host.  The
 * caller frees it.  NULL after a problem. */
uint32_t *gpu_cards(const trace *t);

/* What identifies the GPU of each lane in other traces too: its uuid, else its host and its place on the bus, or NULL
 * if neither is known.  The caller frees the array; the texts are in the arena.  NULL after a problem. */
const char **gpu_cards_names(const trace *t, const char *host, arena *texts);

typedef struct {                /* of a multiprocessor; TRACE_UNKNOWN: not known */
	int64_t capability;     /* 10 times the major number and the minor one of the compute capability: 90 */
	int64_t warps, blocks;  /* at most */
	int64_t registers, shared;      /* how many, and bytes */
} gpu_limits;

typedef struct {
	uint32_t name;          /* string: NVIDIA H200, or STR_NONE if the trace does not say */
	int64_t memory;         /* bytes per second, or TRACE_UNKNOWN */
	int64_t multiprocessors;        /* or TRACE_UNKNOWN */
	gpu_limits limits;
} gpu_model;

/* By lane: what kind of GPU it is.  Where the trace does not say which of several GPUs a lane is on, that is known if
 * they are all of one kind.  The caller frees it.  NULL after a problem. */
gpu_model *gpu_models(trace *t);

/* What a process calls a GPU. */
typedef struct {
	int64_t pid;
	int64_t number;         /* deviceId of its work */
	int64_t card;           /* the number that nsys has for the GPU: TARGET_INFO_GPU.id */
} gpu_number;

typedef struct {                /* by pid, then number */
	gpu_number *v;
	size_t n, room;
} gpu_numbers;

/* Read what processes call the GPUs, as far as the trace says.  Free it with vec_free.  False after a problem. */
bool gpu_numbers_read(const trace *t, gpu_numbers *out);

/* The GPU on which a lane's work runs, as nsys numbers it.  If the trace does not say what its process calls it, the
 * one with metrics that has that number for all processes (trace_metric.gpu), or TRACE_UNKNOWN. */
int64_t gpu_numbers_card(const gpu_numbers *of, const trace *t, const trace_lane *lane);
