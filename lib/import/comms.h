/*
 * comms - collectives as NCCL describes them: the function, the communicator, the size.
 *
 *     comm c;
 *     arena texts = { 0 };
 *     json_t *args = event_read("{\"Collective name\": \"allreduce\"}", 32);     // the args of record_param_comms
 *     if (comms_read(args, &c))
 *         printf("%s %s\n", c.name, comms_payload(&c, &texts));    // ncclAllReduce {"NCCL communicator ID": ...}
 *     json_decref(args);
 *     arena_free(&texts);
 *
 * A communicator is identified by the name of its process group and the ranks in it, which are the same in the traces
 * of all ranks.
 */
#pragma once

#include "base/arena.h"
#include "import/event.h"

#define COMMS_UNKNOWN INT64_MIN

typedef struct {
	const char *name;       /* the name of NCCL's function */
	uint64_t id;            /* the number of the communicator */
	int64_t bytes;          /* the size of the message; this and the following are COMMS_UNKNOWN if not known */
	int64_t peer;           /* the other rank of a send or recv */
	int64_t size, rank;     /* the number of ranks in the communicator, and the rank of this process */
} comm;

/* Read the collective from the args of an event.  False: the event is no collective, or only waits for one. */
bool comms_read(const json_t *args, comm *c);

/* comms_payload is the payload that NCCL gives to its range of the collective, comms_creation the payload of the range
 * that creates the communicator. */
const char *comms_payload(const comm *c, arena *to);
const char *comms_creation(const comm *c, arena *to);
