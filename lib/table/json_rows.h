/*
 * json_rows - lines of flat JSON objects, which SQLite reads, as rows of fields, the first of which holds the keys.
 *
 *     text_rows r = { 0 };
 *     char *text = text_rows_load(stdin, "standard input", &r, say);
 *     if (text && json_rows_split(text, "standard input", &r, say))
 *         puts(text_rows_field(&r, 0, 0));       // the first key
 *     text_rows_free(&r);
 *
 * Every line must have the keys of the first, in any order.  A null is a NULL field; true and false are 1 and 0.
 */
#pragma once

#include "table/text_rows.h"

#include <sqlite3.h>

/* False after a problem. */
bool json_rows_split(const char *text, const char *name, text_rows *r, notes *say);

/* Does JSON have the escape of a NUL?  A text of ours ends at one, so it cannot hold it; and SQLite ends one there
 * without a word. */
bool json_rows_has_nul(const char *json, size_t n);

/* ---- what else is asked of JSON.  Running out of memory ends the program. */

/* A query in a database of its own, whose parameters are these texts, or bound later where json is NULL; and the end of
 * both. */
sqlite3_stmt *json_rows_query(const char *query, const char *json, const char *second);
void json_rows_end(sqlite3_stmt *s);

/* SQLITE_ROW, SQLITE_DONE, or what is wrong with the JSON. */
int json_rows_step(sqlite3_stmt *s);

/* The text in a column; NULL for null.  SQLite makes of half a pair of surrogates three bytes that are no UTF-8, which
 * become U+FFFD. */
const char *json_rows_text(arena *to, sqlite3_stmt *s, int col);
