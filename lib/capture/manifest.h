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

/* ---- where a capture was made: versions, GPUs, the git commit, and the environment (surroundings.c).  A variable
 * of the environment is kept if share/rules/environment.tsv names it and its value does not look like a secret. */

/* A GPU, with the maximum clocks of its SMs and of its memory; 0: unknown. */
typedef struct { const char *name; int64_t clock_mhz, memory_mhz; } surroundings_gpu;

typedef struct {
	const char *folder;             /* the working folder */
	const char *driver, *cuda;      /* the versions of the driver and of its CUDA; NULL: unknown */
	const char *revision;           /* the hash of the git commit; NULL: unknown */
	bool dirty;                     /* do files that git tracks have uncommitted changes? */
	vec(surroundings_gpu) gpus;
	named_values environment;
	arena texts;
} surroundings;

/* Find out the surroundings of this process.  False after a problem. */
bool surroundings_read(surroundings *to, notes *say);

void surroundings_free(surroundings *s);

/* ---- what was done */

/* A trace or report, with the exit code of the command that was captured.  file: its path, relative to the capture's
 * folder if it is in that folder. */
typedef struct { const char *file; int64_t bytes; int exit_code; } manifest_trace;

typedef struct {
	const surroundings *around;
	const text_list *command;       /* its secrets are already hidden, as those of `flags` are */
	time_t started, ended;  /* when nsys was started, and when it ended */
	int exit_code;          /* the exit code of nsys, which is that of the command */
	int signal;             /* the signal that asked nsq-capture, and so its children, to end; or 0 */
	const char *nsys, *ncu; /* the versions of nsys and ncu; NULL: the program was not run */
	const text_list *flags; /* the command line of nsys before the command */
	vec(manifest_trace) traces;
	const char *ncu_json;   /* the record of the run of ncu, as JSON; NULL: ncu was not run */
	double baseline_s;      /* seconds that the command took without nsys; 0: it was not run */
	double wall_s;          /* seconds that the command took under nsys */
	const char *steps;      /* the value of --steps, or NULL */
	const named_values *parameters; /* the names and values of this case of a sweep; empty: there is no sweep */
	int64_t rank;           /* the rank of this process in its job; -1: there is none */
} manifest;

/* Write the file.  False after a problem. */
bool manifest_write(const manifest *m, const char *path, notes *say);

/* Write a member of an object: an array of the texts. */
void manifest_write_texts(json_writer *j, const char *name, const text_list *list);
