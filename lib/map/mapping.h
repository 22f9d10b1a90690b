/*
 * mapping - one pipeline on many traces, here or on the nodes of a cluster, and one table.
 *
 *     notes say = { 0 };
 *     format_writer w = { .to = stdout, .format = FORMAT_TSV };
 *     map_params p = { .mode = MAP_HERE, .pipeline = "nsq-window {} | nsq-overlap", .at_once = 16, .say = &say,
 *             .show = show, .progress = progress, .pause = pause_it };
 *     mapping m = { 0 };
 *     vec_push(&p.traces, "run.sqlite");
 *     if (mapping_begin(&m, &p, &w, &say)) {     // from now on signals that end a program are held back
 *         mapping_run(&m);
 *         format_end(&w, &m.out.columns);
 *     }
 *     mapping_end(&m);                           // and ends here if one came
 *
 * Rows are written as soon as all traces before theirs are done.
 */
#pragma once

#include "map/gather.h"
#include "map/params.h"
#include "map/pipeline.h"

typedef struct {
	const map_params *p;
	pipeline command;
	results all;
	size_t next;            /* the first trace whose rows are not written */
	size_t done;            /* of all traces */
	gather out;
	sigset_t ending, before;        /* signals held back, and the mask to go back to */
	int asked;              /* the signal that asked us to end, or 0 */
	bool refused;           /* nothing could be run, and the reason was said */
	arena texts;
} mapping;

/* False after a problem. */
bool mapping_begin(mapping *m, const map_params *p, format_writer *to, notes *say);

/* If rows could not be written, errno says why; it ends here if the reader has left. */
void mapping_run(mapping *m);
void mapping_end(mapping *m);

/* For those who run it: write what is ready.  False: nobody reads it any more. */
bool mapping_write(mapping *m);

/* Wait for a signal, of those held back or SIGCHLD, at most so long.  False: we are asked to end. */
bool mapping_wait(mapping *m, int64_t ms);
