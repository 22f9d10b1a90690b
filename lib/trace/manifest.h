/*
 * manifest - what nsq-capture wrote down of the run that a trace is of: DIR/manifest.json.
 *
 *     notes say = { 0 };
 *     manifest m;
 *     if (manifest_read(MANIFEST_OWN, t, &m, &say))      // or the name of a file or of its folder
 *         printf("%.1f s, without a profiler %.1f s\n", m.wall_s, m.baseline_s);
 *     notes_free(&say);
 */
#pragma once

#include "trace/trace.h"

/* The word for the manifest of each trace: that beside it or in the folder above, if it lists the trace. */
#define MANIFEST_OWN "manifest"

typedef struct {
	double wall_s;          /* how long the run took under the profiler, */
	double baseline_s;      /* and without it; NAN: that was not measured */
	bool part;              /* is the trace only a part of the run, by a capture range, a delay or a slice? */
	int64_t connections;    /* CUDA_DEVICE_MAX_CONNECTIONS; 0: not set */
} manifest;

/* Does it name a manifest: the word, a file *.json, or the folder of a capture? */
bool manifest_is(const char *name);

/* False after a problem. */
bool manifest_read(const char *name, trace *t, manifest *to, notes *say);
