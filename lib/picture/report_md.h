/*
 * report_md - Markdown in which names, whatever they hold, are names.
 *
 *     md_text(stdout, "3 of 4 <steps>");         // means nothing but itself
 *     md_name(stdout, "a|b `c`", false);         // as code, without its middle if it is long
 *     md_fold(stdout, "", "", "nsq-kernels run.sqlite");       // <details>, which its tools are the summary of
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* What is not printable becomes \xNN, so that a text stays on its line. */
void md_text(FILE *to, const char *s);
void md_textf(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void md_name(FILE *to, const char *s, bool in_table);

/* A time in milliseconds, to the microsecond, without the unit. */
enum { MD_MS_SIZE = 40 };
const char *md_ms(int64_t ns, char buf[MD_MS_SIZE]);
#define MD_MS(ns) md_ms(ns, (char[MD_MS_SIZE]){ 0 })

/* A command that is folded away; before it the text, which is Markdown.  Each line begins with the indent, that of a
 * list. */
void md_fold(FILE *to, const char *indent, const char *text, const char *command);
