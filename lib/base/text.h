/*
 * text - whole files as strings, files in memory and compiled in, the ends of strings, lists of strings, and
 * the words in a name.
 *
 *     size_t n;
 *     char *all = text_read(stdin, &n);          // NULL: errno says why
 *     printf("%d\n", text_ends("run.sqlite", ".sqlite"));        // 1
 *     free(all);
 *     text_has_word_of("TrainStep_forward", "step iter");      // true: its words are Train, Step and forward
 *     text_has_word_of("timestep", "step iter");               // false: timestep is one word
 *
 * A word ends where its letters end, between a small and a capital letter, and before the last of several capital
 * letters if a small letter follows it: HTTPServer is HTTP and Server.
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
/* Call text_read, and close the file.  NULL also if f is NULL. */
char *text_read_and_close(FILE *f, size_t *n);
char *text_file(const char *path, size_t *n);   /* text_read for the file at this path */

/* Open a file in memory, which never fails.  text_close closes it and sets *text to its contents, with a NUL after the
 * *n bytes; the caller frees that. */
FILE *text_open(char **text, size_t *n);
void text_close(FILE *f);

/* Call text_close, and return a copy of the text in the arena.  *text is freed. */
char *text_close_into(FILE *f, char **text, arena *to);

/* The text of a compiled-in file, or "" if there is none.  files is a list: name, text, name, text, ..., NULL. */
const char *text_find_builtin(const char *const *files, const char *name);

/* Does the text end with `end`? */
bool text_ends(const char *s, const char *end);

/* The last part of a path: the text behind the last slash. */
const char *text_base(const char *path);

/* The part of a path up to the last slash, which is included; "./" if there is none. */
const char *text_folder(arena *to, const char *path);

/* Does a name contain one of the words of a list?  The list has words in small letters, separated by spaces. */
bool text_has_word_of(const char *name, const char *list);

/* Is the word of n bytes in such a list?  Upper and lower case do not differ. */
bool text_is_listed_word(const char *word, size_t n, const char *list);
