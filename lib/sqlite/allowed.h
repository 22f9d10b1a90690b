/*
 * allowed - what a query from anyone may use: functions, pragmas and table functions that only compute or describe.
 *
 *     if (!allowed_function("fts3_tokenizer"))
 *         puts("it reads and writes addresses of the process");
 *     printf("%c\n", allowed_gives("upper"));   // t: a text
 *
 * What SQLite gains in a later version, or in another build, is refused until it is listed here.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>

bool allowed_function(const char *name);

/* What a function gives: 'n' numbers, 't' texts, '?' either; 0 if it is not allowed. */
char allowed_gives(const char *name);

bool allowed_pragma(const char *name);

/* Leave a connection only the modules of virtual tables that are allowed, turn off what a query or the schema of a file
 * could misuse, and set bounds to what one statement may hold.  Before any table is added. */
void allowed_only(sqlite3 *sql);
