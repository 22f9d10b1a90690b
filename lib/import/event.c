#include "import/event.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <string.h>

static const struct { const char *category; enum event_kind kind; } categories[] = {
	{ "cpu_op", EVENT_OPERATOR }, { "Operator", EVENT_OPERATOR },
	{ "kernel", EVENT_KERNEL }, { "Kernel", EVENT_KERNEL }, { "hipKernel", EVENT_KERNEL },
	{ "cuda_runtime", EVENT_RUNTIME }, { "Runtime", EVENT_RUNTIME }, { "hip_runtime", EVENT_RUNTIME },
	{ "xpu_runtime", EVENT_RUNTIME },
	{ "cuda_driver", EVENT_DRIVER }, { "hip_driver", EVENT_DRIVER }, { "xpu_driver", EVENT_DRIVER },
	{ "gpu_memcpy", EVENT_COPY }, { "Memcpy", EVENT_COPY },
	{ "gpu_memset", EVENT_SET }, { "Memset", EVENT_SET },
	{ "user_annotation", EVENT_RANGE },
	{ "python_function", EVENT_STACK },
	{ "ac2g", EVENT_OTHER }, { "async_cpu_to_gpu", EVENT_OTHER }, { "fwdbwd", EVENT_OTHER },
	{ "forward_backward", EVENT_OTHER }, { "gpu_user_annotation", EVENT_OTHER }, { "cuda_sync", EVENT_SYNC },
	{ "overhead", EVENT_OTHER }, { "Trace", EVENT_OTHER }, { "cpu_instant_event", EVENT_OTHER },
};

/* Does a JSON text that equals `text` begin at `at`?  False if `at` is NULL. */
static bool event_equals_text(const char *at, const char *text)
{
	size_t n = strlen(text);

	return at && *at == '"' && strncmp(at + 1, text, n) == 0 && at[1 + n] == '"';
}

static enum event_kind event_kind_of(const scan_value *v)
{
	const char *category = v->field[SCAN_CAT];

	if (event_equals_text(v->field[SCAN_PH], "M"))
		return event_equals_text(v->field[SCAN_NAME], "thread_name") ||
			event_equals_text(v->field[SCAN_NAME], "process_name") ? EVENT_LABEL : EVENT_FOREIGN;
	for (size_t i = 0; category && i < sizeof categories / sizeof *categories; i++)
		if (event_equals_text(category, categories[i].category))
			return event_equals_text(v->field[SCAN_PH], "X") ? categories[i].kind : EVENT_OTHER;
	return EVENT_FOREIGN;
}

bool event_ns(const char *text, int64_t *ns)
{
	static const int64_t most = 4000000000000000000;        /* 126 years, in nanoseconds */
	const char *s = text + (*text == '"'), *from;
	bool minus = *s == '-';
	int64_t value = 0;
	int places = 0;

	from = s += minus;
	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s) && value < most / 1000; s++)
		value = 10 * value + (*s - '0');
	if (value >= most / 1000)
		return false;
	for (s += *s == '.'; isdigit((unsigned char)*s); s++, places += places < 4)
		value = places < 3 ? 10 * value + (*s - '0') : value + (places == 3 && *s >= '5');
	for (; places < 3; places++)
		value *= 10;
	if (*s == 'e' || *s == 'E') {
		double d = round(1e3 * strtod(from, NULL));
		if (!(d < (double)most))
			return false;
		value = (int64_t)d;
	}
	*ns = minus ? -value : value;
	return true;
}

event_head event_read_head(const scan_value *v)
{
	event_head h = { .kind = v->text ? event_kind_of(v) : EVENT_OTHER };
	int64_t length = 0;

	h.timed = h.kind >= EVENT_OTHER && event_equals_text(v->field[SCAN_PH], "X") && v->field[SCAN_TS] &&
		event_ns(v->field[SCAN_TS], &h.start) && h.start >= 0 &&
		(!v->field[SCAN_DUR] || (event_ns(v->field[SCAN_DUR], &length) && length >= 0));
	h.end = h.timed ? h.start + length : 0;
	return h;
}

/* How many bytes the UTF-8 character at s has; 0: there is no UTF-8 character.  n: how many bytes of the text are
 * left. */
static size_t event_character_length(const unsigned char *s, size_t n)
{
	size_t more = *s < 0x80 ? 0 : *s >= 0xc2 && *s < 0xe0 ? 1 : *s >= 0xe0 && *s < 0xf0 ? 2 :
		*s >= 0xf0 && *s < 0xf5 ? 3 : n;
	bool beyond = more < n && ((*s == 0xe0 && s[1] < 0xa0) || (*s == 0xed && s[1] >= 0xa0) ||
		(*s == 0xf0 && s[1] < 0x90) || (*s == 0xf4 && s[1] >= 0x90));

	if (more >= n || beyond)
		return 0;
	for (size_t i = 1; i <= more; i++)
		if (s[i] < 0x80 || s[i] >= 0xc0)
			return 0;
	return more + 1;
}

/* A copy of the text, in which three kinds of mistakes are mended.  Words other than true, false and null, such as nan
 * and -inf, become null; control characters in texts become blanks; bytes that are not UTF-8 become question marks.
 * The caller frees the copy. */
static char *event_repair(const char *text, size_t n, size_t *length)
{
	char *out = mem_new(char, 4 * n + 1), *to = out;
	bool in_text = false;

	for (size_t i = 0, size; i < n; i += size) {
		const unsigned char *s = (const unsigned char *)text + i;
		size = event_character_length(s, n - i);
		if (in_text && *s == '\\' && i + 1 < n && (unsigned char)s[1] >= 0x20 && s[1] < 0x80) {
			size = 2;
		} else if (!size || (in_text && *s < 0x20)) {
			*to++ = size ? ' ' : '?';
			size = 1;
			continue;
		} else if (*s == '"') {
			in_text = !in_text;
		} else if (!in_text && isalpha(*s)) {
			for (size = 1; i + size < n && isalnum(s[size]);)
				size++;
			/* Is this the e of a number such as 1e5? */
			bool number = to > out && (isdigit((unsigned char)to[-1]) || to[-1] == '.');
			if (!number && !((size == 4 && (memcmp(s, "true", 4) == 0 || memcmp(s, "null", 4) == 0)) ||
					 (size == 5 && memcmp(s, "false", 5) == 0))) {
				to -= to > out && to[-1] == '-';
				memcpy(to, "null", 4);
				to += 4;
				continue;
			}
		}
		memcpy(to, s, size);
		to += size;
	}
	*length = (size_t)(to - out);
	return out;
}

json_t *event_parse_json(const char *text, size_t n)
{
	enum { FLAGS = JSON_ALLOW_NUL };
	json_error_t why;
	json_t *all = json_loadb(text, n, FLAGS, &why);
	char *repaired;

	if (all)
		return all;
	repaired = event_repair(text, n, &n);
	all = json_loadb(repaired, n, FLAGS, &why);
	free(repaired);
	return all;
}

/* The length of the value at s if it is a text, a number, or an array of numbers; 0: it is an array that holds a text.
 * end: the end of the event.  The caller knows that the value ends before it. */
static size_t event_value_length(const char *s, const char *end)
{
	const char *p = s;
	int depth = 0;

	if (*s == '"') {
		for (p++; p < end && *p != '"'; p++)
			p += *p == '\\';
		return (size_t)(p - s) + 1;
	}
	for (; p < end && (depth || !strchr(",}] \t\r\n", *p)); p++) {
		depth += (*p == '[') - (*p == ']');
		if (*p == '"')
			return 0;
	}
	return (size_t)(p - s);
}

json_t *event_read_part(const scan_value *v, const event_head *h)
{
	enum { LONGEST = 4096 };
	static const struct { enum scan_field field; const char *before; } parts[] = { { SCAN_NAME, "{\"name\":" },
		{ SCAN_CORRELATION, ",\"args\":{\"correlation\":" }, { SCAN_DIMS, ",\"args\":{\"Input Dims\":" } };
	char text[LONGEST + 100], *to = text;
	json_t *all = NULL;

	for (int i = 0; h->kind >= EVENT_RUNTIME && h->kind < EVENT_LABEL && !v->field[SCAN_COLLECTIVE] && i < 3; i++) {
		const char *from = v->field[parts[i].field];
		size_t n = from ? event_value_length(from, v->text + v->n) : 0;
		if ((!from && i == 0) || n + (size_t)(to - text) > LONGEST)
			return event_parse_json(v->text, v->n);
		if (!from || (i == 2 && v->field[SCAN_CORRELATION]))
			continue;
		to = stpcpy(to, parts[i].before);
		to = mempcpy(to, from, n);
	}
	if (to > text) {
		to = stpcpy(to, v->field[SCAN_CORRELATION] || v->field[SCAN_DIMS] ? "}}" : "}");
		all = json_loadb(text, (size_t)(to - text), JSON_ALLOW_NUL, NULL);
	}
	return all ? all : event_parse_json(v->text, v->n);
}

int64_t event_int(const json_t *object, const char *key, int64_t otherwise)
{
	const json_t *v = json_object_get(object, key);
	char *end;
	long long n;

	if (json_is_integer(v))
		return json_integer_value(v);
	if (json_is_real(v) && fabs(json_real_value(v)) < 9e18)
		return (int64_t)json_real_value(v);
	if (!json_is_string(v) || !*json_string_value(v))
		return otherwise;
	errno = 0;
	n = strtoll(json_string_value(v), &end, 10);
	return *end || errno ? otherwise : n;
}

const char *event_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}
