/*
 * screen - texts in the columns of a terminal: their width, shortened texts, and wrapped lines.
 *
 *     char *name = screen_shorten("void at::native::vectorized_elementwise_kernel", 20);
 *     printf("%s %zu\n", name, screen_width(name));      // void at::n…se_kernel 20
 *     screen_wrap(stdout, "a long line of words", (screen_lines){ .width = 80, .indent = 2 });
 *     free(name);
 *
 * Texts must be printable (printable.h).  A character of East Asia or an emoji takes
 * two columns and a combining character none, whatever the program's locale is.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

size_t screen_width(const char *s);

/* A copy of at most this width, which is at least 1; the caller frees it.  A longer text loses its middle, because
 * names often differ at their ends. */
char *screen_shorten(const char *s, size_t width);

typedef struct {
	size_t width;           /* width of the screen in columns; 0: the text is written as it is */
	size_t indent;          /* columns before the text on all lines but the first */
	size_t column;          /* the column at which the text begins on the current line */
	const char *at_break;   /* text at the end of each line that is continued, or NULL */
} screen_lines;

/* Write the words of a text, and begin a new line when one is full.  A number and the unit or % behind it stay on one
 * line.  No line break is written at the end. */
void screen_wrap(FILE *to, const char *text, screen_lines l);
