#include "table/json_rows.h"
#include "base/number.h"

#include <string.h>

typedef struct {
	char *at;
	size_t line;
	const char *name;       /* what messages call the file */
	text_rows *r;
	notes *say;
} reading;

typedef struct {
	char *text, *end;       /* the decoded value, which still lacks its NUL; text NULL: null */
	bool quoted;
} value;

static const char absent[] = "";        /* its address marks a field that the line has not set yet */

static bool wrong(const reading *p, const char *why)
{
	return notes_problem(p->say, EXIT_WRONG, "%s line %zu is not one flat JSON object: %s; pass the output of -f jsonl, or "
			     "a TSV or CSV", p->name, p->line, why);
}

static void skip_blanks(reading *p)
{
	p->at += strspn(p->at, " \t\r");
}

/* Four hexadecimal digits; -1 if they are not. */
static long hex4(const char *s)
{
	long v = 0;

	for (int i = 0; i < 4; i++) {
		/* the bit makes letters small, and digits of some control characters */
		const char *digits = "0123456789abcdef", *d = s[i] >= '0' ? strchr(digits, s[i] | 32) : NULL;
		if (!d)
			return -1;
		v = v * 16 + (d - digits);
	}
	return v;
}

static char *put_utf8(char *to, long c)
{
	if (c < 0x80) {
		*to++ = (char)c;
	} else if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
		*to++ = (char)(0x80 | (c & 0x3f));
	} else if (c < 0x10000) {
		*to++ = (char)(0xe0 | c >> 12);
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	} else {
		*to++ = (char)(0xf0 | c >> 18);
		*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
		*to++ = (char)(0x80 | (c & 0x3f));
	}
	return to;
}

/* \uXXXX, or two of them that make one character; half a pair becomes U+FFFD.  from is behind the u. */
static bool unicode(char **from, char **to)
{
	long c = hex4(*from), low;

	if (c <= 0)             /* a text of ours ends at a NUL, so it cannot hold one */
		return false;
	*from += 4;
	if (c >= 0xd800 && c < 0xdc00 && (*from)[0] == '\\' && (*from)[1] == 'u' && (low = hex4(*from + 2)) >= 0xdc00 && low < 0xe000) {
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
		*from += 6;
	}
	*to = put_utf8(*to, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	return true;
}

/* A string is decoded in place: no escape is shorter than what it stands for. */
static bool read_string(reading *p, value *v)
{
	static const char letters[] = "\"\\/bfnrt", stand_for[] = "\"\\/\b\f\n\r\t";
	char *to = ++p->at;

	*v = (value){ .text = to, .quoted = true };
	while (*p->at != '"') {
		const char *letter;
		if (!*p->at || *p->at == '\n')
			return wrong(p, "a string in it is not closed");
		if (*p->at != '\\') {
			*to++ = *p->at++;
			continue;
		}
		letter = p->at[1] ? strchr(letters, p->at[1]) : NULL;
		if (letter) {
			*to++ = stand_for[letter - letters];
			p->at += 2;
		} else {
			char *from = p->at + 2;
			if (p->at[1] != 'u' || !unicode(&from, &to))
				return wrong(p, "it has an escape that is not JSON's, or \\u0000");
			p->at = from;
		}
	}
	v->end = to;
	p->at++;
	return true;
}

/* null, true, false or a number. */
static bool read_bare(reading *p, value *v)
{
	size_t n = strcspn(p->at, ",}: \t\r\n\"");
	char after = p->at[n];
	bool ok = true;

	*v = (value){ .text = p->at, .end = p->at + n };
	p->at[n] = 0;
	if (strcmp(v->text, "null") == 0)
		v->text = NULL;
	else if (strcmp(v->text, "true") == 0 || strcmp(v->text, "false") == 0) {
		*v->text = *v->text == 't' ? '1' : '0';
		v->end = v->text + 1;
	} else if (*v->text == '{' || *v->text == '[')
		ok = wrong(p, "one of its values is an object or an array");
	else
		ok = number_written(v->text) || wrong(p, n ? "one of its values is not JSON" : "it is cut");
	p->at += n;
	*p->at = after;
	return ok;
}

/* Where a key of the first line stands.  Lines have their keys in the same order, so `expected` is most
 * often right. */
static size_t place_of(const text_rows *r, const char *key, size_t expected)
{
	size_t width = text_rows_width(r, 0);

	if (expected < width && strcmp(r->fields.v[expected], key) == 0)
		return expected;
	for (size_t i = 0; i < width; i++)
		if (strcmp(r->fields.v[i], key) == 0)
			return i;
	return width;
}

/* Store the value of a key in the row that begins at field `row`. */
static bool store(reading *p, size_t row, size_t expected, const char *key, const value *v)
{
	text_rows *r = p->r;
	size_t i = place_of(r, key, expected);

	if (i == text_rows_width(r, 0))
		return notes_problem(p->say, EXIT_WRONG, "%s line %zu has the key '%s', which the first line lacks; every line "
				     "of a table has the same", p->name, p->line, key);
	if (r->fields.v[row + i] != absent)
		return notes_problem(p->say, EXIT_WRONG, "%s line %zu has the key '%s' twice; rename one", p->name, p->line, key);
	r->fields.v[row + i] = v->text;
	r->quoted[i] |= v->quoted;
	return true;
}

/* Read `"key": value` and what follows it, a comma or the closing brace, which is returned; 0 after a problem. */
static char read_member(reading *p, const char **key, value *v)
{
	value k;
	char next;

	skip_blanks(p);
	if (*p->at != '"')
		return (char)wrong(p, *p->at && *p->at != '\n' ? "a key without quotes" : "it is cut");
	if (!read_string(p, &k))
		return 0;
	skip_blanks(p);
	if (*p->at++ != ':')
		return (char)wrong(p, "a key without a value");
	*k.end = 0;
	*key = k.text;
	skip_blanks(p);
	if (*p->at == '"' ? !read_string(p, v) : !read_bare(p, v))
		return 0;
	skip_blanks(p);
	next = *p->at;
	if (next != ',' && next != '}')
		return (char)wrong(p, "it is cut, or lacks a comma");
	p->at++;
	if (v->text)
		*v->end = 0;
	return next;
}

/* Read the object at p->at as a row.  The first one is read twice: for its keys, then for its values. */
static bool read_object(reading *p, bool keys)
{
	text_rows *r = p->r;
	size_t row = r->fields.n, width = keys ? 0 : text_rows_width(r, 0);
	char next = ',';

	for (size_t i = 0; i < width; i++)
		vec_push(&r->fields, absent);
	p->at++;
	for (size_t i = 0; next == ','; i++) {
		const char *key = NULL;
		value v = { 0 };
		next = read_member(p, &key, &v);
		if (!next || (!keys && !store(p, row, i, key, &v)))
			return false;
		if (keys)
			vec_push(&r->fields, arena_copy(&r->texts, key));
	}
	for (size_t i = 0; i < width; i++)
		if (r->fields.v[row + i] == absent)
			return notes_problem(p->say, EXIT_WRONG, "%s line %zu lacks the key '%s' of the first line; every line of a "
					     "table has the same", p->name, p->line, r->fields.v[i]);
	vec_push(&r->ends, r->fields.n);
	vec_push(&r->lines, p->line);
	skip_blanks(p);
	return !*p->at || *p->at++ == '\n' || (p->at--, wrong(p, "something follows it"));
}

/* The keys are read from a copy of the first line, because reading changes the text. */
static bool read_keys(reading *p, char *text)
{
	reading first = *p;
	char *copy = arena_text(&p->r->texts, text, strcspn(text, "\n"));
	bool ok;

	first.at = copy;
	ok = read_object(&first, true);
	p->r->quoted = mem_new(bool, p->r->fields.n + 1);
	return ok;
}

bool json_rows_split(char *text, const char *name, text_rows *r, notes *say)
{
	reading p = { .at = text, .line = 1, .name = name, .r = r, .say = say };
	bool ok = true;

	for (; ok && *p.at; p.line++) {
		skip_blanks(&p);
		if (*p.at == '\n') {
			p.at++;
			continue;
		}
		if (!*p.at)
			break;
		if (*p.at != '{')
			return wrong(&p, "it does not begin with {");
		ok = (r->ends.n || read_keys(&p, p.at)) && read_object(&p, false);
	}
	return ok;
}
