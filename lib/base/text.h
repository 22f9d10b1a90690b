/*
 * text - a whole file as one string, files in memory and compiled in, how a string ends, lists of
 * strings, and the words that a name consists of.
 *
 *     size_t n;
 *     char *all = text_read(stdin, &n);          // NULL: errno says why
 *     printf("%d\n", text_ends("run.sqlite", ".sqlite"));        // 1
 *     free(all);
 *     words_hold("TrainStep_forward", "step iter");      // true: Train, Step and forward, in any case
 *     words_hold("timestep", "step iter");               // false: timestep is one word
 *
 * A word ends where letters do, and where a small letter precedes a capital one; in HTTPServer, before the S.
 */
#pragma once

#include "base/arena.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef vec(const char *) text_list;

/* The contents of a file, with a NUL after its n bytes; the caller frees it.  NULL, with errno set, if it
 * cannot be read. */
char *text_read(FILE *f, size_t *n);
char *text_take(FILE *f, size_t *n);            /* the same, and close it; NULL if f is */
char *text_file(const char *path, size_t *n);   /* the same of one that is not open */

/* A file in memory, which is always opened: *text gets what is written, with a NUL after its *n bytes, when text_close
 * ends it; the caller frees it. */
FILE *text_open(char **text, size_t *n);
void text_close(FILE *f);
char *text_end(FILE *f, char **text, arena *to);        /* the same, into the arena */

/* The text of a file that is compiled in (files: name, text, name, text, ..., NULL); "": there is none. */
const char *text_builtin(const char *const *files, const char *name);

/* Does the text end so? */
bool text_ends(const char *s, const char *end);

/* The last part of a path, and what stands before it, with its slash; "./": nothing does. */
const char *text_base(const char *path);
const char *text_folder(arena *to, const char *path);

/* Is one of the words of a name in the list?  Its words are small letters with spaces between them. */
bool words_hold(const char *name, const char *list);

/* Is a word of n bytes in the list? */
bool words_listed(const char *word, size_t n, const char *list);
