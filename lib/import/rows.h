/*
 * rows - turns the events of torch.profiler into rows of nsys's tables.
 *
 *     notes say = { 0 };
 *     ids all = { 0 };
 *     scan *s = scan_open("run.pt.trace.json");
 *     rows_ctx r = { .out = tables_begin("run.sqlite", &say), .zero = 4127342143213477, .all = &all };
 *     scan_value v;
 *     while (scan_next(s, &v)) {
 *         event_head h = event_read_head(&v);
 *         json_t *event = event_parse_json(v.text, v.n);
 *         if (h.kind > EVENT_OTHER)
 *             rows_add_event(&r, &v, &h, event);
 *         json_decref(event);
 *     }
 *     tables_end(r.out, true);
 *
 * share/conventions/import.md lists which rows each event becomes.
 */
#pragma once

#include "import/comms.h"
#include "import/event.h"
#include "import/ids.h"
#include "import/tables.h"

typedef struct {
	tables *out;
	int64_t zero;           /* the start of the earliest event, ns from the file's own time 0; times in rows count
				 * from it */
	ids *all;               /* the processes and threads of the file */
	str_pool groups;        /* the pairs of communicator and process that have a row for the range that creates the
				 * communicator */
	dict records;           /* the correlations of the calls that recorded a CUDA event, if that record has a row */
	int64_t last;           /* the latest start or end of an event so far, counted from `zero` */
	arena texts;            /* the texts of the current event */
} rows_ctx;

/* The NVTX domains of ranges.  ROWS_OWN: the default domain, with the ranges of record_function; ROWS_ATEN: operators,
 * and the ranges of record_function whose names begin with "nccl:". */
enum rows_domain { ROWS_OWN, ROWS_ATEN, ROWS_PYTHON, ROWS_NCCL };

/* Add a collective as a range in NCCL's domain, from the start to the end of the event h.  Before the first such range
 * of a communicator in a process, add the range that creates the communicator, if its number of ranks is known. */
void rows_add_collective(rows_ctx *r, const event_head *h, int64_t thread, const comm *c);

/* Add the rows of an event whose kind is neither EVENT_FOREIGN nor EVENT_OTHER.  event: the event, parsed. */
void rows_add_event(rows_ctx *r, const scan_value *v, const event_head *h, const json_t *event);

/* Add the domains of a process, and its rank unless that is negative. */
void rows_add_process(rows_ctx *r, size_t process, int64_t rank);

/* Add the GPUs that deviceProperties lists (at most 64), and rows that give them the same numbers in every process. */
void rows_add_gpus(rows_ctx *r, const json_t *properties);
