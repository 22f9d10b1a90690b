/*
 * terminal - the width and colors of the screen, and the printing of texts and documents that fit it.
 *
 *     fprintf(stderr, terminal_colors(2) ? "\033[2m%zu columns\033[22m\n" : "%zu columns\n", terminal_columns(2));
 *     terminal_put_item(2, 12, "kernels", "Which kernels take the time?");
 *
 * Texts are wrapped only on a terminal; other programs get whole lines.  A terminal gets only printable characters,
 * tabs and line breaks.  To that end, terminal_begin puts a stream in front of standard output, which writes everything
 * else as \xNN.
 */
#pragma once

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>

/* From now on standard output sends only printable characters (printable.h) to a terminal. */
void terminal_begin(void);

/* The standard output behind the stream of terminal_begin.  Use it to write colors; the caller then makes all text
 * printable. */
FILE *terminal_behind(void);

/* The width in columns: $COLUMNS, or that of the terminal; 80 if both are unknown; at least 20 and at most 500. */
size_t terminal_columns(int fd);

/* Does a terminal show standard output, directly or through the pipe into which `nsq recipe` sends the output
 * of a recipe (NSQ_TERMINAL is then set)? */
bool terminal_shows(void);

/* Is fd a terminal that may be sent colors?  NO_COLOR (no-color.org) and TERM=dumb say no. */
bool terminal_colors(int fd);

/* The width in columns to which texts on standard output are wrapped, at most TERMINAL_READABLE.  0: they are not
 * wrapped, because standard output is no terminal. */
enum { TERMINAL_READABLE = 120 };
size_t terminal_text_width(void);

/* Print lines, each ended by a line break, on standard output.  On a terminal, a line that begins with a small letter
 * is joined to the line before it. */
void terminal_say(const char *lines);

/* Print an item of a list, indented: a name in a column of `left` characters, and its explanation to the right. */
void terminal_put_item(int indent, int left, const char *name, const char *text);

/* Print a command to copy, on several lines with backslashes if it is long. */
void terminal_put_command(const char *command);

/* Print a file line by line; exits if it cannot be read. */
void terminal_put_page(const char *path);

/* Copy standard input to standard output.  Tabs and line breaks stay; other characters that could control a terminal,
 * and invisible ones, become \xNN.  wraps: on a terminal, also wrap long lines, as tools wrap their notes. */
void terminal_copy_printable(bool wraps);
