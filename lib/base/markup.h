/*
 * markup - texts inside XML, HTML and Markdown, and templates with marks to fill in.
 *
 *     const char *rest = markup_up_to(stdout, "<h1><!-- title --></h1>\n", "<!-- title -->");
 *     markup_text(stdout, "<script>", 8);        // &lt;script&gt;
 *     fputs(rest, stdout);
 *     char *s = markdown_text("<b>[x](www.y)|");  // &lt;b&gt;\[x\](`www.`y)\|
 *     puts(s);
 *     free(s);
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Write n bytes as text that holds no markup, whatever they say: between tags, or in an attribute with quotes.  Bytes
 * that are not UTF-8, and characters that XML does not allow, become U+FFFD. */
void markup_text(FILE *to, const char *s, size_t n);

/* The same for a text in which names stand beside other words: what would hide or turn them becomes U+FFFD too. */
void markup_label(FILE *to, const char *s);

/* Such a text between tags.  class NULL: the tag has none; s NULL: nothing is between. */
void markup_element(FILE *to, const char *tag, const char *class, const char *s);

/* Write a template up to a mark, which it has; returns what follows the mark. */
const char *markup_up_to(FILE *to, const char *template, const char *mark);

/* A copy that holds no markup of Markdown, no link and no end of a table's cell, on one line; the caller frees it.
 * What is not printable (printable.h) becomes \xNN.  What begins an address stands as code, since some programs make
 * links of text that was escaped. */
char *markdown_text(const char *s);

/* How long what begins an address is, if it does at this place of the text. */
size_t markdown_address(const char *s, const char *at);
