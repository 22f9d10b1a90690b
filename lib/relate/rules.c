#include "relate/rules.h"
#include "cli/errors.h"
#include "base/memory.h"
#include "base/pattern.h"
#include "base/text.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	regex_t re;
	const char *part;      /* a plain substring instead of the regex */
	const char *label;
} rule;

struct rules {
	rules *next;           /* all that were loaded, which live as long as the process */
	vec(rule) v;
	const char *source;    /* for messages */
};

static rules *loaded;

static void add_regex(rules *r, const char *pattern, const char *label, const char *where)
{
	rule u = { .label = label };
	char buf[200];
	const char *wrong = pattern_regcomp(&u.re, pattern, 0, buf, sizeof buf);

	if (wrong)
		die(EXIT_WRONG, "%s: '%s' is not a regular expression: %s", where, pattern, wrong);
	for (const char *p = label; (p = strchr(p, '\\')); p++)
		if (p[1] >= '1' && p[1] <= '9' && (size_t)(p[1] - '0') > u.re.re_nsub)
			die(EXIT_WRONG, "%s: the label '%s' uses group %c, but '%s' has only %zu", where,
			    label, p[1], pattern, u.re.re_nsub);
	vec_push(&r->v, u);
}

static void parse_lines(rules *r, const char *text)
{
	size_t line = 0;

	for (const char *p = text, *next; *p; p = next) {
		size_t n = strcspn(p, "\n"), end = n, tab;
		char *s;
		const char *where = mem_printf("%s line %zu", r->source, ++line);
		next = p + n + (p[n] == '\n');
		for (size_t i = 0; i < n; i++)      /* # at the start of a word ends the line */
			if (p[i] == '#' && (i == 0 || p[i - 1] == ' ' || p[i - 1] == '\t')) {
				end = i;
				break;
			}
		while (end && strchr(" \t\r", p[end - 1]))
			end--;
		if (!end)
			continue;
		s = mem_text(p, end);
		tab = strcspn(s, "\t");
		if (!s[tab] || !tab)
			die(EXIT_WRONG, "%s: '%s' is not REGEX<TAB>LABEL", where, s);
		s[tab] = 0;
		add_regex(r, s, s + tab + 1 + strspn(s + tab + 1, "\t"), where);
	}
}

static sqlite3_stmt *json_query(sqlite3 *sql, const char *query, const char *json, const char *key)
{
	sqlite3_stmt *s = NULL;

	if (sqlite3_prepare_v2(sql, query, -1, &s, NULL) != SQLITE_OK)
		die(EXIT_FAILED, "cannot read JSON: %s", sqlite3_errmsg(sql));
	sqlite3_bind_text(s, 1, json, -1, SQLITE_STATIC);
	if (key)
		sqlite3_bind_text(s, 2, key, -1, SQLITE_STATIC);
	return s;
}

static const char *text_of(sqlite3_stmt *s, int col)
{
	const char *t = (const char *)sqlite3_column_text(s, col);

	return t ? mem_text(t, strlen(t)) : "";
}

/* The value of a key of an object, as JSON; exits when there is none. */
static const char *member(sqlite3 *sql, const char *json, const char *key, const char *source)
{
	sqlite3_stmt *s = json_query(sql, "SELECT value, type FROM json_each(?1) WHERE key = ?2", json, key);
	const char *value;

	if (sqlite3_step(s) != SQLITE_ROW || strcmp(text_of(s, 1), "object") != 0)
		die(EXIT_WRONG, "%s has no object '%s'", source, key);
	value = text_of(s, 0);
	sqlite3_finalize(s);
	return value;
}

static void parse_json(rules *r, const char *json, const char *engine, const char *model)
{
	sqlite3 *sql = NULL;
	sqlite3_stmt *s;
	int rc;

	if (sqlite3_open(":memory:", &sql) != SQLITE_OK)
		die(EXIT_FAILED, "out of memory");
	s = json_query(sql, "SELECT json_valid(?1)", json, NULL);
	if (sqlite3_step(s) != SQLITE_ROW || !sqlite3_column_int(s, 0))
		die(EXIT_WRONG, "%s is not valid JSON", r->source);
	sqlite3_finalize(s);
	if (engine) {
		json = member(sql, json, engine, r->source);
		json = member(sql, json, model, mem_printf("%s:%s", r->source, engine));
	}
	s = json_query(sql, "SELECT o.key, o.type, coalesce(a.value, o.value), coalesce(a.type, o.type) "
		       "FROM json_each(?1) o LEFT JOIN json_each(iif(o.type = 'array', o.value, '[]')) a "
		       "ORDER BY o.id, a.id", json, NULL);
	while ((rc = sqlite3_step(s)) == SQLITE_ROW) {
		const char *key = text_of(s, 0), *type = text_of(s, 1), *value = text_of(s, 2);
		if (strcmp(type, "object") == 0)
			die(EXIT_WRONG, "%s maps engines to models; choose one with FILE:ENGINE:MODEL "
			    "(such as :%s:MODEL)", r->source, key);
		if (strcmp(text_of(s, 3), "text") != 0) {
			if (strcmp(type, "array") == 0 && strcmp(text_of(s, 3), "array") == 0)
				continue;     /* a label with no substrings */
			die(EXIT_WRONG, "%s: the value of '%s' is neither a text nor a list of texts",
			    r->source, key);
		}
		if (strcmp(type, "array") == 0)
			vec_push(&r->v, (rule){ .part = value, .label = key });
		else
			add_regex(r, key, value, r->source);
	}
	if (rc != SQLITE_DONE)
		die(EXIT_WRONG, "%s: %s", r->source, sqlite3_errmsg(sql));
	sqlite3_finalize(s);
	sqlite3_close(sql);
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	size_t n;

	if (!f)
		return NULL;
	text = text_read(f, &n);
	if (!text)
		die(EXIT_FAILED, "cannot read the rules in '%s':", path);
	fclose(f);
	return text;
}

rules *rules_load(const char *spec)
{
	rules *r = mem_new(rules, 1);
	const char *engine = NULL, *model = NULL;
	char *path = mem_text(spec, strlen(spec)), *text;

	r->next = loaded;
	loaded = r;
	r->source = mem_printf("'%s'", spec);
	for (int i = 0; rules_builtin[i]; i += 2)
		if (strcmp(rules_builtin[i], spec) == 0) {
			parse_lines(r, rules_builtin[i + 1]);
			return r;
		}
	text = read_file(path);
	if (!text && errno == ENOENT && strchr(path, ':')) {   /* FILE:engine:model */
		char *c2 = strrchr(path, ':'), *c1;
		*c2 = 0;
		c1 = strrchr(path, ':');
		if (c1) {
			*c1 = 0;
			engine = c1 + 1;
			model = c2 + 1;
			r->source = mem_printf("'%s'", path);
			text = read_file(path);
		}
	}
	if (!text)
		die(errno == ENOENT ? EXIT_WRONG : EXIT_FAILED, "cannot open the rules '%s':", spec);
	if (text[strspn(text, " \t\r\n")] == '{')
		parse_json(r, text, engine, model);
	else if (engine)
		die(EXIT_WRONG, "%s is not JSON; ':%s:%s' chooses in JSON rules only", r->source, engine, model);
	else
		parse_lines(r, text);
	if (!r->v.n)
		die(EXIT_WRONG, "%s holds no rule; write lines of REGEX<TAB>LABEL", r->source);
	free(text);
	return r;
}

/* The label with its groups put in. */
static const char *expand(const char *label, const char *name, const regmatch_t *m)
{
	vec(char) out = { 0 };
	const char *s;

	if (!strchr(label, '\\'))
		return label;
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
		for (regoff_t i = m[*label - '0'].rm_so; i >= 0 && i < m[*label - '0'].rm_eo; i++)
			vec_push(&out, name[i]);
	}
	s = mem_text(out.v ? out.v : "", out.n);
	vec_free(&out);
	return s;
}

const char *rules_label(const rules *r, const char *name)
{
	for (size_t i = 0; i < r->v.n; i++) {
		const rule *u = &r->v.v[i];
		regmatch_t m[10];
		if (u->part ? strstr(name, u->part) != NULL : pattern_match(&u->re, name, 10, m))
			return u->part ? u->label : expand(u->label, name, m);
	}
	return NULL;
}
