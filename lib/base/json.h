/*
 * json - writes JSON member by member.  It places the commas; matching the brackets is up to the caller.
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
	bool more;              /* does the current object or array have a member already? */
	bool line;              /* should the next member begin a new line? */
	bool no_u;              /* write no \u in texts: control characters of ASCII other than \n, \t and \r, and
				 * invalid UTF-8, become the text \xNN; characters beyond ASCII are copied */
} json_writer;

void json_open(json_writer *j, const char *name, char bracket);
void json_close(json_writer *j, char bracket);

/* Begin a new line for the next member. */
void json_begin_line(json_writer *j);

void json_text(json_writer *j, const char *name, const char *value);
void json_int(json_writer *j, const char *name, int64_t value);
void json_bool(json_writer *j, const char *name, bool value);

/* Begin a member whose value the caller writes to the returned stream. */
FILE *json_value(json_writer *j, const char *name);

/* Write the digits of a number, at least `least` of them, as a part of a value (json_value). */
void json_digits(json_writer *j, uint64_t value, int least);

/* ---- escapes, for code that writes texts of JSON without a json_writer */

enum { JSON_ESCAPE = 16 };      /* room for what json_escape writes */

/* The number of bytes at the start of s that are ASCII and need no escape. */
size_t json_plain_length(const char *s);

/* Write the character at s to `to`, as an escape if it needs one.  json_plain_length(s) must be 0.  *n gets the
 * number of bytes written.  no_u: as in json_writer.  Returns the length of the character at s. */
size_t json_escape(const char *s, bool no_u, char to[JSON_ESCAPE], size_t *n);
