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

/* A name that stands for the manifest of the trace itself: the one in the trace's folder or, if there is none, in the
 * folder above.  This manifest must list the trace. */
#define MANIFEST_OWN "manifest"

typedef struct {
	double wall_s;          /* seconds that the run took under the profiler */
	double baseline_s;      /* seconds that it took without the profiler; NAN: not measured */
	bool part;              /* does the trace hold only a part of the run, because of a capture range, a delay or a
				 * duration, or because nsq slice cut it out? */
	int64_t connections;    /* CUDA_DEVICE_MAX_CONNECTIONS in the environment of the run; 0: not set */
} manifest;

/* Is this the name of a manifest: MANIFEST_OWN, a name that ends in .json, or a folder with a manifest.json? */
bool manifest_is_name(const char *name);

/* Read the manifest with this name (manifest_is_name) for a trace.  False after a problem. */
bool manifest_read(const char *name, trace *t, manifest *to, notes *say);
