#include "answer/gate_types.h"
#include "base/number.h"
#include "sqlite/allowed.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What a word is. */
enum kind { WORD, QUOTED, TEXT, NUMBER, BLOB, SIGN };

typedef struct {
	enum kind kind;
	const char *text;       /* without quotes, if it has some */
} word;

typedef struct {
	const read_table *t;
	vec(word) words;
	arena texts;
	notes *say;
} checking;

/* What stands on one side of a comparison. */
typedef struct {
	char type;              /* 'n' number, 't' text, 'b' true or false, '?' unknown */
	bool column;
	const char *shown;
} side;

/* ---- the words of a condition, as SQLite divides it */

static const char *end_of_quoted(const char *s)
{
	char end = *s == '[' ? ']' : *s;

	for (s++; *s; s++)
		if (*s == end && (end == ']' || s[1] != end))
			return s + 1;
		else if (*s == end)
			s++;
	return s;
}

static const char *unquoted(checking *c, const char *s, size_t n)
{
	char *to = arena_text(&c->texts, s + 1, n < 2 ? 0 : n - 2), *p = to;

	for (const char *from = to; *from; from++) {
		*p++ = *from;
		if (*s != '[' && *from == *s && from[1] == *s)
			from++;
	}
	*p = 0;
	return to;
}

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t length_of(const char *s)
{
	static const char *const signs[] = { "->>", "->", "<=", ">=", "<>", "!=", "==", "||", "<<", ">>", NULL };
	size_t n = 0;

	if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
		while (in_name(s[n]) || s[n] == '.' || ((s[n] == '+' || s[n] == '-') && tolower((unsigned char)s[n - 1]) == 'e'))
			n++;
		return n;
	}
	while (in_name(s[n]))
		n++;
	for (int i = 0; !n && signs[i]; i++)
		if (strncmp(s, signs[i], strlen(signs[i])) == 0)
			n = strlen(signs[i]);
	return n ? n : 1;
}

static const char *after_blanks(const char *s)
{
	for (;;) {
		s += strspn(s, " \t\r\n\f");
		if (strncmp(s, "--", 2) == 0)
			s += strcspn(s, "\n");
		else if (strncmp(s, "/*", 2) == 0)
			s = strstr(s + 2, "*/") ? strstr(s + 2, "*/") + 2 : s + strlen(s);
		else
			return s;
	}
}

static void divide(checking *c, const char *s)
{
	while (*(s = after_blanks(s))) {
		bool blob = (*s == 'x' || *s == 'X') && s[1] == '\'';
		size_t n = strchr("'\"`[", *s) ? (size_t)(end_of_quoted(s) - s) : blob ? (size_t)(end_of_quoted(s + 1) - s) : length_of(s);
		enum kind kind = blob ? BLOB : *s == '\'' ? TEXT : strchr("\"`[", *s) ? QUOTED : isdigit((unsigned char)*s) ||
			(*s == '.' && n > 1) ? NUMBER : in_name(*s) ? WORD : SIGN;
		vec_push(&c->words, (word){ kind, kind == TEXT || kind == QUOTED ? unquoted(c, s, n) : arena_text(&c->texts, s, n) });
		s += n;
	}
}

/* ---- what words mean */

/* Is the word at i one of these, separated by blanks?  There is none before the first and after the last. */
static bool is(const checking *c, size_t i, const char *list)
{
	size_t n;

	if (i >= c->words.n || (c->words.v[i].kind != WORD && c->words.v[i].kind != SIGN))
		return false;
	n = strlen(c->words.v[i].text);
	for (const char *p = list; *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");
		if (len == n && strncasecmp(p, c->words.v[i].text, n) == 0)
			return true;
		p += len;
	}
	return false;
}

/* The column that a word names, or -1. */
static int column_at(const checking *c, size_t i)
{
	if (i >= c->words.n || c->words.v[i].kind > QUOTED || is(c, i + 1, "( ."))
		return -1;
	return read_table_column(c->t, c->words.v[i].text);
}

static bool is_text_column(const checking *c, size_t i)
{
	int col = column_at(c, i);

	return col >= 0 && c->t->rows.cols.v[col].type == 't';
}

/* From one parenthesis to the other, in steps of 1 or -1. */
static size_t other_end(const checking *c, size_t i, int step)
{
	int depth = 0;

	for (; i < c->words.n; i += (size_t)step) {
		depth += is(c, i, "(") - is(c, i, ")");
		if (!depth)
			return i;
	}
	return i;
}

/* What a call gives, from the word of its name to the parenthesis that ends it. */
static char call_type(const checking *c, size_t name, size_t end)
{
	char gives = name < c->words.n && c->words.v[name].kind == WORD ? allowed_gives(c->words.v[name].text) : 0;

	if (is(c, name, "cast"))
		return is(c, end - 1, "text") ? 't' : 'n';
	return gives ? gives : '?';
}

/* The side that begins (step 1) or ends (step -1) with the word at i. */
static side side_at(const checking *c, size_t i, int step)
{
	side s = { '?', false, "" };
	int col;

	while (step > 0 && (is(c, i, "+ -") || is(c, i + 1, ".")))
		i += is(c, i, "+ -") ? 1 : 2;
	if (i >= c->words.n)
		return s;
	s.shown = c->words.v[i].text;
	col = column_at(c, i);
	if (c->words.v[i].kind == TEXT)         /* LIKE gives no text, and -> whatever is in the JSON */
		s.type = is(c, i - 1, "like glob escape -> ->>") ? '?' : 't';
	else if (c->words.v[i].kind == NUMBER)
		s.type = 'n';
	else if (col < 0 && is(c, i, "true false"))
		s.type = 'b';
	else if (col >= 0)
		s = (side){ is_text_column(c, i) ? 't' : 'n', true, s.shown };
	else if (step > 0 && is(c, i + 1, "("))
		s.type = call_type(c, i, other_end(c, i + 1, 1));
	else if (step < 0 && is(c, i, ")")) {
		size_t name = other_end(c, i, -1) - 1;
		s.type = call_type(c, name, i);
		s.shown = s.type == '?' ? "(...)" : c->words.v[name].text;
	}
	return s;
}

/* ---- what is wrong */

static bool mixed(const checking *c, side a, const char *sign, side b)
{
	side text = a.type == 't' ? a : b, other = a.type == 't' ? b : a;
	bool order = strpbrk(sign, "<>bB") && strcmp(sign, "<>") != 0;

	if (text.type != 't' || other.type == 't')
		return true;
	/* SQLite takes a literal beside a column of text for a text; and what is not known may be one */
	if ((text.column && !other.column && !order && other.type != 'b') || (other.type == '?' && (text.column || !order)))
		return true;
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: it compares a number with a text, '%s' with '%s', which says nothing "
			     "about either; %s", other.shown, text.shown, other.type == 'b' ? "compare it with 'true' or 'false'" :
			     text.column ? "make the text a number: cast(NAME as real)" :
			     "a number is written without quotes, and so is the name of a column");
}

/* Compare what ends before the word at i with each value of the list that begins after it. */
static bool list_mixed(const checking *c, side left, size_t i)
{
	size_t end = is(c, i + 1, "(") ? other_end(c, i + 1, 1) : i;

	for (size_t k = i + 2; k < end; k++)
		if ((is(c, k - 1, "( ,")) && !mixed(c, left, "=", side_at(c, k, 1)))
			return false;
	return true;
}

static bool comparison(checking *c, size_t i)
{
	side left = side_at(c, is(c, i - 1, "not") ? i - 2 : i - 1, -1);
	const char *sign = c->words.v[i].text;

	if (is(c, i, "in"))
		return list_mixed(c, left, i);
	if (is(c, i, "between")) {
		size_t and = i + 1;
		while (and < c->words.n && !is(c, and, "and"))
			and = is(c, and, "(") ? other_end(c, and, 1) + 1 : and + 1;
		if (and < c->words.n)
			c->words.v[and] = (word){ SIGN, ".." };    /* joins no conditions */
		return mixed(c, left, sign, side_at(c, i + 1, 1)) && mixed(c, left, sign, side_at(c, and + 1, 1));
	}
	while (is(c, i + 1, "not distinct from"))
		i++;
	return mixed(c, left, sign, side_at(c, i + 1, 1));
}

/* Does a text end with the word at i, from a column or a function, that is no part of a larger expression before it? */
static bool text_before(const checking *c, size_t i)
{
	size_t before = is(c, i, ")") ? other_end(c, i, -1) - 2 : is(c, i - 1, ".") ? i - 3 : i - 1;

	return side_at(c, i, -1).type == 't' && i < c->words.n && c->words.v[i].kind != TEXT &&
		(before >= c->words.n || c->words.v[before].kind == WORD || is(c, before, "( ,"));
}

/* Is the text at i compared as one, with another text? */
static bool compared_as_text(const checking *c, size_t i)
{
	size_t at = i - 1;

	if (is(c, i + 1, "+ - * / % || -> ->> & | << >>"))
		return false;
	if (is(c, at, "( ,")) {
		while (at < c->words.n && !is(c, at, "("))
			at--;
		at--;
		if (!is(c, at, "in"))
			return false;
		return text_before(c, is(c, at - 1, "not") ? at - 2 : at - 1);
	}
	at -= is(c, at, "not");
	return is(c, at, "= == <> != is") && text_before(c, at - 1);
}

static bool begins_with_digit(const char *s)
{
	s += strspn(s, " \t\r\n\f");
	s += strspn(s, "+-");
	s += *s == '.';
	return isdigit((unsigned char)*s);
}

static bool wrong_text(checking *c, const char *text)
{
	size_t n = strlen(text);
	const char *number = arena_text(&c->texts, text, n - (n && text[n - 1] == '%'));
	int64_t unit, ns;

	if (number_written(number))
		number = arena_printf(&c->texts, "write %s, without quotes%s", number, text[n - 1] == '%' ? " and %" : "");
	else if (number_time(text, n, 1, &unit, &ns) && unit)
		number = arena_printf(&c->texts, "write %lld, in nanoseconds", (long long)ns);
	else
		number = "write a number without quotes and unit; for a text write NAME = or NAME LIKE before it";
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: '%s' is a text, which says nothing about a number; %s", text, number);
}

static bool literal(checking *c, size_t i)
{
	const char *text = c->words.v[i].text;

	if (c->words.v[i].kind == BLOB)
		return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: %s is a blob, and no column holds one; write a number or "
				     "'a text'", text);
	return !begins_with_digit(text) || is(c, i - 1, "like glob escape -> ->>") || compared_as_text(c, i) || wrong_text(c, text);
}

/* Does the text, or column of text, at i stand where a condition does?  So it does in parentheses that do. */
static bool stands_for_truth(const checking *c, size_t i)
{
	size_t before = is(c, i - 1, ".") ? i - 3 : i - 1, after = i + 1;

	while (is(c, before, "(") && is(c, after, ")")) {
		before--, after++;
		if (before < c->words.n && c->words.v[before].kind == WORD && !is(c, before, "and or not when where"))
			return false;   /* a function */
	}
	return (before >= c->words.n || (is(c, before, "( and or not when where") && !is(c, before - 1, "is"))) &&
		(after >= c->words.n || is(c, after, ") and or then"));
}

static bool truth(const checking *c, size_t i)
{
	const char *text = c->words.v[i].text;

	if (!stands_for_truth(c, i))
		return true;
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: '%s' is a text, which is neither true nor false; compare it, such "
			     "as NAME = 'true'", text);
}

static bool all_right(checking *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < c->words.n; i++)
		ok = (c->words.v[i].kind != TEXT && c->words.v[i].kind != BLOB) || literal(c, i);
	for (size_t i = 0; ok && i < c->words.n; i++)
		ok = !is(c, i, "= == <> != < <= > >= is in between") || comparison(c, i);
	for (size_t i = 0; ok && i < c->words.n; i++)
		ok = (c->words.v[i].kind != TEXT && !is_text_column(c, i)) || truth(c, i);
	return ok;
}

bool gate_types(const read_table *t, const char *condition, notes *say)
{
	checking c = { .t = t, .say = say };
	bool ok;

	divide(&c, condition);
	ok = all_right(&c);
	vec_free(&c.words);
	arena_free(&c.texts);
	return ok;
}
