/*
 * event - one event of a trace of torch.profiler: its kind and times, and what else it says.
 *
 *     int64_t ns;
 *     if (event_ns("4127342148988.525, ", &ns))
 *         printf("%lld\n", (long long)ns);       // 4127342148988525
 *     json_t *all = event_read("{\"args\": {\"stream\": 7}}", 23);        // NULL: it is no JSON
 *     printf("%lld\n", (long long)event_int(json_object_get(all, "args"), "stream", -1));
 *     json_decref(all);
 */
#pragma once

#include "import/scan.h"

#include <jansson.h>

/* The kind of an event, by its category.  PyTorch 1.8 and 1.9 and AMD's profiler name some categories differently. */
enum event_kind {
	EVENT_FOREIGN,          /* a category that torch.profiler does not have, or metadata other than EVENT_LABEL */
	EVENT_OTHER,            /* not imported: a category such as the arrows from calls to kernels, an event that is a
				 * moment (ph is not X), or one that is too long to be read */
	EVENT_KERNEL,
	EVENT_COPY,
	EVENT_SET,
	EVENT_SYNC,             /* the time for which a synchronizing call waits */
	EVENT_RUNTIME,          /* a call of the runtime API */
	EVENT_DRIVER,           /* a call of the driver API */
	EVENT_OPERATOR,
	EVENT_RANGE,            /* a range of record_function, such as ProfilerStep#4 */
	EVENT_STACK,            /* a Python function */
	EVENT_LABEL,            /* the name of a thread or process */
	EVENT_KINDS
};

typedef struct {
	enum event_kind kind;
	bool timed;             /* start and end are known */
	int64_t start, end;     /* nanoseconds from the file's own origin */
} event_head;

/* Find the kind and times without parsing the event. */
event_head event_look(const scan_value *v);

/* Convert written microseconds to nanoseconds, and round them.  Only a number with an exponent may lose more.  False:
 * the text is no number, or the number is larger than any time. */
bool event_ns(const char *text, int64_t *ns);

/* Parse a text of JSON.  If it is invalid, it is repaired first: words such as inf become null, control characters in
 * texts become blanks, and bytes that are not UTF-8 become question marks.  NULL: it is no JSON even then. */
json_t *event_read(const char *text, size_t n);

/* Parse an event.  For a call, operator, range or Python function, only what is imported is parsed: the name, and the
 * correlation or, if there is none, the sizes of the arguments.  This is a third of the text; parsing all of it would
 * take half of the time of an import.  An event that describes a collective is parsed completely.  NULL: it is no
 * JSON. */
json_t *event_read_part(const scan_value *v, const event_head *h);

/* A number in an object: a whole number, also in quotes, or a number with decimals, which are cut off; `otherwise` if
 * there is none. */
int64_t event_int(const json_t *of, const char *key, int64_t otherwise);

/* A text in an object; NULL: there is none. */
const char *event_text(const json_t *of, const char *key);
