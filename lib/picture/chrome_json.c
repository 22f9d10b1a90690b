#include "picture/export_events.h"
#include "base/interval.h"
#include "base/printable.h"

#include <string.h>

enum { DIGITS = 32 };

/* Nobody else writes to the file, so that its lock need not be taken for every few characters. */
static inline void put(chrome_json *j, const char *s, size_t n)
{
	fwrite_unlocked(s, 1, n, j->to);
}

#define LITERAL(j, s) put(j, s, sizeof(s) - 1)

/* The digits of a number, at least `least` of them. */
static void put_digits(chrome_json *j, uint64_t v, int least)
{
	char buf[DIGITS], *p = buf + DIGITS;

	for (; v || least > 0; least--, v /= 10)
		*--p = (char)('0' + v % 10);
	put(j, p, (size_t)(buf + DIGITS - p));
}

static void put_int(chrome_json *j, int64_t v)
{
	if (v < 0)
		LITERAL(j, "-");
	put_digits(j, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 1);
}

static void put_text(chrome_json *j, const char *s)
{
	static const char hex[] = "0123456789abcdef";

	LITERAL(j, "\"");
	while (*s) {
		size_t plain = 0, n;
		while ((unsigned char)s[plain] >= ' ' && (unsigned char)s[plain] < 127 && s[plain] != '"' &&
		    s[plain] != '\\')
			plain++;
		put(j, s, plain);
		s += plain;
		if (!*s)
			break;
		n = printable_utf8(s);
		if (*s == '"' || *s == '\\')
			put(j, (char[]){ '\\', *s }, 2);
		else if (*s == '\n' || *s == '\t' || *s == '\r')
			put(j, (char[]){ '\\', *s == '\n' ? 'n' : *s == '\t' ? 't' : 'r' }, 2);
		else if (n > 1)
			put(j, s, n);
		else
			put(j, (char[]){ '\\', '\\', 'x', hex[(unsigned char)*s >> 4], hex[*s & 15] }, 5);
		s += n ? n : 1;
	}
	LITERAL(j, "\"");
}

static void put_member(chrome_json *j, const char *member)
{
	put(j, j->comma ? ",\"" : "\"", j->comma ? 2 : 1);
	put(j, member, strlen(member));
	LITERAL(j, "\":");
	j->comma = true;
}

chrome_json chrome_begin(FILE *to)
{
	chrome_json j = { .to = to };

	LITERAL(&j, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
	return j;
}

void chrome_end(chrome_json *j, const char *clock)
{
	LITERAL(j, "\n]");
	if (clock) {
		LITERAL(j, ",\"metadata\":{\"clock\":");
		put_text(j, clock);
		LITERAL(j, "}");
	}
	LITERAL(j, "}\n");
}

void chrome_event(chrome_json *j, char phase, int64_t pid, int64_t tid, int64_t ts)
{
	if (j->events++)
		LITERAL(j, ",\n");
	LITERAL(j, "{\"ph\":\"");
	put(j, &phase, 1);
	LITERAL(j, "\"");
	j->comma = true;
	j->args = false;
	chrome_int(j, "pid", pid);
	chrome_int(j, "tid", tid);
	if (ts >= 0)
		chrome_time(j, "ts", ns_add(ts, j->ahead));
}

void chrome_close(chrome_json *j)
{
	put(j, "}}", j->args ? 2 : 1);
}

void chrome_args(chrome_json *j)
{
	put_member(j, "args");
	LITERAL(j, "{");
	j->comma = false;
	j->args = true;
}

static void put_decimal(chrome_json *j, const char *member, int64_t value, int64_t one, int digits)
{
	put_member(j, member);
	put_int(j, value / one);
	LITERAL(j, ".");
	put_digits(j, (uint64_t)(value % one), digits);
}

void chrome_time(chrome_json *j, const char *member, int64_t ns)
{
	put_decimal(j, member, ns, 1000, 3);
}

void chrome_int(chrome_json *j, const char *member, int64_t value)
{
	put_member(j, member);
	put_int(j, value);
}

void chrome_micro(chrome_json *j, const char *member, int64_t millionths)
{
	put_decimal(j, member, millionths, 1000000, 6);
}

void chrome_text(chrome_json *j, const char *member, const char *text)
{
	if (!text)
		return;
	put_member(j, member);
	put_text(j, text);
}

static void begin_naming(chrome_json *j, const char *what, int64_t pid, int64_t tid)
{
	chrome_event(j, 'M', pid, tid, -1);
	chrome_text(j, "name", what);
	chrome_args(j);
}

void chrome_name(chrome_json *j, const char *what, int64_t pid, int64_t tid, const char *name)
{
	begin_naming(j, what, pid, tid);
	chrome_text(j, "name", name);
	chrome_close(j);
}

void chrome_sort(chrome_json *j, const char *what, int64_t pid, int64_t tid, int64_t index)
{
	begin_naming(j, what, pid, tid);
	chrome_int(j, "sort_index", index);
	chrome_close(j);
}
