#include "answer/gate.h"
#include "base/number.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

enum kind {
	WORD,                   /* a name or keyword */
	QUOTED,                 /* a name in ", ` or [ ] */
	TEXT,                   /* a text literal in ' */
	NUMBER,
	BLOB,                   /* x'...' */
	SIGN                    /* an operator, such as <=, or any other character */
};

typedef struct {
	enum kind kind;
	const char *text;       /* the word; a QUOTED or TEXT without its quotes */
} word;

typedef struct {
	const read_table *t;
	vec(word) words;
	arena texts;
	notes *say;
} gate_types_ctx;

/* ---- divide a condition into words, as SQLite does */

static const char *gate_types_skip_quoted(const char *s)
{
	char end = *s == '[' ? ']' : *s;

	for (s++; *s; s++)
		if (*s == end && (end == ']' || s[1] != end))
			return s + 1;
		else if (*s == end)
			s++;
	return s;
}

static bool gate_types_is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* The length of the number, name or sign at s. */
static size_t gate_types_measure_word(const char *s)
{
	static const char *const signs[] = { "->>", "->", "<=", ">=", "<>", "!=", "==", "||", "<<", ">>", NULL };
	size_t n = 0;

	if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
		while (gate_types_is_in_name(s[n]) || s[n] == '.' ||
		       ((s[n] == '+' || s[n] == '-') && tolower((unsigned char)s[n - 1]) == 'e'))
			n++;
		return n;
	}
	while (gate_types_is_in_name(s[n]))
		n++;
	for (int i = 0; !n && signs[i]; i++)
		if (strncmp(s, signs[i], strlen(signs[i])) == 0)
			n = strlen(signs[i]);
	return n ? n : 1;
}

static const char *gate_types_skip_blanks(const char *s)
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

static void gate_types_divide_words(gate_types_ctx *c, const char *s)
{
	while (*(s = gate_types_skip_blanks(s))) {
		bool blob = (*s == 'x' || *s == 'X') && s[1] == '\'', quoted = strchr("'\"`[", *s);
		size_t n = quoted || blob ? (size_t)(gate_types_skip_quoted(s + blob) - s) : gate_types_measure_word(s);
		enum kind kind = blob ? BLOB : *s == '\'' ? TEXT : quoted ? QUOTED : isdigit((unsigned char)*s) ||
			(*s == '.' && n > 1) ? NUMBER : gate_types_is_in_name(*s) ? WORD : SIGN;
		vec_push(&c->words, (word){ kind, arena_text(&c->texts, s + quoted, n - 2 * quoted) });
		s += n;
	}
}

/* ---- the type of a word */

/* Is the word at i a WORD or SIGN of the list?  Blanks separate the entries of the list.  False if there is no word at
 * i, as for i = SIZE_MAX. */
static bool gate_types_is_one_of(const gate_types_ctx *c, size_t i, const char *list)
{
	if (i >= c->words.n || (c->words.v[i].kind != WORD && c->words.v[i].kind != SIGN))
		return false;
	return text_is_listed_word(c->words.v[i].text, strlen(c->words.v[i].text), list);
}

/* The type of the word at i: 'n' a number, 't' a text, 'b' true or false, '?' not known: a function, the table in
 * TABLE.COLUMN, any other word, or no word. */
static char gate_types_type_at(const gate_types_ctx *c, size_t i)
{
	int col = -1;

	if (i >= c->words.n || gate_types_is_one_of(c, i + 1, "( ."))
		return '?';
	if (c->words.v[i].kind <= QUOTED)
		col = table_column(&c->t->rows, c->words.v[i].text);
	if (col >= 0)
		return c->t->rows.cols.v[col].type == 't' ? 't' : 'n';
	return c->words.v[i].kind == TEXT ? 't' : c->words.v[i].kind == NUMBER ? 'n' :
		gate_types_is_one_of(c, i, "true false") ? 'b' : '?';
}

static bool gate_types_is_text_column(const gate_types_ctx *c, size_t i)
{
	return gate_types_type_at(c, i) == 't' && c->words.v[i].kind != TEXT;
}

/* ---- find errors */

/* Is the text at i compared with a column of text, is it the pattern of LIKE, GLOB or ESCAPE, or is it the path of ->
 * or ->>? */
static bool gate_types_may_be_text(const gate_types_ctx *c, size_t i)
{
	size_t at = i - 1;

	if (gate_types_is_one_of(c, at, "like glob escape -> ->>"))
		return true;
	if (gate_types_is_one_of(c, at, "( ,")) {
		while (at < c->words.n && !gate_types_is_one_of(c, at, "("))
			at--;
		at--;
		return gate_types_is_one_of(c, at, "in") &&
			gate_types_is_text_column(c, at - 1 - gate_types_is_one_of(c, at - 1, "not"));
	}
	at -= gate_types_is_one_of(c, at, "not");
	return gate_types_is_one_of(c, at, "= == <> != is") && gate_types_is_text_column(c, at - 1);
}

static bool gate_types_begins_with_digit(const char *s)
{
	s += strspn(s, " \t\r\n\f");
	s += strspn(s, "+-");
	s += *s == '.';
	return isdigit((unsigned char)*s);
}

/* Add the problem that a text stands where a number is expected.  Always false. */
static bool gate_types_refuse_text(gate_types_ctx *c, const char *text)
{
	size_t n = strlen(text);
	const char *number = arena_text(&c->texts, text, n - (n && text[n - 1] == '%'));
	int64_t unit, ns;

	if (number_is_json(number))
		number = arena_printf(&c->texts, "write %s, without quotes%s", number,
				      text[n - 1] == '%' ? " and %" : "");
	else if (number_time(text, n, 1, &unit, &ns) && unit)
		number = arena_printf(&c->texts, "write %lld, in nanoseconds", (long long)ns);
	else
		number = "write a number without quotes and unit; for a string write NAME = or NAME LIKE before it";
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: '%s' is a string where a number is "
			     "expected; %s", text, number);
}

/* False, with a problem, if the word at i is a blob, or a text that should be a number. */
static bool gate_types_check_literal(gate_types_ctx *c, size_t i)
{
	const char *text = c->words.v[i].text;

	if (c->words.v[i].kind == BLOB)
		return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: %s is a blob, and no column holds "
				     "one; write a number or 'a text'", text);
	return c->words.v[i].kind != TEXT || !gate_types_begins_with_digit(text) || gate_types_may_be_text(c, i) ||
		gate_types_refuse_text(c, text);
}

/* False, with a problem, if the sign at i compares a number with a text.  SQLite treats a number beside a column of
 * text as a text, so only comparisons of order are wrong there.  A comparison of a text with true or false is always
 * wrong. */
static bool gate_types_check_comparison(const gate_types_ctx *c, size_t i)
{
	size_t left = i - 1, right = i + 1 + gate_types_is_one_of(c, i + 1, "not");
	char a = gate_types_type_at(c, left), b;

	right += gate_types_is_one_of(c, right + 1, ".") ? 2 : 0;
	b = gate_types_type_at(c, right);
	if ((a != 't') == (b != 't') || a == '?' || b == '?' ||
	    (gate_types_is_one_of(c, i, "= == <> != is") &&
	     (gate_types_is_text_column(c, left) || gate_types_is_text_column(c, right)) && a != 'b' && b != 'b'))
		return true;
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: it compares a number with a text, '%s' with "
			     "'%s'; %s", c->words.v[left].text, c->words.v[right].text, a == 'b' || b == 'b' ?
			     "compare it with 'true' or 'false'" : "make a column a number: cast(NAME as real)");
}

/* False, with a problem, if a column of text at i is used as true or false. */
static bool gate_types_check_truth(const gate_types_ctx *c, size_t i)
{
	size_t before = gate_types_is_one_of(c, i - 1, ".") ? i - 3 : i - 1;

	if (!gate_types_is_text_column(c, i) || gate_types_is_one_of(c, before - 1, "is") ||
	    (i + 1 < c->words.n && !gate_types_is_one_of(c, i + 1, ") and or then")) ||
	    (before < c->words.n && !gate_types_is_one_of(c, before, "and or not where") &&
	     !(gate_types_is_one_of(c, before, "when") && gate_types_is_one_of(c, before - 1, "case"))))
		return true;
	return notes_problem(c->say, EXIT_WRONG, "the condition is wrong: '%s' is a string, which is neither true nor "
			     "false; compare it, such as NAME = 'true'", c->words.v[i].text);
}

bool gate_types_check(const read_table *t, const char *condition, notes *say)
{
	gate_types_ctx c = { .t = t, .say = say };
	bool ok = true;

	gate_types_divide_words(&c, condition);
	for (size_t i = 0; ok && i < c.words.n; i++)
		ok = gate_types_check_literal(&c, i);
	for (size_t i = 0; ok && i < c.words.n; i++)
		ok = (!gate_types_is_one_of(&c, i, "= == <> != < <= > >= is") || gate_types_check_comparison(&c, i)) &&
			gate_types_check_truth(&c, i);
	vec_free(&c.words);
	arena_free(&c.texts);
	return ok;
}
