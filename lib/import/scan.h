/*
 * scan - reads the JSON object in a file value by value: its members, and each item of its member traceEvents.
 * The file may be compressed with gzip, and is never in memory as a whole.
 *
 *     scan *s = scan_open("run.pt.trace.json.gz");       // NULL: errno says why
 *     scan_value v;
 *     while (scan_next(s, &v))
 *         if (v.event)                           // an item of the array traceEvents
 *             printf("%zu bytes at %lld\n", v.n, (long long)v.at);
 *     if (scan_result(s) != SCAN_WHOLE)
 *         printf("readable up to byte %lld\n", (long long)scan_at(s));
 *     scan_close(s);
 *
 * A scan only finds where values begin and end.  An invalid value is noticed only by the caller that parses it.  Commas
 * may be missing, as in files that were edited by hand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scan scan;

enum scan_result {
	SCAN_WHOLE,             /* the object has its closing bracket */
	SCAN_CUT,               /* the file ends before that bracket */
	SCAN_DAMAGED,           /* from some value on, the file is no JSON or cannot be uncompressed */
	SCAN_FOREIGN            /* the first character of the file, apart from blanks and a byte order mark, is not { */
};

/* The members of an event whose values a scan finds, so that the caller need not parse the event.  SCAN_CORRELATION,
 * SCAN_DIMS and SCAN_COLLECTIVE are members of the object `args` in the event, but are taken from any object in it. */
enum scan_field { SCAN_PH, SCAN_CAT, SCAN_NAME, SCAN_PID, SCAN_TID, SCAN_TS, SCAN_DUR, SCAN_CORRELATION, SCAN_DIMS,
	SCAN_COLLECTIVE, SCAN_FIELDS };

enum { SCAN_LONGEST = 4 << 20 };        /* bytes; a longer value may be passed over, and then gets no text */

typedef struct {
	bool event;             /* is the value an item of traceEvents? */
	char key[64];           /* if `event` is false: the name of the member, cut to 63 bytes */
	const char *text;       /* the value, valid until the next scan_next or scan_close; NULL: it was passed
				 * over, because it is longer than SCAN_LONGEST */
	size_t n;               /* the length of `text`; 0 if that is NULL */
	int64_t at;             /* the offset in the uncompressed file at which the value begins */
	const char *field[SCAN_FIELDS]; /* if `event` is true, for each enum scan_field: where in `text` the value of
					 * that member begins; NULL: the event has no such member */
} scan_value;

/* Open a file.  NULL: it cannot be opened, and errno says why. */
scan *scan_open(const char *path);
void scan_close(scan *s);

/* Read the next value.  False: there is none, and scan_result says why. */
bool scan_next(scan *s, scan_value *v);

enum scan_result scan_result(const scan *s);

/* If the file is cut or damaged: the offset in the uncompressed file of the first value, or name of a member, that
 * cannot be read. */
int64_t scan_at(const scan *s);

/* Does the file hold an object with an array traceEvents?  The scan stops after the first item of that array. */
bool scan_is_trace(const char *path);
