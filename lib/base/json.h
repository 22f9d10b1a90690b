/*
 * json - JSON, written member by member.  It knows where commas go; that brackets match is the caller's affair.
 *
 *     json_writer j = { .to = stdout };
 *     json_open(&j, NULL, '{');
 *     json_text(&j, "name", "nsq");              // NULL as the text: null
 *     json_open(&j, "sizes", '[');
 *     json_int(&j, NULL, 3);                     // an item of an array has no name
 *     json_close(&j, ']');
 *     fprintf(json_value(&j, "share"), "%.2f", 0.5);
 *     json_close(&j, '}');                       // {"name":"nsq","sizes":[3],"share":0.50}
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	FILE *to;
	bool more;              /* does something stand before, in this object or array? */
	bool line;              /* does the next member begin a line? */
	bool no_u;              /* no \u in texts: control characters and invalid UTF-8 are written as the text \xNN */
} json_writer;

void json_open(json_writer *j, const char *name, char bracket);
void json_close(json_writer *j, char bracket);

/* The next member begins a line of its own. */
void json_line(json_writer *j);

void json_text(json_writer *j, const char *name, const char *value);
void json_int(json_writer *j, const char *name, int64_t value);
void json_bool(json_writer *j, const char *name, bool value);

/* A value that the caller writes. */
FILE *json_value(json_writer *j, const char *name);

/* Digits, at least so many of them, for a number that is written in parts. */
void json_digits(json_writer *j, uint64_t value, int least);

/* ---- a text, for those who write into something else */

enum { JSON_ESCAPE = 16 };

/* How many bytes can stay as they are. */
size_t json_plain(const char *s);

/* What the character there is written as, n bytes of it; returns how many it has. */
size_t json_escape(const char *s, bool no_u, char to[JSON_ESCAPE], size_t *n);
