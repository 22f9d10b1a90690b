/*
 * manifest - what nsq-capture recorded about the run of a trace: DIR/manifest.json.
 *
 *     notes say = { 0 };
 *     manifest m;
 *     if (manifest_read(MANIFEST_OWN, t, &m, &say))      // or the name of a file or of its folder
 *         printf("%.1f s, without a profiler %.1f s\n", m.wall_s, m.baseline_s);
 *     notes_free(&say);
 */
#pragma once

#include "trace/trace.h"

/* The name that means each trace's own manifest: the one in its folder or, if there is none, in the folder above.  It
 * must list the trace. */
#define MANIFEST_OWN "manifest"

typedef struct {
	double wall_s;          /* seconds that the run took under the profiler */
	double baseline_s;      /* seconds that it took without the profiler; NAN: not measured */
	bool part;              /* does the trace hold only a part of the run (a capture range, a delay, a duration, a
				 * slice)? */
	int64_t connections;    /* CUDA_DEVICE_MAX_CONNECTIONS; 0: not set */
} manifest;

/* Is this the name of a manifest: MANIFEST_OWN, a file *.json, or the folder of a capture? */
bool manifest_is(const char *name);

/* Read the manifest of a trace.  False after a problem. */
bool manifest_read(const char *name, trace *t, manifest *to, notes *say);
