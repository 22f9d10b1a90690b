/*
 * markdown - texts that mean nothing in Markdown but themselves.
 *
 *     char *s = markdown_text("<b>[x](www.y)|");  // &lt;b&gt;\[x\](`www.`y)\|
 *     puts(s);
 *     free(s);
 */
#pragma once

#include <stddef.h>

/* A copy that holds no markup, no link and no end of a table's cell, on one line; the caller frees it.  What is not
 * printable (printable.h) becomes \xNN.  What begins an address stands as code, since some programs make links of text
 * that was escaped. */
char *markdown_text(const char *s);

/* How long what begins an address is, if it does at this place of the text. */
size_t markdown_address(const char *s, const char *at);
