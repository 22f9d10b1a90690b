/*
 * rows - what an event of torch.profiler becomes: a row of a table of nsys, or several.
 *
 *     notes say = { 0 };
 *     ids all = { 0 };
 *     scan *s = scan_open("run.pt.trace.json");
 *     rows_ctx r = { .out = tables_begin("run.sqlite", &say), .zero = 4127342143213477, .all = &all };
 *     scan_value v;
 *     while (scan_next(s, &v)) {
 *         event_head h = event_look(&v);
 *         json_t *event = event_read(v.text, v.n);
 *         rows_add(&r, &v, &h, event);
 *         json_decref(event);
 *     }
 *     tables_end(r.out, true);
 *
 * share/conventions/import.md lists what becomes what.
 */
#pragma once

#include "import/comms.h"
#include "import/event.h"
#include "import/ids.h"
#include "import/tables.h"

typedef struct {
	tables *out;
	int64_t zero;           /* the start of the earliest event, in the file's nanoseconds */
	ids *all;
	str_pool groups;        /* pairs of communicator and process for which the range that creates the communicator
				 * was added */
	dict records;           /* the correlations of calls that recorded an event, so far */
	int64_t last;           /* the latest end of an event so far, counted from `zero` */
	arena texts;            /* texts of the current event */
} rows_ctx;

/* The domains of ranges; ROWS_OWN: that of the program itself. */
enum rows_domain { ROWS_OWN, ROWS_ATEN, ROWS_PYTHON, ROWS_NCCL };

/* Add a collective as a range in NCCL's domain, from the start to the end of the event.  If it is the first collective
 * of its communicator in the process, and the number of ranks is known, add the range that creates the communicator
 * before it. */
void rows_comm(rows_ctx *r, const event_head *h, int64_t thread, const comm *c);

void rows_add(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *event);

/* Add the domains of a process and its rank, unless the rank is negative. */
void rows_add_process(rows_ctx *r, size_t process, int64_t rank);

/* Add the GPUs that deviceProperties lists. */
void rows_add_gpus(rows_ctx *r, const json_t *properties);
