/*
 * manifest - writes manifest.json, an object that tells later tools how and where a capture was made.
 *
 *     notes say = { 0 };
 *     surroundings around = { 0 };
 *     surroundings_read(&around, &say);
 *     manifest m = { .around = &around, .command = &words, .nsys = "2025.3.1", .exit_code = 0, .wall_s = 12.5 };
 *     manifest_write(&m, "cap/manifest.json", &say);
 *     surroundings_free(&around);
 *     notes_free(&say);
 */
#pragma once

#include "base/json.h"
#include "capture/sweep.h"

#include <stdint.h>
#include <time.h>

/* ---- where a capture was made: versions, GPUs, the state of the sources, and the environment (surroundings.c).  Only
 * variables that share/rules/environment.tsv names are kept, and no value that looks like a secret. */

typedef struct { const char *name; int64_t clock_mhz, memory_mhz; } surroundings_gpu;    /* the largest clocks; 0:
											  * unknown */

typedef struct {
	const char *folder;             /* the working folder */
	const char *driver, *cuda;      /* NULL: unknown */
	const char *revision;           /* git's name of the commit; NULL: it is not known */
	bool dirty;                     /* are there uncommitted changes? */
	vec(surroundings_gpu) gpus;
	named_values environment;
	arena texts;
} surroundings;

/* False after a problem. */
bool surroundings_read(surroundings *to, notes *say);

void surroundings_free(surroundings *s);

/* ---- what was done */

/* A trace or report, with the exit code of the command that was captured. */
typedef struct { const char *file; int64_t bytes; int exit_code; } manifest_trace;

typedef struct {
	const surroundings *around;
	const text_list *command;
	time_t started, ended;
	int exit_code;          /* the exit code of the command under nsys */
	int signal;             /* the signal that asked nsq-capture, and so its children, to end; or 0 */
	const char *nsys, *ncu; /* the versions of nsys and ncu; NULL: not run */
	const text_list *flags; /* the command line of nsys before the command */
	vec(manifest_trace) traces;
	const char *ncu_json;   /* the member about ncu, as JSON; NULL: none */
	double baseline_s;      /* seconds that the command took without nsys; 0: it was not run */
	double wall_s;          /* seconds that the command took under nsys */
	const char *steps;      /* A..B, or NULL */
	const named_values *parameters; /* the parameters of a sweep */
	int64_t rank;           /* -1: none */
} manifest;

/* False after a problem. */
bool manifest_write(const manifest *m, const char *path, notes *say);

/* Write the texts as an array. */
void manifest_texts(json_writer *j, const char *name, const text_list *list);
