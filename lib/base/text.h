/*
 * text - a whole file as one string, how a string ends, and lists of strings.
 *
 *     size_t n;
 *     char *all = text_read(stdin, &n);          // NULL: errno says why
 *     printf("%d\n", text_ends("run.sqlite", ".sqlite"));        // 1
 *     free(all);
 */
#pragma once

#include "base/memory.h"

#include <stdbool.h>
#include <stdio.h>

typedef vec(const char *) text_list;

/* The contents of a file, with a NUL after its n bytes; the caller frees it.  NULL, with errno set, if it
 * cannot be read. */
char *text_read(FILE *f, size_t *n);

/* Does the text end so? */
bool text_ends(const char *s, const char *end);
