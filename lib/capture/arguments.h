/*
 * arguments - the words of a command, one by one, for a process that no shell starts.
 *
 *     arguments a = { 0 };
 *     arguments_add(&a, "nsys");
 *     arguments_addf(&a, "--trace=%s", "cuda,nvtx");
 *     puts(arguments_line(&a));                  // nsys --trace=cuda,nvtx, as one would type it
 *     execvp(a.list.v[0], arguments_argv(&a));
 *     arguments_free(&a);
 */
#pragma once

#include "base/arena.h"
#include "base/text.h"

#include <unistd.h>

typedef struct {
	text_list list;
	arena texts;
} arguments;

void arguments_add(arguments *a, const char *word);            /* a copy of it; NULL: nothing */
void arguments_addf(arguments *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arguments_all(arguments *a, const text_list *words);

/* Ended by NULL, until something is added. */
char *const *arguments_argv(arguments *a);

/* As it can be pasted into a shell. */
const char *arguments_line(arguments *a);

void arguments_free(arguments *a);
