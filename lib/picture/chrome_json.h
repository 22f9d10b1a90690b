/*
 * chrome_json - events of the Chrome trace format, which Perfetto reads, written one by one.
 *
 *     chrome_json j = chrome_begin(stdout);
 *     chrome_name(&j, "process_name", 516, 516, "python");
 *     chrome_event(&j, 'X', 516, 516, 1234567);  // ts 1234.567: microseconds, exact to the nanosecond
 *     chrome_time(&j, "dur", 1500);
 *     chrome_text(&j, "name", "decode step");
 *     chrome_args(&j);
 *     chrome_int(&j, "stream", 7);
 *     chrome_close(&j);                          // the event
 *     chrome_end(&j, NULL);                      // the file
 *
 * Perfetto takes times as text, so that they are exact.  It looks for ts and dur by reading the members of an event in
 * order, and gives up at a \u escape: times come first, and texts have no such escapes; what is not printable (control
 * characters, invalid UTF-8) is written as the text \xNN, as in messages.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
	FILE *to;
	size_t events;
	int64_t ahead;          /* what is added to each ts; set by the caller */
	bool args;              /* inside args: close with another brace */
	bool comma;             /* a member stands before the next one */
} chrome_json;

chrome_json chrome_begin(FILE *to);
void chrome_end(chrome_json *j, const char *clock);     /* what is said of the clock; or NULL */

/* Begin an event of a phase: its pid, tid and ts.  ts negative: it has none. */
void chrome_event(chrome_json *j, char phase, int64_t pid, int64_t tid, int64_t ts);
void chrome_close(chrome_json *j);

/* Members of an event; after chrome_args, of its args. */
void chrome_args(chrome_json *j);
void chrome_time(chrome_json *j, const char *member, int64_t ns);
void chrome_int(chrome_json *j, const char *member, int64_t value);
void chrome_micro(chrome_json *j, const char *member, int64_t millionths);   /* a decimal number */
void chrome_text(chrome_json *j, const char *member, const char *text);      /* NULL: no such member */

/* A whole event that names a process or thread, and one that says where it stands among others. */
void chrome_name(chrome_json *j, const char *what, int64_t pid, int64_t tid, const char *name);
void chrome_sort(chrome_json *j, const char *what, int64_t pid, int64_t tid, int64_t index);
