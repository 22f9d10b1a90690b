#include "answer/gate.h"
#include "base/number.h"
#include "base/text.h"
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
	char type;              /* as type_of says */
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
		while (in_name(s[n]) || s[n] == '.' ||
		       ((s[n] == '+' || s[n] == '-') && tolower((unsigned char)s[n - 1]) == 'e'))
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
		size_t n = strchr("'\"`[", *s) ? (size_t)(end_of_quoted(s) - s) : blob ?
			(size_t)(end_of_quoted(s + 1) - s) : length_of(s);
		enum kind kind = blob ? BLOB : *s == '\'' ? TEXT : strchr("\"`[", *s) ? QUOTED :
			isdigit((unsigned char)*s) ||
			(*s == '.' && n > 1) ? NUMBER : in_name(*s) ? WORD : SIGN;
		vec_push(&c->words, (word){ kind, kind == TEXT || kind == QUOTED ? unquoted(c, s, n) :
			arena_text(&c->texts, s, n) });
		s += n;
	}
}

/* ---- what words mean */

/* Is the word at i one of these, separated by blanks?  There is none before the first and after the last. */
static bool is(const checking *c, size_t i, const char *list)
{
	if (i >= c->words.n || (c->words.v[i].kind != WORD && c->words.v[i].kind != SIGN))
		return false;
	return words_listed(c->words.v[i].text, strlen(c->words.v[i].text), list);
}

/* The column that a word names, or -1. */
static int column_at(const checking *c, size_t i)
{
	if (i >= c->words.n || c->words.v[i].kind > QUOTED || is(c, i + 1, "( ."))
		return -1;
	return table_column(&c->t->rows, c->words.v[i].text);
}

static bool is_text_column(const checking *c, size_t i)
{
	int col = column_at(c, i);

	return col >= 0 && c->t->rows.cols.v[col].type == 't';
}

static bool keyword(const checking *c, size_t i, const char *list)
{
	return is(c, i, list) && column_at(c, i) < 0;
}

/* From one parenthesis to the other, or from CASE to END or back, in steps of 1 or -1. */
static size_t other_end(const checking *c, size_t i, int step)
{
	bool parentheses = is(c, i, "( )");
	int depth = 0;

	for (; i < c->words.n; i += (size_t)step) {
		depth += parentheses ? is(c, i, "(") - is(c, i, ")") : keyword(c, i, "case") - keyword(c, i, "end");
		if (!depth)
			return i;
	}
	return i;
}

/* ---- what expressions give; those from word to word, without the last */

/* The word after the one at i and, if it begins them, after parentheses or CASE ... END. */
static size_t after(const checking *c, size_t i)
{
	return (is(c, i, "(") || keyword(c, i, "case") ? other_end(c, i, 1) : i) + 1;
}

static const char between_operands[] = ") , and or not = == <> != < <= > >= is in between like glob match regexp "
	"isnull notnull .. when then else end as from where group order having limit union intersect except";

/* Where the operand that begins with the word at i ends. */
static size_t operand_end(const checking *c, size_t i)
{
	while (i < c->words.n && !keyword(c, i, between_operands))
		i = after(c, i);
	return i < c->words.n ? i : c->words.n;
}

/* Where the operand that ends before the word at i begins. */
static size_t operand_begin(const checking *c, size_t i)
{
	for (; i > 0; i--) {
		size_t k = i - 1;
		if (is(c, k, ")") || keyword(c, k, "end"))
			k = other_end(c, k, -1);
		else if (is(c, k, "(") || keyword(c, k, between_operands) || keyword(c, k, "select distinct all on by"))
			return i;
		if (k >= c->words.n)
			return i;
		i = k + 1;
	}
	return 0;
}

/* Is one of these between the words, outside of parentheses? */
static bool has(const checking *c, size_t from, size_t to, const char *list)
{
	for (size_t i = from; i < to; i = after(c, i))
		if (keyword(c, i, list))
			return true;
	return false;
}

static char type_of(const checking *c, size_t from, size_t to);

/* What gives one of two: a text, if one is a text. */
static char either(char a, char b)
{
	return a == 't' || b == 't' ? 't' : a == 'z' ? b : b == 'z' || a == b ? a : '?';
}

/* What the values give that are separated by commas. */
static char any_of(const checking *c, size_t from, size_t to)
{
	char type = 'z';

	for (size_t i = from, begin = from; i <= to; i = i < to ? after(c, i) : i + 1)
		if (i == to || is(c, i, ",")) {
			type = either(type, type_of(c, begin, i));
			begin = i + 1;
		}
	return type;
}

static char case_type(const checking *c, size_t from, size_t to)
{
	char type = 'z';

	for (size_t i = from + 1; i < to; i = after(c, i))
		if (keyword(c, i, "then else"))
			type = either(type, type_of(c, i + 1, operand_end(c, i + 1)));
	return type;
}

/* CHAR, CLOB and TEXT give texts as in SQLite; a blob is no number either. */
static char cast_type(const checking *c, size_t from, size_t to)
{
	for (; from < to && !is(c, from, "as"); from = after(c, from))
		;
	for (; from < to; from++)
		for (const char *p = c->words.v[from].text; *p; p++)
			if (strncasecmp(p, "char", 4) == 0 || strncasecmp(p, "clob", 4) == 0 ||
			    strncasecmp(p, "text", 4) == 0 ||
			    strncasecmp(p, "blob", 4) == 0)
				return 't';
	return 'n';
}

static char call_type(const checking *c, size_t name, size_t end)
{
	char gives = allowed_gives(c->words.v[name].text);

	if (is(c, name, "cast"))
		return cast_type(c, name + 2, end);
	if (is(c, name, "exists"))
		return 'n';
	return gives == '?' && !is(c, name, "json_extract") ? any_of(c, name + 2, end) : gives ? gives : '?';
}

static char parentheses_type(const checking *c, size_t from, size_t to)
{
	if (is(c, from, "select")) {
		from += is(c, from + 1, "distinct all") ? 2 : 1;
		return has(c, from, to, "union intersect except") || is(c, from, "*") ? '?' :
			type_of(c, from, operand_end(c, from));
	}
	if (is(c, from, "values") && is(c, from + 1, "("))
		return any_of(c, from + 2, other_end(c, from + 1, 1));
	return is(c, from, "with values") ? '?' : has(c, from, to, ",") ? 'r' : type_of(c, from, to);
}

/* What a word gives that is no part of a larger expression. */
static char word_type(const checking *c, size_t i)
{
	int col = column_at(c, i);

	if (col >= 0)
		return c->t->rows.cols.v[col].type == 't' ? 't' : 'n';
	if (c->words.v[i].kind == TEXT || c->words.v[i].kind == BLOB ||
	    is(c, i, "current_date current_time current_timestamp"))
		return 't';
	return c->words.v[i].kind == NUMBER || is(c, i, "rowid oid _rowid_") ? 'n' : is(c, i, "true false") ? 'b' :
		is(c, i, "null") ? 'z' : '?';
}

/* 'n' a number, 't' a text, 'b' true or false, 'z' NULL, 'r' several values, '?' unknown. */
static char type_of(const checking *c, size_t from, size_t to)
{
	while (from < to && (is(c, from, "+") || is(c, from + 1, ".")))
		from += is(c, from, "+") ? 1 : 2;
	if (from >= to)
		return '?';
	if (is(c, from, "- ~") || has(c, from, to, "and or not = == <> != < <= > >= is in between like glob isnull "
				      "notnull exists") ||
	    has(c, after(c, from), to, "+ - * / % & | << >>"))
		return 'n';
	if (has(c, from, to, "->>"))
		return '?';
	if (has(c, from, to, "|| ->"))
		return 't';
	if (keyword(c, from, "case"))
		return case_type(c, from, after(c, from) - 1);
	if (is(c, from, "("))
		return parentheses_type(c, from + 1, other_end(c, from, 1));
	return is(c, from + 1, "(") ? call_type(c, from, other_end(c, from + 1, 1)) : word_type(c, from);
}

static side side_of(const checking *c, size_t from, size_t to)
{
	side s = { type_of(c, from, to), false, "(...)" };

	while (is(c, from, "(") && other_end(c, from, 1) == to - 1)
		from++, to--;
	while (from + 2 < to && is(c, from + 1, "."))
		from += 2;
	s.column = from + 1 == to && column_at(c, from) >= 0;
	if (from + 1 == to || is(c, from + 1, "("))
		s.shown = c->words.v[from].text;
	return s;
}

static side side_before(const checking *c, size_t i)
{
	return side_of(c, operand_begin(c, i), i);
}

static side side_after(const checking *c, size_t i)
{
	return side_of(c, i + 1, operand_end(c, i + 1));
}

/* The CASE of the WHEN at i, if it has an expression with which that of the WHEN is compared; else the end of the
 * words. */
static size_t compared_case(const checking *c, size_t i)
{
	size_t depth = 0;

	while (--i < c->words.n)
		if (is(c, i, ")"))
			i = other_end(c, i, -1);
		else if (keyword(c, i, "end"))
			depth++;
		else if (keyword(c, i, "case") && !depth--)
			return keyword(c, i + 1, "when") ? c->words.n : i;
	return c->words.n;
}

/* ---- what is wrong */

static bool mixed(const checking *c, side a, const char *sign, side b)
{
	side text = a.type == 't' ? a : b, other = a.type == 't' ? b : a;
	bool order = strpbrk(sign, "<>bB") && strcmp(sign, "<>") != 0;

	if (a.type == 'r' || b.type == 'r')
		return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: it compares several values at once; "
				     "compare one with one, and write 'and' or 'or' between");
	if (a.type == 'z' || b.type == 'z' || (text.type == 't' && other.type == 't'))
		return true;
	if (text.type != 't')
		return (a.type != '?' && b.type != '?') ||
			notes_problem(c->say, EXIT_WRONG, "the condition is wrong: it compares '%s' with '%s', of "
			"which nsq-gate cannot tell that it is a number; write cast(... as real)",
			a.type == '?' ? b.shown : a.shown, a.type == '?' ? a.shown : b.shown);
	/* SQLite takes a literal beside a column of text for a text; and what is not known may be one */
	if ((text.column && !other.column && !order && other.type != 'b') ||
	    (other.type == '?' && (text.column || !order)))
		return true;
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: it compares a number with a text, '%s' with "
			     "'%s', which says nothing about either; %s", other.shown, text.shown,
			     other.type == 'b' ? "compare it with 'true' or 'false'" :
			     text.column ? "make the text a number: cast(NAME as real)" :
			     "a number is written without quotes, and so is the name of a column");
}

/* Compare with each value of the list, or with the result, in the parentheses after the word at i. */
static bool list_mixed(const checking *c, side left, size_t i)
{
	size_t end = is(c, i + 1, "(") ? other_end(c, i + 1, 1) : i;

	if (is(c, i + 2, "select with values"))
		return mixed(c, left, "=", side_after(c, i));
	for (size_t k = i + 2; k < end; k = operand_end(c, k) + 1)
		if (!mixed(c, left, "=", side_of(c, k, operand_end(c, k))))
			return false;
	return true;
}

static bool when(const checking *c, size_t i)
{
	size_t with = compared_case(c, i);

	return with == c->words.n || mixed(c, side_after(c, with), "=", side_after(c, i));
}

static bool comparison(checking *c, size_t i)
{
	side left = side_before(c, is(c, i - 1, "not") ? i - 1 : i);
	const char *sign = c->words.v[i].text;

	if (is(c, i, "in"))
		return list_mixed(c, left, i);
	if (is(c, i, "between")) {
		size_t and = i + 1;
		while (and < c->words.n && !is(c, and, "and"))
			and = is(c, and, "(") ? other_end(c, and, 1) + 1 : and + 1;
		if (and < c->words.n)
			c->words.v[and] = (word){ SIGN, ".." };    /* joins no conditions */
		return mixed(c, left, sign, side_after(c, i)) && mixed(c, left, sign, side_after(c, and));
	}
	while (is(c, i + 1, "not distinct from"))
		i++;
	return mixed(c, left, sign, side_after(c, i));
}

/* Does a text that is more than a literal end with the word at i? */
static bool text_before(const checking *c, size_t i)
{
	return i < c->words.n && c->words.v[i].kind != TEXT && side_before(c, i + 1).type == 't';
}

/* Is the text at i compared as one, with another text? */
static bool compared_as_text(const checking *c, size_t i)
{
	size_t at = i - 1;

	if (is(c, i + 1, "+ - * / % || -> ->> & | << >>"))
		return false;
	if (keyword(c, at, "when"))
		return compared_case(c, at) < c->words.n && side_after(c, compared_case(c, at)).type == 't';
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
		number = arena_printf(&c->texts, "write %s, without quotes%s", number,
				      text[n - 1] == '%' ? " and %" : "");
	else if (number_time(text, n, 1, &unit, &ns) && unit)
		number = arena_printf(&c->texts, "write %lld, in nanoseconds", (long long)ns);
	else
		number = "write a number without quotes and unit; for a string write NAME = or NAME LIKE before it";
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: '%s' is a string where a number is "
			     "expected; %s", text, number);
}

static bool literal(checking *c, size_t i)
{
	const char *text = c->words.v[i].text;

	if (c->words.v[i].kind == BLOB)
		return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: %s is a blob, and no column holds "
				     "one; write a number or 'a text'", text);
	return !begins_with_digit(text) || is(c, i - 1, "like glob escape -> ->>") || compared_as_text(c, i) ||
		wrong_text(c, text);
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
	if (keyword(c, before, "when") && compared_case(c, before) < c->words.n)
		return false;
	return (before >= c->words.n || (is(c, before, "( and or not when where") && !is(c, before - 1, "is"))) &&
		(after >= c->words.n || is(c, after, ") and or then"));
}

static bool truth(const checking *c, size_t i)
{
	const char *text = c->words.v[i].text;

	if (!stands_for_truth(c, i))
		return true;
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: '%s' is a string, which is neither true nor "
			     "false; compare it, such as NAME = 'true'", text);
}

static bool all_right(checking *c)
{
	bool ok = true;

	for (size_t i = 0; ok && i < c->words.n; i++)
		ok = (c->words.v[i].kind != TEXT && c->words.v[i].kind != BLOB) || literal(c, i);
	for (size_t i = 0; ok && i < c->words.n; i++)
		ok = keyword(c, i, "when") ? when(c, i) : !is(c, i, "= == <> != < <= > >= is in between") ||
			comparison(c, i);
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
