/*
 * emit - writes cells to standard output in each format's own quoting, and to a terminal nothing
 * that could drive it.
 */
#ifndef EMIT_H
#define EMIT_H

#include "table/table.h"

/* Once, before anything is written. */
void emit_begin(void);

/* One cell of a TABLE_TSV, TABLE_CSV or TABLE_JSONL row; value NULL is missing. */
void emit_cell(enum table_format f, const char *name, const char *value, bool number, bool first, bool last);

/* A text made safe to look at (visible.h): other bytes as \xNN, and for Markdown the bar escaped.
 * The caller frees it. */
char *emit_visible(const char *s, bool markdown);

/* All cells of an aligned or Markdown table, header first. */
void emit_aligned(char **cells, size_t n, const char *types, size_t cols, bool markdown);

/* Flush; complain if anything was lost.  (A closed pipe ends the program before, by its signal.) */
void emit_end(void);

#endif
