/*
 * import - a trace of torch.profiler, Kineto's Chrome JSON, as an SQLite file with nsys's own tables.
 *
 *     notes say = { 0 };
 *     import_how how = { .stacks = true };
 *     if (import_is_trace("run.pt.trace.json.gz"))
 *         import_write("run.pt.trace.json.gz", "run.sqlite", &how, &say);
 *     notes_free(&say);
 *
 * Tools read the file like an export of nsys.  Events are read one at a time.  The trace is read two or three times,
 * because the earliest event, from which times are counted, may stand anywhere, and so may facts about the whole trace.
 */
#pragma once

#include "base/notes.h"

#define IMPORT_PRODUCT "nsq-import"       /* EXPORT_PRODUCT_NAME in the file */

typedef struct {
	bool stacks;            /* import the Python functions that with_stack records, too */
	bool (*stop)(void *ctx);        /* called from time to time; true ends the import early; or NULL */
	void *ctx;
} import_how;

/* Does the file begin with { and hold traceEvents?  It may be compressed with gzip. */
bool import_is_trace(const char *path);

/* Write a new file.  False after a problem, or after `stop` returned true; part of the file may then exist.  A trace
 * that is cut off is imported up to the cut, with a warning. */
bool import_write(const char *path, const char *to, const import_how *how, notes *say);
