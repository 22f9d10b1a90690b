/*
 * scan - the members of a JSON object in a file, plain or compressed with gzip, without holding the file in memory.
 *
 *     scan *s = scan_open("run.pt.trace.json.gz");       // NULL: errno says why
 *     scan_value v;
 *     while (scan_next(s, &v))
 *         if (v.event)                           // an item of the array traceEvents
 *             printf("%zu bytes at %lld\n", v.n, (long long)v.at);
 *     if (scan_end(s) != SCAN_WHOLE)
 *         printf("readable up to byte %lld\n", (long long)scan_at(s));
 *     scan_close(s);
 *
 * A scan only finds where values begin and end; that a value is invalid shows when it is parsed.  Commas may be
 * missing, as in files that were edited by hand.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scan scan;

enum scan_end {
	SCAN_WHOLE,             /* the object has its closing bracket */
	SCAN_CUT,               /* the file ends before the closing bracket */
	SCAN_DAMAGED,           /* the rest is no JSON, or cannot be uncompressed */
	SCAN_FOREIGN            /* the file does not begin with { */
};

/* Members of an event that are found without parsing it.  SCAN_CORRELATION and the two after it are members of its
 * args. */
enum scan_field { SCAN_PH, SCAN_CAT, SCAN_NAME, SCAN_PID, SCAN_TID, SCAN_TS, SCAN_DUR, SCAN_CORRELATION, SCAN_DIMS,
	SCAN_COLLECTIVE, SCAN_FIELDS };

enum { SCAN_LONGEST = 4 << 20 };        /* bytes of a value; a longer one is skipped */

typedef struct {
	bool event;             /* is the value an item of traceEvents? */
	char key[64];           /* otherwise the name of the member, cut to this length */
	const char *text;       /* the value, valid until the next call; NULL: it is longer than SCAN_LONGEST */
	size_t n;
	int64_t at;             /* the offset of the value in the uncompressed text */
	const char *field[SCAN_FIELDS]; /* by enum scan_field, for an event: where the field's value begins, or NULL */
} scan_value;

/* Open a file that the user names (base/folders.h). */
scan *scan_open(const char *path);
void scan_close(scan *s);

/* The next value; false at the end. */
bool scan_next(scan *s, scan_value *v);

enum scan_end scan_end(const scan *s);

/* Unless the file is whole: the offset of the value that is cut off or damaged. */
int64_t scan_at(const scan *s);

/* Does the file hold an object with a list traceEvents?  Nothing behind the name of the list is read. */
bool scan_is_trace(const char *path);
