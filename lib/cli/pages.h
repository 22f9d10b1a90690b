/*
 * pages - prints documents, and finds lines in them.
 *
 *     arena texts = { 0 };
 *     puts(pages_line(stdin, 3, &texts));        // the third line
 *     pages_print("share/SKILL.md");
 *     arena_free(&texts);
 */
#pragma once

#include "base/arena.h"

#include <stdio.h>

/* The line with that number, from 1, without its newline; NULL if there are fewer.  Reads to the end, so
 * that the writer can finish. */
char *pages_line(FILE *f, int number, arena *to);

/* Print a file; exits if it cannot be read. */
void pages_print(const char *path);

/* Print standard input with what could control a terminal, or hide on it, as \xNN.  Tabs and line breaks stay. */
void pages_printable(void);
