/*
 * event - reads one event of a trace of torch.profiler: its kind, its times and its members.
 *
 *     int64_t ns;
 *     if (event_ns("4127342148988.525, ", &ns))
 *         printf("%lld\n", (long long)ns);       // 4127342148988525
 *     json_t *all = event_parse_json("{\"args\": {\"stream\": 7}}", 23);  // NULL: it is no JSON
 *     printf("%lld\n", (long long)event_int(json_object_get(all, "args"), "stream", -1));
 *     json_decref(all);
 */
#pragma once

#include "import/scan.h"

#include <jansson.h>

/* The kind of an event, by its category.  PyTorch 1.8 and 1.9 and AMD's profiler name some categories differently. */
enum event_kind {
	EVENT_FOREIGN,          /* its category is none of torch.profiler's, or it is metadata other than EVENT_LABEL */
	EVENT_OTHER,            /* not imported, because its category is one such as ac2g (arrows from calls to
				 * kernels), because it has no length (ph is not X), or because it is too long to be
				 * read */
	EVENT_KERNEL,
	EVENT_COPY,
	EVENT_SET,
	EVENT_SYNC,             /* a wait of the CPU or of a stream for GPU work */
	EVENT_RUNTIME,          /* a call of the runtime API */
	EVENT_DRIVER,           /* a call of the driver API */
	EVENT_OPERATOR,
	EVENT_RANGE,            /* a range of record_function, such as ProfilerStep#4 */
	EVENT_STACK,            /* a Python function */
	EVENT_LABEL,            /* metadata: the name of a thread or process */
	EVENT_KINDS
};

typedef struct {
	enum event_kind kind;
	bool timed;             /* are start and end known? */
	int64_t start, end;     /* nanoseconds from the file's own time 0; valid if `timed` is true */
} event_head;

/* Find the kind and the times of an event without parsing it. */
event_head event_read_head(const scan_value *v);

/* Convert a written number of microseconds to nanoseconds, and round it.  This is exact to half a nanosecond, unless
 * the number has an exponent.  False: the text is no number, or the time is longer than 126 years. */
bool event_ns(const char *text, int64_t *ns);

/* Parse a text of JSON.  If it is invalid, it is repaired first: words such as inf become null, control characters in
 * texts become blanks, and bytes that are not UTF-8 become question marks.  NULL: it is no JSON even then. */
json_t *event_parse_json(const char *text, size_t n);

/* Parse an event.  Most of a call, operator, range or Python function is left out, because parsing it would take half
 * of the time of an import.  The result then has only the name and, in args, the correlation or, without one, the sizes
 * of the arguments.  All other events, and those that describe a collective, are parsed completely.  NULL: the event is
 * no JSON. */
json_t *event_read_part(const scan_value *v, const event_head *h);

/* The number with this name in an object.  A whole number may be in quotes; the decimals of other numbers are cut off.
 * Returns `otherwise` if the object has no such number, or is NULL. */
int64_t event_int(const json_t *object, const char *key, int64_t otherwise);

/* The text with this name in an object.  NULL: the object has no such text, or is NULL. */
const char *event_text(const json_t *object, const char *key);
