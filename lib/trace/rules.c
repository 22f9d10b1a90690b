#include "trace/rules.h"
#include "base/folders.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"
#include "table/json_rows.h"
#include "trace/load_work.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	pattern *re;
	const char *part;      /* NULL: names must match re; otherwise re is NULL, and names must contain this, in upper
				* or lower case */
	const char *label;
} rule;

struct rules {
	const char *source;    /* rules_source */
	vec(rule) v;
	bool json;             /* are they JSON of other tools?  such rules are made for the names in nsys's reports */
	bool llm;              /* are they the built-in rules llm (categories of kernels), or built-in rules that add
				* to them, such as llama? */
	bool own;              /* are they the user's, not built in? */
	bool hides;            /* do they hide secrets?  then a rule that takes too long to match a text counts as a
				* match */
	enum pattern_case letter_case;  /* do upper and lower case differ? */
	arena texts;           /* labels and substrings */
};

typedef struct {                /* rules while they are being read */
	rules *to;
	notes *say;
} reader;

/* Add a rule with a regular expression.  `line` is its line number for messages; 0: the rules are JSON. */
static bool rules_add_regex(reader *d, const char *text, const char *label, size_t line)
{
	char why[PATTERN_WHY], where[40] = "";
	rule u = { .re = pattern_new(text, d->to->letter_case, why), .label = label };

	if (line)
		snprintf(where, sizeof where, " line %zu", line);
	if (!u.re)
		return notes_problem(d->say, EXIT_WRONG, "%s%s: '%s' is not a regular expression: %s", d->to->source,
				     where, text, why);
	vec_push(&d->to->v, u);         /* the rules own the expression from now on */
	for (const char *p = label; (p = strchr(p, '\\')); p++)
		if (p[1] >= '1' && p[1] <= '9' && (size_t)(p[1] - '0') > pattern_count_groups(u.re))
			return notes_problem(d->say, EXIT_WRONG, "%s%s: the label '%s' uses group %c, but '%s' has "
					     "only %zu", d->to->source, where, label, p[1], text,
					     pattern_count_groups(u.re));
	return true;
}

/* The length of a line without its comment and trailing blanks. */
static size_t rules_measure_line(const char *line, size_t n)
{
	for (size_t i = 0; i < n; i++)      /* # at the start of a word begins a comment */
		if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
			n = i;
			break;
		}
	while (n && strchr(" \t\r", line[n - 1]))
		n--;
	return n;
}

static bool rules_read_lines(reader *d, const char *text)
{
	size_t line = 0;

	for (const char *p = text, *next; *p; p = next) {
		size_t n = strcspn(p, "\n"), end = rules_measure_line(p, n), tab;
		char *s;

		line++;
		next = p + n + (p[n] == '\n');
		if (!end)
			continue;
		s = arena_text(&d->to->texts, p, end);
		tab = strcspn(s, "\t");
		if (!s[tab] || !tab)
			return notes_problem(d->say, EXIT_WRONG, "%s line %zu: '%s' is not REGEX<TAB>LABEL",
					     d->to->source, line, s);
		s[tab] = 0;
		if (!rules_add_regex(d, s, s + tab + 1 + strspn(s + tab + 1, "\t"), line))
			return false;
	}
	return true;
}

/* Copy the text in a column; "" if it is NULL. */
static const char *rules_copy_text(reader *d, sqlite3_stmt *s, int col)
{
	const char *t = (const char *)sqlite3_column_text(s, col);

	if (!t && sqlite3_errcode(sqlite3_db_handle(s)) == SQLITE_NOMEM)
		mem_exhausted(1, (size_t)sqlite3_column_bytes(s, col) + 1);
	return t ? arena_copy(&d->to->texts, t) : "";
}

/* The names of the first objects in the JSON, for the message that the wanted object is missing. */
static const char *rules_list_members(reader *d, const char *json)
{
	enum { FEW = 20 };
	sqlite3_stmt *s = json_rows_query("SELECT key FROM json_each(?1) WHERE type = 'object' ORDER BY id", json,
					  NULL);
	const char *said = "";
	int n = 0;

	for (; n < FEW && json_rows_step(s) == SQLITE_ROW; n++)
		said = arena_printf(&d->to->texts, "%s%s'%s'", said, n ? ", " : "; it has ", rules_copy_text(d, s, 0));
	json_rows_end(s);
	return said;
}

/* The object that is the value of a key, as JSON text; NULL after a problem. */
static const char *rules_read_member(reader *d, const char *json, const char *key, const char *source)
{
	sqlite3_stmt *s = json_rows_query("SELECT value, type FROM json_each(?1) WHERE key = ?2", json, key);
	const char *value = NULL;

	if (json_rows_step(s) != SQLITE_ROW || strcmp(rules_copy_text(d, s, 1), "object") != 0)
		notes_problem(d->say, EXIT_WRONG, "%s has no object '%s'%s", source, key, rules_list_members(d, json));
	else
		value = rules_copy_text(d, s, 0);
	json_rows_end(s);
	return value;
}

static bool rules_is_valid_json(reader *d, const char *json)
{
	sqlite3_stmt *s = json_rows_query("SELECT json_valid(?1)", json, NULL);
	bool valid = json_rows_step(s) == SQLITE_ROW && sqlite3_column_int(s, 0);

	json_rows_end(s);
	return valid || notes_problem(d->say, EXIT_WRONG, "%s is not valid JSON", d->to->source);
}

/* Take a row of the query in rules_read_rules: a key, the type of its value, a text and its type. */
static bool rules_read_rule(reader *d, sqlite3_stmt *s)
{
	const char *key = rules_copy_text(d, s, 0), *type = rules_copy_text(d, s, 1), *value = rules_copy_text(d, s, 2);
	bool list = strcmp(type, "array") == 0;

	if (strcmp(type, "object") == 0)
		return notes_problem(d->say, EXIT_WRONG, "%s maps engines to models; choose one with "
				     "FILE:ENGINE:MODEL (such as :%s:MODEL)", d->to->source, key);
	if (strcmp(rules_copy_text(d, s, 3), "text") != 0) {
		if (strcmp(rules_copy_text(d, s, 3), "empty") == 0)
			return true;    /* a label with no substrings */
		return notes_problem(d->say, EXIT_WRONG, "%s: the value of '%s' is neither a text nor a list of "
				     "texts", d->to->source, key);
	}
	if (!list)
		return rules_add_regex(d, key, value, 0);
	vec_push(&d->to->v, (rule){ .part = value, .label = key });
	return true;
}

static bool rules_read_rules(reader *d, const char *json)
{
	sqlite3_stmt *s = json_rows_query(
		"SELECT o.key, o.type, coalesce(a.value, o.value), "
		"coalesce(a.type, iif(o.type = 'array', 'empty', o.type)) "
		"FROM json_each(?1) o LEFT JOIN json_each(iif(o.type = 'array', o.value, '[]')) a "
		"ORDER BY o.id, a.id", json, NULL);
	bool ok = true;

	while (ok && json_rows_step(s) == SQLITE_ROW)
		ok = rules_read_rule(d, s);
	json_rows_end(s);
	return ok;
}

static bool rules_read_json(reader *d, const char *json, const char *engine, const char *model)
{
	if (!rules_is_valid_json(d, json))
		return false;
	if (engine)
		json = rules_read_member(d, json, engine, d->to->source);
	if (engine && json)
		json = rules_read_member(d, json, model, arena_printf(&d->to->texts, "%s:%s", d->to->source, engine));
	return json && rules_read_rules(d, json);
}

/* The text of a file.  NULL: it cannot be opened (*opened is false) or read (*opened is true). */
static char *rules_read_file(const char *path, bool *opened)
{
	FILE *f = folders_file(path);
	char *text;
	size_t n;
	int why;

	*opened = f != NULL;
	if (!f)
		return NULL;
	text = text_read(f, &n);
	why = errno;
	fclose(f);
	errno = why;
	return text;
}

static bool rules_read_spec(reader *d, const char *spec)
{
	const char *engine = NULL, *model = NULL;
	char *path = arena_copy(&d->to->texts, spec);
	bool opened, ok = false;
	char *text = rules_read_file(path, &opened), *model_colon = strrchr(path, ':'), *engine_colon;

	if (!text && !opened && errno == ENOENT && model_colon) {      /* FILE:engine:model */
		*model_colon = 0;
		engine_colon = strrchr(path, ':');
		if (engine_colon) {
			*engine_colon = 0;
			engine = engine_colon + 1;
			model = model_colon + 1;
			d->to->source = arena_printf(&d->to->texts, "'%s'", path);
			text = rules_read_file(path, &opened);
		}
	}
	if (!text && opened)
		return notes_problem(d->say, EXIT_FAILED, "cannot read the rules in '%s':", path);
	if (!text)
		return notes_problem(d->say, errno == ENOENT ? EXIT_WRONG : EXIT_FAILED,
				     "cannot open the rules '%s':", spec);
	d->to->json = text[strspn(text, " \t\r\n")] == '{';
	if (d->to->json)
		ok = rules_read_json(d, text, engine, model);
	else if (engine)
		notes_problem(d->say, EXIT_WRONG, "%s is not JSON; ':%s:%s' is for JSON rules only", d->to->source,
			      engine, model);
	else
		ok = rules_read_lines(d, text);
	free(text);
	if (ok && !d->to->v.n)
		return notes_problem(d->say, EXIT_WRONG, "%s has no rules; write lines of REGEX<TAB>LABEL",
				     d->to->source);
	return ok;
}

static rules *rules_load_spec(const char *spec, enum pattern_case letter_case, notes *say)
{
	rules *r = mem_new(rules, 1);
	reader d = { r, say };
	const char *builtin = text_find_builtin(rules_builtin, spec);
	bool adds_to_llm = text_is_listed_word(spec, strlen(spec), "llama qwen deepseek mixtral");

	r->letter_case = letter_case;
	r->source = arena_printf(&r->texts, "'%s'", spec);
	r->own = !*builtin;
	r->llm = *builtin && (adds_to_llm || strcmp(spec, "llm") == 0);
	r->hides = strcmp(spec, "secrets") == 0 || strcmp(spec, "private") == 0;
	if (*builtin ? rules_read_lines(&d, builtin) &&
	    rules_read_lines(&d, adds_to_llm ? text_find_builtin(rules_builtin, "llm") : "") :
	    rules_read_spec(&d, spec))
		return r;
	rules_free(r);
	return NULL;
}

rules *rules_load(const char *spec, notes *say)
{
	return rules_load_spec(spec, PATTERN_EXACT, say);
}

rules *rules_load_any_case(const char *spec, notes *say)
{
	return rules_load_spec(spec, PATTERN_ANY_CASE, say);
}

const char *rules_source(const rules *r)
{
	return r->source;
}

const char *rules_gave_up(const rules *r)
{
	for (size_t i = 0; i < r->v.n; i++)
		if (r->v.v[i].re && pattern_gave_up(r->v.v[i].re))
			return pattern_text(r->v.v[i].re);
	return NULL;
}

const char *rules_own_label(const rules *r, size_t i)
{
	return r->own && i < r->v.n ? r->v.v[i].label : NULL;
}

void rules_free(rules *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->v.n; i++)
		pattern_free(r->v.v[i].re);
	vec_free(&r->v);
	arena_free(&r->texts);
	free(r);
}

/* The label, with \1 to \9 replaced by the groups of the match `m` of the name. */
static uint32_t rules_expand_label(const char *label, const char *name, const pattern_group *m, str_pool *to)
{
	vec(char) out = { 0 };
	uint32_t id;

	for (; *label; label++) {
		if (*label != '\\' || !label[1]) {
			vec_push(&out, *label);
			continue;
		}
		label++;
		if (*label < '1' || *label > '9') {
			vec_push(&out, *label);
			continue;
		}
		for (size_t i = m[*label - '0'].a; i < m[*label - '0'].b; i++)
			vec_push(&out, name[i]);
	}
	id = str_id(to, out.v ? out.v : "", out.n);
	vec_free(&out);
	return id;
}

enum { GROUPS = 10 };

static bool rules_fits_name(const rules *r, const rule *u, const char *name, pattern_group m[GROUPS])
{
	enum pattern_result found;

	if (u->part)
		return strcasestr(name, u->part);
	found = pattern_match(u->re, name, m, GROUPS);
	return found == PATTERN_MATCHES || (found == PATTERN_GAVE_UP && r->hides);
}

static const rule *rules_find_match(const rules *r, const char *name, pattern_group m[GROUPS])
{
	for (const rule *u = r->v.v; name && u < r->v.v + r->v.n; u++)
		if (rules_fits_name(r, u, name, m))
			return u;
	return NULL;
}

uint32_t rules_label(const rules *r, const char *name, str_pool *to)
{
	pattern_group m[GROUPS];
	const rule *u = rules_find_match(r, name, m);

	if (!u)
		return STR_NONE;
	if (u->part || !strchr(u->label, '\\'))
		return str_id(to, u->label, strlen(u->label));
	return rules_expand_label(u->label, name, m, to);
}

const char *rules_match(const rules *r, const char *name)
{
	const rule *u = rules_find_match(r, name, (pattern_group[GROUPS]){ { 0 } });

	return u ? u->label : NULL;
}

uint32_t rules_label_work(const rules *r, const char *name, bool comm, str_pool *to)
{
	uint32_t label = rules_label(r, r->json && name ? work_nsys_name(name) : name, to);
	const char *text = str_at(to, label);
	bool says_comm = text && (strcmp(text, "comm") == 0 || strcmp(text, "nccl") == 0);

	return !r->llm || says_comm == comm ? label : comm ? str_id(to, "comm", 4) : STR_NONE;
}
