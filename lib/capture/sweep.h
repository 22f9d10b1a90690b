/*
 * sweep - the variants of a command, one for each combination of given values.
 *
 *     sweep s = { 0 };
 *     text_list specs = { 0 }, command = { 0 };
 *     notes say = { 0 };
 *     vec_push(&specs, "batch=8,16");
 *     vec_push(&command, "./train");
 *     vec_push(&command, "--batch={batch}");
 *     if (sweep_read(&s, &specs, &command, &say))
 *         for (size_t i = 0; i < s.n; i++)
 *             puts(s.v[i].folder);               // batch=8 and batch=16; s.v[0].command is ./train --batch=8
 *     sweep_free(&s);
 *     vec_free(&specs);
 *     vec_free(&command);
 *     notes_free(&say);
 */
#pragma once

#include "base/notes.h"
#include "base/text.h"

typedef struct { const char *name, *value; } named_value;
typedef vec(named_value) named_values;

typedef struct {
	const char *folder;     /* a file name that every file system allows; no other case has it */
	text_list command;
	named_values values;    /* without secrets, for a manifest */
} sweep_case;

typedef struct {
	sweep_case *v;          /* the last name varies fastest; without names there is one case with folder NULL */
	size_t n, room;
	arena texts;
} sweep;

/* specs: NAME=V1,V2,...  False after a problem. */
bool sweep_read(sweep *to, const text_list *specs, const text_list *command, notes *say);

void sweep_free(sweep *s);
