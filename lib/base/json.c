#include "base/json.h"
#include "base/printable.h"

#include <string.h>

/* Write bytes without locking the file each time, because no other thread writes to it. */
static inline void json_put_bytes(json_writer *j, const char *s, size_t n)
{
	fwrite_unlocked(s, 1, n, j->to);
}

size_t json_plain_length(const char *s)
{
	size_t n = 0;

	while (s[n] >= ' ' && s[n] < 127 && s[n] != '"' && s[n] != '\\')
		n++;
	return n;
}

/* Write \u and the digits of a character.  A character beyond 16 bits becomes a pair of surrogates. */
static size_t json_escape_code(uint32_t code, char to[JSON_ESCAPE])
{
	return (size_t)(code <= 0xffff ? sprintf(to, "\\u%04x", (unsigned)code) :
			sprintf(to, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)) & 0xffff,
				(unsigned)(0xdc00 + (code & 0x3ff))));
}

size_t json_escape(const char *s, bool no_u, char to[JSON_ESCAPE], size_t *n)
{
	size_t length = printable_utf8(s);

	*n = 2;
	*to = '\\';
	if (*s == '"' || *s == '\\') {
		to[1] = *s;
	} else if (no_u ? length > 1 : printable_length(s)) {
		memcpy(to, s, *n = length);
	} else if (!no_u) {             /* invalid UTF-8, which JSON does not allow, becomes U+FFFD */
		*n = json_escape_code(length ? printable_code(s, length) : 0xfffd, to);
	} else if (*s == '\n' || *s == '\t' || *s == '\r') {
		to[1] = *s == '\n' ? 'n' : *s == '\t' ? 't' : 'r';
	} else {
		printable_write_byte(to + 1, *s);
		*n = 1 + PRINTABLE_BYTE;
	}
	return length ? length : 1;
}

static void json_put_quoted(json_writer *j, const char *s)
{
	char escape[JSON_ESCAPE];

	json_put_bytes(j, "\"", 1);
	while (*s) {
		size_t n = json_plain_length(s);
		json_put_bytes(j, s, n);
		s += n;
		if (*s) {
			s += json_escape(s, j->no_u, escape, &n);
			json_put_bytes(j, escape, n);
		}
	}
	json_put_bytes(j, "\"", 1);
}

FILE *json_value(json_writer *j, const char *name)
{
	if (j->more)
		json_put_bytes(j, ",", 1);
	if (j->line)
		json_put_bytes(j, "\n", 1);
	j->line = false;
	if (name) {
		json_put_quoted(j, name);
		json_put_bytes(j, ":", 1);
	}
	j->more = true;
	return j->to;
}

void json_open(json_writer *j, const char *name, char bracket)
{
	json_value(j, name);
	json_put_bytes(j, &bracket, 1);
	j->more = false;
}

void json_close(json_writer *j, char bracket)
{
	json_put_bytes(j, &bracket, 1);
	j->more = true;
}

void json_begin_line(json_writer *j)
{
	j->line = true;
}

void json_text(json_writer *j, const char *name, const char *value)
{
	json_value(j, name);
	if (value)
		json_put_quoted(j, value);
	else
		json_put_bytes(j, "null", 4);
}

void json_digits(json_writer *j, uint64_t value, int least)
{
	enum { DIGITS = 32 };
	char buf[DIGITS], *p = buf + DIGITS;

	for (; value || least > 0; least--, value /= 10)
		*--p = (char)('0' + value % 10);
	json_put_bytes(j, p, (size_t)(buf + DIGITS - p));
}

void json_int(json_writer *j, const char *name, int64_t value)
{
	json_value(j, name);
	if (value < 0)
		json_put_bytes(j, "-", 1);
	json_digits(j, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 1);
}

void json_bool(json_writer *j, const char *name, bool value)
{
	json_value(j, name);
	json_put_bytes(j, value ? "true" : "false", value ? 4 : 5);
}
