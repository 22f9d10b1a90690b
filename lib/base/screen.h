/*
 * screen - texts in the columns of a terminal: how wide they are, shortened, and wrapped.
 *
 *     char *name = screen_shorten("void at::native::vectorized_elementwise_kernel", 20);
 *     printf("%s %zu\n", name, screen_width(name));      // void at::…wise_kernel 20
 *     screen_wrap(stdout, "a long line of words", (screen_lines){ .width = 80, .indent = 2 });
 *     free(name);
 *
 * Texts are printable (printable.h).  A character of East Asia or an emoji takes two
 * columns, a combining one none, whatever the locale of the program.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

size_t screen_width(const char *s);

/* A copy of at most that width, at least 1, with its middle left out if it is longer, which the caller frees: names
 * often differ at their ends. */
char *screen_shorten(const char *s, size_t width);

typedef struct {
	size_t width;           /* of the screen; 0: the text stays as it is */
	size_t indent;          /* of lines but the first */
	size_t column;          /* where the text begins, on a line that is begun */
	const char *at_break;   /* what ends a line that goes on; NULL: nothing */
} screen_lines;

/* Write words, broken where a line is full.  A number stays with the unit or % behind it.  No line end is written
 * behind the last. */
void screen_wrap(FILE *to, const char *text, screen_lines l);
