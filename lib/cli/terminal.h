/*
 * terminal - how wide the screen is, whether it has colors, and texts and documents that fit it.
 *
 *     fprintf(stderr, terminal_colors(2) ? "\033[2m%zu columns\033[22m\n" : "%zu columns\n", terminal_columns(2));
 *     terminal_item(2, 12, "kernels", "Which kernels take the time?");
 *
 * What is printed is wrapped on a terminal alone; other programs get whole lines.  A terminal gets printable
 * characters, tabs and line breaks, whoever prints: terminal_begin puts a stream before it that makes \xNN of the rest.
 */
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

/* From now on a terminal that is standard output gets only what is printable (printable.h). */
void terminal_begin(void);

/* Standard output without that, for a writer of colors that makes every text printable itself. */
FILE *terminal_itself(void);

/* Columns of $COLUMNS, or of the terminal; 80 if neither says. */
size_t terminal_columns(int fd);

/* Does a terminal show standard output?  Also if it is the pipe of a recipe that writes to one (NSQ_TERMINAL). */
bool terminal_shows(void);

/* Is it a terminal that may be sent colors?  Not with NO_COLOR (no-color.org), or one that calls itself dumb. */
bool terminal_colors(int fd);

/* Columns that a text takes at most on standard output; 0: it is no terminal. */
enum { TERMINAL_READABLE = 120 };
size_t terminal_text(void);

/* Print lines, each with its end, on standard output.  A line that begins with a small letter goes on with the one
 * before it. */
void terminal_say(const char *lines);

/* An item of a list, indented, with its explanation to the right of where names of that many characters end. */
void terminal_item(int indent, int left, const char *name, const char *text);

/* An example: a command to copy, on several lines with backslashes if it is long. */
void terminal_command(const char *command);

/* Print a file; exits if it cannot be read. */
void terminal_page(const char *path);

/* Print standard input with what could control a terminal, or hide on it, as \xNN.  Tabs and line breaks stay.  Notes
 * are wrapped on a terminal as tools wrap theirs. */
void terminal_printable(bool wraps);
