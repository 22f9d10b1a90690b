/*
 * json_rows - reads lines of flat JSON objects, with SQLite, as rows of fields.  The first row holds the keys.
 *
 *     text_rows r = { 0 };
 *     char *text = text_rows_load(stdin, "standard input", &r, say);
 *     if (text && json_rows_split(text, "standard input", &r, say))
 *         puts(text_rows_field(&r, 0, 0));       // the first key
 *     text_rows_free(&r);
 *
 * Every line must have the keys of the first line, in any order.  A null is a NULL field; true and false are 1 and 0.
 */
#pragma once

#include "table/text_rows.h"

#include <sqlite3.h>

/* Split a text into rows.  `name` is the file's name in messages.  False after a problem. */
bool json_rows_split(const char *text, const char *name, text_rows *r, notes *say);

/* Does the JSON contain the escape \u0000?  Our texts end at a NUL, so they cannot hold one, and SQLite ends a text
 * there without an error. */
bool json_rows_has_nul(const char *json, size_t n);

/* ---- other queries on JSON.  Running out of memory ends the program. */

/* Prepare a query in a database of its own.  `json` and `second`, unless NULL, become its parameters 1 and 2, and must
 * live as long as the query; the caller binds the others.  json_rows_end frees both the query and the database. */
sqlite3_stmt *json_rows_query(const char *query, const char *json, const char *second);
void json_rows_end(sqlite3_stmt *s);

/* Step the query.  Returns SQLITE_ROW, SQLITE_DONE, or the error that the JSON caused. */
int json_rows_step(sqlite3_stmt *s);

/* A copy of the text in a column; NULL for null.  If the JSON escapes half of a surrogate pair, SQLite makes three
 * bytes of it that are not UTF-8; they become U+FFFD. */
const char *json_rows_text(arena *to, sqlite3_stmt *s, int col);
