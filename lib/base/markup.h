/*
 * markup - texts inside XML, HTML and Markdown, and templates with marks to fill in.
 *
 *     const char *rest = markup_write_up_to(stdout, "<h1><!-- title --></h1>\n", "<!-- title -->");
 *     markup_text(stdout, "<script>", 8);        // &lt;script&gt;
 *     fputs(rest, stdout);
 *     char *s = markdown_text("<b>[x](www.y)|");  // &lt;b&gt;\[x\](`www.`y)\|
 *     puts(s);
 *     free(s);
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Write n bytes as text that is no markup, whatever they contain.  It may stand between tags or in a quoted attribute.
 * Bytes that are not UTF-8, control characters other than tabs and line breaks, U+FFFE and U+FFFF become U+FFFD. */
void markup_text(FILE *to, const char *s, size_t n);

/* Write a name like markup_text.  Characters that are invisible, or that reorder the text around them, also become
 * U+FFFD, so that words beside the name stay as they are. */
void markup_label(FILE *to, const char *s);

/* Write an element: its opening tag, the text s as markup_text writes it, and its closing tag.  `class` NULL: the tag
 * has no class; s NULL: the element is empty. */
void markup_element(FILE *to, const char *tag, const char *class, const char *s);

/* Write a template up to a mark.  Returns the rest behind the mark.  Without such a mark all is written, and the rest
 * is "". */
const char *markup_write_up_to(FILE *to, const char *template, const char *mark);

/* A copy on one line in which nothing acts as Markdown: no markup, no links, no ends of table cells.  The caller frees
 * it.  Unprintable characters (printable.h) become \xNN.  The beginning of an address is written as code, because some
 * programs make links even of escaped text. */
char *markdown_text(const char *s);

/* The length of the beginning of an address, such as www., at the place `at` of the text s; 0 if there is none. */
size_t markdown_address(const char *s, const char *at);
