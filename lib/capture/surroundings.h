/*
 * surroundings - where a capture was made: versions, GPUs, the state of the sources, and the environment.
 *
 *     surroundings s = { 0 };
 *     notes say = { 0 };
 *     surroundings_read(&s, &say);
 *     puts(s.driver ? s.driver : "no GPU");      // 580.65.06
 *     surroundings_free(&s);
 *     notes_free(&say);
 *
 * Of the environment only what share/rules/environment.tsv names, and no value that looks like a secret; the
 * words of a command with *** for such values.
 */
#pragma once

#include "base/memory.h"
#include "base/notes.h"
#include "base/text.h"

#include <stdint.h>

typedef struct { const char *name; int64_t clock_mhz, memory_mhz; } surroundings_gpu;    /* most; 0: unknown */
typedef struct { const char *name, *value; } surroundings_variable;

typedef struct {
	const char *folder;             /* the working folder */
	const char *driver, *cuda;      /* NULL: unknown */
	const char *revision;           /* of git; NULL: the folder is in no repository */
	bool dirty;                     /* are there changes that the revision lacks? */
	vec(surroundings_gpu) gpus;
	vec(surroundings_variable) environment;
	arena texts;
} surroundings;

/* False after a problem. */
bool surroundings_read(surroundings *to, notes *say);

/* The words of a command as others may see them; the caller frees the list. */
text_list surroundings_masked(const text_list *words, arena *to);

void surroundings_free(surroundings *s);
