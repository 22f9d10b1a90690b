/*
 * gpu_cards - which physical GPU ("card") each lane (the work of a process on one GPU) runs on, whatever number the
 * process has for the card, and what card that is.
 *
 *     uint32_t *first = gpu_find_first_lanes(t);      // NULL after a problem
 *     for (size_t l = 0; first && l < t->nlanes; l++)
 *         if (first[l] != NONE && first[l] != l)
 *             printf("lanes %u and %zu\n", first[l], l);
 *     free(first);
 */
#pragma once

#include "trace/trace.h"

/* An array with an element for each lane: the first lane on the same card; NONE: the trace does not say which card
 * it is.  Two cards are the same if their uuids agree or, if one has no uuid, if their hosts and bus locations (such as
 * 0000:1b:00.0) agree.  The caller frees the array.  NULL after a problem. */
uint32_t *gpu_find_first_lanes(const trace *t);

/* An array with an element for each lane: a name of its card that is the same in all traces.  The name is the uuid,
 * otherwise `host` and the bus location; NULL: neither is known.  `host` is the name of the host, or NULL: not known.
 * The caller frees the array; the texts are in the arena.  Returns NULL after a problem. */
const char **gpu_cards_list_names(const trace *t, const char *host, arena *texts);

typedef struct {                /* what one multiprocessor of a card can hold; TRACE_UNKNOWN: not known */
	int64_t capability;     /* compute capability: 10 times the major number plus the minor one, such as 90 */
	int64_t warps;          /* how many warps it runs at once */
	int64_t blocks;         /* how many blocks it runs at once */
	int64_t registers;      /* number of registers */
	int64_t shared;         /* bytes of shared memory */
} gpu_limits;

typedef struct {
	uint32_t name;          /* string, such as "NVIDIA H200"; STR_NONE: the trace does not say */
	int64_t memory;         /* memory bandwidth in bytes per second, or TRACE_UNKNOWN */
	int64_t multiprocessors;        /* number of multiprocessors, or TRACE_UNKNOWN */
	gpu_limits limits;
} gpu_model;

/* An array with an element for each lane: the model of its card.  If a lane may be on one of several cards, their model
 * is given if all have the same name, and `multiprocessors` only if all have the same number.  The caller frees the
 * array.  NULL after a problem. */
gpu_model *gpu_find_models(trace *t);

/* A process's number for a card. */
typedef struct {
	int64_t pid;
	int64_t number;         /* deviceId of the process's work */
	int64_t card;           /* nsys's own number for the card: TARGET_INFO_GPU.id */
} gpu_number;

typedef struct {                /* sorted by pid, then number */
	gpu_number *v;
	size_t n, room;
} gpu_numbers;

/* Read the numbers that processes have for their cards; a trace without a table of them leaves the list empty.  The
 * caller frees the list with vec_free.  False after a problem. */
bool gpu_numbers_read(const trace *t, gpu_numbers *out);

/* nsys's own number for the card of a lane.  If the process's number for it is not in the list, this is the card of the
 * metrics whose trace_metric.gpu is lane->gpu.  TRACE_UNKNOWN: there are none. */
int64_t gpu_numbers_find_card(const gpu_numbers *numbers, const trace *t, const trace_lane *lane);
