/*
 * measuring - runs a command under ncu, which measures the kernels that matter.
 *
 *     measured m = { 0 };
 *     if (measure_top(&m, &params, "cap", "cap/nsys/run.sqlite"))
 *         puts(m.json);                          // for the manifest; cap/ncu/raw.csv is there
 *     arena_free(&m.texts);
 */
#pragma once

#include "capture/params.h"

typedef struct {
	const char *version;    /* of ncu; or NULL */
	const char *json;       /* what was measured and how; NULL: nothing */
	int asked;              /* the signal that asked us to end; or 0 */
	arena texts;
} measured;

/* The kernels of a trace that take most time, as many as the parameters say, into FOLDER/ncu.  False after a
 * problem. */
bool measure_top(measured *to, const capture_params *p, const char *folder, const char *trace_file);

/* Those of the table that the parameters name, into their folder; without one print the command.  The exit code: that
 * of the command; if that is 0, the one of what else failed. */
int measure_table(capture_params *p);
