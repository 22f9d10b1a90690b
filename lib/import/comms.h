/*
 * comms - describes the collectives in a trace of torch.profiler as NCCL does: by function, communicator and size.
 *
 *     comm c;
 *     arena texts = { 0 };
 *     json_t *args = event_parse_json("{\"Collective name\": \"allreduce\"}", 32);    // the args of record_param_comms
 *     if (comms_read(args, &c))
 *         printf("%s %s\n", c.name, comms_payload(&c, &texts));    // ncclAllReduce {"NCCL communicator ID": ...}
 *     json_decref(args);
 *     arena_free(&texts);
 *
 * A communicator is identified by the name of its process group and the ranks in that group.  The traces of all ranks
 * have the same name and ranks for it.
 */
#pragma once

#include "base/arena.h"
#include "import/event.h"

#define COMMS_UNKNOWN INT64_MIN

typedef struct {
	const char *name;       /* the name of the function of NCCL, such as ncclAllReduce */
	uint64_t id;            /* of the communicator: a hash of the name and the ranks of its process group */
	/* Each of the following is COMMS_UNKNOWN if it is not known. */
	int64_t bytes;          /* the size of the message */
	int64_t peer;           /* the other rank of a send or recv */
	int64_t size;           /* the number of ranks in the communicator */
	int64_t rank;           /* the rank of this process in the communicator; not known for a send or recv */
} comm;

/* Read the collective from the args of an event.  False: the args describe no collective, or one that NCCL has no
 * function for, such as wait. */
bool comms_read(const json_t *args, comm *c);

/* The payload of the NVTX range that NCCL has for the collective. */
const char *comms_payload(const comm *c, arena *to);

/* The payload of the NVTX range in which NCCL creates the communicator. */
const char *comms_creation_payload(const comm *c, arena *to);
