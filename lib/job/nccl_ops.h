/*
 * nccl_ops - which operation of NCCL each communication kernel belongs to.
 *
 *     const nccl_ops *ops = nccl_ops_of(t);
 *     for (size_t i = 0; i < ops->kernels.n; i++)
 *         puts(str_at(&t->names, ops->v[ops->kernels.v[i].op].name));    // allreduce
 *
 * An operation is a range of NCCL's domain that names a communicator without creating it, or is called like a
 * collective, a send or a receive.  All such ranges of a group, from ncclGroupStart to the outermost ncclGroupEnd, are
 * one operation.  A kernel belongs to the operation in whose range its launch call lies, or to the group in whose
 * ncclGroupEnd the call lies; if operations are nested, to the outermost.  Any other kernel is an operation of its own,
 * and only its name tells what it does.
 */
#pragma once

#include "trace/trace.h"

typedef struct {
	uint32_t op;            /* its operation, in nccl_ops.v */
	bool leads;             /* is it the first kernel of its operation? */
	uint32_t work;          /* index in trace.work */
	uint32_t lane;          /* index in trace.lanes */
	uint32_t comm;          /* its index in comm_work.work (timeline/comm_work.h); not a communicator */
} nccl_kernel;

typedef struct {                /* a send or a receive */
	bool send;
	int64_t peer;           /* the rank of the other side in the communicator; TRACE_UNKNOWN: the trace does not
				 * say */
	int64_t bytes;
} nccl_message;

enum nccl_comms { NCCL_UNKNOWN, NCCL_ONE, NCCL_MIXED };  /* does an operation name its communicators, and are they one
							  * or several? */

typedef struct {
	int64_t bytes;                  /* TRACE_UNKNOWN if the trace does not say */
	uint32_t proc;
	uint32_t name;                  /* string: allreduce, sendrecv, allreduce+broadcast, or STR_NONE */
	uint32_t place;                 /* string: the folded name (str_fold) of the range in which its first kernel was
					 * launched; STR_NONE: none, or some operation of the trace names a
					 * communicator */
	uint32_t first_comm, ncomms;    /* its communicators, in nccl_ops.comms */
	uint32_t first_message, nmessages;      /* its sends and receives, in nccl_ops.messages */
	uint8_t comms;                  /* enum nccl_comms */
	bool messages_only;             /* does it consist of sends and receives only? */
} nccl_op;

typedef struct {                /* a communicator as its creation describes it */
	uint32_t proc;
	uint64_t comm;
	int64_t size, rank;     /* TRACE_UNKNOWN: the creation does not say */
} nccl_creation;

typedef struct {
	nccl_op *v;                     /* operations that have a kernel, in the order of their first launch */
	size_t n, room;
	vec(nccl_kernel) kernels;       /* all communication kernels, in the order of launch */
	vec(uint64_t) comms;
	vec(nccl_message) messages;
	vec(nccl_creation) creations;
} nccl_ops;

/* Needs TRACE_LAUNCH, TRACE_RANGES and TRACE_PAYLOADS.  The result is kept with the trace. */
const nccl_ops *nccl_ops_of(trace *t);

/* Add remarks if payloads cannot be read, or are cut. */
void nccl_ops_remark_on_payloads(const trace *t, notes *say);
