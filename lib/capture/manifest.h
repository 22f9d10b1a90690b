/*
 * manifest - what was done for a capture, in manifest.json: one object, which the next tools read.
 *
 *     notes say = { 0 };
 *     manifest m = { .around = &around, .command = &words, .nsys = "2025.3.1", .exit_code = 0, .wall_s = 12.5 };
 *     manifest_write(&m, "cap/manifest.json", &say);
 *     notes_free(&say);
 */
#pragma once

#include "base/text.h"
#include "capture/surroundings.h"

#include <time.h>

typedef struct { const char *file; int64_t bytes; int exit_code; } manifest_trace;
typedef struct { const char *name, *value; } manifest_parameter;

typedef struct {
	const surroundings *around;
	const text_list *command;
	time_t started, ended;
	int exit_code;          /* of the command under nsys */
	int signal;             /* that asked it, the export or ncu to end; or 0 */
	const char *nsys, *ncu; /* their versions; NULL: not run */
	const text_list *flags; /* the command line of nsys before the command */
	vec(manifest_trace) traces;
	const char *ncu_json;   /* what there is to say of ncu, as JSON; NULL: nothing */
	double baseline_s;      /* seconds of the command by itself; 0: it was not run */
	double wall_s;
	const char *steps;      /* A..B, or NULL */
	vec(manifest_parameter) parameters;     /* of a sweep */
	int64_t rank;           /* -1: none */
} manifest;

/* False after a problem. */
bool manifest_write(const manifest *m, const char *path, notes *say);
