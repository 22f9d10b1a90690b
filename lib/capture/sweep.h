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
	const char *folder;     /* the folder's name, which no other case has; NULL: there is no sweep */
	text_list command;      /* the words of the command, with each {NAME} replaced by its value */
	named_values values;    /* a name and value for each spec; *** stands for a secret value */
} sweep_case;

typedef struct {
	sweep_case *v;          /* the cases; the value of the last spec changes fastest.  Without specs, one case */
	size_t n, room;
	arena texts;
} sweep;

/* Make the cases of a command.  Each of the specs is NAME=V1,V2,...  False after a problem. */
bool sweep_read(sweep *to, const text_list *specs, const text_list *command, notes *say);

void sweep_free(sweep *s);
