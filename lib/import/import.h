/*
 * import - turns a trace of torch.profiler (Kineto's Chrome JSON) into an SQLite file with nsys's own tables.
 *
 *     notes say = { 0 };
 *     import_how how = { .stacks = true };
 *     if (import_is_trace("run.pt.trace.json.gz"))
 *         import_write("run.pt.trace.json.gz", "run.sqlite", &how, &say);
 *     notes_free(&say);
 *
 * Tools read the file like an export of nsys.  Events are read one at a time.  The trace is read two or three times,
 * because rows need facts that may stand anywhere in it, such as the earliest event, from which times count.
 */
#pragma once

#include "base/notes.h"

#define IMPORT_PRODUCT "nsq-import"       /* the EXPORT_PRODUCT_NAME in META_DATA_EXPORT of the file */

typedef struct {
	bool stacks;            /* also import the Python functions that with_stack records */
	bool (*stop)(void *ctx);        /* called from time to time, with `ctx`; true: the import must end early.  NULL:
					 * it cannot be ended */
	void *ctx;
} import_how;

/* Does the file begin with { and hold traceEvents?  It may be compressed with gzip. */
bool import_is_trace(const char *path);

/* Import the trace `path` into the new file `to`.  False after a problem, or after `stop` returned true; part of the
 * file may then exist.  A trace that is cut off or damaged is imported up to the damage, with a warning. */
bool import_write(const char *path, const char *to, const import_how *how, notes *say);
