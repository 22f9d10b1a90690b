#include "import/scan.h"
#include "base/folders.h"
#include "base/memory.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 20 };       /* the most bytes that are read from the file at a time */

struct scan {
	gzFile file;
	char *buf;
	size_t room;            /* the size of buf */
	size_t fill;            /* how many bytes are in buf */
	size_t at;              /* the index in buf of the next byte to look at */
	size_t keep;            /* the index in buf at which a value begins that must stay in buf; SIZE_MAX: there is
				 * none */
	int64_t passed;         /* how many bytes of the uncompressed file came before buf */
	int64_t last_start;     /* the offset in the uncompressed file of the value, or name of a member, that was
				 * looked at last */
	bool begun;             /* has the { of the object been read? */
	bool in_events;         /* are the next values items of traceEvents? */
	bool has_events;        /* has the array traceEvents begun? */
	bool too_long;          /* the value or name that began at `keep` is longer than SCAN_LONGEST, so buf no
				 * longer holds its beginning */
	bool damaged;           /* the file cannot be uncompressed */
	bool done;
	enum scan_result end;   /* valid if `done` is true */
};

scan *scan_open(const char *path)
{
	int fd = folders_open(path);
	gzFile file = fd < 0 ? NULL : gzdopen(fd, "rb");
	scan *s;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	gzbuffer(file, CHUNK / 4);
	s = mem_new(scan, 1);
	s->file = file;
	s->keep = SIZE_MAX;
	return s;
}

void scan_close(scan *s)
{
	gzclose(s->file);
	mem_free(s->buf, s);
}

/* Read more of the file into buf, and drop the bytes before `keep` or, if that is SIZE_MAX, before `at`.  False: the
 * file ends here, or cannot be uncompressed further. */
static bool scan_read_more(scan *s)
{
	size_t from = s->keep == SIZE_MAX ? s->at : s->keep;
	int n;

	if (s->keep != SIZE_MAX && s->at - s->keep > SCAN_LONGEST) {
		s->too_long = true;
		s->keep = SIZE_MAX;
		from = s->at;
	}
	if (from)
		memmove(s->buf, s->buf + from, s->fill - from);
	s->passed += (int64_t)from;
	s->at -= from;
	s->fill -= from;
	s->keep = s->keep == SIZE_MAX ? SIZE_MAX : 0;
	if (s->room - s->fill < CHUNK) {
		s->room = s->fill + 2 * CHUNK;
		s->buf = mem_grow(s->buf, s->room, 1);
	}
	n = gzread(s->file, s->buf + s->fill, CHUNK);
	if (n < 0) {
		int reason;
		gzerror(s->file, &reason);
		s->damaged = reason != Z_BUF_ERROR;     /* Z_BUF_ERROR: the file ends too early */
	}
	s->fill += n > 0 ? (size_t)n : 0;
	return n > 0;
}

/* The next byte, which is not passed; 0: the file ends here. */
static inline char scan_peek(scan *s)
{
	return s->at < s->fill || scan_read_more(s) ? s->buf[s->at] : 0;
}

/* Pass blanks and commas.  Returns the byte after them, which is not passed; 0: the file ends here. */
static char scan_skip_blanks_and_commas(scan *s)
{
	char c;

	while ((c = scan_peek(s)) && strchr(" \t\r\n,", c))
		s->at++;
	return c;
}

/* Pass the rest of a quoted text, whose first quote is already passed.  False: the file ends in it. */
static bool scan_pass_text(scan *s)
{
	for (;;) {
		const char *p = s->buf + s->at, *end = s->buf + s->fill;
		while (p < end && *p != '"' && *p != '\\')
			p++;
		s->at = (size_t)(p - s->buf);
		if (p == end) {
			if (!scan_read_more(s))
				return false;
			continue;
		}
		s->at++;
		if (*p == '"')
			return true;
		if (!scan_peek(s))
			return false;
		s->at++;
	}
}

/* The field whose name is this text of n bytes; SCAN_FIELDS: there is none. in_args: look among the members of args,
 * otherwise among those of the event itself. */
static enum scan_field scan_find_field(const char *text, size_t n, bool in_args)
{
	static const struct { const char *name; size_t n; } fields[SCAN_FIELDS] = { { "ph", 2 }, { "cat", 3 },
		{ "name", 4 }, { "pid", 3 }, { "tid", 3 }, { "ts", 2 }, { "dur", 3 }, { "correlation", 11 },
		{ "Input Dims", 10 }, { "Collective name", 15 } };
	int f = in_args ? SCAN_CORRELATION : 0, end = in_args ? SCAN_FIELDS : SCAN_CORRELATION;

	while (f < end && (fields[f].n != n || memcmp(fields[f].name, text, n) != 0))
		f++;
	return f < end ? (enum scan_field)f : SCAN_FIELDS;
}

/* Pass an object or array. field: set to where the value of each field begins, counted from the start of the object; 0
 * stays if the object lacks the field.  False: the file ends in the object or array. */
static bool scan_pass_group(scan *s, size_t field[SCAN_FIELDS])
{
	size_t text = 0, length = 0;    /* where the last quoted text begins, counted from the start of the object, and
					 * its length, without quotes */
	int64_t depth = 0;

	do {
		char c = scan_peek(s);
		if (!c)
			return false;
		s->at++;
		if (c == '{' || c == '[') {
			depth++;
		} else if (c == '}' || c == ']') {
			depth--;
		} else if (c == '"') {
			size_t from = s->keep == SIZE_MAX ? 0 : s->at - s->keep;
			if (!scan_pass_text(s))
				return false;
			text = from;
			length = s->keep == SIZE_MAX ? 0 : s->at - s->keep - 1 - from;
		} else if (c == ':' && depth <= 2 && s->keep != SIZE_MAX) {
			enum scan_field f = scan_find_field(s->buf + s->keep + text, length, depth == 2);
			if (f != SCAN_FIELDS)
				field[f] = s->at - s->keep;
		}
	} while (depth > 0);
	return true;
}

/* Pass a value; field: see scan_pass_group.  False: the file ends in the value. */
static bool scan_pass_value(scan *s, size_t field[SCAN_FIELDS])
{
	char c = scan_peek(s);

	if (c == '{' || c == '[')
		return scan_pass_group(s, field);
	if (c == '"') {
		s->at++;
		return scan_pass_text(s);
	}
	while ((c = scan_peek(s)) && !strchr(" \t\r\n,]}", c))
		s->at++;
	return c;
}

/* End the scan.  Returns false. */
static bool scan_finish(scan *s, enum scan_result end)
{
	s->done = true;
	s->end = end == SCAN_CUT && s->damaged ? SCAN_DAMAGED : end;
	return false;
}

/* Read the value that begins at s->at.  False: the scan has ended in it. */
static bool scan_read_value(scan *s, scan_value *v)
{
	size_t field[SCAN_FIELDS] = { 0 };

	v->at = s->last_start = s->passed + (int64_t)s->at;
	s->keep = s->at;
	s->too_long = false;
	if (!scan_pass_value(s, field)) {
		s->keep = SIZE_MAX;
		return scan_finish(s, SCAN_CUT);
	}
	v->text = s->too_long ? NULL : s->buf + s->keep;
	v->n = s->too_long ? 0 : s->at - s->keep;
	for (int f = 0; f < SCAN_FIELDS; f++) {
		v->field[f] = s->too_long || !field[f] ? NULL : v->text + field[f];
		while (v->field[f] && isspace((unsigned char)*v->field[f]))
			v->field[f]++;
	}
	s->keep = SIZE_MAX;
	if (!v->n && !s->too_long)      /* a bracket or a colon stands where a value should be */
		return scan_finish(s, SCAN_DAMAGED);
	return true;
}

/* Read the name of a member, and pass the colon after it.  False: the scan has ended. */
static bool scan_read_key(scan *s, scan_value *v)
{
	size_t n;

	s->last_start = s->passed + (int64_t)s->at;
	s->keep = s->at;
	s->too_long = false;
	s->at++;
	if (!scan_pass_text(s) || s->too_long) {
		s->keep = SIZE_MAX;
		return scan_finish(s, SCAN_CUT);
	}
	n = s->at - s->keep - 2;
	n = n < sizeof v->key - 1 ? n : sizeof v->key - 1;
	memcpy(v->key, s->buf + s->keep + 1, n);
	v->key[n] = 0;
	s->keep = SIZE_MAX;
	if (scan_skip_blanks_and_commas(s) != ':')
		return scan_finish(s, scan_peek(s) ? SCAN_DAMAGED : SCAN_CUT);
	s->at++;
	return scan_skip_blanks_and_commas(s) || scan_finish(s, SCAN_CUT);
}

/* Pass the first { of the file.  False: the file begins with something else. */
static bool scan_pass_beginning(scan *s)
{
	static const char mark[] = "\xef\xbb\xbf";       /* the byte order mark with which files from Windows begin */

	for (int i = 0; i < 3 && scan_peek(s) == mark[i]; i++)
		s->at++;
	if (scan_skip_blanks_and_commas(s) != '{')
		return scan_finish(s, SCAN_FOREIGN);
	s->at++;
	return s->begun = true;
}

bool scan_next(scan *s, scan_value *v)
{
	if (s->done || (!s->begun && !scan_pass_beginning(s)))
		return false;
	for (;;) {
		char c = scan_skip_blanks_and_commas(s);
		s->last_start = s->passed + (int64_t)s->at;
		v->event = s->in_events;
		if (!c)
			return scan_finish(s, SCAN_CUT);
		if (s->in_events && c == ']') {
			s->in_events = false;
			s->at++;
			continue;
		}
		if (s->in_events)
			return scan_read_value(s, v);
		if (c == '}')
			return scan_finish(s, SCAN_WHOLE);
		if (c != '"')
			return scan_finish(s, SCAN_DAMAGED);
		if (!scan_read_key(s, v))
			return false;
		s->in_events = strcmp(v->key, "traceEvents") == 0 && scan_peek(s) == '[';
		if (!s->in_events)
			return scan_read_value(s, v);
		s->has_events = true;
		s->at++;
	}
}

enum scan_result scan_result(const scan *s)
{
	return s->end;
}

int64_t scan_at(const scan *s)
{
	return s->last_start;
}

/* Could the file be JSON or compressed with gzip?  Only its first bytes are read, because every file that is given as a
 * trace is tested here. */
static bool scan_may_be_trace(const char *path)
{
	unsigned char head[16] = "";
	int fd = folders_open(path);
	ssize_t n = fd < 0 ? 0 : read(fd, head, sizeof head - 1);

	if (fd >= 0)
		close(fd);
	return n > 1 && ((head[0] == 0x1f && head[1] == 0x8b) || strchr("{ \t\r\n\xef", head[0]));
}

bool scan_is_trace(const char *path)
{
	scan *s = scan_may_be_trace(path) ? scan_open(path) : NULL;
	scan_value v;
	bool found;

	if (!s)
		return false;
	while (!s->has_events && scan_next(s, &v))
		;
	found = s->has_events;
	scan_close(s);
	return found;
}
